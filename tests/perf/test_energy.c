/* perf/energy.h: counters in a folder that looks like /sys of machines that have them, and a GPU's library that is this
 * program. No joule of this machine is asked for. */
#include "perf/energy.h"
#include "test.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#define ZONE "class/powercap/intel-rapl:"

/* As a server with one package shows it; what is no counter of ours has counts that would be seen. */
static void put_powercap(void) {
    put_text(ZONE "0/name", "package-0\n");
    put_text(ZONE "0/energy_uj", "262143000000\n");
    put_text(ZONE "0/max_energy_range_uj", "262143328850\n");
    put_text(ZONE "0:0/name", "core\n");
    put_text(ZONE "0:0/energy_uj", "7000000\n");
    put_text(ZONE "0:1/name", "dram\n");
    put_text(ZONE "0:1/energy_uj", "1000000\n");
    put_text(ZONE "0:1/max_energy_range_uj", "65712999613\n");
    put_text(ZONE "1/name", "psys\n");
    put_text(ZONE "1/energy_uj", "9000000\n");
    put_text("class/powercap/intel-rapl-mmio:0/name", "package-0\n");
    put_text("class/powercap/intel-rapl-mmio:0/energy_uj", "5\n");
}

/* --- events and GPUs --------------------------------------------------------------------------------- */

static int pipes[2][2], opened, refuse_events;

static int open_pipe(unsigned type, unsigned long long config, int cpu) {
    assert_int_equal(type, 23);
    assert_true(config == 2 && (cpu == 0 || cpu == 32));
    if (refuse_events) {
        errno = EACCES;
        return -1;
    }
    assert_int_equal(pipe(pipes[opened]), 0);
    const unsigned long long zero = 0;
    assert_true(write(pipes[opened][1], &zero, sizeof zero) == sizeof zero);
    return pipes[opened++][0];
}

static void put_events(void) {
    put_text("bus/event_source/devices/power/type", "23\n");
    put_text("bus/event_source/devices/power/cpumask", "0,32\n");
    put_text("bus/event_source/devices/power/events/energy-pkg", "event=0x02\n");
    put_text("bus/event_source/devices/power/events/energy-pkg.scale",
             "2.3283064365386962890625e-10\n");
}

/* What dlopen("") finds: this program. */
int nvmlInit_v2(void);
int nvmlDeviceGetCount_v2(unsigned *n);
int nvmlDeviceGetHandleByIndex_v2(unsigned k, void **device);
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules);
static unsigned long long gpu_count[2];
static int gpus, gpu_status;
int nvmlInit_v2(void) { return 0; }
int nvmlDeviceGetCount_v2(unsigned *n) {
    *n = (unsigned)gpus;
    return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned k, void **device) {
    *device = &gpu_count[k];
    return 0;
}
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules) {
    *millijoules = *(unsigned long long *)device;
    return gpu_status;
}

static spw_meter m;
static double host, gpu; /* joules, as they are read */

static void open_meter(void) {
    spw_meter_open(&(spw_meter_places){own_folder(), "", open_pipe}, &m);
}

static int begin(void **state) {
    (void)state;
    gpus = gpu_status = opened = refuse_events = 0;
    host = gpu = 1;
    return 0;
}

static int end(void **state) {
    spw_meter_close(&m);
    return empty_folder(state);
}

/* In a folder of its own, with a machine that has nothing as yet. */
#define FOLDER_TEST(name) TEST_WITH(name, begin, end)

/* --- tests ------------------------------------------------------------------------------------------- */

FOLDER_TEST(a_machine_without_counters_says_so) {
    open_meter();
    assert_int_equal(m.state, SPW_METER_ABSENT);
    assert_says(m.text, "not here: no powercap, no power PMU, no NVML");
    assert_error(spw_meter_read(&m, &host, &gpu), SPW_ERR_UNAVAILABLE, "no counter of energy");
    assert_true(host == 0 && gpu == 0);
}

FOLDER_TEST(packages_and_memory_are_added_and_begin_again) {
    put_powercap();
    open_meter();
    assert_int_equal(m.state, SPW_METER_COUNTS);
    assert_string_equal(m.how, "package-0 and dram (powercap)");
    assert_ok(spw_meter_read(&m, &host, &gpu));
    assert_true(host == 0 && gpu == 0);
    put_text(ZONE "0:1/energy_uj", "3500000\n");
    put_text(ZONE "0:0/energy_uj", "900000000\n");
    put_text(ZONE "0/energy_uj", "1671150\n"); /* beyond the range */
    assert_ok(spw_meter_read(&m, &host, &gpu));
    assert_true(fabs(host - 4.5) < 1e-9 && gpu == 0);
    put_text(ZONE "0/energy_uj", "2671150\n");
    assert_ok(spw_meter_read(&m, &host, &gpu));
    assert_true(fabs(host - 5.5) < 1e-9);
}

FOLDER_TEST(a_counter_that_vanishes_or_lies_is_one_line) {
    put_powercap();
    open_meter();
    put_text(ZONE "0:1/energy_uj", "unknown\n");
    assert_error(spw_meter_read(&m, &host, &gpu), SPW_ERR_FILE, "'unknown' is no count of energy");
    put_text(ZONE "0:1/energy_uj", "1000001\n");
    const char *path = own_path(ZONE "0/energy_uj");
    assert_int_equal(unlink(path), 0);
    assert_error(spw_meter_read(&m, &host, &gpu), SPW_ERR_FILE, "vanished while it was read");
    assert_says(spw_message(), path);
    assert_null(strchr(spw_message(), '\n'));
    assert_true(host == 0 && gpu == 0);
    spw_meter_span span = {.seconds = 1};
    assert_error(spw_meter_run(&m, 0, NULL, NULL, &span), SPW_ERR_FILE, "vanished");
    assert_true(span.seconds == 0);
}

FOLDER_TEST(a_counter_that_goes_back_without_a_range_is_an_error) {
    put_text(ZONE "0/name", "package-0\n");
    put_text(ZONE "0/energy_uj", "500\n");
    open_meter();
    put_text(ZONE "0/energy_uj", "400\n");
    assert_error(spw_meter_read(&m, &host, &gpu), SPW_ERR_FILE, "went back, from 500 to 400");
}

FOLDER_TEST(counters_for_root_only_are_told_with_the_cure) {
    const bool root = geteuid() == 0;
    put_powercap();
    const char *const counters[] = {ZONE "0/energy_uj", ZONE "0:1/energy_uj"};
    for (int k = 0; k < 2; k++) {
        const char *path = own_path(counters[k]);
        assert_int_equal(chmod(path, 0), 0);
    }
    if (root && seteuid(65534) != 0) skip();
    open_meter();
    if (root) assert_int_equal(seteuid(0), 0);
    assert_int_equal(m.state, SPW_METER_REFUSED);
    assert_says(m.text, "there, not allowed");
    assert_says(m.text, "sudo chmod a+r");
}

FOLDER_TEST(perf_counts_each_package_where_powercap_is_not) {
    put_events();
    open_meter();
    assert_int_equal(m.state, SPW_METER_COUNTS);
    assert_string_equal(m.how, "energy-pkg of CPU 0 and energy-pkg of CPU 32 (perf)");
    const unsigned long long counts[] = {1ULL << 33, 1ULL << 32}; /* 2 and 1 J */
    for (int k = 0; k < 2; k++) {
        assert_true(write(pipes[k][1], &counts[k], sizeof counts[k]) == sizeof counts[k]);
        close(pipes[k][1]);
    }
    assert_ok(spw_meter_read(&m, &host, &gpu));
    assert_true(fabs(host - 3) < 1e-9);
    assert_error(spw_meter_read(&m, &host, &gpu), SPW_ERR_FILE,
                 "the energy counter energy-pkg of CPU 0 vanished");
}

FOLDER_TEST(perf_that_refuses_is_told_with_the_cure) {
    put_events();
    refuse_events = 1;
    open_meter();
    assert_int_equal(m.state, SPW_METER_REFUSED);
    assert_says(m.text, "perf_event_paranoid");
}

FOLDER_TEST(gpus_are_counted_apart) {
    put_powercap();
    gpus = 2;
    open_meter();
    assert_string_equal(m.how, "package-0 and dram (powercap), GPU 0 and GPU 1 (NVML)");
    gpu_count[0] += 1500;
    gpu_count[1] += 500;
    put_text(ZONE "0:1/energy_uj", "2000000\n");
    assert_ok(spw_meter_read(&m, &host, &gpu));
    assert_true(fabs(host - 1) < 1e-9 && fabs(gpu - 2) < 1e-9);
    gpu_status = 15; /* NVML_ERROR_GPU_IS_LOST */
    assert_error(spw_meter_read(&m, &host, &gpu), SPW_ERR_FILE, "GPU 0 vanished");
    spw_meter_close(&m);
    open_meter();
    assert_int_equal(m.n, 2); /* a GPU that cannot tell is none */
}

static void count_call(void *calls) {
    ++*(int *)calls;
    put_text(ZONE "0:1/energy_uj", "6000000\n");
}

FOLDER_TEST(a_run_has_its_own_joules) {
    spw_meter_span span;
    int calls = 0;
    put_powercap();
    open_meter();
    put_text(ZONE "0:1/energy_uj", "4000000\n");
    assert_ok(spw_meter_run(&m, 0.01, count_call, &calls, &span));
    assert_true(fabs(span.host - 2) < 1e-9 && span.gpu == 0);
    assert_true(span.calls == calls && calls >= 1 && span.seconds >= 0.01 && span.others >= 0);
}

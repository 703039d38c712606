/* The machine file: what is saved comes back, and what was damaged does not. */

#include "perf/machine.h"
#include "test.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_TEXT = 1 << 16 };

/* Each has a folder of its own. */
#define IN_FOLDER(name) TEST_WITH(name, NULL, empty_folder)

static int files_in(const char *folder) {
    int n = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

/* Whole numbers of bytes, as the file keeps them. */
static spw_rate rate(int gigabytes) {
    return (spw_rate){gigabytes * 1e9, gigabytes * 9e8, gigabytes * 11e8};
}

/* A machine that exists nowhere. L3 was not measured. */
static spw_machine example(void) {
    spw_machine m = {.topology = {.cpu = "Example CPU, 2.0 GHz",
                                  .cores = 4,
                                  .threads = 8,
                                  .numa_nodes = 2,
                                  .sockets = 1,
                                  .l1 = 32768,
                                  .l2 = 1 << 20,
                                  .l3 = 16 << 20,
                                  .l3_count = 2,
                                  .memory = INT64_C(64) << 30,
                                  .is_virtual = 1},
                     .date = "2001-02-03 04:05",
                     .compiler = "gcc 1.2.3",
                     .threads = 8,
                     .quick = 1,
                     .waited = 0.25,
                     .peak_one = 5e10,
                     .peak_all = 4e11,
                     .n_stairs = 3,
                     .n_saturation = 2};
    m.level[SPW_L1].bytes = 65536;
    m.level[SPW_L2].bytes = 2 << 20;
    m.level[SPW_MEMORY].bytes = 256000000;
    for (int mix = 0; mix < SPW_MIXES; mix++) {
        m.level[SPW_L1].rate[mix] = rate(1000 + mix);
        m.level[SPW_L2].rate[mix] = rate(500 + mix);
        m.level[SPW_MEMORY].rate[mix] = rate(40 + mix);
        for (int i = 0; i < m.n_stairs; i++) m.stair[i].rate[mix] = rate(900 - 100 * i + mix);
        for (int i = 0; i < m.n_saturation; i++)
            m.saturation[i].rate[mix] = rate(20 * i + 20 + mix);
    }
    for (int i = 0; i < m.n_stairs; i++) m.stair[i].bytes = INT64_C(65536) << (6 * i);
    for (int i = 0; i < m.n_saturation; i++) m.saturation[i].threads = 1 + 7 * i;
    return m;
}

static void assert_rates_equal(const spw_rate *got, const spw_rate *expected) {
    for (int mix = 0; mix < SPW_MIXES; mix++) {
        assert_true(got[mix].median == expected[mix].median);
        assert_true(got[mix].low == expected[mix].low);
        assert_true(got[mix].high == expected[mix].high);
    }
}

IN_FOLDER(what_is_saved_comes_back) {
    const char *path = own_path("machine.tsv");
    const spw_machine m = example();
    spw_machine r;
    assert_ok(spw_machine_save(&m, path));
    assert_ok(spw_machine_load(path, &r));
    assert_string_equal(r.topology.cpu, m.topology.cpu);
    assert_int_equal(r.topology.cores, 4);
    assert_int_equal(r.topology.threads, 8);
    assert_int_equal(r.topology.numa_nodes, 2);
    assert_int_equal(r.topology.sockets, 1);
    assert_true(r.topology.l1 == m.topology.l1 && r.topology.l2 == m.topology.l2);
    assert_true(r.topology.l3 == m.topology.l3 && r.topology.l3_count == 2);
    assert_true(r.topology.memory == m.topology.memory);
    assert_int_equal(r.topology.is_virtual, 1);
    assert_string_equal(r.date, m.date);
    assert_string_equal(r.compiler, m.compiler);
    assert_int_equal(r.threads, 8);
    assert_int_equal(r.quick, 1);
    assert_true(r.waited == m.waited);
    assert_true(r.peak_one == m.peak_one && r.peak_all == m.peak_all);
    for (int l = 0; l < SPW_LEVELS; l++) {
        assert_true(r.level[l].bytes == m.level[l].bytes);
        assert_rates_equal(r.level[l].rate, m.level[l].rate);
    }
    assert_int_equal(r.n_stairs, m.n_stairs);
    assert_int_equal(r.n_saturation, m.n_saturation);
    for (int i = 0; i < m.n_stairs; i++) {
        assert_true(r.stair[i].bytes == m.stair[i].bytes);
        assert_rates_equal(r.stair[i].rate, m.stair[i].rate);
    }
    for (int i = 0; i < m.n_saturation; i++) {
        assert_int_equal(r.saturation[i].threads, m.saturation[i].threads);
        assert_rates_equal(r.saturation[i].rate, m.saturation[i].rate);
    }
}

IN_FOLDER(saving_replaces_and_leaves_nothing_else) {
    const char *path = own_path("machine.tsv");
    spw_machine m = example(), r;
    assert_ok(spw_machine_save(&m, path));
    m.peak_all = 7e11;
    assert_ok(spw_machine_save(&m, path));
    assert_ok(spw_machine_load(path, &r));
    assert_true(r.peak_all == 7e11);
    assert_int_equal(files_in(own_folder()), 1);
}

IN_FOLDER(a_folder_that_is_missing_is_an_error_with_its_path) {
    const spw_machine m = example();
    assert_error(spw_machine_save(&m, own_path("no/machine.tsv")), SPW_ERR_FILE, "no/machine.tsv");
}

/* A full disk shows when the buffer is flushed; /dev/full plays it. The old file survives. */
IN_FOLDER(a_full_disk_leaves_the_old_file) {
    const char *path = own_path("machine.tsv");
    char partial[512];
    spw_machine m = example(), r;
    assert_ok(spw_machine_save(&m, path));
    if (access("/dev/full", W_OK)) {
        print_message("no /dev/full here: a full disk cannot be played\n");
        skip();
    }
    snprintf(partial, sizeof partial, "%s.partial.%ld", path, (long)getpid());
    assert_int_equal(symlink("/dev/full", partial), 0);
    m.peak_all = 7e11;
    assert_int_equal(spw_machine_save(&m, path), SPW_ERR_FILE);
    assert_ok(spw_machine_load(path, &r));
    assert_true(r.peak_all == 4e11);
    assert_int_equal(files_in(own_folder()), 1);
}

IN_FOLDER(no_file_is_an_error_that_says_what_to_do) {
    spw_machine r;
    assert_error(spw_machine_load(own_path("none.tsv"), &r), SPW_ERR_FILE, "make machine");
    assert_int_equal(r.threads, 0);
}

/* --- damage -------------------------------------------------------------------------------------- */

/* The text of a file that was saved. */
static size_t saved(char *text) {
    const char *path = own_path("machine.tsv");
    const spw_machine m = example();
    size_t length;
    assert_ok(spw_machine_save(&m, path));
    const char *whole = text_of_file(path, &length);
    assert_true(length < MAX_TEXT);
    memcpy(text, whole, length + 1);
    return length;
}

static void refused(const char *text, size_t length) {
    spw_machine r;
    const char *path = put_file("machine.tsv", text, length);
    assert_error(spw_machine_load(path, &r), SPW_ERR_FORMAT, "make machine");
    assert_int_equal(r.threads, 0);
    assert_int_equal(r.n_stairs, 0);
}

IN_FOLDER(any_changed_byte_is_noticed) {
    static char text[MAX_TEXT];
    const size_t length = saved(text);
    for (size_t i = 0; i < length; i += 7) {
        const char kept = text[i];
        text[i] = kept == '3' ? '4' : '3';
        refused(text, length);
        text[i] = kept;
    }
    text[length / 2] = 0; /* a NUL byte */
    refused(text, length);
}

IN_FOLDER(a_file_cut_off_anywhere_is_refused) {
    static char text[MAX_TEXT];
    const size_t length = saved(text);
    for (size_t cut = 0; cut < length; cut += cut + 30 < length ? 11 : 1) {
        refused(text, cut);
    }
}

IN_FOLDER(bytes_behind_the_end_are_refused) {
    static char text[MAX_TEXT];
    size_t length = saved(text);
    text[length++] = '\n';
    refused(text, length);
}

IN_FOLDER(another_version_is_named) {
    const char *later = "# spw-machine 2\ncpu\tx\ncheck\t0\n", *other = "name\tvalue\n";
    refused(later, strlen(later));
    assert_says(spw_message(), "version 2");
    assert_says(spw_message(), "reads 1");
    refused(other, strlen(other));
    assert_says(spw_message(), "not a machine file");
    refused("", 0);
}

IN_FOLDER(a_folder_in_place_of_the_file_is_an_error) {
    spw_machine r;
    assert_int_equal(spw_machine_load(own_folder(), &r), SPW_ERR_FILE);
    assert_int_equal(r.threads, 0);
}

IN_FOLDER(no_memory_is_an_error) {
    const char *path = own_path("machine.tsv");
    const spw_machine m = example();
    spw_machine r;
    assert_ok(spw_machine_save(&m, path));
    spw_memory_fail_after(0);
    const spw_status status = spw_machine_load(path, &r);
    spw_memory_fail_after(-1);
    assert_int_equal(status, SPW_ERR_MEMORY);
}

/* --- arithmetic ---------------------------------------------------------------------------------- */

TEST(levels_are_where_their_sizes_put_them) {
    int64_t bytes[SPW_LEVELS];
    const spw_topology t = {
        .cores = 8, .threads = 16, .l1 = 32768, .l2 = 1 << 20, .l3 = 32 << 20, .l3_count = 2};
    spw_machine_level_sizes(&t, 16, 400000000, bytes);
    assert_true(bytes[SPW_L1] == 8 * 16384);
    assert_true(bytes[SPW_L2] == 4 << 20);
    assert_true(bytes[SPW_L3] == 32 << 20);
    assert_true(bytes[SPW_MEMORY] == 400000000);
    spw_machine_level_sizes(&t, 1, 400000000, bytes); /* one thread has one L1 and one L2 */
    assert_true(bytes[SPW_L1] == 16384);
    assert_true(bytes[SPW_L2] == 1 << 19);
    assert_true(bytes[SPW_L3] == 4 << 20);
}

TEST(an_absurd_l3_is_used_no_further_than_it_can_be_trusted) {
    int64_t bytes[SPW_LEVELS];
    const spw_topology t = {.cores = 2,
                            .threads = 2,
                            .l1 = 49152,
                            .l2 = 1 << 20,
                            .l3 = 480 << 20,
                            .l3_count = 1,
                            .is_virtual = 1};
    spw_machine_level_sizes(&t, 2, 256000000, bytes);
    assert_true(bytes[SPW_L3] == 8 << 20);
}

TEST(unknown_and_useless_levels_are_left_out) {
    int64_t bytes[SPW_LEVELS];
    const spw_topology unknown = {.cores = 2, .threads = 2};
    spw_machine_level_sizes(&unknown, 2, 256000000, bytes);
    assert_true(bytes[SPW_L1] == 0 && bytes[SPW_L2] == 0 && bytes[SPW_L3] == 0);
    assert_true(bytes[SPW_MEMORY] == 256000000);
    /* L3 as large as all L2 together adds no level of its own. */
    const spw_topology victim = {
        .cores = 8, .threads = 8, .l1 = 32768, .l2 = 1 << 20, .l3 = 8 << 20, .l3_count = 1};
    spw_machine_level_sizes(&victim, 8, 256000000, bytes);
    assert_true(bytes[SPW_L2] > 0 && bytes[SPW_L3] == 0);
}

/* --- measuring ----------------------------------------------------------------------------------- */

static void watch(void *context, double done, const char *what) {
    double *last = context;
    assert_true(done >= *last && done <= 1);
    assert_true(strlen(what) > 0);
    *last = done;
}

IN_FOLDER(a_quick_measurement_is_complete) {
    const char *path = own_path("machine.tsv");
    spw_machine m, r;
    double done = 0;
    assert_ok(spw_machine_measure(1, 1, watch, &done, &m));
    assert_true(done == 1);
    assert_int_equal(m.threads, 1);
    assert_true(m.peak_one > 0 && m.peak_all == m.peak_one);
    for (int mix = 0; mix < SPW_MIXES; mix++) {
        const spw_rate *b = &m.level[SPW_MEMORY].rate[mix];
        assert_true(0 < b->low && b->low <= b->median && b->median <= b->high);
    }
    assert_true(m.n_stairs >= 3 && m.n_saturation == 1);
    for (int i = 1; i < m.n_stairs; i++) assert_true(m.stair[i].bytes > m.stair[i - 1].bytes);
    assert_true(strlen(m.date) == 16 && strlen(m.compiler) > 4);
    assert_ok(spw_machine_save(&m, path));
    assert_ok(spw_machine_load(path, &r));
    assert_int_equal(r.n_stairs, m.n_stairs);
}

TEST(threads_below_one_are_refused) {
    spw_machine m;
    assert_int_equal(spw_machine_measure(-1, 1, NULL, NULL, &m), SPW_ERR_ARG);
}

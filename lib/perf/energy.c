/* The counters of energy. A count is a whole number that grows, in units of its own, and some begin at 0 again. */
#define _GNU_SOURCE /* syscall */
#include "perf/energy.h"

#include "perf/cpu_time.h"
#include "perf/timer.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* --- reading one ----------------------------------------------------------------------------------- */

/* The first line of a file, without its newline; 0, or errno. */
static int read_line(const char *path, char *line, int size) {
    errno = 0;
    FILE *file = fopen(path, "r");
    if (!file) return errno;
    const bool found = fgets(line, size, file) != NULL;
    const int error = errno;
    fclose(file);
    if (!found) return error ? error : EIO;
    line[strcspn(line, "\n")] = 0;
    return 0;
}

static bool read_count(const char *text, unsigned long long *count) {
    char *end;
    if (*text < '0' || *text > '9') return false;
    *count = strtoull(text, &end, 10);
    return *end == 0;
}

static spw_status count_of(const spw_meter *m, const spw_meter_source *s,
                           unsigned long long *count) {
    char line[64];
    int error = 0;
    switch (s->kind) {
    case SPW_POWERCAP:
        error = read_line(s->path, line, sizeof line);
        if (!error && !read_count(line, count))
            return spw_error(SPW_ERR_FILE, "%s: '%.20s' is no count of energy", s->path, line);
        break;
    case SPW_PERF:
        errno = 0;
        if (read(s->file, count, sizeof *count) != (ssize_t)sizeof *count)
            error = errno ? errno : EIO;
        break;
    case SPW_NVML:
        if (m->nvml_joules(s->device, count)) error = ENODEV;
        break;
    }
    if (!error) return SPW_OK;
    return spw_error(SPW_ERR_FILE, "the energy counter %s vanished while it was read: %s",
                     s->kind == SPW_POWERCAP ? s->path : s->name, strerror(error));
}

/* Its first count; only a counter that counts is taken. */
static void take(spw_meter *m, spw_meter_source s) {
    if (m->n < SPW_METER_SOURCES && !count_of(m, &s, &s.last)) m->source[m->n++] = s;
}

/* --- powercap -------------------------------------------------------------------------------------- */

/* A package counts its cores, too; the whole board (psys) counts the packages again. */
static bool is_counted(const char *name) {
    return strncmp(name, "package", 7) == 0 || strcmp(name, "dram") == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* intel-rapl:0 is a package, intel-rapl:0:2 its memory; AMD's have the same names. */
static int is_zone(const struct dirent *d) { return strncmp(d->d_name, "intel-rapl:", 11) == 0; }

/* True: one is there and may not be read. */
static bool open_powercap(const char *sys, spw_meter *m) {
    char folder[128], path[512], line[64];
    struct dirent **zones;
    bool refused = false;
    snprintf(folder, sizeof folder, "%.100s/class/powercap", sys);
    const int n = scandir(folder, &zones, is_zone, by_name);
    for (int k = 0; k < n; k++) {
        spw_meter_source s = {.kind = SPW_POWERCAP, .unit = 1e-6};
        snprintf(path, sizeof path, "%s/%.64s/name", folder, zones[k]->d_name);
        const bool wanted = !read_line(path, s.name, sizeof s.name) && is_counted(s.name);
        snprintf(path, sizeof path, "%s/%.64s/max_energy_range_uj", folder, zones[k]->d_name);
        if (wanted && !read_line(path, line, sizeof line)) (void)read_count(line, &s.range);
        snprintf(s.path, sizeof s.path, "%s/%.64s/energy_uj", folder, zones[k]->d_name);
        if (wanted) {
            const int error = read_line(s.path, line, sizeof line);
            if (!error) take(m, s);
            if (error == EACCES || error == EPERM) refused = true;
        }
        free(zones[k]);
    }
    if (n >= 0) free(zones);
    return refused;
}

/* --- perf's power events --------------------------------------------------------------------------- */

static int open_event(unsigned type, unsigned long long config, int cpu) {
    struct perf_event_attr event = {.type = type, .size = sizeof event, .config = config};
    return (int)syscall(SYS_perf_event_open, &event, -1, cpu, -1, 0UL);
}

/* energy-pkg on each processor of cpumask, "0,32": one of each package. */
static bool open_power_events(const spw_meter_places *places, spw_meter *m) {
    static const char *const events[] = {"energy-pkg", "energy-ram"};
    char folder[160], path[240], line[128], cpus[128];
    unsigned type, config;
    bool refused = false;
    snprintf(folder, sizeof folder, "%.100s/bus/event_source/devices/power", places->sys);
    snprintf(path, sizeof path, "%s/type", folder);
    if (read_line(path, line, sizeof line) || sscanf(line, "%u", &type) != 1) return false;
    snprintf(path, sizeof path, "%s/cpumask", folder);
    if (read_line(path, cpus, sizeof cpus)) return false;
    for (int k = 0; k < 2; k++) {
        spw_meter_source s = {.kind = SPW_PERF};
        snprintf(path, sizeof path, "%s/events/%s", folder, events[k]);
        if (read_line(path, line, sizeof line) || sscanf(line, "event=%x", &config) != 1) continue;
        snprintf(path, sizeof path, "%s/events/%s.scale", folder, events[k]);
        if (read_line(path, line, sizeof line) || !((s.unit = atof(line)) > 0)) continue;
        for (char *at = cpus; *at >= '0' && *at <= '9'; at += strspn(at, ",-")) {
            const int cpu = (int)strtol(at, &at, 10);
            snprintf(s.name, sizeof s.name, "%s of CPU %d", events[k], cpu);
            s.file = places->open_event(type, config, cpu);
            if (s.file < 0) {
                refused |= errno == EACCES || errno == EPERM;
                continue;
            }
            const int before = m->n;
            take(m, s);
            if (m->n == before) close(s.file);
        }
    }
    return refused;
}

/* --- GPUs ------------------------------------------------------------------------------------------ */

static bool find(void *library, const char *name, void *function, size_t size) {
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, size); /* C knows no conversion between the two kinds of pointers */
    return symbol != NULL;
}
#define FIND(library, name, function) find(library, name, &(function), sizeof(function))

static void open_nvml(const char *name, spw_meter *m) {
    int (*init)(void), (*count)(unsigned *), (*handle)(unsigned, void **);
    unsigned n = 0;
    m->nvml = dlopen(*name ? name : NULL, RTLD_NOW | RTLD_LOCAL);
    if (!m->nvml) return;
    if (FIND(m->nvml, "nvmlInit_v2", init) && FIND(m->nvml, "nvmlDeviceGetCount_v2", count) &&
        FIND(m->nvml, "nvmlDeviceGetHandleByIndex_v2", handle) &&
        FIND(m->nvml, "nvmlDeviceGetTotalEnergyConsumption", m->nvml_joules) && !init())
        if (!count(&n))
            for (unsigned k = 0; k < n; k++) {
                spw_meter_source s = {.kind = SPW_NVML, .unit = 1e-3};
                snprintf(s.name, sizeof s.name, "GPU %u", k);
                if (!handle(k, &s.device)) take(m, s);
            }
}

/* --- all ------------------------------------------------------------------------------------------- */

static const char *const kinds[] = {"powercap", "perf", "NVML"};

/* "package-0 and dram (powercap), GPU 0 (NVML)" */
static void say_how(spw_meter *m) {
    size_t at = 0;
    for (int k = 0; k < m->n && at < sizeof m->how - 60; k++) {
        const bool first = k == 0 || m->source[k - 1].kind != m->source[k].kind;
        const bool last = k + 1 == m->n || m->source[k + 1].kind != m->source[k].kind;
        at += (size_t)snprintf(m->how + at, sizeof m->how - at, "%s%s",
                               k == 0  ? ""
                               : first ? ", "
                               : last  ? " and "
                                       : ", ",
                               m->source[k].name);
        if (last)
            at += (size_t)snprintf(m->how + at, sizeof m->how - at, " (%s)",
                                   kinds[m->source[k].kind]);
    }
}

void spw_meter_open(const spw_meter_places *places, spw_meter *m) {
    static const spw_meter_places usual = {"/sys", "libnvidia-ml.so.1", open_event};
    if (!places) places = &usual;
    *m = (spw_meter){.state = SPW_METER_ABSENT};
    const bool closed = open_powercap(places->sys, m);
    const bool refused = (m->n == 0 && open_power_events(places, m)) || closed;
    open_nvml(places->nvml, m);
    say_how(m);
    if (m->n) {
        m->state = SPW_METER_COUNTS;
        snprintf(m->text, sizeof m->text, "%s%s", m->how,
                 refused ? "; more is there, for root only" : "");
    } else if (refused && closed) {
        m->state = SPW_METER_REFUSED;
        snprintf(m->text, sizeof m->text,
                 "there, not allowed: energy_uj is readable for root only.\n"
                 "Until the next boot: sudo chmod a+r %s/class/powercap/*/energy_uj",
                 places->sys);
    } else if (refused) {
        m->state = SPW_METER_REFUSED;
        snprintf(m->text, sizeof m->text,
                 "there, not allowed: perf's power events are for root only.\n"
                 "Until the next boot: sudo sysctl kernel.perf_event_paranoid=0");
    } else {
        snprintf(m->text, sizeof m->text,
                 "not here: no powercap, no power PMU, no NVML.\n"
                 "Virtual machines show none: no joule is measured on this one.");
    }
}

void spw_meter_close(spw_meter *m) {
    for (int k = 0; k < m->n; k++)
        if (m->source[k].kind == SPW_PERF) close(m->source[k].file);
    if (m->nvml) dlclose(m->nvml);
    *m = (spw_meter){.state = SPW_METER_ABSENT};
}

spw_status spw_meter_read(spw_meter *m, double *host, double *gpu) {
    *host = *gpu = 0;
    if (m->n == 0) return spw_error(SPW_ERR_UNAVAILABLE, "no counter of energy can be read here");
    double sum[2] = {0, 0};
    for (int k = 0; k < m->n; k++) {
        spw_meter_source *s = &m->source[k];
        unsigned long long now = 0;
        const spw_status status = count_of(m, s, &now);
        if (status) return status;
        if (now < s->last && s->range < s->last)
            return spw_error(SPW_ERR_FILE, "the energy counter %s went back, from %llu to %llu",
                             s->kind == SPW_POWERCAP ? s->path : s->name, s->last, now);
        const unsigned long long counts = now >= s->last ? now - s->last : s->range - s->last + now;
        s->joules += s->unit * (double)counts;
        s->last = now;
        sum[s->kind == SPW_NVML] += s->joules;
    }
    *host = sum[0];
    *gpu = sum[1];
    return SPW_OK;
}

spw_status spw_meter_run(spw_meter *m, double seconds, void (*work)(void *context), void *context,
                         spw_meter_span *span) {
    double host, gpu, stolen;
    *span = (spw_meter_span){0};
    spw_status status = spw_meter_read(m, &host, &gpu);
    if (status) return status;
    const spw_usage before = spw_usage_read();
    const double begin = spw_now();
    spw_meter_span s = {0};
    do {
        if (work) {
            work(context);
            s.calls++;
        } else {
            nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        }
        s.seconds = spw_now() - begin;
    } while (s.seconds < seconds);
    status = spw_meter_read(m, &s.host, &s.gpu);
    if (status) return status;
    s.host -= host;
    s.gpu -= gpu;
    spw_usage_of_others(&before, &s.others, &stolen);
    s.others += stolen;
    *span = s;
    return SPW_OK;
}

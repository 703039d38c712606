/* Measures this machine's roofline. The file format is in machine_file.c. */
#include "perf/machine.h"

#include "base/threads.h"
#include "perf/timer.h"
#include "perf/working_set.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

const char *spw_level_name(spw_level level) {
    static const char *const names[] = {"L1", "L2", "L3", "memory"};
    return names[level];
}

void spw_machine_level_sizes(const spw_topology *t, int threads, int64_t memory,
                             int64_t bytes[SPW_LEVELS]) {
    const int64_t cores = threads < t->cores ? threads : t->cores;
    const int64_t l1 = cores * t->l1, l2 = cores * t->l2, l3 = t->l3 * t->l3_count;
    const int64_t part = l3 / 2 < 4 * l2 ? l3 / 2 : 4 * l2;
    bytes[SPW_L1] = l1 / 2;
    bytes[SPW_L2] = l2 >= 3 * l1 ? l2 / 2 : 0; /* half of it must be more than all of L1 */
    bytes[SPW_L3] = l2 > 0 && 2 * part >= 3 * l2 ? part : 0;
    bytes[SPW_MEMORY] = memory;
}

/* How far a measurement is. */
typedef struct journey {
    spw_machine_progress *progress;
    void *context;
    int steps, done;
    int samples, waited; /* of all runs, and those in which a thread waited for a core */
} journey;

static void say(const journey *j, const char *what) {
    if (j->progress) j->progress(j->context, (double)j->done / j->steps, what);
}

/* The median over samples in which all threads had their cores all the time. On a machine with other
 * users it is otherwise theirs that is measured: a roof is what the machine does while it is ours. Where
 * such samples are too rare, the time that threads did have a core stands in: right for caches, too
 * good for the memory, because the threads hardly ever used it at the same time. */
static spw_rate rate_of(spw_probe *p, journey *j) {
    enum { ENOUGH = 15, LEAST = 5, MOST = 40 };
    double together[MOST], alone[MOST];
    const double begin = spw_now();
    int n_together = 0, n = 0;
    while (n_together < ENOUGH && n < MOST && (n < LEAST || spw_now() - begin < 0.2)) {
        const double seconds = spw_probe_run(p);
        alone[n++] = spw_probe_traffic(p) / p->busy;
        if (seconds < 1.1 * p->busy) together[n_together++] = spw_probe_traffic(p) / seconds;
    }
    j->samples += n;
    j->waited += n - n_together;
    const int use = n_together >= LEAST || n_together == n;
    spw_rate rate;
    rate.median = spw_median(use ? together : alone, use ? n_together : n, &rate.low, &rate.high);
    return rate;
}

static spw_status measure_rate(spw_mix mix, int64_t bytes, int threads, journey *j,
                               spw_rate *rate) {
    char what[96];
    spw_probe p;
    snprintf(what, sizeof what, "%s, %.3g MB, %d thread%s", spw_mix_name(mix), (double)bytes * 1e-6,
             threads, threads > 1 ? "s" : "");
    say(j, what);
    const spw_status status = spw_probe_create(mix, bytes, threads, &p);
    if (status) return status;
    *rate = rate_of(&p, j);
    spw_probe_destroy(&p);
    j->done++;
    return SPW_OK;
}

/* Every size twice as large as the one before (quick: four times), with one in between. */
static int plan_stairs(int64_t from, int64_t to, int quick, int64_t *bytes) {
    int n = 0;
    const double factor = quick ? 4 : sqrt(2);
    for (double size = (double)from; n < SPW_STAIRS_MAX - 1 && size < 0.99 * (double)to;
         size *= factor)
        bytes[n++] = (int64_t)size;
    bytes[n++] = to;
    return n;
}

/* 1 2 3 4 6 8 12 16 24 ... and all (quick: 1 2 4 8 ... and all). */
static int plan_threads(int all, int quick, int *threads) {
    int n = 0;
    for (int power = 1; power < all && n < SPW_SATURATION_MAX - 2; power *= 2) {
        threads[n++] = power;
        if (!quick && power > 1 && power / 2 * 3 < all) threads[n++] = power / 2 * 3;
    }
    threads[n++] = all;
    return n;
}

static void sign(spw_machine *m) {
    const time_t now = time(NULL);
    struct tm local = {0};
    localtime_r(&now, &local);
    strftime(m->date, sizeof m->date, "%Y-%m-%d %H:%M", &local);
#if defined(__clang__)
    snprintf(m->compiler, sizeof m->compiler, "clang %d.%d.%d", __clang_major__, __clang_minor__,
             __clang_patchlevel__);
#else
    snprintf(m->compiler, sizeof m->compiler, "gcc %d.%d.%d", __GNUC__, __GNUC_MINOR__,
             __GNUC_PATCHLEVEL__);
#endif
}

spw_status spw_machine_measure(int threads, int quick, spw_machine_progress *progress,
                               void *context, spw_machine *m) {
    spw_status status = SPW_OK;
    int64_t level[SPW_LEVELS], stair[SPW_STAIRS_MAX];
    int team[SPW_SATURATION_MAX];
    *m = (spw_machine){0};
    if (threads < 0) return spw_error(SPW_ERR_ARG, "%d threads, must be at least 1", threads);

    m->topology = spw_topology_read();
    m->threads = threads > 0 ? threads : spw_max_threads();
    m->quick = quick;
    sign(m);
    spw_machine_level_sizes(&m->topology, m->threads, spw_default_working_set(), level);
    m->n_stairs = plan_stairs((int64_t)8192 * m->threads, level[SPW_MEMORY], quick, stair);
    m->n_saturation = plan_threads(m->threads, quick, team);

    const int curves = quick ? 1 : SPW_CURVES;
    journey j = {.progress = progress, .context = context};
    j.steps = 1 + curves * (m->n_stairs + m->n_saturation);
    for (int l = 0; l < SPW_LEVELS; l++) j.steps += level[l] > 0 ? SPW_MIXES : 0;

    say(&j, "peak flops");
    m->peak_one = spw_peak_flops(1);
    m->peak_all = m->threads > 1 ? spw_peak_flops(m->threads) : m->peak_one;
    j.done++;

    for (int l = 0; l < SPW_LEVELS; l++) {
        if (level[l] == 0) continue;
        m->level[l].bytes = level[l];
        for (int mix = 0; mix < SPW_MIXES; mix++) {
            status = measure_rate((spw_mix)mix, level[l], m->threads, &j, &m->level[l].rate[mix]);
            if (status) goto out;
        }
    }
    for (int i = 0; i < m->n_stairs; i++) {
        m->stair[i].bytes = stair[i];
        for (int mix = 0; mix < curves; mix++) {
            status = measure_rate((spw_mix)mix, stair[i], m->threads, &j, &m->stair[i].rate[mix]);
            if (status) goto out;
        }
    }
    for (int i = 0; i < m->n_saturation; i++) {
        m->saturation[i].threads = team[i];
        for (int mix = 0; mix < curves; mix++) {
            status = measure_rate((spw_mix)mix, level[SPW_MEMORY], team[i], &j,
                                  &m->saturation[i].rate[mix]);
            if (status) goto out;
        }
    }
    m->waited = (double)j.waited / j.samples;
    say(&j, "done");
out:
    if (status) *m = (spw_machine){0};
    return status;
}

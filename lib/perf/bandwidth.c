/* Probes of bandwidth: the arrays, the choice of the kernel, one sample. The loops themselves are in
 * bandwidth_kernels.c. */
#include "perf/bandwidth.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "perf/bandwidth_kernels.h"
#include "perf/cpu_time.h"
#include "perf/timer.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum {
    MAX_ROWS = 32,    /* of one mix */
    FIRST_ROUNDS = 4, /* all rows, then the losers go */
    FINALISTS = 5,
    FINAL_ROUNDS = 9,
    LOOK = 4 << 20 /* doubles in all: 32 MiB show how fast memory is */
};
static const double RUN_SECONDS = 1.2e-3, TRIAL_SECONDS = 0.7e-3, TRIALS_SECONDS = 0.25;

/* What the mixes are. */
static const struct {
    const char *name;
    int arrays, loads, stores;
} mixes[] = {
    [SPW_LOAD] = {"load", 1, 1, 0},   [SPW_COPY] = {"copy", 2, 1, 1},
    [SPW_TRIAD] = {"triad", 3, 2, 1}, [SPW_UPDATE] = {"update", 1, 1, 1},
    [SPW_AXPY] = {"axpy", 2, 2, 1},
};
_Static_assert(sizeof mixes / sizeof *mixes == SPW_AXPY + 1, "each mix has its row");

const char *spw_mix_name(spw_mix mix) { return mixes[mix].name; }

spw_mix spw_mix_for(spw_cost cost, bool in_place) {
    const double bytes = spw_cost_bytes(cost), share = bytes > 0 ? cost.store / bytes : 0;
    if (share < 1.0 / 6) return SPW_LOAD; /* halfway between 0 and 1/3 */
    if (share < 5.0 / 12) return in_place ? SPW_AXPY : SPW_TRIAD;
    return in_place ? SPW_UPDATE : SPW_COPY;
}

/* The part of the arrays that belongs to this thread of the team. */
static spw_share share_of(const spw_probe *p, int thread, int threads) {
    const int64_t grains = p->n / SPW_PROBE_GRAIN;
    const int64_t begin = spw_part_begin(grains, thread, threads) * SPW_PROBE_GRAIN;
    const int64_t end = spw_part_begin(grains, thread + 1, threads) * SPW_PROBE_GRAIN;
    return (spw_share){.a = p->a + begin,
                       .b = p->b ? p->b + begin : NULL,
                       .c = p->c ? p->c + begin : NULL,
                       .s = -1, /* update may go on for ever: a changes its sign and nothing else */
                       .n = end - begin,
                       .sweeps = 1};
}

/* Each page is placed in the memory of the thread that writes it first. */
static void touch(spw_probe *p) {
#pragma omp parallel num_threads(p->threads)
    {
        const spw_share share = share_of(p, spw_thread(), spw_team_size());
        double *const arrays[] = {share.a, (double *)share.b, (double *)share.c};
        for (int k = 0; k < mixes[p->mix].arrays; k++)
            for (int64_t i = 0; i < share.n; i++) arrays[k][i] = k + 1;
    }
}

/* What a run covers: the whole share of each thread, or a window of it. */
typedef struct span {
    int64_t offset, length; /* doubles of each share; length 0 means the whole share */
    int64_t sweeps;         /* 0: nothing */
} span;

/* Two readings of one run. span goes from the first thread's start to the last one's end: a thread
 * that has to wait for a core makes it longer, as it does for every kernel. busy is the longest that
 * one thread had a core for its part: where others use the cores, too, span says more about them than
 * about the kernel, and whatever is chosen or counted beforehand goes by busy. */
typedef struct reading {
    double span, busy;
} reading;

static double run_share(const spw_probe_kernel *kernel, spw_share share, span part) {
    share.sweeps = part.sweeps;
    if (part.length) {
        share.a += part.offset;
        if (share.b) share.b += part.offset;
        if (share.c) share.c += part.offset;
        share.n = part.length;
    }
    return part.sweeps ? kernel->run(&share) : 0;
}

/* Without a barrier each thread times what it does whenever it gets to it, which costs less where
 * threads have to wait for a core. lead runs before, untimed. */
static reading run(spw_probe *p, const spw_probe_kernel *kernel, span lead, span part,
                   bool barrier) {
    double begin = INFINITY, end = 0, busy = 0, sum = 0;
#pragma omp parallel num_threads(p->threads) reduction(min : begin) reduction(max : end, busy)     \
    reduction(+ : sum)
    {
        const spw_share share = share_of(p, spw_thread(), spw_team_size());
        (void)run_share(kernel, share, lead);
        if (barrier) {
#pragma omp barrier
        }
        begin = spw_now();
        busy = -spw_cpu_time();
        sum = run_share(kernel, share, part);
        busy += spw_cpu_time();
        end = spw_now();
    }
    p->sum = sum;
    return (reading){.span = end - begin, .busy = busy};
}

/* The windows of a large working set are visited one after the other, by whichever kernel is due, so
 * that what one of them finds in a cache is not what another has just left there. */
static span next_window(span *part, int64_t share) {
    const span now = *part;
    if (part->length) {
        part->offset += part->length;
        if (part->offset + part->length > share) part->offset = 0;
    }
    return now;
}

/* One timed run after an untimed one of the same kernel, which brings the caches into the state that
 * this kernel leaves: streaming stores empty them, ordinary ones leave lines to be written back. */
static double trial(spw_probe *p, const spw_probe_kernel *kernel, span *part, int64_t share) {
    span lead = next_window(part, share);
    if (!lead.length && lead.sweeps > 1) lead.sweeps = 2; /* that is enough for a small share */
    return run(p, kernel, lead, next_window(part, share), false).busy;
}

/* The shortest of three: a thread that lost its core for a while says nothing about the kernel. */
static double quick_look(spw_probe *p, const spw_probe_kernel *kernel, span *part, int64_t share) {
    double shortest = INFINITY;
    for (int k = 0; k < 3; k++) shortest = fmin(shortest, trial(p, kernel, part, share));
    return shortest;
}

/* Sweeps over the whole share that keep one thread alone busy that long: a first guess which costs no
 * waiting for other threads. */
static int64_t sweeps_alone(const spw_probe *p, const spw_probe_kernel *kernel, double seconds) {
    const spw_share share = share_of(p, 0, p->threads);
    span part = {.sweeps = 1};
    for (;;) {
        const double begin = spw_cpu_time();
        const double sum = run_share(kernel, share, part);
        const double took = spw_cpu_time() - begin;
        if (took >= 0.5 * seconds || !isfinite(sum)) return part.sweeps;
        part.sweeps = (int64_t)ceil((double)part.sweeps * fmin(10, fmax(1.5, seconds / took)));
    }
}

/* Sweeps over the whole share that last at least that long, from a guess upward. */
static int64_t sweeps_for(spw_probe *p, const spw_probe_kernel *kernel, double seconds,
                          int64_t guess) {
    span part = {.sweeps = guess};
    for (;;) {
        const double took = quick_look(p, kernel, &part, 0);
        if (took >= seconds) return part.sweeps;
        const double more = fmin(10, fmax(1.1, 1.1 * seconds / took));
        part.sweeps = (int64_t)ceil((double)part.sweeps * more);
    }
}

/* A span that takes about TRIAL_SECONDS: many sweeps over a small share, or a window of a large one, at
 * most half of it. */
static span span_of_trial(spw_probe *p, const spw_probe_kernel *kernel, int64_t share) {
    const int64_t look = LOOK / p->threads;
    if (share <= look) {
        const int64_t guess = sweeps_alone(p, kernel, TRIAL_SECONDS);
        return (span){.sweeps = sweeps_for(p, kernel, TRIAL_SECONDS, guess)};
    }
    span part = {.length = (look / SPW_PROBE_GRAIN + 1) * SPW_PROBE_GRAIN, .sweeps = 1};
    const double speed = (double)part.length / quick_look(p, kernel, &part, share);
    const int64_t grains = (int64_t)(speed * TRIAL_SECONDS) / SPW_PROBE_GRAIN + 1;
    return (span){.length = 2 * grains * SPW_PROBE_GRAIN < share ? grains * SPW_PROBE_GRAIN : 0,
                  .sweeps = 1};
}

/* Plays rounds of all rows in alive[0..count-1], each round in a new order, and sorts alive by the
 * time relative to the round: a neighbour who takes half the memory bandwidth for a while changes
 * rounds, not ranks. Quartiles, because where several people share the cores more than half of the
 * samples may be spoilt. score[i] is that of alive[i], the best first. */
static void play(spw_probe *p, int *alive, int count, int rounds, span *part, int64_t share,
                 double *score) {
    int n_rows, played = 0;
    const spw_probe_kernel *kernels = spw_probe_kernels(&n_rows);
    double ratio[MAX_ROWS][FINAL_ROUNDS];
    const double begin = spw_now();
    while (played < rounds && (played == 0 || spw_now() - begin < 0.5 * TRIALS_SECONDS)) {
        int order[MAX_ROWS];
        double sorted[MAX_ROWS];
        for (int i = 0; i < count; i++) { /* a random permutation, built from the left */
            const int at = (int)spw_random_below((uint64_t)played, (uint64_t)i, i + 1);
            order[i] = i;
            order[i] = order[at];
            order[at] = i;
        }
        for (int i = 0; i < count; i++) {
            const int row = order[i];
            sorted[i] = ratio[row][played] = trial(p, &kernels[alive[row]], part, share);
        }
        const double usual = spw_quartile(sorted, count, NULL, NULL);
        for (int i = 0; i < count; i++) ratio[i][played] /= usual;
        played++;
    }
    for (int i = 0; i < count; i++) score[i] = spw_quartile(ratio[i], played, NULL, NULL);
    for (int i = 1; i < count; i++) /* insertion sort */
        for (int k = i; k > 0 && score[k] < score[k - 1]; k--) {
            const double s = score[k];
            const int row = alive[k];
            score[k] = score[k - 1], score[k - 1] = s;
            alive[k] = alive[k - 1], alive[k - 1] = row;
        }
}

/* Tries all rows of the mix and keeps the fastest. */
static void choose(spw_probe *p) {
    int n_rows, alive[MAX_ROWS], count = 0;
    double score[MAX_ROWS];
    const spw_probe_kernel *kernels = spw_probe_kernels(&n_rows);
    for (int row = 0; row < n_rows && count < MAX_ROWS; row++)
        if (kernels[row].mix == p->mix) alive[count++] = row;

    const int64_t share = p->n / SPW_PROBE_GRAIN / p->threads * SPW_PROBE_GRAIN; /* the shortest */
    span part = span_of_trial(p, &kernels[alive[0]], share);
    play(p, alive, count, FIRST_ROUNDS, &part, share, score);
    int finalists = 1;
    while (finalists < FINALISTS && finalists < count && score[finalists] < 1.25 * score[0])
        finalists++;
    if (finalists > 1) play(p, alive, finalists, FINAL_ROUNDS, &part, share, score);

    p->variant = alive[0];
    p->kernel = kernels[p->variant].name;
    p->sweeps = 1; /* a large share takes longer than a run has to */
    if (!part.length) {
        const double more = 1.2 * RUN_SECONDS / TRIAL_SECONDS;
        const int64_t guess = (int64_t)ceil(more * (double)part.sweeps);
        p->sweeps = sweeps_for(p, &kernels[p->variant], RUN_SECONDS, guess);
    }
}

spw_status spw_probe_create(spw_mix mix, int64_t bytes, int threads, spw_probe *p) {
    spw_status status = SPW_OK;
    *p = (spw_probe){0};
    if (threads < 1)
        return spw_error(SPW_ERR_ARG, "a bandwidth probe with %d threads, must be at least 1",
                         threads);
    const int arrays = mixes[mix].arrays;
    const int64_t piece = (int64_t)threads * SPW_PROBE_GRAIN; /* the smallest array */
    const int64_t pieces = bytes / (int64_t)sizeof(double) / arrays / piece;

    p->mix = mix;
    p->threads = threads;
    p->n = (pieces > 0 ? pieces : 1) * piece;
    p->bytes = p->n * arrays * (int64_t)sizeof(double);
    if ((status = spw_memory_check("a bandwidth probe", p->bytes))) goto out;
    if ((status = SPW_ALLOC(&p->a, p->n))) goto out;
    if (arrays > 1 && (status = SPW_ALLOC(&p->b, p->n))) goto out;
    if (arrays > 2 && (status = SPW_ALLOC(&p->c, p->n))) goto out;
    touch(p);
    choose(p);
out:
    if (status) spw_probe_destroy(p);
    return status;
}

double spw_probe_run(spw_probe *p) {
    int n_rows;
    const spw_probe_kernel *kernel = &spw_probe_kernels(&n_rows)[p->variant];
    const reading took = run(p, kernel, (span){0}, (span){.sweeps = p->sweeps}, true);
    p->busy = took.busy / (double)p->sweeps;
    return took.span / (double)p->sweeps;
}

double spw_probe_traffic(const spw_probe *p) {
    return (double)sizeof(double) * (double)p->n * (mixes[p->mix].loads + mixes[p->mix].stores);
}

void spw_probe_destroy(spw_probe *p) {
    if (!p) return;
    spw_free(p->a);
    spw_free(p->b);
    spw_free(p->c);
    *p = (spw_probe){0};
}

/* Peak of double-precision arithmetic: fused multiply-adds that never leave the registers. */
#include "perf/bandwidth.h"

#include "base/threads.h"
#include "perf/cpu_time.h"
#include "perf/simd.h"
#include "perf/timer.h"

#include <math.h>

/* Chains of dependent multiply-adds. A CPU that starts two a cycle and needs four or five cycles for
 * each is busy with ten chains; twelve and two constants still fit sixteen registers. */
enum { CHAINS = 12, SAMPLES = 40, ENOUGH = 5 };

static double multiply_add(int64_t steps, double factor, double term) {
    const spw_vec zero = {0}, x = zero + factor, y = zero + term;
    spw_vec chain[CHAINS];
    for (int k = 0; k < CHAINS; k++) chain[k] = zero + (double)k;
    for (int64_t step = 0; step < steps; step++)
        for (int k = 0; k < CHAINS; k++) chain[k] = chain[k] * x + y;
    for (int k = 1; k < CHAINS; k++) chain[0] += chain[k];
    return spw_vec_sum(chain[0]);
}

typedef struct reading {
    double span; /* from the first thread's start to the last one's end */
    double busy; /* the longest that one thread had a core */
    int team;
} reading;

static reading run(int threads, int64_t steps) {
    double begin = INFINITY, end = 0, busy = 0, sum = 0;
    int team = 1;
    (void)threads; /* without OpenMP there is one */
#pragma omp parallel num_threads(threads) reduction(min : begin) reduction(max : end, busy, team)  \
    reduction(+ : sum)
    {
#pragma omp barrier
        begin = spw_now();
        busy = -spw_cpu_time();
        sum = multiply_add(steps, 0.5, 1 + 1e-9 * spw_thread()); /* tends to 2, never denormal */
        busy += spw_cpu_time();
        end = spw_now();
        team = spw_team_size();
    }
    /* The sum is used, so it is computed. */
    return (reading){.span = end - begin, .busy = busy, .team = sum > 0 ? team : 0};
}

double spw_peak_flops(int threads) {
    double together = 0, best = 0;
    int n_together = 0;
    int64_t steps = 1 << 10;
    for (int k = 0; k < SAMPLES; k++) {
        const reading took = run(threads, steps);
        if (took.busy < 1e-3) { /* too short for the clock; warms up besides */
            steps *= 2;
            k = -1;
            continue;
        }
        const double flops = 2.0 * CHAINS * SPW_VEC * (double)steps * took.team / took.busy;
        best = fmax(best, flops);
        if (took.span > 1.1 * took.busy) continue;
        together = fmax(together, flops);
        n_together++;
    }
    /* Two threads of one core that hardly ever ran at the same time would seem to have a core each; but
     * where the cores are that busy there is nothing better to say. */
    return n_together >= ENOUGH ? together : best;
}

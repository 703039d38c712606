#include "energy.h"

/* 1. What `now` is against `ref`. The joules of a run are those of its CPUs and its GPUs. */
ratios compare(run ref, run now) {
    /* SOLUTION your code here */
    const double joules_ref = ref.joule_cpu + ref.joule_gpu;
    const double joules_now = now.joule_cpu + now.joule_gpu;
    ratios r;
    r.speedup = ref.seconds / now.seconds;
    r.greenup = joules_ref / joules_now;
    r.powerup = r.speedup / r.greenup;
    return r;
    /* END */
}

/* 2. The most frugal of r[0 .. n-1] within the deadline, in seconds; -1: none is fast enough. */
int greenest(const run *r, int n, double deadline) {
    /* SOLUTION your code here */
    int best = -1;
    double least = 0;
    for (int k = 0; k < n; k++) {
        const double joules = r[k].joule_cpu + r[k].joule_gpu;
        if (r[k].seconds > deadline) continue;
        if (best >= 0 && joules >= least) continue;
        best = k;
        least = joules;
    }
    return best;
    /* END */
}

/* 3. Watts of a node = *P0 + *P1 efficiency, by least squares. 0, or -1 if there is no such line. */
int fit(const run *r, int n, double *P0, double *P1) {
    /* SOLUTION your code here */
    double mean_e = 0, mean_w = 0, see = 0, sew = 0;
    int different = 0;
    for (int k = 0; k < n; k++) {
        mean_e += r[k].efficiency / n;
        mean_w += (r[k].joule_cpu + r[k].joule_gpu) / (r[k].nodes * r[k].seconds) / n;
        if (r[k].efficiency != r[0].efficiency) different = 1;
    }
    if (!different) return -1;
    for (int k = 0; k < n; k++) {
        const double watts = (r[k].joule_cpu + r[k].joule_gpu) / (r[k].nodes * r[k].seconds);
        const double e = r[k].efficiency - mean_e;
        see += e * e;
        sew += e * (watts - mean_w);
    }
    *P1 = sew / see;
    *P0 = mean_w - *P1 * mean_e;
    return 0;
    /* END */
}

/* 4. Joules of a run at the clock f, in Hz. */
double energy(const machine *m, double f, double flop, double bytes) {
    /* SOLUTION your code here */
    const double t = fmax(flop / (m->width * f), bytes / m->bw);
    return m->P0 * t + m->e_flop * f * f * flop + m->e_mem * bytes;
    /* END */
}

/* 5. The clock, f_min to f_max, at which a run takes the fewest joules. */
double best_clock(const machine *m, double flop, double bytes) {
    /* SOLUTION your code here */
    const double memory_bound = flop * m->bw / (m->width * bytes);
    const double least = cbrt(m->P0 / (2 * m->e_flop * m->width));
    return fmax(m->f_min, fmin(m->f_max, fmin(memory_bound, least)));
    /* END */
}

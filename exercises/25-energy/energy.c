#include "energy.h"

/* 1. What `now` is against `ref`. The joules of a run are those of its CPUs and its GPUs. */
ratios compare(run ref, run now) {
    /* your code here */
}

/* 2. The most frugal of r[0 .. n-1] within the deadline, in seconds; -1: none is fast enough. */
int greenest(const run *r, int n, double deadline) {
    /* your code here */
}

/* 3. Watts of a node = *P0 + *P1 efficiency, by least squares. 0, or -1 if there is no such line. */
int fit(const run *r, int n, double *P0, double *P1) {
    /* your code here */
}

/* 4. Joules of a run at the clock f, in Hz. */
double energy(const machine *m, double f, double flop, double bytes) {
    /* your code here */
}

/* 5. The clock, f_min to f_max, at which a run takes the fewest joules. */
double best_clock(const machine *m, double flop, double bytes) {
    /* your code here */
}

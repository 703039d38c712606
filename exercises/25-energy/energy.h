/* exercises/25-energy: what runs cost, compared; and what a run would cost at another clock. */
#pragma once

#include <math.h>

/* One run of a program, published or measured. */
typedef struct run {
    int nodes; /* computers that it took */
    double seconds;
    double joule_cpu;  /* of all nodes together: processors and their memory */
    double joule_gpu;  /* of all nodes together; 0 where there is no GPU */
    double efficiency; /* the time on one node / (nodes * seconds): 1 is perfect */
} run;

/* Of a run against a reference: 1 is "the same". */
typedef struct ratios {
    double speedup; /* above 1: faster */
    double greenup; /* above 1: fewer joules, those of CPUs and GPUs */
    double powerup; /* above 1: more watts */
} ratios;

ratios compare(run ref, run now);

/* The index of the run that takes the fewest joules of those of at most `deadline` seconds. The first of
 * them, where two take the same; -1 where none is fast enough.
 *   r  [n]  n >= 0 */
int greenest(const run *r, int n, double deadline);

/* The line watts of a node = *P0 + *P1 efficiency through n runs: the squares of the differences in watts
 * add up to as little as possible. Returns 0; or -1, and leaves *P0 and *P1 as they are, where the runs do
 * not have two different efficiencies.
 *   r  [n]  n >= 0 */
int fit(const run *r, int n, double *P0, double *P1);

/* A machine whose clock f, in Hz, can be chosen. All are >= 0. */
typedef struct machine {
    double P0;           /* W           drawn as long as a run takes, whatever it does */
    double width;        /* flop/cycle  all cores together: the peak is P = width f */
    double bw;           /* byte/s      bandwidth of the memory; the clock does not change it */
    double e_flop;       /* J s^2       a flop takes e_flop f^2 joules */
    double e_mem;        /* J/byte      a byte from memory takes as much at every clock */
    double f_min, f_max; /* Hz */
} machine;

/* Joules of a run of so many flops and bytes at the clock f, f > 0. It takes the time of the roofline. */
double energy(const machine *m, double f, double flop, double bytes);

/* The clock from f_min to f_max at which that run takes the fewest joules. P0 may be 0, all others are > 0. */
double best_clock(const machine *m, double flop, double bytes);

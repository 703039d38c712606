#include "distributed.h"

#include <math.h>
#include <stdlib.h>

/* 1. Predict. Messages and bytes of slabs: each has a neighbour above and one below, but for the two at the ends. */
exchange slab_exchange(int k, int P) {
    /* your model here */
}

/* 2. Predict. Messages and bytes of cubes: faces, edges and corners. */
exchange block_exchange(int b, const int p[3]) {
    /* your model here */
}

/* 3. Predict. Seconds of an iteration, by latency, overhead and bandwidth. */
double iteration_time(network N, work W, int P) {
    /* your model here */
}

/* 4. Write. You know what you need; who has it has to be told. Numbers of entries first, then the entries. */
void halo_plan(const rows *R, halo *h) {
    /* your code here */
}

/* 5. Write. Receives first, then sends; the product with own entries; waits; the product with ghosts. */
void multiply(const rows *R, const halo *h, double *x, double *y) {
    /* your code here */
}

/* 6. Write. Both sums in one reduction. */
void two_dots(spw_idx n, const double *x, const double *y, const double *u, const double *v,
              double sums[2]) {
    /* your code here */
}

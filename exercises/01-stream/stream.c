#include "stream.h"

/* Four loops, all on all cores, and three models. A model is filled in like this:
 *     return (spw_cost){.load = 40.0 * n, .store = 16.0 * n, .flop = 7.0 * n};
 * for a loop that reads 40 bytes, writes 16 and computes 7 operations in each of its n iterations.
 * Leave the write-allocate read out of it. */

/* 1. Write. a[i] = value. Nobody has touched a before: who writes a page first decides where it
 * lies. */
void init_first_touch(int64_t n, double *a, double value) {
    /* your code here */
}

/* 2. Predict, then write. a[i] = b[i]. */
spw_cost copy_cost(int64_t n) {
    /* your model here */
}

void copy(int64_t n, const double *b, double *a) {
    /* your code here */
}

/* 3. Predict, then write. The sum of all a[i], in any order. */
spw_cost sum_cost(int64_t n) {
    /* your model here */
}

double sum(int64_t n, const double *a) {
    /* your code here */
}

/* 4. Predict, then write. a[i] = b[i] + s * c[i]. */
spw_cost triad_cost(int64_t n) {
    /* your model here */
}

void triad(int64_t n, double s, const double *b, const double *c, double *a) {
    /* your code here */
}

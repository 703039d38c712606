#include "stream.h"

/* Four loops, all on all cores, and three models. A model is filled in like this:
 *     return (spw_cost){.load = 40.0 * n, .store = 16.0 * n, .flop = 7.0 * n};
 * for a loop that reads 40 bytes, writes 16 and computes 7 operations in each of its n iterations.
 * Leave the write-allocate read out of it. */

/* 1. Write. a[i] = value. Nobody has touched a before: who writes a page first decides where it
 * lies. */
void init_first_touch(int64_t n, double *a, double value) {
    /* SOLUTION your code here */
    /* Cut exactly as the loops below are cut, so that each thread finds its part nearby. */
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) a[i] = value;
    /* END */
}

/* 2. Predict, then write. a[i] = b[i]. */
spw_cost copy_cost(int64_t n) {
    /* SOLUTION your model here */
    return (spw_cost){.load = 8.0 * n, .store = 8.0 * n, .flop = 0};
    /* END */
}

void copy(int64_t n, const double *b, double *a) {
    /* SOLUTION your code here */
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) a[i] = b[i];
    /* END */
}

/* 3. Predict, then write. The sum of all a[i], in any order. */
spw_cost sum_cost(int64_t n) {
    /* SOLUTION your model here */
    return (spw_cost){.load = 8.0 * n, .store = 0, .flop = 1.0 * n};
    /* END */
}

double sum(int64_t n, const double *a) {
    /* SOLUTION your code here */
    /* One addition that waits for the one before is slower than the memory: simd allows several
     * totals in each thread, reduction one total for each thread. Blocks keep the two loops apart
     * (clang does not vectorise them in one directive) and the rounding errors small. */
    enum { BLOCK = 1024 };
    double total = 0;
#pragma omp parallel for schedule(static) reduction(+ : total)
    for (int64_t from = 0; from < n; from += BLOCK) {
        const int64_t to = from + BLOCK < n ? from + BLOCK : n;
        double part = 0;
#pragma omp simd reduction(+ : part)
        for (int64_t i = from; i < to; i++) part += a[i];
        total += part;
    }
    return total;
    /* END */
}

/* 4. Predict, then write. a[i] = b[i] + s * c[i]. */
spw_cost triad_cost(int64_t n) {
    /* SOLUTION your model here */
    return (spw_cost){.load = 16.0 * n, .store = 8.0 * n, .flop = 2.0 * n};
    /* END */
}

void triad(int64_t n, double s, const double *b, const double *c, double *a) {
    /* SOLUTION your code here */
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) a[i] = b[i] + s * c[i];
    /* END */
}

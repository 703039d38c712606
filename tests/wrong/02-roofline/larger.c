/* expect CORRECT: the larger of the two limits */
/* Takes the larger limit. */
#include "roofline.h"

double roofline(double P, double b, double I)
{
    return fmax(P, I * b);
}

double roofline_multi(int n_P, const double *P, int n_b, const double *b, const double *I)
{
    double least = P[0];
    for (int i = 1; i < n_P; i++) least = fmin(least, P[i]);
    for (int j = 0; j < n_b; j++) least = fmin(least, I[j] * b[j]);
    return least;
}

spw_cost daxpy_cost(int64_t n)
{
    return (spw_cost){.load = 16.0 * n, .store = 8.0 * n, .flop = 2.0 * n};
}

spw_cost dot_cost(int64_t n)
{
    return (spw_cost){.load = 16.0 * n, .flop = 2.0 * n};
}

spw_cost dgemv_cost(int64_t n_rows, int64_t n_cols)
{
    const double entries = (double)n_rows * n_cols;
    return (spw_cost){.load = 8 * entries, .flop = 2 * entries};
}

spw_cost update_cost(int64_t n)
{
    return (spw_cost){.load = 24.0 * n, .store = 8.0 * n, .flop = 4.0 * n};
}

/* expect MODEL: larger by 8 n */
/* Counts the total as if it lay in memory. */
#include "stream.h"

void init_first_touch(int64_t n, double *a, double value)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) a[i] = value;
}

spw_cost copy_cost(int64_t n)
{
    return (spw_cost){.load = 8.0 * n, .store = 8.0 * n};
}

void copy(int64_t n, const double *b, double *a)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) a[i] = b[i];
}

spw_cost sum_cost(int64_t n)
{
    return (spw_cost){.load = 16.0 * n, .flop = 1.0 * n};
}

double sum(int64_t n, const double *a)
{
    double total = 0;
#pragma omp parallel for schedule(static) reduction(+ : total)
    for (int64_t from = 0; from < n; from += 1024) {
        const int64_t to = from + 1024 < n ? from + 1024 : n;
        double part = 0;
#pragma omp simd reduction(+ : part)
        for (int64_t i = from; i < to; i++) part += a[i];
        total += part;
    }
    return total;
}

spw_cost triad_cost(int64_t n)
{
    return (spw_cost){.load = 16.0 * n, .store = 8.0 * n, .flop = 2.0 * n};
}

void triad(int64_t n, double s, const double *b, const double *c, double *a)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) a[i] = b[i] + s * c[i];
}

#include "kernels/blas1.h"

#include "base/threads.h"

#include <assert.h>

void spw_axpby_omp(int64_t n, double a, const double *x, double b, double *y) {
    assert(n >= 0 && (n == 0 || (x && y)));
#pragma omp parallel for simd schedule(static)
    for (int64_t i = 0; i < n; i++) y[i] = a * x[i] + b * y[i];
}

/* A sum within a sum: clang 14 does not vectorise `parallel for simd reduction`. */
double spw_dot_omp(int64_t n, const double *x, const double *y) {
    assert(n >= 0 && (n == 0 || (x && y)));
    double sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
        const int64_t begin = spw_part_begin(n, spw_thread(), spw_team_size());
        const int64_t end = spw_part_begin(n, spw_thread() + 1, spw_team_size());
        double part = 0;
#pragma omp simd reduction(+ : part)
        for (int64_t i = begin; i < end; i++) part += x[i] * y[i];
        sum += part;
    }
    return sum;
}

void spw_copy_omp(int64_t n, const double *x, double *y) {
    assert(n >= 0 && (n == 0 || (x && y)));
#pragma omp parallel for simd schedule(static)
    for (int64_t i = 0; i < n; i++) y[i] = x[i];
}

double spw_sum_omp(int64_t n, const double *x) {
    assert(n >= 0 && (n == 0 || x));
    double sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
        const int64_t begin = spw_part_begin(n, spw_thread(), spw_team_size());
        const int64_t end = spw_part_begin(n, spw_thread() + 1, spw_team_size());
        double part = 0;
#pragma omp simd reduction(+ : part)
        for (int64_t i = begin; i < end; i++) part += x[i];
        sum += part;
    }
    return sum;
}

void spw_triad_omp(int64_t n, double s, const double *b, const double *c, double *a) {
    assert(n >= 0 && (n == 0 || (b && c && a)));
#pragma omp parallel for simd schedule(static)
    for (int64_t i = 0; i < n; i++) a[i] = b[i] + s * c[i];
}

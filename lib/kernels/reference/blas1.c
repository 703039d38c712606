#include "kernels/blas1.h"

#include <assert.h>

void spw_axpby_ref(int64_t n, double a, const double *x, double b, double *y) {
    assert(n >= 0 && (n == 0 || (x && y)));
    for (int64_t i = 0; i < n; i++) y[i] = a * x[i] + b * y[i];
}

double spw_dot_ref(int64_t n, const double *x, const double *y) {
    assert(n >= 0 && (n == 0 || (x && y)));
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

void spw_copy_ref(int64_t n, const double *x, double *y) {
    assert(n >= 0 && (n == 0 || (x && y)));
    for (int64_t i = 0; i < n; i++) y[i] = x[i];
}

double spw_sum_ref(int64_t n, const double *x) {
    assert(n >= 0 && (n == 0 || x));
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += x[i];
    return sum;
}

void spw_triad_ref(int64_t n, double s, const double *b, const double *c, double *a) {
    assert(n >= 0 && (n == 0 || (b && c && a)));
    for (int64_t i = 0; i < n; i++) a[i] = b[i] + s * c[i];
}

#include "kernels/fused.h"

#include <assert.h>

void spw_scal_ref(int64_t n, double a, double *x) {
    assert(n >= 0 && (n == 0 || x));
    for (int64_t i = 0; i < n; i++) x[i] *= a;
}

void spw_diag_ref(int64_t n, const double *d, const double *x, double *y) {
    assert(n >= 0 && (n == 0 || (d && x && y)));
    for (int64_t i = 0; i < n; i++) y[i] = d[i] * x[i];
}

double spw_diag_dot_ref(int64_t n, const double *d, const double *x, double *y) {
    assert(n >= 0 && (n == 0 || (d && x && y)));
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        y[i] = d[i] * x[i];
        sum += x[i] * y[i];
    }
    return sum;
}

double spw_cg_step_ref(int64_t n, double a, const double *p, const double *q, double *x,
                       double *r) {
    assert(n >= 0 && (n == 0 || (p && q && x && r)));
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        x[i] += a * p[i];
        r[i] -= a * q[i];
        sum += r[i] * r[i];
    }
    return sum;
}

void spw_bicgstab_direction_ref(int64_t n, double b, double w, const double *r, const double *v,
                                double *p) {
    assert(n >= 0 && (n == 0 || (r && v && p)));
    for (int64_t i = 0; i < n; i++) p[i] = r[i] + b * (p[i] - w * v[i]);
}

double spw_bicgstab_half_ref(int64_t n, double a, const double *v, double *r) {
    assert(n >= 0 && (n == 0 || (v && r)));
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        r[i] -= a * v[i];
        sum += r[i] * r[i];
    }
    return sum;
}

double spw_bicgstab_step_ref(int64_t n, double a, double w, const double *p, const double *s,
                             const double *t, const double *c, double *x, double *r, double *c_r) {
    assert(n >= 0 && c_r && (n == 0 || (p && s && t && c && x && r)));
    double sum = 0, with_c = 0;
    for (int64_t i = 0; i < n; i++) {
        x[i] += a * p[i] + w * s[i];
        r[i] -= w * t[i];
        with_c += c[i] * r[i];
        sum += r[i] * r[i];
    }
    *c_r = with_c;
    return sum;
}

/* Exercise 18: what the drivers of both parts share. */
#pragma once

#include "kit/kit.h"
#include "kit/systems.h"

#include <math.h>

/* A step in plain serial loops, where a quotient whose divisor is 0 is 0. */
typedef struct bicgstab_steps {
    const spw_csr *A;
    double *x, *r, *p, *v, *t, *c;
    double rho, alpha, c_v, s_s, t_s, t_t;
} bicgstab_steps;

static inline double bicgstab_ratio(double above, double below) {
    return below != 0 ? above / below : 0;
}

/* v = A p, s = r - alpha v in the place of r, t = A s, and all dots. */
static inline void bicgstab_half_step(bicgstab_steps *s) {
    const int64_t n = s->A->n_rows;
    spw_system_product(s->A, s->p, s->v);
    s->c_v = spw_system_dot(n, s->c, s->v);
    s->alpha = bicgstab_ratio(s->rho, s->c_v);
    for (int64_t i = 0; i < n; i++) s->r[i] -= s->alpha * s->v[i];
    spw_system_product(s->A, s->r, s->t);
    s->s_s = spw_system_dot(n, s->r, s->r);
    s->t_s = spw_system_dot(n, s->t, s->r);
    s->t_t = spw_system_dot(n, s->t, s->t);
}

/* x, r, rho and p. */
static inline void bicgstab_full_step(bicgstab_steps *s) {
    const int64_t n = s->A->n_rows;
    const double omega = bicgstab_ratio(s->t_s, s->t_t), old = s->rho;
    for (int64_t i = 0; i < n; i++) {
        s->x[i] += s->alpha * s->p[i] + omega * s->r[i];
        s->r[i] -= omega * s->t[i];
    }
    s->rho = spw_system_dot(n, s->c, s->r);
    const double beta = bicgstab_ratio(s->rho * s->alpha, old * omega);
    for (int64_t i = 0; i < n; i++) s->p[i] = s->r[i] + beta * (s->p[i] - omega * s->v[i]);
}

/* p = r + beta (p - omega v) */
static inline void bicgstab_expect_p(spw_trial *t, int64_t n, double beta, double omega,
                                     const double *r, const double *v, const double *p) {
    const double b = beta, w = omega;
    const spw_combination rows[] = {
        {{1, b, -b * w}, NULL},
        {{1, b, b * w}, "the sign of omega is wrong: this is r + beta (p + omega v)"},
        {{1, -b, b * w}, "the sign of beta is wrong: this is r - beta (p - omega v)"},
        {{1, b, 0}, "v is missing: this is r + beta p, the direction of CG"},
        {{1, b, -b}, "omega is missing: this is r + beta (p - v)"},
        {{1, w, -b * w}, "beta and omega have changed places"},
        {{0, b, -b * w}, "r is missing: this is beta (p - omega v)"}};
    spw_kit_expect_combination(t, p, n, (const double *[]){r, spw_kit_start(t, p), v}, rows,
                               sizeof rows / sizeof rows[0]);
}

/* r -= alpha v. Returns what it must be. omega: of the numbers that lie beside alpha, or NAN. */
static inline const double *bicgstab_expect_half(spw_trial *t, int64_t n, double alpha,
                                                 double omega, const double *v, const double *r) {
    const spw_combination rows[] = {
        {{1, -alpha, 0}, NULL},
        {{1, alpha, 0}, "the sign is wrong: this is r + alpha v"},
        {{1, -omega, 0}, "this is r - omega v: alpha is numbers[ALPHA]"}};
    return spw_kit_expect_combination(t, r, n, (const double *[]){spw_kit_start(t, r), v, NULL},
                                      rows, isnan(omega) ? 2 : 3);
}

/* x += alpha p + omega r, then r -= omega t. Returns what r must be. */
static inline const double *bicgstab_expect_full(spw_trial *tr, int64_t n, double alpha,
                                                 double omega, const double *p, const double *t,
                                                 const double *x, const double *r) {
    const double a = alpha, w = omega, *from_x = spw_kit_start(tr, x), *s = spw_kit_start(tr, r);
    const spw_combination of_x[] = {{{1, a, w}, NULL},
                                    {{1, a, 0}, "omega s is missing in x: this is half a step"},
                                    {{1, a, -w}, "the sign of omega s in x is wrong"},
                                    {{1, w, a}, "alpha and omega are swapped"},
                                    {{0, a, w}, "x was overwritten, not added to"}};
    const spw_combination of_r[] = {
        {{1, -w, 0}, NULL},
        {{1, w, 0}, "the sign is wrong: this is s + omega t. r = s - omega t"},
        {{1, -a, 0}, "alpha was taken for omega: this is s - alpha t"}};
    spw_kit_expect_combination(tr, x, n, (const double *[]){from_x, p, s}, of_x, 5);
    return spw_kit_expect_combination(tr, r, n, (const double *[]){s, t, NULL}, of_r, 3);
}

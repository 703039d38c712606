#include "solvers/bicgstab.h"

#include "base/memory.h"
#include "kernels/blas1.h"
#include "kernels/fused.h"
#include "solvers/run.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

/* The lines of the method, as reported; plain, some are several. */
enum {
    SCALE_P,
    ADD_V,
    ADD_R,
    APPLY_P,
    PRODUCT_P,
    C_V,
    HALF,
    S_S,
    APPLY_S,
    PRODUCT_S,
    T_S,
    STEP_X,
    STEP_R,
    C_R,
    R_R,
    BEGIN_END
};
_Static_assert((int)BEGIN_END < (int)SPW_KERNELS_MAX, "room for all lines");

typedef struct bicgstab {
    spw_run run;
    const spw_operator *A, *M; /* M may be NULL */
    int64_t n;
    double *p, *v, *t, *r, *c; /* s is r */
    double *mp, *ms;           /* M^-1 p and M^-1 s: p and r themselves without M */
    double c_norm;
    bool fresh; /* there is no direction yet */
} bicgstab;

/* --- what the kernels cost ---------------------------------------------------------------------------- */

static void name_plain(bicgstab *s) {
    spw_run *run = &s->run;
    const spw_operator *A = s->A;
    const int64_t n = s->n;
    const spw_cost axpy = spw_cost_of(n, 2, 1, 2), dot = spw_cost_of(n, 2, 0, 2);
    const spw_cost norm = spw_cost_of(n, 1, 0, 2);
    spw_run_kernel(run, SCALE_P, "p *= b", spw_cost_of(n, 1, 1, 1), 0);
    spw_run_kernel(run, ADD_V, "p -= b w v", axpy, 0);
    spw_run_kernel(run, ADD_R, "p += r", axpy, 0);
    spw_run_kernel(run, PRODUCT_P, "v = A p", A->cost, A->write_allocate);
    spw_run_kernel(run, C_V, "c.v", dot, 0);
    spw_run_kernel(run, HALF, "s = r - a v", axpy, 0);
    spw_run_kernel(run, S_S, "s.s", norm, 0);
    spw_run_kernel(run, PRODUCT_S, "t = A s", A->cost, A->write_allocate);
    spw_run_kernel(run, T_S, "t.s, t.t", spw_cost_of(n, 3, 0, 4), 0);
    spw_run_kernel(run, STEP_X, "x += a p, x += w s", spw_cost_of(n, 4, 2, 4), 0);
    spw_run_kernel(run, STEP_R, "r = s - w t", axpy, 0);
    spw_run_kernel(run, C_R, "c.r", dot, 0);
    spw_run_kernel(run, R_R, "r.r", norm, 0);
}

static void name_merged(bicgstab *s) {
    spw_run *run = &s->run;
    const spw_operator *A = s->A;
    const int64_t n = s->n;
    spw_run_kernel(run, ADD_V, "p = r + b (p - w v)", spw_cost_of(n, 3, 1, 4), 0);
    spw_run_kernel(run, PRODUCT_P, "v = A p, c.v", spw_operator_cost_dots(A, 0, 0),
                   A->write_allocate);
    spw_run_kernel(run, HALF, "s = r - a v, s.s", spw_cost_of(n, 2, 1, 4), 0);
    spw_run_kernel(run, PRODUCT_S, "t = A s, t.s, t.t", spw_operator_cost_dots(A, s->M == NULL, 1),
                   A->write_allocate);
    spw_run_kernel(run, STEP_X, "x and r, c.r, r.r", spw_cost_of(n, s->M ? 6 : 5, 2, 10), 0);
}

static void name_kernels(bicgstab *s) {
    if (s->run.options.plain)
        name_plain(s);
    else
        name_merged(s);
    if (s->M) {
        spw_run_kernel(&s->run, APPLY_P, "M p", s->M->cost, s->M->write_allocate);
        spw_run_kernel(&s->run, APPLY_S, "M s", s->M->cost, s->M->write_allocate);
    }
    spw_run_residual_kernel(&s->run, BEGIN_END);
}

/* --- the lines, plain and merged ------------------------------------------------------------------------ */

/* p = r + beta (p - omega v) */
static void direction(bicgstab *s, double beta, double omega) {
    if (s->fresh) {
        spw_copy_omp(s->n, s->r, s->p);
        spw_run_also(&s->run, BEGIN_END);
    } else if (s->run.options.plain) {
        spw_scal_omp(s->n, beta, s->p);
        spw_run_time(&s->run, SCALE_P);
        spw_axpby_omp(s->n, -beta * omega, s->v, 1, s->p);
        spw_run_time(&s->run, ADD_V);
        spw_axpby_omp(s->n, 1, s->r, 1, s->p);
        spw_run_time(&s->run, ADD_R);
    } else {
        spw_bicgstab_direction_omp(s->n, beta, omega, s->r, s->v, s->p);
        spw_run_time(&s->run, ADD_V);
    }
}

/* v = A M^-1 p; returns c . v. */
static double product_p(bicgstab *s) {
    double c_v;
    if (s->M) {
        spw_operator_apply(s->M, s->p, s->mp);
        spw_run_time(&s->run, APPLY_P);
    }
    if (!s->run.options.plain) {
        spw_operator_apply_dots(s->A, s->mp, s->c, s->v, &c_v, NULL);
        spw_operator_sum(s->A, 1, &c_v);
        spw_run_time(&s->run, PRODUCT_P);
        return c_v;
    }
    spw_operator_apply(s->A, s->mp, s->v);
    spw_run_time(&s->run, PRODUCT_P);
    c_v = spw_dot_omp_prefetch(s->n, s->c, s->v);
    spw_operator_sum(s->A, 1, &c_v);
    spw_run_time(&s->run, C_V);
    return c_v;
}

/* s = r - alpha v, in the place of r; returns s . s. */
static double half_step(bicgstab *s, double alpha) {
    double s_s;
    if (!s->run.options.plain) {
        s_s = spw_bicgstab_half_omp(s->n, alpha, s->v, s->r);
        spw_operator_sum(s->A, 1, &s_s);
        spw_run_time(&s->run, HALF);
        return s_s;
    }
    spw_axpby_omp(s->n, -alpha, s->v, 1, s->r);
    spw_run_time(&s->run, HALF);
    s_s = spw_dot_omp_prefetch(s->n, s->r, s->r);
    spw_operator_sum(s->A, 1, &s_s);
    spw_run_time(&s->run, S_S);
    return s_s;
}

/* Two numbers of all parts, in one message. */
static void sum_pair(const bicgstab *s, double *a, double *b) {
    double pair[2] = {*a, *b};
    spw_operator_sum(s->A, 2, pair);
    *a = pair[0];
    *b = pair[1];
}

/* t = A M^-1 s, t . s and t . t */
static void product_s(bicgstab *s, double *t_s, double *t_t) {
    if (s->M) {
        spw_operator_apply(s->M, s->r, s->ms);
        spw_run_time(&s->run, APPLY_S);
    }
    if (!s->run.options.plain) {
        spw_operator_apply_dots(s->A, s->ms, s->r, s->t, t_s, t_t);
        sum_pair(s, t_s, t_t);
        spw_run_time(&s->run, PRODUCT_S);
        return;
    }
    spw_operator_apply(s->A, s->ms, s->t);
    spw_run_time(&s->run, PRODUCT_S);
    *t_s = spw_dot_omp_prefetch(s->n, s->t, s->r);
    *t_t = spw_dot_omp_prefetch(s->n, s->t, s->t);
    sum_pair(s, t_s, t_t);
    spw_run_time(&s->run, T_S);
}

/* x += alpha M^-1 p + omega M^-1 s, r = s - omega t, *rho = c . r; returns r . r. */
static double full_step(bicgstab *s, double alpha, double omega, double *rho) {
    double r_r;
    if (!s->run.options.plain) {
        r_r = spw_bicgstab_step_omp(s->n, alpha, omega, s->mp, s->ms, s->t, s->c, s->run.x, s->r,
                                    rho);
        sum_pair(s, rho, &r_r);
        spw_run_time(&s->run, STEP_X);
        return r_r;
    }
    spw_axpby_omp(s->n, alpha, s->mp, 1, s->run.x);
    spw_axpby_omp(s->n, omega, s->ms, 1, s->run.x);
    spw_run_time(&s->run, STEP_X);
    spw_axpby_omp(s->n, -omega, s->t, 1, s->r);
    spw_run_time(&s->run, STEP_R);
    *rho = spw_dot_omp_prefetch(s->n, s->c, s->r);
    spw_run_time(&s->run, C_R);
    r_r = spw_dot_omp_prefetch(s->n, s->r, s->r);
    sum_pair(s, rho, &r_r);
    spw_run_time(&s->run, R_R);
    return r_r;
}

/* --- the method ------------------------------------------------------------------------------------------- */

/* Is a . b, with norms |a| and |b|, a number and not zero? If not, stops. */
static bool usable(bicgstab *s, spw_stop stop, const char *name, double a_b, double norms) {
    if (!spw_run_finite(&s->run, name, a_b)) return false;
    if (fabs(a_b) > DBL_EPSILON * DBL_EPSILON * norms) return true;
    spw_run_stop(&s->run, stop, "breakdown: %s is %.1e, %.1e of its vectors, in iteration %d", name,
                 a_b, norms > 0 ? fabs(a_b) / norms : 0, s->run.result->iterations);
    return false;
}

/* After the half step: is s the residual of an x that is good enough? */
static bool half_is_enough(bicgstab *s, double alpha, double s_s) {
    const double residual = sqrt(s_s) / s->run.norm_b;
    if (!(residual <= s->run.options.tolerance)) return false;
    spw_axpby_omp(s->n, alpha, s->mp, 1, s->run.x);
    spw_run_also(&s->run, BEGIN_END);
    return true;
}

/* One iteration; r . r and rho are those of the residual, on entry and on return. alpha and omega are
 * kept for the next. */
static void iterate(bicgstab *s, double *r_r, double *rho, double *alpha, double *omega) {
    spw_run *run = &s->run;
    double t_s, t_t;
    const double r_norm = sqrt(*r_r);
    if (!usable(s, SPW_STOP_BREAKDOWN_RHO, "rho = c.r", *rho, s->c_norm * r_norm)) return;
    const double c_v = product_p(s);
    if (!usable(s, SPW_STOP_BREAKDOWN_ALPHA, "c.Ap", c_v, 0)) return;
    *alpha = *rho / c_v;
    if (!spw_run_finite(run, "alpha", *alpha)) return;
    const double s_s = half_step(s, *alpha);
    if (!spw_run_finite(run, "s.s", s_s)) return;
    if (half_is_enough(s, *alpha, s_s)) {
        *r_r = s_s;
        return;
    }
    product_s(s, &t_s, &t_t);
    if (!spw_run_finite(run, "t.t", t_t)) return;
    if (!usable(s, SPW_STOP_BREAKDOWN_OMEGA, "t.s", t_s, sqrt(t_t) * sqrt(s_s))) {
        spw_axpby_omp(s->n, *alpha, s->mp, 1, run->x); /* s is the residual of that x */
        return;
    }
    *omega = t_s / t_t;
    if (!spw_run_finite(run, "omega", *omega)) return;
    *r_r = full_step(s, *alpha, *omega, rho);
}

/* The shadow is the residual. */
static void begin(bicgstab *s, double r_r) {
    s->c_norm = sqrt(r_r);
    spw_copy_omp(s->n, s->r, s->c);
    s->fresh = true;
}

/* Has c . r no correct digit any more, at a residual that is smaller than when the shadow was taken? */
static bool shadow_is_lost(const bicgstab *s, double rho, double r_r) {
    const double r_norm = sqrt(r_r);
    return r_norm < s->c_norm && fabs(rho) <= DBL_EPSILON * s->c_norm * r_norm;
}

static spw_status solve(bicgstab *s) {
    double r_r = spw_run_residual(&s->run, BEGIN_END, s->r), rho = r_r, alpha = 1, omega = 1;
    double old_rho = 1;
    begin(s, r_r);
    for (;; s->run.result->iterations++) {
        const spw_status status = spw_run_before(&s->run, r_r);
        if (status) return status;
        if (spw_run_again(&s->run, BEGIN_END, s->r, &r_r)) {
            begin(s, r_r);
            rho = r_r;
        }
        if (s->run.stopped) return SPW_OK;
        if (shadow_is_lost(s, rho, r_r)) {
            begin(s, r_r);
            rho = r_r;
            s->run.result->restarts++;
        }
        direction(s, rho / old_rho * (alpha / omega), omega);
        s->fresh = false;
        old_rho = rho;
        iterate(s, &r_r, &rho, &alpha, &omega);
        if (s->run.stopped) return SPW_OK;
    }
}

static spw_status make_room(bicgstab *s) {
    double **const always[] = {&s->p, &s->v, &s->t, &s->r, &s->c};
    spw_status status = SPW_OK;
    for (int k = 0; k < 5 && !status; k++) status = SPW_ALLOC(always[k], s->n);
    if (s->M) {
        if (!status) status = SPW_ALLOC(&s->mp, s->n);
        if (!status) status = SPW_ALLOC(&s->ms, s->n);
    } else {
        s->mp = s->p;
        s->ms = s->r;
    }
    return status;
}

spw_status spw_bicgstab(const spw_operator *A, const spw_operator *M, const double *b, double *x,
                        const spw_solve_options *options, spw_solve_result *result) {
    bicgstab s = {.A = A, .M = M, .n = A->n};
    spw_status status = spw_run_begin(&s.run, A, M, b, x, options, result);
    if (!status) status = make_room(&s);
    status = spw_operator_agree(A, status);
    if (status) goto end;
    name_kernels(&s);
    spw_run_norm(&s.run, BEGIN_END);
    if (!s.run.stopped) status = solve(&s);
    if (!status) spw_run_end(&s.run, BEGIN_END, s.t);
end:
    if (M) {
        spw_free(s.mp);
        spw_free(s.ms);
    }
    spw_free(s.p);
    spw_free(s.v);
    spw_free(s.t);
    spw_free(s.r);
    spw_free(s.c);
    if (status) spw_solve_result_destroy(result);
    return status;
}

#include "solvers/cg.h"

#include "base/memory.h"
#include "kernels/blas1.h"
#include "kernels/fused.h"
#include "solvers/run.h"

#include <stddef.h>

/* The lines of the method, as reported. */
enum { PRODUCT, P_Q, STEP, STEP_R, R_R, APPLY, R_Z, DIRECTION, BEGIN_END };

typedef struct cg {
    spw_run run;
    const spw_operator *A, *M; /* M may be NULL */
    int64_t n;
    double *p, *q, *r, *z; /* z is r without M */
} cg;

static void name_kernels(cg *s) {
    spw_run *run = &s->run;
    const spw_operator *A = s->A, *M = s->M;
    const int plain = run->options.plain;
    const int64_t n = s->n;
    if (plain) {
        spw_run_kernel(run, PRODUCT, "q = A p", A->cost, A->write_allocate);
        spw_run_kernel(run, P_Q, "p.q", spw_cost_of(n, 2, 0, 2), 0);
        spw_run_kernel(run, STEP, "x += a p", spw_cost_of(n, 2, 1, 2), 0);
        spw_run_kernel(run, STEP_R, "r -= a q", spw_cost_of(n, 2, 1, 2), 0);
        spw_run_kernel(run, R_R, "r.r", spw_cost_of(n, 1, 0, 2), 0);
    } else {
        spw_run_kernel(run, PRODUCT, "q = A p, p.q", spw_operator_cost_dots(A, 1, 0),
                       A->write_allocate);
        spw_run_kernel(run, STEP, "x += a p, r -= a q, r.r", spw_cost_of(n, 4, 2, 6), 0);
    }
    if (M) {
        spw_run_kernel(run, APPLY, plain ? "z = M r" : "z = M r, r.z",
                       plain ? M->cost : spw_operator_cost_dots(M, 1, 0), M->write_allocate);
        if (plain) spw_run_kernel(run, R_Z, "r.z", spw_cost_of(n, 2, 0, 2), 0);
    }
    spw_run_kernel(run, DIRECTION, M ? "p = z + b p" : "p = r + b p", spw_cost_of(n, 2, 1, 2), 0);
    spw_run_residual_kernel(run, BEGIN_END);
}

/* q = A p; returns p . q. */
static double product(cg *s) {
    double p_q;
    if (!s->run.options.plain) {
        spw_operator_apply_dots(s->A, s->p, s->p, s->q, &p_q, NULL);
        spw_operator_sum(s->A, 1, &p_q);
        spw_run_time(&s->run, PRODUCT);
        return p_q;
    }
    spw_operator_apply(s->A, s->p, s->q);
    spw_run_time(&s->run, PRODUCT);
    p_q = spw_dot_omp_prefetch(s->n, s->p, s->q);
    spw_operator_sum(s->A, 1, &p_q);
    spw_run_time(&s->run, P_Q);
    return p_q;
}

/* x += alpha p, r -= alpha q; returns r . r. */
static double step(cg *s, double alpha) {
    double r_r;
    if (!s->run.options.plain) {
        r_r = spw_cg_step_omp(s->n, alpha, s->p, s->q, s->run.x, s->r);
        spw_operator_sum(s->A, 1, &r_r);
        spw_run_time(&s->run, STEP);
        return r_r;
    }
    spw_axpby_omp(s->n, alpha, s->p, 1, s->run.x);
    spw_run_time(&s->run, STEP);
    spw_axpby_omp(s->n, -alpha, s->q, 1, s->r);
    spw_run_time(&s->run, STEP_R);
    r_r = spw_dot_omp_prefetch(s->n, s->r, s->r);
    spw_operator_sum(s->A, 1, &r_r);
    spw_run_time(&s->run, R_R);
    return r_r;
}

/* z = M^-1 r; *rho = r . z. False: stopped. */
static bool precondition(cg *s, double r_r, double *rho) {
    *rho = r_r;
    if (!s->M) return true;
    if (s->run.options.plain) {
        spw_operator_apply(s->M, s->r, s->z);
        spw_run_time(&s->run, APPLY);
        *rho = spw_dot_omp_prefetch(s->n, s->r, s->z);
        spw_operator_sum(s->A, 1, rho);
        spw_run_time(&s->run, R_Z);
    } else {
        spw_operator_apply_dots(s->M, s->r, s->r, s->z, rho, NULL);
        spw_operator_sum(s->A, 1, rho);
        spw_run_time(&s->run, APPLY);
    }
    if (!spw_run_finite(&s->run, "r.M^-1 r", *rho)) return false;
    if (*rho > 0) return true;
    spw_run_stop(&s->run, SPW_STOP_PRECOND_SPD,
                 "r.M^-1 r is %.3g in iteration %d: the preconditioner %s is not positive definite",
                 *rho, s->run.result->iterations, s->M->name);
    return false;
}

/* alpha = rho / p . q, if that is a step length. */
static bool step_length(cg *s, double rho, double p_q, double *alpha) {
    if (!spw_run_finite(&s->run, "p.Ap", p_q)) return false;
    if (!(p_q > 0)) {
        spw_run_stop(&s->run, SPW_STOP_NOT_SPD,
                     "p.Ap is %.3g in iteration %d: the matrix is not positive definite", p_q,
                     s->run.result->iterations);
        return false;
    }
    *alpha = rho / p_q;
    return spw_run_finite(&s->run, "rho / p.Ap", *alpha);
}

static spw_status iterate(cg *s) {
    double r_r = spw_run_residual(&s->run, BEGIN_END, s->r), rho = 0, alpha;
    bool fresh = true; /* there is no direction yet */
    for (;; s->run.result->iterations++) {
        const double old = rho;
        const spw_status status = spw_run_before(&s->run, r_r);
        if (status) return status;
        if (spw_run_again(&s->run, BEGIN_END, s->r, &r_r)) fresh = true;
        if (s->run.stopped || !precondition(s, r_r, &rho)) return SPW_OK;
        if (fresh)
            spw_copy_omp(s->n, s->z, s->p);
        else
            spw_axpby_omp(s->n, 1, s->z, rho / old, s->p);
        fresh = false;
        spw_run_time(&s->run, DIRECTION);
        if (!step_length(s, rho, product(s), &alpha)) return SPW_OK;
        r_r = step(s, alpha);
    }
}

spw_status spw_pcg(const spw_operator *A, const spw_operator *M, const double *b, double *x,
                   const spw_solve_options *options, spw_solve_result *result) {
    cg s = {.A = A, .M = M, .n = A->n};
    spw_status status = spw_run_begin(&s.run, A, M, b, x, options, result);
    if (!status) status = SPW_ALLOC(&s.p, s.n);
    if (!status) status = SPW_ALLOC(&s.q, s.n);
    if (!status) status = SPW_ALLOC(&s.r, s.n);
    if (!status && M) status = SPW_ALLOC(&s.z, s.n);
    status = spw_operator_agree(A, status);
    if (status) goto end;
    if (!M) s.z = s.r;
    name_kernels(&s);
    spw_run_norm(&s.run, BEGIN_END);
    if (!s.run.stopped) status = iterate(&s);
    if (!status) spw_run_end(&s.run, BEGIN_END, s.r);
end:
    if (M) spw_free(s.z);
    spw_free(s.r);
    spw_free(s.q);
    spw_free(s.p);
    if (status) spw_solve_result_destroy(result);
    return status;
}

spw_status spw_cg(const spw_operator *A, const double *b, double *x,
                  const spw_solve_options *options, spw_solve_result *result) {
    return spw_pcg(A, NULL, b, x, options, result);
}

#include "solvers/cg_cuda.h"

#include "solvers/run_cuda.h"

#include <stddef.h>

enum { R, Q, P, Z, N_WITH_M };            /* vectors */
enum { R_R, P_Q, R_Z };                   /* sums */
enum { APPLY, DIRECTION, PRODUCT, STEP }; /* kernels, as reported */

/* Without a direction p is zero, and beta with it. */
static spw_status begin(spw_cuda_run *run) {
    return spw_device_zero(run->d_vector[P], run->n * (int64_t)sizeof(double));
}

static spw_status iterate(spw_cuda_run *run) {
    double *const *v = run->d_vector;
    spw_partials *sum = run->d_sum;
    spw_scalars *s = run->d_scalars;
    const int64_t n = run->n;
    const double *d_z = run->M ? v[Z] : v[R];
    spw_status status = SPW_OK;
    if (run->M) status = spw_cuda_operator_apply_dots(run->M, v[R], v[R], v[Z], &sum[R_Z], NULL);
    if (!status) status = spw_cg_beta_cuda(&sum[R_R], run->M ? &sum[R_Z] : NULL, s);
    if (!status) status = spw_axpby_cuda_device(n, NULL, d_z, &s->beta, v[P], &s->stop);
    if (!status) status = spw_cuda_operator_apply_dots(run->A, v[P], v[P], v[Q], &sum[P_Q], NULL);
    if (!status) status = spw_cg_alpha_cuda(&sum[P_Q], s);
    if (!status)
        status = spw_cg_step_cuda(n, &s->alpha, v[P], v[Q], run->d_x, v[R], &sum[R_R], &s->stop);
    return status;
}

static void breakdown(spw_cuda_run *run, const spw_scalars *s) {
    if (s->number == SPW_SCALAR_P_Q)
        spw_run_stop(&run->run, SPW_STOP_NOT_SPD,
                     "p.Ap is %.3g in iteration %d: the matrix is not positive definite", s->value,
                     s->iteration);
    else
        spw_run_stop(
            &run->run, SPW_STOP_PRECOND_SPD,
            "r.M^-1 r is %.3g in iteration %d: the preconditioner %s is not positive definite",
            s->value, s->iteration, run->M ? run->M->name : "none");
}

/* What an operator does not sum up in its own pass takes another one. */
static spw_cost with_dot(const spw_cuda_operator *A) {
    return spw_cuda_cost_and(A->cost, A->n, A->apply_dots ? 0 : 2, 0, 2);
}

static void name_kernels(spw_cuda_run *run, int iterations) {
    const int64_t n = run->n;
    if (run->M) spw_cuda_run_kernel(run, APPLY, "z = M r, r.z", with_dot(run->M), iterations);
    const int first = run->M ? DIRECTION : APPLY;
    spw_cuda_run_kernel(run, first, run->M ? "p = z + b p" : "p = r + b p", spw_cost_of(n, 2, 1, 2),
                        iterations);
    spw_cuda_run_kernel(run, first + PRODUCT - DIRECTION, "q = A p, p.q", with_dot(run->A),
                        iterations);
    spw_cuda_run_kernel(run, first + STEP - DIRECTION, "x += a p, r -= a q, r.r",
                        spw_cost_of(n, 4, 2, 6), iterations);
}

spw_status spw_cg_cuda(const spw_cuda_operator *A, const spw_cuda_operator *M, const double *d_b,
                       double *d_x, const spw_solve_options *options, int every,
                       spw_solve_result *result) {
    static const spw_cuda_method cg = {.n_vectors = Z,
                                       .n_with_m = N_WITH_M,
                                       .begin = begin,
                                       .iterate = iterate,
                                       .breakdown = breakdown,
                                       .name_kernels = name_kernels};
    spw_cuda_run run = {.method = &cg, .A = A, .M = M, .d_b = d_b, .d_x = d_x, .every = every};
    return spw_cuda_run_solve(&run, options, result);
}

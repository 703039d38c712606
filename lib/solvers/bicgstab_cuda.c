#include "solvers/bicgstab_cuda.h"

#include "solvers/run_cuda.h"

#include <math.h>
#include <stddef.h>

enum { R, T, P, V, C, MP, MS, N_WITH_M }; /* vectors; s is r */
enum { R_R, C_R, C_V, S_S, T_S, N_SUMS }; /* sums; t.t takes the place of c.v */
_Static_assert((int)N_WITH_M <= (int)SPW_CUDA_VECTORS && (int)N_SUMS <= (int)SPW_CUDA_SUMS,
               "room for all");

/* The shadow is the residual. Without a direction p is zero, and so are beta and v. */
static spw_status begin(spw_cuda_run *run) {
    double *const *v = run->d_vector;
    const int64_t bytes = run->n * (int64_t)sizeof(double);
    spw_status status = spw_device_copy(v[C], v[R], bytes);
    if (!status)
        status = spw_device_copy(&run->d_sum[C_R], &run->d_sum[R_R], (int64_t)sizeof *run->d_sum);
    if (!status) status = spw_device_zero(v[P], bytes);
    if (!status) status = spw_device_zero(v[V], bytes);
    return status;
}

static spw_status iterate(spw_cuda_run *run) {
    double *const *v = run->d_vector;
    spw_partials *sum = run->d_sum, *t_t = &sum[C_V];
    spw_scalars *s = run->d_scalars;
    const spw_cuda_operator *A = run->A, *M = run->M;
    const int64_t n = run->n;
    const int *stop = &s->stop;
    const double *d_mp = M ? v[MP] : v[P], *d_ms = M ? v[MS] : v[R];
    spw_status status = spw_bicgstab_beta_cuda(&sum[R_R], &sum[C_R], s);
    if (!status)
        status = spw_bicgstab_direction_cuda(n, &s->beta, &s->omega, v[R], v[V], v[P], stop);
    if (!status && M) status = spw_cuda_operator_apply(M, v[P], v[MP]);
    if (!status) status = spw_cuda_operator_apply_dots(A, d_mp, v[C], v[V], &sum[C_V], NULL);
    if (!status) status = spw_bicgstab_alpha_cuda(&sum[C_V], s);
    if (!status) status = spw_bicgstab_half_cuda(n, &s->alpha, v[V], v[R], &sum[S_S], stop);
    if (!status && M) status = spw_cuda_operator_apply(M, v[R], v[MS]);
    if (!status) status = spw_cuda_operator_apply_dots(A, d_ms, v[R], v[T], &sum[T_S], t_t);
    if (!status) status = spw_bicgstab_omega_cuda(&sum[S_S], &sum[T_S], t_t, s);
    if (!status)
        status = spw_bicgstab_step_cuda(n, &s->alpha, &s->omega, d_mp, d_ms, v[T], v[C], run->d_x,
                                        v[R], &sum[C_R], &sum[R_R], stop);
    return status;
}

static void breakdown(spw_cuda_run *run, const spw_scalars *s) {
    const spw_stop stop = s->number == SPW_SCALAR_RHO   ? SPW_STOP_BREAKDOWN_RHO
                          : s->number == SPW_SCALAR_C_V ? SPW_STOP_BREAKDOWN_ALPHA
                                                        : SPW_STOP_BREAKDOWN_OMEGA;
    const char *name = stop == SPW_STOP_BREAKDOWN_RHO     ? "rho = c.r"
                       : stop == SPW_STOP_BREAKDOWN_ALPHA ? "c.Ap"
                                                          : "t.s";
    spw_run_stop(&run->run, stop, "breakdown: %s is %.1e, %.1e of its vectors, in iteration %d",
                 name, s->value, s->beside > 0 ? fabs(s->value) / s->beside : 0, s->iteration);
}

static void name_kernels(spw_cuda_run *run, int iterations) {
    const spw_cuda_operator *A = run->A, *M = run->M;
    const int64_t n = run->n;
    int slot = 0;
    spw_cuda_run_kernel(run, slot++, "p = r + b (p - w v)", spw_cost_of(n, 3, 1, 4), iterations);
    if (M) spw_cuda_run_kernel(run, slot++, "M p, M s", M->cost, 2 * (int64_t)iterations);
    spw_cuda_run_kernel(run, slot++, "v = A p, c.v",
                        spw_cuda_cost_and(A->cost, n, A->apply_dots ? 1 : 2, 0, 2), iterations);
    spw_cuda_run_kernel(run, slot++, "s = r - a v, s.s", spw_cost_of(n, 2, 1, 4), iterations);
    spw_cuda_run_kernel(run, slot++, "t = A s, t.s, t.t",
                        spw_cuda_cost_and(A->cost, n, A->apply_dots ? M != NULL : 2, 0, 4),
                        iterations);
    spw_cuda_run_kernel(run, slot++, "x and r, c.r, r.r", spw_cost_of(n, M ? 6 : 5, 2, 10),
                        iterations);
}

spw_status spw_bicgstab_cuda(const spw_cuda_operator *A, const spw_cuda_operator *M,
                             const double *d_b, double *d_x, const spw_solve_options *options,
                             int every, spw_solve_result *result) {
    static const spw_cuda_method bicgstab = {.n_vectors = MP,
                                             .n_with_m = N_WITH_M,
                                             .begin = begin,
                                             .iterate = iterate,
                                             .breakdown = breakdown,
                                             .name_kernels = name_kernels};
    spw_cuda_run run = {
        .method = &bicgstab, .A = A, .M = M, .d_b = d_b, .d_x = d_x, .every = every};
    return spw_cuda_run_solve(&run, options, result);
}

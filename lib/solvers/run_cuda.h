/* solvers/run_cuda.h -- what solvers on the device share: launching ahead, looking now and then, the true
 * residual, and beginning anew. Internal. */
#pragma once

#include "base/device.h"
#include "kernels/cuda_solver.h"
#include "solvers/operator_cuda.h"
#include "solvers/run.h"

enum { SPW_CUDA_VECTORS = 7, SPW_CUDA_SUMS = 5 };

/* A method. */
typedef struct spw_cuda_run spw_cuda_run;
typedef struct spw_cuda_method {
    int n_vectors, n_with_m; /* vectors that it needs, without and with a preconditioner */
    /* Before the first iteration: r = b - A x and r.r are there. */
    spw_status (*begin)(spw_cuda_run *run);
    /* Launches one iteration. */
    spw_status (*iterate)(spw_cuda_run *run);
    /* Says what s->number, which was not usable, means for the method. */
    void (*breakdown)(spw_cuda_run *run, const spw_scalars *s);
    /* Names the kernels, with the calls of so many iterations: spw_cuda_run_kernel. */
    void (*name_kernels)(spw_cuda_run *run, int iterations);
} spw_cuda_method;

struct spw_cuda_run {
    spw_run run;
    const spw_cuda_method *method;
    const spw_cuda_operator *A, *M; /* M may be NULL */
    const double *d_b;
    double *d_x;
    int64_t n;
    int every;
    double *d_vector[SPW_CUDA_VECTORS]; /* [n] each; 0 is r, 1 is room for A x at both ends */
    spw_partials *d_sum;                /* [SPW_CUDA_SUMS]; 0 is r.r */
    spw_scalars *d_scalars;
    double *d_history;
    spw_scalars *seen; /* [2], page-locked */
    spw_device_event *event[2];
};

/* The whole solve. run->method, A, M, d_b, d_x and every are set, all else is zero. The errors of
 * spw_cg_cuda. */
spw_status spw_cuda_run_solve(spw_cuda_run *run, const spw_solve_options *options,
                              spw_solve_result *result);

/* Names kernel `slot` and says how often it was called. */
void spw_cuda_run_kernel(spw_cuda_run *run, int slot, const char *name, spw_cost cost,
                         int64_t calls);

/* A cost with n elements more of loads, stores and flops each. */
spw_cost spw_cuda_cost_and(spw_cost cost, int64_t n, double loads, double stores, double flops);

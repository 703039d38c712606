#include "solvers/precond_cuda.h"

#include "base/device.h"
#include "base/memory.h"
#include "kernels/cuda_block.h"
#include "solvers/precond.h"
#include "solvers/precond/parts.h"

#include <stddef.h>

/* d_out[j * n + i] = entry j of row i of the host's M, within its block of `block` rows: what M makes of a
 * vector that has a one in place j of each block. */
static spw_status put_blocks(const spw_operator *M, int block, double **d_out) {
    const int64_t n = M->n, bytes = n * (int64_t)sizeof(double);
    double *ones = NULL, *column = NULL;
    spw_status status = SPW_DEVICE_ALLOC(d_out, block * n);
    if (!status) status = SPW_ALLOC(&ones, n);
    if (!status) status = SPW_ALLOC(&column, n);
    for (int j = 0; j < block && !status; j++) {
        for (int64_t i = 0; i < n; i++) ones[i] = i % block == j;
        spw_operator_apply(M, ones, column);
        status = spw_device_copy_to(*d_out + j * n, column, bytes);
    }
    spw_free(ones);
    spw_free(column);
    return status;
}

/* --- Jacobi and block-Jacobi ---------------------------------------------------------------------------- */

typedef struct blocks {
    int64_t n;
    int block;         /* 1: Jacobi */
    double *d_inverse; /* [block * n] */
} blocks;

static void destroy_blocks(void *context) {
    blocks *B = context;
    spw_device_free(B->d_inverse);
    spw_free(B);
}

/* d_r_z may be NULL. */
static spw_status apply_with(const blocks *B, const double *d_r, double *d_z, spw_partials *d_r_z) {
    if (B->block == 1) return spw_diag_dot_cuda(B->n, B->d_inverse, d_r, d_z, d_r_z);
    return spw_block_diag_cuda(B->n, B->block, B->d_inverse, d_r, d_z, d_r_z);
}

static spw_status apply_blocks(void *context, const double *d_r, double *d_z) {
    return apply_with(context, d_r, d_z, NULL);
}

static spw_status apply_blocks_block(void *context, int nv, const double *d_X, int64_t ldx,
                                     double *d_Y, int64_t ldy) {
    const blocks *B = context;
    return spw_block_diag_vectors_cuda(B->n, B->block, B->d_inverse, nv, d_X, ldx, d_Y, ldy);
}

static spw_status apply_blocks_dots(void *context, const double *d_r, const double *d_w,
                                    double *d_z, spw_partials *d_w_z, spw_partials *d_z_z) {
    const blocks *B = context;
    if (d_w == d_r && !d_z_z) return apply_with(B, d_r, d_z, d_w_z);
    const spw_status status = apply_with(B, d_r, d_z, NULL);
    return status ? status : spw_dots_cuda(B->n, d_w, d_z, d_w_z, d_z_z);
}

/* Takes the host's preconditioner, and destroys it. */
static spw_status make_blocks(const char *name, spw_operator *host, int block,
                              spw_cuda_operator *M) {
    const double n = (double)host->n;
    blocks *B = NULL;
    spw_status status = SPW_ALLOC_ZERO(&B, 1);
    if (status) goto end;
    B->n = host->n;
    B->block = block;
    status = put_blocks(host, block, &B->d_inverse);
    if (status) {
        destroy_blocks(B);
        goto end;
    }
    *M = (spw_cuda_operator){.name = name,
                             .n = host->n,
                             .cost = {8 * n * (block + 1), 8 * n, 2 * n * block},
                             .context = B,
                             .apply = apply_blocks,
                             .apply_dots = apply_blocks_dots,
                             .apply_block = apply_blocks_block,
                             .further = {8 * n, 8 * n, 2 * n * block},
                             .destroy = destroy_blocks};
end:
    spw_operator_destroy(host);
    return status;
}

spw_status spw_cuda_precond_jacobi(const spw_csr *A, spw_cuda_operator *M) {
    spw_operator host;
    *M = (spw_cuda_operator){0};
    const spw_status status = spw_precond_jacobi(A, &host);
    return status ? status : make_blocks("jacobi", &host, 1, M);
}

spw_status spw_cuda_precond_bjacobi(const spw_csr *A, int block, spw_cuda_operator *M) {
    spw_operator host;
    *M = (spw_cuda_operator){0};
    const spw_status status = spw_precond_bjacobi(A, block, &host);
    return status ? status : make_blocks("bjacobi", &host, spw_precond_block_rows(&host), M);
}

/* --- polynomials ------------------------------------------------------------------------------------------ */

typedef struct polynomial {
    spw_cuda_operator A;
    int degree;
    double center, half;                  /* precond/parts.h */
    double *d_inverse;                    /* [n]  of the diagonal */
    double *d_residual, *d_step, *d_work; /* [n] */
} polynomial;

static void destroy_polynomial(void *context) {
    polynomial *P = context;
    spw_cuda_operator_destroy(&P->A);
    spw_device_free(P->d_inverse);
    spw_device_free(P->d_residual);
    spw_device_free(P->d_step);
    spw_device_free(P->d_work);
    spw_free(P);
}

/* w.z with the last step; d_w_z may be NULL. */
static spw_status apply_steps(const polynomial *P, const double *d_r, const double *d_w,
                              double *d_z, spw_partials *d_w_z) {
    const int64_t n = P->A.n;
    const double sigma = P->half > 0 ? P->center / P->half : 0;
    double rho = P->half > 0 ? 1 / sigma : 0;
    spw_status status =
        spw_polynomial_first_cuda(n, 1 / P->center, P->d_inverse, d_r, P->d_step, d_z);
    for (int k = 0; k < P->degree && !status; k++) {
        const double next = P->half > 0 ? 1 / (2 * sigma - rho) : 0;
        const double b = P->half > 0 ? 2 * next / P->half : 1 / P->center;
        const bool is_last = k + 1 == P->degree;
        status = spw_cuda_operator_apply(&P->A, P->d_step, P->d_work);
        if (!status)
            status = spw_polynomial_step_cuda(
                n, next * rho, b, P->d_inverse, k ? P->d_residual : d_r, P->d_work, d_w,
                P->d_residual, P->d_step, d_z, is_last ? d_w_z : NULL);
        rho = next;
    }
    if (!status && P->degree == 0 && d_w_z) status = spw_dots_cuda(n, d_w, d_z, d_w_z, NULL);
    return status;
}

static spw_status apply_polynomial(void *context, const double *d_r, double *d_z) {
    return apply_steps(context, d_r, NULL, d_z, NULL);
}

static spw_status apply_polynomial_dots(void *context, const double *d_r, const double *d_w,
                                        double *d_z, spw_partials *d_w_z, spw_partials *d_z_z) {
    const polynomial *P = context;
    if (!d_z_z) return apply_steps(P, d_r, d_w, d_z, d_w_z);
    const spw_status status = apply_steps(P, d_r, NULL, d_z, NULL);
    return status ? status : spw_dots_cuda(P->A.n, d_w, d_z, d_w_z, d_z_z);
}

static spw_status put_inverse(const spw_csr *A, double **d_inverse) {
    spw_operator jacobi;
    spw_status status = spw_precond_jacobi(A, &jacobi);
    if (status) return status;
    status = put_blocks(&jacobi, 1, d_inverse);
    spw_operator_destroy(&jacobi);
    return status;
}

/* Takes the host's preconditioner, and destroys it. */
static spw_status make_polynomial(const char *name, const spw_csr *A, int degree,
                                  spw_operator *host, spw_cuda_operator *M) {
    const int64_t n = host->n;
    polynomial *P = NULL;
    spw_status status = SPW_ALLOC_ZERO(&P, 1);
    if (status) goto end;
    P->degree = degree;
    spw_precond_interval(host, &P->center, &P->half);
    status = spw_cuda_operator_from_csr(A, &P->A);
    if (!status) status = put_inverse(A, &P->d_inverse);
    if (!status) status = SPW_DEVICE_ALLOC(&P->d_residual, n);
    if (!status) status = SPW_DEVICE_ALLOC(&P->d_step, n);
    if (!status) status = SPW_DEVICE_ALLOC(&P->d_work, n);
    if (status) {
        destroy_polynomial(P);
        goto end;
    }
    const spw_cost step =
        spw_cost_sum(P->A.cost, (spw_cost){.load = 40.0 * n, .store = 24.0 * n, .flop = 6.0 * n});
    const spw_cost first = {.load = 16.0 * n, .store = 16.0 * n, .flop = 2.0 * n};
    *M = (spw_cuda_operator){.name = name,
                             .n = n,
                             .cost = spw_cost_sum(first, spw_cost_times(degree, step)),
                             .context = P,
                             .apply = apply_polynomial,
                             .apply_dots = apply_polynomial_dots,
                             .destroy = destroy_polynomial};
end:
    spw_operator_destroy(host);
    return status;
}

spw_status spw_cuda_precond_neumann(const spw_csr *A, int degree, spw_cuda_operator *M) {
    spw_operator host;
    *M = (spw_cuda_operator){0};
    const spw_status status = spw_precond_neumann(A, degree, &host);
    return status ? status : make_polynomial("neumann", A, degree, &host, M);
}

spw_status spw_cuda_precond_chebyshev(const spw_csr *A, int degree, spw_cuda_operator *M) {
    spw_operator host;
    *M = (spw_cuda_operator){0};
    const spw_status status = spw_precond_chebyshev(A, degree, &host);
    return status ? status : make_polynomial("cheby", A, degree, &host, M);
}

#include "solvers/lobpcg_cuda.h"

#include "base/device.h"
#include "base/memory.h"
#include "kernels/cuda_block.h"
#include "solvers/lobpcg_parts.h"

#include <stddef.h>

enum { A_DOUBLE = (int)sizeof(double), SIDES = 3 }; /* blocks that stand side by side */

/* Small matrices on the device and on the host, and room for the parts of sums. */
typedef struct room {
    double *d_small; /* [(SIDES width)^2] */
    double *small;   /* [(SIDES width)^2] */
    double *d_parts; /* [SPW_CUDA_PARTS width^2] */
    double *d_pair;  /* [2 n] */
} room;

static void end(void *context) {
    room *r = context;
    if (!r) return;
    spw_device_free(r->d_small);
    spw_free(r->small);
    spw_device_free(r->d_parts);
    spw_device_free(r->d_pair);
    spw_free(r);
}

static spw_status begin(int64_t n, int width, void **context) {
    const int64_t square = (int64_t)width * width;
    room *r = NULL;
    spw_status status = SPW_ALLOC_ZERO(&r, 1);
    if (status) return status;
    status = SPW_DEVICE_ALLOC(&r->d_small, SIDES * SIDES * square);
    if (!status) status = SPW_ALLOC(&r->small, SIDES * SIDES * square);
    if (!status) status = SPW_DEVICE_ALLOC(&r->d_parts, SPW_CUDA_PARTS * square);
    if (!status) status = SPW_DEVICE_ALLOC(&r->d_pair, 2 * n);
    if (status) {
        end(r);
        r = NULL;
    }
    *context = r;
    return status;
}

/* Zeros, so that columns that are not in use hold numbers, too. */
static spw_status alloc(int64_t count, double **V) {
    const spw_status status = SPW_DEVICE_ALLOC(V, count);
    return status ? status : spw_device_zero(*V, count * A_DOUBLE);
}

static void release(double *V) { spw_device_free(V); }

static spw_status to_host(int64_t count, const double *d_V, double *host) {
    return spw_device_copy_from(host, d_V, count * A_DOUBLE);
}

static spw_status from_host(int64_t count, const double *host, double *d_V) {
    return spw_device_copy_to(d_V, host, count * A_DOUBLE);
}

/* A product for each pair of blocks, one after the other in d_small, and one copy for all. */
static spw_status gram(void *context, int64_t n, int n_x, const spw_block *X, int n_y,
                       const spw_block *Y, double *C) {
    const room *r = context;
    const int64_t q = spw_block_columns(n_y, Y);
    int64_t done = 0;
    for (int i = 0; i < n_x; i++)
        for (int j = 0; j < n_y; done += X[i].nv * Y[j++].nv) {
            const spw_status status = spw_gram_cuda(n, X[i].nv, X[i].at, X[i].ld, Y[j].nv, Y[j].at,
                                                    Y[j].ld, r->d_small + done, r->d_parts);
            if (status) return status;
        }
    const spw_status status = to_host(done, r->d_small, r->small);
    if (status) return status;
    const double *from = r->small;
    for (int i = 0; i < n_x; C += q * X[i++].nv)
        for (int j = 0, column = 0; j < n_y; column += Y[j++].nv)
            for (int a = 0; a < X[i].nv; a++)
                for (int b = 0; b < Y[j].nv; b++) C[a * q + column + b] = *from++;
    return SPW_OK;
}

static spw_status combine(void *context, int64_t n, int n_x, const spw_block *X, const double *C,
                          int n_y, const spw_block *Y) {
    const room *r = context;
    const spw_status status =
        from_host(spw_block_columns(n_x, X) * spw_block_columns(n_y, Y), C, r->d_small);
    return status ? status : spw_combine_cuda(n, n_x, X, r->d_small, n_y, Y);
}

static spw_status residual(void *context, int64_t n, int nv, const double *lambda, const double *U,
                           const double *V, int64_t ld, double *R, double *square) {
    const room *r = context;
    double *d_lambda = r->d_small, *d_square = r->d_small + nv;
    spw_status status = from_host(nv, lambda, d_lambda);
    if (!status)
        status =
            spw_residual_block_cuda(n, nv, d_lambda, U, ld, V, ld, R, ld, d_square, r->d_parts);
    return status ? status : to_host(nv, d_square, square);
}

static spw_status multiply(void *context, const void *op, int nv, const double *X, double *Y,
                           int64_t ld, int one_by_one) {
    const room *r = context;
    return spw_cuda_operator_apply_block(op, nv, X, ld, Y, ld, r->d_pair, one_by_one);
}

static spw_cost cost(const void *op, int nv, int one_by_one) {
    return spw_cuda_operator_cost_block(op, nv, one_by_one);
}

static spw_lobpcg_matrix matrix(const spw_cuda_operator *op) {
    return op ? (spw_lobpcg_matrix){op, op->name, op->n, 0, false} : (spw_lobpcg_matrix){0};
}

spw_status spw_lobpcg_cuda(const spw_cuda_operator *A, const spw_cuda_operator *B,
                           const spw_cuda_operator *M, double *d_X, int use_guess,
                           const spw_lobpcg_options *options, spw_lobpcg_result *result) {
    static const spw_lobpcg_place device = {.begin = begin,
                                            .end = end,
                                            .alloc = alloc,
                                            .release = release,
                                            .to_host = to_host,
                                            .from_host = from_host,
                                            .wait = spw_device_synchronise,
                                            .gram = gram,
                                            .combine = combine,
                                            .residual = residual,
                                            .select = spw_select_cuda,
                                            .multiply = multiply,
                                            .cost = cost};
    return spw_lobpcg_run(&device, matrix(A), matrix(B), matrix(M), d_X, use_guess, options,
                          result);
}

/* solvers/lobpcg_parts.h -- LOBPCG without knowing where its tall matrices are. Internal.
 *
 * lobpcg.c has the method, and the small matrices, which are the host's. What has n rows is somewhere: in the
 * host's memory (lobpcg_host.c) or in the device's (lobpcg_cuda.c). A place is a table of what must be done
 * there; all of its blocks have the same leading dimension. */
#pragma once

#include "base/status.h"
#include "kernels/block.h"
#include "perf/cost.h"
#include "solvers/lobpcg.h"

#include <stdbool.h>
#include <stdint.h>

/* A, B or M. */
typedef struct spw_lobpcg_matrix {
    const void *op; /* as the place knows it; NULL: there is none */
    const char *name;
    int64_t n, first; /* rows; of a part (operator.h), and where it begins */
    bool is_part;
} spw_lobpcg_matrix;

typedef struct spw_lobpcg_place {
    bool on_host; /* blocks are the host's memory: no copy is needed to look at them */

    /* Room of its own for n rows and blocks of at most `width` vectors. NULL and all is well where none is
     * needed; end takes that. */
    spw_status (*begin)(int64_t n, int width, void **context);
    void (*end)(void *context);

    spw_status (*alloc)(int64_t count, double **V); /* NULL on failure */
    void (*release)(double *V);                     /* takes NULL */
    spw_status (*to_host)(int64_t count, const double *V, double *host);
    spw_status (*from_host)(int64_t count, const double *host, double *V);

    /* Returns when all is done, for the clock. */
    spw_status (*wait)(void);

    /* As in kernels/block.h, with C, lambda and square on the host. */
    spw_status (*gram)(void *context, int64_t n, int n_x, const spw_block *X, int n_y,
                       const spw_block *Y, double *C);
    spw_status (*combine)(void *context, int64_t n, int n_x, const spw_block *X, const double *C,
                          int n_y, const spw_block *Y);
    spw_status (*residual)(void *context, int64_t n, int nv, const double *lambda, const double *U,
                           const double *V, int64_t ld, double *R, double *square);

    /* Y[i][j] = X[i][from[j]]; X and Y do not overlap. */
    spw_status (*select)(int64_t n, int count, const int *from, const double *X, int64_t ldx,
                         double *Y, int64_t ldy);

    /* Y = op X, and what that costs. */
    spw_status (*multiply)(void *context, const void *op, int nv, const double *X, double *Y,
                           int64_t ld, int one_by_one);
    spw_cost (*cost)(const void *op, int nv, int one_by_one);

    /* As spw_operator_sum; NULL: A is never a part. */
    void (*sum)(const void *op, int count, double *values);
} spw_lobpcg_place;

/* spw_lobpcg and spw_lobpcg_cuda; `out` is where the place is. */
spw_status spw_lobpcg_run(const spw_lobpcg_place *place, spw_lobpcg_matrix A, spw_lobpcg_matrix B,
                          spw_lobpcg_matrix M, double *out, int use_guess,
                          const spw_lobpcg_options *options, spw_lobpcg_result *result);

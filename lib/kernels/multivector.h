/* kernels/multivector.h -- a block of vectors, and SpMM for callers who want their arguments checked.
 *
 *     spw_multivector X, Y;
 *     status = spw_multivector_create(A.n_cols, 16, SPW_ROW_MAJOR, &X);
 *     if (!status) status = spw_multivector_create(A.n_rows, 16, SPW_ROW_MAJOR, &Y);
 *     ... fill X.val[j * X.ld + v] ...
 *     if (!status) status = spw_spmm_csr(&A, &X, &Y);
 *     spw_multivector_destroy(&X);
 *     spw_multivector_destroy(&Y);
 * The kernels (kernels/spmm.h) take bare arrays and assert; these check, and choose the kernel. */
#ifndef SPW_KERNELS_MULTIVECTOR_H
#define SPW_KERNELS_MULTIVECTOR_H

#include "base/index.h"
#include "base/status.h"
#include "formats/csr.h"
#include "formats/sellp.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum spw_major {
    SPW_ROW_MAJOR,   /* element i of vector v is val[i * ld + v], ld >= nv */
    SPW_COLUMN_MAJOR /* element i of vector v is val[v * ld + i], ld >= n: as BLAS has it */
} spw_major;

typedef struct spw_multivector {
    spw_idx n, nv; /* elements a vector, vectors */
    spw_major layout;
    int64_t ld;  /* leading dimension */
    double *val; /* [n * ld] or [nv * ld] */
} spw_multivector;

/* Makes room without gaps, except that a row-major ld is rounded up to 8 (64 bytes) from 8 vectors on,
 * so that rows begin at cache lines; not initialised. *B is overwritten and owns its array. On failure *B
 * is all zero.
 *   SPW_ERR_ARG     n < 0 or nv < 1
 *   SPW_ERR_MEMORY  no room */
spw_status spw_multivector_create(spw_idx n, spw_idx nv, spw_major layout, spw_multivector *B);

/* Frees the array and sets *B to zero. Takes NULL and a zero struct. */
void spw_multivector_destroy(spw_multivector *B);

/* *to = *from in the layout of *to, by spw_transpose_omp_blocked where the layouts differ.
 *   SPW_ERR_ARG  their sizes differ, a leading dimension is too small, or they overlap; *to is then as
 *                it was */
spw_status spw_multivector_copy(const spw_multivector *from, spw_multivector *to);

/* Y = A X. A is valid; X and Y exist and may be row-major or column-major each. A column-major block is
 * turned, in every call, in scratch memory of its size: 16 n nv bytes moved and as many page faults. Who
 * multiplies often keeps row-major blocks. On failure the elements of Y are zero, but they are left as
 * they were where Y overlaps X or has no valid sizes.
 *   SPW_ERR_ARG     nv < 1, X->n is not n_cols, Y->n is not n_rows, the numbers of vectors differ, a
 *                   leading dimension is too small, or Y overlaps X
 *   SPW_ERR_MEMORY  no room for the scratch memory */
spw_status spw_spmm_csr(const spw_csr *A, const spw_multivector *X, spw_multivector *Y);
spw_status spw_spmm_sellp(const spw_sellp *A, const spw_multivector *X, spw_multivector *Y);

#ifdef __cplusplus
}
#endif

#endif

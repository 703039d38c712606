/* kernels/dense.h -- dense matrix times vector.
 *
 * A is m x n, row-major without gaps: A[i][j] is A[i * n + j]. Every entry is used once: 8 bytes and 2
 * flops each, so that memory sets the speed as soon as A is larger than the caches. */
#ifndef SPW_KERNELS_DENSE_H
#define SPW_KERNELS_DENSE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* y = A x.
 *   A  [m * n]  m, n >= 0
 *   x  [n]
 *   y  [m]      overwritten, never read, and does not overlap the others; all zero for n = 0
 * A pointer may be NULL where its array has no elements. */
typedef void (*spw_dgemv_fn)(int64_t m, int64_t n, const double *A, const double *x, double *y);

void spw_dgemv_ref(int64_t m, int64_t n, const double *A, const double *x, double *y);
void spw_dgemv_omp(int64_t m, int64_t n, const double *A, const double *x, double *y);
void spw_dgemv_omp_rows4(int64_t m, int64_t n, const double *A, const double *x, double *y);

#ifdef __cplusplus
}
#endif

#endif

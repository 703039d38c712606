/* solvers/powers.h -- the matrix-powers kernel: A x, A^2 x, ..., A^p x with the matrix read once, not p times.
 *
 * Breadth-first search numbers the rows by their distance from a start: levels. A row couples with its own
 * level and the two beside it only, so that A^k x on level l needs A^(k-1) x on levels l-1 .. l+1. In the order
 *
 *     level:       0  1  2  3  4  5 ...
 *     A x          1  2  4  7 10
 *     A^2 x        3  5  8 11            the numbers say when: a front that moves to the right
 *     A^3 x        6  9 12
 *
 * the p levels of the front are all that has to stay in a cache. Each thread has a part of the levels,
 * with a front of its own that is one level shorter for each power at an end where another part begins;
 * the triangles left over there are done when all are. So there are two barriers, whatever p is.
 *
 *     p products     p (m + 16 n (+ 8 n WA)) bytes, with m those of the matrix: 12 nz + 4 n in CSR
 *     here           m + 8 n + p 8 n (+ p 8 n WA), if a front fits the cache
 *
 * laplace2d:4000x4000, p = 8: 2.2 times as fast as eight products by spw_spmv_csr_omp_balanced (Intel Xeon, family 6
 * model 143, 2 vCPU KVM virtual machine, 2 threads, gcc 12.2, 2026-11-22; `make bench ONLY=solvers`).
 *
 * Source: M. Hoemmen, Communication-avoiding Krylov subspace methods, University of California, Berkeley,
 * 2010; by levels: C. Alappat, G. Hager, O. Schenk, G. Wellein, IEEE Trans. Parallel Distrib. Syst. 34(2),
 * 581-597, 2023, doi:10.1109/TPDS.2022.3223512. Instead of their recursion within wide levels we give each
 * thread levels of its own. */
#pragma once

#include "base/extern_c.h"
#include "base/index.h"
#include "base/status.h"
#include "formats/csr.h"
#include "formats/sell_short.h"
#include "perf/cost.h"

#include <stdint.h>

SPW_C_BEGIN

typedef struct spw_powers {
    spw_csr A; /* a copy, rows and columns in the order of the levels */
    spw_sell_short
        S; /* the same again, in slices of 8 rows, for the product: a front is in a cache, and there
                       * CSR is limited by arithmetic. All zero where padding would be a quarter or more: then
                       * it is A that is multiplied */
    spw_idx
        *slice_row; /* [S.n_chunks+1]  slice s: rows slice_row[s] .. slice_row[s+1]-1, at most 8 */
    spw_idx *group_slice; /* [n_groups+1]    group g: slices group_slice[g] .. group_slice[g+1]-1 */
    spw_idx *perm;        /* [n]  row k of the copy is row perm[k] of the matrix given */
    spw_idx n_levels;     /* of the breadth-first search */
    spw_idx
        *level_ptr;   /* [n_levels+1]  level l: rows level_ptr[l] .. level_ptr[l+1]-1 of the copy */
    spw_idx n_groups; /* neighbouring levels that are done as one, as alone they are too small */
    spw_idx *group_ptr; /* [n_groups+1]  group g: rows group_ptr[g] .. group_ptr[g+1]-1 */
    int64_t
        front_bytes; /* matrix and vectors of the largest group: p + 1 of them should fit a cache */
} spw_powers;

/* Levels, and the copies. A need not be symmetric: levels are those of A + A^T. A is not kept. On failure *P
 * is all zero. O(nnz log(longest row)) time, O(nnz) memory; the search is serial.
 *   SPW_ERR_ARG     A is not valid (spw_csr_validate)
 *   SPW_ERR_ARG     A is not square
 *   SPW_ERR_MEMORY  no room for the copies and the search */
spw_status spw_powers_create(const spw_csr *A, spw_powers *P);
void spw_powers_destroy(spw_powers *P);

/* y[k] = A^(k+1) x for k = 0 .. p-1, all in the order of the levels. p >= 1; x and the p arrays of n
 * elements do not overlap. */
void spw_powers_multiply(const spw_powers *P, int p, const double *x, double *const *y);

/* Bytes of the largest p neighbouring levels: of the matrix as it is multiplied, and elements of three vectors. As long as they
 * fit a thread's cache, its front finds there what it needs again. p >= 1 */
int64_t spw_powers_window(const spw_powers *P, int p);

/* What spw_powers_multiply must move and compute at the least, without write-allocate (8 n p bytes). */
spw_cost spw_powers_cost(const spw_powers *P, int p);

SPW_C_END

/* kernels/incomplete.h -- incomplete factors IC(0) and ILU(0) of a matrix, in the place of its triangles.
 *
 *     spw_triangle L;
 *     if (spw_triangle_from_csr(&A, SPW_LOWER, SPW_DIAGONAL_OWN, &L)) ...
 *     if (spw_triangle_schedule(&L, spw_max_threads(), 0)) ...
 *     if (spw_ic0_omp(&A, 0, &L, &result)) ...
 *     if (result.bad == L.n) ...
 *
 * A row of a factor needs the rows of the columns that it has on the left: the same as in a solution. So all
 * threads factor in the order in which they will solve, level after level (kernels/trsv.h).
 * With l_ij, u_ij only where A has an entry, and all sums over k < j or k < i likewise:
 *     IC(0)    l_ij = a_ij - sum l_ik l_jk / l_kk    j <= i     A ~ L D^-1 L^t, D the diagonal of L
 *     ILU(0)   l_ij = (a_ij - sum l_ik u_kj) / u_jj  j < i      A ~ L U, the diagonal of L is ones
 *              u_ij = a_ij - sum l_ik u_kj           j >= i
 * where the diagonal of A is multiplied by 1 + shift. No square root is taken: L D^-1/2 is Cholesky's factor.
 * Source: J. A. Meijerink, H. A. van der Vorst, Math. Comp. 31, 148-162, 1977,
 * doi:10.1090/S0025-5718-1977-0438681-4. */
#pragma once

#include "base/extern_c.h"
#include "base/index.h"
#include "base/status.h"
#include "formats/csr.h"
#include "kernels/trsv.h"

SPW_C_BEGIN

typedef struct spw_incomplete {
    spw_idx bad; /* the first row whose pivot is no good; n if all are */
    double flop; /* done; with a bad row, some rows behind it are among them */
} spw_incomplete;

/* IC(0) of A + shift diag(A). L: the lower triangle of A with its own diagonal and a schedule; afterwards its
 * values and inverse are those of the factor. A pivot is bad if it is not above 1e-10 times the diagonal
 * entry: then the rows from it on are of no use. What A has above its diagonal is not looked at. All numbers
 * of threads give the same bits. While it works it takes 4 n bytes for each thread.
 *   SPW_ERR_MEMORY  no room; L is as it was */
spw_status spw_ic0_omp(const spw_csr *A, double shift, spw_triangle *L, spw_incomplete *result);

/* ILU(0) of A + shift diag(A). L: the lower triangle of A with a diagonal of ones and a schedule; U: the upper
 * one with A's diagonal. A pivot is bad if its absolute value is not above 1e-10 times the largest of its row in
 * A. Else as above.
 *   SPW_ERR_MEMORY  no room; L and U are as they were */
spw_status spw_ilu0_omp(const spw_csr *A, double shift, spw_triangle *L, spw_triangle *U,
                        spw_incomplete *result);

SPW_C_END

/* solvers/precond.h -- preconditioners: operators z = M^-1 r with M near A and quickly applied.
 *
 * They are spw_operator: cost is of one application, setup and setup_seconds of making it, and note says
 * what was found or decided: levels, colours, a shift. For a conjugate gradient method M must be symmetric
 * positive definite.
 *     spw_operator M;
 *     if (spw_precond_ic0(&A, &M)) ...
 *     spw_pcg(&op, &M, b, x, NULL, &result);
 *     spw_operator_destroy(&M);
 * What they are, and what an application costs in products A p, counted in bytes for a matrix of many
 * entries a row, SPD: is M symmetric positive definite where A is?
 *                                                                  SPD   products   parallel
 *     jacobi         D                                             yes   near 0     all rows
 *     bjacobi        diagonal blocks                               yes   near 0     all blocks
 *     sgs            (D+L) D^-1 (D+U), in the order of the rows    yes   1          levels of rows
 *     sgs_colour     the same, rows coloured first                 yes   2          colours
 *     ic0, ilu0      (D'+L') D'^-1 (D'+U') with A's pattern        yes   1          levels of rows
 *     cholesky       L Lᵀ, nothing left out                        yes   its fill   levels of rows
 *     ..._neumann    their triangles' inverses by k terms          yes   k          all rows
 *     neumann        polynomial of degree k in D^-1 A              yes   k          all rows
 *     chebyshev      the same, the best on an interval             yes   k          all rows
 *     fsai           G^T G, G near the inverse of chol(A)          yes   1          all rows
 *     spai           M^-1 itself, with A's pattern                 no    1          all rows
 *     multigrid      a V-cycle on coarser and coarser grids        yes   2          all rows of a level
 * On failure *M is all zero. A is not kept unless a function says so: the polynomials in A keep it.
 *   SPW_ERR_ARG     for all: A is not square; or a diagonal entry is missing, zero, or its inverse is not
 *                   finite: the message has the row
 *   SPW_ERR_RANGE   more than SPW_IDX_MAX entries to store
 *   SPW_ERR_MEMORY  no room */
#pragma once

#include "base/extern_c.h"
#include "base/status.h"
#include "formats/csr.h"
#include "solvers/operator.h"

#include <stdbool.h>
#include <stdint.h>

SPW_C_BEGIN

/* One row of the table of all (solvers/precond/table.c), for whoever chooses by name. */
typedef struct spw_precond {
    const char *name; /* "bjacobi": as in PRECOND=bjacobi:3 */
    spw_status (*make)(const spw_csr *A, spw_operator *M);
    spw_status (*make_with)(const spw_csr *A, int number, spw_operator *M); /* instead of make */
    const char *what; /* the number of make_with is: "rows of a block"; NULL: there is none */
    int usual;        /* number, if none is given */
    bool symmetric;   /* M is symmetric where A is, so that it serves CG and LOBPCG */
    bool needs;       /* A must be symmetric */
    bool polynomial;  /* neumann and cheby alone: they multiply by the solver's operator */
} spw_precond;

const spw_precond *spw_preconds(int *count);

/* "cheby", or "cheby:6" with a number: its row, and the number.
 *   SPW_ERR_ARG  no such name, the message has all; or what stands behind the colon is no number from 1 */
spw_status spw_precond_find(const char *name, const spw_precond **row, int *number);

/* *M by that name. The errors of spw_precond_find and of the function in the row. for: a polynomial multiplies by op,
 * which is A in whatever format and is kept; the others do not look at it. */
spw_status spw_precond_named(const char *name, const spw_csr *A, spw_operator *M);
spw_status spw_precond_for(const char *name, const spw_csr *A, const spw_operator *op,
                           spw_operator *M);

/* A cost in products with A: how many of those would move as many bytes. Set-up and application of a
 * preconditioner are compared in that. A must cost something. */
double spw_cost_in_products(spw_cost cost, const spw_operator *A);

/* z[i] = r[i] / a_ii. Source: C. G. J. Jacobi, Astronomische Nachrichten 22(20), 297-306, 1845,
 * doi:10.1002/asna.18450222002. A negative a_ii is taken: the solver finds out what it means. */
spw_status spw_precond_jacobi(const spw_csr *A, spw_operator *M);

/* z = r by blocks of that many rows along the diagonal, 1 .. SPW_BLOCK_ROWS_MAX, each inverted; 0: the size is
 * found. That is the largest for which all rows of a block have the same columns, in whole blocks, as where
 * a mesh has several unknowns a node; without one it is 4. The last block may be smaller. No diagonal entry
 * is needed where the block has an inverse.
 *   SPW_ERR_ARG  block is out of its range, or a block is singular: the message has its rows
 * Source: P. Concus, G. H. Golub, G. Meurant, SIAM J. Sci. Stat. Comput. 6(1), 220-252, 1985,
 * doi:10.1137/0906018. */
enum { SPW_BLOCK_ROWS_MAX = 32 };
spw_status spw_precond_bjacobi(const spw_csr *A, int block, spw_operator *M);

/* Symmetric Gauss-Seidel, one sweep down and one up from zero, A = L + D + U. sgs solves both triangles
 * with all threads in the natural order (kernels/trsv.h); sgs_serial with one, to compare: the same bits.
 * A must not be symmetric, but M then is not either.
 * Source: Y. Saad, Iterative Methods for Sparse Linear Systems, 2nd ed., SIAM, 2003, section 10.2,
 * doi:10.1137/1.9780898718003. */
spw_status spw_precond_sgs(const spw_csr *A, spw_operator *M);
spw_status spw_precond_sgs_serial(const spw_csr *A, spw_operator *M);

/* The same sweeps, but colour after colour of rows that do not need each other (kernels/symgs.h): all cores
 * whatever the matrix, and more iterations. percent: of each colour that a device does, 0 .. 100.
 *   SPW_ERR_ARG          also: percent out of its range
 *   SPW_ERR_UNAVAILABLE  percent above 0, and no device for target regions */
spw_status spw_precond_sgs_colour(const spw_csr *A, int percent, spw_operator *M);

/* Incomplete factors with no entry where A has none. ic0 is for a symmetric A, which is not checked: it
 * looks at the lower triangle. Where a pivot is not positive (ic0), or next to nothing beside its row (ilu0), the
 * factorisation begins anew for A + shift diag(A), with shift = 0.001, 0.002, 0.004, ... until it succeeds; the
 * note has the shift.
 *   SPW_ERR_ARG  also: no shift up to 1000 helped
 * Source: J. A. Meijerink, H. A. van der Vorst, Math. Comp. 31, 148-162, 1977,
 * doi:10.1090/S0025-5718-1977-0438681-4; the shift: T. A. Manteuffel, Math. Comp. 34, 473-497, 1980,
 * doi:10.1090/S0025-5718-1980-0559197-0, who searches for the smallest. */
spw_status spw_precond_ic0(const spw_csr *A, spw_operator *M);
spw_status spw_precond_ilu0(const spw_csr *A, spw_operator *M);

/* The whole factor of Cholesky, by CHOLMOD: M = A up to rounding. Not to solve A z = r, where one application is
 * all there is to do, but for LOBPCG on matrices that no incomplete factor is near enough to: its smallest
 * eigenvalues then take some dozen iterations, as with inverse iteration, whatever the condition number.
 * A must be symmetric, which is not checked: it looks at the lower triangle. Fill-in makes it large: the note
 * has the entries; a mesh in three dimensions of n rows fills in with some n^(4/3).
 *   SPW_ERR_ARG          also: A is not positive definite: the message has the row
 *   SPW_ERR_UNAVAILABLE  built without CHOLMOD (make doctor) */
spw_status spw_precond_cholesky(const spw_csr *A, spw_operator *M);

/* IC(0)'s and ILU(0)'s factors, but (I + N)^-1 is replaced by I - N + N^2 - ... of that degree, 0 .. 100, for each
 * triangle: products instead of solutions, all rows at the same time. With as many terms as there are levels
 * it is exact.
 *   SPW_ERR_ARG  also: a degree out of its range
 * Source: H. A. van der Vorst, SIAM J. Sci. Stat. Comput. 3(3), 350-356, 1982, doi:10.1137/0903021. */
spw_status spw_precond_ic0_neumann(const spw_csr *A, int degree, spw_operator *M);
spw_status spw_precond_ilu0_neumann(const spw_csr *A, int degree, spw_operator *M);

/* M^-1 = w (I + S + ... + S^degree) D^-1, S = I - w D^-1 A; degree 0 .. 100. w = 1 / max row sum
 * of |D^-1 A|, a bound of its eigenvalues: M is positive definite where A is, for any degree. A is kept.
 * Source: P. F. Dubois, A. Greenbaum, G. H. Rodrigue, Computing 22, 257-268, 1979, doi:10.1007/BF02243566. */
spw_status spw_precond_neumann(const spw_csr *A, int degree, spw_operator *M);

/* degree+1 steps of the Chebyshev iteration from zero for D^-1 A on [low, high]; degree 0 .. 100. high is a
 * bound: the largest eigenvalue that 12 steps of Lanczos saw, and the norm of what they left over, but not
 * more than the largest row sum of |D^-1/2 A D^-1/2|. low is high / (4 (degree+1)^2), or the smallest that Lanczos
 * saw if that is larger: what lies below is not touched much, which the conjugate gradients see to. M is
 * positive definite as long as no eigenvalue is above high + low. A is kept, and must be symmetric, which
 * is not checked.
 *   SPW_ERR_ARG  also: a diagonal entry that is not positive
 * Source: O. G. Johnson, C. A. Micchelli, G. Paul, SIAM J. Numer. Anal. 20(2), 362-376, 1983,
 * doi:10.1137/0720025; Y. Saad, SIAM J. Sci. Stat. Comput. 6(4), 865-881, 1985, doi:10.1137/0906059. The
 * bound: Y. Zhou, R.-C. Li, Linear Algebra Appl. 435(3), 480-493, 2011, doi:10.1016/j.laa.2010.06.034. */
spw_status spw_precond_chebyshev(const spw_csr *A, int degree, spw_operator *M);

/* Both for an operator, which may be a part (spw_operator.sum), and is kept. inverse: [n] of the diagonal, positive for
 * chebyshev. bound: the largest row sum of |D^-1 A|, for chebyshev of |D^-1/2 A D^-1/2|, over all parts. */
spw_status spw_precond_polynomial(bool chebyshev, int degree, const spw_operator *A,
                                  const double *inverse, double bound, spw_operator *M);

/* Sparse approximate inverses: each row is a small dense problem of its own. fsai: G with the pattern of A's
 * lower triangle minimises ||I - G chol(A)||; A must be symmetric, which is not checked. spai: row i
 * of M^-1 with the pattern of row i of A minimises ||e_i - row A||. Of rows with more than SPW_SAI_WIDEST
 * entries (fsai: in the lower triangle) the largest are taken, and the note says so.
 *   SPW_ERR_ARG  also: fsai: the small matrix of a row is not positive definite, so A is not; spai: a row
 *                that has no entry, or whose problem has no solution: the message has the row
 * Source: L. Yu. Kolotilina, A. Yu. Yeremin, SIAM J. Matrix Anal. Appl. 14(1), 45-58, 1993,
 * doi:10.1137/0614004; M. J. Grote, T. Huckle, SIAM J. Sci. Comput. 18(3), 838-853, 1997,
 * doi:10.1137/S1064827594276552. They solve spai by QR and improve the pattern; here it is given, and the
 * normal equations of a row are good enough for what is approximate anyway. */
enum { SPW_SAI_WIDEST = 128 };
spw_status spw_precond_fsai(const spw_csr *A, spw_operator *M);
spw_status spw_precond_spai(const spw_csr *A, spw_operator *M);

/* A V(1,1) cycle of solvers/multigrid.h from 0: for laplace2d and laplace3d of 2^k - 1 points in each direction, whose
 * iterations it makes as few as ten, however fine the grid is. The errors of spw_multigrid_create. */
spw_status spw_precond_multigrid(const spw_csr *A, spw_operator *M);

SPW_C_END

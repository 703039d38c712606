/* solvers/lobpcg.h -- a few of the smallest, or largest, eigenvalues of a symmetric matrix, and their vectors.
 *
 *     A x = lambda x,   or   A x = lambda B x
 *
 * Locally optimal block preconditioned conjugate gradients: in each iteration the best nv vectors are
 * chosen from the span of three blocks,
 *
 *     X   the vectors so far                     [X W P]ᵀ A [X W P] C = [X W P]ᵀ B [X W P] C diag(lambda)
 *     W   M^-1 (A X - B X diag(lambda))          X := [X W P] C,   first nv columns of C
 *     P   where X came from                      P := that part of it that is B-orthogonal to the new X
 *
 * The large matrices are n x nv, the eigenproblem in the middle is at most 3 nv x 3 nv and goes to LAPACK.
 * A X, B X, A P and B P are carried along by the same combination: one product A W an iteration.
 *
 * What keeps it stable where vectors converge at different speeds: X and P are kept B-orthonormal (the
 * basis of Hetmaniuk and Lehoucq), W is made so against both, vectors that depend on others are dropped, and
 * the small problem is solved with the Gram matrix as it is, rounding included. Where that is no longer
 * positive definite the iteration goes on without P. Converged pairs take no further part in W and P, but
 * stay in X (soft locking).
 *
 * Flops an iteration, with nv vectors in all three blocks and n rows, nz entries:
 *     2 nz nv  A W   |   n nv^2 times:  4 normalise W, 8 more with M, 12 Gram matrices, 24 combine
 * so 2 nz nv + 40 n nv^2, or 48 with a preconditioner (2 more are W times I). The count in the papers is 36.
 *
 * Sources: A. V. Knyazev, SIAM J. Sci. Comput. 23(2), 517-541, 2001, doi:10.1137/S1064827500366124; U.
 * Hetmaniuk, R. Lehoucq, J. Comput. Phys. 218(1), 324-332, 2006, doi:10.1016/j.jcp.2006.02.007; A. V.
 * Knyazev et al. (BLOPEX), SIAM J. Sci. Comput. 29(5), 2224-2239, 2007, doi:10.1137/060661624; the block
 * kernels: H. Anzt, S. Tomov, J. Dongarra, doi:10.1177/1094342016672081. */
#pragma once

#include "base/extern_c.h"
#include "perf/cost.h"
#include "solvers/operator.h"
#include "solvers/solver.h"

#include <stdint.h>

SPW_C_BEGIN

enum { SPW_LOBPCG_MAX = 64 }; /* vectors */

/* All zero means all defaults; NULL, too. */
typedef struct spw_lobpcg_options {
    int nv;      /* pairs wanted, 1 .. SPW_LOBPCG_MAX; 0: 1 */
    int guard;   /* further vectors that speed the last ones up and need not converge; -1: none; 0:
                           nv / 4 + 1, as far as SPW_LOBPCG_MAX and n allow */
    int largest; /* 1: the largest eigenvalues, descending; 0: the smallest, ascending */
    double
        tolerance; /* a pair has converged where ||A x - lambda B x|| <= tolerance |lambda| ||B x||;
                           0: 1e-6 */
    int max_iterations; /* 0: 1000 */
    int one_by_one;     /* 1: A W as single products, to compare with one product for all */
    uint64_t seed;      /* of the random first vectors */
    /* Called before each iteration with the number of pairs that have converged and the largest relative
     * residual. Anything but 0 stops. May be NULL. */
    int (*progress)(void *context, int iteration, int converged, double residual, double seconds);
    void *progress_context;
} spw_lobpcg_options;

typedef enum spw_lobpcg_phase {
    SPW_LOBPCG_RESIDUAL,      /* W = A X - B X diag(lambda) */
    SPW_LOBPCG_PRECONDITION,  /* W = M^-1 W */
    SPW_LOBPCG_ORTHOGONALISE, /* W against X and P, and in itself */
    SPW_LOBPCG_MULTIPLY,      /* A W, B W */
    SPW_LOBPCG_GRAM,          /* the matrices of the small eigenproblem */
    SPW_LOBPCG_SMALL,         /* that eigenproblem, LAPACK */
    SPW_LOBPCG_COMBINE,       /* X, P and their products with A and B */
    SPW_LOBPCG_PHASES
} spw_lobpcg_phase;

const char *spw_lobpcg_phase_name(spw_lobpcg_phase phase); /* "residual", ... */

typedef struct spw_lobpcg_result {
    spw_stop stop;
    char text[SPW_STOP_TEXT]; /* one sentence with its numbers */
    int iterations;
    int nv;           /* pairs asked for */
    int converged;    /* of them */
    double *lambda;   /* [nv] */
    double *residual; /* [nv]  ||A x - lambda B x||, computed anew at the end; x has B-length 1 */
    double *relative; /* [nv]  that over |lambda| ||B x||; infinite for lambda = 0 */
    int restarts;     /* how often P was left out */
    int n_history;
    double *history; /* [n_history * nv]  relative residuals before each iteration */
    double seconds;  /* from call to return */
    struct {
        int64_t calls;
        double seconds;
        spw_cost cost; /* bytes and flops of all its calls, as executed */
    } phases[SPW_LOBPCG_PHASES];
} spw_lobpcg_result;

/* Frees the arrays and sets *result to zero. Takes NULL and a zero struct. */
void spw_lobpcg_result_destroy(spw_lobpcg_result *result);

/* Finds them.
 *   A  symmetric (not checked: look at spw_csr_inspect first)
 *   B  symmetric positive definite, or NULL for the identity
 *   M  preconditioner near A, symmetric positive definite, or NULL
 *   X  [n, nv] row-major without gaps, or NULL if the vectors are not wanted: the eigenvectors on return,
 *      with xᵀBx = 1. With use_guess the first guess on entry.
 * *result is overwritten and owns its arrays; on failure it is all zero. Not converging is a result, as is
 * a matrix B that turns out not to be positive definite (SPW_STOP_NOT_SPD).
 * Where n < 5 (nv + guard) the matrices are written out densely and LAPACK does all.
 * A pair counts as converged, too, where its residual is at the level of rounding, 10 eps ||A||: with
 * lambda near zero nothing better can be had.
 *   SPW_ERR_ARG          nv < 1, above SPW_LOBPCG_MAX or above n; B or M of another size; an option out of
 *                        its range
 *   SPW_ERR_UNAVAILABLE  this build has no LAPACK
 *   SPW_ERR_MEMORY       no room for six blocks of n x (nv + guard), nine with B */
spw_status spw_lobpcg(const spw_operator *A, const spw_operator *B, const spw_operator *M,
                      double *X, int use_guess, const spw_lobpcg_options *options,
                      spw_lobpcg_result *result);

SPW_C_END

/* kit/systems.h -- linear systems for drivers, and the plainest arithmetic on them.
 *
 * Serial loops in the order of the rows: they share no code with the kernels that are judged.
 *     spw_csr A;
 *     if (spw_system_load("laplace2d:30x29", seed, &A)) ...
 *     spw_system_product(&A, x, y);
 *     norm = sqrt(spw_system_dot(n, y, y)); */
#pragma once

#include "base/extern_c.h"
#include "base/status.h"
#include "formats/csr.h"
#include "judge/exercise.h"

#include <stdbool.h>
#include <stdint.h>

SPW_C_BEGIN

/* A square matrix of spw_csr_named, kit/cases.h; or "swap", (0 1; 1 0), where e1.A e1 is 0, or "fours:40", below. *A is overwritten and owns its arrays; on failure it is all zero.
 *   SPW_ERR_ARG  also: not square
 *   and the errors of spw_csr_named */
spw_status spw_system_load(const char *name, uint64_t seed, spw_csr *A);

/* Three systems, symmetric positive definite, of which each is a case for another preconditioner. *A is overwritten
 * and owns its arrays; on failure it is all zero. The errors of spw_csr_generate; for columns
 *   SPW_ERR_ARG  k or layers is below 2
 *   short step  diffusion over a short time: the 27-point stencil of k^3 points with twenty times its
 *               diagonal but for 6^3 points in the middle, in units that go from 0.001 to 1000, sorted
 *               by colours. Jacobi is enough
 *   coupled     four unknowns at each of k^3 points, whose rows are nearly equal: the 7-point Laplacian with
 *               three times its diagonal, sorted by colours, each entry a_ij a block a_ij B, B = 0.05 I +
 *               0.95 ones: block-Jacobi
 *   columns     k columns of `layers` points, 500 times as much coupled within a column as with the two
 *               columns beside; numbered layer by layer, in each layer first the even columns: IC(0) */
spw_status spw_system_short_step(spw_idx k, spw_csr *A);
spw_status spw_system_coupled(spw_idx k, spw_csr *A);
spw_status spw_system_columns(spw_idx k, spw_idx layers, spw_csr *A);

/* Diagonal, all 4: with it, and with whole numbers, one step of a Krylov method reaches the solution to the bit.
 * *A is overwritten and owns its arrays; on failure it is all zero. The errors of spw_csr_create. */
spw_status spw_system_fours(spw_idx n, spw_csr *A);

/* The n x n matrix whose entries are those of a [n * n], row after row, that are not 0. *A as above. */
spw_status spw_system_dense(spw_idx n, const double *a, spw_csr *A);

/* Right-hand sides b [n_rows] and first guesses x [n], made of seed. FIRST: 1 in the first row. OF_ONES: A times ones.
 * RANDOM: spw_case_vector. SMALL: 3e-7 times that. TINY: 1e-20 times that. FAR: 10^4 times that. */
typedef enum spw_rhs {
    SPW_B_FIRST,
    SPW_B_OF_ONES,
    SPW_B_RANDOM,
    SPW_B_SMALL,
    SPW_B_TINY,
    SPW_B_ZERO
} spw_rhs;
typedef enum spw_guess { SPW_X_0, SPW_X_RANDOM, SPW_X_FAR, SPW_X_ONES } spw_guess;

void spw_system_right_side(const spw_csr *A, spw_rhs kind, uint64_t seed, double *b);
void spw_system_guess(int64_t n, spw_guess kind, uint64_t seed, double *x);

/* Renumbers the rows and columns of a symmetric A: first those of one colour, which do not need each other, then those
 * of the next. The colour of a row is the first that no row before it, with an entry in common, has.
 *   SPW_ERR_MEMORY  no room; *A is as before */
spw_status spw_system_colour(spw_csr *A);

/* Room for n doubles, as spw_trial_memory gives it. */
double *spw_trial_doubles(spw_trial *t, int64_t n);

/* The same with numbers from 0.5 to 1.5, filled in parallel. */
double *spw_trial_start(spw_trial *t, int64_t n, int which);

/* A copy of count things of size bytes, kept as long as the trial. NULL, with the message set, where there is no
 * memory. */
void *spw_trial_copy(spw_trial *t, const void *from, int64_t count, int64_t size);

/* Says how large A is, the matrix of a system for a solver, and gives n and nz as units: the timed case with its
 * iterations and then `more`; others with the tolerance, or with the steps where that is 0. */
void spw_trial_say_system(spw_trial *t, const spw_csr *A, bool timed, double tolerance, int most,
                          const char *more);

/* What a number that the answer returns would be after a mistake. */
void spw_trial_number_mistake(spw_trial *t, const double *array, double value, const char *text);

/* y = A x. x [n_cols], y [n_rows]. */
void spw_system_product(const spw_csr *A, const double *x, double *y);

/* x . y, and the largest |x[i]|, 0 for n = 0. */
double spw_system_dot(int64_t n, const double *x, const double *y);
double spw_system_largest(int64_t n, const double *x);

/* ||b - A x||, and in *slack what rounding may make of it for an iterate that began at start. */
double spw_system_residual(const spw_csr *A, const double *b, const double *x, const double *start,
                           double *slack);

/* The first of count values that is at most limit, its square if squared; -1: none. */
int spw_system_first_below(const double *values, int count, double limit, int squared);

SPW_C_END

/* kit/preconditioners.h -- what drivers about preconditioners have in common: matrices of their cases, and the right
 * results in plain serial loops, which share no code with the kernels that are judged. Beside kit/systems.h. */
#pragma once

#include "base/extern_c.h"
#include "kit/kit.h"
#include "kit/systems.h"

SPW_C_BEGIN

/* --- cases ----------------------------------------------------------------------------------------------- */

/* MATRIX[@s|@c|@cs|@t][/...]: @s scales rows and columns at random, @c sorts them by colours, @cs does both, and @t
 * makes all values tiny. Beside those of spw_system_load: kershaw, positive definite with a negative pivot in its
 * incomplete factor; nearly, where that is next to 0; missing, zero and negative, which have no diagonal that can be
 * inverted. Errors of spw_system_load. */
spw_status spw_plain_matrix(const char *name, uint64_t seed, spw_csr *A);

/* For `make`: the matrix of the case MATRIX[/upper][/K]; gives the quantities n, nz, k, which is K or 2, and upper, 0 or
 * 1. And the triangle of the first matrix of the list, without its diagonal: the lower or the upper one. */
spw_status spw_plain_system(spw_trial *t, const void *at, void *A);
spw_status spw_plain_half(spw_trial *t, const void *at, void *N);

/* The place of a_ii; NULL: there is none. 1 / a_ii of all rows, and of those of the first matrix of the list: for `fill`. */
double *spw_plain_diagonal(const spw_csr *A, spw_idx i);
void spw_plain_invert(const spw_csr *A, double *inverse);
void spw_plain_fill_inverse(spw_trial *t, const void *at, void *inverse, int64_t n);

/* --- triangles ------------------------------------------------------------------------------------------- */

/* N: the entries of A whose column is from .. to columns behind their row. *N is overwritten and owns its arrays.
 * Errors of spw_csr_create. */
spw_status spw_plain_part(const spw_csr *A, spw_idx from, spw_idx to, spw_csr *N);

/* The level of each row of a triangle without its diagonal; how many there are. */
spw_idx spw_plain_levels(const spw_csr *N, bool upper, spw_idx *level);

/* The rows of each level, ascending: row[level_ptr[l]] .. row[level_ptr[l+1] - 1]. level_ptr  [n_levels + 1] */
void spw_plain_sort(spw_idx n, const spw_idx *level, spw_idx n_levels, spw_idx *level_ptr,
                    spw_idx *row);

/* --- z = M^-1 r ------------------------------------------------------------------------------------------ */

/* x = (D + N)^-1 b, row after row. inverse: of D */
void spw_plain_solve(const spw_csr *N, bool upper, const double *inverse, const double *b,
                     double *x);

/* x = D^-1 b, and degree times x = D^-1 (b - N x). old  [n] */
void spw_plain_neumann(const spw_csr *N, const double *inverse, int degree, const double *b,
                       double *x, double *old);

/* The recurrence of exercise 15. work  [3 n] */
void spw_plain_chebyshev(const spw_csr *A, const double *inverse, double low, double high,
                         int degree, const double *r, double *z, double *work);

/* z must be that: blocks along the diagonal, whose last columns may be missing; row i of its block's inverse is at
 * inverse + i * block. */
void spw_plain_expect_blocks(spw_trial *t, const double *z, int64_t n, int block,
                             const double *inverse, const double *r);

SPW_C_END

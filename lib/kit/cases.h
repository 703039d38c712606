/* kit/cases.h -- small matrices on which kernels go wrong, and the result that they must get.
 *
 * Each has a name and one line that says what it catches; there is no other list. The pattern of a
 * case is fixed, its values come from a seed and no two are alike, so that an index mistake shows:
 *     for (int i = 0; i < spw_csr_case_count(); i++) {
 *         spw_csr A;
 *         if (spw_csr_case(spw_csr_case_name(i), 4711, &A)) return 1;
 *         ...
 *         spw_csr_destroy(&A);
 *     }
 * Everything here but spw_csr_named is serial and made of lists and qsort: it shares no code with what it
 * checks. */
#pragma once

#include "base/extern_c.h"
#include "base/status.h"
#include "formats/coo.h"
#include "formats/csr.h"

#include <stdbool.h>
#include <stdint.h>

SPW_C_BEGIN

/* The CSR cases, the smallest first: 0 .. count-1. Below 50,000 entries each. */
int spw_csr_case_count(void);
const char *spw_csr_case_name(int i); /* "one-by-one", "empty-rows", ... */

/* Makes a case by name. *A is overwritten and owns its arrays; on failure it is all zero.
 *   SPW_ERR_ARG     no such case; the message lists the names
 *   SPW_ERR_MEMORY  no room */
spw_status spw_csr_case(const char *name, uint64_t seed, spw_csr *A);
bool spw_csr_case_exists(const char *name);

/* Any matrix that a driver has a name for. *A is overwritten and owns its arrays; on failure it is all zero.
 *   slides, small   6 x 6 with 12 entries, the matrix of the READMEs; and 5 x 5 with 13, whose sizes share no
 *                   factor, so that a difference between two models can be told: 4 bytes an entry is not 8
 *                   bytes a row
 *   nothing, zeros  0 x 0, and 5 x 5 without an entry
 *   a CSR case      with values of seed
 *   all else        is what MATRIX= takes
 * The errors of spw_csr_case and of spw_csr_load. */
spw_status spw_csr_named(const char *name, uint64_t seed, spw_csr *A);

/* The same for COO: entries out of order, positions that come twice. Below 50,000 entries each. */
int spw_coo_case_count(void);
const char *spw_coo_case_name(int i);
spw_status spw_coo_case(const char *name, uint64_t seed, spw_coo *A);
bool spw_coo_case_exists(const char *name);

/* Fills x with n values of both signs and magnitudes 0.5 .. 1.5, no two alike but for a chance of
 * n^2 / 2^54. They need all 53 bits, so that arithmetic in float shows. */
void spw_case_vector(uint64_t seed, int64_t n, double *x);

/* y = A x, row after row in long double, and for each row the error that any order of summation in
 * double may have: |got[i] - y[i]| <= tolerance[i] = 2 k eps (|A||x|)_i with k = entries of the row + 1
 * and eps = DBL_EPSILON. An empty row has tolerance 0. A result that is not a number must be tested
 * for apart, or by !(error <= tolerance).
 * Source: N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., SIAM 2002, section
 * 3.1, doi:10.1137/1.9780898718027. His bound has the unit roundoff eps / 2; we leave it a factor of
 * two for the error of the expected value and of |A||x|.
 *   x [n_cols], y [n_rows], tolerance [n_rows]; they do not overlap. */
void spw_spmv_expected(const spw_csr *A, const double *x, double *y, double *tolerance);

/* The same for COO; an entry that comes twice counts twice in k and in |A||x|.
 *   SPW_ERR_MEMORY  no room for the counts; y and tolerance are then undefined */
spw_status spw_spmv_coo_expected(const spw_coo *A, const double *x, double *y, double *tolerance);

/* The sum of x[i] * y[i], in long double, and the tolerance of any order of summation in double: k = n.
 * y may be NULL for the plain sum of x. */
double spw_dot_expected(int64_t n, const double *x, const double *y, double *tolerance);

/* What spw_csr_from_coo must give, to the bit: sorted by row and column, duplicates summed in the
 * order in which they stand. *A is overwritten and owns its arrays; on failure it is all zero.
 *   SPW_ERR_MEMORY  no room */
spw_status spw_csr_expected(const spw_coo *C, spw_csr *A);

SPW_C_END

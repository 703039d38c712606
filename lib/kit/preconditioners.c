/* Preconditioners in plain serial loops. */
#include "kit/preconditioners.h"

#include "base/random.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- cases ----------------------------------------------------------------------------------------------- */

/* Positive definite, but the last pivot of its incomplete factor is -5: D. S. Kershaw, J. Comput. Phys. 26(1),
 * 43-65, 1978, doi:10.1016/0021-9991(78)90098-0. "missing": without the last diagonal entry. "nearly": that pivot is 0 for a diagonal
 * of 2 sqrt(3), which is 1.0003 times as much. */
static spw_status kershaw(double d, double last, spw_csr *A) {
    return spw_system_dense(
        4, (const double[]){d, -2, 0, 2, -2, d, -2, 0, 0, -2, d, -2, 2, 0, -2, last}, A);
}

double *spw_plain_diagonal(const spw_csr *A, spw_idx i) {
    for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
        if (A->col_idx[k] == i) return &A->val[k];
    return NULL;
}

static const double TINY = 1e-6;

static double factor_of(uint64_t seed, spw_idx i) {
    return 0.5 + spw_random_double(seed, (uint64_t)i);
}

spw_status spw_plain_matrix(const char *name, uint64_t seed, spw_csr *A) {
    char matrix[64];
    snprintf(matrix, sizeof matrix, "%.*s", (int)strcspn(name, "@/"), name);
    const char *sign = name + strlen(matrix);
    const bool is_zero = strcmp(matrix, "zero") == 0, is_negative = strcmp(matrix, "negative") == 0;
    const bool is_missing = strcmp(matrix, "missing") == 0;
    const spw_status status =
        strcmp(matrix, "semidefinite") == 0 /* its second pivot is 0, without rounding */
            ? spw_system_dense(2, (const double[]){4, 2, 2, 1}, A)
            : is_missing || strcmp(matrix, "kershaw") == 0 ? kershaw(3, is_missing ? 0 : 3, A)
              : strcmp(matrix, "nearly") == 0
                  ? kershaw(3.463, 3.463, A)
                  : spw_system_load(is_zero || is_negative ? "laplace2d:5x4" : matrix, seed, A);
    if (status) return status;
    if (strcmp(matrix, "one-by-one") == 0) A->val[0] = fabs(A->val[0]);
    if (is_zero) *spw_plain_diagonal(A, 13) = 0;
    if (is_negative) *spw_plain_diagonal(A, 7) = -4;
    if (strncmp(sign, "@c", 2) == 0) {
        const spw_status ordered = spw_system_colour(A);
        if (ordered) return ordered;
    }
    const bool is_scaled = strncmp(sign, "@s", 2) == 0 || strncmp(sign, "@cs", 3) == 0;
    for (spw_idx i = 0; i < A->n_rows && is_scaled; i++)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            A->val[k] *= factor_of(seed, i) * factor_of(seed, A->col_idx[k]);
    for (spw_idx k = 0; k < A->nnz && strncmp(sign, "@t", 2) == 0; k++) A->val[k] *= TINY;
    return SPW_OK;
}

spw_status spw_plain_system(spw_trial *t, const void *at, void *made) {
    (void)at;
    const char *name = spw_kit_case(t), *number = strrchr(name, '/');
    const spw_csr *A = (const spw_csr *)made;
    const spw_status status = spw_plain_matrix(name, spw_trial_seed(t), (spw_csr *)made);
    if (status) return status;
    spw_kit_quantity(t, "n", A->n_rows);
    spw_kit_quantity(t, "nz", A->nnz);
    spw_kit_quantity(t, ".k", number && isdigit((unsigned char)number[1]) ? atoi(number + 1) : 2);
    spw_kit_quantity(t, ".upper", strstr(name, "/upper") != NULL);
    return SPW_OK;
}

spw_status spw_plain_half(spw_trial *t, const void *at, void *N) {
    const spw_csr *A = spw_kit_first_csr(t, at);
    return spw_kit_value(t, "upper") > 0 ? spw_plain_part(A, 1, A->n_rows, (spw_csr *)N)
                                         : spw_plain_part(A, -A->n_rows, -1, (spw_csr *)N);
}

void spw_plain_invert(const spw_csr *A, double *inverse) {
    for (spw_idx i = 0; i < A->n_rows; i++) {
        const double *a_ii = spw_plain_diagonal(A, i);
        inverse[i] = a_ii ? 1 / *a_ii : 0;
    }
}

void spw_plain_fill_inverse(spw_trial *t, const void *at, void *inverse, int64_t n) {
    (void)n;
    spw_plain_invert(spw_kit_first_csr(t, at), (double *)inverse);
}

/* --- triangles ------------------------------------------------------------------------------------------- */

spw_status spw_plain_part(const spw_csr *A, spw_idx from, spw_idx to, spw_csr *N) {
    spw_idx nnz = 0;
    for (spw_idx i = 0; i < A->n_rows; i++)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            nnz += A->col_idx[k] - i >= from && A->col_idx[k] - i <= to;
    const spw_status status = spw_csr_create(A->n_rows, A->n_rows, nnz, N);
    if (status) return status;
    nnz = 0;
    for (spw_idx i = 0; i < A->n_rows; i++) {
        N->row_ptr[i] = nnz;
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) {
            if (A->col_idx[k] - i < from || A->col_idx[k] - i > to) continue;
            N->col_idx[nnz] = A->col_idx[k];
            N->val[nnz++] = A->val[k];
        }
    }
    N->row_ptr[A->n_rows] = nnz;
    return SPW_OK;
}

spw_idx spw_plain_levels(const spw_csr *N, bool upper, spw_idx *level) {
    const spw_idx n = N->n_rows;
    spw_idx count = 0;
    for (spw_idx m = 0; m < n; m++) {
        const spw_idx i = upper ? n - 1 - m : m;
        level[i] = 0;
        for (spw_idx k = N->row_ptr[i]; k < N->row_ptr[i + 1]; k++)
            if (level[i] <= level[N->col_idx[k]]) level[i] = level[N->col_idx[k]] + 1;
        if (count <= level[i]) count = level[i] + 1;
    }
    return count;
}

void spw_plain_sort(spw_idx n, const spw_idx *level, spw_idx n_levels, spw_idx *level_ptr,
                    spw_idx *row) {
    memset(level_ptr, 0, (size_t)(n_levels + 1) * sizeof *level_ptr);
    for (spw_idx i = 0; i < n; i++) level_ptr[level[i] + 1]++;
    for (spw_idx l = 0; l < n_levels; l++) level_ptr[l + 1] += level_ptr[l];
    for (spw_idx i = 0; i < n; i++) row[level_ptr[level[i]]++] = i;
    for (spw_idx l = n_levels; l > 0; l--) level_ptr[l] = level_ptr[l - 1];
    level_ptr[0] = 0;
}

/* --- z = M^-1 r ------------------------------------------------------------------------------------------ */

/* b_i - sum of n_ij x_j */
static double left_of(const spw_csr *N, int64_t i, double b, const double *x) {
    for (spw_idx k = N->row_ptr[i]; k < N->row_ptr[i + 1]; k++) b -= N->val[k] * x[N->col_idx[k]];
    return b;
}

void spw_plain_solve(const spw_csr *N, bool upper, const double *inverse, const double *b,
                     double *x) {
    for (spw_idx m = 0; m < N->n_rows; m++) {
        const spw_idx i = upper ? N->n_rows - 1 - m : m;
        x[i] = inverse[i] * left_of(N, i, b[i], x);
    }
}

void spw_plain_neumann(const spw_csr *N, const double *inverse, int degree, const double *b,
                       double *x, double *old) {
    for (spw_idx i = 0; i < N->n_rows; i++) x[i] = inverse[i] * b[i];
    for (int k = 0; k < degree; k++) {
        memcpy(old, x, (size_t)N->n_rows * sizeof *x);
        for (spw_idx i = 0; i < N->n_rows; i++) x[i] = inverse[i] * left_of(N, i, b[i], old);
    }
}

void spw_plain_chebyshev(const spw_csr *A, const double *inverse, double low, double high,
                         int degree, const double *r, double *z, double *work) {
    const int64_t n = A->n_rows;
    double *residual = work, *step = work + n, *product = work + 2 * n;
    const double center = (high + low) / 2, half = (high - low) / 2;
    double rho = half / center;
    for (int64_t i = 0; i < n; i++) {
        residual[i] = r[i];
        z[i] = step[i] = inverse[i] * r[i] / center;
    }
    for (int k = 0; k < degree; k++) {
        const double next = 1 / (2 * center / half - rho);
        spw_system_product(A, step, product);
        for (int64_t i = 0; i < n; i++) {
            residual[i] -= product[i];
            step[i] = next * rho * step[i] + 2 * next / half * inverse[i] * residual[i];
            z[i] += step[i];
        }
        rho = next;
    }
}

void spw_plain_expect_blocks(spw_trial *t, const double *z, int64_t n, int block,
                             const double *inverse, const double *r) {
    double *right = spw_kit_doubles(t, n), *tolerance = spw_kit_doubles(t, n);
    for (int64_t i = 0; i < n; i++) {
        const int64_t first = i - i % block;
        double size = 0;
        for (int64_t j = 0; j < block && first + j < n; j++) {
            const double term = inverse[i * block + j] * r[first + j];
            right[i] += term;
            size += fabs(term);
        }
        tolerance[i] = (block + 2) * 0x1p-52 * size;
    }
    spw_kit_expect(t, z, right, tolerance);
}

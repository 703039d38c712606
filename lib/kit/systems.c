/* Linear systems for drivers. */
#include "kit/systems.h"

#include "base/memory.h"
#include "base/random.h"
#include "formats/generate.h"
#include "formats/permute.h"
#include "kit/cases.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

spw_status spw_system_dense(spw_idx n, const double *a, spw_csr *A) {
    spw_idx nz = 0;
    for (spw_idx i = 0; i < n * n; i++) nz += a[i] != 0;
    const spw_status status = spw_csr_create(n, n, nz, A);
    if (status) return status;
    for (spw_idx i = nz = 0; i < n * n; i++) {
        if (i % n == 0) A->row_ptr[i / n] = nz;
        if (a[i] == 0) continue;
        A->col_idx[nz] = i % n;
        A->val[nz++] = a[i];
    }
    A->row_ptr[n] = nz;
    return SPW_OK;
}

spw_status spw_system_load(const char *name, uint64_t seed, spw_csr *A) {
    if (strcmp(name, "swap") == 0) return spw_system_dense(2, (const double[]){0, 1, 1, 0}, A);
    if (strncmp(name, "fours:", 6) == 0) return spw_system_fours((spw_idx)atoi(name + 6), A);
    spw_status status = spw_csr_named(name, seed, A);
    if (!status && A->n_rows != A->n_cols) {
        status =
            spw_error(SPW_ERR_ARG, "%s is %d x %d, and must be square", name, A->n_rows, A->n_cols);
        spw_csr_destroy(A);
    }
    return status;
}

spw_status spw_system_fours(spw_idx n, spw_csr *A) {
    const spw_status status = spw_csr_create(n, n, n, A);
    if (status) return status;
    for (spw_idx i = 0; i < n; i++) {
        A->row_ptr[i] = A->col_idx[i] = i;
        A->val[i] = 4;
    }
    A->row_ptr[n] = n;
    return SPW_OK;
}

void spw_system_right_side(const spw_csr *A, spw_rhs kind, uint64_t seed, double *b) {
    if (kind == SPW_B_RANDOM || kind == SPW_B_SMALL || kind == SPW_B_TINY)
        spw_case_vector(seed, A->n_rows, b);
    for (spw_idx i = 0; i < A->n_rows; i++) {
        if (kind == SPW_B_SMALL) b[i] *= 3e-7;
        if (kind == SPW_B_TINY) b[i] *= 1e-20;
        if (kind == SPW_B_FIRST) b[i] = i == 0;
        if (kind == SPW_B_ZERO || kind == SPW_B_OF_ONES) b[i] = 0;
        if (kind == SPW_B_OF_ONES)
            for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) b[i] += A->val[k];
    }
}

void spw_system_guess(int64_t n, spw_guess kind, uint64_t seed, double *x) {
    if (kind == SPW_X_RANDOM || kind == SPW_X_FAR) spw_case_vector(seed + 1, n, x);
    for (int64_t i = 0; i < n; i++) {
        if (kind == SPW_X_0) x[i] = 0;
        if (kind == SPW_X_ONES) x[i] = 1;
        if (kind == SPW_X_FAR) x[i] *= 1e4;
    }
}

/* --- three systems -------------------------------------------------------------------------------------- */

static spw_status generate(const char *word, spw_idx k, spw_csr *A) {
    char name[64];
    snprintf(name, sizeof name, "%s:%d", word, k);
    return spw_csr_generate(name, A);
}

/* Units of row i: powers of ten from -3 to 3. */
static double unit_of(spw_idx i) { return pow(10, 6 * spw_random_double(12, (uint64_t)i) - 3); }

/* In the middle six points each way where the diagonal stays. */
static bool is_spot(spw_idx k, spw_idx i) {
    const spw_idx at[3] = {i % k, i / k % k, i / k / k};
    for (int d = 0; d < 3; d++)
        if (at[d] < k / 2 - 3 || at[d] >= k / 2 + 3) return false;
    return true;
}

spw_status spw_system_short_step(spw_idx k, spw_csr *A) {
    const spw_status status = generate("stencil27", k, A);
    if (status) return status;
#pragma omp parallel for schedule(static)
    for (spw_idx i = 0; i < A->n_rows; i++) {
        const double unit = unit_of(i), more = is_spot(k, i) ? 1 : 20;
        for (spw_idx at = A->row_ptr[i]; at < A->row_ptr[i + 1]; at++)
            A->val[at] *= (A->col_idx[at] == i ? more : 1) * unit * unit_of(A->col_idx[at]);
    }
    const spw_status coloured = spw_system_colour(A);
    if (coloured) spw_csr_destroy(A);
    return coloured;
}

enum { COUPLED = 4 };

/* Row c of the block of K's row i. */
static void fill_coupled(const spw_csr *K, spw_idx i, int c, spw_csr *A) {
    spw_idx to = COUPLED * (COUPLED * K->row_ptr[i] + c * (K->row_ptr[i + 1] - K->row_ptr[i]));
    A->row_ptr[COUPLED * i + c] = to;
    for (spw_idx at = K->row_ptr[i]; at < K->row_ptr[i + 1]; at++)
        for (int d = 0; d < COUPLED; d++) {
            A->col_idx[to] = COUPLED * K->col_idx[at] + d;
            A->val[to++] = K->val[at] * (K->col_idx[at] == i ? 3 : 1) * (c == d ? 1 : 0.95);
        }
}

spw_status spw_system_coupled(spw_idx k, spw_csr *A) {
    spw_csr K;
    *A = (spw_csr){0};
    spw_status status = generate("laplace3d", k, &K);
    if (!status) status = spw_system_colour(&K);
    if (status) {
        spw_csr_destroy(&K);
        return status;
    }
    const spw_idx n = K.n_rows;
    status = spw_csr_create((int64_t)COUPLED * n, (int64_t)COUPLED * n,
                            (int64_t)COUPLED * COUPLED * K.nnz, A);
    if (!status) {
#pragma omp parallel for schedule(static)
        for (spw_idx i = 0; i < n; i++)
            for (int c = 0; c < COUPLED; c++) fill_coupled(&K, i, c, A);
        A->row_ptr[COUPLED * n] = A->nnz;
    }
    spw_csr_destroy(&K);
    return status;
}

static const double SIDES = 0.002;

spw_status spw_system_columns(spw_idx k, spw_idx layers, spw_csr *A) {
    const int64_t n = (int64_t)k * layers, nz = 5 * n - 2 * (int64_t)layers - 2 * (int64_t)k;
    const spw_idx even = (k + 1) / 2;
    *A = (spw_csr){0};
    const spw_status status =
        k < 2 || layers < 2
            ? spw_error(SPW_ERR_ARG, "%d columns of %d layers: there must be 2 of each, or more", k,
                        layers)
            : spw_csr_create(n, n, nz, A);
    if (status) return status;
    spw_idx to = 0;
    for (spw_idx i = 0; i < A->n_rows; i++) {
        const spw_idx layer = i / k, place = i % k;
        const spw_idx column = place < even ? 2 * place : 2 * (place - even) + 1;
        const spw_idx below = layer ? i - k : -1, above = layer + 1 < layers ? i + k : -1;
        spw_idx sides[2]; /* of the columns before and behind; ascending as the columns are */
        for (int s = 0; s < 2; s++) {
            const spw_idx c = column + 2 * s - 1;
            sides[s] = c < 0 || c >= k ? -1 : layer * k + (c % 2 ? even + c / 2 : c / 2);
        }
        const spw_idx order[5] = {below, place < even ? i : sides[0],
                                  place < even ? sides[0] : sides[1], place < even ? sides[1] : i,
                                  above};
        A->row_ptr[i] = to;
        for (int s = 0; s < 5; s++) {
            if (order[s] < 0) continue;
            A->col_idx[to] = order[s];
            /* 0 above the last layer, nothing passes below the first */
            A->val[to++] = order[s] == i                            ? (layer ? 2 : 1) + 4 * SIDES
                           : order[s] == below || order[s] == above ? -1
                                                                    : -SIDES;
        }
    }
    A->row_ptr[n] = to;
    return SPW_OK;
}

/* --- colours ---------------------------------------------------------------------------------------------- */

enum { COLOURS = 256 };

static spw_idx first_free_colour(const spw_csr *A, const spw_idx *colour, spw_idx i) {
    bool taken[COLOURS] = {false};
    for (spw_idx at = A->row_ptr[i]; at < A->row_ptr[i + 1]; at++)
        if (A->col_idx[at] < i) taken[colour[A->col_idx[at]]] = true;
    spw_idx c = 0;
    while (c + 1 < COLOURS && taken[c]) c++;
    return c;
}

spw_status spw_system_colour(spw_csr *A) {
    spw_idx *colour = NULL, *order = NULL, to = 0;
    spw_csr B;
    spw_status status = SPW_ALLOC(&colour, A->n_rows);
    if (!status) status = SPW_ALLOC(&order, A->n_rows);
    for (spw_idx i = 0; i < A->n_rows && !status; i++) colour[i] = first_free_colour(A, colour, i);
    for (spw_idx c = 0; c < COLOURS && !status; c++)
        for (spw_idx i = 0; i < A->n_rows; i++)
            if (colour[i] == c) order[to++] = i;
    if (!status) status = spw_csr_permute(A, order, order, &B);
    spw_free(colour);
    spw_free(order);
    if (status) return status;
    spw_csr_destroy(A);
    *A = B;
    return SPW_OK;
}

/* --- for trials --------------------------------------------------------------------------------------------- */

double *spw_trial_doubles(spw_trial *t, int64_t n) {
    return (double *)spw_trial_memory(t, n, sizeof(double));
}

double *spw_trial_start(spw_trial *t, int64_t n, int which) {
    double *start = spw_trial_doubles(t, n);
    const uint64_t seed = spw_trial_seed(t) + 17 * (uint64_t)which;
    if (!start) return NULL;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) start[i] = 0.5 + spw_random_double(seed, (uint64_t)i);
    return start;
}

void *spw_trial_copy(spw_trial *t, const void *from, int64_t count, int64_t size) {
    void *block = spw_trial_memory(t, count, size);
    if (block && count) memcpy(block, from, (size_t)(count * size));
    return block;
}

void spw_trial_say_system(spw_trial *t, const spw_csr *A, bool timed, double tolerance, int most,
                          const char *more) {
    if (timed)
        spw_trial_say(t, "n = %.2f M, nz = %.1f M, %d iterations%s", A->n_rows * 1e-6,
                      A->nnz * 1e-6, most, more);
    else if (tolerance > 0)
        spw_trial_say(t, "n = %d, tolerance %.0e", A->n_rows, tolerance);
    else
        spw_trial_say(t, "n = %d, %d step%s", A->n_rows, most, most == 1 ? "" : "s");
    spw_trial_unit(t, "n", A->n_rows);
    spw_trial_unit(t, "nz", A->nnz);
}

void spw_trial_number_mistake(spw_trial *t, const double *array, double value, const char *text) {
    double *kept = spw_trial_doubles(t, 1);
    if (kept) *kept = value;
    spw_trial_mistake(t, array, kept, text);
}

/* --- plain arithmetic ----------------------------------------------------------------------------------------- */

void spw_system_product(const spw_csr *A, const double *x, double *y) {
    for (spw_idx i = 0; i < A->n_rows; i++) {
        double sum = 0;
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            sum += A->val[k] * x[A->col_idx[k]];
        y[i] = sum;
    }
}

double spw_system_dot(int64_t n, const double *x, const double *y) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

double spw_system_largest(int64_t n, const double *x) {
    double most = 0;
    for (int64_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

double spw_system_residual(const spw_csr *A, const double *b, const double *x, const double *start,
                           double *slack) {
    double sum = 0, size = 0;
    for (spw_idx i = 0; i < A->n_rows; i++) {
        double r = b[i], row = fabs(b[i]);
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) {
            const spw_idx j = A->col_idx[k];
            r -= A->val[k] * x[j];
            row += fabs(A->val[k]) * fmax(fabs(x[j]), fabs(start[j]));
        }
        sum += r * r;
        size += row * row;
    }
    *slack = 1e-12 * sqrt(size);
    return sqrt(sum);
}

int spw_system_first_below(const double *values, int count, double limit, int squared) {
    for (int k = 0; k < count; k++)
        if ((squared ? values[k] * values[k] : values[k]) <= limit) return k;
    return -1;
}

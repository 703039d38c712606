/* What outputs must hold. */
#include "judge/trial.h"
#include "kit/cases.h"
#include "kit/kit.h"
#include "kit/systems.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const double *spw_kit_start(const spw_trial *t, const double *array) {
    for (int k = 0; k < t->n_arrays; k++)
        if ((const double *)(const void *)t->arrays[k].data == array)
            return (const double *)t->arrays[k].pristine;
    return NULL;
}

static const void *argument_at(const spw_trial *t, const spw_argument *a) {
    return *(void *const *)((const char *)spw_kit_arguments(t) + a->at);
}

static int64_t count_of(const spw_trial *t, const void *array) {
    for (int k = 0; k < t->n_arrays; k++)
        if (t->arrays[k].data == array && t->arrays[k].role != SPW_INPUT) return t->arrays[k].count;
    fprintf(stderr, "a driver expects something of what is no output\n");
    abort();
}

void spw_kit_expect_first(spw_trial *t, const void *array, int64_t count, const void *values,
                          const double *tolerance) {
    spw_expectation e = {.expected = values, .tolerance = tolerance, .count = count};
    for (const spw_argument *a = t->part->kit->arguments; a->kind; a++)
        if (!a->format && a->kind != SPW_ARG_VALUE && argument_at(t, a) == array) {
            e.noun = a->noun;
            e.describe = a->describe;
        }
    spw_trial_expect(t, array, e);
}

void spw_kit_expect(spw_trial *t, const void *array, const void *values, const double *tolerance) {
    spw_kit_expect_first(t, array, count_of(t, array), values, tolerance);
}

void spw_kit_expect_described(spw_trial *t, const void *array, const void *values,
                              void (*describe)(const spw_trial *t, int64_t i, char *text,
                                               int size)) {
    spw_trial_expect(
        t, array,
        (spw_expectation){.expected = values, .count = count_of(t, array), .describe = describe});
}

void spw_kit_expect_number(spw_trial *t, const double *number, double value, double tolerance) {
    double *room = spw_kit_doubles(t, 2);
    room[0] = value;
    room[1] = tolerance;
    spw_kit_expect(t, number, room, room + 1);
}

static const spw_idx *kept(spw_trial *t, spw_idx value) {
    spw_idx *room = spw_kit_indices(t, 1);
    *room = value;
    return room;
}

void spw_kit_expect_index(spw_trial *t, const spw_idx *number, spw_idx value) {
    spw_kit_expect(t, number, kept(t, value), NULL);
}

void spw_kit_index_mistake(spw_trial *t, const spw_idx *number, spw_idx value, const char *text) {
    spw_trial_mistake(t, number, kept(t, value), text);
}

void spw_kit_expect_within(spw_trial *t, const double *array, const double *values, double slack,
                           double relative) {
    const int64_t n = count_of(t, array);
    double *tolerance = spw_kit_doubles(t, n);
    for (int64_t i = 0; i < n; i++) tolerance[i] = slack + relative * fabs(values[i]);
    spw_kit_expect(t, array, values, tolerance);
}

void spw_kit_expect_near(spw_trial *t, const double *array, int64_t n, const double *values,
                         double share) {
    spw_kit_expect_within(t, array, values, share * spw_system_largest(n, values), 0);
}

const double *spw_kit_expect_product(spw_trial *t, const double *y, const spw_csr *A,
                                     const double *x) {
    double *right = spw_kit_doubles(t, A->n_rows), *tolerance = spw_kit_doubles(t, A->n_rows);
    spw_spmv_expected(A, x, right, tolerance);
    spw_kit_expect(t, y, right, tolerance);
    return right;
}

void spw_kit_expect_block(spw_trial *t, const double *Y, int64_t ldy, const spw_csr *A,
                          const double *X, int64_t ldx, int64_t nv) {
    const int64_t n = A->n_rows, entries = n * ldy;
    double *right = spw_kit_doubles(t, entries), *tolerance = spw_kit_doubles(t, entries),
           *x = spw_kit_doubles(t, A->n_cols), *y = spw_kit_doubles(t, 2 * n);
    if (ldy > nv && entries) memcpy(right, spw_kit_start(t, Y), (size_t)entries * sizeof *right);
    for (int64_t v = 0; v < nv; v++) {
        for (int64_t j = 0; j < A->n_cols; j++) x[j] = X[j * ldx + v];
        spw_spmv_expected(A, x, y, y + n);
        for (int64_t i = 0; i < n; i++) {
            right[i * ldy + v] = y[i];
            tolerance[i * ldy + v] = y[n + i];
        }
    }
    spw_kit_expect(t, Y, right, tolerance);
}

/* An error of eps in each product and in each sum, and twice that (Higham, section 3.1): fused or not. */
static double combine(const double a[3], const double *const x[3], int64_t i, double *tolerance) {
    double value = 0, size = 0;
    for (int k = 0; k < 3; k++) {
        if (!x[k]) continue;
        value += a[k] * x[k][i];
        size += fabs(a[k] * x[k][i]);
    }
    if (tolerance) *tolerance = 4 * DBL_EPSILON * size;
    return value;
}

const double *spw_kit_expect_combination(spw_trial *t, const double *array, int64_t n,
                                         const double *const x[3], const spw_combination *rows,
                                         int count) {
    double *right = spw_kit_doubles(t, n), *tolerance = spw_kit_doubles(t, n);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) right[i] = combine(rows[0].a, x, i, &tolerance[i]);
    spw_kit_expect(t, array, right, tolerance);
    for (int m = 1; m < count && n <= SPW_KIT_LARGE; m++) {
        double *wrong = spw_kit_doubles(t, n);
        for (int64_t i = 0; i < n; i++) wrong[i] = combine(rows[m].a, x, i, NULL);
        spw_trial_mistake(t, array, wrong, rows[m].text);
    }
    return right;
}

void spw_kit_expect_sum(spw_trial *t, const double *number, int64_t n, const double *x,
                        const double *y) {
    double tolerance;
    const double value = spw_dot_expected(n, x, y, &tolerance);
    spw_kit_expect_number(t, number, value, tolerance);
}

void spw_kit_sum_mistake(spw_trial *t, const double *number, int64_t n, const double *x,
                         const double *y, const char *text) {
    double ignored;
    spw_trial_number_mistake(t, number, spw_dot_expected(n, x, y, &ignored), text);
}

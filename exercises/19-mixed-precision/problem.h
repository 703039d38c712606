/* Exercise 19: what its two parts share: matrices in double and in float, their product, wrong models of it.
 * The header of the answer, which has csr_single, comes first.
 *
 * A matrix may be changed by its case, NAME@*FACTOR+SHIFT=SIZE: all values times FACTOR, the diagonal times
 * 1 + SHIFT, and of a system b times SIZE; each may be missing. */
#pragma once

#include "kernels/float.h"
#include "kit/cases.h"
#include "kit/kit.h"
#include "kit/systems.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is wrong by so much of its terms, and no more, was rounded to float on the way. */
static const double FLOAT_DIGITS = 4e-6;
#define RIGHT_TO_7_DIGITS                                                                          \
    "right to 7 digits\nof what was added up: where does a double become a float?"

/* --- matrices ------------------------------------------------------------------------------------------ */

typedef struct change {
    char name[512];
    double factor, shift, size;
} change;

static inline change change_of(const char *full_name) {
    change c = {"", 1, 0, 1};
    snprintf(c.name, sizeof c.name, "%s", full_name);
    char *at = strrchr(c.name, '@');
    if (at) *at++ = 0;
    while (at && *at) {
        const char kind = *at++;
        *(kind == '*' ? &c.factor : kind == '+' ? &c.shift : &c.size) = strtod(at, &at);
    }
    return c;
}

/* "small" is symmetric positive definite, of sizes without a common factor; "singular-in-float" has two equal rows there. */
static inline spw_status make_matrix(const char *full_name, uint64_t seed, spw_csr *A) {
    /* clang-format off */
    static const double definite[] = {4.1, 0.7, 0,   -1.3, 0,
                                      0.7, 3.3, 0,   0,    0,
                                      0,   0,   5.7, 0.9,  1.1,
                                      -1.3, 0,  0.9, 4.9,  0,
                                      0,   0,   1.1, 0,    2.3};
    /* clang-format on */
    static const double singular[] = {1, 1 - 1e-9, 1 - 1e-9, 1};
    const change c = change_of(full_name);
    const spw_status status = strcmp(c.name, "small") == 0 ? spw_system_dense(5, definite, A)
                              : strcmp(c.name, "singular-in-float") == 0
                                  ? spw_system_dense(2, singular, A)
                                  : spw_csr_named(c.name, seed, A);
    if (status) return status;
#pragma omp parallel for schedule(static)
    for (spw_idx i = 0; i < A->n_rows; i++)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            A->val[k] *= c.factor * (A->col_idx[k] == i ? 1 + c.shift : 1);
    return SPW_OK;
}

/* What structs of arguments begin with. S has the pattern of A. */
typedef struct matrices {
    const spw_csr *A;
    const csr_single *S;
} matrices;

static inline spw_status make_single(spw_trial *t, const void *at, void *made) {
    const spw_csr *A = ((const matrices *)at)->A;
    spw_csr_float S;
    const spw_status status = spw_csr_float_from_csr(A, &S);
    const csr_single single = {A->n_rows,  A->n_cols, A->nnz, A->row_ptr,
                               A->col_idx, S.val,     S.scale};
    if (status) return status;
    *(csr_single *)made = single;
    spw_kit_quantity(t, ".scale", S.scale);
    return SPW_OK;
}

static inline spw_csr_float view_of(const csr_single *S) {
    return (spw_csr_float){.n_rows = S->n_rows,
                           .n_cols = S->n_cols,
                           .nnz = S->nnz,
                           .row_ptr = S->row_ptr,
                           .col_idx = S->col_idx,
                           .val = (float *)(uintptr_t)S->val,
                           .scale = S->scale};
}

static const spw_kit_format single_values = {
    sizeof(csr_single),
    {{"float val", SPW_FLOAT, offsetof(csr_single, val), offsetof(csr_single, nnz), 0, false}},
    {{"nz", offsetof(csr_single, nnz)},
     {"n_rows", offsetof(csr_single, n_rows)},
     {"n_cols", offsetof(csr_single, n_cols)}},
    "nz; n_rows; n_cols; (n_rows + 1)",
};

#define MATRICES(s)                                                                                \
    SPW_NAMED(SPW_ARG_MATRIX, s, of.A, NULL, "A", .format = &spw_kit_csr),                         \
        SPW_NAMED(SPW_ARG_MATRIX, s, of.S, NULL, "S", .format = &single_values,                    \
                  .make = make_single)

/* Entry i of A x, of the values of S if it is not NULL; *size: of the absolute values of its terms. */
static inline double row_times(const spw_csr *A, const csr_single *S, const double *x, int64_t i,
                               double *size) {
    long double sum = 0;
    *size = 0;
    for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) {
        const long double value = S ? S->scale * (double)S->val[k] : A->val[k];
        sum += value * x[A->col_idx[k]];
        *size += fabs((double)value * x[A->col_idx[k]]);
    }
    return (double)sum;
}

/* --- spmv_single --------------------------------------------------------------------------------------- */

typedef struct product {
    matrices of;
    const double *x;
    double *y;
} product;

static inline void describe_product(const spw_trial *t, int64_t i, char *text, int size) {
    const product *o = (const product *)spw_kit_arguments(t);
    double terms;
    const double right = row_times(o->of.A, o->of.S, o->x, i, &terms);
    if (fabs(o->y[i] - right) < FLOAT_DIGITS * terms)
        snprintf(text, (size_t)size, "%s", RIGHT_TO_7_DIGITS);
}

static const spw_argument of_product[] = {
    MATRICES(product),
    SPW_RANDOM(product, x, "n_cols"),
    SPW_OUTPUT(product, y, "n_rows", .noun = "row", .describe = describe_product),
    {0}};

/* The product of the rounded values, taken as double ones. */
static inline void expect_product(spw_trial *t, const void *at) {
    const product *o = (const product *)at;
    spw_csr R = *o->of.A;
    R.val = spw_kit_doubles(t, R.nnz);
    for (spw_idx k = 0; k < R.nnz; k++) R.val[k] = o->of.S->scale * (double)o->of.S->val[k];
    spw_kit_expect_product(t, o->y, &R, o->x);
}

SPW_PREDICT(predict_product, spmv_single_cost, const product *p, p->of.S)

#define PRODUCT_COST "load 8 nz + 4 (n_rows + 1) + 8 n_cols; store 8 n_rows; flop 2 nz"

static const spw_slip product_slips[] = {
    {"load 4 nz", "this is the product with double values: here a value has 4 bytes, and the\n"
                  "column as many, 8 bytes an entry"},
    {"load -2 nz", "half of 12 bytes would be 6, but the column of an entry keeps its 4 bytes"},
    {"load -4 nz", "the column of each entry has to be loaded as well as its value: 4 + 4 bytes"},
    {"load -4 n_cols; store -4 n_rows", "x and y are double: 8 bytes. Only the matrix is float"},
    {"load -4 n_cols", "x is double: 8 bytes. Only the matrix is float"},
    {"store -4 n_rows", "y is double: 8 bytes. Only the matrix is float"},
    {"load -4 (n_rows + 1)", "row_ptr has to be loaded too: n_rows + 1 entries of 4 bytes"},
    {"load -4", "row_ptr has one entry more than there are rows"},
    {"load -8 n_cols", "x has to be loaded too: 8 bytes a column"},
    {"load 8 nz - 8 n_cols",
     "x is counted once for each entry: at the least each x[j] is loaded once"},
    {"flop -nz", "each entry costs a multiplication and an addition: 2 flop"},
    {"flop n_rows", "the factor scale, one flop a row, is not counted: it could be put into x"},
    {0}};

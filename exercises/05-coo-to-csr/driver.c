/* Exercise 5: cases, true cost and explanations for the conversion of COO to CSR. */
#include "coo_to_csr.h"

#include "formats/generate.h"
#include "kit/cases.h"
#include "kit/kit.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct problem {
    const spw_coo *A;
    const spw_csr *right; /* while checking */
    spw_idx *row_ptr, *col_idx, *order, *next;
    double *val;
} problem;

enum { SMALL = 100000 }; /* entries: up to here the library is not asked what is right */

/* --- matrices -------------------------------------------------------------------------------------- */

/* The 6 x 6 matrix of the README as the slides have it, and in pieces: in another order, and three
 * values as sums of two. A staircase, where each row ends in the column in which the next begins. Values that are
 * 0, or become 0 on the way. And few entries of a matrix with more places than an int counts. */
/* clang-format off */
static const struct {
    const char *name;
    spw_idx n, nz, row[15], col[15];
    double val[15];
} literals[] = {
    {"slides", 6, 12, {0, 0, 1, 1, 1, 1, 1, 2, 3, 3, 4, 5},
                      {0, 1, 0, 1, 3, 4, 5, 2, 0, 3, 4, 5},
                      {5.4, 1.1, 2.2, 8.3, 3.7, 1.3, 3.8, 4.2, 5.4, 9.2, 1.1, 8.1}},
    {"pieces", 6, 15, {3, 1, 5, 1, 0, 4, 1, 2, 1, 3, 0, 1, 5, 3, 1},
                      {3, 4, 5, 0, 1, 4, 3, 2, 1, 0, 0, 5, 5, 3, 1},
                      {9.0, 1.3, 8.0, 2.2, 1.1, 1.1, 3.7, 4.2, 8.1, 5.4, 5.4, 3.8, 0.1, 0.2, 0.2}},
    {"staircase", 4, 7, {3, 2, 2, 1, 1, 0, 0}, {3, 3, 2, 2, 1, 1, 0}, {0.7, -1.6, 1.5, 1.4, -1.3, 1.2, 1.1}},
    {"cancelling", 3, 7, {0, 0, 0, 1, 1, 2, 2}, {1, 1, 1, 2, 2, 0, 1}, {1.5, -1.5, 0.7, -0.9, 0.9, 0, 1.3}},
    {"far-apart", 50000, 6, {49999, 44000, 44000, 0, 20000, 44000}, {49999, 3, 44000, 2, 7, 3},
                            {1.1, 2.2, 3.3, 4.4, 5.5, 6.6}},
};
/* clang-format on */
enum { LITERALS = sizeof literals / sizeof literals[0] };

/* A matrix of MATRIX=, column after column as files have it. */
static spw_status load_by_columns(const char *name, spw_coo *A) {
    spw_csr by_rows, by_columns = {0};
    spw_status status = spw_csr_load(name, &by_rows);
    if (!status) status = spw_csr_transpose(&by_rows, &by_columns);
    if (!status) status = spw_coo_from_csr(&by_columns, A);
    if (!status) {
        spw_idx *const columns = A->row_idx;
        A->row_idx = A->col_idx;
        A->col_idx = columns;
        A->n_rows = by_rows.n_rows;
        A->n_cols = by_rows.n_cols;
    }
    spw_csr_destroy(&by_rows);
    spw_csr_destroy(&by_columns);
    return status;
}

static spw_status make_matrix(spw_trial *t, const void *at, void *matrix) {
    (void)at;
    spw_coo *A = (spw_coo *)matrix;
    const char *name = spw_kit_case(t);
    int k = 0, m = 0;
    spw_status status = SPW_OK;
    while (m < LITERALS && strcmp(name, literals[m].name) != 0) m++;
    if (m < LITERALS) {
        spw_kit_must(t, spw_coo_create(literals[m].n, literals[m].n, literals[m].nz, A));
        memcpy(A->row_idx, literals[m].row, (size_t)A->nnz * sizeof *A->row_idx);
        memcpy(A->col_idx, literals[m].col, (size_t)A->nnz * sizeof *A->col_idx);
        memcpy(A->val, literals[m].val, (size_t)A->nnz * sizeof *A->val);
    } else if (spw_coo_case_exists(name)) {
        status = spw_coo_case(name, spw_trial_seed(t), A);
    } else if (sscanf(name, "hexahedra:%d", &k) == 1 && k > 1 && k < 300) {
        status = spw_coo_hexahedra(k, spw_trial_seed(t), A);
        spw_kit_quantity(t, ".distinct", pow(3 * k - 2, 3));
    } else {
        status = load_by_columns(name, A);
        spw_kit_quantity(t, ".distinct", A->nnz);
    }
    spw_kit_quantity(t, ".longer", A->n_rows > A->n_cols ? A->n_rows : A->n_cols);
    return status;
}

static spw_status make_right(spw_trial *t, const void *at, void *matrix) {
    const spw_coo *A = ((const problem *)at)->A;
    spw_csr *E = (spw_csr *)matrix;
    const spw_status status = A->nnz <= SMALL ? spw_csr_expected(A, E) : spw_csr_from_coo(A, E);
    spw_kit_quantity(t, ".distinct", E->nnz);
    return status;
}

/* --- what must come out ---------------------------------------------------------------------------------- */

/* The last k of from .. to-1 with value[k] <= least; value ascends. */
static spw_idx last_up_to(const spw_idx *value, spw_idx from, spw_idx to, spw_idx least) {
    while (to - from > 1) {
        const spw_idx middle = from + (to - from) / 2;
        *(value[middle] <= least ? &from : &to) = middle;
    }
    return from;
}

/* Place of entry k of A in E, which has it. */
static spw_idx place(const spw_coo *A, const spw_csr *E, spw_idx k) {
    const spw_idx i = A->row_idx[k];
    return last_up_to(E->col_idx, E->row_ptr[i], E->row_ptr[i + 1], A->col_idx[k]);
}

static void describe_row(const spw_trial *t, int64_t i, char *text, int size) {
    const spw_csr *E = ((const problem *)spw_kit_arguments(t))->right;
    if (i > 0 && E->row_ptr[i - 1] == E->row_ptr[i])
        snprintf(text, (size_t)size, "row %d has no entries", (int)i - 1);
    else if (i == E->n_rows)
        snprintf(text, (size_t)size, "the number of entries");
}

static void describe_entry(const spw_trial *t, int64_t at, char *text, int size) {
    const problem *p = (const problem *)spw_kit_arguments(t);
    const spw_idx row = last_up_to(p->right->row_ptr, 0, p->right->n_rows, (spw_idx)at);
    int copies = 0;
    for (spw_idx k = 0; k < p->A->nnz; k++) copies += place(p->A, p->right, k) == at;
    if (copies > 1)
        snprintf(text, (size_t)size, "in row %d, the sum of %d", row, copies);
    else
        snprintf(text, (size_t)size, "in row %d", row);
}

/* m values are added in any order: the error is at most (m - 1) eps times the sum of their magnitudes,
 * and we allow twice that (N. J. Higham, Accuracy and Stability of Numerical Algorithms, section 4.2).
 * A single value is copied, and is allowed the same as two: that does no harm. */
static void expect(spw_trial *t, const void *at) {
    const problem *p = (const problem *)at;
    const spw_csr *E = p->right;
    const spw_coo *A = p->A;
    double *tolerance = spw_kit_doubles(t, E->nnz);
    spw_idx *copies = spw_kit_indices(t, E->nnz);
    for (spw_idx k = 0; k < A->nnz; k++) {
        const spw_idx to = place(A, E, k);
        copies[to]++;
        tolerance[to] += fabs(A->val[k]);
    }
    for (spw_idx k = 0; k < E->nnz; k++)
        tolerance[k] *= 2 * (copies[k] > 1 ? copies[k] - 1 : 1) * DBL_EPSILON;
    spw_kit_expect(t, p->row_ptr, E->row_ptr, NULL);
    spw_kit_expect_first(t, p->col_idx, E->nnz, E->col_idx, NULL);
    spw_kit_expect_first(t, p->val, E->nnz, E->val, tolerance);
}

/* --- the call, and the model ------------------------------------------------------------------------- */

static const spw_argument arguments[] = {
    SPW_MATRIX(problem, A, &spw_kit_coo, make_matrix, .prefix = "A->"),
    SPW_EXPECTED(problem, right, &spw_kit_csr, make_right),
    SPW_OUTPUT(problem, row_ptr, "n_rows + 1", .describe = describe_row),
    SPW_OUTPUT(problem, col_idx, "nz", .describe = describe_entry),
    SPW_OUTPUT(problem, val, "nz", .describe = describe_entry),
    SPW_ROOM(problem, order, "nz"),
    SPW_ROOM(problem, next, "longer + 1"),
    {0}};

SPW_CALL(call, coo_to_csr, const problem *p, p->A, p->row_ptr, p->col_idx, p->val, p->order,
         p->next)
SPW_PREDICT(predict, coo_to_csr_cost, const problem *p, p->A->n_rows, p->A->nnz, p->right->nnz)

static const spw_slip slips[] = {
    {"load -4 nz", "COO stores a row and a column with each value: 4 + 4 + 8 bytes"},
    {"load -8 nz", "COO stores a row and a column with each value: 4 + 4 + 8 bytes"},
    {"load 8 nz", "an index is a spw_idx: 4 bytes, not 8"},
    {"store 12 (nz - distinct)",
     "duplicates are summed: the result has `distinct` entries, not nz"},
    {"store 4 distinct", "CSR stores no row with an entry: 4 + 8 bytes, and row_ptr instead"},
    {"store -4", "row_ptr has one entry more than there are rows"},
    {"store -4 (n_rows + 1)", "row_ptr has to be stored too: n_rows + 1 entries of 4 bytes"},
    {"store -4 distinct", "CSR stores a column with each value: 4 + 8 bytes"},
    {"> flop 0", "additions of duplicates are not counted: leave .flop at 0"},
    {"load 16 (distinct - nz)", "all nz entries of A have to be read, the duplicates too"},
    {0}};

/* clang-format off */
static const spw_kit conversion = SPW_KIT_OF(arguments, problem, call, expect, .facts = "{size}, {distinct} distinct", .units = "nz; distinct; n_rows; (n_rows + 1)", .predict = predict, .cost = "load 16 nz; store 12 distinct + 4 (n_rows + 1)", .slips = slips);
/* clang-format on */

/* --- beside it: both make arrays of their own, and that is in their time ------------------------------ */

/* What comes to mind first: sort all entries, n log n comparisons. */
static void sort_all(spw_trial *t) {
    spw_csr B;
    if (!spw_csr_expected(((const problem *)spw_kit_called(t))->A, &B)) spw_csr_destroy(&B);
}

static void library(spw_trial *t) {
    spw_csr B;
    if (!spw_csr_from_coo(((const problem *)spw_kit_called(t))->A, &B)) spw_csr_destroy(&B);
}

/* Those of the table of COO cases follow, and a small cube of hexahedra. */
enum { MAX_CASES = 64 };
static const char *cases[MAX_CASES];

/* No conversion comes near the roof: it moves its data several times, and not in a stream. What
 * counts is the reference, and 0.3 is a goal for those who leave it behind. */
/* clang-format off */
static const spw_part parts[] = {SPW_PART("coo_to_csr", cases, conversion, .model = "coo_to_csr_cost", .speed = "hexahedra:40", .traffic = "hexahedra:32", .takes_matrix = true, .target = 0.3, .baseline = {.label = "qsort of all", .call = sort_all}, .stretch = {.label = "library, parallel radix sort", .call = library}),};
/* clang-format on */

int main(int argc, char **argv) {
    int n = 0;
    for (int m = 0; m < LITERALS - 1; m++) cases[n++] = literals[m].name;
    for (int c = 0; c < spw_coo_case_count() && n < MAX_CASES - 3; c++)
        cases[n++] = spw_coo_case_name(c);
    cases[n++] = "hexahedra:5";
    cases[n] = literals[LITERALS - 1].name; /* 50000 rows: last */
    return spw_judge(&(spw_exercise){.parts = parts, .n_parts = 1}, argc, argv);
}

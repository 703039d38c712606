/* Exercise 5: cases, true cost and explanations for the conversion of COO to CSR. */
#include "coo_to_csr.h"

#include "base/memory.h"
#include "base/random.h"
#include "formats/generate.h"
#include "kit/cases.h"
#include "kit/models.h"
#include "kit/systems.h"
#include "judge/exercise.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*convert_fn)(const spw_coo *, spw_idx *, spw_idx *, double *, spw_idx *, spw_idx *);
typedef spw_cost (*cost_fn)(int64_t, int64_t, int64_t);

typedef struct problem {
    const spw_coo *A;
    spw_idx *row_ptr, *col_idx, *order, *next;
    double *val;
    spw_idx distinct;        /* entries of the result */
    const spw_csr *expected; /* while checking */
    const spw_idx *copies;   /* [distinct]  entries of A at this position */
} problem;

enum { MAX_CASES = 64, LITERALS = 3, MISTAKES_UP_TO = 100000 };

/* Those of the table of COO cases follow, and a small cube of hexahedra. */
static const char *cases[MAX_CASES] = {"slides", "pieces", "staircase"};

/* --- matrices -------------------------------------------------------------------------------------- */

/* The 6 x 6 matrix of the README as the slides have it, and in pieces: in another order, and three
 * values as sums of two. And a staircase, where each row ends in the column in which the next begins. */
static spw_status literal(const char *name, spw_coo *A)
{
    static const struct {
        const char *name;
        spw_idx n, nz, row[15], col[15];
        double val[15];
    } table[] = {
        {"slides",
         6,
         12,
         {0, 0, 1, 1, 1, 1, 1, 2, 3, 3, 4, 5},
         {0, 1, 0, 1, 3, 4, 5, 2, 0, 3, 4, 5},
         {5.4, 1.1, 2.2, 8.3, 3.7, 1.3, 3.8, 4.2, 5.4, 9.2, 1.1, 8.1}},
        {"pieces",
         6,
         15,
         {3, 1, 5, 1, 0, 4, 1, 2, 1, 3, 0, 1, 5, 3, 1},
         {3, 4, 5, 0, 1, 4, 3, 2, 1, 0, 0, 5, 5, 3, 1},
         {9.0, 1.3, 8.0, 2.2, 1.1, 1.1, 3.7, 4.2, 8.1, 5.4, 5.4, 3.8, 0.1, 0.2, 0.2}},
        {"staircase",
         4,
         7,
         {3, 2, 2, 1, 1, 0, 0},
         {3, 3, 2, 2, 1, 1, 0},
         {0.7, -1.6, 1.5, 1.4, -1.3, 1.2, 1.1}},
    };
    for (size_t m = 0; m < sizeof table / sizeof table[0]; m++) {
        if (strcmp(name, table[m].name) != 0) continue;
        const spw_status status = spw_coo_create(table[m].n, table[m].n, table[m].nz, A);
        if (status) return status;
        memcpy(A->row_idx, table[m].row, (size_t)A->nnz * sizeof *A->row_idx);
        memcpy(A->col_idx, table[m].col, (size_t)A->nnz * sizeof *A->col_idx);
        memcpy(A->val, table[m].val, (size_t)A->nnz * sizeof *A->val);
        return SPW_OK;
    }
    return spw_error(SPW_ERR_ARG, "there is no case '%s'", name);
}

/* What assembling hexahedra gives: a cube of k nodes an edge, element after element, 8 x 8 entries
 * each. 64 (k-1)^3 entries at (3k-2)^3 positions. */
static spw_status assemble(int k, uint64_t seed, spw_coo *A)
{
    const int64_t n = (int64_t)k * k * k, edge = k - 1;
    const spw_status status = spw_coo_create(n, n, 64 * edge * edge * edge, A);
    if (status) return status;
#pragma omp parallel for schedule(static)
    for (int64_t e = 0; e < edge * edge * edge; e++) {
        const int64_t corner = (e / edge / edge * k + e / edge % edge) * k + e % edge;
        for (int ab = 0; ab < 64; ab++) {
            const int a = ab / 8, b = ab % 8;
            A->row_idx[64 * e + ab] =
                (spw_idx)(corner + ((a >> 2) * k + (a >> 1 & 1)) * k + (a & 1));
            A->col_idx[64 * e + ab] =
                (spw_idx)(corner + ((b >> 2) * k + (b >> 1 & 1)) * k + (b & 1));
            A->val[64 * e + ab] = spw_random_double(seed, (uint64_t)(64 * e + ab)) - 0.5;
        }
    }
    return SPW_OK;
}

/* A matrix of MATRIX=, column after column as files have it. It is its own expectation. */
static spw_status load_by_columns(const char *name, spw_coo *A, spw_csr *expected)
{
    spw_csr transposed = {0};
    spw_status status = spw_csr_load(name, expected);
    if (!status) status = spw_csr_transpose(expected, &transposed);
    if (!status) status = spw_coo_from_csr(&transposed, A);
    spw_csr_destroy(&transposed);
    if (status) return status;
    spw_idx *const swap = A->row_idx;
    A->row_idx = A->col_idx;
    A->col_idx = swap;
    A->n_rows = expected->n_rows;
    A->n_cols = expected->n_cols;
    return SPW_OK;
}

/* Makes the case, and what must come of it; without checks, of a large one the sizes alone. */
static spw_status make_case(const char *name, uint64_t seed, bool checks, spw_coo *A,
                            spw_csr *expected)
{
    int k = 0;
    if (sscanf(name, "hexahedra:%d", &k) == 1 && k > 1 && k < 300) {
        const spw_status status = assemble(k, seed, A);
        if (!status && checks) return spw_csr_from_coo(A, expected);
        *expected = (spw_csr){.nnz = (3 * k - 2) * (3 * k - 2) * (3 * k - 2)};
        return status;
    }
    int known = 0;
    spw_status status = SPW_OK;
    for (int c = 0; c < LITERALS && !known; c++)
        if (strcmp(name, cases[c]) == 0) {
            status = literal(name, A);
            known = 1;
        }
    if (!known) {
        if (!spw_coo_case_exists(name)) return load_by_columns(name, A, expected);
        status = spw_coo_case(name, seed, A);
    }
    return status ? status : spw_csr_expected(A, expected);
}

/* --- what must come out, and what typical mistakes give --------------------------------------------- */

/* Place of an entry in E, which has it. */
static spw_idx place(const spw_csr *E, spw_idx row, spw_idx col)
{
    spw_idx low = E->row_ptr[row], high = E->row_ptr[row + 1];
    while (high - low > 1) {
        const spw_idx middle = low + (high - low) / 2;
        if (E->col_idx[middle] <= col)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static spw_idx row_of(const spw_csr *E, int64_t k)
{
    spw_idx low = 0, high = E->n_rows;
    while (high - low > 1) {
        const spw_idx middle = low + (high - low) / 2;
        if (E->row_ptr[middle] <= k)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void describe_row(const spw_trial *t, int64_t i, char *text, int size)
{
    const spw_csr *E = ((const problem *)spw_trial_data(t))->expected;
    if (i > 0 && E->row_ptr[i - 1] == E->row_ptr[i])
        snprintf(text, (size_t)size, "row %d has no entries", (int)i - 1);
    else if (i == E->n_rows)
        snprintf(text, (size_t)size, "the number of entries");
}

static void describe_entry(const spw_trial *t, int64_t k, char *text, int size)
{
    const problem *p = (const problem *)spw_trial_data(t);
    if (p->copies[k] > 1)
        snprintf(text, (size_t)size, "in row %d, the sum of %d", row_of(p->expected, k),
                 p->copies[k]);
    else
        snprintf(text, (size_t)size, "in row %d", row_of(p->expected, k));
}

/* Mistakes in row_ptr are told from E alone and from the entries that A has in each row and column. */
static spw_status expect_row_mistakes(spw_trial *t, const problem *p)
{
    const spw_coo *A = p->A;
    const spw_idx *right = p->expected->row_ptr, n = A->n_rows;
    enum { KEPT, COUNTS, ENDS, COLUMNS, FROM_ONE, LAST_LOST, EMPTY_ZERO, SQUEEZED, ACROSS, KINDS };
    static const char *const text[KINDS] = {
        [KEPT] = "the duplicates are still there: entries of one position have to be summed",
        [COUNTS] = "these are the entries of each row: the running sum is missing",
        [ENDS] = "this is where each row ends: row_ptr was moved on by dealing the entries out",
        [COLUMNS] = "the columns were counted, not the rows",
        [FROM_ONE] = "every place is one too large: counting begins at 0",
        [LAST_LOST] = "the last row is lost: row_ptr has n_rows + 1 entries",
        [EMPTY_ZERO] = "rows without entries were left out: their row_ptr is that of the next row",
        [SQUEEZED] = "rows without entries were skipped, and those after them moved up",
        [ACROSS] = ("the last entry of a row and the first of the next have the same column: that\n"
                    "makes no duplicates of them"),
    };
    spw_idx *wrong[KINDS];
    for (int m = 0; m < KINDS; m++) {
        wrong[m] = (spw_idx *)spw_trial_memory(t, (int64_t)n + 1, sizeof **wrong);
        if (!wrong[m]) return SPW_ERR_MEMORY;
    }
    for (spw_idx k = 0; k < A->nnz; k++) {
        wrong[COUNTS][A->row_idx[k] + 1]++;
        if (n == A->n_cols) wrong[COLUMNS][A->col_idx[k] + 1]++;
    }
    spw_idx filled = 0;
    for (spw_idx i = 0; i <= n; i++) {
        const int empty = i > 0 && right[i] == right[i - 1];
        wrong[KEPT][i] = (i > 0 ? wrong[KEPT][i - 1] : 0) + wrong[COUNTS][i];
        if (i > 0) wrong[COLUMNS][i] += wrong[COLUMNS][i - 1];
        wrong[ENDS][i] = right[i < n ? i + 1 : n];
        wrong[FROM_ONE][i] = right[i] + 1;
        wrong[LAST_LOST][i] = right[i < n || n == 0 ? i : n - 1];
        wrong[EMPTY_ZERO][i] = empty ? 0 : right[i];
        if (i < n && right[i] < right[i + 1]) wrong[SQUEEZED][filled++] = right[i];
    }
    while (filled <= n) wrong[SQUEEZED][filled++] = right[n];
    spw_idx kept = 0, column = -1;
    for (spw_idx i = 0; i < n; i++) {
        for (spw_idx k = right[i]; k < right[i + 1]; k++) {
            kept += p->expected->col_idx[k] != column;
            column = p->expected->col_idx[k];
        }
        wrong[ACROSS][i + 1] = kept;
    }
    for (int m = 0; m < KINDS; m++)
        if (m != COLUMNS || n == A->n_cols) spw_trial_mistake(t, p->row_ptr, wrong[m], text[m]);
    return SPW_OK;
}

/* first[k], last[k]: the first and last value that A has for entry k of E; arrived[k]: the entries of
 * each row in the order in which A has them. */
static spw_status expect_entry_mistakes(spw_trial *t, const problem *p, const spw_idx *arrived,
                                        const double *first, const double *last)
{
    const spw_csr *E = p->expected;
    enum { UNSORTED, ROWS, DESCENDING, KINDS };
    static const char *const text[KINDS] = {
        [UNSORTED] = "the columns of a row stand as A has them: they have to ascend",
        [ROWS] = "these are rows, not columns",
        [DESCENDING] = "the columns of a row descend: they have to ascend",
    };
    spw_idx *wrong[KINDS];
    for (int m = 0; m < KINDS; m++) {
        wrong[m] = (spw_idx *)spw_trial_memory(t, E->nnz, sizeof **wrong);
        if (!wrong[m]) return SPW_ERR_MEMORY;
    }
    double *stayed = (double *)spw_trial_memory(t, E->nnz, sizeof *stayed);
    double *plain = (double *)spw_trial_memory(t, E->nnz, sizeof *plain);
    double *dealt = (double *)spw_trial_memory(t, p->A->nnz, sizeof *dealt);
    spw_idx *next = (spw_idx *)spw_trial_memory(t, (int64_t)E->n_rows + 1, sizeof *next);
    if (!stayed || !plain || !dealt || !next) return SPW_ERR_MEMORY;
    /* dealt: the values of A row by row; then each position takes as many as it has copies. */
    for (spw_idx i = 0; i < E->n_rows; i++) {
        next[i + 1] = next[i];
        for (spw_idx k = E->row_ptr[i]; k < E->row_ptr[i + 1]; k++) next[i + 1] += p->copies[k];
    }
    for (spw_idx k = 0; k < p->A->nnz; k++) dealt[next[p->A->row_idx[k]]++] = p->A->val[k];
    spw_idx taken = 0;
    for (spw_idx i = 0; i < E->n_rows; i++)
        for (spw_idx k = E->row_ptr[i]; k < E->row_ptr[i + 1]; k++) {
            wrong[UNSORTED][k] = E->col_idx[arrived[k]];
            wrong[ROWS][k] = i;
            wrong[DESCENDING][k] = E->col_idx[E->row_ptr[i] + E->row_ptr[i + 1] - 1 - k];
            for (spw_idx copy = 0; copy < p->copies[k]; copy++) stayed[k] += dealt[taken++];
            plain[k] = p->A->val[k];
        }
    for (int m = 0; m < KINDS; m++) spw_trial_mistake(t, p->col_idx, wrong[m], text[m]);
    spw_trial_mistake(t, p->val, stayed,
                      "the columns of a row were sorted, and their values stayed behind");
    spw_trial_mistake(t, p->val, last, "of each position only the last value was kept: sum them");
    spw_trial_mistake(t, p->val, first, "of each position only the first value was kept: sum them");
    spw_trial_mistake(t, p->val, plain, "these are the values of A as they stand, not yet sorted");
    return SPW_OK;
}

/* m values are added in any order: the error is at most (m - 1) eps times the sum of their magnitudes,
 * and we allow twice that (N. J. Higham, Accuracy and Stability of Numerical Algorithms, section 4.2).
 * A single value is copied, and is allowed the same as two: that does no harm. */
static spw_status expect(spw_trial *t, problem *p)
{
    const spw_csr *E = p->expected;
    const spw_coo *A = p->A;
    double *tolerance = (double *)spw_trial_memory(t, E->nnz, sizeof *tolerance);
    double *first = (double *)spw_trial_memory(t, E->nnz, sizeof *first);
    double *last = (double *)spw_trial_memory(t, E->nnz, sizeof *last);
    spw_idx *copies = (spw_idx *)spw_trial_memory(t, E->nnz, sizeof *copies);
    spw_idx *arrived = (spw_idx *)spw_trial_memory(t, E->nnz, sizeof *arrived);
    spw_idx *filled = (spw_idx *)spw_trial_memory(t, E->n_rows, sizeof *filled);
    if (!tolerance || !first || !last || !copies || !arrived || !filled) return SPW_ERR_MEMORY;
    for (spw_idx k = 0; k < A->nnz; k++) {
        const spw_idx i = A->row_idx[k], at = place(E, i, A->col_idx[k]);
        if (copies[at]++ == 0) {
            first[at] = A->val[k];
            arrived[E->row_ptr[i] + filled[i]++] = at;
        }
        last[at] = A->val[k];
        tolerance[at] += fabs(A->val[k]);
    }
    for (spw_idx k = 0; k < E->nnz; k++)
        tolerance[k] *= 2 * (copies[k] > 1 ? copies[k] - 1 : 1) * DBL_EPSILON;
    p->copies = copies;

    spw_trial_expect(t, p->row_ptr,
                     (spw_expectation){.expected = E->row_ptr,
                                       .count = (int64_t)E->n_rows + 1,
                                       .describe = describe_row});
    spw_trial_expect(
        t, p->col_idx,
        (spw_expectation){.expected = E->col_idx, .count = E->nnz, .describe = describe_entry});
    spw_trial_expect(t, p->val,
                     (spw_expectation){.expected = E->val,
                                       .tolerance = tolerance,
                                       .count = E->nnz,
                                       .describe = describe_entry});
    if (A->nnz > MISTAKES_UP_TO) return SPW_OK;
    const spw_status status = expect_row_mistakes(t, p);
    return status ? status : expect_entry_mistakes(t, p, arrived, first, last);
}

/* --- a case ---------------------------------------------------------------------------------------- */

static spw_status lay_out(spw_trial *t, problem *p, spw_coo *A, const spw_csr *expected)
{
    spw_coo given = *A;
    *A = (spw_coo){0};
    const int64_t nz = given.nnz, n_rows = given.n_rows, n_cols = given.n_cols;
    /* Each call takes its block over, whether it succeeds or not. */
    given.row_idx = (spw_idx *)spw_trial_adopt(t, "A->row_idx", SPW_INDEX, nz, given.row_idx);
    given.col_idx = (spw_idx *)spw_trial_adopt(t, "A->col_idx", SPW_INDEX, nz, given.col_idx);
    given.val = (double *)spw_trial_adopt(t, "A->val", SPW_DOUBLE, nz, given.val);
    p->A = (const spw_coo *)spw_trial_struct(t, "A", &given, sizeof given);
    p->row_ptr = (spw_idx *)spw_trial_output(t, "row_ptr", SPW_INDEX, n_rows + 1);
    p->col_idx = (spw_idx *)spw_trial_output(t, "col_idx", SPW_INDEX, nz);
    p->val = (double *)spw_trial_output(t, "val", SPW_DOUBLE, nz);
    p->order = (spw_idx *)spw_trial_output(t, "order", SPW_INDEX, nz);
    p->next =
        (spw_idx *)spw_trial_output(t, "next", SPW_INDEX, (n_rows > n_cols ? n_rows : n_cols) + 1);
    if (!given.row_idx || !given.col_idx || !given.val || !p->A || !p->row_ptr || !p->col_idx ||
        !p->val || !p->order || !p->next)
        return SPW_ERR_MEMORY;

    p->distinct = expected->nnz;
    if (!spw_trial_checks(t)) return SPW_OK;
    spw_csr kept = *expected;
    kept.row_ptr =
        (spw_idx *)spw_trial_copy(t, expected->row_ptr, n_rows + 1, sizeof *kept.row_ptr);
    kept.col_idx =
        (spw_idx *)spw_trial_copy(t, expected->col_idx, expected->nnz, sizeof *kept.col_idx);
    kept.val = (double *)spw_trial_copy(t, expected->val, expected->nnz, sizeof *kept.val);
    p->expected = (const spw_csr *)spw_trial_copy(t, &kept, 1, sizeof kept);
    if (!kept.row_ptr || !kept.col_idx || !kept.val || !p->expected) return SPW_ERR_MEMORY;
    return expect(t, p);
}

static spw_status setup(spw_trial *t, const char *name)
{
    spw_coo A = {0};
    spw_csr expected = {0};
    problem *p = (problem *)spw_trial_memory(t, 1, sizeof *p);
    if (!p) return SPW_ERR_MEMORY;
    spw_status status = make_case(name, spw_trial_seed(t), spw_trial_checks(t), &A, &expected);
    if (status) goto done;

    if (A.nnz >= 1000000)
        spw_trial_say(t, "n = %.2f M, %.1f M entries, %.1f M positions", A.n_rows * 1e-6,
                      A.nnz * 1e-6, expected.nnz * 1e-6);
    else if (expected.nnz < A.nnz)
        spw_trial_say(t, "%d x %d, nz %d, %d distinct", A.n_rows, A.n_cols, A.nnz, expected.nnz);
    else
        spw_trial_say(t, "%d x %d, nz %d", A.n_rows, A.n_cols, A.nnz);
    spw_trial_unit(t, "nz", A.nnz);
    if (expected.nnz < A.nnz) spw_trial_unit(t, "distinct", expected.nnz);
    spw_trial_unit(t, "n_rows", A.n_rows);
    spw_trial_unit(t, "(n_rows + 1)", A.n_rows + 1.0);
    status = lay_out(t, p, &A, &expected);
done:
    spw_coo_destroy(&A);
    spw_csr_destroy(&expected);
    return status;
}

static void call(spw_trial *t, spw_function f)
{
    const problem *p = (const problem *)spw_trial_data(t);
    ((convert_fn)f)(p->A, p->row_ptr, p->col_idx, p->val, p->order, p->next);
}

/* --- the model ------------------------------------------------------------------------------------- */

static spw_cost predict(spw_trial *t, spw_function model)
{
    const problem *p = (const problem *)spw_trial_data(t);
    return ((cost_fn)model)(p->A->n_rows, p->A->nnz, p->distinct);
}

static spw_cost cost(const spw_trial *t)
{
    const problem *p = (const problem *)spw_trial_data(t);
    return (spw_cost){
        .load = 16.0 * p->A->nnz,
        .store = 12.0 * p->distinct + 4.0 * (p->A->n_rows + 1.0),
    };
}

/* Differences from the truth, and what they come from; the first that fits is told. */
static void explain_model(const spw_trial *t, spw_cost got, char *text, int size)
{
    const problem *p = (const problem *)spw_trial_data(t);
    const spw_cost truth = cost(t);
    const double nz = p->A->nnz, left = p->distinct, n = p->A->n_rows;
    const spw_known_cost known[] = {
        {-4 * nz, 0, 0, "COO stores a row and a column with each value: 4 + 4 + 8 bytes"},
        {-8 * nz, 0, 0, "COO stores a row and a column with each value: 4 + 4 + 8 bytes"},
        {8 * nz, 0, 0, "an index is a spw_idx: 4 bytes, not 8"},
        {0, 12 * (nz - left), 0,
         "duplicates are summed: the result has `distinct` entries, not nz"},
        {0, 4 * left, 0, "CSR stores no row with an entry: 4 + 8 bytes, and row_ptr instead"},
        {0, -4, 0, "row_ptr has one entry more than there are rows"},
        {0, -4 * (n + 1), 0, "row_ptr has to be stored too: n_rows + 1 entries of 4 bytes"},
        {0, -4 * left, 0, "CSR stores a column with each value: 4 + 8 bytes"},
        {0, 0, nz - left, "additions of duplicates are not counted: leave .flop at 0"},
        {16 * (left - nz), 0, 0, "all nz entries of A have to be read, the duplicates too"},
    };
    if (!spw_known_cost_tell(known, sizeof known / sizeof known[0], got, truth, 0.5, text, size))
        spw_swapped_cost_tell(got, truth, text, size);
}

/* --- beside it ------------------------------------------------------------------------------------- */

typedef struct triplet {
    spw_idx row, col;
    double val;
} triplet;

static int by_position(const void *a, const void *b)
{
    const triplet *s = (const triplet *)a, *u = (const triplet *)b;
    if (s->row != u->row) return s->row < u->row ? -1 : 1;
    return (s->col > u->col) - (s->col < u->col);
}

/* What comes to mind first: sort all entries, n log n comparisons. */
static void sort_all(spw_trial *t)
{
    const problem *p = (const problem *)spw_trial_data(t);
    const spw_coo *A = p->A;
    triplet *all;
    if (SPW_ALLOC(&all, A->nnz)) return;
    for (spw_idx k = 0; k < A->nnz; k++)
        all[k] = (triplet){A->row_idx[k], A->col_idx[k], A->val[k]};
    qsort(all, (size_t)A->nnz, sizeof *all, by_position);
    spw_idx k = 0, out = 0;
    for (spw_idx i = 0; i < A->n_rows; i++) {
        p->row_ptr[i] = out;
        for (; k < A->nnz && all[k].row == i; k++) {
            if (out > p->row_ptr[i] && p->col_idx[out - 1] == all[k].col) {
                p->val[out - 1] += all[k].val;
            } else {
                p->col_idx[out] = all[k].col;
                p->val[out++] = all[k].val;
            }
        }
    }
    p->row_ptr[A->n_rows] = out;
    spw_free(all);
}

/* It makes its own arrays, and that is in its time. */
static void library(spw_trial *t)
{
    spw_csr B;
    spw_csr_from_coo(((const problem *)spw_trial_data(t))->A, &B);
    spw_csr_destroy(&B);
}

/* No conversion comes near the roof: it moves its data several times, and not in a stream. What
 * counts is the reference, and 0.3 is a goal for those who leave it behind. */
static const spw_part parts[] = {{
    .function = "coo_to_csr",
    .model = "coo_to_csr_cost",
    .cases = cases,
    .setup = setup,
    .call = call,
    .predict = predict,
    .cost = cost,
    .explain_model = explain_model,
    .speed = "hexahedra:40",
    .traffic = "hexahedra:32",
    .takes_matrix = true,
    .target = 0.3,
    .baseline = {"qsort of all", sort_all},
    .stretch = {"library, parallel radix sort", library},
}};

static const char *const forbidden[] = {"spw_csr_from_coo", "spw_csr_transpose", "spw_csr_expected",
                                        "spw_csr_load",     "spw_coo_from_csr",  NULL};

int main(int argc, char **argv)
{
    int n = LITERALS;
    for (int c = 0; c < spw_coo_case_count() && n < MAX_CASES - 2; c++)
        cases[n++] = spw_coo_case_name(c);
    cases[n] = "hexahedra:5";
    return spw_judge(&(spw_exercise){.parts = parts, .n_parts = 1, .forbidden = forbidden}, argc,
                     argv);
}

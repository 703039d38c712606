/* Exercise 6: cases, true cost and explanations for y = A x in CSR. */
#include "spmv_csr.h"

#include "kernels/spmv.h"
#include "kit/cases.h"
#include "kit/models.h"
#include "judge/exercise.h"

#include <stdio.h>

typedef void (*spmv_fn)(const spw_csr *, const double *, double *);
typedef spw_cost (*cost_fn)(const spw_csr *);

typedef struct problem {
    const spw_csr *A;
    const double *x;
    double *y;
} problem;

enum { MAX_CASES = 64, MISTAKES_UP_TO = 100000 };

/* --- what typical mistakes give -------------------------------------------------------------------- */

typedef void (*mistake_fn)(const spw_csr *A, const double *x, double *y);

static void transposed(const spw_csr *A, const double *x, double *y)
{
    for (spw_idx i = 0; i < A->n_rows; i++)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            y[A->col_idx[k]] += A->val[k] * x[i];
}

static void without_last(const spw_csr *A, const double *x, double *y)
{
    for (spw_idx i = 0; i < A->n_rows; i++)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1] - 1; k++)
            y[i] += A->val[k] * x[A->col_idx[k]];
}

static void without_first(const spw_csr *A, const double *x, double *y)
{
    for (spw_idx i = 0; i < A->n_rows; i++)
        for (spw_idx k = A->row_ptr[i] + 1; k < A->row_ptr[i + 1]; k++)
            y[i] += A->val[k] * x[A->col_idx[k]];
}

static void last_only(const spw_csr *A, const double *x, double *y)
{
    for (spw_idx i = 0; i < A->n_rows; i++)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            y[i] = A->val[k] * x[A->col_idx[k]];
}

static void x_of_row(const spw_csr *A, const double *x, double *y)
{
    for (spw_idx i = 0; i < A->n_rows; i++)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) y[i] += A->val[k] * x[i];
}

static void x_of_place(const spw_csr *A, const double *x, double *y)
{
    for (spw_idx i = 0; i < A->n_rows; i++)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            y[i] += A->val[k] * x[k - A->row_ptr[i]];
}

static void running(const spw_csr *A, const double *x, double *y)
{
    double sum = 0;
    for (spw_idx i = 0; i < A->n_rows; i++) {
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            sum += A->val[k] * x[A->col_idx[k]];
        y[i] = sum;
    }
}

static void without_x(const spw_csr *A, const double *x, double *y)
{
    (void)x;
    for (spw_idx i = 0; i < A->n_rows; i++)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) y[i] += A->val[k];
}

static void without_values(const spw_csr *A, const double *x, double *y)
{
    for (spw_idx i = 0; i < A->n_rows; i++)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) y[i] += x[A->col_idx[k]];
}

static const struct {
    mistake_fn make;
    int square; /* reads x[row] or writes y[column]: makes sense on square matrices only */
    const char *text;
} mistakes[] = {
    {transposed, 1, "this is A^T x: row and column have changed places"},
    {without_last, 0, "the last entry of each row is missing: k runs up to row_ptr[i+1] - 1"},
    {without_first, 0, "the first entry of each row is missing: k begins at row_ptr[i]"},
    {last_only, 0, "only the last product of each row is there: the sum keeps nothing else"},
    {x_of_row, 1, "x[i] was taken, the row's, instead of x[col_idx[k]], the column's"},
    {x_of_place, 0, "x[0], x[1], ... were taken in every row: the column is col_idx[k]"},
    {running, 0, "the sum runs on from row to row: it begins at 0 in each"},
    {without_x, 0, "these are the sums of the rows of A: x was left out"},
    {without_values, 0, "these are sums of x: the values of A were left out"},
};

static spw_status expect_mistakes(spw_trial *t, const problem *p)
{
    const spw_csr *A = p->A;
    for (size_t m = 0; m < sizeof mistakes / sizeof mistakes[0]; m++) {
        if (mistakes[m].square && A->n_rows != A->n_cols) continue;
        double *y = (double *)spw_trial_memory(t, A->n_rows, sizeof *y);
        if (!y) return SPW_ERR_MEMORY;
        mistakes[m].make(A, p->x, y);
        spw_trial_mistake(t, p->y, y, mistakes[m].text);
    }
    return SPW_OK;
}

static void describe(const spw_trial *t, int64_t i, char *text, int size)
{
    const spw_csr *A = ((const problem *)spw_trial_data(t))->A;
    const spw_idx length = A->row_ptr[i + 1] - A->row_ptr[i];
    if (length == 0)
        snprintf(text, (size_t)size, "the row has no entries");
    else if (length == 1)
        snprintf(text, (size_t)size, "the row has one entry");
    else if (length > A->nnz / 2)
        snprintf(text, (size_t)size, "the longest row, %d entries", length);
}

/* --- a case ---------------------------------------------------------------------------------------- */

static spw_status setup(spw_trial *t, const char *name)
{
    spw_csr A = {0};
    problem *p = (problem *)spw_trial_memory(t, 1, sizeof *p);
    if (!p) return SPW_ERR_MEMORY;
    const spw_status status = spw_csr_named(name, spw_trial_seed(t), &A);
    if (status) return status;

    if (A.nnz < 1000000)
        spw_trial_say(t, "%d x %d, nz %d", A.n_rows, A.n_cols, A.nnz);
    else
        spw_trial_say(t, "n = %.2f M, nz = %.1f M", A.n_rows * 1e-6, A.nnz * 1e-6);
    spw_trial_unit(t, "nz", A.nnz);
    spw_trial_unit(t, "n_rows", A.n_rows);
    if (A.n_cols != A.n_rows) spw_trial_unit(t, "n_cols", A.n_cols);
    spw_trial_unit(t, "(n_rows + 1)", A.n_rows + 1.0);

    p->A = spw_trial_csr(t, &A);
    if (!p->A) return SPW_ERR_MEMORY;
    p->x = spw_trial_random(t, "x", p->A->n_cols);
    p->y = (double *)spw_trial_output(t, "y", SPW_DOUBLE, p->A->n_rows);
    if (!p->x || !p->y) return SPW_ERR_MEMORY;
    if (!spw_trial_checks(t)) return SPW_OK;

    double *y = (double *)spw_trial_memory(t, p->A->n_rows, sizeof *y);
    double *tolerance = (double *)spw_trial_memory(t, p->A->n_rows, sizeof *tolerance);
    if (!y || !tolerance) return SPW_ERR_MEMORY;
    spw_spmv_expected(p->A, p->x, y, tolerance);
    spw_trial_expect(t, p->y,
                     (spw_expectation){.expected = y,
                                       .tolerance = tolerance,
                                       .count = p->A->n_rows,
                                       .noun = "row",
                                       .describe = describe});
    return p->A->nnz <= MISTAKES_UP_TO ? expect_mistakes(t, p) : SPW_OK;
}

static void call(spw_trial *t, spw_function f)
{
    const problem *p = (const problem *)spw_trial_data(t);
    ((spmv_fn)f)(p->A, p->x, p->y);
}

/* --- the model ------------------------------------------------------------------------------------- */

static spw_cost predict(spw_trial *t, spw_function model)
{
    return ((cost_fn)model)(((const problem *)spw_trial_data(t))->A);
}

static spw_cost cost(const spw_trial *t)
{
    const spw_csr *A = ((const problem *)spw_trial_data(t))->A;
    return (spw_cost){
        .load = 12.0 * A->nnz + 4.0 * (A->n_rows + 1.0) + 8.0 * A->n_cols,
        .store = 8.0 * A->n_rows,
        .flop = 2.0 * A->nnz,
    };
}

/* Differences from the truth, and what they come from; the first that fits is told. */
static void explain_model(const spw_trial *t, spw_cost got, char *text, int size)
{
    const spw_csr *A = ((const problem *)spw_trial_data(t))->A;
    const spw_cost truth = cost(t);
    const double nz = A->nnz, r = A->n_rows, c = A->n_cols;
    const spw_known_cost known[] = {
        {4 * nz, 0, 0, "an entry is a double and a 32-bit column: 8 + 4 = 12 bytes"},
        {-4 * nz, 0, 0, "the column of each entry has to be loaded as well as its value"},
        {8 * (nz - c), 0, 0,
         "x is counted once for each entry: that is what may happen, not what must.\n"
         "At the least each x[j] is loaded once, and stays in a cache"},
        {-8 * c, 0, 0, "x has to be loaded too: 8 bytes a column"},
        {-4 * (r + 1), 0, 0, "row_ptr has to be loaded too: n_rows + 1 entries of 4 bytes"},
        {-4, 0, 0, "row_ptr has one entry more than there are rows"},
        {8 * r, 0, 0,
         "y is written, not read. The write-allocate read is not in the model:\n"
         "it depends on the kind of store"},
        {4 * (r + 1), 0, 0, "row_ptr[i+1] is row_ptr[i] of the next row: each is loaded once"},
        {8 * (r - c), 0, 0, "x has an entry for each column, y one for each row"},
        {0, 8 * (c - r), 0, "x has an entry for each column, y one for each row"},
        {0, -8 * r, 0, "y has to be stored: 8 bytes a row"},
        {8 * r, -8 * r, 0, "y is stored, not loaded"},
        {0, 8 * (nz - r), 0, "y[i] is stored once a row; the sum stays in a register"},
        {0, 0, -nz, "each entry costs a multiplication and an addition: 2 flop"},
        {0, 0, -r,
         "right, the first product of a row needs no addition;\n"
         "but everybody counts 2 nz, and so that speeds compare, we do"},
    };
    if (!spw_known_cost_tell(known, sizeof known / sizeof known[0], got, truth, 0.5, text, size))
        spw_swapped_cost_tell(got, truth, text, size);
}

/* --- beside it ------------------------------------------------------------------------------------- */

static void serial(spw_trial *t)
{
    const problem *p = (const problem *)spw_trial_data(t);
    spw_spmv_csr_ref(p->A, p->x, p->y);
}

static void balanced(spw_trial *t)
{
    const problem *p = (const problem *)spw_trial_data(t);
    spw_spmv_csr_omp_balanced(p->A, p->x, p->y);
}

static const char *cases[MAX_CASES] = {"small", "slides"};

static const spw_part parts[] = {{
    .function = "spmv_csr",
    .model = "spmv_csr_cost",
    .cases = cases,
    .setup = setup,
    .call = call,
    .predict = predict,
    .cost = cost,
    .explain_model = explain_model,
    .speed = "stencil27:120",
    .traffic = "stencil27:60",
    .takes_matrix = true,
    .target = 0.8,
    .baseline = {"plain serial loop", serial},
    .stretch = {"library, rows cut by entries", balanced},
}};

int main(int argc, char **argv)
{
    int n = 2;
    for (int c = 0; c < spw_csr_case_count() && n < MAX_CASES - 1; c++)
        cases[n++] = spw_csr_case_name(c);
    return spw_judge(&(spw_exercise){.parts = parts, .n_parts = 1}, argc, argv);
}

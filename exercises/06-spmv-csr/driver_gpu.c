/* Exercise 6, GPU part: cases, true cost, sector bounds and explanations for y = A x in CSR on a GPU. */
#include "spmv_csr_gpu.h"

#include "kernels/cuda.h"
#include "kit/cases.h"
#include "kit/device_systems.h"
#include "kit/models.h"
#include "judge/exercise.h"

#include <stdio.h>

typedef void (*spmv_fn)(spw_csr, const double *, double *);
typedef spw_cost (*cost_fn)(const spw_csr *);

typedef struct problem {
    const spw_csr *A;
    const double *x;
    double *y;
} problem;

static const problem *of(const spw_trial *t)
{
    return (const problem *)spw_trial_data(t);
}

/* From here on what mistakes would give is not worked out. */
enum { LARGE = 1000000 };

/* --- what typical mistakes give -------------------------------------------------------------------- */

/* Does entry j of a row of so many take part? */
typedef bool (*choice)(spw_idx j, spw_idx length);

static bool of_lane_0(spw_idx j, spw_idx length)
{
    (void)length;
    return j % 32 == 0;
}

static bool of_first_round(spw_idx j, spw_idx length)
{
    (void)length;
    return j < 32;
}

static bool is_last(spw_idx j, spw_idx length)
{
    return j == length - 1;
}

static bool is_not_last(spw_idx j, spw_idx length)
{
    return j < length - 1;
}

static const struct {
    choice of;
    const char *text;
} mistakes[] = {
    {is_last, "only the last product of each row is there: the sum keeps nothing else"},
    {is_not_last, "the last entry of each row is missing: k runs up to row_ptr[i+1] - 1"},
    {of_lane_0, "only the share of lane 0 is there: the lanes' sums were not added up"},
    {of_first_round, "only the first 32 entries of each row are there: a longer row takes more\n"
                     "rounds, k += 32"},
};

static spw_status expect_mistakes(spw_trial *t, const problem *p)
{
    const spw_csr *A = p->A;
    for (size_t m = 0; m < sizeof mistakes / sizeof mistakes[0]; m++) {
        double *y = (double *)spw_trial_memory(t, A->n_rows, sizeof *y);
        if (!y) return SPW_ERR_MEMORY;
        for (spw_idx i = 0; i < A->n_rows; i++)
            for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
                if (mistakes[m].of(k - A->row_ptr[i], A->row_ptr[i + 1] - A->row_ptr[i]))
                    y[i] += A->val[k] * p->x[A->col_idx[k]];
        spw_trial_mistake(t, p->y, y, mistakes[m].text);
    }
    return SPW_OK;
}

static void describe(const spw_trial *t, int64_t i, char *text, int size)
{
    const spw_csr *A = of(t)->A;
    const spw_idx length = A->row_ptr[i + 1] - A->row_ptr[i];
    snprintf(text, (size_t)size, length == 0 ? "the row has no entries" : "the row has %d entr%s",
             length, length == 1 ? "y" : "ies");
}

/* --- a case ---------------------------------------------------------------------------------------- */

static spw_status setup(spw_trial *t, const char *name)
{
    spw_csr A = {0};
    problem *p = (problem *)spw_trial_memory(t, 1, sizeof *p);
    if (!p) return SPW_ERR_MEMORY;
    const spw_status status = spw_csr_named(name, spw_trial_seed(t), &A);
    if (status) return status;
    spw_trial_say(t, "%d x %d, nz %d", A.n_rows, A.n_cols, A.nnz);
    spw_trial_unit(t, "nz", A.nnz);
    spw_trial_unit(t, "n_rows", A.n_rows);
    if (A.n_cols != A.n_rows) spw_trial_unit(t, "n_cols", A.n_cols);
    spw_trial_unit(t, "(n_rows + 1)", A.n_rows + 1.0);

    p->A = spw_trial_csr(t, &A);
    if (!p->A) return SPW_ERR_MEMORY;
    p->x = spw_trial_random(t, "x", p->A->n_cols);
    p->y = (double *)spw_trial_output(t, "y", SPW_DOUBLE, p->A->n_rows);
    double *y = (double *)spw_trial_memory(t, p->A->n_rows, sizeof *y);
    double *tolerance = (double *)spw_trial_memory(t, p->A->n_rows, sizeof *tolerance);
    if (!p->x || !p->y || !y || !tolerance) return SPW_ERR_MEMORY;
    spw_spmv_expected(p->A, p->x, y, tolerance);
    spw_trial_expect(t, p->y,
                     (spw_expectation){.expected = y,
                                       .tolerance = tolerance,
                                       .count = p->A->n_rows,
                                       .noun = "row",
                                       .describe = describe});
    return p->A->nnz <= LARGE ? expect_mistakes(t, p) : SPW_OK;
}

static void call(spw_trial *t, spw_function f)
{
    const problem *p = of(t);
    ((spmv_fn)f)(spw_device_csr(t, p->A), spw_device_doubles(t, p->x), spw_device_doubles(t, p->y));
}

/* The library's, the stretch goal on a GPU. */
static void library(spw_trial *t)
{
    const problem *p = of(t);
    const spw_csr A = spw_device_csr(t, p->A);
    spw_trial_library(
        t, spw_spmv_csr_cuda_warp(&A, spw_device_doubles(t, p->x), spw_device_doubles(t, p->y)));
}

/* --- the model ------------------------------------------------------------------------------------- */

static spw_cost predict(spw_trial *t, spw_function model)
{
    return ((cost_fn)model)(of(t)->A);
}

static spw_cost cost(const spw_trial *t)
{
    const spw_csr *A = of(t)->A;
    return (spw_cost){
        .load = 12.0 * A->nnz + 4.0 * (A->n_rows + 1.0) + 8.0 * A->n_cols,
        .store = 8.0 * A->n_rows,
        .flop = 2.0 * A->nnz,
    };
}

/* Differences from the truth, and what they come from; the first that fits is told. */
static void explain_model(const spw_trial *t, spw_cost got, char *text, int size)
{
    const spw_csr *A = of(t)->A;
    const spw_cost truth = cost(t);
    const double nz = A->nnz, r = A->n_rows, c = A->n_cols;
    const spw_known_cost known[] = {
        {64 * nz - 12 * nz, 0, 0,
         "that is what the sectors of a thread a row move, at the worst. The model\n"
         "says what must be moved: 12 bytes an entry"},
        {4 * nz, 0, 0, "an entry is a double and a 32-bit column: 8 + 4 = 12 bytes"},
        {-4 * nz, 0, 0, "the column of each entry has to be loaded as well as its value"},
        {8 * (nz - c), 0, 0, "at the least each x[j] is loaded once, and stays in a cache"},
        {-8 * c, 0, 0, "x has to be loaded too: 8 bytes a column"},
        {-4 * (r + 1), 0, 0, "row_ptr has to be loaded too: n_rows + 1 entries of 4 bytes"},
        {-4, 0, 0, "row_ptr has one entry more than there are rows"},
        {8 * r, 0, 0, "y is written, not read; and a GPU has no write-allocate"},
        {4 * (r + 1), 0, 0, "row_ptr[i+1] is row_ptr[i] of the next row: each is loaded once"},
        {0, -8 * r, 0, "y has to be stored: 8 bytes a row"},
        {0, 0, -nz, "each entry costs a multiplication and an addition: 2 flop"},
    };
    if (!spw_known_cost_tell(known, sizeof known / sizeof known[0], got, truth, 0.5, text, size))
        spw_swapped_cost_tell(got, truth, text, size);
}

/* --- the declaration -------------------------------------------------------------------------------- */

/* clang-format off */
static const char *const cases[] = {
    "one-by-one", "no-rows", "no-columns", "no-entries", "one-row", "empty-first-last",
    "mostly-empty", "every-length", "dense-row", "rectangular-wide", "rectangular-tall", "prime",
    "powerlaw", NULL};
/* clang-format on */

#define STUDY "stencil27:10x25x40" /* the matrix of the README's table, n = 10,000 */
#define TIMED "stencil27:128"      /* on a GPU: n = 2.1 M, 0.7 GB */

/* val and col_idx have none: how bad it is, is the lesson. */
static const spw_sector_bound rows_bounds[] = {
    {.array = "row_ptr",
     .access = SPW_LOADS,
     .per_request = 5.5,
     .hint = "neighbouring lanes must have neighbouring rows"},
    {.array = "y",
     .access = SPW_STORES,
     .per_request = 8.5,
     .hint = "neighbouring lanes must have neighbouring rows"},
    {.array = NULL},
};
#define SIDE_BY_SIDE "neighbouring lanes must read neighbouring entries of the same row"
static const spw_sector_bound warps_bounds[] = {
    {.array = "val", .access = SPW_LOADS, .per_request = 8.5, .hint = SIDE_BY_SIDE},
    {.array = "val",
     .access = SPW_LOADS,
     .times_size = 2.5,
     .hint = "sectors are moved for 8 of their 32 bytes: in each step all lanes of the warp must\n"
             "read, neighbours from neighbours"},
    {.array = "col_idx", .access = SPW_LOADS, .per_request = 4.5, .hint = SIDE_BY_SIDE},
    {.array = NULL},
};

static const spw_part parts[] = {
    {
        .function = "spmv_csr_rows",
        .cases = cases,
        .setup = setup,
        .call = call,
        .cost = cost,
        .on_device = true,
        .bounds = rows_bounds,
        .traffic = STUDY,
        .speed = TIMED,
        .takes_matrix = true,
        .target = 0.7,
        .stretch = {"library's best", library},
    },
    {
        .function = "spmv_csr",
        .model = "spmv_csr_cost",
        .cases = cases,
        .setup = setup,
        .call = call,
        .predict = predict,
        .cost = cost,
        .explain_model = explain_model,
        .on_device = true,
        .bounds = warps_bounds,
        .traffic = STUDY,
        .speed = TIMED,
        .takes_matrix = true,
        .target = 0.7,
        .stretch = {"library's best", library},
    },
};

int main(int argc, char **argv)
{
    return spw_judge(&(spw_exercise){.parts = parts, .n_parts = 2, .gpu = true}, argc, argv);
}

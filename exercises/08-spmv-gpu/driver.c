/* Exercise 8: cases, true costs, sector bounds and explanations for y = A x in four formats on the GPU.
 *
 * A case is a name of kit/cases.h, "slides", or a matrix; for SELL its C and sigma may follow, as in
 * "prime@4,8". Sorting cannot be told from a matrix whose rows are all alike, so both are among them. */
#include "spmv_gpu.h"

#include "kernels/cuda.h"
#include "kit/cases.h"
#include "kit/device_systems.h"
#include "kit/models.h"
#include "judge/exercise.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One of the four has arrays, those of the trial. */
typedef struct problem {
    spw_csr csr;
    spw_ell ell;
    spw_sell sell;
    spw_coo coo;
    spw_idx n_rows, n_cols, nnz;
    spw_idx *length; /* [n_rows]  entries of the row */
    const double *x;
    double *y;
} problem;

/* --- matrices ------------------------------------------------------------------------------------- */

/* Takes "@C,sigma" off the name, if it is there. */
static void split(const char *name, char *base, size_t size, int *C, int *sigma)
{
    int c, s, end = 0;
    snprintf(base, size, "%s", name);
    char *at = strrchr(base, '@');
    if (!at || sscanf(at, "@%d,%d%n", &c, &s, &end) != 2 || at[end]) return;
    *at = 0;
    *C = c;
    *sigma = s;
}

static spw_status matrix(const char *full_name, uint64_t seed, spw_csr *A)
{
    char name[512];
    int C, sigma;
    split(full_name, name, sizeof name, &C, &sigma);
    return spw_csr_named(name, seed, A);
}

/* --- what typical mistakes give -------------------------------------------------------------------- */

/* y[i] = the sum over row i of those entries j of it that `takes` names. */
static double *partial_rows(spw_trial *t, const spw_csr *A, const double *x,
                            int (*takes)(spw_idx j, spw_idx length))
{
    double *y = (double *)spw_trial_memory(t, A->n_rows, sizeof *y);
    for (spw_idx i = 0; y && i < A->n_rows; i++)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            if (takes(k - A->row_ptr[i], A->row_ptr[i + 1] - A->row_ptr[i]))
                y[i] += A->val[k] * x[A->col_idx[k]];
    return y;
}

static int every_32nd(spw_idx j, spw_idx length)
{
    (void)length;
    return j % 32 == 0;
}

static int first_32(spw_idx j, spw_idx length)
{
    (void)length;
    return j < 32;
}

static int the_last(spw_idx j, spw_idx length)
{
    return j == length - 1;
}

static void csr_mistakes(spw_trial *t, const spw_csr *A, const problem *p)
{
    spw_trial_mistake(t, p->y, partial_rows(t, A, p->x, every_32nd),
                      "only the share of lane 0 is there: the lanes' sums were not added up");
    spw_trial_mistake(t, p->y, partial_rows(t, A, p->x, first_32),
                      "only the first 32 entries of each row are there: a longer row takes more\n"
                      "rounds, k += 32");
    spw_trial_mistake(t, p->y, partial_rows(t, A, p->x, the_last),
                      "only the last product of each row is there: the sum keeps nothing else");
}

/* As if the arrays were stored row by row. */
static void ell_mistakes(spw_trial *t, const problem *p)
{
    const spw_ell *A = &p->ell;
    double *y = (double *)spw_trial_memory(t, A->n_rows, sizeof *y);
    for (spw_idx k = 0; y && k < A->n_stored; k++)
        y[k / A->width] += A->val[k] * p->x[A->col_idx[k]];
    spw_trial_mistake(t, p->y, y,
                      "entry j of row i was looked for at i * width + j: that is row by row.\n"
                      "ELL is stored column by column: j * n_rows + i");
}

static void sell_mistakes(spw_trial *t, const problem *p, const double *right)
{
    double *y = (double *)spw_trial_memory(t, p->n_rows, sizeof *y);
    for (spw_idx k = 0; y && k < p->n_rows; k++) y[k] = right[p->sell.perm[k]];
    spw_trial_mistake(
        t, p->y, y,
        "the right values at the wrong rows: stored row k is row perm[k] of the matrix");
}

static void describe(const spw_trial *t, int64_t i, char *text, int size)
{
    const problem *p = (const problem *)spw_trial_data(t);
    if (p->length[i] == 0)
        snprintf(text, (size_t)size, "the row has no entries");
    else if (p->length[i] == 1)
        snprintf(text, (size_t)size, "the row has one entry");
    else
        snprintf(text, (size_t)size, "the row has %d entries", p->length[i]);
}

/* --- a case ---------------------------------------------------------------------------------------- */

/* stored: with the padding; 0: a format that has none. */
static void say(spw_trial *t, const problem *p, spw_idx stored)
{
    if (stored)
        spw_trial_say(t, "%d x %d, beta %.3f", p->n_rows, p->n_cols, p->nnz / (double)stored);
    else
        spw_trial_say(t, "%d x %d, nz %d", p->n_rows, p->n_cols, p->nnz);
    spw_trial_unit(t, "nz", p->nnz);
    spw_trial_unit(t, "n_rows", p->n_rows);
    if (p->n_cols != p->n_rows) spw_trial_unit(t, "n_cols", p->n_cols);
    spw_trial_unit(t, "(n_rows + 1)", p->n_rows + 1.0);
}

/* x, y, and what y must be. *expected: [n_rows]. */
static spw_status vectors(spw_trial *t, problem *p, const spw_csr *A, const spw_coo *C,
                          double **expected)
{
    p->x = spw_trial_random(t, "x", p->n_cols);
    p->y = (double *)spw_trial_output(t, "y", SPW_DOUBLE, p->n_rows);
    p->length = (spw_idx *)spw_trial_memory(t, p->n_rows, sizeof *p->length);
    double *y = *expected = (double *)spw_trial_memory(t, p->n_rows, sizeof *y);
    double *tolerance = (double *)spw_trial_memory(t, p->n_rows, sizeof *tolerance);
    if (!p->x || !p->y || !p->length || !y || !tolerance) return SPW_ERR_MEMORY;
    for (spw_idx i = 0; A && i < p->n_rows; i++) p->length[i] = A->row_ptr[i + 1] - A->row_ptr[i];
    for (spw_idx k = 0; C && k < p->nnz; k++) p->length[C->row_idx[k]]++;
    if (A)
        spw_spmv_expected(A, p->x, y, tolerance);
    else if (spw_spmv_coo_expected(C, p->x, y, tolerance))
        return SPW_ERR_MEMORY;
    spw_trial_expect(t, p->y,
                     (spw_expectation){.expected = y,
                                       .tolerance = tolerance,
                                       .count = p->n_rows,
                                       .noun = "row",
                                       .describe = describe});
    return SPW_OK;
}

static spw_idx *adopt_indices(spw_trial *t, const char *name, int64_t count, spw_idx *block)
{
    return (spw_idx *)spw_trial_adopt(t, name, SPW_INDEX, count, block);
}

static spw_status setup_csr(spw_trial *t, const char *name)
{
    double *expected;
    spw_csr A;
    problem *p = (problem *)spw_trial_memory(t, 1, sizeof *p);
    if (!p) return SPW_ERR_MEMORY;
    spw_status status = matrix(name, spw_trial_seed(t), &A);
    if (status) return status;
    *p = (problem){.n_rows = A.n_rows, .n_cols = A.n_cols, .nnz = A.nnz};
    say(t, p, 0);
    const spw_csr *kept = spw_trial_csr(t, &A);
    if (!kept) return SPW_ERR_MEMORY;
    p->csr = *kept;
    status = vectors(t, p, &p->csr, NULL, &expected);
    if (!status) csr_mistakes(t, &p->csr, p);
    return status;
}

static spw_status setup_ell(spw_trial *t, const char *name)
{
    double *expected;
    spw_csr A;
    problem *p = (problem *)spw_trial_memory(t, 1, sizeof *p);
    if (!p) return SPW_ERR_MEMORY;
    spw_status status = matrix(name, spw_trial_seed(t), &A);
    if (status) return status;
    *p = (problem){.n_rows = A.n_rows, .n_cols = A.n_cols, .nnz = A.nnz};
    spw_ell *E = &p->ell;
    status = spw_ell_from_csr(&A, E);
    if (status) goto done;
    say(t, p, E->n_stored);
    spw_trial_unit(t, "n_stored", E->n_stored);
    E->row_len = adopt_indices(t, "row_len", E->n_rows, E->row_len);
    E->col_idx = adopt_indices(t, "col_idx", E->n_stored, E->col_idx);
    E->val = (double *)spw_trial_adopt(t, "val", SPW_DOUBLE, E->n_stored, E->val);
    status =
        !E->row_len || !E->col_idx || !E->val ? SPW_ERR_MEMORY : vectors(t, p, &A, NULL, &expected);
    if (!status) ell_mistakes(t, p);
done:
    spw_csr_destroy(&A);
    return status;
}

/* C = 32 and sigma = 256, unless "@C,sigma" follows the name. */
static spw_status setup_sell(spw_trial *t, const char *name)
{
    double *expected;
    spw_csr A;
    char base[512];
    int C = 32, sigma = 256;
    problem *p = (problem *)spw_trial_memory(t, 1, sizeof *p);
    if (!p) return SPW_ERR_MEMORY;
    split(name, base, sizeof base, &C, &sigma);
    spw_status status = matrix(base, spw_trial_seed(t), &A);
    if (status) return status;
    *p = (problem){.n_rows = A.n_rows, .n_cols = A.n_cols, .nnz = A.nnz};
    spw_sell *S = &p->sell;
    status = spw_sell_from_csr(&A, C, sigma, S);
    if (status) goto done;
    say(t, p, S->n_stored);
    spw_trial_unit(t, "n_stored", S->n_stored);
    spw_trial_unit(t, "(n_chunks + 1)", S->n_chunks + 1.0);
    S->chunk_ptr = adopt_indices(t, "chunk_ptr", S->n_chunks + 1, S->chunk_ptr);
    S->perm = adopt_indices(t, "perm", S->n_rows, S->perm);
    S->row_len = adopt_indices(t, "row_len", S->n_rows, S->row_len);
    S->col_idx = adopt_indices(t, "col_idx", S->n_stored, S->col_idx);
    S->val = (double *)spw_trial_adopt(t, "val", SPW_DOUBLE, S->n_stored, S->val);
    status = !S->chunk_ptr || !S->perm || !S->row_len || !S->col_idx || !S->val
                 ? SPW_ERR_MEMORY
                 : vectors(t, p, &A, NULL, &expected);
    if (!status) sell_mistakes(t, p, expected);
done:
    spw_csr_destroy(&A);
    return status;
}

static spw_status setup_coo(spw_trial *t, const char *name)
{
    double *expected;
    spw_coo C = {0};
    problem *p = (problem *)spw_trial_memory(t, 1, sizeof *p);
    if (!p) return SPW_ERR_MEMORY;
    spw_status status = SPW_OK;
    if (spw_coo_case_exists(name)) {
        status = spw_coo_case(name, spw_trial_seed(t), &C);
    } else {
        spw_csr A;
        status = matrix(name, spw_trial_seed(t), &A);
        if (!status) status = spw_coo_from_csr(&A, &C);
        spw_csr_destroy(&A);
    }
    if (status) return status;
    *p = (problem){.n_rows = C.n_rows, .n_cols = C.n_cols, .nnz = C.nnz};
    say(t, p, 0);
    const spw_coo *kept = spw_trial_coo(t, &C);
    if (!kept) return SPW_ERR_MEMORY;
    p->coo = *kept;
    return vectors(t, p, NULL, &p->coo, &expected);
}

/* --- the calls: structs whose arrays are the device's ------------------------------------------------ */

static const problem *of(const spw_trial *t)
{
    return (const problem *)spw_trial_data(t);
}

static spw_idx *indices(const spw_trial *t, const spw_idx *array)
{
    return (spw_idx *)spw_trial_device(t, array);
}

static spw_ell device_ell(const spw_trial *t)
{
    spw_ell A = of(t)->ell;
    A.row_len = indices(t, A.row_len);
    A.col_idx = indices(t, A.col_idx);
    A.val = spw_device_doubles(t, A.val);
    return A;
}

static spw_sell device_sell(const spw_trial *t)
{
    spw_sell A = of(t)->sell;
    A.chunk_ptr = indices(t, A.chunk_ptr);
    A.perm = indices(t, A.perm);
    A.row_len = indices(t, A.row_len);
    A.col_idx = indices(t, A.col_idx);
    A.val = spw_device_doubles(t, A.val);
    return A;
}

static spw_coo device_coo(const spw_trial *t)
{
    spw_coo A = of(t)->coo;
    A.row_idx = indices(t, A.row_idx);
    A.col_idx = indices(t, A.col_idx);
    A.val = spw_device_doubles(t, A.val);
    return A;
}

static void call_csr(spw_trial *t, spw_function f)
{
    ((void (*)(spw_csr, const double *, double *))f)(spw_device_csr(t, &of(t)->csr),
                                                     spw_device_doubles(t, of(t)->x),
                                                     spw_device_doubles(t, of(t)->y));
}

static void call_ell(spw_trial *t, spw_function f)
{
    ((void (*)(spw_ell, const double *, double *))f)(device_ell(t), spw_device_doubles(t, of(t)->x),
                                                     spw_device_doubles(t, of(t)->y));
}

static void call_sell(spw_trial *t, spw_function f)
{
    ((void (*)(spw_sell, const double *, double *))f)(
        device_sell(t), spw_device_doubles(t, of(t)->x), spw_device_doubles(t, of(t)->y));
}

static void call_coo(spw_trial *t, spw_function f)
{
    ((void (*)(spw_coo, const double *, double *))f)(device_coo(t), spw_device_doubles(t, of(t)->x),
                                                     spw_device_doubles(t, of(t)->y));
}

static void library_csr(spw_trial *t)
{
    const spw_csr A = spw_device_csr(t, &of(t)->csr);
    spw_trial_library(t, spw_spmv_csr_cuda_warp(&A, spw_device_doubles(t, of(t)->x),
                                                spw_device_doubles(t, of(t)->y)));
}

static void library_ell(spw_trial *t)
{
    const spw_ell A = device_ell(t);
    spw_trial_library(
        t, spw_spmv_ell_cuda(&A, spw_device_doubles(t, of(t)->x), spw_device_doubles(t, of(t)->y)));
}

static void library_sell(spw_trial *t)
{
    const spw_sell A = device_sell(t);
    spw_trial_library(t, spw_spmv_sell_cuda(&A, spw_device_doubles(t, of(t)->x),
                                            spw_device_doubles(t, of(t)->y)));
}

static void library_coo(spw_trial *t)
{
    const spw_coo A = device_coo(t);
    spw_trial_library(t, spw_spmv_coo_cuda_runs(&A, spw_device_doubles(t, of(t)->x),
                                                spw_device_doubles(t, of(t)->y)));
}

/* --- the models -------------------------------------------------------------------------------------- */

static spw_cost predict_csr(spw_trial *t, spw_function f)
{
    return ((spw_cost(*)(const spw_csr *))f)(&of(t)->csr);
}

static spw_cost predict_ell(spw_trial *t, spw_function f)
{
    return ((spw_cost(*)(const spw_ell *))f)(&of(t)->ell);
}

static spw_cost predict_sell(spw_trial *t, spw_function f)
{
    return ((spw_cost(*)(const spw_sell *))f)(&of(t)->sell);
}

static spw_cost predict_coo(spw_trial *t, spw_function f)
{
    return ((spw_cost(*)(const spw_coo *))f)(&of(t)->coo);
}

/* `stored` entries of `bytes` each, `pointers` and the like of 4 bytes, x and y. */
static spw_cost cost_of(const problem *p, double stored, double bytes, double pointers)
{
    return (spw_cost){.load = bytes * stored + 4 * pointers + 8.0 * p->n_cols,
                      .store = 8.0 * p->n_rows,
                      .flop = 2.0 * p->nnz};
}

static spw_cost cost_csr(const spw_trial *t)
{
    return cost_of(of(t), of(t)->nnz, 12, of(t)->n_rows + 1.0);
}

static spw_cost cost_ell(const spw_trial *t)
{
    return cost_of(of(t), of(t)->ell.n_stored, 12, 0);
}

static spw_cost cost_sell(const spw_trial *t)
{
    const spw_sell *S = &of(t)->sell;
    return cost_of(of(t), S->n_stored, 12, S->n_chunks + 1.0 + S->n_rows);
}

static spw_cost cost_coo(const spw_trial *t)
{
    return cost_of(of(t), of(t)->nnz, 16, 0);
}

/* A difference that is NaN does not apply to the format. */
static void explain(const spw_trial *t, spw_cost truth, spw_cost got, char *text, int size)
{
    const problem *p = of(t);
    const bool is_sell = p->sell.C > 0, is_padded = is_sell || p->ell.n_stored > 0;
    const double nz = p->nnz, r = p->n_rows, c = p->n_cols;
    const double stored = is_sell ? p->sell.n_stored : is_padded ? p->ell.n_stored : nz;
    const double chunks = p->sell.n_chunks;
    const spw_known_cost known[] = {
        {12 * (nz - stored), 0, 0,
         "the padding is stored and read like any entry: n_stored entries, not nnz"},
        {0, 0, 2 * (stored - nz),
         "the padding is no useful work: 2 flop for each of the nnz entries"},
        {-8 * c, 0, 0, "x has to be loaded too: 8 bytes a column"},
        {is_sell ? -4 * r : NAN, 0, 0, "perm has to be loaded too: 4 bytes a row"},
        {is_sell ? -4 * (chunks + 1) : NAN, 0, 0,
         "chunk_ptr has to be loaded too: n_chunks + 1 entries of 4 bytes"},
        {is_sell ? 4 * (r - chunks) : NAN, 0, 0,
         "there is one pointer a chunk, not one a row: that is what SELL saves"},
        {is_sell ? 4 * r : NAN, 0, 0, "row_len need not be read: the padding adds 0"},
        {is_padded && !is_sell ? 4 * r : NAN, 0, 0, "row_len need not be read: the padding adds 0"},
        {is_padded ? 4 * (r + 1) : -4 * (r + 1), 0, 0,
         is_padded ? "ELL has no row pointers: the width is one number for all rows"
                   : "row_ptr has to be loaded too: n_rows + 1 entries of 4 bytes"},
        {p->coo.row_idx ? -4 * nz : NAN, 0, 0,
         "in COO each entry has a row as well: 8 + 4 + 4 = 16 bytes"},
        {p->coo.row_idx ? 8 * nz : NAN, p->coo.row_idx ? 8 * (nz - r) : NAN, 0,
         "the additions to y happen in the L2 cache: count y as if it were written once"},
        {8 * r, 0, 0, "y is written, not read; and a GPU has no write-allocate"},
        {4 * stored, 0, 0, "an entry is a double and a 32-bit column: 8 + 4 = 12 bytes"},
        {-4 * stored, 0, 0, "the column of each entry has to be loaded as well as its value"},
        {8 * (nz - c), 0, 0, "at the least each x[j] is loaded once, and stays in a cache"},
        {0, -8 * r, 0, "y has to be stored: 8 bytes a row"},
        {0, 0, -nz, "each entry costs a multiplication and an addition: 2 flop"},
    };
    spw_known_cost_tell(known, sizeof known / sizeof known[0], got, truth, 0.5, text, size);
}

static void explain_csr(const spw_trial *t, spw_cost got, char *text, int size)
{
    explain(t, cost_csr(t), got, text, size);
}

static void explain_ell(const spw_trial *t, spw_cost got, char *text, int size)
{
    explain(t, cost_ell(t), got, text, size);
}

static void explain_sell(const spw_trial *t, spw_cost got, char *text, int size)
{
    explain(t, cost_sell(t), got, text, size);
}

static void explain_coo(const spw_trial *t, spw_cost got, char *text, int size)
{
    explain(t, cost_coo(t), got, text, size);
}

/* --- the declaration ---------------------------------------------------------------------------------- */

#define STUDY "stencil27:10x25x40" /* the matrix of the README's table, n = 10,000 */
#define TIMED "stencil27:128"      /* on a GPU: n = 2.1 M, 0.7 GB, ten times its L2 */

/* clang-format off */
static const char *const csr_cases[] = {
    "slides", "one-by-one", "no-rows", "no-columns", "no-entries", "one-row", "empty-first-last",
    "mostly-empty", "every-length", "dense-row", "one-column", "rectangular-wide",
    "rectangular-tall", "prime", "powerlaw", "stencil27", NULL};
static const char *const sell_cases[] = {
    "slides@2,1", "slides@2,6", "one-by-one@32,1", "no-rows@32,1", "no-columns@32,32",
    "no-entries@8,1", "every-length@32,64", "every-length@7,7", "mostly-empty@32,1", "prime@4,8",
    "rectangular-wide@16,1", "rectangular-tall@1,1", "powerlaw@32,256", "stencil27@64,128", NULL};
static const char *const coo_cases[] = {
    "slides", "one-by-one", "no-rows", "no-columns", "no-entries", "duplicates", "all-the-same",
    "empty-first-last", "mostly-empty", "by-columns", "unsorted", "alternating", "assembly", NULL};
/* clang-format on */

#define SIDE_BY_SIDE "neighbouring lanes must read neighbouring entries at each step"
static const spw_sector_bound whole_lines[] = {
    {.array = "val", .access = SPW_LOADS, .per_request = 8.5, .hint = SIDE_BY_SIDE},
    {.array = "col_idx", .access = SPW_LOADS, .per_request = 4.5, .hint = SIDE_BY_SIDE},
    {.array = NULL},
};
static const spw_sector_bound whole_lines_coo[] = {
    {.array = "val", .access = SPW_LOADS, .per_request = 8.5, .hint = SIDE_BY_SIDE},
    {.array = "col_idx", .access = SPW_LOADS, .per_request = 4.5, .hint = SIDE_BY_SIDE},
    {.array = "row_idx", .access = SPW_LOADS, .per_request = 4.5, .hint = SIDE_BY_SIDE},
    {.array = NULL},
};

static const spw_part parts[] = {
    {
        .function = "spmv_csr_thread", /* no bound: how bad it is, is the lesson */
        .model = "spmv_csr_cost",
        .cases = csr_cases,
        .setup = setup_csr,
        .call = call_csr,
        .predict = predict_csr,
        .cost = cost_csr,
        .explain_model = explain_csr,
        .on_device = true,
        .traffic = STUDY,
        .speed = TIMED,
        .takes_matrix = true,
        .target = 0.7,
        .stretch = {"library's best", library_csr},
    },
    {
        .function = "spmv_csr_warp",
        .cases = csr_cases,
        .setup = setup_csr,
        .call = call_csr,
        .cost = cost_csr,
        .on_device = true,
        .bounds = whole_lines,
        .traffic = STUDY,
        .speed = TIMED,
        .takes_matrix = true,
        .target = 0.7,
        .stretch = {"library's best", library_csr},
    },
    {
        .function = "spmv_ell",
        .model = "spmv_ell_cost",
        .cases = csr_cases,
        .setup = setup_ell,
        .call = call_ell,
        .predict = predict_ell,
        .cost = cost_ell,
        .explain_model = explain_ell,
        .on_device = true,
        .bounds = whole_lines,
        .traffic = STUDY,
        .speed = TIMED,
        .takes_matrix = true,
        .target = 0.7,
        .stretch = {"library's best", library_ell},
    },
    {
        .function = "spmv_sell",
        .model = "spmv_sell_cost",
        .cases = sell_cases,
        .setup = setup_sell,
        .call = call_sell,
        .predict = predict_sell,
        .cost = cost_sell,
        .explain_model = explain_sell,
        .on_device = true,
        .bounds = whole_lines,
        .traffic = STUDY,
        .speed = TIMED,
        .takes_matrix = true,
        .target = 0.7,
        .stretch = {"library's best", library_sell},
    },
    {
        .function = "spmv_coo",
        .model = "spmv_coo_cost",
        .cases = coo_cases,
        .setup = setup_coo,
        .call = call_coo,
        .predict = predict_coo,
        .cost = cost_coo,
        .explain_model = explain_coo,
        .on_device = true,
        .bounds = whole_lines_coo,
        .traffic = STUDY,
        .speed = TIMED,
        .takes_matrix = true,
        .target = 0.7,
        .stretch = {"library's best", library_coo},
    },
};

int main(int argc, char **argv)
{
    return spw_judge(&(spw_exercise){.parts = parts, .n_parts = sizeof parts / sizeof parts[0]},
                     argc, argv);
}

/* Exercise 17, GPU part: cases, true cost, sector bounds and explanations for Y = A X in SELL-P on a GPU.
 *
 * A case is a name of kit/cases.h or a matrix, then the number of vectors, b and t: "prime@7/8,4". */
#include "spmm_gpu.h"

#include "kernels/cuda.h"
#include "kit/cases.h"
#include "kit/models.h"
#include "judge/exercise.h"

#include <stdio.h>
#include <string.h>

typedef void (*spmm_fn)(spw_sellp, int, const double *, double *);
typedef spw_cost (*cost_fn)(const spw_sellp *, spw_idx);

typedef struct problem {
    spw_sellp S;     /* its arrays are inputs of the trial */
    spw_idx *length; /* [n_rows]  entries of the row */
    int nv;
    const double *X;
    double *Y;
} problem;

/* From here on what mistakes would give is not worked out. */
enum { LARGE = 1000000 };

static const problem *of(const spw_trial *t)
{
    return (const problem *)spw_trial_data(t);
}

/* --- matrices ------------------------------------------------------------------------------------- */

/* The matrix, and nv, b and t: 16, 8 and 4, unless the name says others. */
static spw_status matrix(const char *full_name, uint64_t seed, spw_csr *A, int *nv, spw_idx *b,
                         spw_idx *t)
{
    char name[512];
    int vectors, rows, threads, end = 0;
    snprintf(name, sizeof name, "%s", full_name);
    char *at = strrchr(name, '@');
    *nv = 16;
    *b = 8;
    *t = 4;
    if (at && sscanf(at, "@%d/%d,%d%n", &vectors, &rows, &threads, &end) == 3 && !at[end]) {
        *at = 0;
        *nv = vectors;
        *b = rows;
        *t = threads;
    }
    return spw_csr_named(name, seed, A);
}

/* --- what typical mistakes give -------------------------------------------------------------------- */

typedef enum mistake { FIRST_VECTOR, BY_COLUMNS, FIRST_PART, LAST_ONLY, MISTAKES } mistake;

static const char *const texts[MISTAKES] = {
    [FIRST_VECTOR] = "all vectors got the product of vector 0: X[j * nv], and no + v",
    [BY_COLUMNS] = ("X was read column-major, X[v * n_cols + j]. Row-major, the vectors of one\n"
                    "row lie side by side: X[j * nv + v]"),
    [FIRST_PART] = "only the share of the row's first thread is there: the t sums were not added",
    [LAST_ONLY] = "only the last product of each row is there: the sum keeps nothing else",
};

static double product(const problem *p, mistake m, const spw_csr *A, spw_idx k, int v)
{
    const int64_t j = A->col_idx[k];
    const double x = m == FIRST_VECTOR ? p->X[j * p->nv]
                     : m == BY_COLUMNS ? p->X[v * (int64_t)A->n_cols + j]
                                       : p->X[j * p->nv + v];
    return A->val[k] * x;
}

static spw_status expect_mistakes(spw_trial *t, const problem *p, const spw_csr *A)
{
    for (mistake m = 0; m < MISTAKES; m++) {
        double *Y = (double *)spw_trial_memory(t, A->n_rows * (int64_t)p->nv, sizeof *Y);
        if (!Y) return SPW_ERR_MEMORY;
        for (spw_idx i = 0; i < A->n_rows; i++)
            for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) {
                if (m == FIRST_PART && (k - A->row_ptr[i]) % p->S.t) continue;
                for (int v = 0; v < p->nv; v++) {
                    double *y = &Y[(int64_t)i * p->nv + v];
                    *y = (m == LAST_ONLY ? 0 : *y) + product(p, m, A, k, v);
                }
            }
        spw_trial_mistake(t, p->Y, Y, texts[m]);
    }
    return SPW_OK;
}

static void describe(const spw_trial *t, int64_t at, char *text, int size)
{
    const problem *p = of(t);
    const int64_t i = at / p->nv;
    snprintf(text, (size_t)size, "vector %d of row %d; row %d of slice %d, %d %s",
             (int)(at % p->nv), (int)i, (int)(i % p->S.b), (int)(i / p->S.b), p->length[i],
             p->length[i] == 1 ? "entry" : "entries");
}

/* --- a case ---------------------------------------------------------------------------------------- */

static spw_status expect(spw_trial *t, problem *p, const spw_csr *A)
{
    const int64_t n = A->n_rows, nv = p->nv;
    double *expected = (double *)spw_trial_memory(t, n * nv, sizeof *expected);
    double *tolerance = (double *)spw_trial_memory(t, n * nv, sizeof *tolerance);
    double *x = (double *)spw_trial_memory(t, A->n_cols, sizeof *x);
    double *y = (double *)spw_trial_memory(t, 2 * n, sizeof *y);
    if (!expected || !tolerance || !x || !y) return SPW_ERR_MEMORY;
    for (int64_t v = 0; v < nv; v++) {
        for (int64_t j = 0; j < A->n_cols; j++) x[j] = p->X[j * nv + v];
        spw_spmv_expected(A, x, y, y + n);
        for (int64_t i = 0; i < n; i++) {
            expected[i * nv + v] = y[i];
            tolerance[i * nv + v] = y[n + i];
        }
    }
    spw_trial_expect(
        t, p->Y,
        (spw_expectation){
            .expected = expected, .tolerance = tolerance, .count = n * nv, .describe = describe});
    return A->nnz * nv <= LARGE ? expect_mistakes(t, p, A) : SPW_OK;
}

static spw_status setup(spw_trial *t, const char *name)
{
    spw_csr A;
    spw_idx b, threads;
    problem *p = (problem *)spw_trial_memory(t, 1, sizeof *p);
    if (!p) return SPW_ERR_MEMORY;
    spw_status status = matrix(name, spw_trial_seed(t), &A, &p->nv, &b, &threads);
    if (status) return status;
    spw_sellp *S = &p->S;
    status = spw_sellp_from_csr(&A, b, threads, S);
    if (status) goto done;
    spw_trial_say(t, "%d x %d, nz %d, beta %.3f, nv %d, b %d, t %d", S->n_rows, S->n_cols, S->nnz,
                  S->n_stored ? S->nnz / (double)S->n_stored : 1, p->nv, b, threads);
    spw_trial_unit(t, "nz", S->nnz);
    if (S->n_stored != S->nnz) spw_trial_unit(t, "n_stored", S->n_stored);
    spw_trial_unit(t, "nv n_rows", (double)p->nv * S->n_rows);
    if (S->n_cols != S->n_rows) spw_trial_unit(t, "nv n_cols", (double)p->nv * S->n_cols);
    spw_trial_unit(t, "n_rows", S->n_rows);
    spw_trial_unit(t, "(n_slices + 1)", S->n_slices + 1.0);
    /* Each call takes its block over, whether it succeeds or not. */
    S->slice_ptr = spw_trial_adopt(t, "slice_ptr", SPW_INDEX, S->n_slices + 1, S->slice_ptr);
    S->row_len = spw_trial_adopt(t, "row_len", SPW_INDEX, S->n_rows, S->row_len);
    S->col_idx = spw_trial_adopt(t, "col_idx", SPW_INDEX, S->n_stored, S->col_idx);
    S->val = spw_trial_adopt(t, "val", SPW_DOUBLE, S->n_stored, S->val);
    p->X = spw_trial_random(t, "X", (int64_t)A.n_cols * p->nv);
    p->Y = spw_trial_output(t, "Y", SPW_DOUBLE, (int64_t)A.n_rows * p->nv);
    p->length = spw_trial_memory(t, A.n_rows, sizeof *p->length);
    if (!S->slice_ptr || !S->row_len || !S->col_idx || !S->val || !p->X || !p->Y || !p->length) {
        status = SPW_ERR_MEMORY;
        goto done;
    }
    for (spw_idx i = 0; i < A.n_rows; i++) p->length[i] = A.row_ptr[i + 1] - A.row_ptr[i];
    status = expect(t, p, &A);
done:
    spw_csr_destroy(&A);
    return status;
}

/* The struct on the host, its arrays on the device. */
static spw_sellp device_sellp(const spw_trial *t)
{
    spw_sellp S = of(t)->S;
    S.slice_ptr = (spw_idx *)spw_trial_device(t, S.slice_ptr);
    S.row_len = (spw_idx *)spw_trial_device(t, S.row_len);
    S.col_idx = (spw_idx *)spw_trial_device(t, S.col_idx);
    S.val = (double *)spw_trial_device(t, S.val);
    return S;
}

static void call(spw_trial *t, spw_function f)
{
    const problem *p = of(t);
    ((spmm_fn)f)(device_sellp(t), p->nv, (const double *)spw_trial_device(t, p->X),
                 (double *)spw_trial_device(t, p->Y));
}

/* The library's, the stretch goal on a GPU. */
static void library(spw_trial *t)
{
    const problem *p = of(t);
    const spw_sellp S = device_sellp(t);
    if (spw_spmm_sellp_cuda_vectors(&S, p->nv, (const double *)spw_trial_device(t, p->X), p->nv,
                                    (double *)spw_trial_device(t, p->Y), p->nv))
        spw_trial_fail(t, "the library's kernel: %s", spw_message());
}

/* --- the model ------------------------------------------------------------------------------------- */

static spw_cost predict(spw_trial *t, spw_function model)
{
    const problem *p = of(t);
    return ((cost_fn)model)(&p->S, p->nv);
}

static spw_cost cost(const spw_trial *t)
{
    const problem *p = of(t);
    const double nv = p->nv;
    return (spw_cost){.load =
                          12.0 * p->S.n_stored + 4 * (p->S.n_slices + 1.0) + 8 * nv * p->S.n_cols,
                      .store = 8 * nv * p->S.n_rows,
                      .flop = 2 * nv * p->S.nnz};
}

/* Differences from the truth, and what they come from; the first that fits is told. */
static void explain_model(const spw_trial *t, spw_cost got, char *text, int size)
{
    const problem *p = of(t);
    const spw_cost truth = cost(t);
    const double nv = p->nv, stored = p->S.n_stored, nz = p->S.nnz;
    const double r = p->S.n_rows, c = p->S.n_cols, pointers = p->S.n_slices + 1.0;
    const spw_known_cost known[] = {
        {12 * (nv - 1) * stored, 0, 0,
         "every layer of threads reads the entries, and finds them in a cache: from\n"
         "memory they come once"},
        {(nv - 1) * (12 * stored + 4 * pointers), 0, 0,
         "every layer of threads reads the matrix, and finds it in a cache: from\n"
         "memory it comes once"},
        {12 * (nz - stored), 0, 0, "the padding is read like any entry: n_stored of them, not nnz"},
        {-8 * (nv - 1) * c, 0, 0, "X has nv vectors: 8 nv bytes a column"},
        {-8 * (nv - 1) * c, -8 * (nv - 1) * r, 0, "X and Y have nv vectors: 8 nv bytes a row"},
        {-4 * pointers, 0, 0, "slice_ptr has to be loaded too: n_slices + 1 entries of 4 bytes"},
        {4 * (r + 1 - pointers), 0, 0, "there is one pointer a slice, not one a row"},
        {8 * nv * r, 0, 0, "Y is written, not read; and a GPU has no write-allocate"},
        {0, -8 * nv * r, 0, "Y has to be stored: 8 nv bytes a row"},
        {0, 0, -2 * (nv - 1) * nz, "each entry takes part in nv products: 2 nv flop"},
        {0, 0, 2 * nv * (stored - nz),
         "the padding is no useful work: 2 nv flop for each of the nnz entries"},
    };
    spw_known_cost_tell(known, sizeof known / sizeof known[0], got, truth, 0.5, text, size);
}

/* --- the declaration -------------------------------------------------------------------------------- */

/* clang-format off */
static const char *const cases[] = {
    "one-by-one@3/8,4", "no-rows@2/8,4", "no-columns@3/8,4", "no-entries@2/2,2", "one-row@5/4,1",
    "empty-first-last@16/8,4", "mostly-empty@2/32,2", "rectangular-wide@7/4,32", "rectangular-tall@4/16,8",
    "every-length@3/8,4", "dense-row@2/32,16", "stencil27@8/64,2", "prime@17/8,4", NULL};
/* clang-format on */

#define STUDY "stencil27:10@16/8,4" /* the matrix of the README's table, n = 1000 */
#define TIMED "stencil27:96@16/8,4" /* on a GPU: n = 0.9 M, 0.5 GB */

static const spw_sector_bound layers_bounds[] = {
    {.array = "val",
     .access = SPW_LOADS,
     .per_request = 8.5,
     .hint = "the threads of a layer must read neighbouring entries at each step"},
    {.array = "col_idx",
     .access = SPW_LOADS,
     .per_request = 4.5,
     .hint = "the threads of a layer must read neighbouring entries at each step"},
    {.array = NULL},
};
#define NEIGHBOURS "neighbouring lanes must have neighbouring vectors of one row"
static const spw_sector_bound vectors_bounds[] = {
    {.array = "X", .access = SPW_LOADS, .per_request = 8.5, .hint = NEIGHBOURS},
    {.array = "Y", .access = SPW_STORES, .per_request = 8.5, .hint = NEIGHBOURS},
    {.array = NULL},
};

static const spw_part parts[] = {
    {
        .function = "spmm_layers",
        .model = "spmm_sellp_cost",
        .cases = cases,
        .setup = setup,
        .call = call,
        .predict = predict,
        .cost = cost,
        .explain_model = explain_model,
        .on_device = true,
        .bounds = layers_bounds,
        .traffic = STUDY,
        .speed = TIMED,
        .takes_matrix = true,
        .target = 0.3,
        .stretch = {"library's best", library},
    },
    {
        .function = "spmm_vectors",
        .cases = cases,
        .setup = setup,
        .call = call,
        .cost = cost,
        .on_device = true,
        .bounds = vectors_bounds,
        .traffic = STUDY,
        .speed = TIMED,
        .takes_matrix = true,
        .target = 0.5,
        .stretch = {"library's best", library},
    },
};

int main(int argc, char **argv)
{
    return spw_judge(&(spw_exercise){.parts = parts, .n_parts = 2, .gpu = true}, argc, argv);
}

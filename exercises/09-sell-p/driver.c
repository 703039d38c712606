/* Exercise 9: cases, the true cost, sector bounds and explanations for SELL-P.
 *
 * A case is a name of kit/cases.h, "slides", or a matrix; b and t may follow: "prime@8,4". */
#include "sell_p.h"

#include "kernels/cuda.h"
#include "kit/cases.h"
#include "kit/models.h"
#include "kit/systems.h"
#include "judge/exercise.h"

#include <stdio.h>
#include <string.h>

typedef struct problem {
    spw_csr A;          /* of the conversion: inputs of the trial */
    const spw_sellp *S; /* of the conversion: the answer fills its arrays */
    spw_sellp P;        /* of the product: its arrays are inputs */
    spw_idx *length;    /* [n_rows]  entries of the row */
    const double *x;
    double *y;
} problem;

/* --- matrices ------------------------------------------------------------------------------------- */

/* The matrix, and b and t: 8 and 4, those of the papers, unless the name says others. */
static spw_status matrix(const char *full_name, uint64_t seed, spw_csr *A, spw_idx *b, spw_idx *t)
{
    char name[512];
    int rows, threads, end = 0;
    snprintf(name, sizeof name, "%s", full_name);
    char *at = strrchr(name, '@');
    *b = 8;
    *t = 4;
    if (at && sscanf(at, "@%d,%d%n", &rows, &threads, &end) == 2 && !at[end]) {
        *at = 0;
        *b = rows;
        *t = threads;
    }
    return spw_csr_named(name, seed, A);
}

static void say(spw_trial *t, const spw_sellp *P)
{
    spw_trial_say(t, "%d x %d, beta %.3f", P->n_rows, P->n_cols,
                  P->n_stored ? P->nnz / (double)P->n_stored : 1);
    spw_trial_unit(t, "nz", P->nnz);
    spw_trial_unit(t, "n_stored", P->n_stored);
    spw_trial_unit(t, "n_rows", P->n_rows);
    if (P->n_cols != P->n_rows) spw_trial_unit(t, "n_cols", P->n_cols);
    spw_trial_unit(t, "(n_slices + 1)", P->n_slices + 1.0);
}

/* --- the conversion -------------------------------------------------------------------------------- */

/* slice_ptr as it is with another multiple than t. */
static void pointer_mistake(spw_trial *t, const spw_csr *A, const spw_sellp *S, spw_idx multiple,
                            const char *text)
{
    spw_sellp other;
    if (spw_sellp_from_csr(A, S->b, multiple, &other)) return;
    spw_trial_mistake(t, S->slice_ptr,
                      spw_trial_copy(t, other.slice_ptr, S->n_slices + 1, sizeof(spw_idx)), text);
    spw_sellp_destroy(&other);
}

/* Slice by slice the right entries, row after row. */
static void order_mistake(spw_trial *t, const spw_sellp *P, const spw_sellp *S)
{
    static const char text[] = "the slices are stored row by row. Column by column it must be:\n"
                               "entry j of row r at slice_ptr[s] + j*b + r";
    double *val = (double *)spw_trial_memory(t, P->n_stored, sizeof *val);
    spw_idx *col = (spw_idx *)spw_trial_memory(t, P->n_stored, sizeof *col);
    if (!val || !col) return;
    for (spw_idx s = 0; s < P->n_slices; s++) {
        const spw_idx begin = P->slice_ptr[s], length = (P->slice_ptr[s + 1] - begin) / P->b;
        for (spw_idx r = 0; r < P->b; r++)
            for (spw_idx j = 0; j < length; j++) {
                val[begin + r * length + j] = P->val[begin + j * P->b + r];
                col[begin + r * length + j] = P->col_idx[begin + j * P->b + r];
            }
    }
    spw_trial_mistake(t, S->col_idx, col, text);
    spw_trial_mistake(t, S->val, val, text);
}

/* Padding that points to column 0. */
static void column_mistake(spw_trial *t, const spw_sellp *P, const spw_sellp *S)
{
    spw_idx *col = (spw_idx *)spw_trial_memory(t, P->n_stored, sizeof *col);
    for (spw_idx s = 0; col && s < P->n_slices; s++)
        for (spw_idx k = P->slice_ptr[s]; k < P->slice_ptr[s + 1]; k++) {
            const spw_idx in_slice = k - P->slice_ptr[s], i = s * P->b + in_slice % P->b;
            if (i < P->n_rows && in_slice / P->b < P->row_len[i]) col[k] = P->col_idx[k];
        }
    spw_trial_mistake(
        t, S->col_idx, col,
        "padding repeats the last column of its row, which x was read at just before;\n"
        "column 0 is for empty rows");
}

static void expect(spw_trial *t, const void *array, const void *right, int64_t count)
{
    spw_trial_expect(t, array, (spw_expectation){.expected = right, .count = count});
}

static spw_status setup_convert(spw_trial *t, const char *name)
{
    spw_csr A;
    spw_sellp P = {0};
    spw_idx b, threads;
    problem *p = (problem *)spw_trial_memory(t, 1, sizeof *p);
    if (!p) return SPW_ERR_MEMORY;
    spw_status status = matrix(name, spw_trial_seed(t), &A, &b, &threads);
    if (status) return status;
    status = spw_sellp_from_csr(&A, b, threads, &P);
    if (status) {
        spw_csr_destroy(&A);
        return status;
    }
    say(t, &P);
    const spw_csr *kept = spw_trial_csr(t, &A);
    spw_sellp room = P;
    room.row_len = NULL;
    room.slice_ptr = spw_trial_output(t, "S->slice_ptr", SPW_INDEX, P.n_slices + 1);
    room.col_idx = spw_trial_output(t, "S->col_idx", SPW_INDEX, P.n_stored);
    room.val = spw_trial_output(t, "S->val", SPW_DOUBLE, P.n_stored);
    p->S = (const spw_sellp *)spw_trial_struct(t, "the struct S", &room, sizeof room);
    void *ptr = spw_trial_copy(t, P.slice_ptr, P.n_slices + 1, sizeof *P.slice_ptr);
    void *col = spw_trial_copy(t, P.col_idx, P.n_stored, sizeof *P.col_idx);
    void *val = spw_trial_copy(t, P.val, P.n_stored, sizeof *P.val);
    if (!kept || !room.slice_ptr || !room.col_idx || !room.val || !p->S || !ptr || !col || !val) {
        status = SPW_ERR_MEMORY;
        goto done;
    }
    p->A = *kept;
    expect(t, room.slice_ptr, ptr, P.n_slices + 1);
    expect(t, room.col_idx, col, P.n_stored);
    expect(t, room.val, val, P.n_stored);
    pointer_mistake(t, &p->A, p->S, 1,
                    "these are the lengths of the longest rows: they must be rounded up to a\n"
                    "multiple of t");
    order_mistake(t, &P, p->S);
    column_mistake(t, &P, p->S);
done:
    spw_sellp_destroy(&P);
    return status;
}

static void call_convert(spw_trial *t, spw_function f)
{
    const problem *p = (const problem *)spw_trial_data(t);
    ((void (*)(const spw_csr *, const spw_sellp *))f)(&p->A, p->S);
}

/* --- the product ----------------------------------------------------------------------------------- */

static void describe(const spw_trial *t, int64_t i, char *text, int size)
{
    const problem *p = (const problem *)spw_trial_data(t);
    snprintf(text, (size_t)size, "row %d of slice %d, %d %s", (int)(i % p->P.b), (int)(i / p->P.b),
             p->length[i], p->length[i] == 1 ? "entry" : "entries");
}

/* Every t-th entry of a row: what its first thread has. */
static void share_mistake(spw_trial *t, const problem *p, const spw_csr *A)
{
    double *y = (double *)spw_trial_memory(t, A->n_rows, sizeof *y);
    for (spw_idx i = 0; y && i < A->n_rows; i++)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k += p->P.t)
            y[i] += A->val[k] * p->x[A->col_idx[k]];
    spw_trial_mistake(
        t, p->y, y, "only the share of the row's first thread is there: the t sums were not added");
}

static spw_status setup_product(spw_trial *t, const char *name)
{
    spw_csr A;
    spw_idx b, threads;
    problem *p = (problem *)spw_trial_memory(t, 1, sizeof *p);
    if (!p) return SPW_ERR_MEMORY;
    spw_status status = matrix(name, spw_trial_seed(t), &A, &b, &threads);
    if (status) return status;
    spw_sellp *P = &p->P;
    status = spw_sellp_from_csr(&A, b, threads, P);
    if (status) goto done;
    say(t, P);
    P->slice_ptr = spw_trial_adopt(t, "slice_ptr", SPW_INDEX, P->n_slices + 1, P->slice_ptr);
    P->row_len = spw_trial_adopt(t, "row_len", SPW_INDEX, P->n_rows, P->row_len);
    P->col_idx = spw_trial_adopt(t, "col_idx", SPW_INDEX, P->n_stored, P->col_idx);
    P->val = spw_trial_adopt(t, "val", SPW_DOUBLE, P->n_stored, P->val);
    p->x = spw_trial_random(t, "x", A.n_cols);
    p->y = spw_trial_output(t, "y", SPW_DOUBLE, A.n_rows);
    p->length = spw_trial_memory(t, A.n_rows, sizeof *p->length);
    double *y = spw_trial_memory(t, A.n_rows, sizeof *y);
    double *tolerance = spw_trial_memory(t, A.n_rows, sizeof *tolerance);
    if (!P->slice_ptr || !P->row_len || !P->col_idx || !P->val || !p->x || !p->y || !p->length ||
        !y || !tolerance) {
        status = SPW_ERR_MEMORY;
        goto done;
    }
    for (spw_idx i = 0; i < A.n_rows; i++) p->length[i] = A.row_ptr[i + 1] - A.row_ptr[i];
    spw_spmv_expected(&A, p->x, y, tolerance);
    spw_trial_expect(t, p->y,
                     (spw_expectation){.expected = y,
                                       .tolerance = tolerance,
                                       .count = A.n_rows,
                                       .noun = "row",
                                       .describe = describe});
    share_mistake(t, p, &A);
done:
    spw_csr_destroy(&A);
    return status;
}

static spw_sellp device_matrix(const spw_trial *t)
{
    spw_sellp P = ((const problem *)spw_trial_data(t))->P;
    P.slice_ptr = (spw_idx *)spw_trial_device(t, P.slice_ptr);
    P.row_len = (spw_idx *)spw_trial_device(t, P.row_len);
    P.col_idx = (spw_idx *)spw_trial_device(t, P.col_idx);
    P.val = (double *)spw_trial_device(t, P.val);
    return P;
}

static void call_product(spw_trial *t, spw_function f)
{
    const problem *p = (const problem *)spw_trial_data(t);
    ((void (*)(spw_sellp, const double *, double *))f)(device_matrix(t),
                                                       (const double *)spw_trial_device(t, p->x),
                                                       (double *)spw_trial_device(t, p->y));
}

/* The library's, the stretch goal on a GPU. */
static void library_product(spw_trial *t)
{
    const problem *p = (const problem *)spw_trial_data(t);
    const spw_sellp P = device_matrix(t);
    if (spw_spmv_sellp_cuda(&P, (const double *)spw_trial_device(t, p->x),
                            (double *)spw_trial_device(t, p->y)))
        spw_trial_fail(t, "the library's kernel: %s", spw_message());
}

/* --- the model ------------------------------------------------------------------------------------- */

static spw_cost predict(spw_trial *t, spw_function f)
{
    const spw_sellp *P = &((const problem *)spw_trial_data(t))->P;
    const double beta = P->n_stored ? P->nnz / (double)P->n_stored : 1;
    return ((spw_cost(*)(spw_idx, spw_idx, spw_idx, spw_idx, double))f)(P->n_rows, P->n_cols,
                                                                        P->nnz, P->n_slices, beta);
}

static spw_cost cost(const spw_trial *t)
{
    const spw_sellp *P = &((const problem *)spw_trial_data(t))->P;
    return (spw_cost){.load = 12.0 * P->n_stored + 4 * (P->n_slices + 1.0) + 8.0 * P->n_cols,
                      .store = 8.0 * P->n_rows,
                      .flop = 2.0 * P->nnz};
}

/* Differences from the truth, and what they come from; the first that fits is told. */
static void explain_model(const spw_trial *t, spw_cost got, char *text, int size)
{
    const spw_sellp *P = &((const problem *)spw_trial_data(t))->P;
    const spw_cost truth = cost(t);
    const double nz = P->nnz, stored = P->n_stored, beta = stored > 0 ? nz / stored : 1;
    const spw_known_cost known[] = {
        {12 * (nz - stored), 0, 0,
         "the padding is read like any entry: nnz / beta entries are stored, not nnz"},
        {12 * (nz * beta - stored), 0, 0,
         "beta is at most 1, and padding makes the matrix larger: divide by beta"},
        {-4 * (P->n_slices + 1.0), 0, 0,
         "slice_ptr has to be loaded too: n_slices + 1 entries of 4 bytes"},
        {4.0 * (P->n_rows - P->n_slices), 0, 0, "there is one pointer a slice, not one a row"},
        {-8.0 * P->n_cols, 0, 0, "x has to be loaded too: 8 bytes a column"},
        {0, 0, 2 * (stored - nz),
         "the padding is no useful work: 2 flop for each of the nnz entries"},
        {-4 * stored, 0, 0, "the column of each entry has to be loaded as well as its value"},
        {4 * stored, 0, 0, "an entry is a double and a 32-bit column: 8 + 4 = 12 bytes"},
        {8.0 * P->n_rows, 0, 0, "y is written, not read; and a GPU has no write-allocate"},
        {0, -8.0 * P->n_rows, 0, "y has to be stored: 8 bytes a row"},
    };
    spw_known_cost_tell(known, sizeof known / sizeof known[0], got, truth, 0.5, text, size);
}

/* --- the declaration -------------------------------------------------------------------------------- */

/* clang-format off */
static const char *const cases[] = {
    "slides@2,2", "one-by-one@8,4", "no-rows@8,4", "no-columns@8,4", "no-entries@2,2", "one-row@4,1",
    "empty-first-last@8,4", "mostly-empty@32,2", "rectangular-wide@1,32", "rectangular-tall@16,8",
    "every-length@8,4", "every-length@5,2", "dense-row@32,16", "powerlaw@8,4", "stencil27@64,4",
    "prime@8,4", NULL};
/* clang-format on */

#define SIDE_BY_SIDE "the threads of a block must read neighbouring entries at each step"
static const spw_sector_bound bounds[] = {
    {.array = "val", .access = SPW_LOADS, .per_request = 8.5, .hint = SIDE_BY_SIDE},
    {.array = "col_idx", .access = SPW_LOADS, .per_request = 4.5, .hint = SIDE_BY_SIDE},
    {.array = NULL},
};

static const spw_part parts[] = {
    {
        .function = "csr_to_sellp",
        .cases = cases,
        .setup = setup_convert,
        .call = call_convert,
    },
    {
        .function = "spmv_sellp",
        .model = "spmv_sellp_cost",
        .cases = cases,
        .setup = setup_product,
        .call = call_product,
        .predict = predict,
        .cost = cost,
        .explain_model = explain_model,
        .on_device = true,
        .bounds = bounds,
        .traffic = "stencil27:10x25x40",
        .speed = "stencil27:128", /* on a GPU: n = 2.1 M, 0.7 GB, ten times its L2 */
        .takes_matrix = true,
        .target = 0.7,
        .stretch = {"library's best", library_product},
    },
};

/* The library's conversion does what the first part asks for. */
static const char *const forbidden[] = {"spw_sellp_from_csr", "spw_sell_from_csr", NULL};

int main(int argc, char **argv)
{
    return spw_judge(&(spw_exercise){.parts = parts,
                                     .n_parts = sizeof parts / sizeof parts[0],
                                     .forbidden = forbidden},
                     argc, argv);
}

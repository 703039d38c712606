/* Exercise 9: cases, the true cost, sector bounds and explanations for SELL-P.
 *
 * A case is a name of kit/cases.h, "slides", or a matrix; b and t may follow: "prime@8,4". */
#include "sell_p.h"

#include "kernels/costs.h"
#include "kernels/cuda.h"
#include "kit/device_systems.h"
#include "kit/kit.h"

#include <stdio.h>

typedef struct problem {
    const spw_csr *A;
    const spw_sellp *right, *S; /* of the conversion: what must come out, and arrays to be filled */
    const spw_sellp *P;         /* of the product */
    const double *x;
    double *y;
} problem;

/* --- the conversion -------------------------------------------------------------------------------- */

static const spw_argument of_conversion[] = {
    SPW_CSR(problem, A),
    SPW_HIDDEN(problem, right, &spw_kit_sellp, spw_kit_to_sellp),
    SPW_LIKE(problem, S, &spw_kit_sellp, "S->"),
    {0}};

static void expect_conversion(spw_trial *t, const void *at) {
    const problem *p = (const problem *)at;
    const spw_sellp *R = p->right;
    spw_kit_expect(t, p->S->slice_ptr, R->slice_ptr, NULL);
    spw_kit_expect(t, p->S->col_idx, R->col_idx, NULL);
    spw_kit_expect(t, p->S->val, R->val, NULL);
}

SPW_CALL(call_conversion, csr_to_sellp, const problem *p, p->A, p->S)

#define PARAMETERS "@b=8,t=4" /* those of the papers */
#define FACTS      "{n_rows} x {n_cols}, beta {beta:3}"
static const spw_kit conversion =
    SPW_KIT_OF(of_conversion, problem, call_conversion, expect_conversion, .parameters = PARAMETERS,
               .facts = FACTS);

/* --- the product ----------------------------------------------------------------------------------- */

static void describe(const spw_trial *t, int64_t i, char *text, int size) {
    const problem *p = (const problem *)spw_kit_arguments(t);
    const spw_idx length = p->A->row_ptr[i + 1] - p->A->row_ptr[i];
    snprintf(text, (size_t)size, "row %d of slice %d, %d %s", (int)(i % p->P->b),
             (int)(i / p->P->b), length, length == 1 ? "entry" : "entries");
}

static const spw_argument of_product[] = {
    SPW_HIDDEN(problem, A, &spw_kit_csr, NULL),
    SPW_MATRIX(problem, P, &spw_kit_sellp, spw_kit_to_sellp, ),
    SPW_RANDOM(problem, x, "n_cols"),
    SPW_OUTPUT(problem, y, "n_rows", .noun = "row", .describe = describe),
    {0}};

static void expect_product(spw_trial *t, const void *at) {
    const problem *p = (const problem *)at;
    spw_kit_expect_product(t, p->y, p->A, p->x);
}

SPW_CALL(call_product, spmv_sellp, const problem *p, *p->P, p->x, p->y)

/* The library's, the stretch goal on a GPU. */
SPW_LIBRARY(library_product, const problem *p, spw_spmv_sellp_cuda(p->P, p->x, p->y))

static spw_cost predict(const void *at, spw_function f) {
    const spw_sellp *P = ((const problem *)at)->P;
    const double beta = P->n_stored ? P->nnz / (double)P->n_stored : 1;
    return ((spw_cost(*)(spw_idx, spw_idx, spw_idx, spw_idx, double))f)(P->n_rows, P->n_cols,
                                                                        P->nnz, P->n_slices, beta);
}

/* Differences from the truth, and what they come from; the first that fits is told. */
static const spw_slip slips[] = {
    {"load 12 nz - 12 n_stored",
     "the padding is read like any entry: nnz / beta entries are stored, not nnz"},
    {"load 12 nz beta - 12 n_stored",
     "beta is at most 1, and padding makes the matrix larger: divide by beta"},
    {"load -4", "slice_ptr has one entry more than there are slices, where the last one ends"},
    {"load 8 nz - 8 n_cols",
     "x is counted once for each entry: at the least each x[j] is loaded once"},
    {"load 8 n_rows - 8 n_cols; store 8 n_cols - 8 n_rows",
     "x has an entry for each column, y one for each row"},
    {"load -4 (n_slices + 1)", "slice_ptr has to be loaded too: n_slices + 1 entries of 4 bytes"},
    {"load 4 n_rows - 4 n_slices", "there is one pointer a slice, not one a row"},
    {"load -8 n_cols", "x has to be loaded too: 8 bytes a column"},
    {"flop 2 n_stored - 2 nz", "the padding is no useful work: 2 flop for each of the nnz entries"},
    {"load -4 n_stored", "the column of each entry has to be loaded as well as its value"},
    {"load 4 n_stored", "an entry is a double and a 32-bit column: 8 + 4 = 12 bytes"},
    {"load 8 n_rows", "y is written, not read; and a GPU has no write-allocate"},
    {"store -8 n_rows", "y has to be stored: 8 bytes a row"},
    {0}};

static const spw_kit product =
    SPW_KIT_OF(of_product, problem, call_product, expect_product, .parameters = PARAMETERS,
               .facts = FACTS, .predict = predict, .cost = SPW_COST_SPMV_SELLP, .slips = slips);

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
    SPW_A_REQUEST("val", LOADS, 8.5, SIDE_BY_SIDE),
    SPW_A_REQUEST("col_idx", LOADS, 4.5, SIDE_BY_SIDE),
    {.array = "x",
     .access = SPW_LOADS,
     .per_request = 9,
     .of_case = true,
     .hint =
         "part j of a row takes the entries j, j + t, j + 2t ...: then the parts of a row read\n"
         "neighbouring x, which share sectors. With a piece for each part they do not"},
    {0}};

static const spw_part parts[] = {
    SPW_PART("csr_to_sellp", cases, conversion, ),
    SPW_PART("spmv_sellp", cases, product, .model = "spmv_sellp_cost", .on_device = true,
             .bounds = bounds, .traffic = "stencil27:10x25x40",
             .speed = "stencil27:128", /* on a GPU: n = 2.1 M, 0.7 GB, ten times its L2 */
             .takes_matrix = true, .target = 0.7,
             .stretch = {.label = "library's best", .call = library_product}),
};

SPW_DRIVER(parts)

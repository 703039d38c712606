/* Exercise 7: cases, the true cost and explanations for SELL-C-sigma.
 *
 * A case is "slides", a name of kit/cases.h or a matrix; C and sigma may follow: "prime@8,64". */
#include "ell_sell.h"

#include "kernels/costs.h"
#include "kernels/spmv.h"
#include "kit/kit.h"

#include <stdio.h>

typedef struct problem {
    const spw_csr *A;
    const spw_sell *S, *right; /* of the conversion: arrays to be filled, and what must come out */
    spw_idx C;
    const double *x;
    double *y, *beta;
} problem;

SPW_ARGUMENTS_OF(of, problem)

static void take_C(spw_trial *t, const char *name, void *at) {
    (void)name;
    ((problem *)at)->C = (spw_idx)spw_kit_value(t, "C");
}

/* Who takes all C rows of the last chunk, or sigma of the last window, asks for what is not there. */
static void say_what_ends(spw_trial *t, const spw_sell *S, bool sorts) {
    if (S->n_rows % (sorts && S->sigma > 1 ? S->sigma : S->C) == 0) return;
    spw_trial_beyond(t, S->n_rows,
                     sorts ? "here the last chunk or window is not full: it ends at n_rows"
                           : "here the last chunk is not full: it ends at n_rows");
}

#define PARAMETERS "@C=32,sigma=256"

/* --- beta ------------------------------------------------------------------------------------------ */

static const spw_argument of_beta[] = {SPW_CSR(problem, A), SPW_NUMBER(problem, beta, "beta"), {0}};

/* Counted here: of its last case more is stored than an array can hold. */
static void expect_beta(spw_trial *t, const void *at) {
    const problem *p = (const problem *)at;
    const spw_csr *A = p->A;
    double stored = 0;
    for (spw_idx i = 0, longest = 0; i < A->n_rows; i++) {
        const spw_idx length = A->row_ptr[i + 1] - A->row_ptr[i];
        if (i % p->C == 0) longest = 0;
        if (length <= longest) continue;
        stored += (double)(length - longest) * p->C;
        longest = length;
    }
    say_what_ends(t, &(spw_sell){.n_rows = A->n_rows, .C = p->C}, false);
    spw_kit_expect_number(t, p->beta, stored > 0 ? A->nnz / stored : 1, 1e-14);
}

SPW_RESULT(call_beta, sell_beta, const problem *p, *p->beta, p->A, p->C)
static const spw_kit beta =
    SPW_KIT_OF(of_beta, problem, call_beta, expect_beta, .parameters = PARAMETERS,
               .prepare = take_C, .facts = "{size}, chunks of {C}");

/* --- the conversion --------------------------------------------------------------------------------- */

static void describe_row(const spw_trial *t, int64_t k, char *text, int size) {
    const spw_sell *R = of(t)->right;
    snprintf(text, (size_t)size, "window %d; row %d has %d %s", (int)(k / R->sigma), R->perm[k],
             R->row_len[k], R->row_len[k] == 1 ? "entry" : "entries");
}

static void describe_chunk(const spw_trial *t, int64_t c, char *text, int size) {
    const spw_sell *R = of(t)->right;
    if (c > 0)
        snprintf(text, (size_t)size, "chunk %d has %d x %d elements", (int)c - 1,
                 (R->chunk_ptr[c] - R->chunk_ptr[c - 1]) / R->C, R->C);
}

static void describe_element(const spw_trial *t, int64_t at, char *text, int size) {
    const spw_sell *R = of(t)->right;
    spw_idx c = 0;
    while (R->chunk_ptr[c + 1] <= at) c++;
    const spw_idx in_chunk = (spw_idx)at - R->chunk_ptr[c], j = in_chunk / R->C;
    const int64_t k = (int64_t)c * R->C + in_chunk % R->C;
    if (k >= R->n_rows)
        snprintf(text, (size_t)size, "chunk %d, a row that A does not have", c);
    else
        snprintf(text, (size_t)size, "chunk %d, row %d of A, %s %d", c, R->perm[k],
                 j < R->row_len[k] ? "entry" : "padding", j);
}

static const spw_argument of_conversion[] = {
    SPW_CSR(problem, A),
    SPW_HIDDEN(problem, right, &spw_kit_sell, spw_kit_to_sell),
    SPW_LIKE(problem, S, &spw_kit_sell, "S->"),
    {0}};

static void expect_conversion(spw_trial *t, const void *at) {
    const problem *p = (const problem *)at;
    say_what_ends(t, p->right, true);
    spw_kit_expect_described(t, p->S->perm, p->right->perm, describe_row);
    spw_kit_expect_described(t, p->S->chunk_ptr, p->right->chunk_ptr, describe_chunk);
    spw_kit_expect_described(t, p->S->col_idx, p->right->col_idx, describe_element);
    spw_kit_expect_described(t, p->S->val, p->right->val, describe_element);
}

SPW_CALL(call_conversion, csr_to_sell, const problem *p, p->A, p->S)

#define OF_SELL                                                                                    \
    sizeof(problem), .parameters = PARAMETERS, .facts = "SELL-{C}-{sigma}, {size}, beta {beta:3}"
static const spw_kit conversion = {of_conversion, OF_SELL, .call = call_conversion,
                                   .expect = expect_conversion};

/* --- the product ----------------------------------------------------------------------------------- */

static void describe_product(const spw_trial *t, int64_t i, char *text, int size) {
    const spw_sell *S = of(t)->S;
    int64_t k = 0;
    while (S->perm[k] != i) k++;
    snprintf(text, (size_t)size, "row %d of chunk %d, %d %s", (int)(k % S->C), (int)(k / S->C),
             S->row_len[k], S->row_len[k] == 1 ? "entry" : "entries");
}

static const spw_argument of_product[] = {
    SPW_HIDDEN(problem, A, &spw_kit_csr, NULL),
    SPW_MATRIX(problem, S, &spw_kit_sell, spw_kit_to_sell, .prefix = "S->"),
    SPW_RANDOM(problem, x, "n_cols"),
    SPW_OUTPUT(problem, y, "n_rows", .noun = "row", .describe = describe_product),
    {0}};

static void expect_product(spw_trial *t, const void *at) {
    const problem *p = (const problem *)at;
    say_what_ends(t, p->S, false);
    spw_kit_expect_product(t, p->y, p->A, p->x);
}

SPW_CALL(call_product, spmv_sell, const problem *p, p->S, p->x, p->y)
SPW_PREDICT(predict, spmv_sell_cost, const problem *p, p->S->n_rows, p->S->n_cols, p->S->nnz,
            p->S->n_chunks, p->S->n_stored ? p->S->nnz / (double)p->S->n_stored : 1)

static const spw_slip slips[] = {
    {"load 12 nz - 12 n_stored",
     "the padding is read like any entry: nz / beta elements are stored, not nz"},
    {"load 12 nz beta - 12 n_stored",
     "beta is at most 1, and padding makes the matrix larger: divide by beta"},
    {"load -4 n_rows", "perm has to be loaded too: 4 bytes a row say where its sum goes"},
    {"load -4 (n_chunks + 1)", "chunk_ptr has to be loaded too: n_chunks + 1 entries of 4 bytes"},
    {"load 4 n_rows - 4 n_chunks", "there is one pointer a chunk, not one a row"},
    {"load -4", "chunk_ptr has one entry more than there are chunks"},
    {"load -4 n_stored", "8 bytes of val and 4 of col_idx: an element takes 12 bytes"},
    {"load 4 n_stored", "an element is a double and a 32-bit column: 8 + 4 = 12 bytes"},
    {"load 4 n_rows", "perm has 32-bit entries: 4 bytes a row"},
    {"load -8 n_cols", "x has to be loaded too: 8 bytes a column"},
    {"load 8 n_stored - 8 n_cols",
     "x is counted once for each element: that is what may happen, not what must"},
    {"load 8 n_rows", "y is written, not read. The write-allocate read is not in the model:\n"
                      "it depends on the kind of store"},
    {"load 8 n_rows - 8 n_cols", "x has an entry for each column, y one for each row"},
    {"store -8 n_rows", "y has to be stored: 8 bytes a row"},
    {"flop 2 n_stored - 2 nz", "the padding is no useful work: 2 flop for each of the nz entries"},
    {"flop -nz", "each entry costs a multiplication and an addition: 2 flop"},
    {0}};

static const spw_kit product = {of_product,           OF_SELL,
                                .call = call_product, .expect = expect_product,
                                .predict = predict,   .cost = SPW_COST_SPMV_SELL,
                                .slips = slips};

static void row_by_row(const spw_sell *S, const double *x, double *y) {
#pragma omp parallel for schedule(static)
    for (spw_idx k = 0; k < S->n_rows; k++) {
        const spw_idx c = k / S->C;
        double sum = 0;
        for (spw_idx at = S->chunk_ptr[c] + k % S->C; at < S->chunk_ptr[c + 1]; at += S->C)
            sum += S->val[at] * x[S->col_idx[at]];
        y[S->perm[k]] = sum;
    }
}

/* --- the declaration -------------------------------------------------------------------------------- */

/* clang-format off */
#define CASES \
    "slides@2,1", "slides@6,1", "slides@2,6", "slides@4,4", "one-by-one@8,1", "no-rows@8,8", "no-columns@2,2", \
    "no-entries@2,4", "one-row@4,1", "empty-first-last@4,4", "mostly-empty@32,64", \
    "rectangular-wide@5,1", "rectangular-tall@16,64", "every-length@11,33", "every-length@1,5", \
    "dense-row@32,1", "powerlaw@8,64", "stencil27@64,256", "prime@27,1", "uneven:1000@32,256"
static const char *const cases[] = {CASES, NULL}, *const beta_cases[] = {CASES, "long-row@100000,1", NULL};
/* clang-format on */

#define STEPS                                                                                      \
    "Is yours a loop over rows, too, through SELL in steps of C? Then no\n"                        \
    "          register holds several rows."
static const spw_part parts[] = {
    SPW_PART("sell_beta", beta_cases, beta, ),
    SPW_PART("csr_to_sell", cases, conversion, ),
    SPW_PART("spmv_sell", cases, product, .model = "spmv_sell_cost",
             .speed = "uneven:1500000@32,256", .traffic = "uneven:200000@32,256",
             .takes_matrix = true, .target = 0.8,
             .baseline = {"row by row", .function = (spw_function)row_by_row, .why = STEPS},
             .stretch = {"library, two chunks at a time",
                         .function = (spw_function)spw_spmv_sell_omp_pairs}),
};

SPW_DRIVER(parts)

/* Exercise 8: cases, true costs, sector bounds and explanations for y = A x in four formats on the GPU.
 *
 * A case is a name of kit/cases.h, "slides", or a matrix; for SELL its C and sigma may follow, as in
 * "prime@4,8". Sorting cannot be told from a matrix whose rows are all alike, so both are among them. */
#include "spmv_gpu.h"

#include "kernels/costs.h"
#include "kernels/cuda.h"
#include "kit/cases.h"
#include "kit/device_systems.h"
#include "kit/kit.h"

#include <stdio.h>

/* One of the four is given; A is there beside ELL and SELL, too, not seen by the answer. */
typedef struct operands {
    const spw_csr *A;
    const spw_ell *ell;
    const spw_sell *sell;
    const spw_coo *coo;
    const double *x;
    double *y;
} operands;

static spw_status make_coo(spw_trial *t, const void *at, void *matrix) {
    (void)at;
    spw_csr A;
    spw_coo *C = (spw_coo *)matrix;
    const char *name = spw_kit_case(t);
    if (spw_coo_case_exists(name)) return spw_coo_case(name, spw_trial_seed(t), C);
    spw_status status = spw_csr_named(name, spw_trial_seed(t), &A);
    if (!status) status = spw_coo_from_csr(&A, C);
    spw_csr_destroy(&A);
    return status;
}

static void describe(const spw_trial *t, int64_t i, char *text, int size) {
    const operands *o = (const operands *)spw_kit_arguments(t);
    spw_idx length = o->A ? o->A->row_ptr[i + 1] - o->A->row_ptr[i] : 0;
    for (spw_idx k = 0; o->coo && k < o->coo->nnz; k++) length += o->coo->row_idx[k] == i;
    if (length == 0)
        snprintf(text, (size_t)size, "the row has no entries");
    else if (length == 1)
        snprintf(text, (size_t)size, "the row has one entry");
    else
        snprintf(text, (size_t)size, "the row has %d entries", length);
}

#define VECTORS                                                                                    \
    SPW_RANDOM(operands, x, "n_cols"),                                                             \
        SPW_OUTPUT(operands, y, "n_rows", .noun = "row", .describe = describe), {                  \
        0                                                                                          \
    }
#define HIDDEN_A SPW_HIDDEN(operands, A, &spw_kit_csr, NULL)
static const spw_argument of_csr[] = {SPW_CSR(operands, A), VECTORS};
static const spw_argument of_ell[] = {
    HIDDEN_A, SPW_MATRIX(operands, ell, &spw_kit_ell, spw_kit_to_ell, ), VECTORS};
static const spw_argument of_sell[] = {
    HIDDEN_A, SPW_MATRIX(operands, sell, &spw_kit_sell, spw_kit_to_sell, ), VECTORS};
static const spw_argument of_coo[] = {SPW_MATRIX(operands, coo, &spw_kit_coo, make_coo, ), VECTORS};

/* --- what must come out --------------------------------------------------------------------------------- */

static void expect_product(spw_trial *t, const void *at) {
    const operands *o = (const operands *)at;
    spw_kit_expect_product(t, o->y, o->A, o->x);
}

static void expect_coo(spw_trial *t, const void *at) {
    const operands *o = (const operands *)at;
    double *y = spw_kit_doubles(t, o->coo->n_rows), *tolerance = spw_kit_doubles(t, o->coo->n_rows);
    spw_kit_must(t, spw_spmv_coo_expected(o->coo, o->x, y, tolerance));
    spw_kit_expect(t, o->y, y, tolerance);
}

/* --- the models -------------------------------------------------------------------------------------- */

#define PADDED                                                                                     \
    {"load 12 nz - 12 n_stored",                                                                   \
     "the padding is stored and read like any entry: n_stored entries, not nnz"},                  \
        {"flop 2 n_stored - 2 nz",                                                                 \
         "the padding is no useful work: 2 flop for each of the nnz entries"},                     \
    {                                                                                              \
        "load 4 n_rows", "row_len need not be read: the padding adds 0"                            \
    }

static const spw_slip csr_slips[] = {
    {"load -4 (n_rows + 1)", "row_ptr has to be loaded too: n_rows + 1 entries of 4 bytes"}, {0}};
static const spw_slip ell_slips[] = {
    PADDED,
    {"load 4 (n_rows + 1)", "ELL has no row pointers: the width is one number for all rows"},
    {0}};
static const spw_slip sell_slips[] = {
    PADDED,
    {"load -4 n_rows", "perm has to be loaded too: 4 bytes a row"},
    {"load -4 (n_chunks + 1)", "chunk_ptr has to be loaded too: n_chunks + 1 entries of 4 bytes"},
    {"load 4 n_rows - 4 n_chunks", "there is one pointer a chunk, not one a row"},
    {0}};
static const spw_slip coo_slips[] = {
    {"load -4 nz", "in COO each entry has a row as well: 8 + 4 + 4 = 16 bytes"},
    {"load 8 nz; store 8 nz - 8 n_rows",
     "the additions to y happen in the L2 cache: count y as if it were written once"},
    {0}};
static const spw_slip in_all[] = {
    {"load -8 n_cols", "x has to be loaded too: 8 bytes a column"},
    {"load 8 n_rows", "y is written, not read; and a GPU has no write-allocate"},
    {"load 4 stored", "an entry is a double and a 32-bit column: 8 + 4 = 12 bytes"},
    {"load -4 stored", "the column of each entry has to be loaded as well as its value"},
    {"load 8 nz - 8 n_cols", "at the least each x[j] is loaded once, and stays in a cache"},
    {"store -8 n_rows", "y has to be stored: 8 bytes a row"},
    {"flop -nz", "each entry costs a multiplication and an addition: 2 flop"},
    {0}};

/* --- the kits: the answer takes the struct, whose arrays are the device's -------------------------------- */

#define KIT(format, member, library_kernel, expect_, parameters_, facts_, cost_)                   \
    static void call_##format(const void *at, spw_function f) {                                    \
        const operands *o = (const operands *)at;                                                  \
        ((void (*)(spw_##format, const double *, double *))f)(*o->member, o->x, o->y);             \
    }                                                                                              \
    static spw_cost predict_##format(const void *at, spw_function f) {                             \
        return ((spw_cost(*)(const spw_##format *))f)(((const operands *)at)->member);             \
    }                                                                                              \
    static void library_##format(spw_trial *t) {                                                   \
        const operands *o = (const operands *)spw_kit_called(t);                                   \
        spw_trial_library(t, library_kernel(o->member, o->x, o->y));                               \
    }                                                                                              \
    static const spw_kit format##_kit = {of_##format,                                              \
                                         sizeof(operands),                                         \
                                         .parameters = parameters_,                                \
                                         .facts = facts_,                                          \
                                         .call = call_##format,                                    \
                                         .expect = expect_,                                        \
                                         .predict = predict_##format,                              \
                                         .cost = cost_,                                            \
                                         .slips = format##_slips,                                  \
                                         .more_slips = in_all}

#define BETA "{n_rows} x {n_cols}, beta {beta:3}"
KIT(csr, A, spw_spmv_csr_cuda_warp, expect_product, NULL, NULL, SPW_COST_SPMV_CSR);
KIT(ell, ell, spw_spmv_ell_cuda, expect_product, NULL, BETA, SPW_COST_SPMV_ELL);
KIT(sell, sell, spw_spmv_sell_cuda, expect_product, "@C=32,sigma=256", BETA, SPW_COST_SPMV_SELL);
/* As if y were written once: the kernel of the table fills it first, and adds in the L2 cache. */
KIT(coo, coo, spw_spmv_coo_cuda_runs, expect_coo, NULL, NULL,
    "load 16 nz + 8 n_cols; store 8 n_rows; flop 2 nz");

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

#define SIDE_BY_SIDE(name, bound)                                                                  \
    {.array = name,                                                                                \
     .access = SPW_LOADS,                                                                          \
     .per_request = bound,                                                                         \
     .hint = "neighbouring lanes must read neighbouring entries at each step"},                    \
    {                                                                                              \
        .array = name, .access = SPW_LOADS, .times_size = 2, .of_case = true,                      \
        .hint = "each entry is needed once, by one lane"                                           \
    }
static const spw_sector_bound whole_lines[] = {
    SIDE_BY_SIDE("val", 8.5), SIDE_BY_SIDE("col_idx", 4.5), SPW_SUM_IN_REGISTER("y"), {0}};
static const spw_sector_bound any_way[] = {{.array = "val"}, {.array = "x"}, {0}};
static const spw_sector_bound whole_lines_coo[] = {
    SIDE_BY_SIDE("val", 8.5), SIDE_BY_SIDE("col_idx", 4.5), SIDE_BY_SIDE("row_idx", 4.5), {0}};

#define PART(name, format, cases_, ...)                                                            \
    {                                                                                              \
        .function = name, .cases = cases_, SPW_KIT(&format##_kit), .on_device = true,              \
        .traffic = STUDY, .speed = TIMED, .takes_matrix = true, .target = 0.7,                     \
        .stretch = {.label = "library's best", .call = library_##format}, __VA_ARGS__              \
    }

/* The first may load as it likes: how bad it is, is the lesson. The rows of fem3 have more entries than a warp lanes. */
static const spw_part parts[] = {
    PART("spmv_csr_thread", csr, csr_cases, .model = "spmv_csr_cost", .bounds = any_way),
    PART("spmv_csr_warp", csr, csr_cases, .bounds = whole_lines, .traffic_rounds = "fem3:6"),
    PART("spmv_ell", ell, csr_cases, .model = "spmv_ell_cost", .bounds = whole_lines),
    PART("spmv_sell", sell, sell_cases, .model = "spmv_sell_cost", .bounds = whole_lines),
    PART("spmv_coo", coo, coo_cases, .model = "spmv_coo_cost", .bounds = whole_lines_coo),
};

SPW_DRIVER(parts)

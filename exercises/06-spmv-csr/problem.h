/* Exercise 6: what its two parts have in common: y = A x, its cost, and words for wrong models. */
#include "kernels/costs.h"
#include "kernels/spmv.h"
#include "kit/cases.h"
#include "kit/kit.h"

#include <stdio.h>

typedef struct operands {
    const spw_csr *A;
    const double *x;
    double *y;
} operands;

static void row_length(const spw_trial *t, int64_t i, char *text, int size) {
    const spw_csr *A = ((const operands *)spw_kit_arguments(t))->A;
    const spw_idx length = A->row_ptr[i + 1] - A->row_ptr[i];
    const char *format = length == 0                     ? "the row has no entries"
                         : length == 1                   ? "the row has one entry"
                         : length > (double)A->nnz / 2.0 ? "the longest row, %d entries"
                                                         : "the row has %d entries";
    snprintf(text, (size_t)size, format, length);
}

static const spw_argument arguments[] = {
    SPW_CSR(operands, A),
    SPW_RANDOM(operands, x, "n_cols"),
    SPW_OUTPUT(operands, y, "n_rows", .noun = "row", .describe = row_length),
    {0}};

static void expect(spw_trial *t, const void *at) {
    const operands *o = (const operands *)at;
    spw_kit_expect_product(t, o->y, o->A, o->x);
}

SPW_PREDICT(predict, spmv_csr_cost, const operands *o, o->A)

#define ROW_PTR                                                                                    \
    "row_ptr has n_rows + 1 entries of 4 bytes, not 8, and each is loaded once:\n"                 \
    "row_ptr[i+1] is row_ptr[i] of the next row"

/* Differences from the truth, and what they come from; the first that fits is told. */
static const spw_slip slips[] = {
    {"load 52 nz", "that is what the sectors of a thread a row move, at the worst. The model\n"
                   "says what must be moved: 12 bytes an entry"},
    {"load 4 nz", "an entry is a double and a 32-bit column: 8 + 4 = 12 bytes"},
    {"load -4 nz", "the column of each entry has to be loaded as well as its value"},
    {"load 8 nz - 8 n_cols",
     "x is counted once for each entry: that is what may happen, not what must.\n"
     "At the least each x[j] is loaded once, and stays in a cache"},
    {"load -8 n_cols", "x has to be loaded too: 8 bytes a column"},
    {"load -4 n_cols", "x holds doubles: 8 bytes a column"},
    {"load -4 (n_rows + 1)", "row_ptr has to be loaded too: n_rows + 1 entries of 4 bytes"},
    {"load -4", "row_ptr has one entry more than there are rows"},
    {"load 8 n_rows", "y is written, not read. The write-allocate read is not in the model:\n"
                      "it depends on the kind of store, and a GPU has none"},
    {"load 4 (n_rows + 1)", ROW_PTR},
    {"load 4 n_rows - 4", ROW_PTR},
    {"load 8 n_rows - 8 n_cols", "x has an entry for each column, y one for each row"},
    {"store 8 n_cols - 8 n_rows", "x has an entry for each column, y one for each row"},
    {"store -8 n_rows", "y has to be stored: 8 bytes a row"},
    {"load 8 n_rows; store -8 n_rows", "y is stored, not loaded"},
    {"store 8 nz - 8 n_rows", "y[i] is stored once a row; the sum stays in a register"},
    {"flop -1 nz", "each entry costs a multiplication and an addition: 2 flop"},
    {"flop -1 n_rows", "right, the first product of a row needs no addition;\n"
                       "but everybody counts 2 nz, and so that speeds compare, we do"},
    {0}};

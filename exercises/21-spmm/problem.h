/* Exercise 21: blocks of vectors, what they must become, and wrong models; EACH_VECTOR, WRITE_ALLOCATE are a driver's.
 * A case is a matrix, the number of vectors, what the leading dimensions have more, b and t of SELL-P: "small@3+2/4,2". */
#include "kernels/costs.h"
#include "kit/cases.h"
#include "kit/kit.h"

#include <stdio.h>

typedef struct operands {
    const spw_csr *A;
    const spw_sellp *S; /* NULL in the part of CSR */
    int nv;
    int64_t ldx, ldy;
    const double *X;
    double *Y;
} operands;

static void prepare(spw_trial *t, const char *name, void *at) {
    operands *o = (operands *)at;
    const int gap = (int)spw_kit_value(t, "gap");
    (void)name;
    o->nv = (int)spw_kit_value(t, "nv");
    spw_kit_quantity(t, ".ldx", (double)(o->ldx = o->nv + gap));
    spw_kit_quantity(t, ".ldy", (double)(o->ldy = o->ldx + (gap > 0)));
}

static void fill_gaps(spw_trial *t, const void *at, void *array, int64_t n) {
    (void)t;
    const operands *o = (const operands *)at;
    for (int64_t k = 0; k < n; k++)
        if (k % o->ldx >= o->nv) ((double *)array)[k] = 3e9; /* shows */
}

static void describe(const spw_trial *t, int64_t at, char *text, int size) {
    const operands *o = (const operands *)spw_kit_arguments(t);
    const int i = (int)(at / o->ldy), v = (int)(at % o->ldy);
    const spw_idx n = o->A->row_ptr[i + 1] - o->A->row_ptr[i];
    const char *here =
        ";\nhere rows have gaps: row j of X begins at j * ldx, row i of Y at i * ldy";
    const char *gaps = o->ldy == o->nv ? "" : here;
    char slice[48] = "";
    if (o->S) snprintf(slice, sizeof slice, "; row %d of slice %d", i % o->S->b, i / o->S->b);
    if (v >= o->nv)
        snprintf(text, (size_t)size,
                 "row %d, behind the last of %d vectors%s;\nwhat lies there is somebody else's", i,
                 o->nv, gaps);
    else if (n)
        snprintf(text, (size_t)size, "row %d, vector %d of 0 .. %d%s, %d %s%s", i, v, o->nv - 1,
                 slice, n, n == 1 ? "entry" : "entries", gaps);
    else
        snprintf(text, (size_t)size, "row %d, vector %d of 0 .. %d%s; the row has no entries", i, v,
                 o->nv - 1, slice);
}

static void expect(spw_trial *t, const void *at) {
    const operands *o = (const operands *)at;
    spw_kit_expect_block(t, o->Y, o->ldy, o->A, o->X, o->ldx, o->nv);
}

SPW_PREDICT(predict_sellp, spmm_sellp_cost, const operands *o, o->S, o->nv)

#define ONCE                                                                                       \
    "X is counted once for each entry: that is what may happen, not what must.\n"                  \
    "At the least each row of X is loaded once, and stays in a cache"
static const spw_slip slips[] = {
    {"load (nv - 1) (12 stored + 4 pointers)", EACH_VECTOR},
    {"load 12 (nv - 1) stored", EACH_VECTOR},
    {"load 4 (nv - 1) pointers", "the pointers are read once, for all vectors"},
    {"load 8 nv n_rows", WRITE_ALLOCATE},
    {"load 8 nv nz - 8 nv n_cols", ONCE},
    {"load 8 nv stored - 8 nv n_cols", ONCE},
    {"load -8 (nv - 1) n_cols", "X has nv vectors: 8 nv bytes a column"},
    {"load -8 (nv - 1) n_cols; store -8 (nv - 1) n_rows",
     "X and Y have nv vectors: 8 nv bytes a row"},
    {"load -8 nv n_cols", "X has to be loaded too: 8 nv bytes a column"},
    {"load 12 nz - 12 stored", "the padding is read like any entry: n_stored of them, not nnz"},
    {"load -4 pointers", "the pointers have to be loaded too, 4 bytes each"},
    {"load 4 (n_rows + 1 - pointers)", "there is one pointer a slice, not one a row"},
    {"load -4", "there is one pointer more than there are rows, or slices"},
    {"load 4 stored", "an entry is a double and a 32-bit column: 8 + 4 = 12 bytes"},
    {"load -4 stored", "the column of each entry has to be loaded as well as its value"},
    {"load 8 nv n_rows - 8 nv n_cols", "X has a row for each column of A, Y one for each row"},
    {"store -8 (nv - 1) n_rows", "Y has nv vectors: 8 nv bytes a row"},
    {"store -8 nv n_rows", "Y has to be stored: 8 nv bytes a row"},
    {"flop -2 (nv - 1) nz", "each entry takes part in nv products: 2 nv flop"},
    {"flop -nv nz", "each product costs a multiplication and an addition: 2 flop"},
    {"flop 2 nv stored - 2 nv nz",
     "the padding is no useful work: 2 nv flop for each of the nnz entries"},
    {0}};

#define VECTORS                                                                                    \
    SPW_FILLED(operands, X, "n_cols ldx", .fill = fill_gaps),                                      \
        SPW_OUTPUT(operands, Y, "n_rows ldy", .gaps = "gap", .describe = describe)
#define KIT(call_, predict_, cost_, units_, facts_)                                                \
    sizeof(operands), .parameters = "@nv=16+gap=0/b=8,t=4", .prepare = prepare, .facts = facts_,   \
                      .units = "nz; nv n_rows; nv n_cols; n_rows; " units_, .call = call_,         \
                      .expect = expect, .predict = predict_, .cost = cost_, .slips = slips
#define KIT_OF_SELLP(call_, facts_)                                                                \
    KIT(call_, predict_sellp, SPW_COST_SPMM_SELLP, "n_stored; (n_slices + 1)", facts_)

static const spw_argument of_sellp[] = {SPW_HIDDEN(operands, A, &spw_kit_csr, NULL),
                                        SPW_MATRIX(operands, S, &spw_kit_sellp, spw_kit_to_sellp, ),
                                        VECTORS,
                                        {0}};

/* Exercise 17: what its two parts have in common: blocks of vectors, what they must become, and what goes wrong.
 *
 * A case is a name of kit/cases.h or a matrix, then the number of vectors, what the leading dimensions have more, and b
 * and t of SELL-P: "prime@7+2/8,4". LDX: what a driver calls ldx. */
#include "kernels/costs.h"
#include "kit/cases.h"
#include "kit/kit.h"

#include <stdio.h>
#include <string.h>

typedef struct operands {
    const spw_csr *A;
    const spw_sellp *S; /* NULL in the part of CSR */
    int nv;
    int64_t ldx, ldy;
    const double *X;
    double *Y;
} operands;

enum { MISTAKES_UP_TO = 200000 };

static const double GAP = 3e9; /* in the gaps of X: too large to go unnoticed */

static void prepare(spw_trial *t, const char *name, void *at)
{
    operands *o = (operands *)at;
    const int gap = (int)spw_kit_value(t, "gap");
    (void)name;
    o->nv = (int)spw_kit_value(t, "nv");
    o->ldx = o->nv + gap;
    o->ldy = o->nv + (gap > 0 ? gap + 1 : 0);
    spw_kit_quantity(t, ".ldx", (double)o->ldx);
    spw_kit_quantity(t, ".ldy", (double)o->ldy);
}

static void fill_gaps(spw_trial *t, const void *at, void *array, int64_t n)
{
    (void)t;
    const operands *o = (const operands *)at;
    for (int64_t k = 0; k < n; k++)
        if (k % o->ldx >= o->nv) ((double *)array)[k] = GAP;
}

static void describe(const spw_trial *t, int64_t at, char *text, int size)
{
    const operands *o = (const operands *)spw_kit_arguments(t);
    const int i = (int)(at / o->ldy), v = (int)(at % o->ldy);
    const spw_idx length = o->A->row_ptr[i + 1] - o->A->row_ptr[i];
    char slice[48] = "";
    if (o->S) snprintf(slice, sizeof slice, "; row %d of slice %d", i % o->S->b, i / o->S->b);
    if (v >= o->nv)
        snprintf(text, (size_t)size,
                 "row %d, behind the last of %d vectors:\nit is somebody else's, row i of Y begins "
                 "at i * ldy",
                 i, o->nv);
    else if (length == 0)
        snprintf(text, (size_t)size, "row %d, vector %d of 0 .. %d%s; the row has no entries", i, v,
                 o->nv - 1, slice);
    else
        snprintf(text, (size_t)size, "row %d, vector %d of 0 .. %d%s, %d %s%s", i, v, o->nv - 1,
                 slice, length, length == 1 ? "entry" : "entries",
                 o->ldy > o->nv
                     ? ";\nhere rows have gaps: row j of X begins at j * ldx, row i of Y at i * ldy"
                     : "");
}

#define VECTORS                                                                                    \
    SPW_FILLED(operands, X, "n_cols ldx", .fill = fill_gaps),                                      \
        SPW_OUTPUT(operands, Y, "n_rows ldy", .gaps = "gap", .describe = describe)
static const spw_argument of_sellp[] = {SPW_HIDDEN(operands, A, &spw_kit_csr, NULL),
                                        SPW_MATRIX(operands, S, &spw_kit_sellp, spw_kit_to_sellp, ),
                                        VECTORS,
                                        {0}};

/* --- what typical mistakes give, in a Y without gaps ------------------------------------------------------ */

typedef struct mistake {
    const char *text; /* NULL ends the table */
    enum { X_RIGHT, X_BY_COLUMNS, X_VECTOR_0, X_NO_STRIDE, X_OF_ROW } x;
    enum { ADDED, TO_ALL, TO_LATER, REPLACED, ALL_BUT_LAST, EVERY_T } sum;
    bool y_by_columns, over_rows, square; /* square: makes sense on square matrices only */
    enum { ANY, STEP_T, BY_ROWS } slice;  /* of SELL-P: how its entries are found */
} mistake;

static const mistake mistakes[] = {
    {"X was read column-major, X[v * n_cols + j]. Row-major, the vectors of one\n"
     "row lie side by side: X[j * " LDX " + v]",
     .x = X_BY_COLUMNS},
    {"Y was written column-major, Y[v * n_rows + i]. Row-major it is Y[i * ldy + v]",
     .y_by_columns = true},
    {"X was read and Y written column-major, as nv vectors one after the other.\n"
     "Here the vectors of one row lie side by side: X[j * ldx + v], Y[i * ldy + v]",
     .x = X_BY_COLUMNS, .y_by_columns = true},
    {"all vectors got the product of vector 0: X[j * " LDX "], and no + v", .x = X_VECTOR_0},
    {"X[j + v] was taken: row j of X begins at j * " LDX ", behind j rows of " LDX " elements",
     .x = X_NO_STRIDE},
    {"row i of X was taken instead of row col_idx[k], the entry's column", .x = X_OF_ROW,
     .square = true},
    {"each vector got the sum over all vectors: a sum for each of them is needed", .sum = TO_ALL},
    {"the sum runs on from vector to vector: it begins at 0 for each of them", .sum = TO_LATER},
    {"the sums run on from row to row: they begin at 0 in each", .over_rows = true},
    {"only the last product of each row is there: the sum keeps nothing else", .sum = REPLACED},
    {"the last entry of each row is missing", .sum = ALL_BUT_LAST},
    {"only the share of the row's first thread is there: the t sums were not added",
     .sum = EVERY_T},
    {"the slice was read row by row. It is stored column by column: entry j of row r\n"
     "is at slice_ptr[s] + j * b + r",
     .slice = BY_ROWS},
    {"the entries of a row are b apart, the rows of a slice; t only rounds its length up",
     .slice = STEP_T},
    {0}};

static double x_of(const operands *o, const mistake *m, int64_t i, int64_t j, int64_t v)
{
    const int64_t at[] = {[X_RIGHT] = j * o->nv + v,
                          [X_BY_COLUMNS] = v * o->A->n_cols + j,
                          [X_VECTOR_0] = j * o->nv,
                          [X_NO_STRIDE] = j + v,
                          [X_OF_ROW] = i * o->nv + v};
    return o->X[at[m->x]];
}

/* Entry k of row i, times its row of X. */
static void add_entry(const operands *o, const mistake *m, int64_t i, spw_idx k, double *Y)
{
    const spw_csr *A = o->A;
    if (m->sum == ALL_BUT_LAST && k + 1 == A->row_ptr[i + 1]) return;
    if (m->sum == EVERY_T && (k - A->row_ptr[i]) % o->S->t) return;
    for (int64_t v = 0; v < o->nv; v++) {
        const double product = A->val[k] * x_of(o, m, i, A->col_idx[k], v);
        const int64_t first = m->sum == TO_ALL ? 0 : v,
                      last = m->sum == TO_ALL || m->sum == TO_LATER ? o->nv - 1 : v;
        for (int64_t w = first; w <= last; w++) {
            double *y = &Y[m->y_by_columns ? w * A->n_rows + i : i * o->nv + w];
            *y = (m->sum == REPLACED ? 0 : *y) + product;
        }
    }
}

/* Row i of SELL-P, its entries taken from elsewhere in the slice. */
static void add_row_of_slice(const operands *o, const mistake *m, int64_t i, double *Y)
{
    const spw_sellp *S = o->S;
    const int64_t begin = S->slice_ptr[i / S->b], end = S->slice_ptr[i / S->b + 1], r = i % S->b;
    const int64_t length = (end - begin) / S->b, step = m->slice == STEP_T ? S->t : 1;
    const int64_t from = begin + (m->slice == STEP_T ? r : r * length);
    for (int64_t at = from; at < (m->slice == STEP_T ? end : from + length); at += step)
        for (int64_t v = 0; v < o->nv; v++)
            Y[i * o->nv + v] += S->val[at] * o->X[S->col_idx[at] * (int64_t)o->nv + v];
}

static void state_mistakes(spw_trial *t, const operands *o)
{
    const spw_csr *A = o->A;
    const int64_t entries = (int64_t)A->n_rows * o->nv;
    for (const mistake *m = mistakes; m->text; m++) {
        if ((m->square && A->n_rows != A->n_cols) ||
            (o->nv == 1 && (m->x != X_RIGHT && m->x != X_OF_ROW)) ||
            (!o->S && (m->slice != ANY || m->sum == EVERY_T)))
            continue;
        double *Y = spw_kit_doubles(t, entries);
        for (spw_idx i = 0; i < A->n_rows; i++) {
            if (m->slice != ANY) add_row_of_slice(o, m, i, Y);
            for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1] && m->slice == ANY; k++)
                add_entry(o, m, i, k, Y);
        }
        for (int64_t at = o->nv; at < entries && m->over_rows; at++) Y[at] += Y[at - o->nv];
        spw_trial_mistake(t, o->Y, Y, m->text);
    }
}

static void expect(spw_trial *t, const void *at)
{
    const operands *o = (const operands *)at;
    const spw_csr *A = o->A;
    const int64_t n = A->n_rows, entries = n * o->ldy;
    double *right = spw_kit_doubles(t, entries), *tolerance = spw_kit_doubles(t, entries),
           *x = spw_kit_doubles(t, A->n_cols), *y = spw_kit_doubles(t, 2 * n);
    if (o->ldy > o->nv && entries)
        memcpy(right, spw_kit_start(t, o->Y), (size_t)entries * sizeof *right);
    for (int64_t v = 0; v < o->nv; v++) {
        for (int64_t j = 0; j < A->n_cols; j++) x[j] = o->X[j * o->ldx + v];
        spw_spmv_expected(A, x, y, y + n);
        for (int64_t i = 0; i < n; i++) {
            right[i * o->ldy + v] = y[i];
            tolerance[i * o->ldy + v] = y[n + i];
        }
    }
    spw_kit_expect(t, o->Y, right, tolerance);
    if (o->ldy == o->nv && (int64_t)A->nnz * o->nv <= MISTAKES_UP_TO) state_mistakes(t, o);
}

/* --- the model ------------------------------------------------------------------------------------------- */

static spw_cost predict_sellp(const void *at, spw_function model)
{
    const operands *o = (const operands *)at;
    return ((spw_cost(*)(const spw_sellp *, spw_idx))model)(o->S, o->nv);
}

#define PARAMETERS       "@nv=16+gap=0/b=8,t=4"
#define UNITS(of_matrix) "nz; " of_matrix "; nv n_rows; nv n_cols; n_rows"
#define UNITS_OF_SELLP   UNITS("n_stored; (n_slices + 1)")

static const spw_slip slips[] = {
    {"load 8 nv nz - 8 nv n_cols",
     "X is counted once for each entry: that is what may happen, not what must.\n"
     "At the least each row of X is loaded once, and stays in a cache"},
    {"load 8 nv stored - 8 nv n_cols",
     "X is counted once for each entry: that is what may happen, not what must.\n"
     "At the least each row of X is loaded once, and stays in a cache"},
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

/* Exercise 17: cases, true cost and explanations for Y = A X in CSR and SELL-P.
 *
 * A case is "small", "slides", a name of kit/cases.h or a matrix, then the number of vectors, then what
 * the leading dimensions have more: "prime@7+2"; for SELL-P b and t may follow: "prime@7+2/8,4". */
#include "spmm.h"

#include "kernels/spmm.h"
#include "kernels/spmv.h"
#include "kit/cases.h"
#include "kit/models.h"
#include "judge/exercise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*csr_fn)(const spw_csr *, spw_idx, const double *, int64_t, double *, int64_t);
typedef void (*sellp_fn)(const spw_sellp *, spw_idx, const double *, int64_t, double *, int64_t);
typedef spw_cost (*csr_cost_fn)(const spw_csr *, spw_idx);
typedef spw_cost (*sellp_cost_fn)(const spw_sellp *, spw_idx);

typedef struct shape {
    char matrix[256];
    int nv, gap, b, t;
} shape;

typedef struct problem {
    shape s;
    const spw_csr *A;   /* of the CSR part an input, of the other for the expectations only */
    const spw_sellp *S; /* NULL in the CSR part */
    int64_t ldx, ldy;
    const double *X;
    double *Y;
    double *before; /* [n_rows * ldy] Y as it was before the call; NULL: no gap */
    const double *expected, *tolerance; /* [n_rows * nv] while checking */
    double *x, *y;                      /* one vector each, for the baseline */
} problem;

enum { MISTAKES_UP_TO = 200000, DEFAULT_NV = 16 };

static const double GAP = 3e9; /* in the gaps of X: too large to go unnoticed */

/* --- matrices ------------------------------------------------------------------------------------- */

static shape shape_of(const char *name)
{
    shape s = {.nv = DEFAULT_NV, .b = 8, .t = 4};
    snprintf(s.matrix, sizeof s.matrix, "%s", name);
    char *at = strrchr(s.matrix, '@');
    if (!at || atoi(at + 1) < 1) return s;
    s.nv = atoi(at + 1);
    const char *plus = strchr(at, '+'), *slash = strchr(at, '/');
    if (plus) s.gap = atoi(plus + 1);
    if (slash && sscanf(slash, "/%d,%d", &s.b, &s.t) != 2) s.b = s.t = 1;
    *at = 0;
    return s;
}

/* --- what typical mistakes give -------------------------------------------------------------------- */

/* Each fills Y [n_rows * nv], which is zero; X has no gaps. */
typedef void (*mistake_fn)(const problem *p, double *Y);

#define FOR_ENTRIES(p)                                                                             \
    const spw_csr *A = (p)->A;                                                                     \
    const int64_t nv = (p)->s.nv, n_rows = A->n_rows, n_cols = A->n_cols;                          \
    (void)n_rows, (void)n_cols;                                                                    \
    for (int64_t i = 0; i < A->n_rows; i++)                                                        \
        for (int64_t v = 0; v < nv; v++)                                                           \
            for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)

static void x_by_columns(const problem *p, double *Y)
{
    FOR_ENTRIES(p) Y[i * nv + v] += A->val[k] * p->X[v * n_cols + A->col_idx[k]];
}

static void y_by_columns(const problem *p, double *Y)
{
    FOR_ENTRIES(p) Y[v * n_rows + i] += A->val[k] * p->X[A->col_idx[k] * nv + v];
}

static void both_by_columns(const problem *p, double *Y)
{
    FOR_ENTRIES(p) Y[v * n_rows + i] += A->val[k] * p->X[v * n_cols + A->col_idx[k]];
}

static void first_vector(const problem *p, double *Y)
{
    FOR_ENTRIES(p) Y[i * nv + v] += A->val[k] * p->X[A->col_idx[k] * nv];
}

static void without_stride(const problem *p, double *Y)
{
    FOR_ENTRIES(p) Y[i * nv + v] += A->val[k] * p->X[A->col_idx[k] + v];
}

static void x_of_row(const problem *p, double *Y)
{
    FOR_ENTRIES(p) Y[i * nv + v] += A->val[k] * p->X[i * nv + v];
}

static void vectors_added(const problem *p, double *Y)
{
    FOR_ENTRIES(p)
    {
        for (int64_t w = 0; w < nv; w++) Y[i * nv + w] += A->val[k] * p->X[A->col_idx[k] * nv + v];
    }
}

/* sum = 0 once a row: each vector's result has those of the vectors before in it. */
static void runs_over_vectors(const problem *p, double *Y)
{
    FOR_ENTRIES(p)
    {
        for (int64_t w = v; w < nv; w++) Y[i * nv + w] += A->val[k] * p->X[A->col_idx[k] * nv + v];
    }
}

/* The sums of a row begin with those of the row before. */
static void runs_over_rows(const problem *p, double *Y)
{
    FOR_ENTRIES(p) Y[i * nv + v] += A->val[k] * p->X[A->col_idx[k] * nv + v];
    for (int64_t at = nv; at < n_rows * nv; at++) Y[at] += Y[at - nv];
}

static void last_only(const problem *p, double *Y)
{
    FOR_ENTRIES(p) Y[i * nv + v] = A->val[k] * p->X[A->col_idx[k] * nv + v];
}

static void without_last(const problem *p, double *Y)
{
    FOR_ENTRIES(p)
    if (k + 1 < A->row_ptr[i + 1]) Y[i * nv + v] += A->val[k] * p->X[A->col_idx[k] * nv + v];
}

/* SELL-P: the row's entries taken for neighbours. */
static void slice_by_rows(const problem *p, double *Y)
{
    const spw_sellp *S = p->S;
    const int64_t nv = p->s.nv;
    for (int64_t i = 0; S && i < S->n_rows; i++) {
        const int64_t begin = S->slice_ptr[i / S->b], r = i % S->b;
        const int64_t length = (S->slice_ptr[i / S->b + 1] - begin) / S->b;
        for (int64_t at = begin + r * length; at < begin + (r + 1) * length; at++)
            for (int64_t v = 0; v < nv; v++)
                Y[i * nv + v] += S->val[at] * p->X[S->col_idx[at] * nv + v];
    }
}

/* SELL-P: every t-th entry of the slice instead of every b-th. */
static void stride_t(const problem *p, double *Y)
{
    const spw_sellp *S = p->S;
    const int64_t nv = p->s.nv;
    for (int64_t i = 0; S && i < S->n_rows; i++) {
        const int64_t end = S->slice_ptr[i / S->b + 1];
        for (int64_t at = S->slice_ptr[i / S->b] + i % S->b; at < end; at += S->t)
            for (int64_t v = 0; v < nv; v++)
                Y[i * nv + v] += S->val[at] * p->X[S->col_idx[at] * nv + v];
    }
}

static const struct {
    mistake_fn make;
    bool square, several, sellp; /* makes sense on square matrices, for nv > 1, in SELL-P only */
    const char *text;
} mistakes[] = {
    {x_by_columns, 0, 1, 0,
     "X was read column-major, X[v * n_cols + j]. Row-major, the vectors of one\n"
     "row lie side by side: X[j * ldx + v]"},
    {y_by_columns, 0, 1, 0,
     "Y was written column-major, Y[v * n_rows + i]. Row-major it is Y[i * ldy + v]"},
    {both_by_columns, 0, 1, 0,
     "X was read and Y written column-major, as nv vectors one after the other.\n"
     "Here the vectors of one row lie side by side: X[j * ldx + v], Y[i * ldy + v]"},
    {first_vector, 0, 1, 0, "all vectors got the product of vector 0: X[j * ldx], and no + v"},
    {without_stride, 0, 1, 0,
     "X[j + v] was taken: row j of X begins at j * ldx, behind j rows of ldx elements"},
    {x_of_row, 1, 0, 0, "row i of X was taken instead of row col_idx[k], the entry's column"},
    {vectors_added, 0, 1, 0,
     "each vector got the sum over all vectors: a sum for each of them is needed"},
    {runs_over_vectors, 0, 1, 0,
     "the sum runs on from vector to vector: it begins at 0 for each of them"},
    {runs_over_rows, 0, 0, 0, "the sums run on from row to row: they begin at 0 in each"},
    {last_only, 0, 0, 0, "only the last product of each row is there: the sum keeps nothing else"},
    {without_last, 0, 0, 0, "the last entry of each row is missing"},
    {slice_by_rows, 0, 0, 1,
     "the slice was read row by row. It is stored column by column: entry j of row r\n"
     "is at slice_ptr[s] + j * b + r"},
    {stride_t, 0, 0, 1,
     "the entries of a row are b apart, the rows of a slice; t only rounds its length up"},
};

static spw_status expect_mistakes(spw_trial *t, const problem *p)
{
    const spw_csr *A = p->A;
    for (size_t m = 0; m < sizeof mistakes / sizeof mistakes[0]; m++) {
        if ((mistakes[m].square && A->n_rows != A->n_cols) || (mistakes[m].several && p->s.nv == 1))
            continue;
        if (mistakes[m].sellp && !p->S) continue;
        double *Y = (double *)spw_trial_memory(t, A->n_rows * (int64_t)p->s.nv, sizeof *Y);
        if (!Y) return SPW_ERR_MEMORY;
        mistakes[m].make(p, Y);
        spw_trial_mistake(t, p->Y, Y, mistakes[m].text);
    }
    return SPW_OK;
}

static void describe(const spw_trial *t, int64_t at, char *text, int size)
{
    const problem *p = (const problem *)spw_trial_data(t);
    const int64_t i = at / p->s.nv, v = at % p->s.nv;
    const spw_idx length = p->A->row_ptr[i + 1] - p->A->row_ptr[i];
    snprintf(text, (size_t)size, "row %d, vector %d of 0 .. %d%s", (int)i, (int)v, p->s.nv - 1,
             length == 0 ? "; the row has no entries" : "");
}

/* --- a case ---------------------------------------------------------------------------------------- */

/* [n_rows * nv] in the layout of a Y without gaps. */
static spw_status expect(spw_trial *t, problem *p)
{
    const spw_csr *A = p->A;
    const int64_t nv = p->s.nv, n = A->n_rows;
    double *expected = (double *)spw_trial_memory(t, n * nv, sizeof *expected);
    double *tolerance = (double *)spw_trial_memory(t, n * nv, sizeof *tolerance);
    double *x = (double *)spw_trial_memory(t, A->n_cols, sizeof *x);
    double *y = (double *)spw_trial_memory(t, 2 * n, sizeof *y);
    if (!expected || !tolerance || !x || !y) return SPW_ERR_MEMORY;
    for (int64_t v = 0; v < nv; v++) {
        for (int64_t j = 0; j < A->n_cols; j++) x[j] = p->X[j * p->ldx + v];
        spw_spmv_expected(A, x, y, y + n);
        for (int64_t i = 0; i < n; i++) {
            expected[i * nv + v] = y[i];
            tolerance[i * nv + v] = y[n + i];
        }
    }
    p->expected = expected;
    p->tolerance = tolerance;
    if (p->s.gap > 0) return SPW_OK; /* compared by check_gaps */
    spw_trial_expect(
        t, p->Y,
        (spw_expectation){
            .expected = expected, .tolerance = tolerance, .count = n * nv, .describe = describe});
    return A->nnz * nv <= MISTAKES_UP_TO ? expect_mistakes(t, p) : SPW_OK;
}

static spw_status vectors(spw_trial *t, problem *p, spw_idx n_rows, spw_idx n_cols)
{
    p->ldx = p->s.nv + p->s.gap;
    p->ldy = p->s.nv + (p->s.gap > 0 ? p->s.gap + 1 : 0);
    double *X = spw_trial_random(t, "X", n_cols * p->ldx);
    p->X = X;
    p->Y = (double *)spw_trial_output(t, "Y", SPW_DOUBLE, n_rows * p->ldy);
    if (!p->X || !p->Y) return SPW_ERR_MEMORY;
    for (int64_t k = 0; p->s.gap > 0 && k < n_cols * p->ldx; k++)
        if (k % p->ldx >= p->s.nv) X[k] = GAP;
    if (p->s.gap > 0) {
        p->before = (double *)spw_trial_memory(t, n_rows * p->ldy, sizeof *p->before);
        if (!p->before) return SPW_ERR_MEMORY;
    }
    p->x = (double *)spw_trial_memory(t, n_cols, sizeof *p->x);
    p->y = (double *)spw_trial_memory(t, n_rows, sizeof *p->y);
    return p->x && p->y ? SPW_OK : SPW_ERR_MEMORY;
}

static void say(spw_trial *t, const problem *p, const spw_csr *A, double beta)
{
    char format[64] = "", gap[64] = "";
    if (p->S) snprintf(format, sizeof format, "SELL-P %d,%d, beta %.3f, ", p->s.b, p->s.t, beta);
    if (p->s.gap > 0)
        snprintf(gap, sizeof gap, ", ldx %d, ldy %d", p->s.nv + p->s.gap, p->s.nv + p->s.gap + 1);
    if (A->nnz < 1000000)
        spw_trial_say(t, "%s%d x %d, nz %d, nv %d%s", format, A->n_rows, A->n_cols, A->nnz, p->s.nv,
                      gap);
    else
        spw_trial_say(t, "%sn = %.2f M, nz = %.1f M, nv %d%s", format, A->n_rows * 1e-6,
                      A->nnz * 1e-6, p->s.nv, gap);
    spw_trial_unit(t, "nz", A->nnz);
    if (p->S && p->S->n_stored != A->nnz) spw_trial_unit(t, "n_stored", p->S->n_stored);
    spw_trial_unit(t, "nv n_rows", (double)p->s.nv * A->n_rows);
    if (A->n_cols != A->n_rows) spw_trial_unit(t, "nv n_cols", (double)p->s.nv * A->n_cols);
    spw_trial_unit(t, "n_rows", A->n_rows);
}

static spw_status setup_csr(spw_trial *t, const char *name)
{
    spw_csr A = {0};
    problem *p = (problem *)spw_trial_memory(t, 1, sizeof *p);
    if (!p) return SPW_ERR_MEMORY;
    p->s = shape_of(name);
    spw_status status = spw_csr_named(p->s.matrix, spw_trial_seed(t), &A);
    if (status) return status;
    say(t, p, &A, 1);
    p->A = spw_trial_csr(t, &A);
    if (!p->A) return SPW_ERR_MEMORY;
    status = vectors(t, p, p->A->n_rows, p->A->n_cols);
    return status || !spw_trial_checks(t) ? status : expect(t, p);
}

/* A copy that the answer does not see, for the expectations. */
static const spw_csr *keep(spw_trial *t, const spw_csr *A)
{
    spw_csr *B = (spw_csr *)spw_trial_memory(t, 1, sizeof *B);
    if (!B) return NULL;
    *B = *A;
    B->row_ptr = (spw_idx *)spw_trial_memory(t, A->n_rows + 1, sizeof *B->row_ptr);
    B->col_idx = (spw_idx *)spw_trial_memory(t, A->nnz, sizeof *B->col_idx);
    B->val = (double *)spw_trial_memory(t, A->nnz, sizeof *B->val);
    if (!B->row_ptr || !B->col_idx || !B->val) return NULL;
    memcpy(B->row_ptr, A->row_ptr, ((size_t)A->n_rows + 1) * sizeof *B->row_ptr);
    if (A->nnz) memcpy(B->col_idx, A->col_idx, (size_t)A->nnz * sizeof *B->col_idx);
    if (A->nnz) memcpy(B->val, A->val, (size_t)A->nnz * sizeof *B->val);
    return B;
}

static spw_status setup_sellp(spw_trial *t, const char *name)
{
    spw_csr A = {0};
    spw_sellp S = {0};
    problem *p = (problem *)spw_trial_memory(t, 1, sizeof *p);
    if (!p) return SPW_ERR_MEMORY;
    p->s = shape_of(name);
    spw_status status = spw_csr_named(p->s.matrix, spw_trial_seed(t), &A);
    if (!status) status = spw_sellp_from_csr(&A, p->s.b, p->s.t, &S);
    if (status) goto done;
    const double beta = S.n_stored ? A.nnz / (double)S.n_stored : 1;
    /* Each call takes its block over, whether it succeeds or not. */
    S.slice_ptr = spw_trial_adopt(t, "slice_ptr", SPW_INDEX, S.n_slices + 1, S.slice_ptr);
    S.row_len = spw_trial_adopt(t, "row_len", SPW_INDEX, S.n_rows, S.row_len);
    S.col_idx = spw_trial_adopt(t, "col_idx", SPW_INDEX, S.n_stored, S.col_idx);
    S.val = spw_trial_adopt(t, "val", SPW_DOUBLE, S.n_stored, S.val);
    p->S = (const spw_sellp *)spw_trial_struct(t, "the matrix struct", &S, sizeof S);
    p->A = keep(t, &A);
    if (!S.slice_ptr || !S.row_len || !S.col_idx || !S.val || !p->S || !p->A) {
        status = SPW_ERR_MEMORY;
        goto done;
    }
    say(t, p, &A, beta);
    status = vectors(t, p, A.n_rows, A.n_cols);
    if (!status && spw_trial_checks(t)) status = expect(t, p);
done:
    spw_csr_destroy(&A);
    return status;
}

static void call(spw_trial *t, spw_function f)
{
    const problem *p = (const problem *)spw_trial_data(t);
    if (p->before && p->A->n_rows > 0)
        memcpy(p->before, p->Y, (size_t)(p->A->n_rows * p->ldy) * sizeof *p->Y);
    if (p->S)
        ((sellp_fn)f)(p->S, p->s.nv, p->X, p->ldx, p->Y, p->ldy);
    else
        ((csr_fn)f)(p->A, p->s.nv, p->X, p->ldx, p->Y, p->ldy);
}

/* Where there are gaps, the judge cannot compare Y as one array. */
static void check_gaps(spw_trial *t, spw_function f)
{
    const problem *p = (const problem *)spw_trial_data(t);
    (void)f;
    if (!p->before) return;
    for (int64_t at = 0; at < p->A->n_rows * p->ldy; at++) {
        const int64_t i = at / p->ldy, v = at % p->ldy, k = i * p->s.nv + v;
        if (v >= p->s.nv) {
            if (memcmp(&p->Y[at], &p->before[at], sizeof p->Y[at]) == 0) continue;
            spw_trial_fail(
                t,
                "Y[%d] was written. It lies in row %d behind the last of %d vectors, where\n"
                "somebody else's data begins: row i of Y begins at i * ldy, and ldy is %d",
                (int)at, (int)i, p->s.nv, (int)p->ldy);
            return;
        }
        if (fabs(p->Y[at] - p->expected[k]) <= p->tolerance[k]) continue;
        spw_trial_fail(
            t,
            "row %d, vector %d, Y[%d]: got %.6g, expected %.6g\n"
            "Here rows have gaps: ldx is %d and ldy is %d, nv is %d. Without gaps it was\n"
            "right: row j of X begins at j * ldx, row i of Y at i * ldy",
            (int)i, (int)v, (int)at, p->Y[at], p->expected[k], (int)p->ldx, (int)p->ldy, p->s.nv);
        return;
    }
}

/* --- the model ------------------------------------------------------------------------------------- */

static spw_cost predict(spw_trial *t, spw_function model)
{
    const problem *p = (const problem *)spw_trial_data(t);
    return p->S ? ((sellp_cost_fn)model)(p->S, p->s.nv) : ((csr_cost_fn)model)(p->A, p->s.nv);
}

static spw_cost cost(const spw_trial *t)
{
    const problem *p = (const problem *)spw_trial_data(t);
    const double nv = p->s.nv, rows = p->A->n_rows, columns = p->A->n_cols, nz = p->A->nnz;
    const double stored = p->S ? p->S->n_stored : nz;
    const double pointers = (p->S ? p->S->n_slices : rows) + 1;
    return (spw_cost){.load = 12 * stored + 4 * pointers + 8 * nv * columns,
                      .store = 8 * nv * rows,
                      .flop = 2 * nv * nz};
}

/* Differences from the truth, and what they come from; the first that fits is told. */
static void explain_model(const spw_trial *t, spw_cost got, char *text, int size)
{
    const problem *p = (const problem *)spw_trial_data(t);
    const spw_cost truth = cost(t);
    const double nv = p->s.nv, r = p->A->n_rows, c = p->A->n_cols, nz = p->A->nnz;
    const double stored = p->S ? p->S->n_stored : nz;
    const double pointers = (p->S ? p->S->n_slices : r) + 1;
    const spw_known_cost known[] = {
        {(nv - 1) * (12 * stored + 4 * pointers), 0, 0,
         "the matrix is counted once for each vector. That is what nv single SpMVs move;\n"
         "here each entry is loaded once and used for all vectors"},
        {12 * (nv - 1) * stored, 0, 0,
         "the entries are counted once for each vector. That is what nv single SpMVs move;\n"
         "here each entry is loaded once and used for all vectors"},
        {8 * nv * (nz - c), 0, 0,
         "X is counted once for each entry: that is what may happen, not what must.\n"
         "At the least each row of X is loaded once, and stays in a cache"},
        {8 * nv * (stored - c), 0, 0,
         "X is counted once for each entry: that is what may happen, not what must.\n"
         "At the least each row of X is loaded once, and stays in a cache"},
        {-8 * (nv - 1) * c, 0, 0, "X has nv vectors: 8 nv bytes a column"},
        {-8 * (nv - 1) * c, -8 * (nv - 1) * r, 0, "X and Y have nv vectors: 8 nv bytes a row"},
        {-8 * nv * c, 0, 0, "X has to be loaded too: 8 nv bytes a column"},
        {12 * (nz - stored), 0, 0, "the padding is read like any entry: n_stored of them, not nnz"},
        {-4 * pointers, 0, 0, "the pointers have to be loaded too, 4 bytes each"},
        {4 * (r + 1 - pointers), 0, 0, "there is one pointer a slice, not one a row"},
        {-4, 0, 0, "there is one pointer more than there are rows, or slices"},
        {4 * stored, 0, 0, "an entry is a double and a 32-bit column: 8 + 4 = 12 bytes"},
        {-4 * stored, 0, 0, "the column of each entry has to be loaded as well as its value"},
        {8 * nv * r, 0, 0,
         "Y is written, not read. The write-allocate read is not in the model:\n"
         "it depends on the kind of store"},
        {8 * nv * (r - c), 0, 0, "X has a row for each column of A, Y one for each row"},
        {0, -8 * (nv - 1) * r, 0, "Y has nv vectors: 8 nv bytes a row"},
        {0, -8 * nv * r, 0, "Y has to be stored: 8 nv bytes a row"},
        {0, 0, -2 * (nv - 1) * nz, "each entry takes part in nv products: 2 nv flop"},
        {0, 0, -nv * nz, "each product costs a multiplication and an addition: 2 flop"},
        {0, 0, 2 * nv * (stored - nz),
         "the padding is no useful work: 2 nv flop for each of the nnz entries"},
    };
    if (!spw_known_cost_tell(known, sizeof known / sizeof known[0], got, truth, 0.5, text, size))
        spw_swapped_cost_tell(got, truth, text, size);
}

/* --- beside it ------------------------------------------------------------------------------------- */

static void single_csr(spw_trial *t)
{
    const problem *p = (const problem *)spw_trial_data(t);
    for (int v = 0; v < p->s.nv; v++) spw_spmv_csr_omp(p->A, p->x, p->y);
}

static void library_csr(spw_trial *t)
{
    const problem *p = (const problem *)spw_trial_data(t);
    spw_spmm_csr_omp_stream(p->A, p->s.nv, p->X, p->ldx, p->Y, p->ldy);
}

static void library_sellp(spw_trial *t)
{
    const problem *p = (const problem *)spw_trial_data(t);
    spw_spmm_sellp_omp_stream(p->S, p->s.nv, p->X, p->ldx, p->Y, p->ldy);
}

/* --- the declaration ------------------------------------------------------------------------------- */

/* clang-format off */
static const char *const csr_cases[] = {
    "small@3", "slides@2", "one-by-one@1", "one-by-one@5", "no-rows@2", "no-columns@3", "no-entries@4",
    "small@3+2", "one-row@7", "one-column@8", "empty-rows@31", "empty-first-last@16", "mostly-empty@3",
    "rectangular-wide@9", "rectangular-tall@17", "every-length@16+1", "dense-row@32", "prime@48",
    "arrow@2", "powerlaw@8", "stencil27@11", "fem3@64", NULL};
static const char *const sellp_cases[] = {
    "small@3/2,2", "slides@2/2,1", "one-by-one@5/8,4", "no-rows@2/8,4", "no-columns@3/8,4",
    "no-entries@4/2,2", "small@3+2/4,2", "one-row@7/4,1", "empty-first-last@16/8,4", "mostly-empty@3/32,2",
    "rectangular-wide@9/1,32", "rectangular-tall@17/16,8", "every-length@31/8,4", "dense-row@8/32,16",
    "prime@48/5,2", "stencil27@11/64,4", "prime@7/8,4", NULL};
/* clang-format on */

static const spw_part parts[] = {
    {
        .function = "spmm_csr",
        .model = "spmm_csr_cost",
        .cases = csr_cases,
        .setup = setup_csr,
        .call = call,
        .claim = check_gaps,
        .predict = predict,
        .cost = cost,
        .explain_model = explain_model,
        .speed = "stencil27:72@16",
        .traffic = "stencil27:40@16",
        .takes_matrix = true,
        .target = 0.5,
        .baseline = {"nv single SpMVs", single_csr},
        .stretch = {"library, Y past the caches", library_csr},
    },
    {
        .function = "spmm_sellp",
        .model = "spmm_sellp_cost",
        .cases = sellp_cases,
        .setup = setup_sellp,
        .call = call,
        .claim = check_gaps,
        .predict = predict,
        .cost = cost,
        .explain_model = explain_model,
        .speed = "stencil27:72@16/8,4",
        .traffic = "stencil27:40@16/8,4",
        .takes_matrix = true,
        .target = 0.5,
        .stretch = {"library, Y past the caches",
                    library_sellp}, /* no baseline: it takes longest */
    },
};

static const char *const forbidden[] = {"spw_spmm_csr", "spw_spmm_sellp", NULL};

int main(int argc, char **argv)
{
    return spw_judge(&(spw_exercise){.parts = parts,
                                     .n_parts = sizeof parts / sizeof parts[0],
                                     .forbidden = forbidden},
                     argc, argv);
}

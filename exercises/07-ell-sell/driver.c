/* Exercise 7: cases, the true cost and explanations for SELL-C-sigma.
 *
 * A case is "slides", a name of kit/cases.h or a matrix; C and sigma may follow:
 * "prime@8,64". */
#include "ell_sell.h"

#include "formats/generate.h"
#include "kernels/spmv.h"
#include "kit/cases.h"
#include "kit/models.h"
#include "kit/systems.h"
#include "judge/exercise.h"

#include <stdio.h>
#include <string.h>

typedef struct problem {
    const spw_csr *A;  /* of the conversion and of beta: an input of the trial */
    const spw_sell *S; /* of the conversion its arrays are outputs, of the product inputs */
    spw_sell right;    /* of the conversion: what must come out */
    spw_idx C;
    double *beta;
    const double *x;
    double *y;
} problem;

/* --- matrices ------------------------------------------------------------------------------------- */

/* The matrix, and C and sigma: 32 and 256, unless the name says others. */
static spw_status matrix(const char *full_name, uint64_t seed, spw_csr *A, spw_idx *C,
                         spw_idx *sigma)
{
    char name[512];
    int rows, window, end = 0;
    snprintf(name, sizeof name, "%s", full_name);
    char *at = strrchr(name, '@');
    *C = 32;
    *sigma = 256;
    if (at && sscanf(at, "@%d,%d%n", &rows, &window, &end) == 2 && !at[end]) {
        *at = 0;
        *C = rows;
        *sigma = window;
    }
    return spw_csr_named(name, seed, A);
}

static void say(spw_trial *t, const spw_sell *S)
{
    const double beta = S->n_stored ? S->nnz / (double)S->n_stored : 1;
    if (S->nnz >= 1000000)
        spw_trial_say(t, "SELL-%d-%d, n = %.2f M, nz = %.1f M, beta %.3f", S->C, S->sigma,
                      S->n_rows * 1e-6, S->nnz * 1e-6, beta);
    else
        spw_trial_say(t, "SELL-%d-%d, %d x %d, nz %d, beta %.3f", S->C, S->sigma, S->n_rows,
                      S->n_cols, S->nnz, beta);
    spw_trial_unit(t, "nz", S->nnz);
    if (S->n_stored != S->nnz) spw_trial_unit(t, "n_stored", S->n_stored);
    spw_trial_unit(t, "n_rows", S->n_rows);
    if (S->n_cols != S->n_rows) spw_trial_unit(t, "n_cols", S->n_cols);
    spw_trial_unit(t, "(n_chunks + 1)", S->n_chunks + 1.0);
}

static spw_idx row_length(const spw_csr *A, spw_idx i)
{
    return A->row_ptr[i + 1] - A->row_ptr[i];
}

/* --- beta ------------------------------------------------------------------------------------------ */

/* Elements of all chunks; of the last one only the rows that A has, if whole is 0. */
static double count_stored(const spw_csr *A, spw_idx C, int whole)
{
    double stored = 0;
    for (spw_idx first = 0; first < A->n_rows; first += C) {
        const spw_idx rows = A->n_rows - first < C ? A->n_rows - first : C;
        spw_idx longest = 0;
        for (spw_idx i = first; i < first + rows; i++)
            if (row_length(A, i) > longest) longest = row_length(A, i);
        stored += (double)longest * (whole ? C : rows);
    }
    return stored;
}

/* The mean of the chunks' own shares. */
static double mean_beta(const spw_csr *A, spw_idx C)
{
    double sum = 0;
    spw_idx chunks = 0;
    for (spw_idx first = 0; first < A->n_rows; first += C, chunks++) {
        spw_idx longest = 0, entries = 0;
        for (spw_idx i = first; i < first + C && i < A->n_rows; i++) {
            entries += row_length(A, i);
            if (row_length(A, i) > longest) longest = row_length(A, i);
        }
        sum += longest ? entries / ((double)longest * C) : 1;
    }
    return chunks ? sum / chunks : 1;
}

static void beta_mistake(spw_trial *t, const problem *p, double value, const char *text)
{
    spw_trial_mistake(t, p->beta, spw_trial_copy(t, &value, 1, sizeof value), text);
}

static void expect_beta_mistakes(spw_trial *t, const problem *p, double stored)
{
    const spw_csr *A = p->A;
    const double beta = A->nnz / stored, cut = count_stored(A, p->C, 0);
    const double all = (double)((A->n_rows + p->C - 1) / p->C) * p->C;
    spw_idx longest = 0;
    for (spw_idx i = 0; i < A->n_rows; i++)
        if (row_length(A, i) > longest) longest = row_length(A, i);
    if (A->nnz < stored && A->nnz > 0) {
        beta_mistake(t, p, 1, "the padding was counted as entries: those of A are row_ptr[n_rows]");
        beta_mistake(t, p, 0,
                     "a whole number divided by a whole number is rounded down: make one a double");
    }
    beta_mistake(t, p, 1 / beta, "this is 1/beta: entries over stored elements it must be");
    beta_mistake(t, p, 1 - beta, "this is 1 - beta, the share of the padding");
    if (cut > 0)
        beta_mistake(t, p, A->nnz / cut,
                     "the last chunk was cut off: it has C rows too, those that A does not have\n"
                     "are empty");
    if (longest > 0) {
        const char *ell = "all rows were padded to the longest one of the matrix: that is ELL.\n"
                          "Here each chunk has a longest row of its own";
        beta_mistake(t, p, A->nnz / ((double)longest * A->n_rows), ell);
        beta_mistake(t, p, A->nnz / (longest * all), ell);
    }
    beta_mistake(t, p, mean_beta(A, p->C),
                 "this is the mean of the chunks' shares: a long chunk has more elements than a\n"
                 "short one. Add up elements, divide once");
}

static spw_status setup_beta(spw_trial *t, const char *name)
{
    spw_csr A;
    spw_idx sigma;
    problem *p = (problem *)spw_trial_memory(t, 1, sizeof *p);
    if (!p) return SPW_ERR_MEMORY;
    const spw_status status = matrix(name, spw_trial_seed(t), &A, &p->C, &sigma);
    if (status) return status;
    spw_trial_say(t, "%d x %d, nz %d, chunks of %d", A.n_rows, A.n_cols, A.nnz, p->C);
    p->A = spw_trial_csr(t, &A);
    p->beta = (double *)spw_trial_output(t, "beta", SPW_DOUBLE, 1);
    if (!p->A || !p->beta) return SPW_ERR_MEMORY;
    const double stored = count_stored(p->A, p->C, 1);
    const double right = stored > 0 ? p->A->nnz / stored : 1, tolerance = 1e-14;
    spw_trial_expect(
        t, p->beta,
        (spw_expectation){.expected = spw_trial_copy(t, &right, 1, sizeof right),
                          .tolerance = (double *)spw_trial_copy(t, &tolerance, 1, sizeof tolerance),
                          .count = 1,
                          .noun = ""});
    if (stored > 0) expect_beta_mistakes(t, p, stored);
    return SPW_OK;
}

static void call_beta(spw_trial *t, spw_function f)
{
    const problem *p = (const problem *)spw_trial_data(t);
    *p->beta = ((double (*)(const spw_csr *, spw_idx))f)(p->A, p->C);
}

/* --- the conversion -------------------------------------------------------------------------------- */

/* The numbers of the rows, each window sorted by insertion. */
static void sort_rows(const spw_csr *A, spw_idx sigma, int ascending, int late_ties, spw_idx *perm)
{
    for (spw_idx i = 0; i < A->n_rows; i++) {
        spw_idx k = i;
        for (; k % sigma > 0; k--) {
            const spw_idx shorter =
                (row_length(A, i) - row_length(A, perm[k - 1])) * (ascending ? -1 : 1);
            if (shorter < 0 || (shorter == 0 && !late_ties)) break;
            perm[k] = perm[k - 1];
        }
        perm[k] = i;
    }
}

static spw_status expect_perm_mistakes(spw_trial *t, const problem *p)
{
    const spw_csr *A = p->A;
    const spw_idx n = A->n_rows, sigma = p->right.sigma;
    enum { INVERSE, ASCENDING, TIES, ACROSS, IN_CHUNKS, UNSORTED, IN_WINDOW, KINDS };
    static const char *const text[KINDS] = {
        [INVERSE] =
            "this is the inverse: perm[k] is the row of A that is stored as row k, and not\n"
            "the place at which row k is stored",
        [ASCENDING] = "the shortest rows come first: the longest must",
        [TIES] = "rows of equal length have changed places: they keep their order. Is the sort\n"
                 "stable?",
        [ACROSS] = "rows have moved too far: the window has sigma rows, it is neither the whole\n"
                   "matrix nor a chunk. sigma = 1: nothing is sorted",
        [IN_CHUNKS] =
            "rows were sorted within their chunk: the window has sigma rows, it is neither\n"
            "the whole matrix nor a chunk",
        [UNSORTED] = "nothing was sorted: in each window of sigma rows the longest come first",
        [IN_WINDOW] = "these count from the first row of the window: count from row 0 of A",
    };
    spw_idx *wrong[KINDS];
    for (int m = 0; m < KINDS; m++) {
        wrong[m] = (spw_idx *)spw_trial_memory(t, n, sizeof **wrong);
        if (!wrong[m]) return SPW_ERR_MEMORY;
    }
    sort_rows(A, sigma, 1, 0, wrong[ASCENDING]);
    sort_rows(A, sigma, 0, 1, wrong[TIES]);
    sort_rows(A, n > 0 ? n : 1, 0, 0, wrong[ACROSS]);
    sort_rows(A, p->right.C, 0, 0, wrong[IN_CHUNKS]);
    for (spw_idx k = 0; k < n; k++) {
        wrong[INVERSE][p->right.perm[k]] = k;
        wrong[UNSORTED][k] = k;
        wrong[IN_WINDOW][k] = p->right.perm[k] % sigma;
    }
    for (int m = 0; m < KINDS; m++) spw_trial_mistake(t, p->S->perm, wrong[m], text[m]);
    return SPW_OK;
}

static spw_status expect_pointer_mistakes(spw_trial *t, const problem *p)
{
    const spw_sell *R = &p->right;
    enum { ROWS, LENGTHS, ELL, UNPADDED, UNSORTED, CUT, SIZES, KINDS };
    static const char *const text[KINDS] = {
        [ROWS] = "this counts rows: chunk c begins at element chunk_ptr[c], not at row c*C",
        [LENGTHS] = "these are sums of the chunks' lengths: a chunk has C times its length",
        [ELL] = "each chunk is as long as the longest row of the whole matrix: that is ELL.\n"
                "A chunk is as long as its own longest row",
        [UNPADDED] = "the padding is missing: a chunk has C times its longest row, not the sum of\n"
                     "its rows",
        [UNSORTED] = "these are the chunks of the rows as A has them: row k of SELL is row perm[k]",
        [CUT] = "the last chunk was cut off: it has C rows too, those that A does not have are\n"
                "empty",
        [SIZES] = "these are the sizes of the chunks: the running sum is missing",
    };
    spw_idx *wrong[KINDS], longest = 0;
    for (int m = 0; m < KINDS; m++) {
        wrong[m] = (spw_idx *)spw_trial_memory(t, (int64_t)R->n_chunks + 1, sizeof **wrong);
        if (!wrong[m]) return SPW_ERR_MEMORY;
    }
    for (spw_idx k = 0; k < R->n_rows; k++)
        if (row_length(p->A, k) > longest) longest = row_length(p->A, k);
    for (spw_idx c = 0; c < R->n_chunks; c++) {
        const spw_idx first = c * R->C, left = R->n_rows - first, n = left < R->C ? left : R->C;
        const spw_idx size = R->chunk_ptr[c + 1] - R->chunk_ptr[c];
        spw_idx unsorted = 0;
        for (spw_idx i = first; i < first + n; i++)
            if (row_length(p->A, i) > unsorted) unsorted = row_length(p->A, i);
        wrong[ROWS][c + 1] = first + n;
        wrong[LENGTHS][c + 1] = R->chunk_ptr[c + 1] / R->C;
        wrong[ELL][c + 1] = (c + 1) * R->C * longest;
        wrong[UNPADDED][c + 1] = wrong[UNPADDED][c];
        for (spw_idx r = 0; r < n; r++) wrong[UNPADDED][c + 1] += R->row_len[first + r];
        wrong[UNSORTED][c + 1] = wrong[UNSORTED][c] + unsorted * R->C;
        wrong[CUT][c + 1] = R->chunk_ptr[c] + size / R->C * n;
        wrong[SIZES][c + 1] = size;
    }
    for (int m = 0; m < KINDS; m++) spw_trial_mistake(t, p->S->chunk_ptr, wrong[m], text[m]);
    return SPW_OK;
}

/* What col_idx and val hold at one place after each of these. */
enum { BY_ROWS, NOT_PERMUTED, ZERO_COLUMN, DASH, BEYOND, OWN_COLUMN, NOT_ZERO, ELEMENT_KINDS };
static const struct {
    const char *text;
    int col, val; /* the array that shows it */
} element_mistakes[ELEMENT_KINDS] = {
    [BY_ROWS] = {"the chunks are stored row by row. Column by column it must be:\n"
                 "entry j of row r at chunk_ptr[c] + j*C + r",
                 1, 1},
    [NOT_PERMUTED] = {"these are the rows as A has them: stored row k is row perm[k]", 1, 1},
    [ZERO_COLUMN] =
        {"padding repeats the last column of its row, at which x was read just before;\n"
         "column 0 is for empty rows",
         1, 0},
    [DASH] = {"padding has column -1, but it is read like any entry: x[-1] does not exist", 1, 0},
    [BEYOND] = {"padding has column n_cols, but it is read like any entry: x ends before that", 1,
                0},
    [OWN_COLUMN] = {"padding has its row's number for a column: it repeats the row's last column",
                    1, 0},
    [NOT_ZERO] = {"padding repeats the last value as well: its value must be 0, or it counts", 0,
                  1},
};

static void element(const problem *p, int kind, int64_t k, spw_idx j, spw_idx *col, double *val)
{
    const spw_sell *R = &p->right;
    const spw_csr *A = p->A;
    const int64_t i = kind == NOT_PERMUTED || k >= R->n_rows ? k : R->perm[k];
    const spw_idx n = k < R->n_rows ? row_length(A, (spw_idx)i) : 0;
    const spw_idx last = n ? A->row_ptr[i + 1] - 1 : -1;
    if (j < n) {
        *col = A->col_idx[A->row_ptr[i] + j];
        *val = A->val[A->row_ptr[i] + j];
        return;
    }
    *val = kind == NOT_ZERO && n ? A->val[last] : 0;
    *col = kind == DASH          ? -1
           : kind == BEYOND      ? A->n_cols
           : kind == OWN_COLUMN  ? (spw_idx)i
           : kind == ZERO_COLUMN ? 0
           : n                   ? A->col_idx[last]
                                 : 0;
}

static spw_status expect_element_mistakes(spw_trial *t, const problem *p)
{
    const spw_sell *R = &p->right;
    for (int m = 0; m < ELEMENT_KINDS; m++) {
        spw_idx *col = (spw_idx *)spw_trial_memory(t, R->n_stored, sizeof *col);
        double *val = (double *)spw_trial_memory(t, R->n_stored, sizeof *val);
        if (!col || !val) return SPW_ERR_MEMORY;
        for (spw_idx c = 0; c < R->n_chunks; c++) {
            const spw_idx begin = R->chunk_ptr[c], length = (R->chunk_ptr[c + 1] - begin) / R->C;
            for (spw_idx r = 0; r < R->C; r++)
                for (spw_idx j = 0; j < length; j++) {
                    const spw_idx at = begin + (m == BY_ROWS ? r * length + j : j * R->C + r);
                    element(p, m, (int64_t)c * R->C + r, j, &col[at], &val[at]);
                }
        }
        if (element_mistakes[m].col)
            spw_trial_mistake(t, p->S->col_idx, col, element_mistakes[m].text);
        if (element_mistakes[m].val) spw_trial_mistake(t, p->S->val, val, element_mistakes[m].text);
    }
    return SPW_OK;
}

static void describe_row(const spw_trial *t, int64_t k, char *text, int size)
{
    const problem *p = (const problem *)spw_trial_data(t);
    const spw_idx n = p->right.row_len[k];
    snprintf(text, (size_t)size, "window %d; row %d has %d %s", (int)(k / p->right.sigma),
             p->right.perm[k], n, n == 1 ? "entry" : "entries");
}

static void describe_chunk(const spw_trial *t, int64_t c, char *text, int size)
{
    const spw_sell *R = &((const problem *)spw_trial_data(t))->right;
    if (c > 0)
        snprintf(text, (size_t)size, "chunk %d has %d x %d elements", (int)c - 1,
                 (R->chunk_ptr[c] - R->chunk_ptr[c - 1]) / R->C, R->C);
}

static void describe_element(const spw_trial *t, int64_t at, char *text, int size)
{
    const spw_sell *R = &((const problem *)spw_trial_data(t))->right;
    spw_idx c = 0;
    while (R->chunk_ptr[c + 1] <= at) c++;
    const spw_idx r = (spw_idx)(at - R->chunk_ptr[c]) % R->C;
    const spw_idx j = (spw_idx)(at - R->chunk_ptr[c]) / R->C;
    const int64_t k = (int64_t)c * R->C + r;
    if (k >= R->n_rows)
        snprintf(text, (size_t)size, "chunk %d, a row that A does not have", c);
    else
        snprintf(text, (size_t)size, "chunk %d, row %d of A, %s %d", c, R->perm[k],
                 j < R->row_len[k] ? "entry" : "padding", j);
}

/* What the README prints, by hand: the library is checked by it as well. */
static const struct {
    const char *name;
    spw_idx n_chunks, n_stored, perm[6], chunk_ptr[4], col_idx[30];
    double val[30];
} printed[] = {
    {"slides@6,1", /* ELL */
     1,
     30,
     {0, 1, 2, 3, 4, 5},
     {0, 30},
     {0, 0, 2, 0, 4, 5, 1, 1, 2, 3, 4, 5, 1, 3, 2, 3, 4, 5, 1, 4, 2, 3, 4, 5, 1, 5, 2, 3, 4, 5},
     {5.4, 2.2, 4.2, 5.4, 1.1, 8.1, 1.1, 8.3, 0, 9.2, 0, 0, 0,
      3.7, 0,   0,   0,   0,   0,   1.3, 0,   0, 0,   0, 0, 3.8}},
    {"slides@2,1",
     3,
     16,
     {0, 1, 2, 3, 4, 5},
     {0, 10, 14, 16},
     {0, 0, 1, 1, 1, 3, 1, 4, 1, 5, 2, 0, 2, 3, 4, 5},
     {5.4, 2.2, 1.1, 8.3, 0, 3.7, 0, 1.3, 0, 3.8, 4.2, 5.4, 0, 9.2, 1.1, 8.1}},
    {"slides@2,6",
     3,
     16,
     {1, 0, 3, 2, 4, 5},
     {0, 10, 14, 16},
     {0, 0, 1, 1, 3, 1, 4, 1, 5, 1, 0, 2, 3, 2, 4, 5},
     {2.2, 5.4, 8.3, 1.1, 3.7, 0, 1.3, 0, 3.8, 0, 5.4, 4.2, 9.2, 0, 1.1, 8.1}},
};

static spw_status compare_printed(const char *name, const spw_sell *R)
{
    for (size_t m = 0; m < sizeof printed / sizeof printed[0]; m++) {
        if (strcmp(name, printed[m].name) != 0) continue;
        const size_t stored = (size_t)printed[m].n_stored;
        if (R->n_stored != printed[m].n_stored || R->n_chunks != printed[m].n_chunks ||
            memcmp(R->perm, printed[m].perm, sizeof printed[m].perm) ||
            memcmp(R->chunk_ptr, printed[m].chunk_ptr,
                   (size_t)(R->n_chunks + 1) * sizeof *R->chunk_ptr) ||
            memcmp(R->col_idx, printed[m].col_idx, stored * sizeof *R->col_idx) ||
            memcmp(R->val, printed[m].val, stored * sizeof *R->val))
            return spw_error(SPW_ERR_ARG, "%s: the library's conversion is not what is printed",
                             name);
    }
    return SPW_OK;
}

/* Copies R, which the trial then keeps, and the arrays that the answer is to fill. */
static spw_status lay_out(spw_trial *t, problem *p, const spw_sell *R)
{
    spw_sell room = *R;
    room.row_len = NULL;
    room.perm = (spw_idx *)spw_trial_output(t, "S->perm", SPW_INDEX, R->n_rows);
    room.chunk_ptr =
        (spw_idx *)spw_trial_output(t, "S->chunk_ptr", SPW_INDEX, (int64_t)R->n_chunks + 1);
    room.col_idx = (spw_idx *)spw_trial_output(t, "S->col_idx", SPW_INDEX, R->n_stored);
    room.val = (double *)spw_trial_output(t, "S->val", SPW_DOUBLE, R->n_stored);
    p->S = (const spw_sell *)spw_trial_struct(t, "the struct S", &room, sizeof room);
    p->right = *R;
    p->right.perm = (spw_idx *)spw_trial_copy(t, R->perm, R->n_rows, sizeof *R->perm);
    p->right.row_len = (spw_idx *)spw_trial_copy(t, R->row_len, R->n_rows, sizeof *R->row_len);
    p->right.chunk_ptr =
        (spw_idx *)spw_trial_copy(t, R->chunk_ptr, (int64_t)R->n_chunks + 1, sizeof *R->chunk_ptr);
    p->right.col_idx = (spw_idx *)spw_trial_copy(t, R->col_idx, R->n_stored, sizeof *R->col_idx);
    p->right.val = (double *)spw_trial_copy(t, R->val, R->n_stored, sizeof *R->val);
    const spw_sell *r = &p->right;
    const int there = room.perm && room.chunk_ptr && room.col_idx && room.val && p->S && r->perm &&
                      r->row_len && r->chunk_ptr && r->col_idx && r->val;
    return there ? SPW_OK : SPW_ERR_MEMORY;
}

static spw_status setup_convert(spw_trial *t, const char *name)
{
    spw_csr A = {0};
    spw_sell R = {0};
    spw_idx sigma;
    problem *p = (problem *)spw_trial_memory(t, 1, sizeof *p);
    if (!p) return SPW_ERR_MEMORY;
    spw_status status = matrix(name, spw_trial_seed(t), &A, &p->C, &sigma);
    if (!status) status = spw_sell_from_csr(&A, p->C, sigma, &R);
    if (!status) status = compare_printed(name, &R);
    if (status) goto done;
    say(t, &R);
    p->A = spw_trial_csr(t, &A);
    status = p->A ? lay_out(t, p, &R) : SPW_ERR_MEMORY;
    if (status) goto done;
    const spw_expectation all[] = {
        {.expected = p->right.perm, .count = R.n_rows, .describe = describe_row},
        {.expected = p->right.chunk_ptr, .count = R.n_chunks + 1, .describe = describe_chunk},
        {.expected = p->right.col_idx, .count = R.n_stored, .describe = describe_element},
        {.expected = p->right.val, .count = R.n_stored, .describe = describe_element}};
    spw_trial_expect(t, p->S->perm, all[0]);
    spw_trial_expect(t, p->S->chunk_ptr, all[1]);
    spw_trial_expect(t, p->S->col_idx, all[2]);
    spw_trial_expect(t, p->S->val, all[3]);
    status = expect_perm_mistakes(t, p);
    if (!status) status = expect_pointer_mistakes(t, p);
    if (!status) status = expect_element_mistakes(t, p);
done:
    spw_csr_destroy(&A);
    spw_sell_destroy(&R);
    return status;
}

static void call_convert(spw_trial *t, spw_function f)
{
    const problem *p = (const problem *)spw_trial_data(t);
    ((void (*)(const spw_csr *, const spw_sell *))f)(p->A, p->S);
}

/* --- the product ----------------------------------------------------------------------------------- */

static void describe_product(const spw_trial *t, int64_t i, char *text, int size)
{
    const spw_sell *S = ((const problem *)spw_trial_data(t))->S;
    int64_t k = 0;
    while (S->perm[k] != i) k++;
    snprintf(text, (size_t)size, "row %d of chunk %d, %d %s", (int)(k % S->C), (int)(k / S->C),
             S->row_len[k], S->row_len[k] == 1 ? "entry" : "entries");
}

/* Stored row k times x. by_rows: as if the chunk were stored row by row; short_by: steps left out. */
static double product_of(const spw_sell *S, const double *x, int64_t k, int by_rows, int short_by)
{
    const int64_t c = k / S->C, r = k % S->C, begin = S->chunk_ptr[c];
    const int64_t length = (S->chunk_ptr[c + 1] - begin) / S->C;
    double sum = 0;
    for (int64_t j = 0; j < length - short_by; j++) {
        const int64_t at = begin + (by_rows ? r * length + j : j * S->C + r);
        sum += S->val[at] * x[S->col_idx[at]];
    }
    return sum;
}

static spw_status expect_product_mistakes(spw_trial *t, const problem *p)
{
    const spw_sell *S = p->S;
    enum { STORED_ORDER, INVERSE, BY_ROWS_READ, SHORT, KINDS };
    static const char *const text[KINDS] = {
        [STORED_ORDER] =
            "y stands in the order in which SELL stores the rows: stored row k is row\n"
            "perm[k] of A, and its sum goes to y[perm[k]]",
        [INVERSE] =
            "the permutation was undone the wrong way round: y[k] is the sum of stored row\n"
            "perm[k]. It must be: y[perm[k]] is the sum of stored row k",
        [BY_ROWS_READ] = "the chunks were read row by row: entry j of row r is at\n"
                         "chunk_ptr[c] + j*C + r",
        [SHORT] = "the last column of each chunk is missing: it ends before chunk_ptr[c+1]",
    };
    double *wrong[KINDS];
    for (int m = 0; m < KINDS; m++) {
        wrong[m] = (double *)spw_trial_memory(t, S->n_rows, sizeof **wrong);
        if (!wrong[m]) return SPW_ERR_MEMORY;
    }
    for (int64_t k = 0; k < S->n_rows; k++) {
        wrong[STORED_ORDER][k] = product_of(S, p->x, k, 0, 0);
        wrong[INVERSE][k] = product_of(S, p->x, S->perm[k], 0, 0);
        wrong[BY_ROWS_READ][S->perm[k]] = product_of(S, p->x, k, 1, 0);
        wrong[SHORT][S->perm[k]] = product_of(S, p->x, k, 0, 1);
    }
    for (int m = 0; m < KINDS; m++) spw_trial_mistake(t, p->y, wrong[m], text[m]);
    return SPW_OK;
}

/* Gives the arrays of S to the trial. */
static spw_status adopt(spw_trial *t, problem *p, spw_sell *S)
{
    spw_sell kept = *S;
    *S = (spw_sell){0};
    kept.chunk_ptr = (spw_idx *)spw_trial_adopt(t, "S->chunk_ptr", SPW_INDEX,
                                                (int64_t)kept.n_chunks + 1, kept.chunk_ptr);
    kept.perm = (spw_idx *)spw_trial_adopt(t, "S->perm", SPW_INDEX, kept.n_rows, kept.perm);
    kept.row_len =
        (spw_idx *)spw_trial_adopt(t, "S->row_len", SPW_INDEX, kept.n_rows, kept.row_len);
    kept.col_idx =
        (spw_idx *)spw_trial_adopt(t, "S->col_idx", SPW_INDEX, kept.n_stored, kept.col_idx);
    kept.val = (double *)spw_trial_adopt(t, "S->val", SPW_DOUBLE, kept.n_stored, kept.val);
    p->S = (const spw_sell *)spw_trial_struct(t, "the struct S", &kept, sizeof kept);
    p->x = spw_trial_random(t, "x", kept.n_cols);
    p->y = (double *)spw_trial_output(t, "y", SPW_DOUBLE, kept.n_rows);
    const int there = kept.chunk_ptr && kept.perm && kept.row_len && kept.col_idx && kept.val &&
                      p->S && p->x && p->y;
    return there ? SPW_OK : SPW_ERR_MEMORY;
}

static spw_status setup_product(spw_trial *t, const char *name)
{
    spw_csr A = {0};
    spw_sell S = {0};
    spw_idx sigma;
    problem *p = (problem *)spw_trial_memory(t, 1, sizeof *p);
    if (!p) return SPW_ERR_MEMORY;
    spw_status status = matrix(name, spw_trial_seed(t), &A, &p->C, &sigma);
    if (!status) status = spw_sell_from_csr(&A, p->C, sigma, &S);
    if (status) goto done;
    say(t, &S);
    status = adopt(t, p, &S);
    if (status || !spw_trial_checks(t)) goto done;

    double *y = (double *)spw_trial_memory(t, A.n_rows, sizeof *y);
    double *tolerance = (double *)spw_trial_memory(t, A.n_rows, sizeof *tolerance);
    if (!y || !tolerance) {
        status = SPW_ERR_MEMORY;
        goto done;
    }
    spw_spmv_expected(&A, p->x, y, tolerance);
    spw_trial_expect(t, p->y,
                     (spw_expectation){.expected = y,
                                       .tolerance = tolerance,
                                       .count = A.n_rows,
                                       .noun = "row",
                                       .describe = describe_product});
    if (A.nnz <= 100000) status = expect_product_mistakes(t, p);
done:
    spw_csr_destroy(&A);
    spw_sell_destroy(&S);
    return status;
}

static void call_product(spw_trial *t, spw_function f)
{
    const problem *p = (const problem *)spw_trial_data(t);
    ((void (*)(const spw_sell *, const double *, double *))f)(p->S, p->x, p->y);
}

/* --- the model ------------------------------------------------------------------------------------- */

static spw_cost predict(spw_trial *t, spw_function f)
{
    const spw_sell *S = ((const problem *)spw_trial_data(t))->S;
    const double beta = S->n_stored ? S->nnz / (double)S->n_stored : 1;
    return ((spw_cost(*)(spw_idx, spw_idx, spw_idx, spw_idx, double))f)(S->n_rows, S->n_cols,
                                                                        S->nnz, S->n_chunks, beta);
}

static spw_cost cost(const spw_trial *t)
{
    const spw_sell *S = ((const problem *)spw_trial_data(t))->S;
    return (spw_cost){.load = 12.0 * S->n_stored + 4 * (S->n_chunks + 1.0) + 4.0 * S->n_rows +
                              8.0 * S->n_cols,
                      .store = 8.0 * S->n_rows,
                      .flop = 2.0 * S->nnz};
}

/* Differences from the truth, and what they come from; the first that fits is told. */
static void explain_model(const spw_trial *t, spw_cost got, char *text, int size)
{
    const spw_sell *S = ((const problem *)spw_trial_data(t))->S;
    const spw_cost truth = cost(t);
    const double nz = S->nnz, stored = S->n_stored, beta = stored > 0 ? nz / stored : 1;
    const double r = S->n_rows, c = S->n_cols, chunks = S->n_chunks;
    const spw_known_cost known[] = {
        {12 * (nz - stored), 0, 0,
         "the padding is read like any entry: nz / beta elements are stored, not nz"},
        {12 * (nz * beta - stored), 0, 0,
         "beta is at most 1, and padding makes the matrix larger: divide by beta"},
        {-4 * r, 0, 0, "perm has to be loaded too: 4 bytes a row say where its sum goes"},
        {-4 * (chunks + 1), 0, 0,
         "chunk_ptr has to be loaded too: n_chunks + 1 entries of 4 bytes"},
        {4 * (r - chunks), 0, 0, "there is one pointer a chunk, not one a row"},
        {-4, 0, 0, "chunk_ptr has one entry more than there are chunks"},
        {-4 * stored, 0, 0, "8 bytes of val and 4 of col_idx: an element takes 12 bytes"},
        {4 * stored, 0, 0, "an element is a double and a 32-bit column: 8 + 4 = 12 bytes"},
        {4 * r, 0, 0, "perm has 32-bit entries: 4 bytes a row"},
        {-8 * c, 0, 0, "x has to be loaded too: 8 bytes a column"},
        {8 * (stored - c), 0, 0,
         "x is counted once for each element: that is what may happen, not what must"},
        {8 * r, 0, 0,
         "y is written, not read. The write-allocate read is not in the model:\n"
         "it depends on the kind of store"},
        {8 * (r - c), 0, 0, "x has an entry for each column, y one for each row"},
        {0, -8 * r, 0, "y has to be stored: 8 bytes a row"},
        {0, 0, 2 * (stored - nz),
         "the padding is no useful work: 2 flop for each of the nz entries"},
        {0, 0, -nz, "each entry costs a multiplication and an addition: 2 flop"},
    };
    spw_known_cost_tell(known, sizeof known / sizeof known[0], got, truth, 0.5, text, size);
}

/* --- beside it ------------------------------------------------------------------------------------- */

static void row_by_row(spw_trial *t)
{
    const problem *p = (const problem *)spw_trial_data(t);
    const spw_sell *S = p->S;
#pragma omp parallel for schedule(static)
    for (spw_idx k = 0; k < S->n_rows; k++) {
        const spw_idx c = k / S->C;
        double sum = 0;
        for (spw_idx at = S->chunk_ptr[c] + k % S->C; at < S->chunk_ptr[c + 1]; at += S->C)
            sum += S->val[at] * p->x[S->col_idx[at]];
        p->y[S->perm[k]] = sum;
    }
}

static void library(spw_trial *t)
{
    const problem *p = (const problem *)spw_trial_data(t);
    spw_spmv_sell_omp_pairs(p->S, p->x, p->y);
}

/* --- the declaration -------------------------------------------------------------------------------- */

/* clang-format off */
static const char *const cases[] = {
    "slides@2,1", "slides@6,1", "slides@2,6", "slides@4,4", "one-by-one@8,1", "no-rows@8,8", "no-columns@2,2",
    "no-entries@2,4", "one-row@4,1", "empty-first-last@4,4", "mostly-empty@32,64",
    "rectangular-wide@5,1", "rectangular-tall@16,64", "every-length@8,24", "every-length@1,5",
    "dense-row@32,1", "powerlaw@8,64", "stencil27@64,256", "prime@8,1", "uneven:1000@32,256", NULL};
/* clang-format on */

static const spw_part parts[] = {
    {
        .function = "sell_beta",
        .cases = cases,
        .setup = setup_beta,
        .call = call_beta,
    },
    {
        .function = "csr_to_sell",
        .cases = cases,
        .setup = setup_convert,
        .call = call_convert,
    },
    {
        .function = "spmv_sell",
        .model = "spmv_sell_cost",
        .cases = cases,
        .setup = setup_product,
        .call = call_product,
        .predict = predict,
        .cost = cost,
        .explain_model = explain_model,
        .speed = "uneven:1500000@32,256",
        .traffic = "uneven:200000@32,256",
        .takes_matrix = true,
        .target = 0.8,
        .baseline = {"row by row", row_by_row},
        .stretch = {"library, two chunks at a time", library},
    },
};

/* The library's conversions do what the second part asks for. */
static const char *const forbidden[] = {"spw_sell_from_csr", "spw_sellp_from_csr",
                                        "spw_ell_from_csr", NULL};

int main(int argc, char **argv)
{
    return spw_judge(&(spw_exercise){.parts = parts,
                                     .n_parts = sizeof parts / sizeof parts[0],
                                     .forbidden = forbidden},
                     argc, argv);
}

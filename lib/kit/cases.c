#include "kit/cases.h"

#include "base/memory.h"
#include "base/random.h"
#include "formats/generate.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- a list of positions, that grows -------------------------------------------------------------- */

typedef struct entry {
    spw_idx row, col;
    int64_t at; /* its place in the list: ties keep their order, and values follow it */
} entry;

typedef struct list {
    spw_idx n_rows, n_cols;
    int64_t length, room;
    entry *entries;    /* [room] */
    int zero_every;    /* so many-th value is a stored 0; 0: none is */
    spw_status status; /* the first failure; nothing is added after it */
} list;

static void add(list *L, int64_t row, int64_t col) {
    if (L->status) return;
    assert(row >= 0 && row < L->n_rows && col >= 0 && col < L->n_cols);
    if (L->length == L->room) {
        entry *larger;
        const int64_t room = L->room ? 2 * L->room : 64;
        L->status = SPW_ALLOC(&larger, room);
        if (L->status) return;
        if (L->length) memcpy(larger, L->entries, (size_t)L->length * sizeof *larger);
        spw_free(L->entries);
        L->entries = larger;
        L->room = room;
    }
    L->entries[L->length] = (entry){(spw_idx)row, (spw_idx)col, L->length};
    L->length++;
}

static void size(list *L, spw_idx n_rows, spw_idx n_cols) {
    L->n_rows = n_rows;
    L->n_cols = n_cols;
}

static int by_position(const void *a, const void *b) {
    const entry *p = a, *q = b;
    if (p->row != q->row) return p->row < q->row ? -1 : 1;
    if (p->col != q->col) return p->col < q->col ? -1 : 1;
    return p->at < q->at ? -1 : p->at > q->at;
}

static void sort(list *L) {
    if (L->length) qsort(L->entries, (size_t)L->length, sizeof *L->entries, by_position);
}

/* Puts the entries into an order that has nothing to do with their positions (Fisher and Yates). */
static void shuffle(list *L, uint64_t seed) {
    for (int64_t i = L->length - 1; i > 0; i--) {
        const int64_t j = spw_random_below(seed, (uint64_t)i, i + 1);
        const entry swap = L->entries[i];
        L->entries[i] = L->entries[j];
        L->entries[j] = swap;
    }
}

static double value(uint64_t seed, int64_t i) {
    const double magnitude = 0.5 + spw_random_double(seed, (uint64_t)i);
    return spw_random_u64(seed, (uint64_t)i) & 1 ? magnitude : -magnitude;
}

/* --- patterns ------------------------------------------------------------------------------------- */

static void one_by_one(list *L) {
    size(L, 1, 1);
    add(L, 0, 0);
}

static void no_entries(list *L) { size(L, 5, 4); }

static void no_rows(list *L) { size(L, 0, 3); }

static void no_columns(list *L) { size(L, 3, 0); }

static void one_row(list *L) {
    size(L, 1, 7);
    for (int j = 0; j < 7; j += 2) add(L, 0, j);
}

static void one_column(list *L) {
    size(L, 7, 1);
    for (int i = 0; i < 7; i += 2) add(L, i, 0);
}

/*     | a . b . |
 *     | . c . . |
 *     | . . . . |
 *     | . . d . |
 *     | e . . f | */
static void empty_rows(list *L) {
    static const int row[] = {0, 0, 1, 3, 4, 4}, col[] = {0, 2, 1, 2, 0, 3};
    size(L, 5, 4);
    for (int k = 0; k < 6; k++) add(L, row[k], col[k]);
}

static void empty_first_last(list *L) {
    size(L, 8, 8);
    for (int i = 2; i < 6; i++)
        for (int j = i - 2; j <= i + 2; j += 2) add(L, i, j);
}

static void mostly_empty(list *L) {
    size(L, 1009, 1009);
    add(L, 400, 1008);
    add(L, 401, 0);
    add(L, 1007, 503);
}

static void diagonal(list *L) {
    size(L, 97, 97);
    for (int i = 0; i < 97; i++) add(L, i, i);
}

static void every_length(list *L) {
    size(L, 71, 71);
    for (int i = 0; i < 71; i++)
        for (int j = 0; j < i; j++) add(L, i, j);
}

static void dense_row(list *L) {
    size(L, 101, 101);
    for (int j = 0; j < 101; j++) add(L, 53, j);
    for (int i = 0; i < 101; i++)
        if (i != 53) add(L, i, (i * 7) % 101);
}

static void dense_column(list *L) {
    size(L, 101, 101);
    for (int i = 0; i < 101; i++) {
        add(L, i, 100);
        if (i % 3) add(L, i, i % 100);
    }
}

static void rectangular_wide(list *L) {
    size(L, 7, 530);
    for (int i = 0; i < 7; i++)
        for (int j = i; j < 530; j += 11 + i) add(L, i, j);
}

static void rectangular_tall(list *L) {
    size(L, 530, 7);
    for (int i = 0; i < 530; i++)
        for (int j = i % 7; j < 7; j += 1 + i % 3) add(L, i, j);
}

static void prime(list *L) {
    size(L, 211, 211);
    L->zero_every = 5;
    for (int i = 0; i < 211; i++)
        for (int j = i % 13; j < 211; j += 29) add(L, i, j);
}

static void arrow(list *L) {
    size(L, 307, 307);
    for (int j = 0; j < 307; j++) add(L, 0, j);
    for (int i = 1; i < 307; i++) {
        add(L, i, 0);
        add(L, i, i);
    }
}

/* Row i has about 1200 / (i + 1) entries, the long rows not at the front but strewn about. */
static void powerlaw(list *L) {
    size(L, 401, 1201);
    for (int i = 0; i < 401; i++) {
        const int length = 1201 / ((i * 173) % 401 + 1);
        for (int k = 0; k < length; k++) add(L, i, ((int64_t)k * 1201 / length + i) % 1201);
    }
}

/* The middle row is longer than all others together: whoever deals out whole rows leaves all threads
 * but one without work, and whoever shares a row must add up the shares. */
static void long_row(list *L) {
    size(L, 3, 40009);
    add(L, 0, 40008);
    for (int j = 0; j < 40009; j++) add(L, 1, j);
    add(L, 2, 0);
}

static void two_long_rows(list *L) {
    size(L, 50, 20011);
    for (int i = 0; i < 50; i++) {
        if (i % 5 == 0) continue;
        const int step = i == 11 || i == 48 ? 1 : 3000;
        for (int j = i; j < 20011; j += step) add(L, i, j);
    }
}

/* 16 rows of a few thousand entries: too long to be left whole, too short to be shared by all. */
static void many_long_rows(list *L) {
    size(L, 40, 3001);
    for (int i = 0; i < 40; i++)
        for (int j = 0; j < 3001; j += i % 5 < 2 ? 1 : 2000) add(L, i, j);
}

/* The nodes of an n x n x n grid, each with its neighbours in a 3 x 3 x 3 box, dof unknowns a node. */
static void grid(list *L, int n, int dof) {
    size(L, (spw_idx)(n * n * n * dof), (spw_idx)(n * n * n * dof));
    for (int row = 0; row < L->n_rows; row++) {
        const int node = row / dof, x = node % n, y = node / n % n, z = node / n / n;
        for (int k = z - 1; k <= z + 1; k++)
            for (int j = y - 1; j <= y + 1; j++)
                for (int i = x - 1; i <= x + 1; i++) {
                    if (i < 0 || j < 0 || k < 0 || i >= n || j >= n || k >= n) continue;
                    for (int d = 0; d < dof; d++) add(L, row, ((k * n + j) * n + i) * dof + d);
                }
    }
}

static void stencil27(list *L) { grid(L, 9, 1); }

static void fem3(list *L) { grid(L, 5, 3); }

/* --- patterns in which order and repetition matter ------------------------------------------------ */

static void unsorted(list *L) {
    prime(L);
    shuffle(L, 1);
}

static void reversed(list *L) {
    size(L, 31, 37);
    for (int i = 30; i >= 0; i--)
        for (int j = 36 - i % 4; j >= 0; j -= 5) add(L, i, j);
}

static void by_columns(list *L) {
    size(L, 41, 23);
    for (int j = 0; j < 23; j++)
        for (int i = j % 3; i < 41; i += 4) add(L, i, j);
}

static void columns_unsorted(list *L) {
    size(L, 19, 64);
    for (int i = 0; i < 19; i++)
        for (int k = 0; k < 3 * (i % 5); k++) add(L, i, (k * 37 + i) % 64);
}

/*     row  0 0 2 2 2      col  1 1 0 0 3: position (0,1) twice, (2,0) twice */
static void duplicates(list *L) {
    static const int row[] = {0, 0, 2, 2, 2}, col[] = {1, 1, 0, 0, 3};
    size(L, 4, 4);
    for (int k = 0; k < 5; k++) add(L, row[k], col[k]);
}

static void duplicates_apart(list *L) {
    size(L, 23, 17);
    for (int k = 0; k < 900; k++) add(L, (k * 7) % 23, (k * k) % 17);
    shuffle(L, 2);
}

static void all_the_same(list *L) {
    size(L, 5, 5);
    for (int k = 0; k < 100; k++) add(L, 3, 2);
}

/* Assembly of springs between neighbours: each adds to four positions. */
static void assembly(list *L) {
    size(L, 1000, 1000);
    for (int e = 0; e < 999; e++) {
        add(L, e, e);
        add(L, e, e + 1);
        add(L, e + 1, e);
        add(L, e + 1, e + 1);
    }
}

static void coo_empty_first_last(list *L) {
    empty_first_last(L);
    shuffle(L, 3);
}

static void coo_long_row(list *L) {
    long_row(L);
    shuffle(L, 4);
}

/* No two neighbours share a row, and all threads write to the same two: a race shows. */
static void alternating(list *L) {
    size(L, 2, 20011);
    for (int j = 0; j < 20011; j++) add(L, j % 2, j);
}

static void coo_large(list *L) {
    size(L, 1500, 1499);
    for (int64_t k = 0; k < 30011; k++)
        add(L, spw_random_below(5, (uint64_t)k, 1500), spw_random_below(6, (uint64_t)k, 1499));
}

/* --- the tables ----------------------------------------------------------------------------------- */

typedef struct pattern {
    const char *name, *text; /* text: for who reads the table */
    void (*add)(list *);
} pattern;

static const pattern csr_cases[] = {
    {"one-by-one", "the smallest matrix", one_by_one},
    {"no-entries", "nothing stored: y is all zero", no_entries},
    {"no-rows", "nothing to compute", no_rows},
    {"no-columns", "x is empty, y is all zero", no_columns},
    {"one-row", "one row: fewer rows than threads", one_row},
    {"one-column", "one column, every other row empty", one_column},
    {"empty-rows", "a row without entries in the middle", empty_rows},
    {"empty-first-last", "the first and last rows have no entries", empty_first_last},
    {"mostly-empty", "1009 rows, 3 entries: fewer entries than threads", mostly_empty},
    {"diagonal", "one entry a row", diagonal},
    {"every-length", "rows of 0, 1, 2, ... 70 entries", every_length},
    {"dense-row", "one row is full", dense_row},
    {"dense-column", "one column is full", dense_column},
    {"rectangular-wide", "more columns than rows", rectangular_wide},
    {"rectangular-tall", "more rows than columns", rectangular_tall},
    {"prime", "211 rows: no number of threads divides them; every fifth value is 0", prime},
    {"arrow", "first row and column full, and the diagonal", arrow},
    {"powerlaw", "a few long rows, many short ones", powerlaw},
    {"two-long-rows", "two long rows, every fifth row empty", two_long_rows},
    {"many-long-rows", "16 of 40 rows are full", many_long_rows},
    {"long-row", "one row has nearly all entries", long_row},
    {"stencil27", "27-point stencil on a 9 x 9 x 9 grid", stencil27},
    {"fem3", "3 unknowns a node on a 5 x 5 x 5 grid", fem3},
};

static const pattern coo_cases[] = {
    {"one-by-one", "the smallest matrix", one_by_one},
    {"no-entries", "nothing stored", no_entries},
    {"no-rows", "nothing at all", no_rows},
    {"no-columns", "rows without columns", no_columns},
    {"sorted", "by row and column, a row without entries", empty_rows},
    {"duplicates", "two positions come twice in a row", duplicates},
    {"all-the-same", "one position, 100 times", all_the_same},
    {"empty-first-last", "unsorted, first and last rows without entries", coo_empty_first_last},
    {"columns-unsorted", "rows in order, their columns not", columns_unsorted},
    {"reversed", "last entry first", reversed},
    {"by-columns", "column after column", by_columns},
    {"mostly-empty", "1009 rows, 3 entries", mostly_empty},
    {"duplicates-apart", "positions come again, far apart", duplicates_apart},
    {"unsorted", "in random order, none twice", unsorted},
    {"assembly", "neighbours add to the same positions", assembly},
    {"long-row", "one row has nearly all entries, in random order", coo_long_row},
    {"alternating", "two rows by turns: all threads add to the same two", alternating},
    {"large", "30,011 entries in random order, some twice", coo_large},
};

enum {
    CSR_CASES = sizeof csr_cases / sizeof *csr_cases,
    COO_CASES = sizeof coo_cases / sizeof *coo_cases
};

int spw_csr_case_count(void) { return CSR_CASES; }

const char *spw_csr_case_name(int i) {
    assert(i >= 0 && i < CSR_CASES);
    return csr_cases[i].name;
}

int spw_coo_case_count(void) { return COO_CASES; }

const char *spw_coo_case_name(int i) {
    assert(i >= 0 && i < COO_CASES);
    return coo_cases[i].name;
}

/* Lists the entries of the case, or fails with the names that there are. */
static spw_status draw(const char *name, const pattern *patterns, int n, list *L) {
    char names[800] = "";
    for (int i = 0; i < n; i++) {
        if (strcmp(name, patterns[i].name) == 0) {
            patterns[i].add(L);
            return L->status;
        }
        spw_append(names, sizeof names, " %s", patterns[i].name);
    }
    return spw_error(SPW_ERR_ARG, "there is no case '%s'; there are:%s", name, names);
}

static bool exists(const char *name, const pattern *patterns, int n) {
    for (int i = 0; i < n; i++)
        if (strcmp(name, patterns[i].name) == 0) return true;
    return false;
}

bool spw_csr_case_exists(const char *name) { return exists(name, csr_cases, CSR_CASES); }

bool spw_coo_case_exists(const char *name) { return exists(name, coo_cases, COO_CASES); }

spw_status spw_csr_case(const char *name, uint64_t seed, spw_csr *A) {
    list L = {0};
    *A = (spw_csr){0};
    spw_status status = draw(name, csr_cases, CSR_CASES, &L);
    if (!status) status = spw_csr_create(L.n_rows, L.n_cols, L.length, A);
    if (status) goto done;

    sort(&L);
    int64_t k = 0;
    A->row_ptr[0] = 0;
    for (spw_idx i = 0; i < L.n_rows; i++) {
        for (; k < L.length && L.entries[k].row == i; k++) {
            A->col_idx[k] = L.entries[k].col;
            A->val[k] = L.zero_every && k % L.zero_every == 1 ? 0 : value(seed, k);
        }
        A->row_ptr[i + 1] = (spw_idx)k;
    }
done:
    spw_free(L.entries);
    return status;
}

typedef struct literal {
    const char *name;
    spw_idx n, row_ptr[7], col_idx[13];
    double val[13];
} literal;

static const literal literals[] = {
    {"slides",
     6,
     {0, 2, 7, 8, 10, 11, 12},
     {0, 1, 0, 1, 3, 4, 5, 2, 0, 3, 4, 5},
     {5.4, 1.1, 2.2, 8.3, 3.7, 1.3, 3.8, 4.2, 5.4, 9.2, 1.1, 8.1}},
    {"small",
     5,
     {0, 2, 5, 5, 9, 13},
     {1, 3, 0, 2, 4, 0, 1, 2, 4, 0, 1, 3, 4},
     {0.7, -1.3, 1.1, 0.9, -0.8, 1.4, 0.6, 1.2, -1.5, -0.5, 1.6, 0.75, 1.7}},
    {"nothing", 0, {0}, {0}, {0}},
    {"zeros", 5, {0}, {0}, {0}},
};

static spw_status copy_literal(const literal *m, spw_csr *A) {
    const spw_status status = spw_csr_create(m->n, m->n, m->row_ptr[m->n], A);
    if (status) return status;
    memcpy(A->row_ptr, m->row_ptr, (size_t)(m->n + 1) * sizeof *A->row_ptr);
    for (spw_idx k = 0; k < A->nnz; k++) {
        A->col_idx[k] = m->col_idx[k];
        A->val[k] = m->val[k];
    }
    return SPW_OK;
}

spw_status spw_csr_named(const char *name, uint64_t seed, spw_csr *A) {
    *A = (spw_csr){0};
    for (size_t m = 0; m < sizeof literals / sizeof literals[0]; m++)
        if (strcmp(name, literals[m].name) == 0) return copy_literal(&literals[m], A);
    return spw_csr_case_exists(name) ? spw_csr_case(name, seed, A) : spw_csr_load(name, A);
}

spw_status spw_coo_case(const char *name, uint64_t seed, spw_coo *A) {
    list L = {0};
    *A = (spw_coo){0};
    spw_status status = draw(name, coo_cases, COO_CASES, &L);
    if (!status) status = spw_coo_create(L.n_rows, L.n_cols, L.length, A);
    if (!status) {
        for (int64_t k = 0; k < L.length; k++) {
            A->row_idx[k] = L.entries[k].row;
            A->col_idx[k] = L.entries[k].col;
            A->val[k] = value(seed, k);
        }
    }
    spw_free(L.entries);
    return status;
}

void spw_case_vector(uint64_t seed, int64_t n, double *x) {
    /* Another sequence than the matrix of the same seed. */
    for (int64_t i = 0; i < n; i++) x[i] = value(~seed, i);
}

/* --- what must come out --------------------------------------------------------------------------- */

static double bound(int64_t k, long double magnitude) {
    return 2.0 * (double)k * DBL_EPSILON * (double)magnitude;
}

void spw_spmv_expected(const spw_csr *A, const double *x, double *y, double *tolerance) {
    for (spw_idx i = 0; i < A->n_rows; i++) {
        long double sum = 0, magnitude = 0;
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) {
            const long double product = (long double)A->val[k] * x[A->col_idx[k]];
            sum += product;
            magnitude += fabsl(product);
        }
        y[i] = (double)sum;
        tolerance[i] = bound(A->row_ptr[i + 1] - A->row_ptr[i] + 1, magnitude);
    }
}

spw_status spw_spmv_coo_expected(const spw_coo *A, const double *x, double *y, double *tolerance) {
    typedef struct row {
        long double sum, magnitude;
        int64_t length;
    } row;
    row *rows;
    const spw_status status = SPW_ALLOC_ZERO(&rows, A->n_rows);
    if (status) return status;
    for (spw_idx k = 0; k < A->nnz; k++) {
        row *r = &rows[A->row_idx[k]];
        const long double product = (long double)A->val[k] * x[A->col_idx[k]];
        r->sum += product;
        r->magnitude += fabsl(product);
        r->length++;
    }
    for (spw_idx i = 0; i < A->n_rows; i++) {
        y[i] = (double)rows[i].sum;
        tolerance[i] = bound(rows[i].length + 1, rows[i].magnitude);
    }
    spw_free(rows);
    return SPW_OK;
}

double spw_dot_expected(int64_t n, const double *x, const double *y, double *tolerance) {
    long double sum = 0, magnitude = 0;
    for (int64_t i = 0; i < n; i++) {
        const long double product = y ? (long double)x[i] * y[i] : x[i];
        sum += product;
        magnitude += fabsl(product);
    }
    *tolerance = bound(n, magnitude);
    return (double)sum;
}

spw_status spw_csr_expected(const spw_coo *C, spw_csr *A) {
    list L = {.n_rows = C->n_rows, .n_cols = C->n_cols};
    *A = (spw_csr){0};
    for (spw_idx k = 0; k < C->nnz; k++) add(&L, C->row_idx[k], C->col_idx[k]);
    spw_status status = L.status;
    int64_t distinct = 0;
    if (!status) {
        sort(&L);
        for (int64_t k = 0; k < L.length; k++)
            distinct += k == 0 || L.entries[k].row != L.entries[k - 1].row ||
                        L.entries[k].col != L.entries[k - 1].col;
        status = spw_csr_create(C->n_rows, C->n_cols, distinct, A);
    }
    if (status) goto done;

    int64_t k = 0, out = 0;
    A->row_ptr[0] = 0;
    for (spw_idx i = 0; i < C->n_rows; i++) {
        while (k < L.length && L.entries[k].row == i) {
            const spw_idx col = L.entries[k].col;
            double sum = C->val[L.entries[k].at];
            for (k++; k < L.length && L.entries[k].row == i && L.entries[k].col == col; k++)
                sum += C->val[L.entries[k].at];
            A->col_idx[out] = col;
            A->val[out++] = sum;
        }
        A->row_ptr[i + 1] = (spw_idx)out;
    }
done:
    spw_free(L.entries);
    return status;
}

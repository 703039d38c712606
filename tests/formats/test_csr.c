/* formats/csr.h: conversion and transpose against a serial algorithm of another kind, on matrices of
 * every shape, for 1, 3 and all threads; validation; failing allocations. */
#include "formats/csr.h"

#include "base/random.h"
#include "test.h"

/* --- the other algorithm: sort all entries by comparison, then walk ------------------------------- */

typedef struct entry {
    spw_idx row, col, at;
    double val;
} entry;

static int compare(const void *left, const void *right) {
    const entry *a = left, *b = right;
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    if (a->col != b->col) return a->col < b->col ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

static void csr_from_coo_by_comparison(const spw_coo *C, spw_csr *A) {
    entry *entries = zeroed((int64_t)C->nnz + 1, sizeof *entries);
    for (spw_idx k = 0; k < C->nnz; k++)
        entries[k] = (entry){C->row_idx[k], C->col_idx[k], k, C->val[k]};
    qsort(entries, (size_t)C->nnz, sizeof *entries, compare);

    assert_ok(spw_csr_create(C->n_rows, C->n_cols, C->nnz, A));
    memset(A->row_ptr, 0, ((size_t)C->n_rows + 1) * sizeof *A->row_ptr);
    A->nnz = 0;
    for (spw_idx k = 0; k < C->nnz; k++) {
        const entry e = entries[k];
        if (k > 0 && entries[k - 1].row == e.row && entries[k - 1].col == e.col) {
            A->val[A->nnz - 1] += e.val;
            continue;
        }
        A->col_idx[A->nnz] = e.col;
        A->val[A->nnz++] = e.val;
        A->row_ptr[e.row + 1]++;
    }
    for (spw_idx i = 0; i < C->n_rows; i++) A->row_ptr[i + 1] += A->row_ptr[i];
}

static void check_conversion(const char *name, const spw_coo *C) {
    OWN(spw_csr) expected;
    csr_from_coo_by_comparison(C, &expected);
    for (int t = 0; with_count(t); t++) {
        OWN(spw_csr) A;
        if (spw_csr_from_coo(C, &A)) fail_msg("%s: %s", name, spw_message());
        if (spw_csr_validate(&A)) fail_msg("%s: %s", name, spw_message());
        assert_same_csr(&A, &expected);
    }
}

/* --- matrices ------------------------------------------------------------------------------------ */

typedef struct shape {
    const char *name;
    spw_idx n_rows, n_cols, nnz;
    /* entry number k: its row and column */
    void (*position)(const struct shape *, spw_idx k, spw_idx *row, spw_idx *col);
} shape;

static void anywhere(const shape *s, spw_idx k, spw_idx *row, spw_idx *col) {
    *row = (spw_idx)spw_random_below(1, (uint64_t)k, s->n_rows);
    *col = (spw_idx)spw_random_below(2, (uint64_t)k, s->n_cols);
}

static void row_by_row(const shape *s, spw_idx k, spw_idx *row, spw_idx *col) {
    *row = (spw_idx)((int64_t)k * s->n_rows / s->nnz);
    *col = (spw_idx)((int64_t)k % s->n_cols);
}

static void column_by_column(const shape *s, spw_idx k, spw_idx *row, spw_idx *col) {
    *row = (spw_idx)spw_random_below(1, (uint64_t)k, s->n_rows);
    *col = (spw_idx)((int64_t)k * s->n_cols / s->nnz);
}

static void backwards(const shape *s, spw_idx k, spw_idx *row, spw_idx *col) {
    row_by_row(s, s->nnz - 1 - k, row, col);
}

static void one_position(const shape *s, spw_idx k, spw_idx *row, spw_idx *col) {
    (void)k;
    *row = s->n_rows / 2;
    *col = s->n_cols / 3;
}

static void one_row(const shape *s, spw_idx k, spw_idx *row, spw_idx *col) {
    *row = s->n_rows - 1;
    *col = (spw_idx)spw_random_below(3, (uint64_t)k, s->n_cols);
}

static void one_column(const shape *s, spw_idx k, spw_idx *row, spw_idx *col) {
    *row = (spw_idx)spw_random_below(3, (uint64_t)k, s->n_rows);
    *col = 0;
}

static void arrow(const shape *s, spw_idx k, spw_idx *row, spw_idx *col) {
    const spw_idx i = (spw_idx)spw_random_below(3, (uint64_t)k, s->n_rows);
    *row = k % 3 == 0 ? 0 : i;
    *col = k % 3 == 1 ? 0 : i;
}

static void corners(const shape *s, spw_idx k, spw_idx *row, spw_idx *col) {
    *row = k % 2 ? 0 : s->n_rows - 1;
    *col = k / 2 % 2 ? 0 : s->n_cols - 1;
}

/* clang-format off */
static const shape shapes[] = {
    /* name              n_rows       n_cols       nnz */
    {"nothing",          0,           0,           0,      anywhere},
    {"no rows",          0,           9,           0,      anywhere},
    {"no columns",       9,           0,           0,      anywhere},
    {"no entries",       1000,        1000,        0,      anywhere},
    {"1 x 1",            1,           1,           1,      anywhere},
    {"1 x 1 often",      1,           1,           1000,   anywhere},
    {"one entry",        7,           5,           1,      anywhere},
    {"a few",            13,          17,          40,     anywhere},
    {"row vector",       1,           1000,        500,    anywhere},
    {"column vector",    1000,        1,           500,    anywhere},
    {"by insertion",     3,           40,          48,     anywhere},
    {"by digits",        3,           40,          49,     anywhere},
    {"prime",            997,         1009,        20011,  anywhere},
    {"many duplicates",  50,          50,          100000, anywhere},
    {"sorted",           1000,        700,         30000,  row_by_row},
    {"by columns",       1000,        700,         30000,  column_by_column},
    {"backwards",        1000,        700,         30000,  backwards},
    {"one position",     1000,        700,         300000, one_position},
    {"one row",          1000,        100000,      300000, one_row},
    {"one short row",    1000,        10,          300000, one_row},
    {"one column",       100000,      1000,        300000, one_column},
    {"arrow",            100000,      100000,      300000, arrow},
    {"corners",          100000,      SPW_IDX_MAX, 300000, corners},
    {"2^k",              4096,        4096,        65536,  anywhere},
    {"2^k + 1",          4097,        4097,        65537,  anywhere},
    {"mostly empty",     3000000,     3000000,     10,     anywhere},
    {"wide and empty",   3,           SPW_IDX_MAX, 100,    anywhere},
    {"wide",             100,         SPW_IDX_MAX, 100000, anywhere},
};
/* clang-format on */

static spw_coo make(const shape *s) {
    spw_coo C;
    assert_ok(spw_coo_create(s->n_rows, s->n_cols, s->nnz, &C));
    for (spw_idx k = 0; k < s->nnz; k++) {
        s->position(s, k, &C.row_idx[k], &C.col_idx[k]);
        C.val[k] = spw_random_double(4, (uint64_t)k) - 0.5;
    }
    return C;
}

TEST(conversion_agrees_with_a_sort_by_comparison) {
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        OWN(spw_coo) C = make(&shapes[i]);
        check_conversion(shapes[i].name, &C);
    }
}

TEST(the_example_of_the_header_is_right) {
    spw_idx row[] = {0, 0, 1, 2}, col[] = {0, 1, 2, 0};
    double val[] = {5, 1, 4, 7};
    const spw_coo C = {3, 3, 4, row, col, val};
    const spw_idx row_ptr[] = {0, 2, 3, 4};
    spw_csr A;
    assert_ok(spw_csr_from_coo(&C, &A));
    assert_memory_equal(A.row_ptr, row_ptr, sizeof row_ptr);
    assert_memory_equal(A.col_idx, col, sizeof col);
    assert_memory_equal(A.val, val, sizeof val);
    assert_int_equal(spw_csr_bytes(&A), 4 * 12 + 4 * 4);
    spw_csr_destroy(&A);
    assert_no_csr(&A);
}

TEST(duplicates_are_summed_in_their_order) {
    /* (1e16 + 1) - 1e16 is 0 in doubles, (1e16 - 1e16) + 1 is 1. */
    spw_idx row[] = {1, 0, 1, 1, 0, 0}, col[] = {1, 2, 1, 1, 2, 2};
    double val[] = {1e16, 1e16, 1, -1e16, -1e16, 1};
    const spw_coo C = {2, 3, 6, row, col, val};
    OWN(spw_csr) A;
    assert_ok(spw_csr_from_coo(&C, &A));
    assert_int_equal(A.nnz, 2);
    assert_true(A.val[0] == 1);
    assert_true(A.val[1] == 0);
}

TEST(explicit_zeros_and_their_signs_are_kept) {
    spw_idx row[] = {1, 0, 0, 0}, col[] = {0, 1, 0, 0};
    double val[] = {0, -0.0, 3, -3};
    const spw_coo C = {2, 2, 4, row, col, val};
    OWN(spw_csr) A;
    assert_ok(spw_csr_from_coo(&C, &A));
    assert_int_equal(A.nnz, 3);
    assert_true(A.val[0] == 0 && A.val[1] == 0 && A.val[2] == 0);
    assert_true(signbit(A.val[1]));
    assert_false(signbit(A.val[2]));
}

TEST(an_invalid_coo_matrix_is_refused) {
    spw_idx row[] = {0, 3}, col[] = {0, 0};
    double val[] = {1, 2};
    const spw_coo C = {3, 3, 2, row, col, val};
    spw_csr A = {.nnz = 99};
    assert_error(spw_csr_from_coo(&C, &A), SPW_ERR_ARG, "entry 1 is at row 3");
    assert_no_csr(&A);
}

TEST(coo_from_csr_and_back_changes_nothing) {
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        OWN(spw_coo) C = make(&shapes[i]);
        OWN(spw_csr) A;
        assert_ok(spw_csr_from_coo(&C, &A));
        for (int t = 0; with_count(t); t++) {
            OWN(spw_coo) D;
            OWN(spw_csr) B;
            assert_ok(spw_coo_from_csr(&A, &D));
            assert_int_equal(D.nnz, A.nnz);
            for (spw_idx k = 0; k < A.nnz; k++) {
                if (k < A.row_ptr[D.row_idx[k]] || k >= A.row_ptr[D.row_idx[k] + 1])
                    fail_msg("%s: entry %d is not in row %d", shapes[i].name, k, D.row_idx[k]);
            }
            assert_ok(spw_csr_from_coo(&D, &B));
            assert_same_csr(&B, &A);
        }
    }
}

TEST(transpose_exchanges_rows_and_columns) {
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (shapes[i].n_cols == SPW_IDX_MAX) continue; /* the transpose has a row_ptr of 8.6 GB */
        OWN(spw_coo) C = make(&shapes[i]);
        OWN(spw_csr) A, expected;
        assert_ok(spw_csr_from_coo(&C, &A));
        /* Of A and not of C: its sums have been made. */
        OWN(spw_coo) D;
        assert_ok(spw_coo_from_csr(&A, &D));
        const spw_coo exchanged = {D.n_cols, D.n_rows, D.nnz, D.col_idx, D.row_idx, D.val};
        csr_from_coo_by_comparison(&exchanged, &expected);
        for (int t = 0; with_count(t); t++) {
            OWN(spw_csr) T, back;
            assert_ok(spw_csr_transpose(&A, &T));
            assert_ok(spw_csr_validate(&T));
            assert_same_csr(&T, &expected);
            assert_ok(spw_csr_transpose(&T, &back));
            assert_same_csr(&back, &A);
        }
    }
}

TEST(a_zero_struct_is_refused_where_a_matrix_is_needed) {
    const spw_csr nothing = {0};
    spw_csr T = {.nnz = 99};
    spw_coo C = {.nnz = 99};
    assert_int_equal(spw_csr_transpose(&nothing, &T), SPW_ERR_ARG);
    assert_no_csr(&T);
    assert_int_equal(spw_coo_from_csr(&nothing, &C), SPW_ERR_ARG);
    assert_int_equal(C.nnz, 0);
}

/* --- validation ---------------------------------------------------------------------------------- */

TEST(validate_names_what_is_wrong) {
    spw_idx p[] = {0, 2, 2, 4}, c[] = {0, 2, 1, 2};
    double v[] = {1, 2, 3, 4};
    spw_idx first[] = {1, 2, 2, 4}, down[] = {0, 2, 1, 4}, beyond[] = {0, 5, 5, 4},
            below[] = {0, -1, 2, 4}, less[] = {0, 2, 2, 3};
    spw_idx twice[] = {0, 0, 1, 2}, descends[] = {2, 1, 1, 2}, large[] = {0, 3, 1, 2},
            negative[] = {0, 1, -1, 2}, two[] = {0, 1, 2, 2};
    const struct {
        spw_csr A;
        const char *message;
    } cases[] = {
        {{-1, 3, 4, p, c, v}, "n_rows is -1"},
        {{3, -1, 4, p, c, v}, "n_cols -1"},
        {{3, 3, -4, p, c, v}, "nnz -4"},
        {{3, 3, 4, NULL, c, v}, "an array is NULL"},
        {{3, 3, 4, p, NULL, v}, "an array is NULL"},
        {{3, 3, 4, p, c, NULL}, "an array is NULL"},
        {{3, 3, 4, first, c, v}, "row_ptr[0] is 1"},
        {{3, 3, 4, down, c, v}, "row 1 has the entries 2 .. 1-1 of 4"},
        {{3, 3, 4, beyond, c, v}, "row 0 has the entries 0 .. 5-1 of 4"},
        {{3, 3, 4, below, c, v}, "row 0 has the entries 0 .. -1-1 of 4"},
        {{3, 3, 4, less, c, v}, "row_ptr[n_rows] is 3, must be nnz = 4"},
        {{3, 3, 4, p, twice, v}, "entry 1, row 0, is in column 0 after column 0"},
        {{3, 3, 4, p, descends, v}, "entry 1, row 0, is in column 1 after column 2"},
        {{3, 3, 4, p, large, v}, "entry 1, row 0, is in column 3 of 3"},
        {{3, 3, 4, p, negative, v}, "entry 2, row 2, is in column -1 of 3"},
        {{3, 3, 4, p, two, v}, "entry 3, row 2, is in column 2 after column 2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_error(spw_csr_validate(&cases[i].A), SPW_ERR_ARG, cases[i].message);
    }
    const spw_csr good = {3, 3, 4, p, c, v};
    assert_ok(spw_csr_validate(&good));
}

TEST(validate_finds_the_first_of_many_with_any_number_of_threads) {
    enum { N = 50000 };
    OWN(spw_csr) A;
    assert_ok(spw_csr_create(N, N, N, &A));
    for (spw_idx i = 0; i <= N; i++) A.row_ptr[i] = i;
    for (spw_idx k = 0; k < N; k++) A.col_idx[k] = k % 3 == 0 && k > 20000 ? N : k;
    for (int t = 0; with_count(t); t++) {
        assert_error(spw_csr_validate(&A), SPW_ERR_ARG, "entry 20001, row 20001");
    }
}

/* --- memory -------------------------------------------------------------------------------------- */

TEST(create_refuses_impossible_sizes) {
    const int64_t big = (int64_t)SPW_IDX_MAX + 1;
    const struct {
        int64_t n_rows, n_cols, nnz;
        spw_status status;
    } cases[] = {{-1, 1, 1, SPW_ERR_ARG},    {1, -1, 1, SPW_ERR_ARG},
                 {1, 1, -1, SPW_ERR_ARG},    {big, 1, 1, SPW_ERR_RANGE},
                 {1, big, 1, SPW_ERR_RANGE}, {1, 1, big, SPW_ERR_RANGE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        spw_csr A = {.nnz = 99};
        assert_int_equal(spw_csr_create(cases[i].n_rows, cases[i].n_cols, cases[i].nnz, &A),
                         cases[i].status);
        assert_no_csr(&A);
    }
}

TEST(bytes_do_not_wrap) {
    const spw_csr A = {.n_rows = SPW_IDX_MAX, .nnz = SPW_IDX_MAX};
    assert_true(spw_csr_bytes(&A) == INT64_C(16) * SPW_IDX_MAX + 4);
}

TEST(destroy_takes_null_and_zero) {
    spw_csr A = {0};
    spw_csr_destroy(NULL);
    spw_csr_destroy(&A);
    spw_csr_destroy(&A);
    assert_no_csr(&A);
}

#define SURVIVED(out, call)                                                                        \
    assert_true(FAILURES((SPOIL(out), call), out.n_rows == 0 && out.n_cols == 0 && out.nnz == 0 && \
                                                 !out.col_idx && !out.val) > 0)

TEST(every_failing_allocation_is_survived) {
    OWN(spw_csr) created;
    SURVIVED(created, spw_csr_create(5, 6, 7, &created));
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (shapes[i].n_cols == SPW_IDX_MAX) continue;
        OWN(spw_coo) C = make(&shapes[i]), back;
        OWN(spw_csr) A, T;
        SURVIVED(A, spw_csr_from_coo(&C, &A));
        SURVIVED(T, spw_csr_transpose(&A, &T));
        SURVIVED(back, spw_coo_from_csr(&A, &back));
    }
}

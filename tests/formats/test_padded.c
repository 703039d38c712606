/* ELL, SELL-C-sigma, SELL-P and SELL-S: the arrays of the slides' 6 x 6 matrix; on all cases and larger matrices every
 * stored entry, by the formats' definition; and failing allocations. */
#include "formats/ell.h"
#include "formats/info.h"
#include "formats/sell.h"
#include "formats/sellp.h"
#include "formats/sell_short.h"
#include "kit/cases.h"
#include "test.h"

/* The 6 x 6 matrix of the tutorial's slides. */
static spw_idx row_ptr[] = {0, 2, 7, 8, 10, 11, 12};
static spw_idx col_idx[] = {0, 1, 0, 1, 3, 4, 5, 2, 0, 3, 4, 5};
static double val[] = {5.4, 1.1, 2.2, 8.3, 3.7, 1.3, 3.8, 4.2, 5.4, 9.2, 1.1, 8.1};
static const spw_csr slides = {6, 6, 12, row_ptr, col_idx, val};

TEST(ell_of_the_slides_matrix_is_as_on_the_slide) {
    static const double expected_val[] = {5.4, 2.2, 4.2, 5.4, 1.1, 8.1, 1.1, 8.3, 0, 9.2,
                                          0,   0,   0,   3.7, 0,   0,   0,   0,   0, 1.3,
                                          0,   0,   0,   0,   0,   3.8, 0,   0,   0, 0};
    /* The slide has a dash for padding; here it is the last column of the row. */
    static const spw_idx expected_col[] = {0, 0, 2, 0, 4, 5, 1, 1, 2, 3, 4, 5, 1, 3, 2,
                                           3, 4, 5, 1, 4, 2, 3, 4, 5, 1, 5, 2, 3, 4, 5};
    OWN(spw_ell) E;
    assert_ok(spw_ell_from_csr(&slides, &E));
    assert_int_equal(E.width, 5);
    assert_int_equal(E.n_stored, 30);
    assert_memory_equal(E.val, expected_val, sizeof expected_val);
    assert_memory_equal(E.col_idx, expected_col, sizeof expected_col);
}

TEST(sell_with_slices_of_two_rows_is_as_on_the_slide) {
    static const spw_idx expected_ptr[] = {0, 10, 14, 16};
    static const double expected_val[] = {5.4, 2.2, 1.1, 8.3, 0, 3.7, 0,   1.3,
                                          0,   3.8, 4.2, 5.4, 0, 9.2, 1.1, 8.1};
    static const spw_idx expected_col[] = {0, 0, 1, 1, 1, 3, 1, 4, 1, 5, 2, 0, 2, 3, 4, 5};
    OWN(spw_sell) S;
    assert_ok(spw_sell_from_csr(&slides, 2, 1, &S));
    assert_int_equal(S.n_chunks, 3);
    assert_memory_equal(S.chunk_ptr, expected_ptr, sizeof expected_ptr);
    assert_memory_equal(S.val, expected_val, sizeof expected_val);
    assert_memory_equal(S.col_idx, expected_col, sizeof expected_col);
}

/* As the README of exercise 7 prints it. */
TEST(sell_sorted_in_one_window_is_as_printed) {
    static const spw_idx perm[] = {1, 0, 3, 2, 4, 5}, chunk_ptr[] = {0, 10, 14, 16};
    static const spw_idx expected_col[] = {0, 0, 1, 1, 3, 1, 4, 1, 5, 1, 0, 2, 3, 2, 4, 5};
    static const double expected_val[] = {2.2, 5.4, 8.3, 1.1, 3.7, 0, 1.3, 0,
                                          3.8, 0,   5.4, 4.2, 9.2, 0, 1.1, 8.1};
    OWN(spw_sell) S;
    assert_ok(spw_sell_from_csr(&slides, 2, 6, &S));
    assert_memory_equal(S.perm, perm, sizeof perm);
    assert_memory_equal(S.chunk_ptr, chunk_ptr, sizeof chunk_ptr);
    assert_memory_equal(S.col_idx, expected_col, sizeof expected_col);
    assert_memory_equal(S.val, expected_val, sizeof expected_val);
}

static spw_idx four_ptr[] = {0, 1, 4, 4, 6}, four_col[] = {0, 0, 1, 2, 1, 3};

TEST(the_example_in_the_header_of_sell_holds) {
    double v[] = {'f', 'a', 'c', 'e', 'b', 'd'};
    const spw_csr A = {4, 4, 6, four_ptr, four_col, v};
    static const double expected[] = {'a', 'b', 'c', 'd', 'e', 0, 'f', 0};
    static const spw_idx expected_ptr[] = {0, 6, 8}, perm[] = {1, 3, 0, 2}, len[] = {3, 2, 1, 0};
    OWN(spw_sell) S;
    assert_ok(spw_sell_from_csr(&A, 2, 4, &S));
    assert_memory_equal(S.chunk_ptr, expected_ptr, sizeof expected_ptr);
    assert_memory_equal(S.perm, perm, sizeof perm);
    assert_memory_equal(S.row_len, len, sizeof len);
    assert_memory_equal(S.val, expected, sizeof expected);
}

TEST(the_example_in_the_header_of_sellp_holds) {
    double v[] = {'a', 'b', 'c', 'd', 'e', 'f'};
    const spw_csr A = {4, 4, 6, four_ptr, four_col, v};
    static const double expected[] = {'a', 'b', 0, 'c', 0, 'd', 0, 0, 0, 'e', 0, 'f'};
    static const spw_idx expected_ptr[] = {0, 8, 12};
    OWN(spw_sellp) S;
    assert_ok(spw_sellp_from_csr(&A, 2, 2, &S));
    assert_memory_equal(S.slice_ptr, expected_ptr, sizeof expected_ptr);
    assert_memory_equal(S.val, expected, sizeof expected);
}

/* --- every entry, by definition ----------------------------------------------------------------------- */

typedef struct sliced {
    spw_idx C, sigma, multiple, n_slices;
    const spw_idx *ptr, *perm, *row_len,
        *col_idx; /* ptr NULL: one slice; perm NULL: the order of A */
    const double *val;
    int64_t n_stored;
} sliced;

/* Each row once, those of a window longest first and else in their order. */
static void check_perm(const spw_csr *A, const sliced *S) {
    char *const seen = zeroed(A->n_rows, 1);
    for (spw_idx k = 0; k < A->n_rows; k++) {
        const spw_idx i = S->perm[k];
        assert_in_range(i, 0, A->n_rows - 1);
        assert_int_equal(seen[i]++, 0);
        assert_int_equal(i / S->sigma, k / S->sigma);
        if (k % S->sigma == 0) continue;
        assert_true(S->row_len[k] < S->row_len[k - 1] ||
                    (S->row_len[k] == S->row_len[k - 1] && i > S->perm[k - 1]));
    }
}

/* A slice is as long as its longest row, rounded up; rows have A's entries, then zeros in their last column. */
static void check_sliced(const spw_csr *A, const sliced *S) {
    int64_t begin = 0;
    if (S->perm) check_perm(A, S);
    for (int64_t s = 0; s < S->n_slices; s++) {
        int64_t length = 0;
        for (int64_t k = s * S->C; k < (s + 1) * S->C && k < A->n_rows; k++)
            if (S->row_len[k] > length) length = S->row_len[k];
        while (length % S->multiple) length++;
        for (int64_t k = s * S->C; k < (s + 1) * S->C; k++) {
            const bool is_there = k < A->n_rows;
            const int64_t i = is_there && S->perm ? S->perm[k] : k;
            const spw_idx first = is_there ? A->row_ptr[i] : 0,
                          n = is_there ? A->row_ptr[i + 1] - first : 0,
                          last = n ? A->col_idx[first + n - 1] : 0;
            if (is_there) assert_int_equal(S->row_len[k], n);
            for (int64_t j = 0, at = begin + k % S->C; j < length; j++, at += S->C) {
                assert_int_equal(S->col_idx[at], j < n ? A->col_idx[first + j] : last);
                assert_true(S->val[at] == (j < n ? A->val[first + j] : 0));
            }
        }
        if (S->ptr) assert_int_equal(S->ptr[s], begin);
        begin += length * S->C;
    }
    if (S->ptr) assert_int_equal(S->ptr[S->n_slices], begin);
    assert_int_equal(S->n_stored, begin);
}

static void check_ell(const spw_csr *A) {
    OWN(spw_ell) E;
    assert_ok(spw_ell_from_csr(A, &E));
    check_sliced(A, &(sliced){E.n_rows, 1, 1, E.n_rows > 0, NULL, NULL, E.row_len, E.col_idx, E.val,
                              E.n_stored});
    assert_true(E.n_rows == A->n_rows && E.n_cols == A->n_cols && E.nnz == A->nnz);
    assert_int_equal(spw_ell_bytes(&E), 12 * (int64_t)E.n_stored);
}

/* Short offsets and bases are the columns of SELL; all else is the same. */
static void check_short(const spw_csr *A, const spw_sell *S) {
    OWN(spw_sell_short) N;
    assert_ok(spw_sell_short_from_csr(A, S->C, S->sigma, &N));
    assert_int_equal(N.n_chunks, S->n_chunks);
    assert_memory_equal(N.chunk_ptr, S->chunk_ptr, sizeof(spw_idx) * ((size_t)S->n_chunks + 1));
    for (spw_idx k = 0; k < A->n_rows; k++)
        assert_true(N.perm[k] == S->perm[k] && N.row_len[k] == S->row_len[k]);
    for (spw_idx c = 0; c < S->n_chunks; c++)
        for (spw_idx k = S->chunk_ptr[c]; k < S->chunk_ptr[c + 1]; k++) {
            const uint32_t offset = spw_sell_short_offset(&N, c, k - S->chunk_ptr[c]);
            assert_true(N.val[k] == S->val[k]);
            assert_int_equal(N.base[k / S->C] + (int64_t)offset, S->col_idx[k]);
        }
}

static void check_sell(const spw_csr *A, spw_idx C, spw_idx sigma) {
    OWN(spw_sell) S;
    int64_t stored;
    assert_ok(spw_sell_from_csr(A, C, sigma, &S));
    assert_true(S.n_rows == A->n_rows && S.n_cols == A->n_cols && S.nnz == A->nnz);
    check_sliced(A, &(sliced){C, sigma, 1, S.n_chunks, S.chunk_ptr, S.perm, S.row_len, S.col_idx,
                              S.val, S.n_stored});
    assert_ok(spw_csr_sliced_entries(A, C, sigma, 1, &stored));
    assert_int_equal(S.n_stored, stored);
    assert_int_equal(spw_sell_bytes(&S), 12 * stored + 4 * ((int64_t)S.n_chunks + 1 + A->n_rows));
    check_short(A, &S);
}

static void check_sellp(const spw_csr *A, spw_idx b, spw_idx t) {
    OWN(spw_sellp) P;
    int64_t stored;
    assert_ok(spw_sellp_from_csr(A, b, t, &P));
    assert_true(P.n_rows == A->n_rows && P.n_cols == A->n_cols && P.nnz == A->nnz);
    check_sliced(A, &(sliced){b, 1, t, P.n_slices, P.slice_ptr, NULL, P.row_len, P.col_idx, P.val,
                              P.n_stored});
    assert_ok(spw_csr_sliced_entries(A, b, 1, t, &stored));
    assert_int_equal(P.n_stored, stored);
    assert_int_equal(spw_sellp_bytes(&P), 12 * stored + 4 * ((int64_t)P.n_slices + 1));
}

static void check_all(const spw_csr *A) {
    static const spw_idx shapes[][2] = {{1, 1},    {2, 1}, {4, 8},    {32, 1},
                                        {32, 256}, {7, 7}, {64, 6400}};
    check_ell(A);
    check_sellp(A, 8, 4);
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        check_sell(A, shapes[k][0], shapes[k][1]);
        check_sellp(A, shapes[k][0], shapes[k][1] > 8 ? 8 : shapes[k][1]);
    }
}

TEST(every_entry_is_where_the_formats_say) {
    static const char *const names[] = {"stencil27:9x7x5", "fem3:6", "arrow:1000", "powerlaw:3000",
                                        "random:100x50x7"};
    for (int c = 0; c < spw_csr_case_count(); c++) {
        OWN(spw_csr) A = case_of(spw_csr_case_name(c), 4711);
        check_all(&A);
    }
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        OWN(spw_csr) A = generated(names[k]);
        check_all(&A);
    }
}

/* Windows of rows of very different lengths are sorted in another way than those of a mesh. */
TEST(rows_of_any_lengths_are_sorted_longest_first) {
    OWN(spw_csr) A = generated("powerlaw:20000");
    spw_idx longest = 0;
    for (spw_idx i = 0; i < A.n_rows; i++)
        if (longest < A.row_ptr[i + 1] - A.row_ptr[i]) longest = A.row_ptr[i + 1] - A.row_ptr[i];
    assert_true(longest > 1000);
    check_sell(&A, 8, 20000);
}

/* The examples of formats/sell_short.h: one chunk of four rows, two columns. */
static void sell_short_of(const spw_idx *columns, spw_sell_short *S) {
    spw_idx ptr[] = {0, 2, 4, 6, 8}, col[8];
    double v[] = {1, 2, 3, 4, 5, 6, 7, 8};
    for (int k = 0; k < 8; k++) col[k] = columns[k % 2 * 4 + k / 2];
    const spw_csr A = {4, 10000, 8, ptr, col, v};
    assert_ok(spw_sell_short_from_csr(&A, 4, 1, S));
    assert_int_equal(S->base[0], 7000);
    assert_int_equal(S->base[1], 9000);
}

TEST(the_examples_in_the_header_of_sell_short_hold) {
    static const spw_idx run[] = {7000, 7001, 7002, 7003, 9000, 9001, 9002, 9003};
    static const spw_idx shared[] = {7000, 7000, 7003, 7003, 9000, 9000, 9003, 9003};
    static const spw_idx halves[] = {7000, 7001, 7002, 7003, 9000, 9001, 9300, 9003};
    static const uint32_t words[] = {0, 0, 3, 3};
    static const uint16_t offsets[] = {0, 1, 2, 3, 0, 1, 300, 3};
    OWN(spw_sell_short) S;
    sell_short_of(run, &S);
    assert_int_equal(S.kind[0], SPW_OFFSETS_RUN);
    assert_int_equal(S.offset_ptr[1], 0);
    assert_int_equal(spw_sell_short_bytes(&S), 8 * 8 + 2 * 4 + 9 + 8);
    spw_sell_short_destroy(&S);
    sell_short_of(shared, &S);
    assert_int_equal(S.kind[0], SPW_OFFSETS_SHARED);
    assert_memory_equal(S.offset, words, sizeof words);
    spw_sell_short_destroy(&S);
    sell_short_of(halves, &S);
    assert_int_equal(S.kind[0], SPW_OFFSETS_HALVES);
    assert_memory_equal(S.offset, offsets, sizeof offsets);
    assert_int_equal(spw_sell_short_bytes(&S), 8 * 8 + 2 * 8 + 2 * 4 + 9 + 8);
}

/* In a grid the kinds are those that the header promises, and so is the size. */
TEST(meshes_have_runs_and_shared_offsets) {
    static const char *const names[] = {"stencil27:64x6x6", "fem3:40x6x6"};
    static const spw_offsets kinds[] = {SPW_OFFSETS_RUN, SPW_OFFSETS_SHARED};
    for (int k = 0; k < 2; k++) {
        OWN(spw_sell_short) S;
        int most = 0;
        OWN(spw_csr) A = generated(names[k]);
        assert_ok(spw_sell_short_from_csr(&A, 8, 1, &S));
        for (spw_idx c = 0; c < S.n_chunks; c++) most += S.kind[c] == kinds[k];
        assert_true(most > S.n_chunks * 2 / 3);
        assert_true((double)spw_sell_short_bytes(&S) < 9.6 * S.n_stored);
    }
}

TEST(conversions_do_not_depend_on_the_threads) {
    OWN(spw_csr) A = generated("powerlaw:3000");
    OWN(spw_sell) one, S;
    spw_set_threads(1);
    assert_ok(spw_sell_from_csr(&A, 8, 64, &one));
    spw_set_threads(7);
    assert_ok(spw_sell_from_csr(&A, 8, 64, &S));
    assert_int_equal(S.n_stored, one.n_stored);
    assert_memory_equal(S.chunk_ptr, one.chunk_ptr, sizeof(spw_idx) * ((size_t)S.n_chunks + 1));
    assert_memory_equal(S.perm, one.perm, sizeof(spw_idx) * (size_t)S.n_rows);
    assert_memory_equal(S.val, one.val, sizeof(double) * (size_t)S.n_stored);
    assert_memory_equal(S.col_idx, one.col_idx, sizeof(spw_idx) * (size_t)S.n_stored);
}

TEST(bad_arguments_are_refused_with_their_values) {
    spw_sell S;
    spw_sellp P;
    static const spw_sell no_sell;
    static const spw_sellp no_sellp;
    assert_message(spw_sell_from_csr(&slides, 0, 1, &S), SPW_ERR_ARG, "C is 0, must be at least 1");
    assert_memory_equal(&S, &no_sell, sizeof S);
    assert_message(spw_sell_from_csr(&slides, 2, 3, &S), SPW_ERR_ARG,
                   "sigma is 3, must be 1 or a multiple of C = 2");
    assert_memory_equal(&S, &no_sell, sizeof S);
    assert_int_equal(spw_sell_from_csr(&slides, 2, 0, &S), SPW_ERR_ARG);
    assert_int_equal(spw_sellp_from_csr(&slides, 0, 1, &P), SPW_ERR_ARG);
    assert_message(spw_sellp_from_csr(&slides, 1, 0, &P), SPW_ERR_ARG,
                   "SELL-P: b is 1 and t is 0, both must be at least 1");
    assert_memory_equal(&P, &no_sellp, sizeof P);
}

TEST(a_padded_matrix_beyond_32_bits_is_refused_before_it_is_made) {
    enum { N = 65536 };
    OWN(spw_csr) A;
    spw_ell E;
    OWN(spw_sell) S;
    spw_sellp P;
    assert_ok(spw_csr_create(N, N, N, &A));
    for (spw_idx i = 0; i <= N; i++) A.row_ptr[i] = i == 0 ? 0 : N; /* one dense row */
    for (spw_idx k = 0; k < N; k++) A.col_idx[k] = k, A.val[k] = 1;
    assert_message(spw_ell_from_csr(&A, &E), SPW_ERR_RANGE,
                   "ELL: 65536 entries would be 4294967296 with the padding, "
                   "51.5 GB; at most 2147483647 fit");
    assert_message(spw_sell_from_csr(&A, N, 1, &S), SPW_ERR_RANGE,
                   "SELL: 65536 entries would be 4294967296 with the padding, "
                   "51.5 GB; at most 2147483647 fit");
    assert_null(S.chunk_ptr);
    /* Sizes beyond 64 bits, too. */
    assert_int_equal(spw_sellp_from_csr(&A, SPW_IDX_MAX, SPW_IDX_MAX, &P), SPW_ERR_RANGE);
    assert_null(P.slice_ptr);
    assert_ok(spw_sell_from_csr(&A, 1, 1, &S));
    assert_int_equal(S.n_stored, N);
}

/* The message comes before any memory is asked for. */
TEST(ell_of_an_arrow_matrix_says_how_large_it_would_be) {
    static const spw_ell no_ell;
    spw_ell E;
    OWN(spw_csr) A = generated("arrow:100000");
    spw_memory_fail_after(0);
    const spw_status status = spw_ell_from_csr(&A, &E);
    spw_memory_fail_after(-1);
    assert_int_equal(status, SPW_ERR_RANGE);
    assert_string_equal(spw_message(), "ELL: 299998 entries would be 10000000000 with the padding, "
                                       "120.0 GB; at most 2147483647 fit");
    assert_memory_equal(&E, &no_ell, sizeof E);
}

TEST(a_failed_allocation_is_a_status_and_leaves_zero) {
    OWN(spw_ell) E;
    OWN(spw_sell) S;
    OWN(spw_sellp) P;
    OWN(spw_sell_short) N;
    assert_int_equal(FAILURES((SPOIL(E), spw_ell_from_csr(&slides, &E)),
                              !E.val && !E.col_idx && !E.row_len && E.n_stored == 0),
                     3);
    assert_int_equal(FAILURES((SPOIL(S), spw_sell_from_csr(&slides, 2, 4, &S)),
                              !S.val && !S.col_idx && !S.perm && !S.chunk_ptr && S.n_stored == 0),
                     6);
    assert_int_equal(FAILURES((SPOIL(P), spw_sellp_from_csr(&slides, 2, 2, &P)),
                              !P.val && !P.col_idx && !P.slice_ptr && P.n_stored == 0),
                     4);
    assert_int_equal(FAILURES((SPOIL(N), spw_sell_short_from_csr(&slides, 2, 4, &N)),
                              !N.val && !N.kind && !N.base && N.n_stored == 0),
                     10);
}

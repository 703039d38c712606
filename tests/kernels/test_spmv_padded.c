/* kernels/spmv.h on ELL, SELL-C-sigma, SELL-P and SELL-S: references on literals, every kernel of the table
 * on every case of kit/cases.h, several shapes of slices, for 1, 3, 7 and all threads. */
#include "base/random.h"
#include "kernels/expert/slice_pairs.h"
#include "kernels/product.h"

/* 6 x 6, from the tutorial's slides; with x = 1 2 3 4 5 6 all products are exact enough to add
 * up. */
static spw_idx row_ptr[] = {0, 2, 7, 8, 10, 11, 12};
static spw_idx col_idx[] = {0, 1, 0, 1, 3, 4, 5, 2, 0, 3, 4, 5};
static double val[] = {5, 1, 2, 8, 3, 1, 3, 4, 5, 9, 1, 8};
static const spw_csr small = {6, 6, 12, row_ptr, col_idx, val};
static const double small_x[] = {1, 2, 3, 4, 5, 6}, small_y[] = {7, 53, 12, 41, 5, 48};

TEST(references_multiply) {
    double y[6];
    OWN(spw_ell) E;
    OWN(spw_sell) S;
    OWN(spw_sellp) P;
    OWN(spw_sell_short) N;
    assert_ok(spw_ell_from_csr(&small, &E));
    assert_ok(spw_sell_from_csr(&small, 2, 4, &S));
    assert_ok(spw_sellp_from_csr(&small, 4, 2, &P));
    assert_ok(spw_sell_short_from_csr(&small, 2, 4, &N));
#define MULTIPLIES(kernel, matrix)                                                                 \
    memset(y, 0xff, sizeof y);                                                                     \
    kernel(matrix, small_x, y);                                                                    \
    assert_memory_equal(y, small_y, sizeof y)
    MULTIPLIES(spw_spmv_ell_ref, &E);
    MULTIPLIES(spw_spmv_sell_ref, &S);
    MULTIPLIES(spw_spmv_sellp_ref, &P);
    MULTIPLIES(spw_spmv_sell_short_ref, &N);
}

static void ell(const product *p, const spw_csr *A) {
    OWN(spw_ell) E;
    assert_ok(spw_ell_from_csr(A, &E));
    CHECK_PRODUCTS(p, spmv_ell, &E);
}

static void sell(const product *p, const spw_csr *A, spw_idx C, spw_idx sigma) {
    OWN(spw_sell) S;
    assert_ok(spw_sell_from_csr(A, C, sigma, &S));
    CHECK_PRODUCTS(p, spmv_sell, &S);
}

static void sellp(const product *p, const spw_csr *A, spw_idx rows, spw_idx threads) {
    OWN(spw_sellp) P;
    assert_ok(spw_sellp_from_csr(A, rows, threads, &P));
    CHECK_PRODUCTS(p, spmv_sellp, &P);
}

static void sell_short(const product *p, const spw_csr *A, spw_idx C, spw_idx sigma) {
    OWN(spw_sell_short) N;
    assert_ok(spw_sell_short_from_csr(A, C, sigma, &N));
    CHECK_PRODUCTS(p, spmv_sell_short, &N);
}

TEST(all_kernels_agree_with_the_expected_product) {
    static const spw_idx sell_shapes[][2] = {{1, 1},  {3, 9},    {8, 1},  {16, 32},
                                             {32, 1}, {32, 128}, {200, 1}};
    static const spw_idx sell_short_shapes[][2] = {{8, 1}, {16, 32}, {32, 1}, {32, 128}};
    static const spw_idx sellp_shapes[][2] = {{1, 1}, {3, 5}, {8, 4}, {100, 2}};
    for (int c = 0; c < spw_csr_case_count(); c++) {
        OWN(spw_csr) A = case_of(spw_csr_case_name(c), SEED);
        product p = product_of(spw_csr_case_name(c), &A);
        ell(&p, &A);
        for (int k = 0; k < 7; k++) sell(&p, &A, sell_shapes[k][0], sell_shapes[k][1]);
        for (int k = 0; k < 4; k++) sellp(&p, &A, sellp_shapes[k][0], sellp_shapes[k][1]);
        for (int k = 0; k < 4; k++)
            sell_short(&p, &A, sell_short_shapes[k][0], sell_short_shapes[k][1]);
    }
}

/* Large matrices have their y stored past the caches: here small ones have, with y aligned and not, and
 * with rows that are not there. */
TEST(streamed_results_are_the_same) {
    for (int c = 0; c < spw_csr_case_count(); c++)
        for (spw_idx C = 8; C <= 32; C *= 2) {
            OWN(spw_sell) S;
            double *shifted;
            OWN(spw_csr) A = case_of(spw_csr_case_name(c), SEED);
            assert_ok(spw_sell_from_csr(&A, C, 1, &S));
            product p = product_of(spw_csr_case_name(c), &A);
            shifted = zeros(A.n_rows + 1);
            const spw_sliced L = {.n_rows = A.n_rows,
                                  .n_slices = S.n_chunks,
                                  .C = C,
                                  .slice_ptr = S.chunk_ptr,
                                  .index = S.col_idx,
                                  .val = S.val,
                                  .bypass = true};
            spw_set_threads(thread_counts[1]);
            spw_spmv_sell_omp_pairs(&S, p.x, p.first);
            poison(&p);
            assert_true(spw_sliced_multiply(&L, p.x, NULL, p.y).w_y == 0);
            spw_sliced_multiply(&L, p.x, NULL, shifted + 1);
            for (spw_idx i = 0; i < A.n_rows; i++) {
                assert_true(fabs(p.y[i] - p.expected[i]) <= p.tolerance[i]);
                assert_true(p.y[i] == shifted[1 + i]);
            }
            if (A.n_rows > 0) assert_memory_equal(p.y, p.first, sizeof(double) * (size_t)A.n_rows);
        }
}

/* Chunks with offsets of 1, 2 and 4 bytes beside each other, in pairs and alone: rows whose entries are
 * near to each other or far from each other, by turns of 8 to 64 rows. */
TEST(column_indices_of_all_widths_are_multiplied) {
    enum { ROWS = 5000, COLUMNS = 500000, LENGTH = 5 };
    static const spw_idx spread[] = {3, 200, 20000, 100000};
    int seen[5] = {0};
    OWN(spw_csr) A;
    OWN(spw_sell_short) S;
    assert_ok(spw_csr_create(ROWS, COLUMNS, ROWS * LENGTH, &A));
    for (spw_idx i = 0; i <= ROWS; i++) A.row_ptr[i] = i * LENGTH;
    for (spw_idx k = 0; k < A.nnz; k++) {
        const spw_idx i = k / LENGTH, step = spread[i / (i < 2500 ? 8 : 64) % 4];
        A.col_idx[k] = k % LENGTH * step + (spw_idx)spw_random_below(SEED, (uint64_t)k, step);
        A.val[k] = 0.5 + spw_random_double(SEED, (uint64_t)k);
    }
    assert_ok(spw_csr_validate(&A));
    assert_ok(spw_sell_short_from_csr(&A, 8, 1, &S));
    for (spw_idx c = 0; c < S.n_chunks; c++) seen[S.kind[c]]++;
    assert_true(seen[SPW_OFFSETS_BYTES] > 100 && seen[SPW_OFFSETS_HALVES] > 100 &&
                seen[SPW_OFFSETS_WORDS] > 100);

    product p = product_of("all widths", &A);
    sell_short(&p, &A, 8, 1);
    sell_short(&p, &A, 16, 64);
    sell_short(&p, &A, 32, 1);
}

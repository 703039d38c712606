/* formats/sbcsr.h: an example by hand, blocks that are found, bad input, failing allocations. What is stored of
 * other matrices is tested by multiplying with it: test_spmv_sbcsr. */
#include "formats/sbcsr.h"

#include "test.h"

/* Blocks of 2 x 2, in two parts of one block row and of two:
 *     1 2 | . . | 3 5
 *     2 4 | . . | 4 6
 *     --- +-----+----
 *     . . | 7 1 | 8 9
 *     . . | 1 1 | 2 3
 *     --- +     +
 *     3 4 | 8 2 | 4 0
 *     5 6 | 9 3 | 0 5      */
static spw_idx row_ptr[] = {0, 4, 8, 12, 16, 22, 28};
static spw_idx col_idx[] = {0, 1, 4, 5, 0, 1, 4, 5, 2, 3, 4, 5, 2, 3,
                            4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5};
static double val[] = {1, 2, 3, 5, 2, 4, 4, 6, 7, 1, 8, 9, 1, 1,
                       2, 3, 3, 4, 8, 2, 4, 0, 5, 6, 9, 3, 0, 5};
static const spw_csr small = {6, 6, 28, row_ptr, col_idx, val};

TEST(couplings_are_stored_twice_and_all_else_once) {
    static const spw_idx parts[] = {0, 2, 3}, blocks[] = {0, 2, 4, 7},
                         columns[] = {0, 2, 1, 2, 0, 1, 2};
    static const double expected[] = {1, 2, 2, 4, 3, 5, 4, 6, 7, 1, 1, 1, 8, 9, 2, 3, 3, 4,
                                      5, 6, 8, 2, 9, 3, 4, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0};
    static const spw_idx half_blocks[] = {0, 2, 4, 5}, half_columns[] = {0, 2, 1, 2, 2};
    OWN(spw_sbcsr) S;
    assert_ok(spw_sbcsr_from_csr(&small, 2, &S));
    assert_int_equal(S.n_block_rows, 3);
    assert_int_equal(S.n_blocks, 7);
    assert_memory_equal(S.part_ptr, parts, sizeof parts);
    assert_memory_equal(S.block_ptr, blocks, sizeof blocks);
    assert_memory_equal(S.block_col, columns, sizeof columns);
    assert_memory_equal(S.val, expected, sizeof expected);
    assert_int_equal(spw_sbcsr_bytes(&S), 36 * 7 + 4 * 4 + 4 * 3);
    spw_sbcsr_destroy(&S);

    assert_ok(spw_sbcsr_from_csr(&small, 1, &S));
    assert_int_equal(S.n_blocks, 5);
    assert_memory_equal(S.block_ptr, half_blocks, sizeof half_blocks);
    assert_memory_equal(S.block_col, half_columns, sizeof half_columns);
}

/* As the header promises: 4.2 bytes an entry and a few couplings. */
TEST(blocks_of_a_mesh_are_found_and_take_a_third_of_csr) {
    OWN(spw_sbcsr) S;
    OWN(spw_csr) A = generated("fem3:8x8x40");
    assert_ok(spw_sbcsr_from_csr(&A, 1, &S));
    assert_int_equal(S.b, 3);
    /* the diagonal is stored in full */
    assert_int_equal(2 * 9 * (int64_t)S.n_blocks, (int64_t)A.nnz + 3 * (int64_t)A.n_rows);
    spw_sbcsr_destroy(&S);
    assert_ok(spw_sbcsr_from_csr(&A, 2, &S));
    assert_true((double)spw_sbcsr_bytes(&S) < 4.7 * A.nnz);
    spw_csr_destroy(&A);
    A = generated("stencil27:4");
    assert_int_equal(spw_sbcsr_block(&A), 1);
}

static void refused(const spw_csr *A, int n_parts, const char *message) {
    static const spw_sbcsr none;
    spw_sbcsr S;
    memset(&S, 0xff, sizeof S);
    assert_message(spw_sbcsr_from_csr(A, n_parts, &S), SPW_ERR_ARG, message);
    assert_memory_equal(&S, &none, sizeof S);
}

TEST(bad_input_is_refused_with_its_values) {
    OWN(spw_sbcsr) S;
    refused(&small, 0, "SBCSR: n_parts is 0, must be at least 1");
    const spw_csr wide = {6, 7, 28, row_ptr, col_idx, val};
    refused(&wide, 1, "SBCSR: the matrix is 6 x 7, must be symmetric");
    val[4] = nextafter(2, 3);
    refused(&small, 1, "SBCSR: rows and columns 0 to 1 differ, the matrix must be symmetric");
    val[4] = 2;
    val[26] = -0.0;
    refused(&small, 1, "SBCSR: rows and columns 4 to 5 differ, the matrix must be symmetric");
    val[26] = 0;
    /* in whole blocks, but one without its mirror image; then no blocks */
    col_idx[2] = col_idx[6] = 2, col_idx[3] = col_idx[7] = 3;
    refused(&small, 1, "SBCSR: rows and columns 0 to 1 differ, the matrix must be symmetric");
    col_idx[2] = col_idx[6] = 4, col_idx[3] = col_idx[7] = 5;
    col_idx[3] = 3, col_idx[2] = 2;
    assert_int_equal(spw_sbcsr_block(&small), 1);
    refused(&small, 1, "SBCSR: the matrix does not consist of blocks");
    col_idx[2] = 4, col_idx[3] = 5;
    assert_int_equal(spw_sbcsr_block(&small), 2);
    assert_ok(spw_sbcsr_from_csr(&small, 1, &S));
}

TEST(a_failed_allocation_is_a_status_and_leaves_zero) {
    static const spw_sbcsr none;
    OWN(spw_sbcsr) S;
    assert_int_equal(FAILURES((memset(&S, 0, sizeof S), spw_sbcsr_from_csr(&small, 2, &S)),
                              memcmp(&S, &none, sizeof S) == 0),
                     4);
}

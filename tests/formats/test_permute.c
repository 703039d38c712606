/* formats/permute.h: the example, every entry of a rectangle, bad input, failing allocations. */
#include "formats/permute.h"

#include "test.h"

/* Any order: a walk of a fixed step that has no factor in common with n. */
static spw_idx *shuffled(spw_idx n) {
    spw_idx *order, step = n / 3 * 2 + 1;
    for (spw_idx d = 2; d <= n && d <= step; d++)
        if (n % d == 0 && step % d == 0) step++, d = 1;
    assert_ok(SPW_ALLOC(&order, n));
    for (int64_t i = 0; i < n; i++) order[i] = (spw_idx)(i * step % n);
    return order;
}

TEST(the_example_in_the_header_holds) {
    spw_idx ptr[] = {0, 2, 3, 4}, col[] = {0, 1, 2, 0}, order[] = {2, 0, 1};
    double val[] = {5, 1, 4, 7};
    const spw_csr A = {3, 3, 4, ptr, col, val};
    static const spw_idx ptr_B[] = {0, 1, 3, 4}, col_B[] = {1, 1, 2, 0};
    static const double val_B[] = {7, 5, 1, 4};
    OWN(spw_csr) B;
    assert_ok(spw_csr_permute(&A, order, order, &B));
    assert_memory_equal(B.row_ptr, ptr_B, sizeof ptr_B);
    assert_memory_equal(B.col_idx, col_B, sizeof col_B);
    assert_memory_equal(B.val, val_B, sizeof val_B);
}

/* Rows and columns apart, on a rectangle, against a search for each entry. */
TEST(every_entry_is_where_it_should_be) {
    OWN(spw_csr) A = generated("random:70x31x5"), B, C;
    spw_idx *rows = shuffled(70), *columns = shuffled(31);
    assert_ok(spw_csr_permute(&A, rows, columns, &B));
    assert_ok(spw_csr_permute(&A, rows, NULL, &C));
    assert_ok(spw_csr_validate(&B));
    assert_int_equal(B.nnz, A.nnz);
    for (spw_idx i = 0; i < 70; i++)
        for (spw_idx j = 0; j < 31; j++) {
            assert_true(a_ij(&B, i, j) == a_ij(&A, rows[i], columns[j]));
            assert_true(a_ij(&C, i, j) == a_ij(&A, rows[i], j));
        }
    spw_free(rows);
    spw_free(columns);
}

TEST(bad_input_is_refused_with_its_values) {
    static const spw_csr none;
    spw_idx twice[] = {0, 2, 2}, outside[] = {0, 1, 3};
    spw_idx ptr[] = {0, 1, 1, 1}, col[] = {0};
    double val[] = {1};
    const spw_csr A = {3, 3, 1, ptr, col, val};
    spw_csr B;
    assert_message(spw_csr_permute(&A, twice, NULL, &B), SPW_ERR_ARG,
                   "an order of 3: number 2 is 2, which is outside or comes twice");
    assert_memory_equal(&B, &none, sizeof B);
    assert_message(spw_csr_permute(&A, NULL, outside, &B), SPW_ERR_ARG,
                   "an order of 3: number 2 is 3, which is outside or comes twice");
    assert_memory_equal(&B, &none, sizeof B);
}

TEST(a_failed_allocation_is_a_status_and_leaves_zero) {
    OWN(spw_csr) A = generated("tridiag:5"), B;
    spw_idx order[] = {4, 0, 3, 1, 2};
    assert_in_range(FAILURES((SPOIL(B), spw_csr_permute(&A, order, order, &B)),
                             !B.row_ptr && !B.col_idx && !B.val && B.n_rows == 0),
                    6, 30);
}

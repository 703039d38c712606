/* formats/sbcsr.h: an example by hand, there and back on meshes and on symmetric halves of all cases for any
 * block and number of parts, validation, bad input, failing allocations. */
#include "formats/sbcsr.h"

#include "base/memory.h"
#include "base/threads.h"
#include "formats/generate.h"
#include "kit/cases.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* Blocks of 2 x 2, in two parts of one block row and of two:
 *     1 2 | . . | 3 .
 *     2 4 | . . | 5 6
 *     --- +-----+----
 *     . . | 7 . | 8 9
 *     . . | . 1 | 2 3
 *     --- +     +
 *     3 5 | 8 2 | 4 .
 *     . 6 | 9 3 | . 5      */
static spw_idx row_ptr[] = {0, 3, 7, 10, 13, 18, 22};
static spw_idx col_idx[] = {0, 1, 4, 0, 1, 4, 5, 2, 4, 5, 3, 4, 5, 0, 1, 2, 3, 4, 1, 2, 3, 5};
static double val[] = {1, 2, 3, 2, 4, 5, 6, 7, 8, 9, 1, 2, 3, 3, 5, 8, 2, 4, 6, 9, 3, 5};
static const spw_csr small = {6, 6, 22, row_ptr, col_idx, val};

static void assert_same(const spw_csr *A, const spw_csr *B)
{
    assert_int_equal(A->n_rows, B->n_rows);
    assert_int_equal(A->n_cols, B->n_cols);
    assert_int_equal(A->nnz, B->nnz);
    assert_memory_equal(A->row_ptr, B->row_ptr, sizeof(spw_idx) * ((size_t)A->n_rows + 1));
    if (!A->nnz) return;
    assert_memory_equal(A->col_idx, B->col_idx, sizeof(spw_idx) * (size_t)A->nnz);
    assert_memory_equal(A->val, B->val, sizeof(double) * (size_t)A->nnz);
}

static void couplings_are_stored_twice_and_all_else_once(void **state)
{
    (void)state;
    static const spw_idx parts[] = {0, 2, 3}, blocks[] = {0, 2, 4, 7},
                         columns[] = {0, 2, 1, 2, 0, 1, 2};
    static const double expected[] = {1, 2, 2, 4, 3, 0, 5, 6, 7, 0, 0, 1, 8, 9, 2, 3, 3, 5,
                                      0, 6, 8, 2, 9, 3, 4, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0};
    static const spw_idx half_blocks[] = {0, 2, 4, 5}, half_columns[] = {0, 2, 1, 2, 2};
    spw_sbcsr S;
    assert_int_equal(spw_sbcsr_from_csr(&small, 2, 2, &S), SPW_OK);
    assert_int_equal(S.n_block_rows, 3);
    assert_int_equal(S.n_blocks, 7);
    assert_memory_equal(S.part_ptr, parts, sizeof parts);
    assert_memory_equal(S.block_ptr, blocks, sizeof blocks);
    assert_memory_equal(S.block_col, columns, sizeof columns);
    assert_memory_equal(S.val, expected, sizeof expected);
    assert_int_equal(spw_sbcsr_bytes(&S), 36 * 7 + 4 * 4 + 4 * 3);
    spw_sbcsr_destroy(&S);

    assert_int_equal(spw_sbcsr_from_csr(&small, 2, 1, &S), SPW_OK);
    assert_int_equal(S.n_blocks, 5);
    assert_memory_equal(S.block_ptr, half_blocks, sizeof half_blocks);
    assert_memory_equal(S.block_col, half_columns, sizeof half_columns);
    spw_sbcsr_destroy(&S);
}

/* The entries on and below the diagonal and their mirror images; *A is left empty if the case is not square. */
static void symmetric_case(const char *name, spw_csr *A)
{
    spw_csr full;
    spw_coo half;
    *A = (spw_csr){0};
    assert_int_equal(spw_csr_case(name, 4711, &full), SPW_OK);
    if (full.n_rows == full.n_cols) {
        assert_int_equal(spw_coo_create(full.n_rows, full.n_rows, 2 * (int64_t)full.nnz, &half),
                         SPW_OK);
        half.nnz = 0;
        for (spw_idx i = 0; i < full.n_rows; i++)
            for (spw_idx k = full.row_ptr[i]; k < full.row_ptr[i + 1]; k++)
                for (int side = 0; side < (full.col_idx[k] < i ? 2 : full.col_idx[k] == i);
                     side++) {
                    half.row_idx[half.nnz] = side ? full.col_idx[k] : i;
                    half.col_idx[half.nnz] = side ? i : full.col_idx[k];
                    half.val[half.nnz++] = full.val[k] == 0 ? 1 : full.val[k];
                }
        assert_int_equal(spw_csr_from_coo(&half, A), SPW_OK);
        spw_coo_destroy(&half);
    }
    spw_csr_destroy(&full);
}

static void comes_back(const spw_csr *A, spw_idx b, int n_parts)
{
    spw_sbcsr S;
    spw_csr back;
    assert_int_equal(spw_sbcsr_from_csr(A, b, n_parts, &S), SPW_OK);
    assert_int_equal(spw_sbcsr_validate(&S), SPW_OK);
    assert_int_equal(S.n_parts, n_parts);
    assert_int_equal(spw_csr_from_sbcsr(&S, &back), SPW_OK);
    assert_same(A, &back);
    spw_csr_destroy(&back);
    spw_sbcsr_destroy(&S);
}

static void every_symmetric_matrix_comes_back_unchanged(void **state)
{
    (void)state;
    static const char *const meshes[] = {"fem3:5x4x3", "stencil27:4x5x6", "tridiag:24", "arrow:60"};
    static const int parts[] = {1, 2, 3, 7, 100};
    const int before = spw_max_threads();
    spw_csr A;
    for (int m = 0; m < spw_csr_case_count() + 4; m++) {
        if (m < 4)
            assert_int_equal(spw_csr_generate(meshes[m], &A), SPW_OK);
        else
            symmetric_case(spw_csr_case_name(m - 4), &A);
        spw_set_threads(1 + m % 3);
        if (A.row_ptr)
            for (int p = 0; p < 5; p++)
                for (spw_idx b = 0; b <= SPW_SBCSR_BLOCK_MAX; b++)
                    if (b == 0 || A.n_rows % b == 0) comes_back(&A, b, parts[p]);
        spw_csr_destroy(&A);
    }
    spw_set_threads(before);
}

/* As the header promises: 4.2 bytes an entry and a few couplings. */
static void blocks_of_a_mesh_are_found_and_take_a_third_of_csr(void **state)
{
    (void)state;
    spw_csr A;
    spw_sbcsr S;
    assert_int_equal(spw_csr_generate("fem3:8x8x40", &A), SPW_OK);
    assert_int_equal(spw_sbcsr_from_csr(&A, 0, 1, &S), SPW_OK);
    assert_int_equal(S.b, 3);
    /* the diagonal is stored in full */
    assert_int_equal(2 * 9 * (int64_t)S.n_blocks, (int64_t)A.nnz + 3 * (int64_t)A.n_rows);
    spw_sbcsr_destroy(&S);
    assert_int_equal(spw_sbcsr_from_csr(&A, 0, 2, &S), SPW_OK);
    assert_true((double)spw_sbcsr_bytes(&S) < 4.7 * A.nnz);
    spw_sbcsr_destroy(&S);
    spw_csr_destroy(&A);
    assert_int_equal(spw_csr_generate("stencil27:4", &A), SPW_OK);
    assert_int_equal(spw_sbcsr_from_csr(&A, 0, 1, &S), SPW_OK);
    assert_int_equal(S.b, 1);
    spw_sbcsr_destroy(&S);
    spw_csr_destroy(&A);
}

static void validate_finds_what_is_broken(void **state)
{
    (void)state;
    spw_sbcsr S;
    assert_int_equal(spw_sbcsr_from_csr(&small, 2, 2, &S), SPW_OK);
    spw_idx *const places[] = {&S.part_ptr[1],
                               &S.part_ptr[2],
                               &S.block_ptr[1],
                               &S.block_ptr[3],
                               &S.block_col[1],
                               &S.block_col[1],
                               &S.block_col[3],
                               &S.block_col[6],
                               &S.n_block_rows,
                               &S.n_parts,
                               &S.b};
    static const spw_idx wrong[] = {9, 2, 5, 6, 0, 3, 0, 1, 2, 0, 4};
    for (int k = 0; k < 11; k++) {
        const spw_idx right = *places[k];
        *places[k] = wrong[k];
        if (spw_sbcsr_validate(&S) != SPW_ERR_ARG) fail_msg("mistake %d was not found", k);
        *places[k] = right;
        assert_int_equal(spw_sbcsr_validate(&S), SPW_OK);
    }
    S.val[4 * 7 + 3] = NAN;
    assert_int_equal(spw_sbcsr_validate(&S), SPW_ERR_ARG);
    assert_string_equal(spw_message(), "SBCSR: spare double 3 is nan, must be 0");
    S.val[4 * 7 + 3] = 0;
    /* the mirror image of (0, 1) within one part */
    S.part_ptr[1] = 0;
    assert_int_equal(spw_sbcsr_validate(&S), SPW_ERR_ARG);
    spw_sbcsr_destroy(&S);
}

static void refused(const spw_csr *A, spw_idx b, int n_parts, const char *message)
{
    static const spw_sbcsr none;
    spw_sbcsr S;
    memset(&S, 0xff, sizeof S);
    assert_int_equal(spw_sbcsr_from_csr(A, b, n_parts, &S), SPW_ERR_ARG);
    assert_string_equal(spw_message(), message);
    assert_memory_equal(&S, &none, sizeof S);
}

static void bad_input_is_refused_with_its_values(void **state)
{
    (void)state;
    refused(&small, 4, 1, "SBCSR: b is 4, must be 1 to 8 and divide the number of rows, 6; or 0");
    refused(&small, -1, 1, "SBCSR: b is -1, must be 1 to 8 and divide the number of rows, 6; or 0");
    refused(&small, 9, 1, "SBCSR: b is 9, must be 1 to 8 and divide the number of rows, 6; or 0");
    refused(&small, 2, 0, "SBCSR: n_parts is 0, must be at least 1");
    const spw_csr wide = {6, 7, 22, row_ptr, col_idx, val};
    refused(&wide, 2, 1, "SBCSR: the matrix is 6 x 7, must be symmetric");
    val[3] = nextafter(2, 3);
    refused(&small, 2, 1,
            "SBCSR: the entry (0, 1) is 2 and (1, 0) is 2.0000000000000004, must be symmetric");
    val[3] = 2;
    col_idx[2] = 5;
    refused(&small, 2, 1,
            "SBCSR: the matrix has an entry (0, 5) but none at (5, 0), must be symmetric");
    col_idx[2] = 4;
    comes_back(&small, 2, 1);
}

static void a_failed_allocation_is_a_status_and_leaves_zero(void **state)
{
    (void)state;
    static const spw_sbcsr none;
    static const spw_csr no_csr;
    for (int n = 0; n < 6; n++) {
        spw_sbcsr S;
        spw_csr A;
        spw_memory_fail_after(n);
        const spw_status status = spw_sbcsr_from_csr(&small, 2, 2, &S);
        spw_memory_fail_after(-1);
        assert_int_equal(status, n < 4 ? SPW_ERR_MEMORY : SPW_OK);
        if (status) {
            assert_memory_equal(&S, &none, sizeof S);
            continue;
        }
        for (int m = 0; m < 5; m++) {
            spw_memory_fail_after(m);
            const spw_status back = spw_csr_from_sbcsr(&S, &A);
            spw_memory_fail_after(-1);
            assert_int_equal(back, m < 4 ? SPW_ERR_MEMORY : SPW_OK);
            if (back) assert_memory_equal(&A, &no_csr, sizeof A);
            spw_csr_destroy(&A);
        }
        spw_sbcsr_destroy(&S);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(couplings_are_stored_twice_and_all_else_once),
        cmocka_unit_test(every_symmetric_matrix_comes_back_unchanged),
        cmocka_unit_test(blocks_of_a_mesh_are_found_and_take_a_third_of_csr),
        cmocka_unit_test(validate_finds_what_is_broken),
        cmocka_unit_test(bad_input_is_refused_with_its_values),
        cmocka_unit_test(a_failed_allocation_is_a_status_and_leaves_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* formats/permute.h: the example, orders that are orders, bandwidths against what is known or was random,
 * graphs in parts and of one direction, bad input, failing allocations. */
#include "formats/permute.h"

#include "base/memory.h"
#include "base/threads.h"
#include "formats/generate.h"
#include "formats/info.h"
#include "kit/cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* Counted apart from the library: entry by entry. */
static spw_idx bandwidth(const spw_csr *A)
{
    spw_idx most = 0;
    for (spw_idx i = 0; i < A->n_rows; i++)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) {
            const spw_idx off = A->col_idx[k] > i ? A->col_idx[k] - i : i - A->col_idx[k];
            if (off > most) most = off;
        }
    return most;
}

/* Any order: a walk of a fixed step that has no factor in common with n. */
static spw_idx *shuffled(spw_idx n)
{
    spw_idx *order, step = n / 3 * 2 + 1;
    for (spw_idx d = 2; d <= n && d <= step; d++)
        if (n % d == 0 && step % d == 0) step++, d = 1;
    assert_int_equal(SPW_ALLOC(&order, n), SPW_OK);
    for (int64_t i = 0; i < n; i++) order[i] = (spw_idx)(i * step % n);
    return order;
}

static void assert_order(const spw_idx *order, spw_idx n)
{
    char *seen;
    assert_int_equal(SPW_ALLOC_ZERO(&seen, n), SPW_OK);
    for (spw_idx i = 0; i < n; i++) {
        assert_in_range(order[i], 0, n - 1);
        assert_false(seen[order[i]]++);
    }
    spw_free(seen);
}

static double entry(const spw_csr *A, spw_idx i, spw_idx j)
{
    for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
        if (A->col_idx[k] == j) return A->val[k];
    return 0;
}

static void the_example_in_the_header_holds(void **state)
{
    (void)state;
    spw_idx ptr[] = {0, 2, 3, 4}, col[] = {0, 1, 2, 0}, order[] = {2, 0, 1}, inverse[3];
    double val[] = {5, 1, 4, 7}, x[] = {10, 20, 30}, y[3], z[3];
    const spw_csr A = {3, 3, 4, ptr, col, val};
    static const spw_idx ptr_B[] = {0, 1, 3, 4}, col_B[] = {1, 1, 2, 0};
    static const double val_B[] = {7, 5, 1, 4};
    spw_csr B;
    assert_int_equal(spw_csr_permute(&A, order, order, &B), SPW_OK);
    assert_memory_equal(B.row_ptr, ptr_B, sizeof ptr_B);
    assert_memory_equal(B.col_idx, col_B, sizeof col_B);
    assert_memory_equal(B.val, val_B, sizeof val_B);
    spw_csr_destroy(&B);
    assert_int_equal(spw_order_invert(3, order, inverse), SPW_OK);
    assert_true(inverse[0] == 1 && inverse[1] == 2 && inverse[2] == 0);
    spw_permute(3, order, x, y);
    assert_true(y[0] == 30 && y[1] == 10 && y[2] == 20);
    spw_permute_back(3, order, y, z);
    assert_memory_equal(x, z, sizeof x);
}

/* Rows and columns apart, on a rectangle, against a search for each entry. */
static void every_entry_is_where_it_should_be(void **state)
{
    (void)state;
    spw_csr A, B, C;
    assert_int_equal(spw_csr_generate("random:70x31x5", &A), SPW_OK);
    spw_idx *rows = shuffled(70), *columns = shuffled(31);
    assert_int_equal(spw_csr_permute(&A, rows, columns, &B), SPW_OK);
    assert_int_equal(spw_csr_permute(&A, rows, NULL, &C), SPW_OK);
    assert_int_equal(spw_csr_validate(&B), SPW_OK);
    assert_int_equal(B.nnz, A.nnz);
    for (spw_idx i = 0; i < 70; i++)
        for (spw_idx j = 0; j < 31; j++) {
            assert_true(entry(&B, i, j) == entry(&A, rows[i], columns[j]));
            assert_true(entry(&C, i, j) == entry(&A, rows[i], j));
        }
    spw_free(rows);
    spw_free(columns);
    spw_csr_destroy(&A);
    spw_csr_destroy(&B);
    spw_csr_destroy(&C);
}

/* A is shuffled; RCM must bring its bandwidth down to `most`. */
static void check_bandwidth(const char *name, spw_idx most)
{
    spw_csr A, S, B;
    spw_idx *order;
    assert_int_equal(spw_csr_generate(name, &A), SPW_OK);
    spw_idx *shuffle = shuffled(A.n_rows);
    assert_int_equal(spw_csr_permute(&A, shuffle, shuffle, &S), SPW_OK);
    assert_int_equal(spw_csr_rcm(&S, &order), SPW_OK);
    assert_order(order, A.n_rows);
    assert_int_equal(spw_csr_permute(&S, order, order, &B), SPW_OK);
    if (bandwidth(&B) > most || bandwidth(&S) <= 2 * most)
        fail_msg("%s: bandwidth %d, shuffled %d, ordered %d, at most %d expected", name,
                 bandwidth(&A), bandwidth(&S), bandwidth(&B), most);
    spw_csr_info info;
    assert_int_equal(spw_csr_inspect(&B, &info), SPW_OK);
    assert_true(info.symmetric);
    spw_free(shuffle);
    spw_free(order);
    spw_csr_destroy(&A);
    spw_csr_destroy(&S);
    spw_csr_destroy(&B);
}

static void bandwidth_comes_down(void **state)
{
    (void)state;
    check_bandwidth("tridiag:1000", 1);      /* a path: no order is better */
    check_bandwidth("laplace2d:60x20", 21);  /* the best possible is 20 */
    check_bandwidth("laplace3d:9x9x20", 90); /* levels are no larger than a diagonal cut */
    check_bandwidth("fem3:6x6x15",
                    330); /* the largest level, the shell of 6^3 nodes, is 273 rows */
}

static void orders_are_orders_on_all_square_cases(void **state)
{
    (void)state;
    for (int c = 0; c < spw_csr_case_count(); c++) {
        spw_csr A;
        spw_idx *order;
        assert_int_equal(spw_csr_case(spw_csr_case_name(c), 4711, &A), SPW_OK);
        const spw_status status = spw_csr_rcm(&A, &order);
        if (A.n_rows == A.n_cols) {
            assert_int_equal(status, SPW_OK);
            assert_order(order, A.n_rows);
        } else {
            assert_int_equal(status, SPW_ERR_ARG);
            assert_null(order);
        }
        spw_free(order);
        spw_csr_destroy(&A);
    }
}

/* Three paths whose vertices stand in turns, 0 3 6 ..., 1 4 7 ..., and a vertex alone: each path comes
 * as one piece. Only one direction of each edge is there: the pattern is not symmetric. */
static void parts_come_one_after_the_other(void **state)
{
    (void)state;
    enum { N = 31, PATHS = 3 };
    spw_idx ptr[N + 1], col[N];
    double val[N];
    spw_csr A = {N, N, 0, ptr, col, val}, B;
    for (spw_idx i = 0; i < N; i++) {
        ptr[i] = A.nnz;
        if (i + PATHS < N - 1) col[A.nnz] = i + PATHS, val[A.nnz++] = i + 1;
    }
    ptr[N] = A.nnz;
    spw_idx *order;
    assert_int_equal(spw_csr_rcm(&A, &order), SPW_OK);
    assert_order(order, N);
    assert_int_equal(spw_csr_permute(&A, order, order, &B), SPW_OK);
    assert_int_equal(bandwidth(&A), PATHS);
    assert_int_equal(bandwidth(&B), 1);
    assert_int_equal(B.nnz, A.nnz);
    spw_free(order);
    spw_csr_destroy(&B);
}

static void the_order_does_not_depend_on_the_threads(void **state)
{
    (void)state;
    spw_csr A;
    spw_idx *one, *seven;
    const int threads = spw_max_threads();
    assert_int_equal(spw_csr_generate("powerlaw:2000", &A), SPW_OK);
    spw_set_threads(1);
    assert_int_equal(spw_csr_rcm(&A, &one), SPW_OK);
    spw_set_threads(7);
    assert_int_equal(spw_csr_rcm(&A, &seven), SPW_OK);
    spw_set_threads(threads);
    assert_memory_equal(one, seven, sizeof(spw_idx) * 2000);
    spw_free(one);
    spw_free(seven);
    spw_csr_destroy(&A);
}

static void bad_input_is_refused_with_its_values(void **state)
{
    (void)state;
    static const spw_csr none;
    spw_idx twice[] = {0, 2, 2}, outside[] = {0, 1, 3};
    spw_idx ptr[] = {0, 1, 1, 1}, col[] = {0}, *order;
    double val[] = {1};
    const spw_csr A = {3, 3, 1, ptr, col, val}, wide = {3, 4, 1, ptr, col, val};
    spw_csr B;
    assert_int_equal(spw_csr_permute(&A, twice, NULL, &B), SPW_ERR_ARG);
    assert_string_equal(spw_message(),
                        "an order of 3: number 2 is 2, which is outside or comes twice");
    assert_memory_equal(&B, &none, sizeof B);
    assert_int_equal(spw_csr_permute(&A, NULL, outside, &B), SPW_ERR_ARG);
    assert_string_equal(spw_message(),
                        "an order of 3: number 2 is 3, which is outside or comes twice");
    assert_memory_equal(&B, &none, sizeof B);
    assert_int_equal(spw_csr_rcm(&wide, &order), SPW_ERR_ARG);
    assert_string_equal(spw_message(),
                        "reverse Cuthill-McKee: the matrix is 3 x 4, must be square");
}

static void a_failed_allocation_is_a_status_and_leaves_zero(void **state)
{
    (void)state;
    static const spw_csr none;
    spw_csr A;
    int failed = 0;
    assert_int_equal(spw_csr_generate("tridiag:5", &A), SPW_OK);
    for (int n = 0; n < 40; n++) {
        spw_csr B;
        spw_idx *order;
        spw_memory_fail_after(n);
        const spw_status status = spw_csr_rcm(&A, &order);
        spw_memory_fail_after(-1);
        if (status) {
            assert_int_equal(status, SPW_ERR_MEMORY);
            assert_null(order);
            failed++;
            continue;
        }
        assert_order(order, 5);
        spw_memory_fail_after(n - failed);
        if (spw_csr_permute(&A, order, order, &B)) assert_memory_equal(&B, &none, sizeof B);
        spw_memory_fail_after(-1);
        spw_csr_destroy(&B);
        spw_free(order);
    }
    assert_in_range(failed, 6, 30);
    spw_csr_destroy(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_in_the_header_holds),
        cmocka_unit_test(every_entry_is_where_it_should_be),
        cmocka_unit_test(bandwidth_comes_down),
        cmocka_unit_test(orders_are_orders_on_all_square_cases),
        cmocka_unit_test(parts_come_one_after_the_other),
        cmocka_unit_test(the_order_does_not_depend_on_the_threads),
        cmocka_unit_test(bad_input_is_refused_with_its_values),
        cmocka_unit_test(a_failed_allocation_is_a_status_and_leaves_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

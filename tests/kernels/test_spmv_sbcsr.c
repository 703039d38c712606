/* kernels/spmv.h and spmv_with_dots.h on SBCSR: the reference on a literal; every kernel of the table on meshes and on
 * random symmetric matrices, for every block and several numbers of parts, with the same bits for 1, 3, 7 and all threads. */
#include "base/random.h"
#include "kernels/product.h"

/*     2 1 . 3
 *     1 4 3 .      times 1 2 3 4 is 16 18 45 49
 *     . 3 5 6
 *     3 . 6 7      in blocks of 2 */
TEST(reference_multiplies) {
    static spw_idx row_ptr[] = {0, 4, 8, 12, 16},
                   col_idx[] = {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3};
    static double val[] = {2, 1, 0, 3, 1, 4, 3, 0, 0, 3, 5, 6, 3, 0, 6, 7};
    static const double x[] = {1, 2, 3, 4}, expected[] = {16, 18, 45, 49};
    const spw_csr A = {4, 4, 16, row_ptr, col_idx, val};
    for (int parts = 1; parts <= 4; parts++) {
        double y[4] = {NAN, NAN, NAN, NAN};
        OWN(spw_sbcsr) S;
        assert_ok(spw_sbcsr_from_csr(&A, parts, &S));
        spw_spmv_sbcsr_ref(&S, x, y);
        assert_memory_equal(y, expected, sizeof y);
    }
}

static void all_shapes(const char *name, const spw_csr *A) {
    static const int parts[] = {1, 2, 5, 64};
    const product p = product_of(name, A);
    for (int k = 0; k < 4; k++) {
        OWN(spw_sbcsr) S;
        assert_ok(spw_sbcsr_from_csr(A, parts[k], &S));
        CHECK_PRODUCTS(&p, spmv_sbcsr, &S);
        CHECK_WITH_DOTS(&p, spmv_with_dots_sbcsr, &S);
    }
}

/* Each entry a of A becomes a block of b x b, a (1 + 1 / (1 + r c)): symmetric where A is. And it is multiplied. */
static void in_blocks_of_any_size(const char *name, const spw_csr *A) {
    for (spw_idx b = 2; b <= SPW_SBCSR_BLOCK_MAX; b++) {
        OWN(spw_csr) B;
        assert_ok(spw_csr_create((int64_t)b * A->n_rows, (int64_t)b * A->n_rows,
                                 (int64_t)b * b * A->nnz, &B));
        spw_idx to = 0;
        for (spw_idx i = 0; i < B.n_rows; i++) {
            B.row_ptr[i] = to;
            for (spw_idx k = A->row_ptr[i / b]; k < A->row_ptr[i / b + 1]; k++)
                for (spw_idx c = 0; c < b; c++, to++) {
                    B.col_idx[to] = A->col_idx[k] * b + c;
                    B.val[to] = A->val[k] * (1 + 1.0 / (1 + c * (i % b)));
                }
        }
        B.row_ptr[B.n_rows] = to;
        assert_int_equal(spw_sbcsr_block(&B), b);
        all_shapes(name, &B);
    }
}

TEST(meshes_are_multiplied) {
    static const char *const names[] = {"fem3:4x4x6", "stencil27:5x4x6", "tridiag:140",
                                        "arrow:120"};
    for (int k = 0; k < 4; k++) {
        OWN(spw_csr) A = generated(names[k]);
        if (k == 0)
            all_shapes(names[k], &A);
        else
            in_blocks_of_any_size(names[k], &A);
    }
}

/* Entries anywhere; every third row has none, so that whole block rows are empty. */
TEST(random_symmetric_matrices_are_multiplied) {
    enum { N = 210, PAIRS = 500 };
    OWN(spw_coo) C;
    OWN(spw_csr) A;
    assert_ok(spw_coo_create(N, N, 2 * PAIRS, &C));
    for (spw_idx k = 0; k < PAIRS; k++) {
        const spw_idx i = spw_random_below(SEED, 2 * (uint64_t)k, N / 3) * 3;
        const spw_idx j = spw_random_below(SEED, 2 * (uint64_t)k + 1, N / 3) * 3 + 1;
        C.row_idx[2 * k] = C.col_idx[2 * k + 1] = i;
        C.col_idx[2 * k] = C.row_idx[2 * k + 1] = j;
        C.val[2 * k] = C.val[2 * k + 1] = 0.5 + spw_random_double(SEED, (uint64_t)k);
    }
    assert_ok(spw_csr_from_coo(&C, &A));
    in_blocks_of_any_size("random", &A);
}

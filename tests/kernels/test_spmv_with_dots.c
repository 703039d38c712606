/* kernels/spmv_with_dots.h: a literal, every kernel of the table on every square case of kit/cases.h, several
 * C, for 1, 3, 7 and all threads. */
#include "kernels/product.h"

/* y = 7 12 7, w . y = 3 * 7 + 2 * 12 + 1 * 7 and y . y = 49 + 144 + 49. */
TEST(a_literal_product) {
    spw_idx row_ptr[] = {0, 2, 3, 4}, col_idx[] = {0, 1, 2, 0};
    double val[] = {5, 1, 4, 7}, x[] = {1, 2, 3}, w[] = {3, 2, 1}, y[] = {NAN, NAN, NAN}, w_y, y_y;
    const spw_csr A = {3, 3, 4, row_ptr, col_idx, val};
    OWN(spw_sell_short) S;
    spw_spmv_with_dots_csr_ref(&A, x, w, y, &w_y, &y_y);
    assert_true(y[0] == 7 && y[1] == 12 && y[2] == 7 && w_y == 52 && y_y == 242);
    assert_ok(spw_sell_short_from_csr(&A, 2, 4, &S));
    memset(y, 0xff, sizeof y);
    spw_spmv_with_dots_sell_short_ref(&S, x, w, y, &w_y, &y_y);
    assert_true(y[0] == 7 && y[1] == 12 && y[2] == 7 && w_y == 52 && y_y == 242);
    assert_true(spw_spmv_with_dot_csr_omp(&A, x, y) == 52);
}

TEST(kernels_agree_with_the_expected_product) {
    static const spw_idx shapes[][2] = {{8, 1}, {16, 64}, {32, 1}};
    for (int c = 0; c < spw_csr_case_count(); c++) {
        const char *name = spw_csr_case_name(c);
        OWN(spw_csr) A = case_of(name, SEED);
        if (A.n_rows == A.n_cols) { /* else there is no w . y */
            const product p = product_of(name, &A);
            CHECK_WITH_DOTS(&p, spmv_with_dots_csr, &A);
            for (int k = 0; k < 3; k++) {
                OWN(spw_sell_short) S;
                assert_ok(spw_sell_short_from_csr(&A, shapes[k][0], shapes[k][1], &S));
                CHECK_WITH_DOTS(&p, spmv_with_dots_sell_short, &S);
            }
        }
    }
}

/* y is that of the product alone, to the bit. */
TEST(y_has_the_bits_of_the_product_alone) {
    OWN(spw_sell_short) S;
    double unused[2];
    OWN(spw_csr) A = case_of("stencil27", SEED);
    assert_ok(spw_sell_short_from_csr(&A, 8, 32, &S));
    product p = product_of("stencil27", &A);
    spw_spmv_csr_omp_balanced(&A, p.x, p.y);
    spw_spmv_with_dots_csr_omp(&A, p.x, p.w, p.first, &unused[0], &unused[1]);
    assert_memory_equal(p.y, p.first, sizeof(double) * (size_t)A.n_rows);
    spw_spmv_sell_short_omp(&S, p.x, p.y);
    spw_spmv_with_dots_sell_short_omp(&S, p.x, p.w, p.first, &unused[0], &unused[1]);
    assert_memory_equal(p.y, p.first, sizeof(double) * (size_t)A.n_rows);
}

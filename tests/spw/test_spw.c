/* The umbrella: its example compiles with nothing else included, and is right. */
#include "spw.h"

#include "test.h"

TEST(the_example_of_the_header_is_right) {
    OWN(spw_csr) A;
    assert_ok(spw_csr_load("stencil27:6", &A));
    assert_int_equal(A.n_rows, 216);
    double *x, *y;
    assert_ok(SPW_ALLOC(&x, A.n_cols));
    assert_ok(SPW_ALLOC(&y, A.n_rows));
    for (spw_idx j = 0; j < A.n_cols; j++) x[j] = 1;
    spw_spmv_csr_omp(&A, x, y);
    /* 26 on the diagonal, -1 for each neighbour: a corner has 7, a point inside 26 */
    assert_true(y[0] == 26 - 7);
    assert_true(y[(2 * 6 + 2) * 6 + 2] == 0);
    spw_free(x);
    spw_free(y);
}

/* kernels/dense.h: the references on a literal, every other kernel of the table within the rounding
 * bound, for shapes around every unrolling and for 1, 3, 7 and all threads. */
#include "kernels/dense.h"

#include "kernels/blas.h"
#include "kernels/kernels.h"
#include "kit/cases.h"
#include "test.h"

TEST(reference_multiplies_row_by_row) {
    const double A[] = {1, 2, 3, 4, 5, 6}, x[] = {1, 10, 100};
    double y[] = {NAN, NAN};
    spw_dgemv_ref(2, 3, A, x, y);
    assert_true(y[0] == 321 && y[1] == 654);
}

TEST(reference_multiplies_matrices) {
    /* The numbers behind the rows are not touched. */
    const double A[] = {1, 2, 3, -1, 4, 5, 6, -1}, B[] = {1, 10, -1, 100, 1, -1, 0, 1, -1};
    double C[] = {7, 7, 7, 7, 7, 7};
    spw_dgemm_ref(2, 2, 3, A, 4, B, 3, C, 3);
    assert_true(C[0] == 201 && C[1] == 15 && C[2] == 7);
    assert_true(C[3] == 504 && C[4] == 51 && C[5] == 7);
}

static void check(const spw_kernel *v, int64_t m, int64_t n, int threads) {
    double *A = zeros(m * n + 1), *x = zeros(n), *y = zeros(m + 1);
    double *shifted = A + 1; /* rows of any alignment, also the first */
    spw_case_vector(1, m * n, shifted);
    spw_case_vector(2, n, x);
    for (int64_t i = 0; i <= m; i++) y[i] = NAN;

    spw_set_threads(threads);
    ((spw_dgemv_fn *)v->function)(m, n, shifted, x, y);
    for (int64_t i = 0; i < m; i++) {
        double tolerance;
        const double expected = spw_dot_expected(n, shifted + i * n, x, &tolerance);
        if (!(fabs(y[i] - expected) <= tolerance))
            fail_msg("%s, %d x %d, %d threads: y[%d] is %.17g, not %.17g", v->symbol, (int)m,
                     (int)n, threads, (int)i, y[i], expected);
    }
    assert_true(isnan(y[m]));
}

TEST(kernels_are_within_the_rounding_bound) {
    static const int64_t shapes[][2] = {{0, 0}, {0, 3},   {3, 0},   {1, 1},    {1, 1000}, {1000, 1},
                                        {4, 8}, {5, 7},   {7, 9},   {13, 64},  {64, 13},  {31, 31},
                                        {3, 5}, {97, 53}, {53, 97}, {211, 15}, {15, 211}, {29, 17}};
    for (const spw_kernel *v = spw_kernels("dgemv"); v->symbol; v++)
        for (int t = 0; t < 4; t++)
            for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
                check(v, shapes[s][0], shapes[s][1], thread_counts[t]);
}

/* m x k times k x n; rows lie `gap` further apart than they must. */
static void check_product(const char *name, spw_dgemm_fn dgemm, int64_t m, int64_t n, int64_t k,
                          int64_t gap, int threads) {
    const int64_t lda = k + gap, ldb = n + 2 * gap, ldc = n + 3 * gap;
    double *A = zeros(m * lda), *B = zeros(k * ldb), *C = zeros(m * ldc + 1), *column = zeros(k);
    spw_case_vector(3, m * lda, A);
    spw_case_vector(4, k * ldb, B);
    for (int64_t i = 0; i <= m * ldc; i++) C[i] = NAN;

    spw_set_threads(threads);
    dgemm(m, n, k, A, lda > 0 ? lda : 1, B, ldb > 0 ? ldb : 1, C, ldc > 0 ? ldc : 1);
    for (int64_t j = 0; j < n; j++) {
        for (int64_t p = 0; p < k; p++) column[p] = B[p * ldb + j];
        for (int64_t i = 0; i < m; i++) {
            double tolerance;
            const double expected = spw_dot_expected(k, A + i * lda, column, &tolerance);
            if (!(fabs(C[i * ldc + j] - expected) <= tolerance))
                fail_msg("%s, %d x %d x %d, %d threads: C[%d][%d] is %.17g, not %.17g", name,
                         (int)m, (int)n, (int)k, threads, (int)i, (int)j, C[i * ldc + j], expected);
        }
    }
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = n; j < ldc; j++) assert_true(isnan(C[i * ldc + j]));
    assert_true(isnan(C[m * ldc]));
}

/* Around the edges of tiles (4 or 8 x 6 to 24), panels (256) and strips (192). */
static const int64_t products[][3] = {
    {0, 0, 0}, {0, 5, 3}, {5, 0, 3},   {5, 3, 0},    {1, 1, 1},  {1, 30, 7},  {30, 1, 7},
    {3, 5, 1}, {8, 8, 8}, {16, 24, 9}, {17, 25, 33}, {9, 49, 2}, {193, 7, 5}, {23, 29, 257}};
enum { N_PRODUCTS = sizeof products / sizeof *products };

TEST(products_are_within_the_rounding_bound) {
    for (const spw_kernel *v = spw_kernels("dgemm"); v->symbol; v++)
        for (int t = 0; t < 4; t++)
            for (int s = 0; s < N_PRODUCTS; s++)
                check_product(v->symbol, (spw_dgemm_fn *)v->function, products[s][0],
                              products[s][1], products[s][2], s % 3, thread_counts[t]);
}

TEST(the_installed_blas_computes_the_same) {
    if (!spw_blas_name()) skip();
    for (int s = 0; s < N_PRODUCTS; s++)
        check_product(spw_blas_name(), spw_blas_dgemm, products[s][0], products[s][1],
                      products[s][2], s % 3, 2);
}

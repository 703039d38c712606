/* kernels/dense.h: the reference on a literal, every other kernel of the table within the rounding
 * bound, for shapes around every unrolling and for 1, 3, 7 and all threads. */
#include "kernels/dense.h"

#include "base/memory.h"
#include "base/threads.h"
#include "kernels/variants.h"
#include "task/cases.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static int thread_counts[] = {1, 3, 7, 0}; /* the last: all, set by main */

static void reference_multiplies_row_by_row(void **state)
{
    (void)state;
    const double A[] = {1, 2, 3, 4, 5, 6}, x[] = {1, 10, 100};
    double y[] = {NAN, NAN};
    spw_dgemv_ref(2, 3, A, x, y);
    assert_true(y[0] == 321 && y[1] == 654);
}

static void check(const spw_variant *v, int64_t m, int64_t n, int threads)
{
    double *A, *x, *y;
    assert_int_equal(SPW_ALLOC(&A, m * n + 1), SPW_OK);
    assert_int_equal(SPW_ALLOC(&x, n), SPW_OK);
    assert_int_equal(SPW_ALLOC(&y, m + 1), SPW_OK);
    double *shifted = A + 1; /* rows of any alignment, also the first */
    spw_case_vector(1, m * n, shifted);
    spw_case_vector(2, n, x);
    for (int64_t i = 0; i <= m; i++) y[i] = NAN;

    spw_set_threads(threads);
    v->run.dgemv(m, n, shifted, x, y);
    for (int64_t i = 0; i < m; i++) {
        double tolerance;
        const double expected = spw_dot_expected(n, shifted + i * n, x, &tolerance);
        if (!(fabs(y[i] - expected) <= tolerance))
            fail_msg("%s, %d x %d, %d threads: y[%d] is %.17g, not %.17g", v->symbol, (int)m,
                     (int)n, threads, (int)i, y[i], expected);
    }
    assert_true(isnan(y[m]));
    spw_free(A);
    spw_free(x);
    spw_free(y);
}

static void kernels_are_within_the_rounding_bound(void **state)
{
    (void)state;
    static const int64_t shapes[][2] = {{0, 0}, {0, 3},   {3, 0},   {1, 1},    {1, 1000}, {1000, 1},
                                        {4, 8}, {5, 7},   {7, 9},   {13, 64},  {64, 13},  {31, 31},
                                        {3, 5}, {97, 53}, {53, 97}, {211, 15}, {15, 211}, {29, 17}};
    for (const spw_variant *v = NULL; (v = spw_variant_next(v, SPW_OP_DGEMV, SPW_FORMAT_DENSE));)
        for (int t = 0; t < 4; t++)
            for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
                check(v, shapes[s][0], shapes[s][1], thread_counts[t]);
}

int main(void)
{
    thread_counts[3] = spw_max_threads();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_multiplies_row_by_row),
        cmocka_unit_test(kernels_are_within_the_rounding_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

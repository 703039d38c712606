/* kernels/blas1.h: references on literals, every other kernel of the table against the reference for
 * sizes around every unrolling, for every alignment, and for 1, 3, 7 and all threads. */
#include "kernels/blas1.h"

#include "kernels/kernels.h"
#include "kit/cases.h"
#include "test.h"

enum { MARGIN = 8, LARGEST = 10007, SEED = 42 };

static const int64_t sizes[] = {0,  1,  2,  3,  7,   8,   9,    31,     32,
                                33, 63, 64, 65, 127, 211, 1000, LARGEST};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Aligned to a line, with room to shift by up to a line and a margin in front and behind. */
static _Alignas(64) double space_a[LARGEST + 3 * MARGIN], space_b[LARGEST + 3 * MARGIN],
    space_c[LARGEST + 3 * MARGIN], space_e[LARGEST + 3 * MARGIN];

/* An array of n numbers, or of NaN, `shift` doubles away from a line, between margins of NaN. */
static double *array(double *space, int64_t n, int shift, uint64_t seed) {
    double *x = space + MARGIN + shift;
    for (int64_t i = 0; i < n + 3 * MARGIN; i++) space[i] = NAN;
    if (seed) spw_case_vector(seed, n, x);
    return x;
}

static void assert_margins(const spw_kernel *v, const double *x, int64_t n) {
    for (int i = 1; i <= MARGIN; i++)
        if (!isnan(x[-i]) || !isnan(x[n + i - 1])) fail_msg("%s writes outside", v->symbol);
}

static void assert_result(const spw_kernel *v, int64_t n, int shift, int threads, const double *got,
                          const double *expected, double tolerance) {
    for (int64_t i = 0; i < n; i++)
        if (!(fabs(got[i] - expected[i]) <= tolerance))
            fail_msg("%s, n = %d, shift %d, %d threads: element %d is %.17g, not %.17g", v->symbol,
                     (int)n, shift, threads, (int)i, got[i], expected[i]);
}

/* Calls check for every kernel of op, every size, alignment and number of threads. */
static void for_all(const char *operation,
                    void (*check)(const spw_kernel *, int64_t n, int shift, int threads)) {
    int rows = 0;
    for (const spw_kernel *v = spw_kernels(operation); v->symbol; v++, rows++)
        for (int t = 0; t < 4; t++)
            for (int s = 0; s < SIZES; s++)
                for (int shift = 0; shift < MARGIN; shift += sizes[s] < 70 ? 1 : 5) {
                    spw_set_threads(thread_counts[t]);
                    check(v, sizes[s], shift, thread_counts[t]);
                }
    assert_true(rows >= 2);
}

TEST(references_on_literals) {
    const double x[] = {1, 2, 3}, b[] = {10, 20, 30};
    double y[] = {4, 5, 6}, a[] = {NAN, NAN, NAN};
    assert_true(spw_dot_ref(3, x, y) == 32);
    assert_true(spw_sum_ref(3, x) == 6);
    spw_axpby_ref(3, 2, x, -1, y);
    assert_true(y[0] == -2 && y[1] == -1 && y[2] == 0);
    spw_copy_ref(3, x, a);
    assert_true(a[0] == 1 && a[1] == 2 && a[2] == 3);
    spw_triad_ref(3, 0.5, b, x, a);
    assert_true(a[0] == 10.5 && a[1] == 21 && a[2] == 31.5);
}

static void check_copy(const spw_kernel *v, int64_t n, int shift, int threads) {
    const double *x = array(space_b, n, (shift + 3) % 8, SEED);
    double *y = array(space_a, n, shift, 0);
    ((spw_copy_fn *)v->function)(n, x, y);
    assert_result(v, n, shift, threads, y, x, 0);
    assert_margins(v, y, n);
}

TEST(copy_copies) { for_all("copy", check_copy); }

static void check_triad(const spw_kernel *v, int64_t n, int shift, int threads) {
    const double *b = array(space_b, n, (shift + 3) % 8, SEED);
    const double *c = array(space_c, n, (shift + 6) % 8, SEED + 1);
    double *a = array(space_a, n, shift, 0), *expected = array(space_e, n, 0, 0);
    spw_triad_ref(n, 0.3, b, c, expected);
    ((spw_triad_fn *)v->function)(n, 0.3, b, c, a);
    assert_result(v, n, shift, threads, a, expected, 4 * DBL_EPSILON);
    assert_margins(v, a, n);
}

TEST(triad_agrees_with_the_reference) { for_all("triad", check_triad); }

static void check_axpby(const spw_kernel *v, int64_t n, int shift, int threads) {
    const double *x = array(space_b, n, (shift + 3) % 8, SEED);
    double *y = array(space_a, n, shift, SEED + 1), *expected = array(space_e, n, 0, SEED + 1);
    spw_axpby_ref(n, 0.3, x, -1.7, expected);
    ((spw_axpby_fn *)v->function)(n, 0.3, x, -1.7, y);
    assert_result(v, n, shift, threads, y, expected, 8 * DBL_EPSILON);
    assert_margins(v, y, n);
}

TEST(axpby_agrees_with_the_reference) { for_all("axpby", check_axpby); }

static void check_dot(const spw_kernel *v, int64_t n, int shift, int threads) {
    double tolerance;
    const double *x = array(space_b, n, shift, SEED);
    const double *y = array(space_c, n, (shift + 3) % 8, SEED + 1);
    const double expected = spw_dot_expected(n, x, y, &tolerance);
    const double got = ((spw_dot_fn *)v->function)(n, x, y);
    assert_result(v, 1, shift, threads, &got, &expected, tolerance);
}

TEST(dot_is_within_the_rounding_bound) { for_all("dot", check_dot); }

static void check_sum(const spw_kernel *v, int64_t n, int shift, int threads) {
    double tolerance;
    const double *x = array(space_b, n, shift, SEED);
    const double expected = spw_dot_expected(n, x, NULL, &tolerance);
    const double got = ((spw_sum_fn *)v->function)(n, x);
    assert_result(v, 1, shift, threads, &got, &expected, tolerance);
}

TEST(sum_is_within_the_rounding_bound) { for_all("sum", check_sum); }

TEST(a_sum_in_float_is_outside_the_bound) {
    double tolerance;
    const double *x = array(space_b, LARGEST, 0, SEED);
    const double expected = spw_dot_expected(LARGEST, x, NULL, &tolerance);
    float sum = 0;
    for (int i = 0; i < LARGEST; i++) sum += (float)x[i];
    assert_true(fabs(sum - expected) > tolerance);
}

TEST(sums_in_thread_order_are_the_same_in_every_run) {
    const double *x = array(space_b, LARGEST, 0, SEED), *y = array(space_c, LARGEST, 0, SEED + 1);
    spw_set_threads(7);
    const double sum = spw_sum_omp_prefetch(LARGEST, x), dot = spw_dot_omp_prefetch(LARGEST, x, y);
    for (int run = 0; run < 50; run++) {
        assert_true(spw_sum_omp_prefetch(LARGEST, x) == sum);
        assert_true(spw_dot_omp_prefetch(LARGEST, x, y) == dot);
    }
}

TEST(nothing_is_touched_for_n_zero) {
    for (const spw_kernel *v = spw_kernels("copy"); v->symbol; v++)
        ((spw_copy_fn *)v->function)(0, NULL, NULL);
    for (const spw_kernel *v = spw_kernels("sum"); v->symbol; v++)
        assert_true(((spw_sum_fn *)v->function)(0, NULL) == 0);
    for (const spw_kernel *v = spw_kernels("dot"); v->symbol; v++)
        assert_true(((spw_dot_fn *)v->function)(0, NULL, NULL) == 0);
    for (const spw_kernel *v = spw_kernels("triad"); v->symbol; v++)
        ((spw_triad_fn *)v->function)(0, 1, NULL, NULL, NULL);
    for (const spw_kernel *v = spw_kernels("axpby"); v->symbol; v++)
        ((spw_axpby_fn *)v->function)(0, 1, NULL, 1, NULL);
}

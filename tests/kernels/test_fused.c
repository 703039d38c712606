/* kernels/fused.h: references on literals and against BLAS-1 steps, every other kernel of the table against
 * the reference for sizes around the unrolling, for several alignments, and for 1, 2, 3 and 7 threads. */
#include "kernels/fused.h"

#include "kernels/kernels.h"
#include "kit/cases.h"
#include "test.h"

enum { MARGIN = 8, LARGEST = 4099, ARRAYS = 6 };

static const int64_t sizes[] = {0, 1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 211, LARGEST};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Six arrays with margins of NaN, twice: for the kernel and for the reference. */
static double space[2][ARRAYS][LARGEST + 4 * MARGIN];

static double *fill(int which, int array, int64_t n, int shift) {
    double *base = space[which][array], *x = base + MARGIN + shift;
    for (int64_t i = 0; i < n + 4 * MARGIN; i++) base[i] = NAN;
    spw_case_vector(100 + (uint64_t)array, n, x);
    return x;
}

static const double S = -0.75, W = 0.375;

static void scal(spw_kernel_fn f, int64_t n, double *const a[ARRAYS], double sums[2]) {
    (void)sums;
    ((spw_scal_fn *)f)(n, S, a[0]);
}

static void diag(spw_kernel_fn f, int64_t n, double *const a[ARRAYS], double sums[2]) {
    (void)sums;
    ((spw_diag_fn *)f)(n, a[0], a[1], a[2]);
}

static void diag_dot(spw_kernel_fn f, int64_t n, double *const a[ARRAYS], double sums[2]) {
    sums[0] = ((spw_diag_dot_fn *)f)(n, a[0], a[1], a[2]);
}

static void cg_step(spw_kernel_fn f, int64_t n, double *const a[ARRAYS], double sums[2]) {
    sums[0] = ((spw_cg_step_fn *)f)(n, S, a[0], a[1], a[2], a[3]);
}

static void direction(spw_kernel_fn f, int64_t n, double *const a[ARRAYS], double sums[2]) {
    (void)sums;
    ((spw_bicgstab_direction_fn *)f)(n, S, W, a[0], a[1], a[2]);
}

static void half(spw_kernel_fn f, int64_t n, double *const a[ARRAYS], double sums[2]) {
    sums[0] = ((spw_bicgstab_half_fn *)f)(n, S, a[0], a[1]);
}

static void step(spw_kernel_fn f, int64_t n, double *const a[ARRAYS], double sums[2]) {
    sums[0] = ((spw_bicgstab_step_fn *)f)(n, S, W, a[0], a[1], a[2], a[3], a[4], a[5], &sums[1]);
}

/* Runs a kernel on its arrays; sums get what it returns, 0 where it returns nothing. */
static const struct merged {
    const char *operation;
    void (*run)(spw_kernel_fn f, int64_t n, double *const a[ARRAYS], double sums[2]);
} merged[] = {{"scal", scal},
              {"diag", diag},
              {"diag_dot", diag_dot},
              {"cg_step", cg_step},
              {"bicgstab_direction", direction},
              {"bicgstab_half", half},
              {"bicgstab_step", step}};

static void check(const struct merged *m, const spw_kernel *v, const spw_kernel *reference,
                  int64_t n, int shift) {
    double *mine[ARRAYS], *right[ARRAYS], got[2] = {0, 0}, expected[2] = {0, 0};
    for (int a = 0; a < ARRAYS; a++) {
        mine[a] = fill(0, a, n, (shift + 3 * a) % 8);
        right[a] = fill(1, a, n, 0);
    }
    m->run(v->function, n, mine, got);
    m->run(reference->function, n, right, expected);
    for (int a = 0; a < ARRAYS; a++) {
        for (int64_t i = 0; i < n; i++)
            if (!(fabs(mine[a][i] - right[a][i]) <= 8 * DBL_EPSILON * (1 + fabs(right[a][i]))))
                fail_msg("%s, n = %d, shift %d: array %d, element %d is %.17g, not %.17g",
                         v->symbol, (int)n, shift, a, (int)i, mine[a][i], right[a][i]);
        for (int i = 1; i <= MARGIN; i++)
            if (!isnan(mine[a][-i]) || !isnan(mine[a][n + i - 1]))
                fail_msg("%s writes outside of array %d", v->symbol, a);
    }
    for (int s = 0; s < 2; s++)
        if (!(fabs(got[s] - expected[s]) <= (double)(n + 8) * 16 * DBL_EPSILON * (double)(n + 1)))
            fail_msg("%s, n = %d: sum %d is %.17g, not %.17g", v->symbol, (int)n, s, got[s],
                     expected[s]);
}

TEST(kernels_agree_with_their_references) {
    int kernels = 0;
    for (const struct merged *m = merged; m < merged + sizeof merged / sizeof *merged; m++) {
        const spw_kernel *reference = spw_kernels(m->operation);
        for (const spw_kernel *v = reference + 1; v->symbol; v++, kernels++)
            for (int t = 0; with_count(t); t++) {
                for (int s = 0; s < SIZES; s++)
                    for (int shift = 0; shift < 8; shift += 3)
                        check(m, v, reference, sizes[s], shift);
            }
    }
    assert_true(kernels >= 7);
}

TEST(references_on_literals) {
    double x[] = {1, 2, 3}, y[] = {9, 9, 9}, r[] = {1, 1, 1}, c_r = 7;
    const double p[] = {1, 0, -1}, q[] = {2, 1, 0}, d[] = {2, 3, 4};
    spw_scal_ref(3, 2, x);
    assert_true(x[0] == 2 && x[1] == 4 && x[2] == 6);
    assert_true(spw_diag_dot_ref(3, d, x, y) == 2 * 4 + 4 * 12 + 6 * 24);
    assert_true(y[0] == 4 && y[1] == 12 && y[2] == 24);
    spw_diag_ref(3, d, p, y);
    assert_true(y[0] == 2 && y[1] == 0 && y[2] == -4);
    /* x = 2 4 6 + 2 p; r = 1 1 1 - 2 q */
    assert_true(spw_cg_step_ref(3, 2, p, q, x, r) == 9 + 1 + 1);
    assert_true(x[0] == 4 && x[1] == 4 && x[2] == 4);
    assert_true(r[0] == -3 && r[1] == -1 && r[2] == 1);
    /* y = p + 3 (y - 0.5 q) */
    spw_bicgstab_direction_ref(3, 3, 0.5, p, q, y);
    assert_true(y[0] == 4 && y[1] == -1.5 && y[2] == -13);
    assert_true(spw_bicgstab_half_ref(3, -1, q, r) == 1 + 0 + 1);
    assert_true(r[0] == -1 && r[1] == 0 && r[2] == 1);
    /* s = r = -1 0 1: x = 4 4 4 + 1 p + 2 s; r = s - 2 q */
    assert_true(spw_bicgstab_step_ref(3, 1, 2, p, r, q, d, x, r, &c_r) == 25 + 4 + 1);
    assert_true(x[0] == 3 && x[1] == 4 && x[2] == 5);
    assert_true(r[0] == -5 && r[1] == -2 && r[2] == 1);
    assert_true(c_r == -10 - 6 + 4);
}

/* s is r itself in BiCGStab without a preconditioner. */
TEST(s_may_be_r) {
    double x[2][LARGEST], r[2][LARGEST], s[LARGEST], c_r[2], sum[2];
    const double *p = fill(0, 0, LARGEST, 0), *t = fill(0, 1, LARGEST, 0);
    for (int k = 0; k < 2; k++) {
        spw_case_vector(1, LARGEST, x[k]);
        spw_case_vector(2, LARGEST, r[k]);
    }
    memcpy(s, r[0], sizeof s);
    spw_set_threads(3);
    sum[0] = spw_bicgstab_step_omp(LARGEST, 0.5, 0.25, p, s, t, p, x[0], r[0], &c_r[0]);
    sum[1] = spw_bicgstab_step_omp(LARGEST, 0.5, 0.25, p, r[1], t, p, x[1], r[1], &c_r[1]);
    assert_true(sum[0] == sum[1] && c_r[0] == c_r[1]);
    assert_memory_equal(x[0], x[1], sizeof s);
    assert_memory_equal(r[0], r[1], sizeof s);
}

TEST(sums_are_the_same_in_every_run) {
    double *p = fill(0, 0, LARGEST, 0), *q = fill(0, 1, LARGEST, 0), *x = fill(0, 2, LARGEST, 0);
    double *r = fill(0, 3, LARGEST, 0);
    spw_set_threads(7);
    const double sum = spw_cg_step_omp(LARGEST, 0, p, q, x, r);
    for (int k = 0; k < 50; k++) assert_true(spw_cg_step_omp(LARGEST, 0, p, q, x, r) == sum);
}

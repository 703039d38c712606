/* kernels/block.h: the reference on literals, every kernel of the table within the rounding bound for
 * widths around every tile, blocks inside wider ones, several side by side, blocks in place, and 1, 3, 7 and
 * all threads. */
#include "kernels/block.h"

#include "kernels/kernels.h"
#include "kit/cases.h"
#include "test.h"

static const double OUTSIDE = 1e77; /* what stands beside a block must stay */

static const struct {
    int n, p, q;
} shapes[] = {{0, 1, 1},    {1, 1, 1},    {1, 16, 16},  {2, 3, 5},     {7, 8, 16},   {63, 17, 15},
              {64, 16, 16}, {65, 32, 48}, {129, 31, 1}, {200, 1, 33},  {71, 64, 64}, {300, 65, 63},
              {97, 48, 96}, {67, 96, 32}, {40, 7, 200}, {33, 256, 256}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static double *block(uint64_t seed, int64_t n, int64_t ld) {
    double *X = zeros(n * ld);
    spw_case_vector(seed, n * ld, X);
    return X;
}

TEST(references_follow_their_definition) {
    const double X[] = {1, 2, 3, 4, 5, 6}, Y[] = {1, 0, 0, 1, 1, 1}; /* 3 x 2 */
    double C[4];
    spw_gram_ref(3, 2, X, 2, 2, Y, 2, C);
    assert_true(C[0] == 6 && C[1] == 8 && C[2] == 8 && C[3] == 10);
    double R[6], square[2];
    const double turn[] = {0, 1, -1, 0}, lambda[] = {1, 2};
    double pairs[] = {1, 2, 3, 4, 5, 6}, first[3] = {1, 2, 3}, second[3] = {4, 5, 6};
    const spw_block from = {pairs, 2, 2}, to = {R, 2, 2};
    spw_combine_ref(3, 1, &from, turn, 1, &to);
    assert_true(R[0] == -2 && R[1] == 1 && R[4] == -6 && R[5] == 5);
    const spw_block two[] = {{first, 1, 1}, {second, 1, 1}};
    spw_combine_ref(3, 2, two, turn, 1, &to);
    assert_true(R[0] == -4 && R[1] == 1 && R[4] == -6 && R[5] == 3);
    spw_combine_ref(3, 1, &from, turn, 2, two);
    assert_true(first[0] == -2 && second[0] == 1 && first[2] == -6 && second[2] == 5);
    spw_residual_ref(3, 2, lambda, X, 2, Y, 2, R, 2, square);
    assert_true(R[0] == 0 && R[1] == 2 && R[2] == 3 && R[3] == 2 && R[4] == 4 && R[5] == 4);
    assert_true(square[0] == 25 && square[1] == 24);
}

static void gram_case(const spw_kernel *v, int n, int p, int q, bool itself) {
    const int64_t ldx = p + 3, ldy = itself ? ldx : q + 1;
    if (itself) q = p;
    double *X = block(1, n, ldx), *Y = itself ? X : block(2, n, ldy);
    double *C = zeros((int64_t)p * q + 1);
    for (int k = 0; k <= p * q; k++) C[k] = OUTSIDE;
    ((spw_gram_fn *)v->function)(n, p, X + 2, ldx, q, Y + (itself ? 2 : 1), ldy, C);
    for (int a = 0; a < p; a++)
        for (int b = 0; b < q; b++) {
            long double sum = 0, size = 0;
            for (int64_t i = 0; i < n; i++) {
                const long double term =
                    (long double)X[i * ldx + 2 + a] * Y[i * ldy + (itself ? 2 : 1) + b];
                sum += term;
                size += fabsl(term);
            }
            if (fabsl(C[a * q + b] - sum) > 2 * (n + 1) * DBL_EPSILON * size)
                fail_msg("%s, n %d, p %d, q %d: C[%d][%d] is %.17g, not %.17Lg", v->symbol, n, p, q,
                         a, b, C[a * q + b], sum);
        }
    assert_true(C[p * q] == OUTSIDE);
}

/* Against sums of exact products: numbers of 27 bits, whose products and sums fit 64. Then hi holds the sum
 * rounded, and lo the rest. */
static void gram_dd_case(const spw_kernel *v, int n, int p, int q) {
    double *X = block(1, n, p), *Y = block(2, n, q), *hi = block(3, p, q), *lo = block(4, p, q);
    for (int64_t k = 0; k < (int64_t)n * p; k++) X[k] = floor(X[k] * 0x1p26);
    for (int64_t k = 0; k < (int64_t)n * q; k++) Y[k] = floor(Y[k] * 0x1p26);
    ((spw_gram_dd_fn *)v->function)(n, p, X, p, q, Y, q, hi, lo);
    for (int a = 0; a < p; a++)
        for (int b = 0; b < q; b++) {
            int64_t sum = 0;
            for (int64_t i = 0; i < n; i++) sum += (int64_t)X[i * p + a] * (int64_t)Y[i * q + b];
            assert_true(hi[a * q + b] == (double)sum);
            assert_true(lo[a * q + b] == (double)(sum - (int64_t)hi[a * q + b]));
        }
}

static void combine_case(const spw_kernel *v, int n, int p, int q, bool in_place) {
    const int64_t ldx = (in_place && q > p ? q : p) + 3, ldy = in_place ? ldx : q + 2;
    double *X = block(3, n, ldx), *C = block(4, p, q), *Y = X, *before = zeros(n * ldx);
    if (n) memcpy(before, X, sizeof *X * (size_t)(n * ldx));
    if (!in_place) {
        Y = zeros(n * ldy);
        for (int64_t k = 0; k < n * ldy; k++) Y[k] = OUTSIDE;
    }
    /* in two parts, where there are two: the places are the same */
    const int p0 = p > 1 ? p / 2 : p, q0 = q > 1 ? q / 3 + 1 : q;
    const spw_block from[] = {{X + 1, ldx, p0}, {X + 1 + p0, ldx, p - p0}};
    const spw_block to[] = {{Y + 2, ldy, q0}, {Y + 2 + q0, ldy, q - q0}};
    ((spw_combine_fn *)v->function)(n, p > p0 ? 2 : 1, from, C, q > q0 ? 2 : 1, to);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < ldy; k++) {
            const double got = Y[i * ldy + k];
            const int64_t b = k - 2;
            if (b < 0 || b >= q) {
                assert_true(got == (in_place ? before[i * ldx + k] : OUTSIDE));
                continue;
            }
            long double sum = 0, size = 0;
            for (int a = 0; a < p; a++) {
                const long double term = (long double)before[i * ldx + 1 + a] * C[a * q + b];
                sum += term;
                size += fabsl(term);
            }
            if (fabsl(got - sum) > 2 * (p + 1) * DBL_EPSILON * size)
                fail_msg("%s, n %d, p %d, q %d: Y[%d][%d] is %.17g, not %.17Lg", v->symbol, n, p, q,
                         (int)i, (int)b, got, sum);
        }
}

static void residual_case(const spw_kernel *v, int n, int nv) {
    const int64_t ld = nv + 2;
    double *U = block(5, n, ld), *V = block(6, n, nv), *lambda = block(7, nv, 1);
    double *square = block(8, nv, 1), *R = block(9, n, nv);
    ((spw_residual_fn *)v->function)(n, nv, lambda, U + 1, ld, V, nv, R, nv, square);
    for (int j = 0; j < nv; j++) {
        long double sum = 0;
        for (int64_t i = 0; i < n; i++) {
            const double u = U[i * ld + 1 + j], w = lambda[j] * V[i * nv + j];
            const double error = 2 * DBL_EPSILON * (fabs(u) + fabs(w));
            assert_true(fabs(R[i * nv + j] - (u - w)) <= error);
            sum += (long double)R[i * nv + j] * R[i * nv + j];
        }
        assert_true(fabsl(square[j] - sum) <= 2 * (n + 1) * DBL_EPSILON * sum);
    }
}

TEST(kernels_are_within_the_rounding_bound) {
    for (int t = 0; with_count(t); t++) {
        for (int s = 0; s < SHAPES; s++) {
            const int n = shapes[s].n, p = shapes[s].p, q = shapes[s].q;
            for (const spw_kernel *v = spw_kernels("gram"); v->symbol; v++) {
                gram_case(v, n, p, q, false);
                gram_case(v, n, p, q, true);
            }
            for (const spw_kernel *v = spw_kernels("gram_dd"); v->symbol; v++)
                gram_dd_case(v, n, p, q);
            for (const spw_kernel *v = spw_kernels("combine"); v->symbol; v++) {
                combine_case(v, n, p, q, false);
                combine_case(v, n, p, q, true);
            }
            for (const spw_kernel *v = spw_kernels("residual"); v->symbol; v++)
                residual_case(v, n, p);
        }
    }
}

/* Results of 64 MiB and more may be stored past the caches, by whole lines: two blocks of which that can be
 * done, one that is not aligned, and one in the place of X. X is a column of i, so that all is exact. */
TEST(large_results_are_whole) {
    enum { N = (1 << 17) + 3, P = 8, Q = 64 };
    double C[P * Q] = {0}, *X = block(1, N, P), *Y = zeros((int64_t)N * Q + 1);
    for (int64_t i = 0; i < N; i++)
        for (int k = 0; k < P; k++) X[i * P + k] = k == 3 ? (double)i : 1;
    for (int b = 0; b < Q; b++) C[3 * Q + b] = b;
    for (int shift = 0; shift < 2; shift++) {
        const spw_block from = {X, P, P};
        const spw_block to[] = {{Y + shift, Q, 24}, {Y + shift + 24, Q, 40}};
        memset(Y, 0xff, sizeof *Y * ((size_t)N * Q + 1));
        spw_set_threads(thread_counts[1 + shift]);
        spw_combine_omp(N, 1, &from, C, 2, to);
        for (int64_t i = 0; i < N; i++)
            for (int b = 0; b < Q; b++)
                if (Y[shift + i * Q + b] != (double)(i * b))
                    fail_msg("row %d, column %d is %g", (int)i, b, Y[shift + i * Q + b]);
    }
    /* Y is X now: the first eight columns of the block above, doubled, spread over all */
    double twice[Q * Q] = {0};
    for (int b = 0; b < Q; b++) twice[b % P * Q + b] = 2;
    for (int64_t k = 0; k < (int64_t)N * Q; k++) Y[k] = (double)(k / Q * (k % Q));
    const spw_block whole = {Y, Q, Q};
    spw_combine_omp(N, 1, &whole, twice, 1, &whole);
    for (int64_t i = 0; i < N; i++)
        for (int b = 0; b < Q; b++) assert_true(Y[i * Q + b] == (double)(2 * i * (b % P)));
}

/* Of blocks side by side: each pair's product stands where it belongs. Some 250 columns on each side are more
 * than there is room for at a time. */
static void gram_of_blocks(int64_t n, int n_x, const int *p, int n_y, const int *q) {
    enum { BEYOND = 3 }; /* a row is longer by so much */
    spw_block X[SPW_BLOCKS_MAX], Y[SPW_BLOCKS_MAX];
    int all_p = 0, all_q = 0;
    for (int a = 0; a < n_x; all_p += p[a++])
        X[a] = (spw_block){block((uint64_t)a, n, p[a] + BEYOND), p[a] + BEYOND, p[a]};
    for (int b = 0; b + 1 < n_y; all_q += q[b++])
        Y[b] = (spw_block){block(20 + (uint64_t)b, n, q[b] + BEYOND), q[b] + BEYOND, q[b]};
    Y[n_y - 1] = X[0]; /* a block may stand on both sides */
    all_q += p[0];
    double *C = block(50, all_p, all_q), *part = block(51, SPW_BLOCK_MAX, SPW_BLOCK_MAX);
    spw_gram_blocks_omp(n, n_x, X, n_y, Y, C);
    for (int a = 0, row = 0; a < n_x; row += X[a++].nv)
        for (int b = 0, column = 0; b < n_y; column += Y[b++].nv) {
            spw_gram_ref(n, X[a].nv, X[a].at, X[a].ld, Y[b].nv, Y[b].at, Y[b].ld, part);
            for (int i = 0; i < X[a].nv; i++)
                for (int j = 0; j < Y[b].nv; j++) {
                    const double got = C[(row + i) * all_q + column + j];
                    const double expected = part[i * Y[b].nv + j];
                    /* elements are at most 2 in size */
                    if (!(fabs(got - expected) <= 4 * (double)(n * (n + 1)) * DBL_EPSILON))
                        fail_msg("blocks %d, %d of %d x %d: entry (%d, %d) is %.17g, must be %.17g",
                                 a, b, n_x, n_y, i, j, got, expected);
                }
        }
}

TEST(blocks_side_by_side_are_each_in_its_place) {
    static const int even[] = {16, 16, 16}, odd[] = {5, 1, 12, 7}, wide[] = {64, 65, 63, 64};
    static const int ones[SPW_BLOCKS_MAX] = {1, 1, 1, 1, 1, 1, 1, 1};
    for (int t = 0; with_count(t); t++) {
        for (int64_t n = 0; n < 80; n = 2 * n + 5) {
            gram_of_blocks(n, 3, even, 2, even);
            gram_of_blocks(n, 4, odd, 3, odd);
            gram_of_blocks(n, 2, even, 4, odd);
            gram_of_blocks(n, 3, odd, 1, even);
            gram_of_blocks(n, 4, wide, 4, wide);
            gram_of_blocks(n, SPW_BLOCKS_MAX, ones, SPW_BLOCKS_MAX, ones);
        }
    }
}

TEST(bits_are_the_same_in_every_run) {
    const int n = 4001, nv = 19;
    double *X = block(1, n, nv), first[19 * 19], again[19 * 19];
    for (int t = 0; with_count(t); t++) {
        spw_gram_omp(n, nv, X, nv, nv, X, nv, first);
        for (int run = 0; run < 20; run++) {
            spw_gram_omp(n, nv, X, nv, nv, X, nv, again);
            assert_memory_equal(first, again, sizeof first);
        }
    }
}

/* kernels/cuda_block.h against the reference kernels of block.h, or against the definition where there is
 * none: sizes that fill a tile, a warp or a part of the rows, and that do not; leading dimensions with gaps,
 * which stay as they are. Run on the checker, and as a second program on a GPU. */
#include "kernels/cuda_block.h"

#include "device/device_call.h"
#include "kernels/kernels.h"
#include "kit/cases.h"

enum { SEED = 4711, GAP = 3, WIDEST = SPW_BLOCK_MAX };
static const double untouched = -0x1p900; /* lies in every gap */

/* [n, nv] of a block of ld, with gaps. */
static double *random_block(uint64_t seed, int64_t n, int nv, int64_t ld) {
    double *X = zeros(n * ld);
    spw_case_vector(seed, n * ld, X);
    for (int64_t k = 0; k < n * ld; k++)
        if (k % ld >= nv) X[k] = untouched;
    return X;
}

typedef struct call {
    device_call call;
    int64_t n;
    int p, q;
    const spw_kernel *v;
    const int *from;
} call;

static void on_all_schedules(call *c, const char *what) {
    assert_device_call(&c->call, "%s, n %d, p %d, q %d", what, (int)c->n, c->p, c->q);
}

static void compare(const char *what, const call *c, int64_t count, const double *got,
                    const double *expected, double tolerance) {
    for (int64_t k = 0; k < count; k++)
        if (!(fabs(got[k] - expected[k]) <= tolerance))
            fail_msg("%s, n %d, p %d, q %d: element %d is %.17g, expected %.17g", what, (int)c->n,
                     c->p, c->q, (int)k, got[k], expected[k]);
}

/* --- gram ----------------------------------------------------------------------------------------------------- */

static spw_status launch_gram(const device_call *at, double **d) {
    const call *c = (const call *)at;
    return ((__typeof__(&spw_gram_cuda))c->v->function)(c->n, c->p, d[0], c->p + GAP, c->q, d[1],
                                                        c->q + GAP, d[2], d[3]);
}

static void check_gram(const spw_kernel *v, int64_t n, int p, int q) {
    double *X = random_block(SEED, n, p, p + GAP), *Y = random_block(SEED + 1, n, q, q + GAP);
    double *C = zeros(p * q), *expected = zeros(p * q);
    call c = {.n = n,
              .p = p,
              .q = q,
              .v = v,
              .call.run = launch_gram,
              .call.in = {X, Y},
              .call.out = {NULL, NULL, C},
              .call.count = {n * (p + GAP), n * (q + GAP), p * q, (int64_t)SPW_CUDA_PARTS * p * q}};
    for (int k = 0; k < p * q; k++) C[k] = NAN;
    on_all_schedules(&c, v->symbol);
    spw_gram_ref(n, p, X, p + GAP, q, Y, q + GAP, expected);
    compare(v->symbol, &c, p * q, C, expected, 4 * ((double)n + 1) * DBL_EPSILON);
}

TEST(gram_agrees_with_the_reference) {
    static const int sizes[][3] = {{0, 2, 3},    {1, 1, 1},   {15, 3, 2},   {16, 16, 16},
                                   {700, 5, 12}, {33, 17, 4}, {50, 40, 33}, {40, 49, 64},
                                   {20, 80, 70}, {9, 100, 7}};
    int found = 0;
    for (const spw_kernel *v = spw_kernels("gram_cuda"); v->symbol; v++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++, found++)
            check_gram(v, sizes[k][0], sizes[k][1], sizes[k][2]);
    assert_true(found > 0);
}

/* --- combine -------------------------------------------------------------------------------------------------- */

/* Three blocks in, two out, the first of which is the first that goes in. */
static spw_status launch_combine(const device_call *at, double **d) {
    const call *c = (const call *)at;
    const int third = c->p / 3, half = c->q / 2, last = c->p - 2 * third;
    const int64_t ld = c->p + c->q;
    const spw_block X[] = {{d[0], ld, third}, {d[1], ld, third}, {d[2], ld, last}};
    const spw_block Y[] = {{d[0], ld, half}, {d[3], ld, c->q - half}};
    return ((__typeof__(&spw_combine_cuda))c->v->function)(c->n, 3, X, d[4], 2, Y);
}

static void check_combine(const spw_kernel *v, int64_t n, int p, int q) {
    const int third = p / 3, half = q / 2;
    const int64_t ld = p + q, size = n * ld;
    double *in[3], *out[2] = {zeros(size), zeros(size)}, *C = zeros(p * q);
    double *expected[2] = {zeros(size), zeros(size)};
    for (int k = 0; k < 3; k++)
        in[k] = random_block((uint64_t)(SEED + k), n, k < 2 ? third : p - 2 * third, ld);
    double *other = random_block(SEED + 7, n, 0, ld);
    spw_case_vector(SEED + 5, p * q, C);
    call c = {.n = n,
              .p = p,
              .q = q,
              .v = v,
              .call.run = launch_combine,
              .call.in = {in[0], in[1], in[2], other, C},
              .call.out = {out[0], NULL, NULL, out[1]},
              .call.count = {size, size, size, size, p * q}};
    on_all_schedules(&c, v->symbol);
    memcpy(expected[0], in[0], sizeof *C * (size_t)size);
    memcpy(expected[1], other, sizeof *C * (size_t)size);
    const spw_block X[] = {{in[0], ld, third}, {in[1], ld, third}, {in[2], ld, p - 2 * third}};
    const spw_block Y[] = {{expected[0], ld, half}, {expected[1], ld, q - half}};
    spw_combine_ref(n, 3, X, C, 2, Y);
    for (int k = 0; k < 2; k++)
        compare(v->symbol, &c, size, out[k], expected[k], 4 * (p + 1) * DBL_EPSILON);
}

TEST(combine_agrees_with_the_reference_and_works_in_place) {
    static const int sizes[][3] = {{0, 3, 2},     {1, 3, 2},     {32, 48, 32},
                                   {100, 7, 5},   {65, 9, 40},   {40, 20, 70},
                                   {31, 12, 100}, {30, 17, 130}, {10, 40, 200}};
    int found = 0;
    for (const spw_kernel *v = spw_kernels("combine_cuda"); v->symbol; v++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++, found++)
            check_combine(v, sizes[k][0], sizes[k][1], sizes[k][2]);
    assert_true(found > 0);
}

static spw_status launch_too_many(const device_call *at, double **d) {
    const call *c = (const call *)at;
    const spw_block X[SPW_CUDA_BLOCKS + 1] = {{d[0], 1, 1}};
    const spw_status first = spw_combine_cuda(c->n, SPW_CUDA_BLOCKS + 1, X, d[1], 1, X);
    const spw_status second = spw_combine_cuda(c->n, 1, X, d[1], 0, X);
    return first == SPW_ERR_ARG && second == SPW_ERR_ARG ? SPW_OK : SPW_ERR_DEVICE;
}

TEST(too_many_blocks_are_refused) {
    call c = {.n = 4, .p = 1, .q = 1, .call.run = launch_too_many, .call.count = {4, 4}};
    on_all_schedules(&c, "too many blocks");
}

/* --- residual, select, diagonal blocks ----------------------------------------------------------------------- */

static spw_status launch_residual(const device_call *at, double **d) {
    const call *c = (const call *)at;
    const int64_t ld = c->p + GAP;
    return spw_residual_block_cuda(c->n, c->p, d[0], d[1], ld, d[2], ld, d[3], ld, d[4], d[5]);
}

TEST(residuals_and_their_squares_agree) {
    static const int sizes[][2] = {{0, 2}, {1, 1}, {300, 3}, {37, 32}, {90, 33}, {50, 80}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        const int64_t n = sizes[k][0], nv = sizes[k][1], ld = nv + GAP;
        double *U = random_block(SEED, n, (int)nv, ld), *V = random_block(SEED + 1, n, (int)nv, ld);
        double *R = zeros(n * ld), *expected = random_block(SEED + 3, n, (int)nv, ld);
        double *before = random_block(SEED + 3, n, (int)nv, ld);
        double lambda[WIDEST], square[WIDEST], squares[WIDEST];
        spw_case_vector(SEED + 2, nv, lambda);
        for (int j = 0; j < nv; j++) square[j] = NAN;
        call c = {.n = n,
                  .p = (int)nv,
                  .call.run = launch_residual,
                  .call.in = {lambda, U, V, before},
                  .call.out = {NULL, NULL, NULL, R, square},
                  .call.count = {nv, n * ld, n * ld, n * ld, nv, SPW_CUDA_PARTS * nv}};
        on_all_schedules(&c, "residual");
        spw_residual_ref(n, (int)nv, lambda, U, ld, V, ld, expected, ld, squares);
        compare("residual", &c, n * ld, R, expected, 4 * DBL_EPSILON);
        compare("squares", &c, nv, square, squares, 16 * ((double)n + 1) * DBL_EPSILON);
    }
}

static spw_status launch_select(const device_call *at, double **d) {
    const call *c = (const call *)at;
    return spw_select_cuda(c->n, c->q, c->from, d[0], c->p + GAP, d[1], c->q + 1);
}

TEST(chosen_columns_are_copied) {
    static const int some[] = {1, 2, 5, 6}, one[] = {0}, again[] = {3, 3, 0, 7, 1, 1, 1, 2, 4, 0};
    static const struct {
        int64_t n;
        int p, q;
        const int *from;
    } cases[] = {{0, 3, 1, one}, {70, 8, 4, some}, {1, 1, 1, one}, {33, 8, 10, again}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const int64_t n = cases[k].n;
        const int p = cases[k].p, q = cases[k].q;
        double *X = random_block(SEED, n, p, p + GAP), *Y = zeros(n * (q + 1));
        double *before = random_block(SEED, n, 0, q + 1);
        call c = {.n = n,
                  .p = p,
                  .q = q,
                  .call.run = launch_select,
                  .from = cases[k].from,
                  .call.in = {X, before},
                  .call.out = {NULL, Y},
                  .call.count = {n * (p + GAP), n * (q + 1)}};
        on_all_schedules(&c, "select");
        for (int64_t i = 0; i < n; i++) {
            for (int j = 0; j < q; j++)
                assert_true(Y[i * (q + 1) + j] == X[i * (p + GAP) + cases[k].from[j]]);
            assert_true(Y[i * (q + 1) + q] == untouched);
        }
    }
}

/* Parts are added in one order: two runs give the same bits. More rows than one part has. */
TEST(sums_have_the_same_bits_in_every_run) {
    enum { N = 3000, P = 4 };
    double first[P * P], second[P * P];
    call c = {.n = N,
              .p = P,
              .q = P,
              .v = spw_kernel_find("spw_gram_cuda"),
              .call.count = {0, 0, P * P, SPW_CUDA_PARTS * P * P}};
    assert_non_null(c.v);
    c.call.run = launch_gram;
    double *wide = random_block(SEED, N, P, P + GAP);
    c.call.in[0] = c.call.in[1] = wide;
    c.call.count[0] = c.call.count[1] = (int64_t)N * (P + GAP);
    c.call.out[2] = first;
    on_all_schedules(&c, "gram");
    c.call.out[2] = second;
    on_all_schedules(&c, "gram");
    assert_memory_equal(first, second, sizeof first);
    for (int a = 0; a < P; a++)
        for (int b = 0; b < a; b++) assert_true(first[a * P + b] == first[b * P + a]);
}

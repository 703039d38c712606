/* kernels/cuda_solver.h: the fused kernels against the reference. Run on the checker, and as a second program on a GPU. */
#include "kernels/cuda_solver.h"

#include "formats/device_matrix.h"
#include "formats/generate.h"
#include "kernels/fused.h"
#include "device/device_call.h"
#include "kit/cases.h"

/* --- vectors ------------------------------------------------------------------------------------------------ */

enum { SEED = 4711, LARGEST = 1025, N_INPUTS = 6 };
static const double A = 0.75, B = -1.5, scalars[] = {0.75, -1.5};

/* The six vectors stand for the arguments of the operation, in its order; all may be written. */
typedef enum merged { CG_STEP, DIRECTION, HALF, STEP, MERGED } merged;
static const char *const names[MERGED] = {"cg_step", "direction", "half", "step"};

enum { AB = N_INPUTS, SUMS, RESULTS, PARTIALS = 2 * sizeof(spw_partials) / sizeof(double) };

typedef struct call {
    device_call call; /* on these six, the two scalars, partial sums and two sums */
    merged op;
    double sum[2];
} call;

static spw_status launch(const device_call *call_of, double **d) {
    const int64_t n = call_of->count[0];
    const double *a = d[AB], *b = d[AB] + 1;
    spw_partials *sum = (spw_partials *)d[SUMS];
    spw_status s = SPW_OK;
    switch (((const call *)call_of)->op) {
    case CG_STEP: s = spw_cg_step_cuda(n, a, d[0], d[1], d[2], d[3], sum); break;
    case DIRECTION: s = spw_bicgstab_direction_cuda(n, a, b, d[0], d[1], d[2]); break;
    case HALF: s = spw_bicgstab_half_cuda(n, a, d[0], d[1], sum); break;
    default: s = spw_bicgstab_step_cuda(n, a, b, d[0], d[1], d[2], d[3], d[4], d[5], sum + 1, sum);
    }
    for (int k = 0; k < 2 && !s; k++) s = spw_partials_sum_cuda(sum + k, d[RESULTS] + k);
    return s;
}

/* The reference, in the same places; r . r, or the one sum, comes first. */
static void expect(const call *c, double **e, double *sum) {
    const int64_t n = c->call.count[0];
    switch (c->op) {
    case CG_STEP: sum[0] = spw_cg_step_ref(n, A, e[0], e[1], e[2], e[3]); break;
    case DIRECTION: spw_bicgstab_direction_ref(n, A, B, e[0], e[1], e[2]); break;
    case HALF: sum[0] = spw_bicgstab_half_ref(n, A, e[0], e[1]); break;
    default: sum[0] = spw_bicgstab_step_ref(n, A, B, e[0], e[1], e[2], e[3], e[4], e[5], &sum[1]);
    }
}

/* Vectors are in (-1, 1); an element has at most four roundings of terms below 3, a sum n more. */
static void check_call(const call *c) {
    const char *name = names[c->op];
    const int64_t n = c->call.count[0];
    double *expected[N_INPUTS], sum[2] = {0, 0};
    for (int k = 0; k < N_INPUTS; k++) {
        expected[k] = zeros(n);
        memcpy(expected[k], c->call.in[k], (size_t)n * sizeof(double));
    }
    expect(c, expected, sum);
    for (int k = 0; k < 2; k++)
        if (!(fabs(c->sum[k] - sum[k]) <= DBL_EPSILON * 64 * (double)(n + 8)))
            fail_msg("%s, n = %d: sum %d is %.17g, expected %.17g", name, (int)n, k, c->sum[k],
                     sum[k]);
    for (int k = 0; k < N_INPUTS; k++)
        for (int64_t i = 0; i < n; i++)
            if (!(fabs(c->call.out[k][i] - expected[k][i]) <= 16 * DBL_EPSILON))
                fail_msg("%s, n = %d: element %d of vector %d is %.17g, expected %.17g", name,
                         (int)n, (int)i, k, c->call.out[k][i], expected[k][i]);
}

typedef struct batch {
    int count;
    call list[32];
} batch;

static void run_calls(void *argument) {
    batch *all = (batch *)argument;
    for (int k = 0; k < all->count; k++) run_device_call(&all->list[k].call);
}

/* All in one run, as it takes the checker longer to begin than to run one of them. */
TEST(fused_kernels_agree_with_the_reference) {
    static const int64_t sizes[] = {0, 1, 33, 256, LARGEST};
    batch all = {0};
    for (int op = 0; op < MERGED; op++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            call *c = &all.list[all.count++];
            *c = (call){.op = (merged)op,
                        .call = {.run = launch,
                                 .count[AB] = 2,
                                 .count[SUMS] = PARTIALS,
                                 .count[RESULTS] = 2,
                                 .in[AB] = scalars,
                                 .in[SUMS] = zeros(PARTIALS),
                                 .out[RESULTS] = c->sum}};
            for (int k = 0; k < N_INPUTS; k++) {
                double *v = zeros(c->call.count[k] = sizes[s]);
                spw_case_vector(SEED + (uint64_t)k, sizes[s], v);
                c->call.in[k] = v;
                c->call.out[k] = zeros(sizes[s]);
            }
        }
    const char *finding = on_device(run_calls, &all);
    if (finding) fail_msg("%s", finding);
    for (int k = 0; k < all.count; k++) {
        if (all.list[k].call.status) fail_msg("%s: %s", names[all.list[k].op], spw_message());
        check_call(&all.list[k]);
    }
}

/* --- product with sums ------------------------------------------------------------------------------------ */

typedef struct product {
    device_call call; /* on x, w, y, partial sums and two sums */
    const spw_csr *A;
} product;

static spw_status multiply(const device_call *c, double **d) {
    spw_csr d_A = {0};
    spw_partials *sum = (spw_partials *)d[3];
    spw_status s = spw_csr_to_device(((const product *)c)->A, &d_A);
    if (!s) s = spw_spmv_with_dots_csr_cuda(&d_A, d[0], d[1], d[2], sum, sum + 1);
    for (int k = 0; k < 2 && !s; k++) s = spw_partials_sum_cuda(sum + k, d[4] + k);
    spw_csr_device_destroy(&d_A);
    return s;
}

static void check_product(const char *name, const spw_csr *matrix) {
    const int64_t n = matrix->n_rows;
    double *x = zeros(n), *w = zeros(n), *expected = zeros(n), *tolerance = zeros(n);
    double *y = zeros(n), sums[2];
    product p = {.A = matrix,
                 .call = {.run = multiply,
                          .count = {n, n, n, PARTIALS, 2},
                          .in = {x, w},
                          .out = {NULL, NULL, y, NULL, sums}}};
    spw_case_vector(SEED, n, x);
    spw_case_vector(SEED + 1, n, w);
    spw_spmv_expected(matrix, x, expected, tolerance);
    assert_device_call(&p.call, "%s", name);
    double w_y = 0, y_y = 0, most_w = 0, most_y = 0;
    for (int64_t i = 0; i < n; i++) {
        if (!(fabs(y[i] - expected[i]) <= tolerance[i]))
            fail_msg("%s: row %d is %.17g, expected %.17g", name, (int)i, y[i], expected[i]);
        w_y += w[i] * y[i];
        y_y += y[i] * y[i];
        most_w += fabs(w[i] * y[i]);
        most_y += y[i] * y[i];
    }
    assert_true(fabs(sums[0] - w_y) <= DBL_EPSILON * (double)(n + 8) * most_w);
    assert_true(fabs(sums[1] - y_y) <= DBL_EPSILON * (double)(n + 8) * most_y);
}

/* Rows of 3 to 81 entries: all widths; with some hundred blocks, more rows than run at once. */
TEST(product_and_its_sums_agree) {
    static const char *const matrices[] = {"tridiag:1", "tridiag:600",  "stencil27:5",
                                           "fem3:4",    "powerlaw:300", "convdiff2d:20"};
    for (size_t k = 0; k < sizeof matrices / sizeof *matrices; k++) {
        OWN(spw_csr) matrix = generated(matrices[k]);
        check_product(matrices[k], &matrix);
    }
}

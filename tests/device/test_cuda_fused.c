/* kernels/cuda_solver.h: the fused kernels against the reference. Run on the checker, and as a second program on a GPU. */
#include "kernels/cuda_solver.h"

#include "base/device.h"
#include "formats/device_matrix.h"
#include "formats/generate.h"
#include "kernels/fused.h"
#include "device/on_device.h"
#include "kit/cases.h"
#include "test.h"

/* --- vectors ------------------------------------------------------------------------------------------------ */

enum { SEED = 4711, LARGEST = 1025, N_INPUTS = 6 };
static const double A = 0.75, B = -1.5;

/* The six vectors stand for the arguments of the operation, in its order; all may be written. */
typedef enum merged { CG_STEP, DIRECTION, HALF, STEP, MERGED } merged;
static const char *const names[MERGED] = {"cg_step", "direction", "half", "step"};

typedef struct call {
    merged op;
    int64_t n;
    double *vector[N_INPUTS]; /* inputs */
    double *after[N_INPUTS];  /* what became of them */
    double sum[2];
    spw_status status;
} call;

static spw_status launch(const call *c, double **d, const double *d_ab, spw_partials *d_sum) {
    const int64_t n = c->n;
    const double *d_a = d_ab, *d_b = d_ab + 1;
    switch (c->op) {
    case CG_STEP: return spw_cg_step_cuda(n, d_a, d[0], d[1], d[2], d[3], d_sum);
    case DIRECTION: return spw_bicgstab_direction_cuda(n, d_a, d_b, d[0], d[1], d[2]);
    case HALF: return spw_bicgstab_half_cuda(n, d_a, d[0], d[1], d_sum);
    default: break;
    }
    return spw_bicgstab_step_cuda(n, d_a, d_b, d[0], d[1], d[2], d[3], d[4], d[5], d_sum + 1,
                                  d_sum);
}

static void run_call(void *argument) {
    call *c = (call *)argument;
    const int64_t bytes = c->n * (int64_t)sizeof(double);
    const double ab[] = {A, B};
    double *d[N_INPUTS] = {0}, *d_ab = NULL, *d_results = NULL;
    spw_partials *d_sum = NULL;
    spw_status s = SPW_DEVICE_ALLOC(&d_ab, 2);
    if (!s) s = SPW_DEVICE_ALLOC(&d_results, 2);
    if (!s) s = SPW_DEVICE_ALLOC(&d_sum, 2);
    if (!s) s = spw_device_copy_to(d_ab, ab, sizeof ab);
    if (!s) s = spw_device_zero(d_sum, 2 * (int64_t)sizeof *d_sum);
    for (int k = 0; k < N_INPUTS && !s; k++) {
        s = SPW_DEVICE_ALLOC(&d[k], c->n);
        if (!s) s = spw_device_copy_to(d[k], c->vector[k], bytes);
    }
    if (!s) s = launch(c, d, d_ab, d_sum);
    for (int k = 0; k < 2 && !s; k++) s = spw_partials_sum_cuda(d_sum + k, d_results + k);
    if (!s) s = spw_device_copy_from(c->sum, d_results, sizeof c->sum);
    for (int k = 0; k < N_INPUTS && !s; k++) s = spw_device_copy_from(c->after[k], d[k], bytes);
    for (int k = 0; k < N_INPUTS; k++) spw_device_free(d[k]);
    spw_device_free(d_ab);
    spw_device_free(d_results);
    spw_device_free(d_sum);
    if (s) c->status = s;
}

/* The reference, in the same places; r . r, or the one sum, comes first. */
static void expect(const call *c, double **e, double *sum) {
    const int64_t n = c->n;
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
    const int64_t n = c->n;
    double *expected[N_INPUTS], sum[2] = {0, 0};
    for (int k = 0; k < N_INPUTS; k++) {
        expected[k] = zeros(n);
        memcpy(expected[k], c->vector[k], (size_t)n * sizeof(double));
    }
    expect(c, expected, sum);
    for (int k = 0; k < 2; k++)
        if (!(fabs(c->sum[k] - sum[k]) <= DBL_EPSILON * 64 * (double)(n + 8)))
            fail_msg("%s, n = %d: sum %d is %.17g, expected %.17g", name, (int)n, k, c->sum[k],
                     sum[k]);
    for (int k = 0; k < N_INPUTS; k++)
        for (int64_t i = 0; i < n; i++)
            if (!(fabs(c->after[k][i] - expected[k][i]) <= 16 * DBL_EPSILON))
                fail_msg("%s, n = %d: element %d of vector %d is %.17g, expected %.17g", name,
                         (int)n, (int)i, k, c->after[k][i], expected[k][i]);
}

typedef struct batch {
    int count;
    call list[32];
} batch;

static void run_calls(void *argument) {
    batch *all = (batch *)argument;
    for (int k = 0; k < all->count; k++) run_call(&all->list[k]);
}

/* All in one run, as it takes the checker longer to begin than to run one of them. */
TEST(fused_kernels_agree_with_the_reference) {
    static const int64_t sizes[] = {0, 1, 33, 256, LARGEST};
    batch all = {0};
    for (int op = 0; op < MERGED; op++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            call *c = &all.list[all.count++];
            *c = (call){.op = (merged)op, .n = sizes[s], .sum = {NAN, NAN}};
            for (int k = 0; k < N_INPUTS; k++) {
                c->vector[k] = zeros(c->n);
                c->after[k] = zeros(c->n);
                spw_case_vector(SEED + (uint64_t)k, c->n, c->vector[k]);
            }
        }
    const char *finding = on_device(run_calls, &all);
    if (finding) fail_msg("%s", finding);
    for (int k = 0; k < all.count; k++) {
        if (all.list[k].status) fail_msg("%s: %s", names[all.list[k].op], spw_message());
        check_call(&all.list[k]);
    }
}

/* --- product with sums ------------------------------------------------------------------------------------ */

typedef struct product {
    const spw_csr *A;
    const double *x, *w;
    double *y, w_y, y_y;
    spw_status status;
} product;

static void run_product(void *argument) {
    product *p = (product *)argument;
    const int64_t n = p->A->n_rows, bytes = n * (int64_t)sizeof(double);
    double *d_x = NULL, *d_w = NULL, *d_y = NULL, *d_result = NULL, results[2] = {NAN, NAN};
    spw_partials *d_sum = NULL;
    spw_csr d_A = {0};
    spw_status s = spw_csr_to_device(p->A, &d_A);
    if (!s) s = SPW_DEVICE_ALLOC(&d_x, n);
    if (!s) s = SPW_DEVICE_ALLOC(&d_w, n);
    if (!s) s = SPW_DEVICE_ALLOC(&d_y, n);
    if (!s) s = SPW_DEVICE_ALLOC(&d_result, 2);
    if (!s) s = SPW_DEVICE_ALLOC(&d_sum, 2);
    if (!s) s = spw_device_copy_to(d_x, p->x, bytes);
    if (!s) s = spw_device_copy_to(d_w, p->w, bytes);
    if (!s) s = spw_spmv_with_dots_csr_cuda(&d_A, d_x, d_w, d_y, d_sum, d_sum + 1);
    for (int k = 0; k < 2 && !s; k++) s = spw_partials_sum_cuda(d_sum + k, d_result + k);
    if (!s) s = spw_device_copy_from(results, d_result, sizeof results);
    if (!s) s = spw_device_copy_from(p->y, d_y, bytes);
    spw_csr_device_destroy(&d_A);
    spw_device_free(d_x);
    spw_device_free(d_w);
    spw_device_free(d_y);
    spw_device_free(d_result);
    spw_device_free(d_sum);
    p->w_y = results[0];
    p->y_y = results[1];
    if (s) p->status = s;
}

static void check_product(const char *name, const spw_csr *matrix) {
    const int64_t n = matrix->n_rows;
    double *x = zeros(n), *w = zeros(n), *expected = zeros(n), *tolerance = zeros(n);
    product p = {.A = matrix, .x = x, .w = w, .y = zeros(n)};
    spw_case_vector(SEED, n, x);
    spw_case_vector(SEED + 1, n, w);
    spw_spmv_expected(matrix, x, expected, tolerance);
    const char *finding = on_device(run_product, &p);
    if (p.status) fail_msg("%s: %s", name, spw_message());
    if (finding) fail_msg("%s:\n%s", name, finding);
    double w_y = 0, y_y = 0, most_w = 0, most_y = 0;
    for (int64_t i = 0; i < n; i++) {
        if (!(fabs(p.y[i] - expected[i]) <= tolerance[i]))
            fail_msg("%s: row %d is %.17g, expected %.17g", name, (int)i, p.y[i], expected[i]);
        w_y += w[i] * p.y[i];
        y_y += p.y[i] * p.y[i];
        most_w += fabs(w[i] * p.y[i]);
        most_y += p.y[i] * p.y[i];
    }
    assert_true(fabs(p.w_y - w_y) <= DBL_EPSILON * (double)(n + 8) * most_w);
    assert_true(fabs(p.y_y - y_y) <= DBL_EPSILON * (double)(n + 8) * most_y);
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

/* kernels/cuda.h, formats/device_matrix.h and base/device.h: every CUDA kernel of the table on every case of
 * kit/cases.h and on matrices with rows that are cut. Run on the checker, and as a second program on a GPU. */
#include "kernels/cuda.h"

#include "formats/device_matrix.h"
#include "kernels/kernels.h"
#include "device/device_call.h"
#include "kit/cases.h"

enum { SEED = 4711 };

/* --- one kernel, one matrix: goes there, runs, comes back ------------------------------------- */

/* A matrix in the format of the kernel under test; exactly one is used. */
typedef struct matrix {
    spw_idx n_rows, n_cols;
    const spw_coo *coo;
    const spw_csr *csr;
    const spw_ell *ell;
    const spw_sell *sell;
    const spw_sellp *sellp;
} matrix;

typedef struct job {
    device_call call;
    const spw_kernel *v;
    matrix A;
    const double *expected, *tolerance;
} job;

static spw_status launch(const device_call *c, double **d) {
    const job *j = (const job *)c;
    const matrix *A = &j->A;
    spw_coo coo = {0};
    spw_csr csr = {0};
    spw_ell ell = {0};
    spw_sell sell = {0};
    spw_sellp sellp = {0};
    spw_status status = SPW_ERR_ARG;
    if (A->coo) status = spw_coo_to_device(A->coo, &coo);
    if (A->csr) status = spw_csr_to_device(A->csr, &csr);
    if (A->ell) status = spw_ell_to_device(A->ell, &ell);
    if (A->sell) status = spw_sell_to_device(A->sell, &sell);
    if (A->sellp) status = spw_sellp_to_device(A->sellp, &sellp);
    if (!status && A->coo)
        status = ((__typeof__(&spw_spmv_coo_cuda))j->v->function)(&coo, d[0], d[1]);
    if (!status && A->csr)
        status = ((__typeof__(&spw_spmv_csr_cuda))j->v->function)(&csr, d[0], d[1]);
    if (!status && A->ell)
        status = ((__typeof__(&spw_spmv_ell_cuda))j->v->function)(&ell, d[0], d[1]);
    if (!status && A->sell)
        status = ((__typeof__(&spw_spmv_sell_cuda))j->v->function)(&sell, d[0], d[1]);
    if (!status && A->sellp)
        status = ((__typeof__(&spw_spmv_sellp_cuda))j->v->function)(&sellp, d[0], d[1]);
    if (!status) status = spw_device_synchronise();
    spw_coo_device_destroy(&coo);
    spw_csr_device_destroy(&csr);
    spw_ell_device_destroy(&ell);
    spw_sell_device_destroy(&sell);
    spw_sellp_device_destroy(&sellp);
    return status;
}

static void look(device_call *c) {
    const job *j = (const job *)c;
    const double *y = c->out[1];
    for (spw_idx i = 0; i < j->A.n_rows && !*c->wrong; i++)
        if (!(fabs(y[i] - j->expected[i]) <= j->tolerance[i]))
            snprintf(c->wrong, sizeof c->wrong, "row %d is %.17g, expected %.17g", i, y[i],
                     j->expected[i]);
}

/* --- all kernels of a format ------------------------------------------------------------------ */

static void run_kernels(const char *name, const char *operation, const matrix *A, const double *x,
                        const double *expected, const double *tolerance) {
    const device_call call = {.run = launch,
                              .look = look,
                              .count = {A->n_cols, A->n_rows},
                              .in = {x, nans(A->n_rows)},
                              .out = {NULL, zeros(A->n_rows)}};
    for (const spw_kernel *v = spw_kernels(operation); v->symbol; v++) {
        job j = {.call = call, .v = v, .A = *A, .expected = expected, .tolerance = tolerance};
        assert_device_call(&j.call, "%s, %s", v->symbol, name);
    }
}

typedef void (*check_fn)(const char *name, const spw_csr *A, const double *x,
                         const double *expected, const double *tolerance);

static void check_matrix(check_fn check, const char *name, const spw_csr *A) {
    double *x = zeros(A->n_cols), *expected = zeros(A->n_rows), *tolerance = zeros(A->n_rows);
    spw_case_vector(SEED, A->n_cols, x);
    spw_spmv_expected(A, x, expected, tolerance);
    check(name, A, x, expected, tolerance);
}

static void check_cases(check_fn check) {
    for (int c = 0; c < spw_csr_case_count(); c++) {
        OWN(spw_csr) A = case_of(spw_csr_case_name(c), SEED);
        check_matrix(check, spw_csr_case_name(c), &A);
    }
}

static void check_generated(check_fn check, const char *name) {
    OWN(spw_csr) A = generated(name);
    check_matrix(check, name, &A);
}

static void check_csr(const char *name, const spw_csr *A, const double *x, const double *expected,
                      const double *tolerance) {
    const matrix M = {.n_rows = A->n_rows, .n_cols = A->n_cols, .csr = A};
    run_kernels(name, "spmv_csr_cuda", &M, x, expected, tolerance);
}

static void check_coo(const char *name, const spw_csr *A, const double *x, const double *expected,
                      const double *tolerance) {
    OWN(spw_coo) C;
    assert_ok(spw_coo_from_csr(A, &C));
    const matrix M = {.n_rows = A->n_rows, .n_cols = A->n_cols, .coo = &C};
    run_kernels(name, "spmv_coo_cuda", &M, x, expected, tolerance);
}

static void check_ell(const char *name, const spw_csr *A, const double *x, const double *expected,
                      const double *tolerance) {
    OWN(spw_ell) E;
    assert_ok(spw_ell_from_csr(A, &E));
    const matrix M = {.n_rows = A->n_rows, .n_cols = A->n_cols, .ell = &E};
    if (E.n_stored < 1 << 20) run_kernels(name, "spmv_ell_cuda", &M, x, expected, tolerance);
}

static void check_sell(const char *name, const spw_csr *A, const double *x, const double *expected,
                       const double *tolerance) {
    static const spw_idx shapes[][2] = {{1, 1}, {3, 9}, {32, 1}, {32, 128}, {200, 200}};
    for (int k = 0; k < 5; k++) {
        OWN(spw_sell) S;
        assert_ok(spw_sell_from_csr(A, shapes[k][0], shapes[k][1], &S));
        const matrix M = {.n_rows = A->n_rows, .n_cols = A->n_cols, .sell = &S};
        if (S.n_stored < 1 << 20) run_kernels(name, "spmv_sell_cuda", &M, x, expected, tolerance);
    }
}

static void check_sellp(const char *name, const spw_csr *A, const double *x, const double *expected,
                        const double *tolerance) {
    static const spw_idx shapes[][2] = {{1, 1}, {3, 5}, {32, 4}, {8, 32}, {100, 2}};
    for (int k = 0; k < 5; k++) {
        OWN(spw_sellp) S;
        assert_ok(spw_sellp_from_csr(A, shapes[k][0], shapes[k][1], &S));
        const matrix M = {.n_rows = A->n_rows, .n_cols = A->n_cols, .sellp = &S};
        if (S.n_stored < 1 << 20) run_kernels(name, "spmv_sellp_cuda", &M, x, expected, tolerance);
    }
}

TEST(csr_kernels_agree_with_the_expected_product) { check_cases(check_csr); }

/* With mean rows of 3 to 81 all widths of the warp kernel. */
TEST(csr_kernels_agree_on_many_blocks) {
    check_generated(check_csr, "stencil27:12");
    check_generated(check_csr, "tridiag:9000");
    check_generated(check_csr, "laplace3d:13");
    check_generated(check_csr, "fem3:7");
    check_generated(check_csr, "random:90x5000x400");
    check_generated(check_csr, "powerlaw:3000");
}

TEST(coo_kernels_agree_with_the_expected_product) {
    check_cases(check_coo);
    check_generated(check_coo, "stencil27:12");
}

TEST(coo_kernels_take_any_order_and_duplicates) {
    for (int c = 0; c < spw_coo_case_count(); c++) {
        OWN(spw_coo) A;
        assert_ok(spw_coo_case(spw_coo_case_name(c), SEED, &A));
        double *x = zeros(A.n_cols), *expected = zeros(A.n_rows), *tolerance = zeros(A.n_rows);
        spw_case_vector(SEED, A.n_cols, x);
        assert_ok(spw_spmv_coo_expected(&A, x, expected, tolerance));
        const matrix M = {.n_rows = A.n_rows, .n_cols = A.n_cols, .coo = &A};
        run_kernels(spw_coo_case_name(c), "spmv_coo_cuda", &M, x, expected, tolerance);
    }
}

TEST(ell_kernels_agree_with_the_expected_product) { check_cases(check_ell); }

TEST(sell_kernels_agree_with_the_expected_product) { check_cases(check_sell); }

TEST(sellp_kernels_agree_with_the_expected_product) { check_cases(check_sellp); }

static void too_many_threads(void *argument) {
    const spw_sellp S = {.n_rows = 1, .n_cols = 1, .b = 512, .t = 3, .n_slices = 1};
    *(spw_status *)argument = spw_spmv_sellp_cuda(&S, NULL, NULL);
}

TEST(sellp_with_too_many_threads_a_block_is_refused) {
    spw_status status = SPW_OK;
    assert_null(on_device(too_many_threads, &status));
    assert_error(status, SPW_ERR_ARG, "512 * 3");
}

/* --- vectors ---------------------------------------------------------------------------------- */

enum { LARGEST = 10007 };

/* x, y, z, which begins as y, and the result. */
typedef struct blas1 {
    device_call call;
    const spw_kernel *v;
} blas1;

static spw_status sum(const device_call *c, double **d) {
    return ((__typeof__(&spw_sum_cuda))((const blas1 *)c)->v->function)(c->count[0], d[0], d[3]);
}

static spw_status dot(const device_call *c, double **d) {
    return ((__typeof__(&spw_dot_cuda))((const blas1 *)c)->v->function)(c->count[0], d[0], d[1],
                                                                        d[3]);
}

static spw_status triad(const device_call *c, double **d) {
    return ((__typeof__(&spw_triad_cuda))((const blas1 *)c)->v->function)(c->count[0], -1.5, d[0],
                                                                          d[1], d[2]);
}

static spw_status axpby(const device_call *c, double **d) {
    return ((__typeof__(&spw_axpby_cuda))((const blas1 *)c)->v->function)(c->count[0], 0.75, d[0],
                                                                          -1.5, d[2]);
}

/* An element of the result is x_factor x + y_factor y. Those with scalars in device memory have tests of their
 * own, test_cuda_fused.c. */
static const struct vector_op {
    const char *operation;
    spw_status (*launch)(const device_call *c, double **d);
    bool is_sum;
    double x_factor, y_factor;
} vector_ops[] = {{"sum_cuda", sum, true, 1, 0},
                  {"dot_cuda", dot, true, 1, 1},
                  {"triad_cuda", triad, false, 1, -1.5},
                  {"axpby_cuda", axpby, false, 0.75, -1.5}};
enum { VECTOR_OPS = sizeof vector_ops / sizeof *vector_ops };

/* The expected element, and the error that it may have: a fused multiply-add rounds once, not twice. */
static double element(const struct vector_op *op, double x, double y, double *tolerance) {
    *tolerance = op->y_factor != 0 ? DBL_EPSILON * (2 * fabs(x) + 3 * fabs(y)) : 0;
    return op->x_factor * x + op->y_factor * y;
}

TEST(vector_kernels_agree_with_the_reference) {
    static const int64_t sizes[] = {0, 1, 31, 32, 33, 255, 256, 257, 1000, LARGEST};
    double *x = zeros(LARGEST), *y = zeros(LARGEST), *z = zeros(LARGEST);
    spw_case_vector(SEED, LARGEST, x);
    spw_case_vector(SEED + 1, LARGEST, y);
    int rows = 0;
    for (const struct vector_op *op = vector_ops; op < vector_ops + VECTOR_OPS; op++)
        for (const spw_kernel *v = spw_kernels(op->operation); v->symbol; v++)
            for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++, rows++) {
                const int64_t n = sizes[k];
                const double nan = NAN;
                double result, tolerance;
                blas1 b = {.call = {.run = op->launch,
                                    .count = {n, n, n, 1},
                                    .in = {x, y, y, &nan},
                                    .out = {NULL, NULL, z, &result}},
                           .v = v};
                assert_device_call(&b.call, "%s, n = %d", v->symbol, (int)n);
                if (op->is_sum) {
                    const double expected =
                        spw_dot_expected(n, x, op->y_factor != 0 ? y : NULL, &tolerance);
                    if (!(fabs(result - expected) <= tolerance))
                        fail_msg("%s, n = %d: %.17g, expected %.17g", v->symbol, (int)n, result,
                                 expected);
                    continue;
                }
                for (int64_t i = 0; i < n; i++) {
                    const double expected = element(op, x[i], y[i], &tolerance);
                    if (!(fabs(z[i] - expected) <= tolerance))
                        fail_msg("%s, n = %d: element %d is %.17g, expected %.17g", v->symbol,
                                 (int)n, (int)i, z[i], expected);
                }
            }
    assert_true(rows >= VECTOR_OPS);
}

/* --- the device itself ------------------------------------------------------------------------ */

static void memory(void *argument) {
    checked *c = (checked *)argument;
    double x[] = {1, 2, 3}, y[] = {0, 0, 0};
    double *d_x = NULL, *d_y = NULL, *none = x;
    CHECK(spw_device_available() == SPW_OK);
    CHECK(SPW_DEVICE_ALLOC(&d_x, 3) == SPW_OK);
    CHECK(SPW_DEVICE_ALLOC(&d_y, 3) == SPW_OK);
    CHECK(spw_device_copy_to(d_x, x, sizeof x) == SPW_OK);
    CHECK(spw_device_copy(d_y, d_x, sizeof x) == SPW_OK);
    CHECK(spw_device_copy_from(y, d_y, sizeof y) == SPW_OK);
    CHECK(y[0] == 1 && y[1] == 2 && y[2] == 3);
    CHECK(spw_device_zero(d_y + 1, sizeof *d_y) == SPW_OK);
    CHECK(spw_device_copy_from(y, d_y, sizeof y) == SPW_OK);
    CHECK(y[0] == 1 && y[1] == 0 && y[2] == 3);
    CHECK(spw_device_copy_to(NULL, NULL, 0) == SPW_OK);
    spw_device_free(d_x);
    spw_device_free(d_y);
    spw_device_free(NULL);

    CHECK(SPW_DEVICE_ALLOC(&none, 0) == SPW_OK && !none);
    none = x;
    CHECK(SPW_DEVICE_ALLOC(&none, -1) == SPW_ERR_ARG && !none);
    none = x;
    CHECK(SPW_DEVICE_ALLOC(&none, INT64_MAX) == SPW_ERR_MEMORY && !none);
    none = x;
    CHECK(SPW_DEVICE_ALLOC(&none, INT64_MAX / 16) == SPW_ERR_MEMORY && !none);
    CHECK(strstr(spw_message(), "GB free"));
    CHECK(spw_device_synchronise() == SPW_OK); /* the refusal leaves no error behind */

    spw_device_info info;
    CHECK(spw_device_properties(&info) == SPW_OK);
    CHECK(*info.name && info.multiprocessors > 0 && info.memory > 0);
}

static void time_is_measured(void *argument) {
    checked *c = (checked *)argument;
    spw_device_event *from = NULL, *to = NULL;
    double seconds = -1;
    CHECK(spw_device_event_create(&from) == SPW_OK);
    CHECK(spw_device_event_create(&to) == SPW_OK);
    CHECK(spw_device_event_record(from) == SPW_OK);
    CHECK(spw_device_event_record(to) == SPW_OK);
    CHECK(spw_device_event_seconds(from, to, &seconds) == SPW_OK);
    CHECK(seconds >= 0 && seconds < 10);
    spw_device_event_destroy(from);
    spw_device_event_destroy(to);
    spw_device_event_destroy(NULL);
}

TEST(device_memory_is_allocated_copied_and_refused) { RUN_CHECKED(memory); }

TEST(events_measure_time) { RUN_CHECKED(time_is_measured); }

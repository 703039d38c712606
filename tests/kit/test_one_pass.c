/* kit/one_pass.h: loops that are merged, and loops that are not. */
#include "kit/one_pass.h"

#include "judge/trial.h"
#include "test.h"

typedef struct operands {
    const spw_csr *A;
    int64_t n;
    const double *x;
    double *y, *sum;
} operands;

typedef double (*kernel)(int64_t n, const double *x, double *y);

static double merged(int64_t n, const double *x, double *y) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        y[i] += 2 * x[i];
        sum += y[i];
    }
    return sum;
}

/* A volatile pointer: nothing is merged by the compiler. */
static double apart(int64_t n, const double *x, double *y) {
    double sum = 0;
    for (volatile double *v = y; v < y + n; v++, x++) *v = *v + 2 * *x;
    for (const volatile double *v = y; v < y + n; v++) sum += *v;
    return sum;
}

static double seen; /* x[1] / y[1] as the kernel found them */

static double look(int64_t n, const double *x, double *y) {
    (void)n;
    seen = x[1] / y[1];
    return 0;
}

static void prepare(spw_trial *t, const char *name, void *at) {
    ((operands *)at)->n = strtoll(name, NULL, 10);
    spw_kit_quantity(t, "n", (double)((operands *)at)->n);
}

static void ones(spw_trial *t, const void *at, void *array, int64_t n) {
    (void)t, (void)at;
    for (int64_t i = 0; i < n; i++) ((double *)array)[i] = 1;
}

static void threes(spw_trial *t, const void *at, void *array, int64_t n) {
    (void)t, (void)at;
    for (int64_t i = 0; i < n; i++) ((double *)array)[i] = 3;
}

static const spw_argument arguments[] = {
    SPW_FILLED(operands, x, "n", .fill = ones),
    SPW_START(operands, y, "n", .fill = threes),
    SPW_NUMBER(operands, sum, "the sum"),
    {0},
};

static void call(const void *at, spw_function f) {
    const operands *o = (const operands *)at;
    *o->sum = ((kernel)f)(o->n, o->x, o->y);
}

static void expect(spw_trial *t, const void *at) {
    (void)t, (void)at;
    fail_msg("nothing is compared");
}

static const spw_kit kit = {arguments,        sizeof(operands),    .prepare = prepare, .call = call,
                            .expect = expect, .cost = "load 16 n", .one_pass = "merge"};
static const spw_part part = {.function = "axpy", SPW_ONE_PASS(&kit)};

static const char *said(spw_trial *t, kernel f) {
    *t = (spw_trial){.part = &part, .seed = 1, .threads = 1, .layout = SPW_RIGHT, .checks = true};
    assert_ok(spw_trial_begin(t, part.cases[0]));
    spw_trial_prepare(t, SPW_POISON_FINITE);
    spw_one_pass_call(t, (spw_function)f);
    return t->failed ? t->failure : "";
}

TEST(merged_loops_are_one_pass) {
    TRIAL t;
    assert_string_equal(said(&t, merged), "");
    assert_string_equal(t.facts, "n = 65536, 128 pages a vector");
    assert_true(t.checks);
    const double n = spw_kit_value(&t, "n"), *sum = ((const operands *)spw_kit_arguments(&t))->sum;
    assert_true(*sum == 5 * n);
}

TEST(loops_apart_are_told_with_their_vectors) {
    TRIAL t;
    assert_string_equal(said(&t, apart),
                        "axpy gives the right values, but not in one pass. So many times a vector "
                        "came\nfrom memory in one call: x 1, y 2.\nmerge");
}

TEST(vectors_hold_what_they_hold_elsewhere) {
    TRIAL t;
    assert_string_equal(said(&t, look), "");
    assert_true(fabs(seen - 1.0 / 3) < 1e-15);
}

/* With a matrix, the vectors are as long as that is tall. */
typedef double (*product)(const spw_csr *A, const double *x, double *y);

static double twice(const spw_csr *A, const double *x, double *y) {
    for (int round = 0; round < 2; round++)
        for (spw_idx i = 0; i < A->n_rows; i++) *(volatile double *)&y[i] = A->val[0] * x[i];
    return 0;
}

static void call_product(const void *at, spw_function f) {
    const operands *o = (const operands *)at;
    *o->sum = ((product)f)(o->A, o->x, o->y);
}

TEST(a_matrix_is_tridiagonal) {
    static const spw_argument of_product[] = {SPW_CSR(operands, A),
                                              SPW_RANDOM(operands, x, "n_cols"),
                                              SPW_OUTPUT(operands, y, "n_rows", ),
                                              SPW_NUMBER(operands, sum, "the sum"),
                                              {0}};
    static const spw_kit k = {of_product, sizeof(operands), .call = call_product,
                              .one_pass = "once"};
    static const spw_part p = {.function = "spmv", SPW_ONE_PASS(&k)};
    TRIAL t = {.part = &p, .seed = 1, .threads = 1, .layout = SPW_RIGHT, .checks = true};
    assert_ok(spw_trial_begin(&t, "passes"));
    assert_true(spw_kit_value(&t, "nz") == 3 * spw_kit_value(&t, "n_rows") - 2);
    spw_trial_prepare(&t, SPW_POISON_FINITE);
    spw_one_pass_call(&t, (spw_function)twice);
    assert_true(t.failed);
    assert_says(t.failure, "x 2, y 2.\nonce");
}

/* kit/krylov.h: the right steps of a method, and the sentence that each kind of wrong result gets. */

#include "judge/trial.h"
#include "kit/krylov.h"
#include "test.h"

/* Steepest descent: x += alpha r, alpha = r.r / r.A r; a matrix that is not positive definite breaks it down. */
typedef struct work_vectors {
    double *x, *r, *q;
} work_vectors;

static void begin(const spw_krylov *k, double *x, double *work, void *at, double *norm) {
    work_vectors *s = (work_vectors *)at;
    *s = (work_vectors){x, work, work + k->n};
    spw_system_product(k->A, x, s->q);
    for (int64_t i = 0; i < k->n; i++) s->r[i] = k->b[i] - s->q[i];
    norm[SPW_NORM_R] = sqrt(spw_system_dot(k->n, s->r, s->r));
    norm[SPW_NORM_LARGEST] = spw_system_largest(k->n, s->r);
}

static int step(const spw_krylov *k, double enough, void *at, double *norm) {
    (void)enough;
    work_vectors *s = (work_vectors *)at;
    spw_system_product(k->A, s->r, s->q);
    const double r_q = spw_system_dot(k->n, s->r, s->q);
    if (!(r_q > 0)) return SPW_KRYLOV_BREAKDOWN;
    const double alpha = spw_system_dot(k->n, s->r, s->r) / r_q;
    for (int64_t i = 0; i < k->n; i++) {
        s->x[i] += alpha * s->r[i];
        s->r[i] -= alpha * s->q[i];
    }
    norm[SPW_NORM_R] = sqrt(spw_system_dot(k->n, s->r, s->r));
    norm[SPW_NORM_LARGEST] = spw_system_largest(k->n, s->r);
    return SPW_KRYLOV_ITERATIONS;
}

static const spw_krylov_case cases[] = {
    {"two-steps", "laplace2d:3x2", 0, SPW_B_RANDOM, SPW_X_RANDOM, 0, 2, 0},
    {"converges", "laplace2d:4x3", 0, SPW_B_RANDOM, SPW_X_FAR, 1e-4, 200, 0},
    {"small-b", "laplace2d:4x3", 0, SPW_B_SMALL, SPW_X_0, 1e-4, 200, 0},
    {"solved", "laplace2d:4x3", 0, SPW_B_OF_ONES, SPW_X_ONES, 1e-4, 200, 0},
    {"too-few", "laplace2d:4x3", 0, SPW_B_RANDOM, SPW_X_0, 1e-4, 3, 0},
    {"negative", "laplace2d:4x3", 9, SPW_B_RANDOM, SPW_X_0, 1e-4, 200, 0},
    {0}};
static const char *const stops[] = {"GOOD", "ENDED", "BROKEN", NULL};
static const char *const breakdowns[] = {"r.A r is below 0"};
static const spw_krylov_method method = {.cases = cases,
                                         .timed_steps = 5,
                                         .digits = 1e-10,
                                         .vectors = 2,
                                         .state_size = sizeof(work_vectors),
                                         .begin = begin,
                                         .step = step,
                                         .stops = stops,
                                         .breakdowns = breakdowns,
                                         .false_alarm = "nothing broke",
                                         .divided = "ask before it",
                                         .too_many = "too many steps",
                                         .which_test = "which test?",
                                         .drifted = "drifted"};

static const spw_argument none[] = {{0}};
static const spw_kit kit = SPW_KRYLOV_KIT(none, spw_krylov, NULL, method, );
static const spw_part part = {.function = "solve", SPW_KIT(&kit)};

static spw_trial t;

/* In the place of the one before. */
static spw_krylov *laid_out(const char *name) {
    spw_trial_end(&t);
    t = (spw_trial){.part = &part, .seed = 5, .threads = 1, .layout = SPW_RIGHT, .checks = true};
    assert_ok(spw_trial_begin(&t, name));
    spw_trial_prepare(&t, SPW_POISON_FINITE);
    return (spw_krylov *)(uintptr_t)spw_kit_arguments(&t);
}

/* What the claim says of a result; NULL: nothing. With x of the right steps but for `iterations`. */
static const char *said(const spw_krylov *k, int stop, int iterations, double residual) {
    spw_krylov_returned(k, stop, iterations, residual);
    t.failed = false;
    spw_krylov_claim(&t);
    return t.failed ? t.failure : NULL;
}

/* So many steps of the method, on the answer's x; ||r|| of it. */
static double take(const spw_krylov *k, int steps) {
    double work[64], norm[SPW_KRYLOV_NORMS];
    work_vectors s;
    assert_true(2 * k->n <= 64);
    memcpy(k->x, k->start, (size_t)k->n * sizeof *k->x);
    begin(k, k->x, work, &s, norm);
    for (int i = 0; i < steps; i++) assert_int_equal(step(k, 0, &s, norm), SPW_KRYLOV_ITERATIONS);
    return norm[SPW_NORM_R];
}

TEST(the_right_answer_is_right) {
    for (const spw_krylov_case *c = cases; c->name; c++) {
        const spw_krylov *k = laid_out(c->name);
        const int steps = k->iterations;
        assert_null(said(k, k->stop, steps, take(k, steps)));
        for (int64_t i = 0; i < k->n; i++)
            assert_true(fabs(k->x[i] - k->right[i]) <= 1e-12 * fabs(k->x[i]));
    }
}

TEST(a_case_ends_as_it_says) {
    static const struct {
        const char *name;
        int stop, iterations; /* -1: it depends on the numbers */
    } ends[] = {{"two-steps", 1, 2},
                {"converges", 0, -1},
                {"solved", 0, 0},
                {"too-few", 1, 3},
                {"negative", 2, 0}};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        const spw_krylov *k = laid_out(ends[i].name);
        assert_int_equal(k->stop, ends[i].stop);
        if (ends[i].iterations >= 0)
            assert_int_equal(k->iterations, ends[i].iterations);
        else
            assert_true(k->iterations > 3 &&
                        k->norm[SPW_NORM_R][k->iterations] <= 1e-4 * k->norm_b &&
                        k->norm[SPW_NORM_R][k->iterations - 1] > 1e-4 * k->norm_b);
    }
}

TEST(another_matrix_is_a_timed_case) {
    const spw_krylov *k = laid_out("laplace2d:5x4");
    assert_int_equal(k->most, 5);
    assert_true(k->system == NULL && k->n == 20 && spw_kit_value(&t, "steps") == 5);
    assert_int_equal(k->n_history, 6); /* nobody asks for a history there */
    assert_true(spw_kit_value(&t, "n") == 20);
    (void)laid_out("solved");
    assert_true(spw_kit_value(&t, "steps") == 0);
}

TEST(wrong_tests_have_names) {
    const spw_krylov *k = laid_out("small-b");
    int first = 0; /* below the tolerance itself */
    while (k->norm[SPW_NORM_R][first] > 1e-4) first++;
    assert_int_equal(first, 0); /* b is small: at once */
    assert_says(said(k, 0, 0, take(k, 0)), "where ||r|| falls below the tolerance itself");
    k = laid_out("converges");
    int of_first = 0;
    while (k->norm[SPW_NORM_R][of_first] > 1e-4 * k->norm[SPW_NORM_R][0]) of_first++;
    assert_true(of_first < k->iterations - 2);
    assert_says(said(k, 0, of_first, take(k, of_first)), "tolerance * ||r0||");
    assert_says(said(k, 1, 201, take(k, k->iterations)), "max_iterations is there");
    assert_says(said(k, 0, 199, take(k, 199)), "too many steps");
    assert_says(said(k, 0, 1, take(k, 1)), "which test?");
    k = laid_out("solved");
    assert_says(said(k, 0, 1, 0), "One step too many");
}

TEST(breakdowns_have_names) {
    const spw_krylov *k = laid_out("negative");
    assert_says(said(k, 0, 7, take(k, 0)), "it must be BROKEN, after 0.\nr.A r is below 0");
    assert_says(said(k, 2, 1, take(k, 0)), "the step that broke down does not count");
    k->x[1] = NAN;
    assert_says(said(k, 2, 0, 1), "x[1] is nan: something was divided by 0.\nr.A r is below 0");
    k = laid_out("solved");
    assert_says(said(k, 2, 0, 0),
                "BROKEN was returned after 0 iterations, expected GOOD.\nnothing broke");
    assert_says(said(k, 7, 0, 0), "something else");
    assert_says(said(k, -1, 0, 0), "something else");
    assert_says(said(k, 0, 0, NAN),
                "residual is nan: where was something divided by 0?\nask before it");
}

TEST(a_residual_that_is_not_there_has_a_name) {
    const spw_krylov *k = laid_out("too-few");
    const double norm = take(k, 3), before = k->norm[SPW_NORM_R][2];
    assert_null(said(k, 1, 3, norm));
    assert_says(said(k, 1, 3, norm * norm), "This is r.r");
    assert_says(said(k, 1, 3, norm / k->norm_b), "||r|| / ||b||");
    assert_says(said(k, 1, 3, before), "a stale residual");
    assert_says(said(k, 1, 3, 7 * norm), "drifted");
    take(k, 2);
    assert_says(said(k, 1, 3, norm), "x is one step behind r");
    assert_says(said(k, 0, 3, norm), "expected ENDED");
    assert_says(said(k, 0, 3, norm), "It has not converged");
}

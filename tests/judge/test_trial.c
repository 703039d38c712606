/* The arrays of a trial: guards, poison, slack, and what is said of a wrong result. */
#include "judge/explain.h"
#include "judge/trial.h"
#include "test.h"

#include <signal.h>

enum { N = 8 };

typedef struct data {
    double *x, *y;
    spw_idx *k;
    double expected[N], tolerance[N], mistake[N];
} data;

static void describe(const spw_trial *t, int64_t i, char *text, int size) {
    (void)t;
    snprintf(text, (size_t)size, "%s", i == 2 ? "the row has no entries" : "");
}

static spw_status setup(spw_trial *t, const char *name) {
    data *d = (data *)spw_trial_memory(t, 1, sizeof *d);
    if (!d) return SPW_ERR_MEMORY;
    d->x = spw_trial_random(t, "x", N);
    d->y = (double *)spw_trial_output(t, "y", SPW_DOUBLE, N);
    if (!d->x || !d->y) return SPW_ERR_MEMORY;
    for (int i = 0; i < N; i++) {
        d->expected[i] = i == 2 ? 0 : 1 + 0.37 * i;
        d->tolerance[i] = strcmp(name, "iterate") == 0 ? 1e-9 : 8 * 2.2e-16 * fabs(d->expected[i]);
        d->mistake[i] = i;
    }
    spw_trial_expect(t, d->y,
                     (spw_expectation){.expected = d->expected,
                                       .tolerance = d->tolerance,
                                       .count = N,
                                       .noun = strcmp(name, "rows") == 0 ? "row" : NULL,
                                       .describe = describe});
    spw_trial_mistake(t, d->y, d->mistake, "it holds the row numbers");
    spw_trial_unit(t, "nz", 46);
    return SPW_OK;
}

static const spw_part part = {.function = "f", .setup = setup};

static spw_trial begin(spw_layout layout, const char *name) {
    spw_trial t = {.part = &part, .seed = 4711, .threads = 1, .layout = layout, .checks = true};
    assert_ok(spw_trial_begin(&t, name));
    spw_trial_prepare(&t, SPW_POISON_FINITE);
    return t;
}

static double *right_result(spw_trial *t) {
    data *d = (data *)spw_trial_data(t);
    memcpy(d->y, d->expected, sizeof d->expected);
    return d->y;
}

/* What is said after `change` was made to the right result. */
static void expect_text(void (*change)(double *y), spw_poison poison, const char *piece) {
    char text[1024] = "";
    TRIAL t = begin(SPW_RIGHT, "rows");
    if (poison == SPW_POISON_NAN) spw_trial_prepare(&t, poison);
    double poisoned[N], *y = ((data *)spw_trial_data(&t))->y;
    memcpy(poisoned, y, sizeof poisoned);
    right_result(&t);
    if (change)
        change(y);
    else
        memcpy(y, poisoned, sizeof poisoned);
    assert_false(spw_trial_compare(&t, poison, text, sizeof text));
    if (!strstr(text, piece)) fail_msg("'%s' is not in '%s'", piece, text);
}

static void double_all(double *y) {
    for (int i = 0; i < N; i++) y[i] *= 2;
}

static void negate_all(double *y) {
    for (int i = 0; i < N; i++) y[i] *= -1;
}

static void round_to_float(double *y) {
    for (int i = 0; i < N; i++) y[i] = (double)(float)y[i];
}

static void add_to_garbage(double *y) {
    for (int i = 0; i < N; i++) y[i] += spw_poison_double(i);
}

static void leave_row_2(double *y) { y[2] = spw_poison_double(2); }

static void shift(double *y) { memmove(y + 1, y, (N - 1) * sizeof *y); }

static void number_rows(double *y) {
    for (int i = 0; i < N; i++) y[i] = i;
}

static void lose_tail(double *y) { y[N - 1] = y[N - 2] = 0.125; }

static void one_nan(double *y) { y[4] = (double)NAN; }

TEST(typical_mistakes_are_named) {
    expect_text(double_all, SPW_POISON_FINITE, "every value twice as large");
    expect_text(negate_all, SPW_POISON_FINITE, "every value has the wrong sign");
    expect_text(round_to_float, SPW_POISON_FINITE, "float arithmetic");
    expect_text(add_to_garbage, SPW_POISON_FINITE, "was added to, not overwritten");
    expect_text(NULL, SPW_POISON_FINITE, "was never written");
    expect_text(shift, SPW_POISON_FINITE, "shifted by one");
    expect_text(number_rows, SPW_POISON_FINITE, "it holds the row numbers");
    expect_text(lose_tail, SPW_POISON_FINITE, "the last 2 rows are wrong, the first 6 are right");
}

/* What is said of wrong entries that are none of the patterns. */
static void expect_no_pattern(const char *name, void (*change)(double *y), const char *pattern) {
    char text[1024] = "";
    TRIAL t = begin(SPW_RIGHT, name);
    change(right_result(&t));
    assert_false(spw_trial_compare(&t, SPW_POISON_FINITE, text, sizeof text));
    if (strstr(text, pattern)) fail_msg("'%s' is in '%s'", pattern, text);
}

static void a_step_too_short(double *y) {
    for (int i = 0; i < N; i++) y[i] *= 0.98;
}

static void edges_and_one_between(double *y) {
    y[0] = y[N - 1] = 0.125;
    y[4] = y[3];
}

TEST(what_only_looks_like_a_pattern_is_not_named) {
    expect_no_pattern("iterate", a_step_too_short, "float arithmetic");
    expect_no_pattern("rows", edges_and_one_between, "shifted by one");
}

TEST(an_entry_that_was_not_written_is_named_with_what_is_special_about_it) {
    expect_text(leave_row_2, SPW_POISON_FINITE,
                "row 2: got 7718.06, expected 0  (the row has no entries)");
    expect_text(leave_row_2, SPW_POISON_FINITE, "y[2] was never written");
}

TEST(nan_is_outside_every_tolerance) {
    expect_text(one_nan, SPW_POISON_FINITE, "row 4: got nan");
    expect_text(one_nan, SPW_POISON_NAN, "is NaN: it was read before it was written");
}

TEST(the_right_result_passes_in_every_layout) {
    const spw_layout layouts[] = {SPW_PLAIN, SPW_RIGHT, SPW_LEFT};
    char text[256];
    for (int k = 0; k < 3; k++) {
        TRIAL t = begin(layouts[k], "plain");
        right_result(&t);
        assert_true(spw_trial_compare(&t, SPW_POISON_FINITE, text, sizeof text));
        assert_true(spw_trial_slack_intact(&t, text, sizeof text));
    }
}

static sigjmp_buf back;

static void jump(int number) {
    (void)number;
    siglongjmp(back, 1);
}

/* Does reading or writing *p fault? */
static int faults(volatile double *p, int write) {
    struct sigaction action = {.sa_handler = jump, .sa_flags = SA_NODEFER}, old[2];
    sigaction(SIGSEGV, &action, &old[0]);
    sigaction(SIGBUS, &action, &old[1]);
    int faulted = 1;
    if (!sigsetjmp(back, 1)) {
        if (write)
            *p = 1;
        else
            (void)*p;
        faulted = 0;
    }
    sigaction(SIGSEGV, &old[0], NULL);
    sigaction(SIGBUS, &old[1], NULL);
    return faulted;
}

TEST(one_past_the_end_faults_on_the_right_and_one_before_on_the_left) {
    TRIAL t = begin(SPW_RIGHT, "plain");
    data *d = (data *)spw_trial_data(&t);
    int64_t index;
    assert_true(faults(d->y + N, 1));
    assert_true(faults(d->x + N, 0));
    assert_false(faults(d->y + N - 1, 1));
    assert_ptr_equal(spw_trial_find(&t, d->y + N, &index)->data, d->y);
    assert_int_equal(index, N);
    spw_trial_end(&t);

    t = begin(SPW_LEFT, "plain");
    d = (data *)spw_trial_data(&t);
    assert_true(faults(d->y - 1, 1));
    assert_true(faults(d->x - 1, 0));
    assert_ptr_equal(spw_trial_find(&t, (char *)d->y - 1, &index)->data, d->y);
    assert_int_equal(index, -1);
}

TEST(inputs_are_read_only_during_a_call) {
    TRIAL t = begin(SPW_RIGHT, "plain");
    data *d = (data *)spw_trial_data(&t);
    assert_true(faults(d->x, 1));
    assert_false(faults(d->x, 0));
}

TEST(a_write_into_the_slack_is_seen) {
    char text[256];
    TRIAL t = begin(SPW_RIGHT, "plain");
    data *d = (data *)spw_trial_data(&t);
    d->y[-2] = 1;
    assert_false(spw_trial_slack_intact(&t, text, sizeof text));
    assert_string_equal(text, "wrote y[-2]: before the beginning of y");
    spw_trial_end(&t);

    t = begin(SPW_LEFT, "plain");
    d = (data *)spw_trial_data(&t);
    d->y[N + 3] = 1;
    assert_false(spw_trial_slack_intact(&t, text, sizeof text));
    assert_string_equal(text, "wrote y[11]: the array has 8 entries");
}

TEST(random_inputs_are_distinct_and_depend_on_seed_and_name_alone) {
    spw_trial t = begin(SPW_RIGHT, "plain"), u = begin(SPW_PLAIN, "plain");
    const double *x = ((data *)spw_trial_data(&t))->x, *y = ((data *)spw_trial_data(&u))->x;
    for (int i = 0; i < N; i++) {
        assert_true(x[i] == y[i]);
        assert_true(fabs(x[i]) >= 0.5 && fabs(x[i]) <= 1.5);
        for (int k = 0; k < i; k++) assert_true(x[i] != x[k]);
    }
    spw_trial_end(&t);
    spw_trial_end(&u);
}

TEST(a_difference_is_given_in_units_where_one_fits) {
    char text[64];
    TRIAL t = begin(SPW_PLAIN, "plain");
    spw_explain_difference(&t, 4 * 46, "bytes", text, sizeof text);
    assert_string_equal(text, "larger by 4 nz");
    spw_explain_difference(&t, -46, "bytes", text, sizeof text);
    assert_string_equal(text, "smaller by 1 nz");
    spw_explain_difference(&t, 17, "bytes", text, sizeof text);
    assert_string_equal(text, "larger by 17 bytes");
}

TEST(a_failed_allocation_is_a_status_and_leaks_nothing) {
    spw_trial t;
    const spw_trial before = {.part = &part, .threads = 1, .layout = SPW_PLAIN, .checks = true};
    assert_true(FAILURES((t = before, spw_trial_begin(&t, "plain")), (spw_trial_end(&t), true)) >
                0);
    spw_trial_end(&t);
}

/* An array of float: 4 bytes an entry, poisoned, and compared as any other. */
static spw_status setup_float(spw_trial *t, const char *name) {
    (void)name;
    static const float halves[N] = {0, 0.5F, 1, 1.5F, 2, 2.5F, 3, 3.5F};
    float **y = (float **)spw_trial_memory(t, 1, sizeof *y);
    if (!y) return SPW_ERR_MEMORY;
    *y = (float *)spw_trial_output(t, "single", SPW_FLOAT, N);
    if (!*y) return SPW_ERR_MEMORY;
    spw_trial_expect(t, *y, (spw_expectation){.expected = halves, .count = N});
    return SPW_OK;
}

TEST(an_array_of_float_is_poisoned_and_compared) {
    char text[1024] = "";
    const spw_part floats = {.function = "f", .setup = setup_float};
    TRIAL t = {.part = &floats, .threads = 1, .layout = SPW_RIGHT, .checks = true};
    assert_ok(spw_trial_begin(&t, "float"));
    float *y = *(float **)spw_trial_data(&t);
    assert_int_equal(spw_trial_bytes(&t), 4 * N);
    spw_trial_prepare(&t, SPW_POISON_NAN);
    assert_true(isnan(y[0]) && isnan(y[N - 1]));
    spw_trial_prepare(&t, SPW_POISON_FINITE);
    assert_false(spw_trial_compare(&t, SPW_POISON_FINITE, text, sizeof text));
    assert_says(text, "single[0] was never written");
    for (int i = 0; i < N; i++) y[i] += 0.5F * (float)i;
    assert_false(spw_trial_compare(&t, SPW_POISON_FINITE, text, sizeof text));
    assert_says(text, "was added to, not overwritten");
    for (int i = 0; i < N; i++) y[i] = 0.5F * (float)i;
    assert_true(spw_trial_compare(&t, SPW_POISON_FINITE, text, sizeof text));
}

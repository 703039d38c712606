/* kit/kit.h: costs and slips in words, quantities, parameters of a case, the lay-out, and the ways out of it. */
#include "kit/kit.h"

#include "formats/sell.h"
#include "judge/trial.h"
#include "kit/cases.h"
#include "kit/device_systems.h"
#include "perf/terms.h"
#include "test.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- terms ----------------------------------------------------------------------------------------- */

static double n_is_10(const void *context, const char *name, size_t length) {
    (void)context;
    assert_int_equal(length, 1);
    return *name == 'n' ? 10 : *name == 'm' ? 4 : (fail(), 0);
}

static const spw_quantities of_n = {n_is_10, NULL};

static double value(const char *text) { return spw_terms_value(&text, of_n); }

TEST(terms_are_sums_of_products) {
    assert_true(value("7") == 7);
    assert_true(value("12 n") == 120);
    assert_true(value("-n + 2") == -8);
    assert_true(value("4 (n + 1) - m") == 40);
    assert_true(value("2 m n / (m - 2) 3") == 120);
    assert_true(value("n m") == 40);
    const spw_cost c = spw_terms_cost("load 12 n + 4; flop 2 n m", of_n);
    assert_true(c.load == 124 && c.store == 0 && c.flop == 80);
    const spw_cost none = spw_terms_cost("", of_n);
    assert_true(none.load == 0 && none.store == 0 && none.flop == 0);
}

static bool fits(const char *slip, double load, double store, double flop) {
    return spw_terms_fit(slip, of_n, (spw_cost){load, store, flop}, (spw_cost){100, 50, 20});
}

TEST(slips_fit_what_they_say) {
    assert_true(fits("load -8 n", 20, 50, 20));
    assert_false(fits("load -8 n", 20, 40, 20)); /* all three are compared */
    assert_false(fits("load -8 n", 21, 50, 20));
    assert_true(fits("load n; store -n", 110, 40, 20));
    assert_true(fits("= load 3 n", 30, 1, 1));
    assert_false(fits("= load 10 n", 100, 1, 1)); /* that is right, others are wrong */
    assert_false(fits("= load 3 n", 31, 50, 20));
    assert_true(fits("> flop 2 n", 0, 0, 21));
    assert_false(fits("> flop 2 n", 100, 50, 20));
}

/* Does it end by abort? The words it leaves behind are for those who write a driver. */
static void assert_aborts(void (*work)(void)) {
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        fclose(stderr);
        work();
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static void no_word(void) { spw_terms_cost("12 n", of_n); }

static void two_signs(void) { value("n + / 2"); }

static void open_bracket(void) { value("4 (n + 1"); }

TEST(what_is_no_text_of_terms_aborts) {
    assert_aborts(no_word);
    assert_aborts(two_signs);
    assert_aborts(open_bracket);
}

/* --- a part ---------------------------------------------------------------------------------------- */

typedef struct operands {
    const spw_csr *A;
    const spw_sell *S, *room;
    const double *x;
    double *y, *z, *sum;
    spw_idx *order;
    int seen;
} operands;

static void ones(spw_trial *t, const void *at, void *array, int64_t n) {
    (void)t, (void)at;
    for (int64_t i = 0; i < n; i++) ((double *)array)[i] = 1;
}

static const spw_argument arguments[] = {
    SPW_HIDDEN(operands, A, &spw_kit_csr, NULL),
    SPW_MATRIX(operands, S, &spw_kit_sell, spw_kit_to_sell, ),
    SPW_LIKE(operands, room, &spw_kit_sell, "S->"),
    SPW_FILLED(operands, x, "n_cols", .fill = ones),
    SPW_OUTPUT(operands, y, "n_rows", .noun = "row"),
    SPW_START(operands, z, "n_rows", ),
    SPW_ROOM(operands, order, "n_rows + 1", ),
    SPW_NUMBER(operands, sum, "the sum"),
    {0},
};

static void prepare(spw_trial *t, const char *name, void *at) {
    ((operands *)at)->seen = strcmp(name, "slides") == 0;
    spw_kit_quantity(t, "five", 5);
    spw_kit_quantity(t, ".six", 6);
}

static void expect(spw_trial *t, const void *at) {
    const operands *o = (const operands *)at;
    spw_kit_expect_product(t, o->y, o->A, o->x);
    spw_kit_expect(t, o->room->perm, o->S->perm, NULL);
    spw_kit_expect_sum(t, o->sum, o->A->n_cols, o->x, NULL);
    const double *z = spw_kit_start(t, o->z);
    spw_kit_expect_combination(t, o->z, o->A->n_rows, (const double *[3]){z, z},
                               (spw_combination[]){{{1, 1}, NULL}, {{1, 0}, "as before"}}, 2);
}

static const spw_slip slips[] = {{"load -8 n_cols", "x has to be loaded, too"}, {0}};
static const spw_slip shared[] = {{"store -8 n_rows", "y has to be stored"}, {0}};

static void call(const void *at, spw_function f) {
    (void)f;
    const operands *o = (const operands *)at;
    double tolerance[6];
    spw_spmv_expected(o->A, o->x, o->y, tolerance);
    memcpy(o->room->perm, o->S->perm, 6 * sizeof *o->S->perm);
    for (int i = 0; i < 6; i++) o->z[i] *= 2;
    *o->sum = 6;
}

static const spw_kit kit = {
    arguments,
    sizeof(operands),
    .parameters = "@C=2,sigma=6",
    .prepare = prepare,
    .facts = "SELL-{C}-{sigma}, {size}, beta {beta:2}",
    .call = call,
    .expect = expect,
    .cost = "load 12 n_stored + 4 (n_chunks + 1) + 8 n_cols; store 8 n_rows; flop 2 nz",
    .slips = slips,
    .more_slips = shared,
};
static const spw_part part = {.function = "f", SPW_KIT(&kit)};

static spw_trial begin(const spw_part *p, const char *name) {
    spw_trial t = {.part = p, .seed = 4711, .threads = 1, .layout = SPW_RIGHT, .checks = true};
    assert_ok(spw_trial_begin(&t, name));
    spw_trial_prepare(&t, SPW_POISON_FINITE);
    return t;
}

/* Of a part of this kit, until the next. */
static spw_trial begin_kit(const spw_kit *k, const char *name) {
    static spw_part p;
    p = (spw_part){.function = "f", SPW_KIT(k)};
    return begin(&p, name);
}

TEST(a_declaration_is_laid_out) {
    char text[1024];
    TRIAL t = begin(&part, "slides@2,6");
    const operands *o = (const operands *)spw_kit_arguments(&t);
    assert_true(o->seen);
    assert_string_equal(spw_kit_case(&t), "slides");
    assert_string_equal(t.facts, "SELL-2-6, 6 x 6, nz 12, beta 0.75");
    assert_int_equal(o->S->n_stored, 16);
    assert_null(o->room->row_len);
    assert_true(o->x[0] == 1 && o->x[5] == 1);
    assert_true(spw_kit_value(&t, "six + five") == 11);
    assert_false(spw_trial_compare(&t, SPW_POISON_FINITE, text, sizeof text));
    assert_says(text, "was never written");
    spw_kit_call(&t, NULL);
    assert_true(spw_trial_is_right(&t, SPW_POISON_FINITE, text, sizeof text));
    memcpy(o->z, spw_kit_start(&t, o->z), 6 * sizeof *o->z);
    assert_false(spw_trial_compare(&t, SPW_POISON_FINITE, text, sizeof text));
    assert_says(text, "as before");
}

TEST(parameters_have_defaults) {
    TRIAL t = begin(&part, "slides");
    assert_string_equal(t.facts, "SELL-2-6, 6 x 6, nz 12, beta 0.75");
    spw_trial_end(&t);
    t = begin(&part, "slides@3");
    assert_true(spw_kit_value(&t, "C") == 3 && spw_kit_value(&t, "sigma") == 6);
}

typedef struct vectors {
    double s;
    int64_t n;
    int k;
    double *x;
} vectors;
static const spw_argument of_vectors[] = {SPW_VALUE(vectors, s, "s"),
                                          SPW_VALUE(vectors, n, "n"),
                                          SPW_VALUE(vectors, k, "k + 1"),
                                          SPW_OUTPUT(vectors, x, "n"),
                                          {0}};
static const spw_kit of_lengths = {of_vectors, sizeof(vectors), .parameters = "/k=4,s=0.5",
                                   .facts = "n = {n}"};

TEST(a_name_of_digits_is_a_length) {
    TRIAL t = begin_kit(&of_lengths, "1009");
    const vectors *v = spw_kit_arguments(&t);
    assert_true(v->n == 1009 && v->k == 5 && v->s == 0.5);
    assert_string_equal(t.facts, "n = 1009");
    spw_trial_end(&t);
    t = begin_kit(&of_lengths, "7/3,1e-6");
    v = spw_kit_arguments(&t);
    assert_true(v->n == 7 && v->k == 4 && v->s == 1e-6);
}

TEST(quantities_are_told_once) {
    TRIAL t = begin(&part, "slides");
    const char *const told[] = {"five", "nz", "n_stored", "n_rows", "(n_chunks + 1)"};
    assert_int_equal(t.n_units, 5); /* not six, and not n_cols, which is n_rows */
    for (int u = 0; u < 5; u++) assert_string_equal(t.unit_names[u], told[u]);
}

TEST(what_the_answer_sees_gives_its_sizes) {
    TRIAL t = begin(&part, "slides");
    assert_true(spw_kit_value(&t, "stored") == 16 && spw_kit_value(&t, "pointers") == 4);
}

/* Rows of 3 entries, 5 apart: their ends must stay. */
TEST(what_is_between_rows_must_stay) {
    static const spw_argument rows[] = {SPW_OUTPUT(operands, y, "10", .gaps = "apart"), {0}};
    char text[256];
    for (int apart = 0; apart < 2; apart++) {
        const spw_kit k = {.arguments = rows,
                           .size = sizeof(operands),
                           .parameters = apart ? "@apart=2" : "@apart=0"};
        TRIAL t = begin_kit(&k, "");
        const operands *o = (const operands *)spw_kit_arguments(&t);
        const double *before = spw_kit_start(&t, o->y);
        assert_true(apart ? before && before[9] == o->y[9] : !before);
        double *right = spw_kit_doubles(&t, 10);
        memcpy(right, o->y, 10 * sizeof *right);
        spw_kit_expect(&t, o->y, right, NULL);
        assert_true(spw_trial_compare(&t, SPW_POISON_FINITE, text, sizeof text));
        o->y[4] = 0;
        assert_false(spw_trial_compare(&t, SPW_POISON_FINITE, text, sizeof text));
    }
}

TEST(what_the_answer_does_not_see_is_gone_when_it_is_timed) {
    TRIAL t = {.part = &part, .seed = 1, .threads = 1, .layout = SPW_PLAIN};
    assert_ok(spw_trial_begin(&t, "slides"));
    const operands *o = (const operands *)spw_kit_arguments(&t);
    assert_null(o->A);
    assert_int_equal(o->S->n_stored, 16);
}

static const double numbers[] = {1, 2, 3};

static void expect_shares(spw_trial *t, const void *at) {
    static const spw_taken_mistake mistakes[] = {
        {spw_taken_none, "none"}, {spw_taken_once, "one"}, {0}};
    const operands *o = (const operands *)at;
    spw_kit_expect_sum(t, o->sum, 3, numbers, numbers);
    spw_trial_taken_mistakes(t, o->sum, 3, numbers, numbers, 1, mistakes);
}

TEST(shares_of_a_sum_have_their_sentence) {
    static const spw_argument sum[] = {SPW_NUMBER(operands, sum, "the sum"), {0}};
    static const spw_kit k = {sum, sizeof(operands), .expect = expect_shares};
    static const struct {
        double value;
        const char *text;
    } left[] = {{0, "none"}, {1, "one"}, {14, ""}};
    for (int m = 0; m < 3; m++) {
        char text[256] = "";
        TRIAL t = begin_kit(&k, "");
        *((const operands *)spw_kit_arguments(&t))->sum = left[m].value;
        assert_true(spw_trial_compare(&t, SPW_POISON_FINITE, text, sizeof text) == (m == 2));
        assert_says(text, left[m].text);
    }
}

TEST(models_are_explained) {
    TRIAL t = begin(&part, "slides");
    const spw_cost truth = spw_kit_cost(&t);
    assert_true(truth.load == 12 * 16 + 4 * 4 + 48 && truth.store == 48 && truth.flop == 24);
    const struct {
        spw_cost d;
        const char *text;
    } known[] = {{{-48, 0, 0}, "x has to be loaded, too"},
                 {{0, -48, 0}, "y has to be stored"},
                 {{1, 0, 0}, ""}};
    for (int k = 0; k < 3; k++) {
        char text[256] = "";
        spw_kit_explain(&t,
                        (spw_cost){truth.load + known[k].d.load, truth.store + known[k].d.store,
                                   truth.flop + known[k].d.flop},
                        text, sizeof text);
        assert_string_equal(text, known[k].text);
    }
}

/* --- models of several parts ------------------------------------------------------------------------- */

static spw_cost without_last(const void *at, spw_function model) {
    (void)model;
    const spw_csr *A = ((const operands *)at)->A;
    return (spw_cost){4.0 * A->n_rows - (*((const operands *)at)->x > 1 ? 8 : 0), 0, 0};
}

static const spw_argument just_A[] = {
    SPW_CSR(operands, A), SPW_FILLED(operands, x, "1", .fill = ones), {0}};
static const spw_slip of_four[] = {{"load -8", "two are missing"}, {0}};
static const spw_kit four_kit = {
    just_A,           sizeof(operands),     .predict = without_last, .cost = "load 4 (n_rows + 1)",
    .as_right = "-4", .asked = "kind {nz}", .slips = of_four};

TEST(a_difference_may_be_as_right_as_none) {
    char text[64] = "";
    TRIAL t = begin_kit(&four_kit, "slides");
    const spw_cost truth = spw_kit_cost(&t), got = spw_kit_predict(&t, NULL);
    assert_true(truth.load == 28 && got.load == 28); /* 24 were predicted */
    spw_kit_explain(&t, (spw_cost){.load = 28 - 8}, text, sizeof text);
    assert_string_equal(text, "kind 12: two are missing");
    spw_kit_explain(&t, (spw_cost){.load = 28 - 4 - 8}, text, sizeof text);
    assert_string_equal(text, "kind 12: two are missing");
    spw_kit_explain(&t, (spw_cost){.load = 29}, text, sizeof text);
    assert_string_equal(text, "kind 12");
}

TEST(a_slip_behind_an_equal_one_is_found) {
    static const spw_slip first[] = {
        {"load 8 n + 4 n", ""}, {"load 12 m", ""}, {"= load 4", ""}, {0}};
    static const spw_slip twice[] = {
        {"load 8 n; store 2 n m", ""}, {"store 2 m n; load 8 n", ""}, {0}};
    static const spw_slip equal[] = {{"load -12 m - 0 n", ""}, {"load 12 n", ""}, {0}};
    static const spw_slip named[] = {{"= load 4", ""}, {0}};
    assert_null(spw_kit_hidden_slip(&kit));
    assert_null(spw_kit_hidden_slip(&(spw_kit){.slips = first}));
    assert_null(spw_kit_hidden_slip(&(spw_kit){.cost = ""}));
    assert_ptr_equal(spw_kit_hidden_slip(&(spw_kit){.slips = twice}), &twice[1]);
    assert_ptr_equal(spw_kit_hidden_slip(&(spw_kit){.slips = first, .more_slips = equal}),
                     &equal[1]);
    assert_ptr_equal(spw_kit_hidden_slip(&(spw_kit){.slips = first, .more_slips = named}),
                     &named[0]);
}

static const spw_argument only_A[] = {SPW_CSR(operands, A), {0}};

static void hidden(void) {
    static const spw_slip twice[] = {{"load 2 nz", ""}, {"load nz + nz", ""}, {0}};
    static const spw_kit k = {only_A, sizeof(operands), .slips = twice};
    char text[64];
    spw_trial t = begin_kit(&k, "slides");
    spw_kit_explain(&t, (spw_cost){0}, text, sizeof text);
}

TEST(a_slip_that_nobody_will_read_aborts) { assert_aborts(hidden); }

static spw_cost predicted(const void *at, spw_function model) {
    (void)at, (void)model;
    return (spw_cost){100, 0, 0};
}

/* The cost of a call, and the model of one step. */
TEST(a_call_repeats_its_step) {
    static const spw_slip s[] = {{"load -20", "twenty are missing"}, {0}};
    const spw_kit k = {only_A,
                       sizeof(operands),
                       .cost = "load 10 nz",
                       .predict = predicted,
                       .repeats = "3",
                       .once = "load nz; flop 7",
                       .slips = s};
    TRIAL t = begin_kit(&k, "slides");
    char text[64] = "";
    const spw_cost truth = spw_kit_cost(&t), got = spw_kit_predict(&t, NULL);
    assert_true(truth.load == 31 * 12 && truth.flop == 7);
    assert_true(got.load == 300 + 12 && got.flop == 7);
    spw_kit_explain(&t, got, text, sizeof text);
    assert_string_equal(text, "twenty are missing");
}

static spw_cost of_n_and_nz(double n, double nz) { return (spw_cost){12 * nz, 8 * n, 0}; }

static void sizes(spw_trial *t, const char *name, void *at) {
    (void)name, (void)at;
    spw_kit_quantity(t, "n", 5);
    spw_kit_quantity(t, "nz", 13);
}

TEST(a_model_of_n_and_nz_needs_no_function) {
    static const spw_argument x[] = {SPW_RANDOM(operands, x, "n"), {0}};
    static const spw_kit k = {x, sizeof(operands), .prepare = sizes,
                              .cost = "load 12 nz; store 8 n"};
    TRIAL t = begin_kit(&k, "");
    const spw_cost got = spw_kit_predict(&t, (spw_function)of_n_and_nz), truth = spw_kit_cost(&t);
    assert_true(got.load == 12 * 13 && got.store == 40 && got.flop == 0);
    assert_true(truth.load == got.load && truth.store == got.store);
}

/* --- ways out ---------------------------------------------------------------------------------------- */

static void huge(spw_trial *t, const char *name, void *at) {
    (void)name, (void)at;
    spw_kit_quantity(t, ".n", 1e16);
}

static void assert_leaves(spw_kit k, const char *name, spw_status status, const char *words) {
    const spw_part p = {.function = "f", SPW_KIT(&k)};
    TRIAL t = {.part = &p, .seed = 1, .threads = 1, .layout = SPW_RIGHT, .checks = true};
    assert_int_equal(spw_trial_begin(&t, name), status);
    assert_says(spw_message(), words);
}

TEST(out_of_memory_leaves_with_the_message) {
    static const spw_argument x[] = {SPW_RANDOM(operands, x, "n"), {0}};
    assert_leaves((spw_kit){x, sizeof(operands), .prepare = huge}, "", SPW_ERR_MEMORY, "memory");
}

TEST(an_unknown_matrix_leaves_with_the_message) {
    assert_leaves((spw_kit){.arguments = only_A, .size = sizeof(operands)}, "no-such-matrix",
                  SPW_ERR_FILE, "no-such-matrix");
}

TEST(a_bad_conversion_leaves_with_the_message) {
    static const spw_argument both[] = {SPW_HIDDEN(operands, A, &spw_kit_csr, NULL),
                                        SPW_MATRIX(operands, S, &spw_kit_sell, spw_kit_to_sell, ),
                                        {0}};
    assert_leaves((spw_kit){both, sizeof(operands), .parameters = "@C=2,sigma=6"}, "slides@4,6",
                  SPW_ERR_ARG, "sigma");
}

static void misspelt(void) {
    static const spw_kit k = {only_A, sizeof(operands), .cost = "load 12 nnz"};
    spw_trial t = begin_kit(&k, "slides");
    spw_kit_cost(&t);
}

static spw_trial laid_out;

static void too_late(void) { spw_kit_must(&laid_out, SPW_ERR_MEMORY); }

TEST(who_leaves_after_the_set_up_aborts) {
    laid_out = begin(&part, "slides");
    assert_aborts(too_late);
    spw_trial_end(&laid_out);
}

TEST(a_misspelt_quantity_aborts) { assert_aborts(misspelt); }

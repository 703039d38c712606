/* judge/gpu.c on the checker's CUDA runtime, with the checker's build of answers in the place of nvcc's: all of
 * the path but the hardware. Its times are the processor's, so that verdicts are only asked for where they
 * are beyond doubt. link: -Wl,--wrap=spw_device_copy_from */
#include "judge/judge.h"

#include "base/device.h"
#include "simt/simt.h"
#include "support.h"
#include "test.h"

/* Those of kernels/scale.cu and quick.cu, built for the checker. */
static char answer[4096], reference[4096];

#define FACTOR 1.5
enum { TIMED = 3000 };

/* --- an exercise: y = a x ---------------------------------------------------------------------------- */

typedef void (*scale_fn)(int64_t n, double a, const double *d_x, double *d_y);

typedef struct problem {
    int64_t n;
    const double *x;
    double *y;
} problem;

static spw_status lay_out(spw_trial *t, const char *name, const double *initial) {
    problem *p = (problem *)spw_trial_memory(t, 1, sizeof *p);
    assert_non_null(p);
    p->n = atoi(name);
    p->x = spw_trial_random(t, "x", p->n);
    p->y = (double *)(initial ? spw_trial_inout(t, "y", SPW_DOUBLE, p->n, initial)
                              : spw_trial_output(t, "y", SPW_DOUBLE, p->n));
    double *expected = (double *)spw_trial_memory(t, p->n, sizeof *expected);
    double *tolerance = (double *)spw_trial_memory(t, p->n, sizeof *tolerance);
    assert_true(expected && tolerance);
    for (int64_t i = 0; i < p->n; i++) tolerance[i] = initial ? 1e-9 : 0; /* fused or not */
    for (int64_t i = 0; i < p->n; i++) expected[i] = FACTOR * p->x[i] + (initial ? initial[i] : 0);
    spw_trial_expect(
        t, p->y,
        (spw_expectation){
            .expected = expected, .tolerance = tolerance, .count = p->n, .noun = "entry"});
    spw_trial_say(t, "n = %d", (int)p->n);
    return SPW_OK;
}

static spw_status setup(spw_trial *t, const char *name) { return lay_out(t, name, NULL); }

static spw_status setup_inout(spw_trial *t, const char *name) {
    static double initial[TIMED];
    for (int i = 0; i < TIMED; i++) initial[i] = 1024;
    return lay_out(t, name, initial);
}

static void call(spw_trial *t, spw_function f) {
    const problem *p = (const problem *)spw_trial_data(t);
    ((scale_fn)f)(p->n, FACTOR, (const double *)spw_trial_device(t, p->x),
                  (double *)spw_trial_device(t, p->y));
}

static spw_cost cost(const spw_trial *t) {
    const double n = (double)((const problem *)spw_trial_data(t))->n;
    return (spw_cost){.load = 8 * n, .store = 8 * n, .flop = n};
}

/* Calls, and those that found y as it was laid out: the first one of each sample. */
static int stretched, fresh;
static void stretch(spw_trial *t) {
    const problem *p = (const problem *)spw_trial_data(t);
    double y0 = 0;
    stretched++;
    if (!spw_device_copy_from(&y0, spw_trial_device(t, p->y), sizeof y0) && y0 == 1024) fresh++;
    call(t, spw_trial_symbol(t, "scale_add"));
}

static void stretch_fails(spw_trial *t) {
    (void)t;
    spw_trial_fail(t, "the library refused");
}

static const char *const cases[] = {"1", "129", NULL};

static spw_part part_of(const char *function) {
    return (spw_part){.function = function,
                      .cases = cases,
                      .setup = setup,
                      .call = call,
                      .cost = cost,
                      .on_device = true,
                      .traffic = "129",
                      .speed = "3000",
                      .target = 0.5};
}

/* --- a judgement of one part ------------------------------------------------------ */

typedef struct job {
    spw_part part;
    spw_options options;
    void (*body)(spw_judgement *j);
    spw_shared found; /* of the last run */
} job;

static void run_body(void *argument) {
    job *b = (job *)argument;
    const spw_exercise exercise = {.parts = &b->part, .n_parts = 1};
    spw_judgement j = {.exercise = &exercise, .options = b->options, .all_threads = 1};
    j.shared = &b->found;
    memset(&b->found, 0, sizeof b->found);
    b->body(&j);
    free(j.answer.functions); /* the objects stay: findings are looked up in them */
    free(j.reference.functions);
}

static job judged_with(spw_part part, spw_options options, void (*body)(spw_judgement *)) {
    job b = {.part = part, .options = options, .body = body};
    b.options.gpu_answer = answer;
    if (!b.options.gpu_reference) b.options.gpu_reference = answer;
    b.options.seed = 4711;
    b.options.limit = 30;
    stretched = fresh = 0;
    /* One schedule: two are the affair of check CORRECT. */
    static char finding[1024];
    assert_ok(spw_simt_begin(&(spw_simt_options){.check = true, .limit = 60}));
    const bool ended = spw_simt_run(run_body, &b);
    const int findings = spw_simt_finding_count();
    if (findings > 0) spw_simt_print_findings(finding, sizeof finding);
    spw_simt_end();
    if (findings > 0 || !ended) fail_msg("%s", findings > 0 ? finding : "it did not end");
    return b;
}

static job judged(const char *function) {
    return judged_with(part_of(function), (spw_options){0}, spw_judge_on_gpu);
}

static void says(const job *b, spw_check stage, const char *piece) {
    assert_true(b->found.failed && b->found.gpu.failed);
    assert_int_equal(b->found.stage, stage);
    if (!strstr(b->found.text, piece)) fail_msg("'%s' lacks '%s'", b->found.text, piece);
    assert_false(b->found.speed[0].measured);
}

/* --- tests --------------------------------------------------------------------------------------------- */

static void many_times(spw_trial *t) { call(t, spw_trial_symbol(t, "scale_slow")); }

/* y is read and written, and put back before each sample. */
TEST(a_right_answer_is_checked_and_timed) {
    spw_part part = part_of("scale_add");
    part.setup = setup_inout;
    part.stretch = (spw_rival){.label = "library's best", .call = stretch};
    part.baseline = (spw_rival){.label = "40 times", .call = many_times};
    const job b = judged_with(part, (spw_options){0}, spw_judge_on_gpu);
    const spw_part_speed *s = &b.found.speed[0];
    if (b.found.failed || b.found.judge_failed) fail_msg("%s", b.found.text);
    assert_true(b.found.gpu.found && b.found.gpu.all_right);
    assert_int_equal(b.found.gpu.cases, 2);
    assert_says(b.found.gpu.name, "on the CPU");
    assert_true(s->measured && s->on_gpu && s->blocks >= 3);
    assert_string_equal(s->facts, "n = 3000");
    assert_true(s->cost.load == 24000 && s->cost.store == 24000);
    assert_true(s->time[0] > 0 && s->time[1] > 0 && s->time[3] > 0);
    assert_true(s->time[2] > 5 * s->time[0]);
    assert_true(s->bandwidth > 0 && s->e > 0 && s->e_low <= s->e && s->e <= s->e_high);
    assert_true(fresh >= 3 && (fresh < stretched || stretched < 20));
    /* x and y there, y back */
    assert_true(s->bytes_to == 48000 && s->bytes_from == 24000);
    assert_true(s->to_device > 0 && s->from_device > 0);
    assert_says(s->probe_text, "copy, ");
    /* the answer is the reference: nothing may call it slow */
    assert_true(s->verdict == SPW_PASS || s->verdict == SPW_NO_VERDICT);
}

/* The reference is another file's function of the same name, and is quick. */
TEST(a_slow_answer_fails) {
    const job b = judged_with(part_of("scale_slow"), (spw_options){.gpu_reference = reference},
                              spw_judge_on_gpu);
    const spw_part_speed *s = &b.found.speed[0];
    if (b.found.failed || b.found.judge_failed) fail_msg("%s", b.found.text);
    assert_int_equal(s->verdict, SPW_SLOW);
    assert_true(s->time[0] > 5 * s->time[1] && s->e_high < s->target);
}

TEST(wrong_values_are_found) {
    const job b = judged("scale_wrong");
    says(&b, SPW_CORRECT, "got");
    assert_int_equal(b.found.gpu.cases, 0);
    assert_string_equal(b.found.case_name, "1");
}

TEST(an_entry_never_written_is_found) {
    const job b = judged("scale_all_but_one");
    says(&b, SPW_CORRECT, "never written");
}

TEST(an_input_that_was_written_is_found) {
    const job b = judged("scale_input");
    says(&b, SPW_SAFE, "wrote to x");
}

/* Copies from the device until one fails; 0: none does. */
static int copies_to_failure;
spw_status __real_spw_device_copy_from(void *host, const void *device, int64_t bytes);
spw_status __wrap_spw_device_copy_from(void *host, const void *device, int64_t bytes);
spw_status __wrap_spw_device_copy_from(void *host, const void *device, int64_t bytes) {
    if (copies_to_failure > 0 && --copies_to_failure == 0)
        return spw_error(SPW_ERR_DEVICE, "the bus is gone");
    return __real_spw_device_copy_from(host, device, bytes);
}

TEST(an_input_that_cannot_be_looked_at_is_not_intact) {
    copies_to_failure = 1; /* after the first call the first copy back is that of x */
    const job b = judged("scale");
    assert_int_equal(copies_to_failure, 0);
    assert_true(b.found.judge_failed && !b.found.failed && !b.found.gpu.all_right);
    assert_says(b.found.text, "an input back from the GPU: the bus is gone");
}

TEST(an_error_of_the_runtime_is_told_in_its_words) {
    const job b = judged("scale_refused");
    says(&b, SPW_SAFE, "the GPU gave scale_refused up");
    assert_says(b.found.text, "InvalidDevice");
}

TEST(what_is_not_written_is_left_out) {
    const job b = judged("scale_of_tomorrow");
    assert_true(b.found.gpu.found && !b.found.failed && !b.found.judge_failed);
    assert_int_equal(b.found.gpu.cases, 0);
    assert_false(b.found.speed[0].measured);
}

TEST(a_rival_that_fails_is_the_judges_trouble) {
    spw_part part = part_of("scale");
    part.stretch = (spw_rival){.label = "library's best", .call = stretch_fails};
    const job b = judged_with(part, (spw_options){0}, spw_judge_on_gpu);
    assert_true(b.found.judge_failed && !b.found.failed);
    assert_says(b.found.text, "the library refused");
}

TEST(one_case_is_checked_and_nothing_timed) {
    const job b =
        judged_with(part_of("scale"), (spw_options){.case_name = "129"}, spw_judge_on_gpu);
    assert_int_equal(b.found.gpu.cases, 1);
    assert_true(b.found.gpu.all_right && !b.found.speed[0].measured);
}

TEST(a_profiler_sees_one_call_of_the_counted_case) {
    job b = judged_with(part_of("scale"), (spw_options){.traffic_part = "scale"}, spw_call_on_gpu);
    assert_false(b.found.failed || b.found.judge_failed);
    assert_string_equal(b.found.case_name, "129");
    b = judged_with(part_of("scale"), (spw_options){.traffic_part = "other"}, spw_call_on_gpu);
    assert_true(b.found.judge_failed);
    assert_says(b.found.text, "other");
}

int main(void) {
    kernel_path("scale", "check", answer, sizeof answer);
    kernel_path("quick", "check", reference, sizeof reference);
    return run_all(NULL, NULL);
}

/* kit/in_parts.h: what parts of sums are told to be. */
#include "kit/in_parts.h"

#include "judge/explain.h"
#include "judge/trial.h"
#include "test.h"

enum { N = 2000, BLOCKS = 3, BLOCK = 256 };

typedef struct operands {
    spw_in_parts sums;
    const double *x, *y;
} operands;

static void prepare(spw_trial *t, const char *name, void *at) {
    (void)name;
    ((operands *)at)->sums.blocks = BLOCKS;
    spw_kit_quantity(t, ".n", N);
}

static const spw_argument arguments[] = {
    SPW_RANDOM(operands, x, "n"),
    SPW_RANDOM(operands, y, "n"),
    SPW_NAMED(SPW_ARG_ROOM, operands, sums.parts, "6", "parts", ),
    {0},
};

static void expect_one(spw_trial *t, const void *at) {
    operands *o = (operands *)(uintptr_t)at;
    spw_in_parts_sum(t, &o->sums, "x.y", N, o->x, o->y, 0);
}

static void expect_two(spw_trial *t, const void *at) {
    operands *o = (operands *)(uintptr_t)at;
    expect_one(t, at);
    spw_in_parts_sum(t, &o->sums, "y.y", N, o->y, o->y, 0);
}

static const spw_kit kits[2] = {
    {arguments, sizeof(operands), .prepare = prepare, .expect = expect_one},
    {arguments, sizeof(operands), .prepare = prepare, .expect = expect_two}};
static const spw_part parts[2] = {{.function = "f", SPW_KIT(&kits[0])},
                                  {.function = "f", SPW_KIT(&kits[1])}};
static spw_trial t;

/* A trial of one sum or two, with the right parts. */
static operands *begin(int sums) {
    t = (spw_trial){
        .part = &parts[sums - 1], .seed = 7, .threads = 1, .layout = SPW_RIGHT, .checks = true};
    assert_ok(spw_trial_begin(&t, ""));
    spw_trial_prepare(&t, SPW_POISON_FINITE);
    operands *o = (operands *)(uintptr_t)spw_kit_arguments(&t);
    for (int b = 0; b < sums * BLOCKS; b++) o->sums.parts[b] = 0;
    for (int i = 0; i < N; i++) {
        const int b = i / BLOCK % BLOCKS;
        o->sums.parts[b] += o->x[i] * o->y[i];
        if (sums > 1) o->sums.parts[BLOCKS + b] += o->y[i] * o->y[i];
    }
    return o;
}

static void says(const operands *o, const char *words) {
    t.failed = false;
    spw_in_parts_check(&t, &o->sums);
    if (!words) {
        assert_false(t.failed);
    } else {
        assert_true(t.failed);
        assert_says(t.failure, words);
    }
    spw_trial_end(&t);
}

TEST(right_parts_are_right) {
    says(begin(1), NULL);
    says(begin(2), NULL);
}

TEST(a_part_that_is_missing_is_named) {
    operands *o = begin(1);
    o->sums.parts[2] = spw_poison_double(2);
    says(o, "parts[2] is ");
    o = begin(2);
    o->sums.parts[5] = 0.0 / 0.0;
    says(o, "every block leaves two sums, one that had no element two zeros");
}

TEST(wrong_sums_have_names) {
    operands *o = begin(1);
    const double sum = o->sums.parts[0] + o->sums.parts[1] + o->sums.parts[2];
    for (int b = 0; b < BLOCKS; b++) o->sums.parts[b] = sum;
    says(o, "Each block has left the sum of all rows");
    o = begin(1);
    for (int b = 0; b < BLOCKS; b++) o->sums.parts[b] = 0;
    says(o, "Nothing was added up");
    o = begin(1);
    for (int b = 0; b < BLOCKS; b++) o->sums.parts[b] = 0;
    for (int i = 0; i < N; i += BLOCK) o->sums.parts[i / BLOCK % BLOCKS] += o->x[i] * o->y[i];
    says(o, "numbers of thread 0 of each block");
    o = begin(1);
    o->sums.parts[0] += 1;
    says(o, "Each thread adds up its elements");
}

TEST(two_sums_change_places) {
    operands *o = begin(2);
    double right[6];
    memcpy(right, o->sums.parts, sizeof right);
    for (int b = 0; b < 6; b++) o->sums.parts[b] = right[(b + 3) % 6];
    says(o, "That is the other sum");
    o = begin(2);
    for (int b = 0; b < BLOCKS; b++)
        for (int k = 0; k < 2; k++) o->sums.parts[2 * b + k] = right[BLOCKS * k + b];
    says(o, "lie side by side");
}

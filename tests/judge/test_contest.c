/* The speed rule of judge/contest.h on samples that we make up. */
#include "judge/contest.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* Seconds of each contestant's samples: middle, and a share up or down that alternates. */
typedef struct script {
    double middle[SPW_CONTESTANTS], spread[SPW_CONTESTANTS];
    int taken[SPW_CONTESTANTS];
    int fails_after; /* samples of the answer; 0: never */
    int cautions;
    bool withholds;
} script;

static double sample(void *context, int who)
{
    script *s = (script *)context;
    const int k = s->taken[who]++;
    if (who == SPW_ANSWER && s->fails_after && k >= s->fails_after) return -1;
    static const double wave[] = {0, 1, -1, 0.5, -0.5, 0.75, -0.75, 0.25, -0.25};
    return s->middle[who] * (1 + s->spread[who] * wave[k % 9]);
}

static spw_verdict caution(void *context, const spw_contest *race, spw_part_speed *speed,
                           spw_verdict verdict)
{
    script *s = (script *)context;
    s->cautions++;
    speed->others = race->blocks;
    return s->withholds ? SPW_NO_VERDICT : verdict;
}

static spw_contest race;

/* 1e9 bytes a call; the probe moves as much in 1 s. So share of the roof = 1 / seconds. */
static spw_part_speed run(script *s, double goal, bool expected)
{
    spw_part_speed speed = {.cost = {.load = 1e9, .flop = 1}, .peak = INFINITY};
    race = (spw_contest){.context = s,
                         .sample = sample,
                         .caution = caution,
                         .takes_part = {[SPW_ANSWER] = true,
                                        [SPW_REFERENCE] = true,
                                        [SPW_BASELINE] = s->middle[SPW_BASELINE] > 0,
                                        [SPW_STRETCH] = s->middle[SPW_STRETCH] > 0,
                                        [SPW_PROBE] = true},
                         .seed = 4711,
                         .target = goal,
                         .probe_traffic = 1e9,
                         .cap = 60};
    assert_true(spw_contest_run(&race, &speed) == expected);
    return speed;
}

static script times(double answer, double reference)
{
    return (script){
        .middle = {[SPW_ANSWER] = answer, [SPW_REFERENCE] = reference, [SPW_PROBE] = 1}};
}

static void near_the_roof_passes_whatever_the_reference_does(void **state)
{
    (void)state;
    script s = times(1.25, 0.5);
    const spw_part_speed r = run(&s, 0.7, true);
    assert_int_equal(r.verdict, SPW_PASS);
    assert_true(r.measured && r.blocks == 9);
    assert_true(fabs(r.e - 0.8) < 1e-12 && fabs(r.bandwidth - 1e9) < 1);
    assert_true(fabs(r.e_rival[SPW_REFERENCE] - 2) < 1e-12);
    assert_true(fabs(r.target - 0.7) < 1e-12);
}

static void near_the_reference_passes_far_from_the_roof(void **state)
{
    (void)state;
    script s = times(10.5, 10);
    const spw_part_speed r = run(&s, 0.7, true);
    assert_int_equal(r.verdict, SPW_PASS);
    assert_true(fabs(r.target - 0.1 * SPW_SHARE_OF_REFERENCE) < 1e-12);
}

static void far_from_both_fails(void **state)
{
    (void)state;
    script s = times(3, 2);
    const spw_part_speed r = run(&s, 0.7, true);
    assert_int_equal(r.verdict, SPW_SLOW);
    assert_int_equal(r.blocks, 9);
}

static void the_share_of_the_reference_decides(void **state)
{
    (void)state;
    script just_in = times(10 / (SPW_SHARE_OF_REFERENCE + 0.01), 10);
    script just_out = times(10 / (SPW_SHARE_OF_REFERENCE - 0.01), 10);
    assert_int_equal(run(&just_in, 0.7, true).verdict, SPW_PASS);
    assert_int_equal(run(&just_out, 0.7, true).verdict, SPW_SLOW);
}

static void noise_around_the_goal_gives_no_verdict(void **state)
{
    (void)state;
    script s = times(1 / 0.7, 0.5);
    s.spread[SPW_ANSWER] = 0.3;
    s.middle[SPW_ANSWER] *= 1 / (1 - 0.3 * 0.5); /* its lower quartile lies on the goal */
    const spw_part_speed r = run(&s, 0.7, true);
    assert_int_equal(r.verdict, SPW_NO_VERDICT);
    assert_int_equal(r.blocks, SPW_MAX_BLOCKS_OF_CONTEST);
    assert_true(r.e_low < 0.7 + 1e-9 && r.e_high > 0.7 - 1e-9);
}

static void noise_far_from_the_goal_does_not_matter(void **state)
{
    (void)state;
    script s = times(8, 1);
    s.spread[SPW_ANSWER] = s.spread[SPW_PROBE] = 0.3;
    assert_int_equal(run(&s, 0.7, true).verdict, SPW_SLOW);
}

static void rivals_run_in_nine_blocks_at_most(void **state)
{
    (void)state;
    script s = times(8, 1);
    s.middle[SPW_BASELINE] = 4;
    s.middle[SPW_STRETCH] = 2;
    s.withholds = true;
    const spw_part_speed r = run(&s, 0.7, true);
    assert_int_equal(s.taken[SPW_BASELINE], 9);
    assert_int_equal(s.taken[SPW_STRETCH], 9);
    assert_int_equal(s.taken[SPW_ANSWER], SPW_MAX_BLOCKS_OF_CONTEST);
    assert_true(r.time[SPW_BASELINE] == 4 && r.time[SPW_STRETCH] == 2);
}

/* After 9, 18, 36, ... blocks and the last: looking each time would find a verdict by chance. */
static void verdicts_are_looked_for_seldom(void **state)
{
    (void)state;
    script s = times(8, 1);
    s.withholds = true;
    const spw_part_speed r = run(&s, 0.7, true);
    assert_int_equal(s.cautions, 7); /* 9 18 36 72 144 288 400 */
    assert_true(r.verdict == SPW_NO_VERDICT && r.others == 400);
}

static void a_sample_that_fails_ends_the_race(void **state)
{
    (void)state;
    script s = times(1, 1);
    s.fails_after = 4;
    assert_false(run(&s, 0.7, false).measured);
    assert_int_equal(s.taken[SPW_ANSWER], 5);
}

static void parts_share_the_time(void **state)
{
    (void)state;
    const spw_part parts[4] = {{.speed = "a"}, {.speed = NULL}, {.speed = "b"}, {.speed = "c"}};
    assert_true(spw_contest_cap(&(spw_exercise){.parts = parts, .n_parts = 2}) == 20);
    assert_true(spw_contest_cap(&(spw_exercise){.parts = parts, .n_parts = 3}) == 10);
    assert_true(spw_contest_cap(&(spw_exercise){.parts = parts, .n_parts = 4}) == 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(near_the_roof_passes_whatever_the_reference_does),
        cmocka_unit_test(near_the_reference_passes_far_from_the_roof),
        cmocka_unit_test(far_from_both_fails),
        cmocka_unit_test(the_share_of_the_reference_decides),
        cmocka_unit_test(noise_around_the_goal_gives_no_verdict),
        cmocka_unit_test(noise_far_from_the_goal_does_not_matter),
        cmocka_unit_test(rivals_run_in_nine_blocks_at_most),
        cmocka_unit_test(verdicts_are_looked_for_seldom),
        cmocka_unit_test(a_sample_that_fails_ends_the_race),
        cmocka_unit_test(parts_share_the_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

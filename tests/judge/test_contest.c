/* The speed rule of judge/contest.h on samples that we make up. */
#include "base/random.h"
#include "judge/contest.h"
#include "test.h"

/* Seconds of each contestant's samples: middle, and a share up or down that alternates. */
typedef struct script {
    double middle[SPW_CONTESTANTS], spread[SPW_CONTESTANTS];
    int taken[SPW_CONTESTANTS];
    int fails_after; /* samples of the answer; 0: never */
    int most;        /* blocks, as if the time were up then; 0: any number */
    int observed;
    bool one_thread, graded;
    double others;
    /* noise instead of the wave: a factor of each sample, the same for whoever takes it */
    double (*noise)(uint64_t seed, int64_t number);
    uint64_t seed;
    int64_t samples;
} script;

static spw_contest race;

static double sample(void *context, int who) {
    script *s = (script *)context;
    if (s->most && race.blocks + 1 >= s->most) race.cap = 0;
    if (s->noise) return s->middle[who] * s->noise(s->seed, s->samples++);
    const int k = s->taken[who]++;
    if (who == SPW_ANSWER && s->fails_after && k >= s->fails_after) return -1;
    static const double wave[] = {0, 1, -1, 0.5, -0.5, 0.75, -0.75, 0.25, -0.25};
    return s->middle[who] * (1 + s->spread[who] * wave[k % 9]);
}

static void observe(void *context, spw_part_speed *speed) {
    script *s = (script *)context;
    s->observed++;
    speed->others = s->others;
    speed->one_thread = s->one_thread;
}

/* 1e9 bytes a call; the probe moves as much in 1 s. So share of the roof = 1 / seconds. */
static spw_part_speed run(script *s, double goal, bool expected) {
    spw_part_speed speed = {.cost = {.load = 1e9, .flop = 1}, .peak = INFINITY};
    race = (spw_contest){.context = s,
                         .sample = sample,
                         .observe = observe,
                         .takes_part = {[SPW_ANSWER] = true,
                                        [SPW_REFERENCE] = true,
                                        [SPW_BASELINE] = s->middle[SPW_BASELINE] > 0,
                                        [SPW_STRETCH] = s->middle[SPW_STRETCH] > 0,
                                        [SPW_PROBE] = true},
                         .seed = 4711 + s->seed,
                         .target = goal,
                         .probe_traffic = 1e9,
                         .cap = 60,
                         .graded = s->graded};
    assert_true(spw_contest_run(&race, &speed) == expected);
    return speed;
}

static script times(double answer, double reference) {
    return (script){
        .middle = {[SPW_ANSWER] = answer, [SPW_REFERENCE] = reference, [SPW_PROBE] = 1}};
}

TEST(near_the_roof_passes_whatever_the_reference_does) {
    script s = times(1.25, 0.5);
    const spw_part_speed r = run(&s, 0.7, true);
    assert_int_equal(r.verdict, SPW_PASS);
    assert_true(r.measured && r.blocks == 9);
    assert_true(fabs(r.e - 0.8) < 1e-12 && fabs(r.bandwidth - 1e9) < 1);
    assert_true(fabs(r.e_rival[SPW_REFERENCE] - 2) < 1e-12);
    assert_true(fabs(r.target - 0.7) < 1e-12);
}

TEST(near_the_reference_passes_far_from_the_roof) {
    script s = times(10.5, 10);
    const spw_part_speed r = run(&s, 0.7, true);
    assert_int_equal(r.verdict, SPW_PASS);
    assert_true(fabs(r.target - 0.1 * SPW_SHARE_OF_REFERENCE) < 1e-12);
}

/* Nine blocks are a chance of 1 in 512 between two of the same speed. */
TEST(fails_where_enough_blocks_say_so) {
    script s = times(3, 2), soon = times(3, 2), far = times(7, 2);
    soon.most = 13;
    const spw_part_speed r = run(&s, 0.7, true);
    assert_int_equal(r.verdict, SPW_SLOW);
    assert_int_equal(r.blocks, 18);
    const spw_part_speed none = run(&soon, 0.7, true);
    assert_int_equal(none.verdict, SPW_NO_VERDICT);
    assert_int_equal(none.reason, SPW_BLOCKS_DISAGREE);
    assert_int_equal(run(&far, 0.7, true).verdict, SPW_SLOW);
    assert_int_equal(race.blocks, 9);
}

TEST(the_share_of_the_reference_decides) {
    script just_in = times(10 / (SPW_SHARE_OF_REFERENCE + 0.01), 10);
    script just_out = times(10 / (SPW_SHARE_OF_REFERENCE - 0.01), 10);
    assert_int_equal(run(&just_in, 0.7, true).verdict, SPW_PASS);
    assert_int_equal(run(&just_out, 0.7, true).verdict, SPW_SLOW);
}

TEST(noise_around_the_goal_gives_no_verdict) {
    script s = times(1 / 0.7, 0.5);
    s.spread[SPW_ANSWER] = 0.3;
    s.middle[SPW_ANSWER] *= 1 / (1 - 0.3 * 0.5); /* its lower quartile lies on the goal */
    const spw_part_speed r = run(&s, 0.7, true);
    assert_int_equal(r.verdict, SPW_NO_VERDICT);
    assert_int_equal(r.reason, SPW_GOAL_WITHIN);
    assert_int_equal(r.blocks, SPW_MAX_BLOCKS_OF_CONTEST);
    assert_true(r.e_low < 0.7 + 1e-9 && r.e_high > 0.7 - 1e-9);
    assert_true(r.scatter_of[SPW_ANSWER] > r.scatter + 0.01);
}

/* Whatever passes, fails or neither: the interval that is told says the same of the goal that is told. */
TEST(the_interval_that_is_told_agrees_with_the_verdict) {
    int seen[6] = {0};
    for (int k = 0; k < 300; k++) {
        script s = times(1 + 0.01 * k, 1 + 0.4 * (k % 3));
        s.spread[SPW_PROBE] = 0.1 * (k % 4);
        s.spread[SPW_ANSWER] = 0.1 * (k % 5);
        s.spread[SPW_REFERENCE] = 0.1 * (k % 2);
        s.most = 40;
        const spw_part_speed r = run(&s, 0.6, true);
        seen[r.verdict]++;
        assert_true(r.e_low <= r.e && r.e <= r.e_high);
        if (r.verdict == SPW_PASS) assert_true(r.e_low > r.target && r.e_low <= 1.05);
        if (r.verdict == SPW_SLOW) assert_true(r.e_high < r.target);
        if (r.verdict == SPW_NO_VERDICT && r.reason == SPW_GOAL_WITHIN)
            assert_true(r.e_low <= r.target && r.e_high >= r.target);
    }
    assert_true(seen[SPW_PASS] && seen[SPW_SLOW] && seen[SPW_NO_VERDICT]);
}

TEST(a_class_is_measured_longer) {
    script s = times(1.25, 0.5), late = times(1.25, 0.5);
    s.graded = late.graded = true;
    late.most = 20;
    const spw_part_speed r = run(&s, 0.7, true), capped = run(&late, 0.7, true);
    assert_true(r.verdict == SPW_PASS && r.blocks == SPW_GRADED_BLOCKS);
    assert_true(fabs(r.to_reference - 0.4) < 1e-12);
    assert_true(capped.verdict == SPW_PASS && capped.blocks == late.most);
}

TEST(above_the_roof_is_a_question) {
    script s = times(0.9, 0.9), within = times(0.9, 0.9);
    s.most = within.most = 20;
    const spw_part_speed r = run(&s, 0.7, true);
    assert_int_equal(r.verdict, SPW_NO_VERDICT);
    assert_int_equal(r.reason, SPW_ABOVE_ROOF);
    assert_false(spw_reached_stretch(&r));
    within.spread[SPW_PROBE] = 0.2;
    assert_int_equal(run(&within, 0.7, true).verdict, SPW_PASS);
}

TEST(near_a_reference_that_loses_to_the_baseline_is_no_pass) {
    script s = times(10, 10), near_roof = times(1.25, 1.25), even = times(10, 10);
    s.middle[SPW_BASELINE] = 8;
    even.middle[SPW_BASELINE] = 9.5;
    even.most = 20;
    near_roof.middle[SPW_BASELINE] = 1.2;
    s.most = 40;
    const spw_part_speed r = run(&s, 0.7, true);
    assert_int_equal(r.verdict, SPW_NO_VERDICT);
    assert_int_equal(r.reason, SPW_BASELINE_WINS);
    assert_int_equal(s.taken[SPW_BASELINE],
                     40); /* it is asked again: the machine may come to rest */
    assert_int_equal(run(&near_roof, 0.7, true).verdict, SPW_PASS);
    assert_int_equal(run(&even, 0.7, true).verdict, SPW_PASS);
    even.others = 0.3;
    assert_int_equal(run(&even, 0.7, true).verdict, SPW_NO_VERDICT);
}

TEST(one_thread_never_passes) {
    for (int disturbed = 0; disturbed < 2; disturbed++) {
        script fast = times(1.25, 1.25), slow = times(4, 2);
        fast.one_thread = slow.one_thread = true;
        fast.others = slow.others = 0.3 * disturbed;
        fast.most = 20;
        const spw_part_speed r = run(&fast, 0.7, true);
        assert_int_equal(r.verdict, disturbed ? SPW_NO_VERDICT : SPW_SLOW);
        assert_int_equal(r.reason, SPW_ONE_THREAD);
        assert_int_equal(run(&slow, 0.7, true).verdict, SPW_SLOW);
    }
}

/* --- noise ------------------------------------------------------------------------------------------ */

static double uniform(uint64_t seed, int64_t number) {
    return ((double)spw_random_below(seed, (uint64_t)number, 1 << 20) + 0.5) / (1 << 20);
}

/* Each sample for itself: one in three is descheduled, or a long tail. */
static double interrupted(uint64_t seed, int64_t k) {
    return uniform(seed, 2 * k) < 1.0 / 3 ? 2.5 : 1 + 0.05 * uniform(seed, 2 * k + 1);
}

static double tailed(uint64_t seed, int64_t k) { return pow(uniform(seed, k), -1 / 1.5); }

static double wide(uint64_t seed, int64_t k) {
    return exp(1.5 * (uniform(seed, 2 * k) + uniform(seed, 2 * k + 1) - 1));
}

/* Others come and go: a time that lasts for some samples, or for many. */
static double in_phases(uint64_t seed, int64_t k, int length) {
    static const double slow[] = {1, 1.5, 2.5, 4};
    const int64_t phase = (int64_t)((double)k / length + 2 * uniform(seed, k / (7 * length)));
    return slow[spw_random_below(seed + 1, (uint64_t)phase, 4)] * (1 + 0.05 * uniform(seed, k));
}

static double short_phases(uint64_t seed, int64_t k) { return in_phases(seed, k, 6); }

static double long_phases(uint64_t seed, int64_t k) { return in_phases(seed, k, 45); }

/* A load that takes every third sample's time, whoever that is. */
static double periodic(uint64_t seed, int64_t k) {
    return (k + (int64_t)seed) % 3 ? 1 + 0.1 * uniform(seed, k) : 3;
}

static double (*const noises[])(uint64_t, int64_t) = {interrupted,  tailed,      wide,
                                                      short_phases, long_phases, periodic};
enum { N_NOISES = sizeof noises / sizeof noises[0], CONTESTS = 1000 };

/* counts of verdicts in so many contests of an answer that takes `ratio` times as long as the reference */
static void tally(double ratio, int contests, int most, int counts[6]) {
    memset(counts, 0, 6 * sizeof *counts);
    for (int n = 0; n < N_NOISES; n++)
        for (int k = 0; k < contests; k++) {
            script s = times(3 * ratio, 3);
            s.noise = noises[n];
            s.seed = (uint64_t)(k + 1) * 1000003;
            s.most = most;
            counts[run(&s, 0.7, true).verdict]++;
        }
}

TEST(the_same_code_never_fails_beside_itself) {
    int counts[6];
    tally(1, CONTESTS, 40, counts);
    assert_int_equal(counts[SPW_SLOW], 0);
    assert_true(counts[SPW_PASS] > CONTESTS);
    tally(1, CONTESTS, 15, counts);
    assert_int_equal(counts[SPW_SLOW], 0);
}

/* Both scatter by half, in step: the machine changes its speed. The quartiles tell nothing then, the blocks do. */
TEST(blocks_tell_what_quartiles_cannot) {
    for (int k = 0; k < 2; k++) {
        script s = times(k ? 6 : 4.2, 4);
        s.spread[SPW_ANSWER] = s.spread[SPW_REFERENCE] = 0.5;
        const spw_part_speed r = run(&s, 0.9, true);
        assert_int_equal(r.verdict, k ? SPW_SLOW : SPW_PASS);
        assert_true(r.scatter_of[SPW_ANSWER] > 0.2 && r.blocks <= 18);
    }
}

TEST(what_takes_twice_as_long_never_passes) {
    int counts[6];
    tally(2.2, CONTESTS, 40, counts);
    assert_true(counts[SPW_PASS] <= N_NOISES * CONTESTS / 1000);
    assert_true(counts[SPW_SLOW] > N_NOISES * CONTESTS / 2);
}

TEST(noise_far_from_the_goal_does_not_matter) {
    script s = times(8, 1);
    s.spread[SPW_ANSWER] = s.spread[SPW_PROBE] = 0.3;
    assert_int_equal(run(&s, 0.7, true).verdict, SPW_SLOW);
}

TEST(rivals_run_in_nine_blocks_at_most) {
    script s = times(2 / SPW_SHARE_OF_REFERENCE, 2);
    s.middle[SPW_BASELINE] = 4;
    s.middle[SPW_STRETCH] = 2;
    s.spread[SPW_PROBE] = s.spread[SPW_ANSWER] = s.spread[SPW_REFERENCE] = 0.9;
    const spw_part_speed r = run(&s, 0.7, true);
    assert_int_equal(r.verdict, SPW_NO_VERDICT);
    assert_int_equal(s.taken[SPW_BASELINE], 9);
    assert_int_equal(s.taken[SPW_STRETCH], 9);
    assert_int_equal(s.taken[SPW_ANSWER], SPW_MAX_BLOCKS_OF_CONTEST);
    assert_true(r.time[SPW_BASELINE] == 4 && r.time[SPW_STRETCH] == 2);
}

/* After 9, 18, 36, ... blocks and the last: looking each time would find a verdict by chance. */
TEST(verdicts_are_looked_for_seldom) {
    script s = times(0.5, 0.5);
    const spw_part_speed r = run(&s, 0.7, true);
    assert_int_equal(s.observed, 7); /* 9 18 36 72 144 288 400 */
    assert_true(r.verdict == SPW_NO_VERDICT && r.blocks == 400);
}

TEST(a_sample_that_fails_ends_the_race) {
    script s = times(1, 1);
    s.fails_after = 4;
    assert_false(run(&s, 0.7, false).measured);
    assert_int_equal(s.taken[SPW_ANSWER], 5);
}

TEST(parts_share_the_time) {
    const spw_part parts[4] = {{.speed = "a"}, {.speed = NULL}, {.speed = "b"}, {.speed = "c"}};
    assert_true(spw_contest_cap(&(spw_exercise){.parts = parts, .n_parts = 2}) == 20);
    assert_true(spw_contest_cap(&(spw_exercise){.parts = parts, .n_parts = 3}) == 10);
    assert_true(spw_contest_cap(&(spw_exercise){.parts = parts, .n_parts = 4}) == 8);
}

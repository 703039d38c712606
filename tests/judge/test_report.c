/* What check FAST says, of figures that we make up. */
#include "judge/judge.h"
#include "test.h"

#include <unistd.h>

static const spw_part parts[] = {{.function = "solve", .baseline.label = "row after row"}};
static const spw_exercise exercise = {.parts = parts, .n_parts = 1};
static spw_shared shared;
static char words[8192];

/* 1e8 bytes at 1e10 byte/s: the roof is 10 ms. */
static spw_part_speed timed(double answer, double reference, spw_verdict verdict,
                            spw_reason reason) {
    return (spw_part_speed){.measured = true,
                            .cost = {.load = 1e8, .flop = 1e7},
                            .bandwidth = 1e10,
                            .peak = 1e11,
                            .time = {answer, reference},
                            .e = 0.01 / answer,
                            .e_low = 0.0096 / answer,
                            .e_high = 0.0104 / answer,
                            .e_rival = {0.01 / answer, 0.01 / reference},
                            .target = 0.0085 / reference,
                            .blocks = 36,
                            .verdict = verdict,
                            .reason = reason,
                            .scatter = 0.02,
                            .scatter_of = {0.5, 0.25},
                            .probe_bytes = 115e6};
}

/* What the report says of it, in `words`. */
static void told(spw_part_speed speed) {
    spw_judgement j = {.exercise = &exercise, .shared = &shared, .all_threads = 2};
    shared.speed[0] = speed;
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stdout);
    const int before = dup(STDOUT_FILENO);
    dup2(fileno(file), STDOUT_FILENO);
    spw_report_speed(&j, 0);
    spw_report_why(&j, 0);
    fflush(stdout);
    dup2(before, STDOUT_FILENO);
    close(before);
    rewind(file);
    words[fread(words, 1, sizeof words - 1, file)] = 0;
    fclose(file);
    for (const char *line = words; *line; line += strcspn(line, "\n") + 1)
        if (strcspn(line, "\n") > 80) fail_msg("%zu columns in:\n%s", strcspn(line, "\n"), words);
}

static void has(const char *piece) {
    if (!strstr(words, piece)) fail_msg("'%s' is not in:\n%s", piece, words);
}

static void has_not(const char *piece) {
    if (strstr(words, piece)) fail_msg("'%s' is in:\n%s", piece, words);
}

TEST(small_shares_have_a_digit_more) {
    told(timed(0.2, 0.19, SPW_PASS, SPW_GOAL_WITHIN));
    has("5.0 % [4.8..5.2]  goal 4.5 %");
    has("  5.3 %");
    told(timed(0.0125, 0.0125, SPW_PASS, SPW_GOAL_WITHIN));
    has("80 % [77..83]  goal 68 %");
    has_not("WHY");
}

/* What is named is what scattered; of arithmetic no bandwidth's probe. */
TEST(without_a_verdict_the_disturbance_is_named) {
    spw_part_speed s = timed(0.02, 0.02, SPW_NO_VERDICT, SPW_GOAL_WITHIN);
    told(s);
    has("after 36 blocks the goal still lies within the interval");
    has("Scatter: yours 50 %, the reference's 25 %, the probe's 2 %.");
    has("No other program took the processors");
    s.others = 0.4;
    told(s);
    has("Other programs took 40 % of the processors, the hypervisor 0 %.");
    has_not("No other program");
    s.cost.flop = 1e10;
    told(s);
    has("the reference's 25 %.");
    has_not("the probe's");
    s.reason = SPW_BLOCKS_DISAGREE;
    s.slower_in = 23;
    told(s);
    has("only in\n          23 of 36 blocks");
}

TEST(above_the_roof_a_question_is_asked) {
    told(timed(0.005, 0.012, SPW_NO_VERDICT, SPW_ABOVE_ROOF));
    has("that is a question, not glory");
    has("lie in a cache, which the probe's 115 MB do not?\n          Does the model count too "
        "much?");
    has_not("The reference is above it, too");
    told(timed(0.005, 0.005, SPW_NO_VERDICT, SPW_ABOVE_ROOF));
    has("The reference is above it, too (200 %): a cache is likely.");
}

TEST(a_reference_that_loses_to_the_baseline_is_named) {
    spw_part_speed s = timed(0.05, 0.05, SPW_NO_VERDICT, SPW_BASELINE_WINS);
    s.time[2] = 0.02;
    told(s);
    has("the reference (50.0 ms) does not beat here what it should,\n          \"row after "
        "row\" (20.0 ms)");
    has_not("barrier");
    s.others = 0.3;
    told(s);
    has("Others took 30 % of the processors: at a barrier all threads");
}

TEST(one_thread_is_named) {
    spw_part_speed s = timed(0.012, 0.012, SPW_SLOW, SPW_ONE_THREAD);
    s.one_thread = true;
    s.busy = 1;
    s.one_core = 8.4e9;
    told(s);
    has("One thread did the work: 1.0 of 2 processors were busy. ONE core\n"
        "          alone loads 8.4 of 10.0 GB/s here");
    s.verdict = SPW_NO_VERDICT;
    s.others = 0.3;
    told(s);
    has("No verdict: one thread did the work (1.0 of 2 processors were busy),\n          "
        "and others took 30 %");
}

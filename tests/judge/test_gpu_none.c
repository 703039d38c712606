/* judge/gpu.c in a build without CUDA, as every judge is where no GPU was found. */
#include "judge/judge.h"
#include "test.h"

static spw_shared shared;

static spw_judgement judgement(void) {
    static const spw_exercise exercise = {.n_parts = 0};
    memset(&shared, 0, sizeof shared);
    return (spw_judgement){.exercise = &exercise, .shared = &shared};
}

TEST(without_a_gpu_it_says_why_and_judges_nothing) {
    spw_judgement j = judgement();
    spw_judge_on_gpu(&j);
    assert_false(shared.gpu.found || shared.failed || shared.judge_failed);
    assert_says(shared.gpu.why, "no GPU");
}

TEST(a_profiler_is_told_that_nothing_was_called) {
    spw_judgement j = judgement();
    spw_call_on_gpu(&j);
    assert_true(shared.judge_failed);
    assert_says(shared.text, "no GPU");
}

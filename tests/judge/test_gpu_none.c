/* judge/gpu.c in a build without CUDA, as every judge is where no GPU was found. */
#include "judge/judge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static spw_shared shared;

static spw_judgement judgement(void)
{
    static const spw_exercise exercise = {.n_parts = 0};
    memset(&shared, 0, sizeof shared);
    return (spw_judgement){.exercise = &exercise, .shared = &shared};
}

static void without_a_gpu_it_says_why_and_judges_nothing(void **state)
{
    (void)state;
    spw_judgement j = judgement();
    spw_judge_on_gpu(&j);
    assert_false(shared.gpu.found || shared.failed || shared.judge_failed);
    assert_non_null(strstr(shared.gpu.why, "no GPU"));
}

static void a_profiler_is_told_that_nothing_was_called(void **state)
{
    (void)state;
    spw_judgement j = judgement();
    spw_call_on_gpu(&j);
    assert_true(shared.judge_failed);
    assert_non_null(strstr(shared.text, "no GPU"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_gpu_it_says_why_and_judges_nothing),
        cmocka_unit_test(a_profiler_is_told_that_nothing_was_called),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

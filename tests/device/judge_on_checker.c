/* Linked into a judge whose GPU is the checker, so that all it does and prints with a GPU is tested where there is
 * none: the linker (--wrap) has these called in the place of the two functions of judge/gpu.c. */
#include "simt/simt.h"
#include "judge/judge.h"

#include <stdio.h>

void __real_spw_judge_on_gpu(spw_judgement *j);
void __wrap_spw_judge_on_gpu(spw_judgement *j);
void __real_spw_call_on_gpu(spw_judgement *j);
void __wrap_spw_call_on_gpu(spw_judgement *j);

static void judge(void *argument) { __real_spw_judge_on_gpu((spw_judgement *)argument); }

static void call(void *argument) { __real_spw_call_on_gpu((spw_judgement *)argument); }

static void on_checker(void (*body)(void *), spw_judgement *j) {
    static char text[2048];
    if (spw_simt_begin(&(spw_simt_options){.check = true, .limit = 120})) return;
    (void)spw_simt_run(body, j);
    if (spw_simt_finding_count() > 0) {
        spw_simt_print_findings(text, sizeof text);
        fprintf(stderr, "%s\n", text);
    }
    spw_simt_end();
}

void __wrap_spw_judge_on_gpu(spw_judgement *j) { on_checker(judge, j); }

void __wrap_spw_call_on_gpu(spw_judgement *j) { on_checker(call, j); }

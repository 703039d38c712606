/* Parts on the device in a build without the checker: ThreadSanitizer's, whose callbacks it would be. */
#include "judge/judge.h"
#include "simt/simt.h"

#include <stdio.h>

static bool missing(spw_judgement *j) {
    j->shared->judge_failed = true;
    snprintf(j->shared->text, sizeof j->shared->text,
             "a build with SANITIZE=thread cannot run CUDA code: leave SANITIZE out, the checker "
             "finds races");
    return false;
}

bool spw_checker_case(spw_judgement *j, int part, const char *name) {
    (void)part;
    (void)name;
    return missing(j);
}

bool spw_checker_leaves(spw_judgement *j, spw_trial *t, spw_function f, char *found, size_t size) {
    (void)found;
    (void)size;
    (void)t;
    (void)f;
    return missing(j);
}

void spw_count_sectors(spw_judgement *j) { (void)missing(j); }

/* Nothing is looked up. */
void spw_simt_keep_finder(const char *object) { (void)object; }

/* judge/races.h -- data races of an answer, found by order and not by luck: races/races.h says how.
 *
 * Only threads of OpenMP are looked at, in all small cases of each part, with nine threads, and in two of them with 129,
 * for tables that have an entry for each of at most so many. A race fails check CORRECT, whether values were right this
 * time or not; where they were not, it says why. */
#pragma once

#include "judge/judge.h"

/* All of this in the parent. The answer is compiled once more, if it has parallel regions. */

typedef enum spw_race_check {
    SPW_RACE_NOT_ASKED, /* there is one thread, or a sanitizer */
    SPW_RACE_FREE,
    SPW_RACE_FOUND,
    SPW_RACE_UNKNOWN /* it could not be looked for, and reason says why */
} spw_race_check;

/* After CORRECT: looks for races in all cases. Where one is found shared->text says which, shared->case_name and so on
 * where. */
spw_race_check spw_races_look(spw_judgement *j, char *reason, size_t size);

/* The result of shared->part and shared->case_name depends on threads: adds to shared->text where they meet. False: it
 * was not found. */
bool spw_races_explain(spw_judgement *j);

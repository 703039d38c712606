/* judge/sectors.h -- the counts of a run of the checker against a part's bounds. */
#pragma once

#include "judge/trial.h"

/* After a run that counted: why it does not pass, in words; "" if it does. own_case: the driver's case, and not one
 * that the learner asked for, whose rows may be as short as they like. */
void spw_judge_sectors(const spw_trial *t, bool own_case, char *why, size_t size);

/* The same of the timeline and the part's share that must be hidden. Sets why if it does not pass. */
void spw_judge_timeline(const spw_part *part, char *why, size_t size);

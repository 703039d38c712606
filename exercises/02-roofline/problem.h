/* Exercise 2: what the files of its driver share. */
#pragma once

#include "judge/exercise.h"
#include "roofline.h"

/* Check PREDICT. */
spw_verdict check_prediction(spw_run *run);

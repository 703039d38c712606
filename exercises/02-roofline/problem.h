/* Exercise 2: what the files of its driver share. */
#pragma once

#include "judge/exercise.h"
#include "perf/cost.h"

typedef double (*roofline_fn)(double, double, double);
typedef double (*multi_fn)(int, const double *, int, const double *, const double *);
typedef spw_cost (*vector_cost_fn)(int64_t);
typedef spw_cost (*matrix_cost_fn)(int64_t, int64_t);

/* Check PREDICT. */
spw_verdict check_prediction(spw_run *run);

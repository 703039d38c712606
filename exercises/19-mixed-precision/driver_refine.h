/* Exercise 19: refine, which calls single_cg of driver_refine.c; that one looks over its shoulder. */
#pragma once

#include "kit/kit.h"

extern const spw_kit refine_kit, steps_kit;

void check_refine(spw_trial *t);

/* Rivals: conjugate gradients in double, and the library's refinement. */
void refine_in_double(spw_trial *t);
void refine_library(spw_trial *t);

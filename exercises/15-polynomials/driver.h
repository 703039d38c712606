/* Exercise 15: what the two files of its driver share. */
#pragma once

#include "judge/exercise.h"
#include "polynomials.h"

/* The answer's polynomials and the library's other preconditioners on three systems. */
void compare_all(spw_run *run);

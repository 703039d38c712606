/* Exercise 13: what the files of its driver share. */
#ifndef PROBLEM_H
#define PROBLEM_H

#include "kit/kit.h"

/* The part best_part. */
extern const spw_kit spw_best_part;

#endif

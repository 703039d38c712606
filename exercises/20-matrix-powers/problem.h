/* Exercise 20: what its two files share. */
#pragma once

#include "kit/kit.h"

enum { CHECKED_UP_TO = 100000 }; /* entries; of a larger matrix no missed row is named */

/* The matrix of the case, its values at random where it is small, so that a_ij and a_ji differ. Gives the quantities
 * nz and n. For an argument. */
spw_status mp_matrix(spw_trial *t, const void *at, void *matrix);

extern const spw_kit mp_levels;
void mp_find_levels(spw_trial *t); /* what of the outputs is compared */

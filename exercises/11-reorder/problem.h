/* Exercise 11: what the files of its driver share. */
#pragma once

#include "judge/exercise.h"
#include "reorder.h"

/* A square matrix by its name, " shuffled" behind it: rows and columns at random, both alike. *A is overwritten and owns
 * its arrays; on failure it is all zero. The errors of spw_csr_named and spw_csr_permute. */
spw_status ro_matrix(const char *name, uint64_t seed, spw_csr *A);

/* Check GAIN: what the answer's order does to six matrices. */
spw_verdict ro_check_gain(spw_run *run);

/* formats/running_sum.h -- from counts to pointers: 2 3 0 1 becomes 2 5 5 6, in parallel. */
#pragma once

#include "base/index.h"

#include <stdint.h>

/* values[i] = values[0] + ... + values[i], which must not exceed SPW_IDX_MAX. Reads twice, writes once. */
void spw_running_sum(spw_idx *values, int64_t n);

/* base/index.h -- the integer types of sizes and indices.
 *
 * A matrix stores 32-bit indices: half the traffic of 64-bit ones, and 2^31 - 1 entries are 24 GB of
 * CSR. Sizes are multiplied in int64_t and checked before they become a spw_idx. */
#pragma once

#include <stdint.h>

typedef int32_t spw_idx;

#define SPW_IDX_MAX INT32_MAX

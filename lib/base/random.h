/* base/random.h -- random numbers that do not depend on the number of threads.
 *
 * Number i of a sequence is a function of the seed and of i alone, so that a loop may be cut among
 * threads anywhere and still gives the same matrix and the same x.
 * Source: the output function of SplitMix64, G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014,
 * doi:10.1145/2660193.2660195. We evaluate it at seed + (i + 1) * gamma directly. */
#pragma once

#include <stdint.h>

static inline uint64_t spw_random_u64(uint64_t seed, uint64_t i) {
    uint64_t z = seed + (i + 1) * UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* Uniform in [0, 1), 53 bits. */
static inline double spw_random_double(uint64_t seed, uint64_t i) {
    return (double)(spw_random_u64(seed, i) >> 11) * (1.0 / 9007199254740992.0);
}

/* Uniform in 0 .. bound-1, bound >= 1. The bias is below bound / 2^64. */
static inline int64_t spw_random_below(uint64_t seed, uint64_t i, int64_t bound) {
    return (int64_t)(spw_random_u64(seed, i) % (uint64_t)bound);
}

/* perf/roofline.h -- the least time a call can take: t = max(bytes / b, flop / P).
 *
 * Source: S. Williams, A. Waterman, D. Patterson, Commun. ACM 52(4), 65-76, 2009,
 * doi:10.1145/1498765.1498785. b and P are measured here and now, not read from a data sheet. */
#pragma once

#include "base/extern_c.h"
#include "base/status.h"
#include "perf/cost.h"

#include <stdint.h>

SPW_C_BEGIN

/* Seconds; bandwidth in byte/s, peak in flop/s, both > 0. */
static inline double spw_roofline_time(spw_cost c, double bandwidth, double peak) {
    const double move = spw_cost_bytes(c) / bandwidth, compute = c.flop / peak;
    return move > compute ? move : compute;
}

/* flop/s at an intensity in flop/byte. */
static inline double spw_roofline_performance(double intensity, double bandwidth, double peak) {
    return intensity * bandwidth < peak ? intensity * bandwidth : peak;
}

/* The same with several limits: the least of all flat ceilings (peaks without SIMD, without fused
 * multiply-add, ..., flop/s) and all slanted roofs, intensity[j] * bandwidth[j]. A path j is a level of
 * the memory; the intensity is the loop's flops over the bytes that it moves on that very path.
 *   ceiling   [n_ceilings] flop/s
 *   bandwidth [n_paths]    byte/s
 *   intensity [n_paths]    flop/byte
 * Either count may be 0, but not both. */
double spw_roofline_bound(int n_ceilings, const double *ceiling, int n_paths,
                          const double *bandwidth, const double *intensity);

SPW_C_END

/* kernels/expert/arrays.h -- what kernels that run along arrays share. Internal.
 *
 * Arrays of a caller have any alignment, hence loads that do not ask for one: on today's CPUs they
 * cost nothing as long as the address is aligned. */
#pragma once

#include "perf/simd.h"

#include <stdint.h>

typedef double spw_vec_any __attribute__((vector_size(SPW_VEC_BYTES), aligned(8), may_alias));

static inline spw_vec spw_vec_load_any(const double *at) { return *(const spw_vec_any *)at; }

/* Asks for the line so many bytes behind this address. It may lie behind the array: by way of an
 * integer, for no pointer may. A prefetch of an address that is not mapped does nothing. */
static inline __attribute__((always_inline)) void spw_prefetch_ahead(const void *at, int bytes) {
    __builtin_prefetch((const void *)((uintptr_t)at + (uintptr_t)bytes));
}

/* Elements from `at` to the next address that a vector store accepts, at most n. */
static inline int64_t spw_to_boundary(const double *at, int64_t n) {
    const int64_t beyond = (int64_t)((uintptr_t)at % 64 / sizeof *at);
    const int64_t head = beyond ? 8 - beyond : 0;
    return head < n ? head : n;
}

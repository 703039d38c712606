/* kit/device_systems.h -- what drivers of kernels on a device have in common.
 *
 *     got == spw_taken_sum(n, x, NULL, spw_taken_warp_0, 0)    only the first warps have added */
#pragma once

#include "base/extern_c.h"
#include "base/status.h"
#include "formats/csr.h"
#include "kit/kit.h"

#include <stdbool.h>
#include <stdint.h>

SPW_C_BEGIN

/* From a rival that calls a kernel of the library: fails the trial, with the library's message, unless SPW_OK. */
void spw_trial_library(spw_trial *t, spw_status status);

/* A rival of one such call: SPW_LIBRARY(library, const operands *o, spw_spmv_csr_cuda_warp(o->A, o->x, o->y)) */
#define SPW_LIBRARY(name, struct_, ...) SPW_RIVAL(name, struct_, spw_trial_library(t, __VA_ARGS__))

/* Of a model that counts a read of what is written. */
#define SPW_NO_WRITE_ALLOCATE                                                                      \
    "that is the write-allocate read of a CPU. A GPU stores whole sectors and reads\n"             \
    "nothing before"

/* Bounds on an array that is touched once, neighbours by neighbours. */
#define SPW_COALESCE                                                                               \
    "neighbouring lanes must touch neighbouring doubles: 32 of them are 8 sectors\nof 32 bytes. "  \
    "Which i has thread 0, which has thread 1?"
#define SPW_EACH_ONCE(array_, access_)                                                             \
    {.array = array_, .access = access_, .per_request = 8.5, .hint = SPW_COALESCE}, {              \
        .array = array_, .access = access_, .times_size = 1.1,                                     \
        .hint = "each sector should be moved once: a request of one lane moves 32 bytes "          \
                "and\nuses 8 of them"                                                              \
    }

/* One bound: sectors in all, so many times those that hold the array, or sectors a request, or requests of a block;
 * access: LOADS, STORES. */
#define SPW_AT_MOST(array_, access_, times, hint_)                                                 \
    { .array = array_, .access = SPW_##access_, .times_size = times, .hint = hint_ }
#define SPW_A_REQUEST(array_, access_, sectors, hint_)                                             \
    { .array = array_, .access = SPW_##access_, .per_request = sectors, .hint = hint_ }
#define SPW_A_BLOCK(array_, access_, requests, hint_)                                              \
    { .array = array_, .access = SPW_##access_, .per_block = requests, .hint = hint_ }
/* A row's sum is stored when it is complete. */
#define SPW_SUM_IN_REGISTER(array_)                                                                \
    SPW_AT_MOST(array_, LOADS, 0.1,                                                                \
                "keep the sum in a register and store it once: in memory it is loaded and stored " \
                "for each entry")

/* Which elements of an array took part in a sum: does element i? Threads come in blocks of 256 and take the elements
 * in order, again and again: thread i mod threads has element i. count is what the driver gives spw_taken_sum. */
typedef bool (*spw_taken)(int64_t i, int64_t count);

bool spw_taken_none(int64_t i, int64_t count);
bool spw_taken_thread_0(int64_t i, int64_t count); /* those of thread 0 of each block */
bool spw_taken_lane_0(int64_t i, int64_t count);   /* of lane 0 of each warp */
bool spw_taken_warp_0(int64_t i, int64_t count);   /* of the first warp of each block */
bool spw_taken_half(int64_t i, int64_t count);     /* of the first half of each block's threads */
bool spw_taken_once(int64_t i, int64_t count);     /* count threads: the first element of each */

/* The sum of x[i], or of x[i] y[i] if y is not NULL, over the n elements that take part, in long double. taken NULL:
 * all do. */
double spw_taken_sum(int64_t n, const double *x, const double *y, spw_taken taken, int64_t count);

/* What the number would be if only a share had been added, for each of the list; not of more than SPW_KIT_LARGE
 * elements. */
typedef struct spw_taken_mistake {
    spw_taken taken; /* NULL ends the list */
    const char *text;
} spw_taken_mistake;
void spw_trial_taken_mistakes(spw_trial *t, const double *number, int64_t n, const double *x,
                              const double *y, int64_t count, const spw_taken_mistake *mistakes);

SPW_C_END

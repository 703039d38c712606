/* perf/line_cache.h -- an exact simulation of one cache, to count the lines that a loop fetches.
 *
 * Lines of 64 bytes in sets of 16, the least recently used is replaced, a write fetches its line: as
 * cachegrind has it, without the small cache in front. What a real cache does besides (prefetching,
 * hashing, other policies) is left out, and so the count is the same on every machine.
 *     spw_line_cache c;
 *     if (spw_line_cache_create(262144, &c)) return 1;
 *     for (...) spw_line_cache_access(&c, &a[i], sizeof a[i]);
 *     printf("%.0f bytes\n", 64 * c.fetched);
 *     spw_line_cache_destroy(&c); */
#pragma once

#include "base/extern_c.h"
#include "base/status.h"

#include <stdint.h>

SPW_C_BEGIN

enum { SPW_LINE_STREAMS = 16 };
typedef struct spw_line_cache {
    int64_t n_sets;  /* a power of two */
    uint64_t *lines; /* [16 * n_sets] line number + 1, the most recently used first; 0: empty */
    /* the line behind the last one of each stream, the stream that went on last first */
    uint64_t streams[SPW_LINE_STREAMS];
    double fetched; /* lines */
    double next;    /* of these, the ones that go on with a stream: a prefetcher sees them coming */
} spw_line_cache;

/* An empty cache of that many bytes: 1024 times a power of two. On failure *c is all zero.
 *   SPW_ERR_ARG     another size
 *   SPW_ERR_MEMORY  no room */
spw_status spw_line_cache_create(int64_t bytes, spw_line_cache *c);

/* The largest 2^k * 64 KiB that is at most an eighth of the working set, 64 KiB at least: of a cache so
 * small, little is left over from the sweep before. `make traffic-N` gives cachegrind the same. */
int64_t spw_line_cache_size(int64_t working_set);

/* Reads or writes size >= 1 bytes from `at` on, which need not be memory. */
void spw_line_cache_access(spw_line_cache *c, const void *at, int64_t size);

/* Sets the counts to zero, and keeps what is in the cache, and the streams. */
void spw_line_cache_restart(spw_line_cache *c);

void spw_line_cache_destroy(spw_line_cache *c);

SPW_C_END

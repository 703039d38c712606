#include "perf/line_cache.h"

#include "base/memory.h"

#include <string.h>

enum { LINE = 64, WAYS = 16, LEAST = 65536 };

spw_status spw_line_cache_create(int64_t bytes, spw_line_cache *c) {
    const int64_t n_sets = bytes / (LINE * WAYS);
    *c = (spw_line_cache){0};
    if (n_sets < 1 || n_sets * LINE * WAYS != bytes || (n_sets & (n_sets - 1)))
        return spw_error(SPW_ERR_ARG,
                         "a simulated cache has 1024 bytes times a power of two, not %lld",
                         (long long)bytes);
    const spw_status status = SPW_ALLOC_ZERO(&c->lines, n_sets * WAYS);
    if (!status) c->n_sets = n_sets;
    return status;
}

int64_t spw_line_cache_size(int64_t working_set) {
    int64_t size = LEAST;
    while (16 * size <= working_set) size *= 2;
    return size;
}

/* To the front comes what stands at `place`, as `value`. */
static void to_front(uint64_t *list, int place, uint64_t value) {
    memmove(list + 1, list, (size_t)place * sizeof *list);
    list[0] = value;
}

static void access_line(spw_line_cache *c, uint64_t line) {
    uint64_t *set = c->lines + (int64_t)(line % (uint64_t)c->n_sets) * WAYS;
    int way = 0;
    while (way < WAYS && set[way] != line + 1) way++;
    if (way == WAYS) {
        int stream = 0;
        while (stream < SPW_LINE_STREAMS && c->streams[stream] != line) stream++;
        c->fetched++;
        c->next += stream < SPW_LINE_STREAMS;
        /* the least recently used makes room, of streams and of lines */
        to_front(c->streams, stream < SPW_LINE_STREAMS ? stream : SPW_LINE_STREAMS - 1, line + 1);
        way = WAYS - 1;
    }
    to_front(set, way, line + 1);
}

void spw_line_cache_access(spw_line_cache *c, const void *at, int64_t size) {
    const uint64_t first = (uintptr_t)at / LINE,
                   last = ((uintptr_t)at + (uintptr_t)size - 1) / LINE;
    for (uint64_t line = first; line <= last; line++) access_line(c, line);
}

void spw_line_cache_restart(spw_line_cache *c) { c->fetched = c->next = 0; }

void spw_line_cache_destroy(spw_line_cache *c) {
    if (!c) return;
    spw_free(c->lines);
    *c = (spw_line_cache){0};
}

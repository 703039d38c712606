#include "base/memory.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LINE = 64, CHECK_FROM = 64 << 20 };

static atomic_llong allocations_left = -1;

static int64_t read_number(const char *path) {
    int64_t number = -1;
    FILE *file = fopen(path, "r");
    if (!file) return -1;
    if (fscanf(file, "%" SCNd64, &number) != 1) number = -1;
    fclose(file);
    return number;
}

int64_t spw_memory_available(void) {
    int64_t available = INT64_MAX;
    char line[128];
    FILE *file = fopen("/proc/meminfo", "r");
    if (file) {
        int64_t kib;
        while (fgets(line, sizeof line, file))
            if (sscanf(line, "MemAvailable: %" SCNd64, &kib) == 1) available = kib * 1024;
        fclose(file);
    }
    const int64_t limit = read_number("/sys/fs/cgroup/memory.max");
    const int64_t used = read_number("/sys/fs/cgroup/memory.current");
    if (limit > 0 && used >= 0) {
        const int64_t left = limit > used ? limit - used : 0;
        if (left < available) available = left;
    }
    return available;
}

spw_status spw_memory_check(const char *what, int64_t bytes) {
    if (bytes < CHECK_FROM) return SPW_OK;
    const int64_t available = spw_memory_available();
    if (bytes <= available) return SPW_OK;
    return spw_error(SPW_ERR_MEMORY, "%s needs %.1f GB, this machine has %.1f GB free", what,
                     (double)bytes * 1e-9, (double)available * 1e-9);
}

spw_status spw_alloc(void **out, int64_t count, int64_t size) {
    *out = NULL;
    if (count < 0 || size < 1)
        return spw_error(SPW_ERR_ARG, "cannot allocate %" PRId64 " items of %" PRId64 " bytes",
                         count, size);
    if (count > (INT64_MAX - SPW_HUGE_PAGE) / size)
        return spw_error(SPW_ERR_MEMORY,
                         "%" PRId64 " items of %" PRId64 " bytes are more than any memory", count,
                         size);
    const int64_t bytes = count * size;
    const spw_status status = spw_memory_check("this allocation", bytes);
    if (status) return status;
    long long left = atomic_load(&allocations_left);
    while (left > 0 && !atomic_compare_exchange_weak(&allocations_left, &left, left - 1)) {
    }

    const int64_t alignment = bytes >= SPW_HUGE_FROM ? SPW_HUGE_PAGE : LINE;
    const int64_t rounded = (bytes + alignment - (bytes > 0)) / alignment * alignment;
    if (left == 0 || posix_memalign(out, (size_t)alignment, (size_t)rounded)) {
        *out = NULL;
        return spw_error(SPW_ERR_MEMORY, "no memory for %" PRId64 " bytes", bytes);
    }
#ifdef MADV_HUGEPAGE
    if (alignment == SPW_HUGE_PAGE) madvise(*out, (size_t)rounded, MADV_HUGEPAGE);
#endif
    return SPW_OK;
}

spw_status spw_alloc_zero(void **out, int64_t count, int64_t size) {
    const spw_status status = spw_alloc(out, count, size);
    if (!status) memset(*out, 0, (size_t)(count * size));
    return status;
}

void spw_free(void *block) { free(block); }

void spw_memory_fail_after(int64_t n) { atomic_store(&allocations_left, n < 0 ? -1 : n); }

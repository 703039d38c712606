/* perf/working_set.h -- how many bytes a loop should work on, so that it is memory that is measured.
 *
 * Four times the last-level cache: at most a quarter of the data can then be left over from the sweep
 * before. At least 256 MB, because caches are shared and virtual machines hide them. At most 1 GB,
 * because more changes nothing and costs time; and at most an eighth of the memory that is left, so
 * that several such sets fit side by side. GB is 1e9 bytes.
 *     caches of 32 MiB, 24 GB left   256 MB
 *     caches of 96 MiB, 24 GB left   402 MB
 *     caches of 32 MiB,  1 GB left   125 MB */
#pragma once

#include "base/extern_c.h"

#include <stdint.h>

SPW_C_BEGIN

/* Bytes for this machine, now: a multiple of 4096. The same in a process from its first call on, so
 * that arrays and probes of one run agree. */
int64_t spw_default_working_set(void);

/* The rule itself. cache: bytes of all last-level caches together, 0 if unknown; available: bytes of
 * memory left, INT64_MAX if unknown. A multiple of 4096, at least 4096. */
int64_t spw_working_set_for(int64_t cache, int64_t available);

SPW_C_END

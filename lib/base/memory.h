/* base/memory.h -- every allocation of the library goes through here.
 *
 * Small blocks are aligned to 64 bytes, a cache line. Blocks of 4 MiB and more are aligned to 2 MiB
 * and ask for huge pages, because a gather from x misses the TLB long before it misses the cache.
 * The pages are not touched: on a NUMA machine they land where the first thread writes them.
 *
 * A request of 64 MiB and more is compared with what the machine has left *before* it is made, so
 * that a matrix that does not fit is refused with both figures and not by the kernel's OOM killer. */
#pragma once

#include "base/extern_c.h"
#include "base/status.h"

#include <stdint.h>

SPW_C_BEGIN

/* Blocks from here on lie on pages of this size, and have the last one for themselves. */
enum { SPW_HUGE_PAGE = 2 << 20, SPW_HUGE_FROM = 4 << 20 };

/* Allocates count * size bytes, uninitialised. *out owns them: spw_free. A count of 0 gives a block
 * that may be freed but not used, never NULL. On failure *out is NULL.
 *   SPW_ERR_ARG     count < 0 or size < 1
 *   SPW_ERR_MEMORY  no room, or count * size overflows 63 bits */
spw_status spw_alloc(void **out, int64_t count, int64_t size);

/* The same for a typed pointer: SPW_ALLOC(&A->val, nnz). Takes the size from the pointer's type. */
#define SPW_ALLOC(pointer, count)                                                                  \
    spw_alloc((void **)(pointer), (int64_t)(count), (int64_t)sizeof **(pointer))

/* The same, filled with zero bytes by the calling thread. */
spw_status spw_alloc_zero(void **out, int64_t count, int64_t size);
#define SPW_ALLOC_ZERO(pointer, count)                                                             \
    spw_alloc_zero((void **)(pointer), (int64_t)(count), (int64_t)sizeof **(pointer))

/* Takes NULL. */
void spw_free(void *block);

/* Bytes that this process may still take: the least of what the kernel calls available and what the
 * control group leaves; INT64_MAX where neither can be read. */
int64_t spw_memory_available(void);

/* Refuses, with SPW_ERR_MEMORY and a message with both figures, what would not fit:
 * "fem3:900 needs 234.1 GB, this machine has 22.9 GB free". what: the name of the thing. Less than
 * 64 MiB is never refused: asking the system takes longer than the allocation. */
spw_status spw_memory_check(const char *what, int64_t bytes);

/* For tests: the next n allocations succeed, all later ones fail; n < 0 ends that. */
void spw_memory_fail_after(int64_t n);

SPW_C_END

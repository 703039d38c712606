/* driver_far.h -- the far memory of exercise 24, played: what streaming.h gives, with a clock of its own.
 *
 * Blocks lie in plain memory. far_begin notes when the block would arrive, far_wait sets the clock to that, and
 * multiply_block adds what its product takes. So the time of a loop is its order alone: nothing of it is measured, and
 * it is the same on every machine, whatever else runs there.
 *     void *buffer[2];
 *     far_memory *F = far_open(A, 12, 1, buffer);
 *     spmm_streamed(F, buffer, nv, X, Y);
 *     far_close(F, &seen);                     seen.time, seen.trouble
 * From far_begin to far_wait the pages of a buffer are closed (PROT_NONE) and hold NaN. Who touches them is caught as a
 * signal, every time, and noted; then the pages are opened, so that the answer goes on. After the first trouble nothing
 * is brought or computed any more. */
#pragma once

#include "streaming.h"

#include "kit/kit.h"

enum { FAR_MOST = 512 }; /* blocks */

typedef struct far_seen {
    char trouble[256];          /* the first thing that went wrong, or "" */
    double transfers, products; /* s of the played clock, each alone */
    double time, least;         /* of the loop, and of the best one with two buffers */
    int blocks,
        idle,  /* products that ran while nothing was on its way and blocks were still to come */
        early; /* those of them whose next block had been waited for already */
} far_seen;

/* Of rows begin .. end - 1 as a block. */
int64_t far_bytes(const spw_csr *A, spw_idx begin, spw_idx end);

/* The greedy cut of the rows into blocks that have room. Returns how many; above `most`: there would be more, or a row
 * does not fit. */
int far_cut_in(const spw_csr *A, int64_t room, int most, spw_idx *first_row);

/* The same into `most` blocks or fewer, in the smallest room that allows it. Returns how many;
 * *room: its bytes. */
int far_cut(const spw_csr *A, int most, spw_idx first_row[FAR_MOST + 1], int64_t *room);

/* One at a time in a process; NULL: no room. A link of 1 GB/s without latency; a block's product takes 1 / ratio of its
 * transfer. */
far_memory *far_open(const spw_csr *A, int most, double ratio, void *buffer[2]);
void far_close(far_memory *F, far_seen *seen);

/* Y = A X, row after row. */
void far_multiply(const spw_csr *A, int nv, const double *X, double *Y);

/* Exercise 24: what streaming.c must define, and the far memory that it is given. */
#pragma once

#include "formats/csr.h"

#include <stdint.h>

/* Cuts the rows of A into blocks, each as many rows as a buffer of `room` bytes holds: an entry takes 12 bytes, and a
 * block of m rows has m + 1 row pointers of 4 bytes.
 *   first_row  [n_rows + 1]  output: block k is the rows first_row[k] .. first_row[k+1]-1, the last of these is n_rows
 * Returns the number of blocks, 0 where A has no rows; also 0 if a row alone does not fit, and then first_row is of no
 * interest. */
int cut(const spw_csr *A, int64_t room, spw_idx *first_row);

/* --- given ----------------------------------------------------------------------------------------- */

/* A matrix in far memory, cut into blocks. One thread calls these, outside of parallel regions; all but far_wait and
 * multiply_block return at once. */
typedef struct far_memory far_memory;

/* The number of blocks, 0 where A has no rows; and the first row of block k. */
int far_blocks(const far_memory *F);
spw_idx far_first_row(const far_memory *F, int k);

/* Block k shall come into this buffer. Blocks cross the link one after the other. Until far_wait nobody may touch the
 * buffer. */
void far_begin(far_memory *F, int k, void *buffer);

/* Returns when block k is there. */
void far_wait(far_memory *F, int k);

/* Y = A_k X on all cores, for nv vectors, row-major and without gaps. A_k is block k, which is in this buffer; Y points
 * to where the rows of this block begin. */
void multiply_block(far_memory *F, int k, const void *buffer, int nv, const double *X, double *Y);

/* --- for you --------------------------------------------------------------------------------------- */

/* Y = A X with a matrix that streams through two buffers; each has room for any block.
 *   nv  at least 1
 *   X   [n_cols * nv], does not overlap Y
 *   Y   [n_rows * nv], overwritten: it holds garbage on entry */
void spmm_streamed(far_memory *F, void *const buffer[2], int nv, const double *X, double *Y);

/* Seconds that the loop takes, at its best, with B blocks of the same size.
 *   T_t, T_c  s  to bring all bytes, and to compute all products
 *   o         s  latency: what each transfer takes besides */
double stream_time(int B, double T_t, double T_c, double o);

/* The number of blocks from least to most with which stream_time is least; of several the smallest. */
int best_blocks(double T_t, double T_c, double o, int least, int most);

/* The smallest number of vectors, at least 1, whose products take as long as the transfer, or longer.
 *   T_t                 s  to bring what they multiply
 *   T_first, T_vector   s  the product with one vector; what each further one takes, above 0 */
int vectors_to_hide(double T_t, double T_first, double T_vector);

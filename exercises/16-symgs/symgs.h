/* Exercise 16: what symgs.c must define. */
#pragma once

#include "kernels/symgs.h"
#include "perf/cost.h"

#include <stdint.h>

/* The layout is spw_coloured of kernels/symgs.h. Slices of 32 rows, no slice of two colours:
 *   colour_ptr  [n_colours+1]  colour c: slices colour_ptr[c] .. colour_ptr[c+1]-1
 *   slice_ptr   [n_slices+1]   slice s: entries slice_ptr[s] .. slice_ptr[s+1]-1, column by column:
 *                              entry k of lane l at slice_ptr[s] + 32 k + l
 *   col_idx     [n_stored]     places; val [n_stored]; padding has its own place and 0
 *   inverse     [n_places]     1 / a_ii; 0 in a place without a row
 *   on_device                  there is a device, and it has these arrays
 * Lane l of slice s is place 32 s + l; vectors are vectors of places, n_places = 32 n_slices. */
enum { C = SPW_COLOURED_C };

/* The least bytes and the flops of one visit to one colour, x += D^-1 (r - A x) in its places. The
 * caches keep nothing from one colour to the next: all n_places of x are loaded. */
spw_cost colour_cost(const spw_coloured *S, spw_idx colour);

/* The same for all visits of symgs. */
spw_cost symgs_cost(const spw_coloured *S);

/* sum[lane] = row of A times x, for the 32 lanes of slice s. */
void multiply_slice(const spw_idx *slice_ptr, const spw_idx *col_idx, const double *val,
                    const double *x, int64_t s, double *sum);

/* x += D^-1 (r - A x) in the places of one colour, all of them at the same time, on the device if
 * S->on_device, else on all threads of the host.
 *   r  [S->n_places]
 *   x  [S->n_places]  read and written; 0 in places without a row, and stays so */
void relax_colour(const spw_coloured *S, spw_idx colour, const double *r, double *x);

/* A sweep through the colours and one back, no colour twice in a row: 0 1 2 1 0. With a device r and x
 * go there once, and x comes back once. Arguments as above. */
void symgs(const spw_coloured *S, const double *r, double *x);

/* w = A x. With a device it does the slices in front of part * n_slices, rounded to the nearest, and the
 * threads of the host do the rest at the same time; without one the host does both. Each side writes its
 * own part of w and nothing else crosses the bus but x.
 *   part  0 .. 1
 *   x     [S->n_places], does not overlap w
 *   w     [S->n_places], overwritten: it holds garbage on entry */
void spmv_split(const spw_coloured *S, double part, const double *x, double *w);

/* The part of the rows that the device must get so that both sides end at the same time, from the
 * bandwidths of the two in GB/s, each when it works alone. bw_host > 0; bw_device >= 0, 0 means none. */
double best_part(double bw_host, double bw_device);

/* kit/orders.h -- orders of rows: what the driver of exercise 11 and its figure share. Plain and serial. A graph is a CSR
 * matrix of which values and diagonal are of no interest: row i and column j are neighbours. */
#pragma once

#include "base/extern_c.h"
#include "base/status.h"
#include "formats/csr.h"

#include <stdint.h>

SPW_C_BEGIN

/* Rows and columns of a square matrix at random, both alike, in runs of so many rows that stay together, as in a mesh that was
 * numbered piece by piece. On failure *A is all zero.
 *   SPW_ERR_MEMORY  no room */
spw_status spw_order_shuffle(uint64_t seed, spw_idx run, spw_csr *A);

/* The pattern of A + A^T without the diagonal. *G is overwritten and owns its arrays; on failure it is all zero. The errors
 * of spw_csr_from_coo. */
spw_status spw_order_graph(const spw_csr *A, spw_csr *G);

/* A breadth-first search from start, and reverse Cuthill-McKee, exactly as exercises/11-reorder/reorder.h has them.
 * level [n_rows]: -1 for rows without a place; order [n_rows]. The search returns how many rows it found. */
spw_idx spw_order_bfs(const spw_csr *G, spw_idx start, spw_idx *level, spw_idx *order);
void spw_order_rcm(const spw_csr *G, spw_idx *level, spw_idx *order);

/* Doubles of x that one product y = A x fetches for each entry into a simulated cache of that size (perf/line_cache.h) through
 * which A and y stream, too.
 *   SPW_ERR_ARG, SPW_ERR_MEMORY  of spw_line_cache_create; or A has no entries */
spw_status spw_order_gamma(const spw_csr *A, int64_t cache, double *gamma);

SPW_C_END

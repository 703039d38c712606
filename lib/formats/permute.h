/* formats/permute.h -- other orders of rows and columns, among them one of small bandwidth.
 *
 * An order is an array `order` of n numbers: the new row i is the old row order[i]. Example, rows and
 * columns by order = 2 0 1:
 *     | 5 1 . |      | . 7 . |      new (0, 1) is old (2, 0)
 *     | . . 4 |  ->  | . 5 1 |
 *     | 7 . . |      | 4 . . |
 * Bandwidth is max |i - j| over the entries: the x that a row needs lies within twice that, and if this
 * fits a cache, x comes from memory once.
 *
 * Reverse Cuthill-McKee numbers the vertices of the graph of A level by level from a vertex at its rim,
 * the neighbours of each by rising degree, and then turns the order round. Sources: E. Cuthill, J. McKee,
 * ACM 1969, doi:10.1145/800195.805928; the reversal: W.-H. Liu, A. H. Sherman, SIAM J. Numer. Anal. 13(2),
 * 198-213, 1976, doi:10.1137/0713020; the vertex: A. George, J. W. H. Liu, ACM Trans. Math. Softw. 5(3),
 * 284-295, 1979, doi:10.1145/355841.355845. Own code: the libraries that have it bring their own
 * matrices with them. */
#ifndef SPW_FORMATS_PERMUTE_H
#define SPW_FORMATS_PERMUTE_H

#include "base/index.h"
#include "base/status.h"
#include "formats/csr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* *order = the reverse Cuthill-McKee order of A, n_rows numbers. The graph has an edge between i and j
 * where A has an entry (i, j) or (j, i): a pattern that is not symmetric is taken as that of A + A^T. Parts
 * of the graph that are not connected come one after the other. *order owns its numbers: spw_free. On
 * failure it is NULL. Serial; O(nnz log row_max) time, 12 nnz bytes for the transpose while it runs. The
 * same order for any number of threads.
 *   SPW_ERR_ARG     A is not square, or not valid
 *   SPW_ERR_MEMORY  no room */
spw_status spw_csr_rcm(const spw_csr *A, spw_idx **order);

/* B[i][j] = A[row_order[i]][col_order[j]]; NULL is the order as it is. The same order twice keeps a
 * symmetric matrix symmetric. *B is overwritten and owns its arrays; A and the orders are not kept. On
 * failure *B is all zero. Parallel.
 *   SPW_ERR_ARG     A is not valid, or an order is not one: a number is outside or comes twice
 *   SPW_ERR_MEMORY  no room */
spw_status spw_csr_permute(const spw_csr *A, const spw_idx *row_order, const spw_idx *col_order,
                           spw_csr *B);

/* inverse[order[i]] = i, for n numbers. They do not overlap. On failure inverse is undefined.
 *   SPW_ERR_ARG  order is not one; the message has the first number that is outside or comes twice */
spw_status spw_order_invert(spw_idx n, const spw_idx *order, spw_idx *inverse);

/* Vectors of n elements, which do not overlap: to[i] = from[order[i]], and its way back,
 * to[order[i]] = from[i]. order must be one. */
void spw_permute(spw_idx n, const spw_idx *order, const double *from, double *to);
void spw_permute_back(spw_idx n, const spw_idx *order, const double *from, double *to);

#ifdef __cplusplus
}
#endif

#endif

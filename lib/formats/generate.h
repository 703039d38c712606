/* formats/generate.h -- matrices made on the spot, parallel, the same for any number of threads.
 *
 * A generator is named as a file is named, wherever a matrix is asked for:
 *     laplace2d:1000x1000   5-point Laplacian of a grid (4, -1)
 *     laplace3d:100         7-point Laplacian (6, -1); also laplace3d:100x80x60
 *     stencil27:120         27-point stencil with the values of HPCG (26, -1)
 *     fem1:64 fem3:64 fem6:64   trilinear hexahedra, 64 nodes an edge, 1, 3, 6 unknowns a node; also
 *                           fem1:256x256x128; (3k-2)^3 dof^2 entries for a cube of k nodes an edge
 *     arrow:100000          dense first row and column and the diagonal
 *     powerlaw:100000       row lengths by a power law, a few rows very long
 *     random:1000x500x12    12 entries a row at random columns
 *     uneven:100000         rows of 1 to 15 entries, at random, in a band around the diagonal
 *     tridiag:100000        tridiagonal (-1, 2, -1)
 *     convdiff2d:1000       5-point convection-diffusion, nonsymmetric
 * One number stands for a square or a cube. The first direction of a grid, x, is numbered fastest:
 * point (x, y, z) of NXxNYxNZ is row (z NY + y) NX + x. Neighbours outside the grid have no entry.
 *
 * What is symmetric is so to the last bit. The values are the same on every machine, because nothing
 * is rounded that a compiler might round in another way.
 *
 * fem:  -div(kappa grad u) on bricks of edge ratio 1 : sqrt 2 : 2, assembled from trilinear elements
 *       and scaled to whole numbers for kappa = 1; u = 0 on the layer of nodes around the grid, which
 *       is eliminated. kappa is random in [1, 2) for each brick, so that entries differ. With more
 *       unknowns a node each entry k_ij becomes the block k_ij B, B[a][b] = (1 + a/4) (1 + b/4) /
 *       2^|a-b|. Symmetric positive definite; a node couples with all its neighbours, 26 inside.
 * arrow:  a_00 = 1.5 n, a_jj = 2, a_0j = a_j0 = -r_j with r_j in [0.5, 1.5): positive definite.
 * powerlaw:  n x n. P(length >= l) = 2 / l up to l = n / 8, about as in web graphs. The mean is near
 *       2 ln(n / 8): 18.5 for n = 1e5, 25.3 for 1e6. Some 16 rows have n / 8 entries.
 * random:RxCxK  exactly min(K, C) entries in each row, one in each of that many equal parts of the
 *       row. That is not quite a random subset, but ascending without a sort. (powerlaw does likewise.)
 *       Values of both are in (-1, 1), never 0.
 * uneven:  every other column of a band around the diagonal, 8 entries a row on average; values in
 *       [-0.5, 0.5). Sorting its rows pays: lengths differ from row to row, their mean over
 *       some hundred rows does not.
 * convdiff2d:  -Laplace u + v . grad u, first-order upwind, v constant with cell Peclet numbers 1 and
 *       1/2: west -2, east -1, south -1.5, north -1, centre 5.5. An M-matrix. */
#pragma once

#include "base/extern_c.h"
#include "base/status.h"
#include "formats/coo.h"
#include "formats/csr.h"
#include "formats/matrix_market.h"

#include <stdint.h>

SPW_C_BEGIN

/* Does the name have the form of a generator, "word:..." with a word of the list above? Then a file of
 * that name is not looked for. */
int spw_is_generator(const char *name);

/* A small matrix of each generator, k = 0, 1, ..., such as "stencil27:5x3x4"; NULL: there are no more. */
const char *spw_generator_sample(int k);

/* Rows, columns and entries of the matrix of that name, exact, nothing allocated. They may be more
 * than 32-bit indices can number.
 *   SPW_ERR_ARG    no such generator, or a malformed or too small size; the message lists the names,
 *                  or how that size is written
 *   SPW_ERR_RANGE  a number of the name is above SPW_IDX_MAX, or a count above 2^63-1 */
spw_status spw_generate_size(const char *name, int64_t *n_rows, int64_t *n_cols, int64_t *nnz);

/* Makes the matrix. *A is overwritten and owns its arrays; on failure it is all zero.
 * The pages of val and col_idx are first touched by the thread that holds those entries when the
 * entries are cut evenly among the threads at whole rows; for a matrix of even rows that is also the
 * split by rows. The pages of row_ptr follow the split by rows.
 *   SPW_ERR_ARG     as above
 *   SPW_ERR_RANGE   as above, or more than SPW_IDX_MAX rows, columns or entries
 *   SPW_ERR_MEMORY  does not fit: said before anything is allocated */
spw_status spw_csr_generate(const char *name, spw_csr *A);

/* Rows begin .. end-1 of it, with the columns of all; and how many entries they have, nothing allocated. Rows that
 * the matrix does not have must not be asked for. The errors of spw_csr_generate; limits are for what is made. */
spw_status spw_csr_generate_rows(const char *name, int64_t begin, int64_t end, spw_csr *A);
spw_status spw_generate_entries(const char *name, int64_t begin, int64_t end, int64_t *entries);

/* What assembling hexahedra gives before entries are added up: a cube of k >= 2 nodes an edge, element after element,
 * 8 x 8 entries each, 64 (k-1)^3 entries at (3k-2)^3 positions. Values of seed in [-0.5, 0.5). *A is overwritten and
 * owns its arrays; on failure it is all zero. The errors of spw_coo_create. */
spw_status spw_coo_hexahedra(int64_t k, uint64_t seed, spw_coo *A);

/* What MATRIX= takes: a generator, a Matrix Market file, or the bare name of a matrix that comes with
 * the workbook or was fetched, looked for in this order:
 *     NAME   matrices/NAME.mtx   matrices/collection/NAME.mtx   matrices/collection/NAME.mtx.gz
 * The errors of spw_csr_generate, spw_coo_read_matrix_market and spw_csr_from_coo. */
spw_status spw_csr_load(const char *name, spw_csr *A);

/* A file of these alone, in blocks: spw_coo_read_blocks. */
spw_status spw_coo_load_blocks(const char *name, spw_take_block *take, void *context);

/* Is there a matrix of that name? Nothing is read or made: for a word to the user before long work.
 *   SPW_ERR_ARG, SPW_ERR_RANGE, SPW_ERR_MEMORY  a generator's, as of spw_csr_generate
 *   SPW_ERR_FILE                                neither a file nor a generator */
spw_status spw_csr_find(const char *name);

SPW_C_END

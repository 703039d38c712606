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
 *     tridiag:100000        tridiagonal (-1, 2, -1)
 *     convdiff2d:1000       5-point convection-diffusion, nonsymmetric
 * One number stands for a square or a cube. */
#ifndef SPW_FORMATS_GENERATE_H
#define SPW_FORMATS_GENERATE_H

#include "base/status.h"
#include "formats/csr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Does the name have the form of a generator, "word:..." with a word of the list above? Then a file of
 * that name is not looked for. */
int spw_is_generator(const char *name);

/* Makes the matrix. *A is overwritten and owns its arrays; on failure it is all zero.
 *   SPW_ERR_ARG     no such generator, or a malformed or too small size; the message lists the names
 *   SPW_ERR_RANGE   more than SPW_IDX_MAX rows or entries
 *   SPW_ERR_MEMORY  does not fit: said before anything is allocated */
spw_status spw_csr_generate(const char *name, spw_csr *A);

/* Generator or Matrix Market file, whichever the name says: what MATRIX= takes.
 * The errors of spw_csr_generate, spw_coo_read_matrix_market and spw_csr_from_coo. */
spw_status spw_csr_load(const char *name, spw_csr *A);

#ifdef __cplusplus
}
#endif

#endif

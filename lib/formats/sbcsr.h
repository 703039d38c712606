/* formats/sbcsr.h -- SBCSR: half of a symmetric matrix, in small dense blocks, for several threads.
 *
 * Where a node of a mesh has b unknowns, the matrix consists of dense blocks of b x b. One column index then
 * serves b^2 entries. Of two blocks that mirror each other one is enough: it is read once and multiplied
 * twice, y_I += B x_J and y_J += B^T x_I.
 *
 * The second product writes to rows of y that may be another thread's. So rows are cut into *parts*,
 * contiguous and with equal numbers of entries, and only blocks of which both rows and columns are in one
 * part are stored once. A block that couples two parts is stored in both, and is multiplied once in each:
 *
 *     part 0 | D U U . | . .        D, U  stored once; what U mirrors (.) is not stored
 *            |   D U U | C .        C     couples the parts: stored in full
 *            |     D U | C C
 *            |       D | . C
 *     part 1 |   C C . | D U        A part writes no row of y but its own: no locks, no copies of y,
 *            |     C C | . D        and the same bits for any number of threads.
 *
 * It is for matrices that consist of blocks: the b rows of each have the same columns, in whole blocks of b.
 *
 * Bytes an entry of the whole matrix: (8 + 4 / b^2) / 2 for U, 8 + 4 / b^2 for D and C, against 12 of CSR:
 * 4.2 for b = 3. In a mesh in its natural order C are few. Where columns are anywhere, 1 - 1 / parts of all
 * are C, and not much is gained.
 *
 * Source of the blocks: E.-J. Im, K. Yelick, R. Vuduc, Int. J. High Perform. Comput. Appl. 18(1), 135-158,
 * 2004, doi:10.1177/1094342004041296. Of the half, and of what threads must do about it: M. Batista,
 * V. H. G. Batista, G. B. Alves, F. L. B. Ribeiro, arXiv:1003.0952, 2010, where each thread has a copy of
 * y, and the copies are added up. Storing couplings twice instead is ours. */
#pragma once

#include "base/extern_c.h"
#include "base/index.h"
#include "base/status.h"
#include "formats/csr.h"

#include <stdint.h>

SPW_C_BEGIN

enum {
    SPW_SBCSR_BLOCK_MAX = 8, /* rows of a block */
    SPW_SBCSR_SPARE = 8 /* doubles behind the last block: a kernel may load a register of them */
};

typedef struct spw_sbcsr {
    spw_idx n_rows, nnz; /* n_rows x n_rows; nnz entries of the whole matrix */
    spw_idx b;           /* rows and columns of a block, 2 .. SPW_SBCSR_BLOCK_MAX; divides n_rows */
    spw_idx n_block_rows, n_blocks; /* n_rows / b; stored blocks */
    spw_idx n_parts;
    spw_idx *part_ptr;  /* [n_parts+1]       part p: block rows part_ptr[p] .. part_ptr[p+1]-1 */
    spw_idx *block_ptr; /* [n_block_rows+1]  block row I: blocks block_ptr[I] .. block_ptr[I+1]-1 */
    spw_idx *
        block_col; /* [n_blocks]        block columns, ascending within a block row; of those of its
                         *                   part there are none in front of I */
    double
        *val; /* [b * b * n_blocks + SPW_SBCSR_SPARE]  blocks row by row; the spare doubles are 0 */
} spw_sbcsr;

/* The largest b, up to SPW_SBCSR_BLOCK_MAX, of which A consists of blocks; 1 if there is none. Without blocks it
 * takes next to no time. */
spw_idx spw_sbcsr_block(const spw_csr *A);

/* Convert, with that b. *S is overwritten and owns its arrays; A is not kept and must be valid. On failure *S is
 * all zero. Parallel.
 *   n_parts  as many threads as a product shall have work for; more threads would get none
 *   SPW_ERR_ARG     n_parts < 1; A is not square, does not consist of blocks, or differs from its transpose, by
 *                   a single bit or in its pattern
 *   SPW_ERR_MEMORY  no room */
spw_status spw_sbcsr_from_csr(const spw_csr *A, int n_parts, spw_sbcsr *S);

/* Frees the arrays and sets *S to zero. Takes NULL and a zero struct. */
void spw_sbcsr_destroy(spw_sbcsr *S);

/* Bytes that a kernel reads: (8 b^2 + 4) n_blocks + 4 (n_block_rows + 1) + 4 (n_parts + 1). */
int64_t spw_sbcsr_bytes(const spw_sbcsr *S);

SPW_C_END

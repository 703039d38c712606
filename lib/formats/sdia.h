/* formats/sdia.h -- SDIA: half of a symmetric matrix, by its diagonals.
 *
 * A grid in its natural order has its entries on a few diagonals. Of these the main one and those above are
 * stored, each as an array of its own, row by row, and no column index at all. What is below is not stored:
 * entry (i, i - d) is entry (i - d, i), which lies d places in front on the same diagonal.
 *
 *     | 4 1 . 2 . |   offset 0:  4 4 4 4 4     row 3 has  val_0[3]  x[3]
 *     | 1 4 1 . 2 |          1:  1 1 1 1 .                val_1[3]  x[4]   val_1[3-1] x[3-1]
 *     | . 1 4 1 . |          3:  2 2 . . .                                 val_3[3-3] x[3-3]
 *     | 2 . 1 4 1 |
 *     | . 2 . 1 4 |   What a product reads d rows later is still in a cache, if the d rows are.
 *
 * So half of the entries comes from memory, as in formats/sbcsr.h, but a row writes its own y alone: no parts, no
 * second pass, and the same bits for any number of threads. A diagonal with a few entries is stored in full, so
 * that the format is for grids. That formats by diagonals read x without indices: Y. Saad, Iterative methods for sparse
 * linear systems, 2nd ed., SIAM 2003, section 3.4. To read the half in place of mirroring it is ours. */
#pragma once

#include "base/extern_c.h"
#include "base/index.h"
#include "base/status.h"
#include "formats/csr.h"

#include <stdint.h>

SPW_C_BEGIN

enum { SPW_SDIA_MOST = 48 }; /* diagonals, of those stored */

typedef struct spw_sdia {
    spw_idx n_rows, nnz;           /* n_rows x n_rows; nnz entries of the whole matrix */
    int n_diagonals;               /* stored; the first is the main one */
    spw_idx offset[SPW_SDIA_MOST]; /* [n_diagonals]  ascending from 0 */
    int64_t stride; /* from a diagonal to the next: odd lines, which share no set of a cache */
    double *val;    /* [n_diagonals * stride]  (i, i + offset[k]) is val[k * stride + i]; else 0 */
} spw_sdia;

/* Convert. *S is overwritten and owns its array; A is not kept and must be valid. On failure *S is all zero.
 * Parallel; it takes some six products by CSR, more where val is memory that nobody has touched yet, and
 * next to nothing where there are too many diagonals.
 *   SPW_ERR_ARG     A is not square, differs from its transpose by a single bit, has entries on more than
 *                   2 SPW_SDIA_MOST - 1 diagonals, or so few on them that val would be as large as that of A
 *   SPW_ERR_MEMORY  no room */
spw_status spw_sdia_from_csr(const spw_csr *A, spw_sdia *S);

/* Frees the array and sets *S to zero. Takes NULL and a zero struct. */
void spw_sdia_destroy(spw_sdia *S);

/* Bytes that a kernel reads from memory: 8 n_diagonals n_rows. */
int64_t spw_sdia_bytes(const spw_sdia *S);

SPW_C_END

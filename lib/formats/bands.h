/* formats/bands.h -- CSR in bands of columns, for rows whose columns lie anywhere.
 *
 * Where the columns of a row are scattered and x is larger than a cache, each entry fetches a line of x for
 * one element of it: 64 bytes beside the 12 of the entry. So the matrix is cut into bands of so many
 * columns that their part of x stays in a cache, and the bands are multiplied one after the other. In a
 * band most rows have few entries or none: only rows that have some are listed, as *pieces*. Example, bands
 * of two columns:
 *     | a b . c |      band 0: row_idx 0 2 | band 1: row_idx 0 1       band_ptr  = 0 2 4
 *     | . . d . |              a b, e      |         c, d              piece_ptr = 0 2 3 4 5
 *     | . e . . |                                                      row_ptr   = 0 3 4 5
 * 12 bytes an entry and 8 a piece; y is read and written once for each band. It pays where that is less
 * than the lines of x that it saves, and never in a mesh.
 * Source of the list of rows: A. Buluc, J. R. Gilbert, IPDPS 2008, doi:10.1109/IPDPS.2008.4536313 (DCSC, for
 * columns); of blocks for the cache: E.-J. Im, K. Yelick, R. Vuduc, Int. J. High Perform. Comput. Appl.
 * 18(1), 135-158, 2004, doi:10.1177/1094342004041296. */
#ifndef SPW_FORMATS_BANDS_H
#define SPW_FORMATS_BANDS_H

#include "base/index.h"
#include "base/status.h"
#include "formats/csr.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SPW_BAND_WIDTH = 65536 }; /* 512 KiB of x, for an L2 cache of 1 MiB and more */

typedef struct spw_bands {
    spw_idx n_rows, n_cols, nnz;
    spw_idx width, n_bands, n_pieces; /* columns a band; ceil(n_cols / width); rows of all bands */
    spw_idx *band_ptr; /* [n_bands+1]   band b: pieces band_ptr[b] .. band_ptr[b+1]-1 */
    spw_idx *row_idx;  /* [n_pieces]    ascending within a band */
    spw_idx
        *piece_ptr; /* [n_pieces+1]  piece p: entries piece_ptr[p] .. piece_ptr[p+1]-1, not none */
    spw_idx *row_ptr; /* [n_rows+1]    that of CSR: by it kernels share the work */
    spw_idx *col_idx; /* [nnz]         of the whole matrix, ascending within a piece */
    double *val;      /* [nnz] */
} spw_bands;

/* Convert. *B is overwritten and owns its arrays; A is not kept and must be valid. On failure *B is all
 * zero. Two passes over A, parallel.
 *   SPW_ERR_ARG     width < 1
 *   SPW_ERR_MEMORY  no room */
spw_status spw_bands_from_csr(const spw_csr *A, spw_idx width, spw_bands *B);

/* The same entries. The same contract. */
spw_status spw_csr_from_bands(const spw_bands *B, spw_csr *A);

/* Checks every invariant stated above; the message names the first band or piece that breaks one.
 *   SPW_ERR_ARG     it is not a valid matrix of this format
 *   SPW_ERR_MEMORY  no room for the check */
spw_status spw_bands_validate(const spw_bands *B);

/* Frees the arrays and sets *B to zero. Takes NULL and a zero struct. */
void spw_bands_destroy(spw_bands *B);

/* Bytes that a kernel reads: 12 nnz + 8 n_pieces + 4 (n_bands + 2). */
int64_t spw_bands_bytes(const spw_bands *B);

#ifdef __cplusplus
}
#endif

#endif

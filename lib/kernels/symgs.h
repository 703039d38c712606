/* kernels/symgs.h -- SpMV and symmetric Gauss-Seidel in colours: one source for CPU and GPU.
 *
 * Rows of one colour have no entry in common rows and columns, so that Gauss-Seidel can do all of them at the same
 * time, colour after colour: a 5-point grid has two colours, as a chessboard, a 27-point one eight. The rows are
 * sorted by colour, and within it by length, longest first; then they are cut into slices of 32 rows, each stored
 * column by column as in SELL (formats/sell.h). Slices are never of two colours: the last one of a colour is filled
 * up with empty rows. The place of a row in this order, padding included, is where its x is:
 *
 *     colour 0: rows 0 2 4    | 0 2 4 . . . |   places 0 1 2 ...     slices of 6 rows here
 *     colour 1: rows 1 3      | 1 3 . . . . |   places 6 7 ...
 *
 * col_idx holds places, and x, r and w are vectors of places: what a device writes is contiguous, and so are
 * the parts that cross the bus. spw_coloured_gather and _scatter go to and fro.
 *
 * Where the loops run: a call gives a part of the slices to a device, the rest to the threads of the host:
 *     part = 0        all threads of the host
 *     between         thread 0 drives the device, the others do the rest; x is exchanged behind each colour
 *     part = 1        one OpenMP target region, sent by `if` to the device, or to the host if there is none
 * There is a device where the program was built with a compiler that offloads, one is installed (make doctor says),
 * and spw_coloured_to_device has copied the matrix. Without one, thread 0 does its part like the others: the same
 * bits for any part. The result has no second copy: the device's part of w or x is mapped onto the caller's own
 * array, so that it arrives at its place; where the device shares the host's memory a runtime need not copy it. Vectors
 * that the caller has mapped before (omp target enter data) are taken as they are on the device.
 *
 * Source: L. Grinberg, Performance portable single source-code implementation of sparse linear algebra
 * operations on CPUs and GPUs, talk, IBM Research, whose layout, loops and division of rows these are; for
 * HPCG: J. Dongarra, M. A. Heroux, P. Luszczek, Int. J. High Perform. Comput. Appl. 30(1), 3-10, 2016,
 * doi:10.1177/1094342015593158. Colours: first fit in the order of the rows; Y. Saad, Iterative Methods for
 * Sparse Linear Systems, 2nd ed., SIAM, 2003, section 12.4, doi:10.1137/1.9780898718003. In the talk each
 * colour is done by one side; here each is divided. */
#pragma once

#include "base/extern_c.h"
#include "base/index.h"
#include "base/status.h"
#include "formats/csr.h"

#include <stdint.h>

SPW_C_BEGIN

enum { SPW_COLOURED_C = 32 }; /* rows of a slice */

typedef struct spw_coloured {
    spw_idx n, nnz;      /* rows; entries without the padding */
    spw_idx n_colours;   /* 0 without rows */
    spw_idx n_slices;    /* of all colours */
    spw_idx n_places;    /* SPW_COLOURED_C n_slices */
    spw_idx n_stored;    /* slice_ptr[n_slices] */
    spw_idx *colour_ptr; /* [n_colours+1]  colour c: slices colour_ptr[c] .. colour_ptr[c+1]-1 */
    spw_idx *slice_ptr;  /* [n_slices+1]   slice s: entries slice_ptr[s] .. slice_ptr[s+1]-1 */
    spw_idx *row;        /* [n_places]     row of A in that place; -1: none */
    spw_idx *place;      /* [n]            of each row */
    spw_idx *col_idx;    /* [n_stored]     places; padding has that of its own row */
    double *val;         /* [n_stored]     padding is 0 */
    double *inverse;     /* [n_places]     1 / a_ii; 0 in padding */
    int on_device;       /* the arrays are there, too */
} spw_coloured;

/* Colours and converts. *S is overwritten and owns its arrays; A is not kept. On failure *S is all zero.
 * O(nnz + n_rows) time.
 *   SPW_ERR_ARG     A is not square; or a diagonal entry is missing, zero, or its inverse is not finite: the
 *                   message has the row
 *   SPW_ERR_RANGE   the padded matrix has more than SPW_IDX_MAX entries
 *   SPW_ERR_MEMORY  no room */
spw_status spw_coloured_from_csr(const spw_csr *A, spw_coloured *S);

/* Copies the matrix to the default device and keeps it there.
 *   SPW_ERR_UNAVAILABLE  no device that this program can use: *S is as before */
spw_status spw_coloured_to_device(spw_coloured *S);

/* Frees the arrays, those on the device too, and sets *S to zero. Takes NULL and a zero struct. */
void spw_coloured_destroy(spw_coloured *S);

/* Bytes that a product reads of the matrix: 12 n_stored + 4 (n_slices + 1). */
int64_t spw_coloured_bytes(const spw_coloured *S);

/* v[place] = x[row], 0 where there is no row; and x[row] = v[place]. x has n elements, v n_places. */
void spw_coloured_gather(const spw_coloured *S, const double *x, double *v);
void spw_coloured_scatter(const spw_coloured *S, const double *v, double *x);

/* w = A x in places. part: of the slices that the device gets, 0 .. 1. w is overwritten and overlaps nothing. */
void spw_spmv_coloured_target(const spw_coloured *S, double part, const double *x, double *w);

/* One sweep through the colours and one back: x += D^-1 (r - A x), colour after colour; the last colour is
 * not done twice in a row, as nothing would change. part: of each colour's slices. x is read and written, also
 * its padding, which must be 0. */
void spw_symgs_coloured_target(const spw_coloured *S, double part, const double *r, double *x);

SPW_C_END

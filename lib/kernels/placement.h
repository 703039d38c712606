/* kernels/placement.h -- puts the pages of a matrix next to the threads that will work on it.
 *
 * On a machine with several memory nodes (NUMA: sockets, or parts of one) a page lies in the node of the
 * thread that *writes it first*, not of the one that allocates it. A matrix that one thread has read
 * from a file lies in one node: all threads then share that node's bandwidth, and the others idle.
 *     spw_csr_load("file.mtx", &A);
 *     spw_csr_place(&A, &B);        B is A, each share in its thread's node
 *     spw_csr_destroy(&A);
 * Generators (formats/generate.h) do this by themselves. The shares are those of partition.h with as
 * many threads as a parallel region has now; keep their number, and bind them (OMP_PROC_BIND=close),
 * or they move away from their pages. With one memory node this is a plain copy and gains nothing. */
#ifndef SPW_KERNELS_PLACEMENT_H
#define SPW_KERNELS_PLACEMENT_H

#include "base/status.h"
#include "formats/csr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Copies A, each thread its share. *B is overwritten and owns its arrays; A is not kept. On failure *B
 * is all zero.
 *   SPW_ERR_MEMORY  no room for a second matrix */
spw_status spw_csr_place(const spw_csr *A, spw_csr *B);

/* Allocates n_rows zeros, each page written by the thread that has those rows in its share: y of
 * A x, or x itself where A is square and near its diagonal. *y owns them: spw_free.
 *   SPW_ERR_MEMORY  no room; *y is NULL */
spw_status spw_csr_place_rows(const spw_csr *A, double **y);

#ifdef __cplusplus
}
#endif

#endif

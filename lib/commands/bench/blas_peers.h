/* commands/bench/blas_peers.h -- the kernels of CBLAS beside ours. A pair of files:
 * blas_peers_cblas.c and blas_peers_none.c. */
#pragma once

#include "commands/bench/operands.h"

typedef struct blas_peer {
    const char *name; /* NULL ends the table */
    const char *operation;
    void (*call)(operands *o);
} blas_peer;

extern const blas_peer blas_peers[];

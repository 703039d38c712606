#include "commands/bench/blas_peers.h"

#include <stddef.h>

const blas_peer blas_peers[] = {{NULL, SPW_OP_ANY, NULL}};

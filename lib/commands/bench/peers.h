/* commands/bench/peers.h -- other libraries in the race: each is a worker, a process of its own.
 *
 * Workers are built by lib/commands/peers/build.sh, which leaves a list of them in a folder. They are
 * started when first needed, get a matrix through shared memory, have their result compared with
 * A x, and then sleep until they are asked for a sample (commands/peers/peer.h has the protocol).
 * One that is wrong, dies or does not answer is said so, in one line, and is not timed; the others go
 * on. NULL stands for no peers. */
#ifndef SPW_COMMANDS_BENCH_PEERS_H
#define SPW_COMMANDS_BENCH_PEERS_H

#include "commands/bench/race.h"

typedef struct peers peers;

/* Reads FOLDER/list and says which peers there are and which not, and why. *set is NULL if there are
 * none. limit: seconds to wait for an answer. 0 or 1. */
int peers_open(const char *folder, int threads, double limit, peers **set);

/* Ends them all. Takes NULL. */
void peers_close(peers *set);

/* Enters all that can do `op` on A: "spmv", or "spmm", with X [n_cols x nv] and Y row-major. They
 * stay prepared until peers_leave. bytes: of a call as CSR has it. */
void peers_enter(peers *set, contest *race, const char *op, const spw_csr *A, int nv,
                 const double *x, double bytes, double flops);

/* Drops what they hold of the matrix. */
void peers_leave(peers *set);

#endif

/* commands/bench/worker.h -- another process that answers requests, and may be wrong, die or hang.
 *
 *     char reply[WORKER_LINE];
 *     if (worker_start(&w, folder, threads, limit)) return;             it has said why
 *     if (worker_ask(&w, reply, "run %d %d", slot, calls) == WORKER_OK) ...
 *     worker_end(&w);
 * A request goes to each of its ranks, the reply comes from rank 0. While nothing is asked, the ranks
 * sleep in read(). One that has died or has not answered within the limit is ended, and every later
 * request to it fails at once. */
#pragma once

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { WORKER_LINE = 4096, WORKER_RANKS_MAX = 256 };

typedef enum worker_answer { WORKER_OK, WORKER_NO, WORKER_GONE } worker_answer;

typedef struct worker {
    char name[64], run[512]; /* what is put in front of the program */
    bool one_a_thread;       /* as many ranks as threads, else one */
    bool started, gone;
    int ranks;
    pid_t pid;
    char channel[1024]; /* its FIFOs are CHANNEL.RANK.in and CHANNEL.out */
    int requests[WORKER_RANKS_MAX], replies;
    double limit; /* seconds for an answer */
    char line[WORKER_LINE];
    size_t filled;
} worker;

/* Starts FOLDER/NAME if it does not run yet; its FIFOs are in `place`, what it prints goes to
 * FOLDER/NAME.log. 0, or 1 after a line that says why not. */
int worker_start(worker *w, const char *folder, const char *place, int threads, double limit);

/* WORKER_OK: reply has what stands behind "ok "; WORKER_NO: the reason behind "no "; WORKER_GONE: it is
 * gone, now or before, which was said when it happened. */
worker_answer worker_ask(worker *w, char reply[WORKER_LINE], const char *format, ...)
    SPW_PRINTF(3, 4);

/* Ends it, kindly if it still listens. */
void worker_end(worker *w);

/* Ends it at once and waits for nothing: for a signal handler. */
void worker_kill(const worker *w);

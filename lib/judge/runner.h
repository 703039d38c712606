/* judge/runner.h -- the process that calls an answer. Three kinds of process take part in a judgement:
 *     the parent  prints, records, saves. It reads what lies beside an answer, and never loads one.
 *     the desk    its child (child.c): lays cases out, knows what is expected, takes the time, compares. It loads no
 *                 answer either.
 *     a runner    a fork of the desk after the case is laid out, so that all arrays lie at the same addresses, inputs
 *                 in the same physical pages. It forgets what is expected, closes all descriptors but its pipes, gives
 *                 up what an answer does not need (filter.h), and then loads the answer and waits for orders.
 * What comes back is data: when a runner says that it is done, the desk stops it, waits until all its threads stand,
 * and reads the outputs from the same addresses into its own arrays (process_vm_readv). It follows no pointer that it
 * has read. What only the runner can see (the address of a fault, what a driver's `call` has found) is testimony: a
 * word of it can turn ok into FAIL, never FAIL into ok.
 *
 * A runner forks from a thread that never runs anything in parallel: in a child of a thread that has a team, libgomp
 * would wait for threads that are not there.
 *
 * With --graded the answer is a stranger's: its runner sees no files but the answer's and the system's (cage.h), and
 * opens none after the answer is loaded. Without a runner there is no judgement then.
 *
 * Where the kernel refuses one of this, and under sanitizers, which watch one process, an answer is called in the desk
 * itself, as all functions below then do. */
#pragma once

#include "judge/judge.h"

#include <stddef.h>
#include <sys/types.h>

/* What a runner is told to do. t: the trial as it was laid out, with the answer that is loaded; context: as it was when
 * the runner was started, or has been put since. */
typedef void (*spw_order)(spw_trial *t, void *context);

typedef struct spw_runner {
    spw_judgement *j;
    spw_trial *t;       /* or NULL: nothing is laid out */
    spw_answer *answer; /* that it loads; NULL: none */
    double limit;       /* s of an order */
    pid_t pid;          /* 0: the answer is called in this process */
    int orders, replies, words;
    uint64_t order; /* number of the last one */
    double cpu;     /* of it when it got that one */
    double since;   /* it has worked on that, s */
    double seconds; /* that it took */
    int64_t kept;   /* bytes of malloc's that the last call did not give back */
    bool in_parent; /* started by the parent, which has no threads */
} spw_runner;

/* Starts a runner for the part of t, which loads path into *answer. In a trial without guards, outputs and what may be
 * drawn anew lie in pages of its own there, from the start, huge ones where that is possible. Where it ends instead, or
 * may not be loaded, j->shared says how, and false is returned; so do the functions below. End it in any case. */
bool spw_runner_start(spw_runner *r, spw_judgement *j, spw_trial *t, spw_answer *answer,
                      const char *path);

/* Has it do something once, and stops it. What the driver's functions say in it (spw_trial_fail) goes to r->t. */
bool spw_runner_order(spw_runner *r, spw_order work, void *context);

/* Copies what lies at an address there to the same address here, or to another one, and the other way. */
bool spw_runner_fetch(spw_runner *r, void *at, size_t size);
bool spw_runner_fetch_to(spw_runner *r, void *to, const void *at, size_t size);
bool spw_runner_fetch_text(spw_runner *r, char *text, size_t size); /* without control characters */
bool spw_runner_put(spw_runner *r, const void *at, size_t size);

/* All outputs of the trial, and what its driver has declared beside them. */
bool spw_runner_fetch_outputs(spw_runner *r);

/* One call of the part's function: outputs are poisoned, and what it left comes back. */
bool spw_runner_call(spw_runner *r, spw_poison poison);

/* Lets it go on for a while without an order, and stops it again. */
bool spw_runner_idle(spw_runner *r, double seconds);

/* Seconds of processor time so far: of all its threads, and of the first one. Of this process where it has none. */
void spw_runner_cpu(const spw_runner *r, double *all, double *first);

void spw_runner_end(spw_runner *r);

/* In the parent: can the answer be loaded, here and in this way? Sets j->inside where it must be called as of old.
 * False: shared->text says why not. */
bool spw_runner_try(spw_judgement *j, spw_ending *ending);

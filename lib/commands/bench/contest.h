/* commands/bench/contest.h -- several that do the same job, timed by turns.
 *
 * One sample of each in every round, in random order, so that what the machine does to one it does to
 * all. A figure is the lower quartile of the samples: neighbours only ever make a sample longer
 * (perf/timer.h). A runner may live in another process; then all others are given time to fall
 * asleep before it is its turn, because threads that wait for their next region spin for a while.
 * Who needs seconds for a call is sampled three times, and once if it is more than five. */
#pragma once

#include "commands/bench/operands.h"
#include "commands/bench/report.h"
#include "kernels/kernels.h"
#include "perf/bandwidth.h"
#include "perf/bandwidth_device.h"
#include "perf/timer.h"

enum { CONTEST_ROUNDS_MAX = 31, CONTEST_RUNNERS_MAX = SPW_MOST_TURNS, CONTEST_PROBES_MAX = 5 };

typedef enum bench_side { SIDE_ROOF, SIDE_OURS, SIDE_PEER, SIDE_ASIDE } bench_side;

typedef struct runner runner;
struct runner {
    char name[BENCH_TEXT];
    bench_side side;
    /* One of these. A call, timed from outside; one on the device, timed by its own clock; the seconds that a
     * call says it took; or, of so many calls, those of one. NAN: it failed and is out. */
    void (*work)(const runner *r);
    spw_status (*launch)(const runner *r);
    double (*once)(const runner *r);
    double (*seconds)(const runner *r, int calls);
    const spw_kernel *kernel; /* NULL: not one of the table */
    operands_call call;       /* how it is called */
    void *state;              /* its own; number, too */
    int number;
    operands *on;
    int process;           /* 0: this one */
    double bytes;          /* that a call moves */
    double flops;          /* 0: the figure is GB/s */
    int roof;              /* the runner that is its roof; its own number: it is a roof */
    bool less;             /* moves less than all of A: half of it, or one index a block */
    double first;          /* seconds that a call took before; 0: contest_run finds out by two */
    double numbers[8];     /* of a solver: what it says beside its time (commands/peers/peer.h) */
    char note[BENCH_TEXT]; /* the same in words */
    int calls;             /* a sample */
    int rounds, taken;     /* samples to take, spread evenly, and taken */
    bool out;
    double samples[CONTEST_ROUNDS_MAX], value, low, high;
};

/* Zero to begin with. */
typedef struct contest {
    int n, n_probes;
    spw_probe probes[CONTEST_PROBES_MAX];
    spw_device_probe device; /* whose clock launches are timed by */
    double roof_bytes,
        roof_flops; /* of the job itself: shares are of the time these take; 0: each */
    double peak;    /* flop/s; 0: arithmetic is not looked at */
    runner runners[CONTEST_RUNNERS_MAX];
} contest;

/* The next free one, named, all else zero; roof -1: it is one itself. */
runner *contest_enter(contest *run, const char *name, double bytes, int roof);

/* A kernel of that operation's table, in this process; its bytes are those of its cost. */
runner *contest_enter_kernel(contest *run, const char *operation, const spw_kernel *k, operands *on,
                             int roof);

/* Creates a probe of about `bytes` and enters it; the contest's, as all probes. Or the one on the device, of loads. */
spw_status contest_enter_probe(contest *run, spw_mix mix, double bytes, int threads);
spw_status contest_enter_device_probe(contest *run, double bytes);

/* Drops its probes. */
void contest_close(contest *run);

/* Fills in value, low and high of all. */
void contest_run(contest *run, int rounds);

/* A line each. */
void contest_report(bench *b, const contest *run, const char *group, const char *subject);

/* A line each of `scale` times the seconds of a call, and what a solver has to say beside. The share
 * stands there if the contest has a roof. */
void contest_report_seconds(bench *b, const contest *run, const char *group, const char *subject,
                            double scale, const char *unit);

/* The fastest of a side that is not out, `less` or not; NULL if there is none. */
const runner *contest_best(const contest *run, bench_side side, bool less);

/* One line: a against b, both of that contest, with the goal for the ratio of their speeds. */
void contest_compare(bench *b, const char *group, const char *subject, const char *text,
                     const runner *ours, const runner *theirs, double goal);

/* The same against its roof. Nothing is printed where one of them is NULL. */
void contest_best_share(bench *b, const contest *run, const char *group, const char *subject,
                        const char *text, const runner *ours, double goal);

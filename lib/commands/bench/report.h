/* commands/bench/report.h -- the lines of `make bench`: printed as they come, kept for the file.
 *
 *     report(&b, (result){.group = "spmv", .subject = "fem3:72", .kernel = "spw_spmv_csr_omp",
 *                         .value = 4.1, .unit = "GF/s", .share = 0.78, .low = 0.77, .high = 0.80});
 *       spw_spmv_csr_omp                                      4.100 GF/s   78 % [ 77.. 80] */
#pragma once

#include "commands/command.h"
#include "perf/topology.h"

#include <stdbool.h>

enum { BENCH_TEXT = 96, BENCH_RESULTS_MAX = 1024 };

typedef struct result {
    const char *group, *subject, *kernel;
    double value;
    const char *unit;
    bool is_roof;
    double share, low, high; /* of the roof or of the rival, 1 is 100 %; 0: none */
    double goal;             /* of the share, or of the value if there is no share; 0: none */
    bool at_most;            /* the goal is a bound from above */
    double bytes;            /* that a call moves; 0: unknown */
    const char *note;        /* what else there is to say: "61 iterations"; "" or NULL if nothing */
} result;

typedef struct bench {
    bool quick;
    const char *only, *matrix, *out, *peers, *no_gpu;
    int threads, rounds;
    double limit;           /* seconds that a peer may take for one answer */
    struct peers *set;      /* that are there, NULL: none */
    char about[BENCH_TEXT]; /* what is measured, for a failure */
    int n_results;
    result results[BENCH_RESULTS_MAX];
} bench;

/* Says what went wrong, in one line behind "bench: ", and gives 1. */
#define fail(...) (fflush(stdout), complain(1, "bench", __VA_ARGS__))

/* What is given back where the block ends, however it ends: OWNED(spw_csr_destroy) spw_csr A = {0}; */
#define OWNED(destroy) __attribute__((cleanup(destroy), unused))

/* A text cut to its room. */
void set_text(char text[BENCH_TEXT], const char *format, ...) SPW_PRINTF(2, 3);

/* Prints a line of the table and keeps it for the file; or keeps it alone. Its texts are copied. */
void report(bench *b, result r);
void keep_result(bench *b, result r);

/* Which goals were reached and which not. */
void summarise(const bench *b);

/* Can b->out be written? Asked first, not after minutes of measuring. 0 or 1. */
int check_out(const bench *b);

/* Writes b->out, first under a second name, so that no half-written one is left. 0 or 1. */
int write_results(const bench *b, const spw_topology *machine);

/* Exercise 25: what the files of its driver share: the published runs. */
#pragma once

#include "energy.h"

#include "base/status.h"
#include "judge/exercise.h"

/* A row as printed; what is not printed is 0. */
typedef struct published {
    int table;
    char matrix[16];
    int vectors, nodes;
    double seconds, joule_cpu, joule_gpu, share, speedup, greenup;
} published;

enum { PUBLISHED_MOST = 256, SERIES_MOST = 16, PAIRS_MOST = 32 };

/* All rows, *n of them; read once. SPW_ERR_FILE, SPW_ERR_FORMAT: the message names the file. */
spw_status published_rows(const published **rows, int *n);

/* A run of Tables 4, 5, 7 or 8; the other tables have none. */
run published_run(const published *p);

/* Table 4's runs with so many vectors, each against Table 5's of the same matrix; who they are, and what Table 6
 * has printed for the same. Returns how many. */
typedef struct published_pair {
    const published *ref, *now, *printed;
} published_pair;
int published_pairs(const published *rows, int n, int vectors, published_pair pairs[PAIRS_MOST]);

/* Runs on 1, 2, 4 ... nodes: those of Table 6, as multiples of Table 5's run. Returns how many. */
int published_series(const published *rows, int n, const char *matrix, int vectors,
                     run series[SERIES_MOST]);

/* Check ENERGY: what this machine counts, and what the learner's functions make of the published runs. */
spw_verdict check_energy(spw_run *run);

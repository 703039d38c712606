/* Which format an operator takes is measured: each that the matrix allows is made of it and multiplies, by turns with
 * the best one so far, CSR at first. No stretch of rows stands for the matrix: its copies take more time than they save,
 * and a cache keeps them. */
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "perf/timer.h"
#include "perf/topology.h"
#include "solvers/formats.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PRODUCTS = 15, /* of CSR that all may take, conversions included */
    FEW = 2,       /* turns of each */
    MOST = 48,
    ALL = SPW_OPERATOR_FORMATS
};
static const double BUDGET = 10e-3, /* s that all may take where PRODUCTS take less */
    TURN = 200e-6, /* s: shorter products are timed several at a time, as branches are learned */
    LONG = 2e-3,   /* s: of longer ones, which no cache keeps, a single turn may be clear */
    TURNS = 3e-3,  /* s after which few turns tell */
    CLEAR = 0.9,   /* of the other's time: turns tell sooner */
    WORTH = 0.97;  /* of the time of CSR: a copy takes memory */

static char record[4096]; /* file of choices; "": none */

void spw_operator_record(const char *path) {
    snprintf(record, sizeof record, "%s", path ? path : "");
}

/* --- by turns ---------------------------------------------------------------------------------------------- */

typedef struct trial {
    const spw_csr *A;
    double *x, *y;
    spw_operator csr, other;
} trial;

static double turn(const trial *t, const spw_operator *op, int calls) {
    const double begin = spw_now();
    for (int c = 0; c < calls; c++) spw_operator_apply(op, t->x, t->y);
    return (spw_now() - begin) / calls;
}

static spw_status begin_trial(const spw_csr *A, trial *t) {
    t->A = A;
    spw_status status = SPW_ALLOC(&t->x, A->n_cols);
    if (!status) status = SPW_ALLOC(&t->y, A->n_rows);
    if (!status) status = spw_operator_take(A, 0, &t->csr);
    if (status) return status;
#pragma omp parallel for schedule(static)
    for (spw_idx i = 0; i < A->n_cols; i++) t->x[i] = spw_random_double(1, (uint64_t)i);
#pragma omp parallel for schedule(static)
    for (spw_idx i = 0; i < A->n_rows; i++) t->y[i] = 0;
    return SPW_OK;
}

static void end_trial(trial *t) {
    spw_operator_destroy(&t->csr);
    spw_operator_destroy(&t->other);
    spw_free(t->x);
    spw_free(t->y);
}

/* The time of `other` in that of `best`. The first products are for the caches. A turn of the best counts where the other
 * one takes as long after it as before it: else the machine has changed its speed, or was disturbed, meanwhile. Where none
 * counts, the quickest products are compared. */
static double compare(const trial *t, const spw_operator *best) {
    double ratio[MOST], time = 0, least_best = INFINITY;
    const double begin = spw_now();
    double before = turn(t, &t->other, 1);
    const bool is_long = before >= LONG;
    const double one = is_long ? before : fmin(before, turn(t, best, 1));
    const int calls = one < TURN ? (int)(TURN / (one + 1e-9)) + 1 : 1;
    const int sure = calls > 1 ? MOST : is_long ? 1 : FEW; /* clear turns that tell */
    if (!is_long) before = turn(t, &t->other, calls);
    double least = before;
    int n = 0, clear = 0;
    for (int tries = 0; tries < MOST && abs(clear) < sure; tries++) {
        if (time >= TURNS && (n >= FEW || clear || tries >= 2 * FEW)) break;
        const double of_best = turn(t, best, calls), after = turn(t, &t->other, calls);
        const double other = (before + after) / 2;
        least_best = fmin(least_best, of_best);
        least = fmin(least, after);
        const bool steady = fabs(after - before) < (1 - CLEAR) * other;
        ratio[n] = other / of_best;
        before = after;
        time = spw_now() - begin;
        if (!steady) continue;
        const int who = (ratio[n] < CLEAR) - (ratio[n] * CLEAR > 1);
        clear = who * clear > 0 ? clear + who : who; /* the same one as before? */
        n++;
    }
    return n > 0 ? spw_median(ratio, n, NULL, NULL) : least / least_best;
}

/* All formats in turn, as long as there is time for one more like the last; *op keeps the best. */
static spw_status try_all(trial *t, double begin, double *ratio, spw_operator *op) {
    double least = 1, last = 0;
    const double budget = fmax(BUDGET, PRODUCTS * turn(t, &t->csr, 1));
    for (int k = 1; k < ALL; k++) {
        const double now = spw_now();
        if (last > 0 && now - begin + last > budget) break;
        const spw_status status = spw_operator_take(t->A, k, &t->other);
        if (status == SPW_ERR_MEMORY) return status;
        if (status) continue;
        const double against = compare(t, op->name ? op : &t->csr);
        ratio[k] = least * against;
        last = spw_now() - now;
        if (against < (op->name ? 1 : WORTH)) {
            least = ratio[k];
            spw_operator_destroy(op);
            *op = t->other;
            t->other = (spw_operator){0};
        }
        spw_operator_destroy(&t->other);
    }
    return SPW_OK;
}

static void describe(const double *ratio, char *note, size_t size) {
    size_t at = 0;
    for (int k = 1; k < ALL; k++)
        if (ratio[k] > 0)
            at += (size_t)snprintf(note + at, size - at, "%s%s %.2f", at ? ", " : "",
                                   spw_operator_format(k), ratio[k]);
    snprintf(note + at, size - at, at ? " of the time of csr" : "no other format is for it");
}

/* --- the record of this machine -------------------------------------------------------------------------- */

/* What tells this matrix, this machine and this question from others: all in front of the format. */
static void make_key(const spw_csr *A, char *key, size_t size) {
    enum { PLACES = 256 };
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a, eight bytes at a time */
    for (int p = 0; p < PLACES && A->nnz > 0; p++) {
        const int64_t e = (int64_t)A->nnz * p / PLACES, i = (int64_t)A->n_rows * p / PLACES;
        uint64_t bits;
        memcpy(&bits, &A->val[e], sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0x100000001b3);
        hash = (hash ^ (uint64_t)A->col_idx[e] ^ (uint64_t)A->row_ptr[i] << 32) *
               UINT64_C(0x100000001b3);
    }
    const spw_topology here = spw_topology_read();
    snprintf(key, size, "%s\t%d threads\t%d rows\t%d entries\t%016" PRIx64 "\t", here.cpu,
             spw_max_threads(), A->n_rows, A->nnz, hash);
}

/* The format that stands behind the key, or -1; the last one counts. */
static int look_up(const char *key, char *note, size_t size) {
    char line[512], name[32], why[SPW_OPERATOR_NOTE];
    int found = -1;
    FILE *file = fopen(record, "r");
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, key, strlen(key)) != 0 ||
            sscanf(line + strlen(key), "%31[^\t]\t%95[^\n]", name, why) != 2)
            continue;
        for (int k = 0; k < ALL; k++)
            if (strcmp(name, spw_operator_format(k)) == 0) found = k;
        snprintf(note, size, "%s", why);
    }
    if (file) fclose(file);
    return found;
}

/* A record that cannot be written is none. */
static void write_down(const char *key, const spw_operator *op) {
    FILE *file = fopen(record, "a");
    if (!file) return;
    fprintf(file, "%s%s\t%s\n", key, op->name, op->note);
    fclose(file);
}

/* --- the choice ------------------------------------------------------------------------------------------ */

static spw_status measure(const spw_csr *A, double begin, spw_operator *op) {
    double ratio[ALL] = {0}; /* of the time of CSR; 0: not tried */
    trial t = {0};
    spw_status status = begin_trial(A, &t);
    if (!status) status = try_all(&t, begin, ratio, op);
    end_trial(&t);
    if (!status && !op->name) status = spw_operator_take(A, 0, op);
    if (status)
        spw_operator_destroy(op);
    else
        describe(ratio, op->note, sizeof op->note);
    return status;
}

static spw_status check_square(const spw_csr *A) {
    if (A->n_rows == A->n_cols) return SPW_OK;
    return spw_error(SPW_ERR_ARG, "the matrix is %d x %d: a solver needs a square one", A->n_rows,
                     A->n_cols);
}

spw_status spw_operator_convert(const spw_csr *A, spw_operator *op) {
    const double begin = spw_now();
    char key[320] = "", note[SPW_OPERATOR_NOTE];
    *op = (spw_operator){0};
    spw_status status = check_square(A);
    if (status) return status;
    if (*record) make_key(A, key, sizeof key);
    const int known = *record ? look_up(key, note, sizeof note) : -1;
    if (known >= 0 && spw_operator_take(A, known, op) == SPW_OK) {
        snprintf(op->note, sizeof op->note, "%s", note);
    } else {
        status = measure(A, begin, op);
        if (!status && *record) write_down(key, op);
    }
    if (!status) op->setup_seconds = spw_now() - begin;
    return status;
}

spw_status spw_operator_in(const spw_csr *A, const char *format, spw_operator *op) {
    const double begin = spw_now();
    *op = (spw_operator){0};
    spw_status status = check_square(A);
    for (int k = 0; k < ALL && !status; k++)
        if (strcmp(format, spw_operator_format(k)) == 0) {
            status = spw_operator_take(A, k, op);
            if (!status && k) op->setup_seconds = spw_now() - begin;
            return status;
        }
    return status ? status
                  : spw_error(
                        SPW_ERR_ARG,
                        "%s: no such format; there are csr, sdia, sbcsr, sell_short, sell_sorted",
                        format);
}

spw_status spw_operator_from_csr(const spw_csr *A, spw_operator *op) {
    return spw_operator_in(A, "csr", op);
}

/* Which format an operator takes is measured: on a stretch of rows in the middle, as a matrix of its own, products by
 * turns. Where few of the stretch's entries lie outside of its columns these are left out, and the stretch is symmetric
 * where A is; else all columns are kept, and no half storage is tried: its entries would couple parts anyway. */
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
#include <string.h>

enum {
    SMALL = 1 << 21, /* entries: 25 MB. A stretch has as many at least */
    SHARE = 16,
    ROWS = 840,       /* a stretch is a multiple: of blocks of any size, and of slices */
    MOST_ROUNDS = 20, /* of products so short that these take no time */
    ALL = SPW_OPERATOR_FORMATS
};
static const double INSIDE = 0.8, /* of the entries of a stretch, to leave the others out */
    TURN = 50e-6,                 /* s: shorter products are timed several at a time */
    NO_TIME = 4e-3,               /* s of all rounds */
    REPAID = 100,                 /* products: a conversion that takes longer is refused */
    PLENTY = 0.65,                /* of the time of CSR: no other format is tried then */
    SLOWER = 1.05,                /* of CSR with all rows, beyond what disturbs two samples */
    WORTH = 0.97;                 /* of the time of CSR: a copy takes memory */

static char record[4096]; /* file of choices; "": none */

void spw_operator_record(const char *path) {
    snprintf(record, sizeof record, "%s", path ? path : "");
}

/* --- a stretch of rows ------------------------------------------------------------------------------------- */

static int64_t entries_inside(const spw_csr *A, spw_idx begin, spw_idx end) {
    int64_t inside = 0;
#pragma omp parallel for schedule(static) reduction(+ : inside)
    for (spw_idx i = begin; i < end; i++)
        inside += spw_csr_first_from(A, i, end) - spw_csr_first_from(A, i, begin);
    return inside;
}

/* Rows begin .. end-1 with the columns first .. last-1 as a matrix of its own. */
static spw_status cut(const spw_csr *A, spw_idx begin, spw_idx end, spw_idx first, spw_idx last,
                      int64_t entries, spw_csr *S) {
    const spw_status status = spw_csr_create(end - begin, last - first, entries, S);
    if (status) return status;
    S->row_ptr[0] = 0;
    for (spw_idx i = begin; i < end; i++)
        S->row_ptr[i - begin + 1] = S->row_ptr[i - begin] + spw_csr_first_from(A, i, last) -
                                    spw_csr_first_from(A, i, first);
#pragma omp parallel for schedule(static)
    for (spw_idx i = begin; i < end; i++) {
        spw_idx from = spw_csr_first_from(A, i, first);
        for (spw_idx to = S->row_ptr[i - begin]; to < S->row_ptr[i - begin + 1]; to++, from++) {
            S->col_idx[to] = A->col_idx[from] - first;
            S->val[to] = A->val[from];
        }
    }
    return SPW_OK;
}

/* *S: a stretch, or all zero where A is small enough to be tried itself. */
static spw_status stretch(const spw_csr *A, spw_csr *S) {
    const double wanted = fmax(SMALL, A->nnz / (double)SHARE);
    const double groups = wanted / ((double)A->nnz + 1) * A->n_rows / ROWS;
    *S = (spw_csr){0};
    if (A->nnz <= SMALL || (groups + 2) * ROWS > A->n_rows) return SPW_OK;
    const spw_idx rows = ROWS * ((spw_idx)groups + 1);
    const spw_idx begin = (A->n_rows - rows) / 2 / ROWS * ROWS, end = begin + rows;
    const int64_t all = A->row_ptr[end] - A->row_ptr[begin];
    const int64_t inside = entries_inside(A, begin, end);
    if ((double)inside < INSIDE * (double)all) return cut(A, begin, end, 0, A->n_cols, all, S);
    return cut(A, begin, end, begin, end, inside, S);
}

/* --- by turns ---------------------------------------------------------------------------------------------- */

typedef struct trial {
    const spw_csr *A; /* what is multiplied: the matrix or the stretch */
    bool part;        /* the stretch: what is chosen is converted again */
    double *x, *y;
    spw_operator op[ALL]; /* name NULL: not for this matrix */
    double seconds[ALL], conversion[ALL];
} trial;

static double turn(const trial *t, int k, int calls) {
    const double begin = spw_now();
    for (int c = 0; c < calls; c++) spw_operator_apply(&t->op[k], t->x, t->y);
    return (spw_now() - begin) / calls;
}

/* The first rounds are for the caches, and `rounds` of them count, or more where they take no time. */
static void take_turns(trial *t, int first, int rounds) {
    const double begin = spw_now(), one = turn(t, 0, 1);
    const int calls = one < TURN ? (int)(TURN / (one + 1e-9)) + 1 : 1;
    for (int k = 0; k < ALL; k++) t->seconds[k] = INFINITY;
    for (int r = 0; r < MOST_ROUNDS; r++) {
        if (r >= first + rounds && spw_now() - begin > NO_TIME) break;
        for (int k = 0; k < ALL; k++) {
            if (!t->op[k].name) continue;
            const double seconds = turn(t, k, calls);
            if (r >= first && seconds < t->seconds[k]) t->seconds[k] = seconds;
        }
    }
}

static spw_status begin_trial(const spw_csr *A, trial *t) {
    t->A = A;
    spw_status status = SPW_ALLOC(&t->x, A->n_cols);
    if (!status) status = SPW_ALLOC(&t->y, A->n_rows);
    if (status) return status;
#pragma omp parallel for schedule(static)
    for (spw_idx i = 0; i < A->n_cols; i++) t->x[i] = spw_random_double(1, (uint64_t)i);
#pragma omp parallel for schedule(static)
    for (spw_idx i = 0; i < A->n_rows; i++) t->y[i] = 0;
    return SPW_OK;
}

static void end_trial(trial *t) {
    for (int k = 0; k < ALL; k++) spw_operator_destroy(&t->op[k]);
    spw_free(t->x);
    spw_free(t->y);
}

/* All formats that the matrix allows; *best is the number of the fastest. */
static spw_status try_all(trial *t, int *best) {
    int others = 0;
    *best = 0;
    for (int k = 0; k < ALL; k++) {
        const double begin = spw_now();
        const spw_status status = spw_operator_take(t->A, k, &t->op[k]);
        if (status == SPW_ERR_MEMORY) return status;
        t->conversion[k] = spw_now() - begin;
        if (!k || !t->op[k].name) continue;
        others++;
        take_turns(t, 1, 3);
        if (t->seconds[k] < PLENTY * t->seconds[0]) break; /* as half storage: nothing moves less */
    }
    if (others == 0) return SPW_OK;
    if (others > 1) take_turns(t, 1, 3);
    for (int k = 1; k < ALL; k++)
        if ((!t->part || t->conversion[k] < REPAID * t->seconds[0]) &&
            t->seconds[k] < (*best ? t->seconds[*best] : WORTH * t->seconds[0]))
            *best = k;
    return SPW_OK;
}

static void describe(const trial *t, const char *tried, char *note, size_t size) {
    int at = 0;
    for (int k = 1; k < ALL; k++)
        if (t->op[k].name)
            at += snprintf(note + at, size - (size_t)at, "%s%s %.2f", at ? ", " : "", t->op[k].name,
                           t->seconds[k] / t->seconds[0]);
    if (at)
        snprintf(note + at, size - (size_t)at, " of the time of csr, %s", tried);
    else
        snprintf(note, size, "no other format is for it");
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

/* Of all rows `best` must not be slower than CSR either, wherever the stretch was. */
static spw_status confirm(const spw_csr *A, int best, trial *of_all) {
    spw_status status = begin_trial(A, of_all);
    if (!status) status = spw_operator_take(A, 0, &of_all->op[0]);
    if (!status) status = spw_operator_take(A, best, &of_all->op[best]);
    if (status) return status;
    /* A second time, if something else may have disturbed it. */
    for (int look = 0; look < 2; look++) {
        take_turns(of_all, 0, 2);
        if (of_all->seconds[best] <= SLOWER * of_all->seconds[0]) return SPW_OK;
    }
    spw_operator_destroy(&of_all->op[best]);
    return SPW_OK;
}

static spw_status measure(const spw_csr *A, spw_operator *op) {
    char note[SPW_OPERATOR_NOTE] = "";
    int best = 0;
    spw_csr S;
    trial t = {0}, all = {0};
    spw_status status = stretch(A, &S);
    const bool part = S.row_ptr != NULL;
    t.part = part;
    if (!status) status = begin_trial(part ? &S : A, &t);
    if (!status) status = try_all(&t, &best);
    if (!status) {
        char tried[48] = "all rows tried";
        if (part)
            snprintf(tried, sizeof tried, "tried on %.2g %% of rows", 100.0 * S.n_rows / A->n_rows);
        describe(&t, tried, note, sizeof note);
    }
    if (!status && part && best) status = confirm(A, best, &all);
    if (status == SPW_ERR_ARG || status == SPW_ERR_RANGE) status = SPW_OK; /* not for all rows */
    trial *from = part ? &all : &t;
    if (!status && best && from->op[best].name) {
        *op = from->op[best];
        from->op[best] = (spw_operator){0};
    } else if (!status) {
        status = spw_operator_take(A, 0, op);
    }
    if (!status) memcpy(op->note, note, sizeof note);
    end_trial(&all);
    end_trial(&t);
    spw_csr_destroy(&S);
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
        status = measure(A, op);
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

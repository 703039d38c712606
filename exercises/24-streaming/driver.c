/* Exercise 24: cases and explanations for a matrix that streams through two buffers. Far memory is played: driver_far.h. */
#include "streaming.h"

#include "base/memory.h"
#include "driver_far.h"
#include "kit/cases.h"
#include "kit/table.h"

#include <math.h>
#include <stdio.h>

/* --- cut: a case is a matrix, and the room in per cent of its largest row's ---------------------------- */

typedef struct division {
    const spw_csr *A;
    int64_t room;
    double *blocks, *same; /* what was returned, twice: mistakes are compared in first_row, too */
    spw_idx *first_row;
} division;

SPW_ARGUMENTS_OF(division_of, division)

/* The end of block k - 1, as it came out. */
static void describe_row(const spw_trial *t, int64_t k, char *text, int size) {
    const division *d = division_of(t);
    const spw_idx begin = k > 0 ? d->first_row[k - 1] : 0, end = d->first_row[k];
    if (k < 1 || begin < 0 || end < begin || end > d->A->n_rows) return;
    const int64_t bytes = far_bytes(d->A, begin, end);
    if (bytes > d->room)
        snprintf(text, (size_t)size, "block %lld has %lld bytes, and the room is %lld",
                 (long long)k - 1, (long long)bytes, (long long)d->room);
    else if (end < d->A->n_rows)
        snprintf(text, (size_t)size, "block %lld has %lld of %lld bytes; with another row %lld",
                 (long long)k - 1, (long long)bytes, (long long)d->room,
                 (long long)far_bytes(d->A, begin, end + 1));
}

/* The first block that is too large, or has room left for a row. */
static void describe_blocks(const spw_trial *t, int64_t at, char *text, int size) {
    const division *d = division_of(t);
    const spw_idx n = d->A->n_rows, *row = d->first_row;
    (void)at;
    snprintf(text, (size_t)size, "the room is %lld bytes", (long long)d->room);
    for (int k = 1; k <= *d->blocks && k <= n && row[0] == 0; k++) {
        if (row[k] <= row[k - 1] || row[k] > n) return;
        const bool full = row[k] == n || far_bytes(d->A, row[k - 1], row[k] + 1) > d->room;
        if (far_bytes(d->A, row[k - 1], row[k]) <= d->room && full) continue;
        describe_row(t, k, text, size);
        return;
    }
}

static const spw_argument of_cut[] = {
    SPW_CSR(division, A),
    SPW_NUMBER(division, blocks, "the number of blocks", .describe = describe_blocks),
    SPW_OUTPUT_AS("first_row", division, first_row, "n_rows + 1", .describe = describe_row),
    SPW_OUTPUT_AS("result", division, same, "1", ),
    {0}};

static void expect_cut(spw_trial *t, const void *at) {
    division *d = (division *)(uintptr_t)at;
    const spw_csr *A = d->A;
    int64_t largest = far_bytes(A, 0, 0) + 4;
    for (spw_idx i = 0; i < A->n_rows; i++)
        if (far_bytes(A, i, i + 1) > largest) largest = far_bytes(A, i, i + 1);
    d->room = largest * (int64_t)spw_kit_value(t, "percent") / 100;
    spw_idx *first_row = spw_kit_indices(t, (int64_t)A->n_rows + 1);
    const int blocks = far_cut_in(A, d->room, A->n_rows, first_row);
    const bool fits = blocks <= A->n_rows;
    spw_kit_expect_number(t, d->blocks, fits ? blocks : 0, 0);
    if (fits) spw_kit_expect_first(t, d->first_row, (int64_t)blocks + 1, first_row, NULL);
    spw_trial_say(t, "%d x %d, nz %d, room for %lld bytes", A->n_rows, A->n_cols, A->nnz,
                  (long long)d->room);
}

SPW_RESULT(call_cut, cut, const division *d, *d->blocks = *d->same, d->A, d->room, d->first_row)
static const spw_kit cut_kit = SPW_KIT_OF(of_cut, division, call_cut, expect_cut,
                                          .parameters = "@percent=100", .facts = "{size}");

/* --- spmm_streamed: a case is a matrix, at most so many blocks, and the number of vectors -------------- */

typedef struct product {
    const spw_csr *A; /* far */
    int most, nv, blocks;
    spw_idx first_row[FAR_MOST + 1];
    const double *X;
    double *Y;
    far_seen seen;
} product;

static void describe_product(const spw_trial *t, int64_t at, char *text, int size) {
    const product *d = (const product *)spw_kit_arguments(t);
    const int64_t row = at / d->nv;
    int k = 0;
    while (d->first_row[k + 1] <= row) k++;
    snprintf(text, (size_t)size, "row %lld, vector %lld; block %d of 0 .. %d", (long long)row,
             (long long)(at % d->nv), k, d->blocks - 1);
}

static const spw_argument of_product[] = {
    SPW_VALUE(product, most, "most"),
    SPW_VALUE(product, nv, "nv"),
    SPW_HIDDEN(product, A, &spw_kit_csr, NULL),
    SPW_RANDOM(product, X, "nv n_cols"),
    SPW_OUTPUT(product, Y, "nv n_rows", .describe = describe_product),
    {0}};

static void expect_product(spw_trial *t, const void *at) {
    product *d = (product *)(uintptr_t)at;
    int64_t room;
    spw_trial_result(t, &d->seen, sizeof d->seen);
    d->blocks = far_cut(d->A, d->most, d->first_row, &room);
    spw_kit_expect_block(t, d->Y, d->nv, d->A, d->X, d->nv, d->nv);
    spw_trial_say(t, "%d x %d, nz %d, %d block%s, nv %d", d->A->n_rows, d->A->n_cols, d->A->nnz,
                  d->blocks, d->blocks == 1 ? "" : "s", d->nv);
}

/* What far memory has seen is told by the claim, not by what came of it. */
static void call_product(const void *at, spw_function f) {
    product *d = (product *)(uintptr_t)at;
    void *buffer[2];
    far_memory *F = far_open(d->A, d->most, 1, buffer);
    if (F) SPW_AS(spmm_streamed, f)(F, buffer, d->nv, d->X, d->Y);
    if (F) far_close(F, &d->seen);
    if (!F) snprintf(d->seen.trouble, sizeof d->seen.trouble, "no room for two buffers here");
    if (d->seen.trouble[0]) far_multiply(d->A, d->nv, d->X, d->Y);
}

static void claim_product(spw_trial *t) {
    const product *d = (const product *)spw_kit_arguments(t);
    if (d->seen.trouble[0]) spw_trial_fail(t, "%s", d->seen.trouble);
}

static const spw_kit product_kit = SPW_KIT_OF(of_product, product, call_product, expect_product,
                                              .parameters = "@most=4,nv=1", .facts = "{size}");

/* --- the three models: a table each -------------------------------------------------------------------- */

/* No two roundings away from a tie, or tied without any. */
typedef struct loop {
    int B;
    double T_t, T_c, o;
    const char *what;
} loop;
static const loop loops[] = {
    {4, 8, 2, 0, "slow link"},
    {4, 2, 8, 0, "slow products"},
    {5, 3, 3, 0, "both the same"},
    {1, 3, 2, 0.5, "one block"},
    {10, 6, 2, 0.25, "slow link, latency"},
    {10, 1, 6, 0.25, "slow products, latency"},
    {64, 4, 5, 0.125, "latency makes the link slow"},
    {61, 2.53, 3.74, 0, "the published run"},
};

static double loop_time(const loop *l) {
    const double t_t = l->T_t / l->B + l->o, t_c = l->T_c / l->B;
    return t_t > t_c ? l->B * t_t + t_c : l->B * t_c + t_t;
}

typedef struct choice {
    double T_t, T_c, o;
    int least, most;
    const char *what;
} choice;
static const choice choices[] = {
    {8, 2, 0, 2, 64, "no latency"},
    {8, 0.64, 0.01, 2, 64, "slow link"},
    {8, 0.64, 0.01, 20, 64, "slow link, small buffers"},
    {2, 8.03, 0.25, 2, 64, "slow products"},
    {2, 8.03, 0.001, 2, 64, "slow products, small latency"},
    {8, 2, 1, 1, 8, "slow link, one block takes as long as two"},
    {8, 2, 0, 7, 7, "no choice"},
    {8, 0.51, 0.01, 2, 64, "slow link, the root is no whole number"},
};

static double best_choice(const choice *c) {
    double least = INFINITY, best = 0;
    for (int B = c->least; B <= c->most; B++) {
        const double time = loop_time(&(loop){B, c->T_t, c->T_c, c->o, NULL});
        if (time < least) best = B;
        if (time < least) least = time;
    }
    return best;
}

typedef struct transfer {
    double T_t, T_first, T_vector;
    const char *what;
} transfer;
static const transfer transfers[] = {
    {10, 4, 2, "divides"},
    {10, 4, 4, "does not divide"},
    {3, 4, 1, "hidden by one already"},
    {4, 4, 1, "just hidden by one"},
    {10, 1, 3, "divides"},
    {10, 1, 3.5, "does not divide"},
    {10, 1, 4, "a quarter is left"},
    {100, 0.5, 0.25, "many"},
    {4.5, 4, 1, "by two"},
};

static double least_vectors(const transfer *r) {
    int nv = 1;
    while (r->T_first + (nv - 1) * r->T_vector < r->T_t) nv++;
    return nv;
}

#define FACTS "{rows} pairs of a link and a product"
SPW_TABLE(time, "T", FACTS, loops, loop, loop_time, 1e-12, stream_time,
          (r->B, r->T_t, r->T_c, r->o), "%s: B = %d, T_t = %g, T_c = %g, o = %g", r->what, r->B,
          r->T_t, r->T_c, r->o)
SPW_TABLE(best, "B", FACTS, choices, choice, best_choice, 0, best_blocks,
          (r->T_t, r->T_c, r->o, r->least, r->most),
          "%s: T_t = %g, T_c = %g, o = %g, from %d to %d", r->what, r->T_t, r->T_c, r->o, r->least,
          r->most)
SPW_TABLE(vectors, "nv", FACTS, transfers, transfer, least_vectors, 0, vectors_to_hide,
          (r->T_t, r->T_first, r->T_vector), "%s: T_t = %g, T_first = %g, T_vector = %g", r->what,
          r->T_t, r->T_first, r->T_vector)

/* --- check HIDDEN -------------------------------------------------------------------------------------- */

enum { RATIOS = 3, BLOCKS = 12, NV = 4 };
static const char played[] = "fem3:12";
static const double ratios[RATIOS] = {0.5, 1, 2}; /* transfer over product */
static const double GOAL = 0.95;                  /* of the least time */

static struct {
    spw_csr A;
    double *X, *Y;
} played_on;
static far_seen seen[RATIOS];

/* Where the answer is. */
static void play(spw_trial *t, void *at) {
    __typeof__(spmm_streamed) *const f =
        SPW_AS(spmm_streamed, spw_trial_symbol(t, "spmm_streamed"));
    for (int r = 0; r < RATIOS; r++) {
        void *buffer[2];
        far_memory *F = far_open(&played_on.A, BLOCKS, ratios[r], buffer);
        if (!F) continue;
        f(F, buffer, NV, played_on.X, played_on.Y);
        far_close(F, (far_seen *)at + r);
    }
}

static spw_verdict tell_hidden(spw_run *run) {
    double worst = 1, best = 0;
    const far_seen *slow = &seen[0];
    spw_run_line(run, "transfers : products   one by one    least    yours   hidden");
    for (int r = 0; r < RATIOS; r++) {
        const far_seen *s = &seen[r];
        const double serial = s->transfers + s->products, share = s->least / s->time,
                     hidden = (serial - s->time) / (serial - s->least);
        if (share < worst) slow = s;
        worst = fmin(worst, share);
        best = fmax(best, share);
        spw_run_line(run, "      %3.1f : 1            %6.2f ms  %6.2f   %6.2f    %3.0f %%",
                     ratios[r], 1e3 * serial, 1e3 * s->least, 1e3 * s->time, fmax(0, 100 * hidden));
    }
    if (best > 1 + 1e-6) {
        spw_run_headline(run,
                         "less than the least time: the clock in far_memory is not yours to set");
        return SPW_WRONG;
    }
    spw_run_score(run, 100 * worst);
    if (worst >= GOAL) {
        spw_run_headline(run, "%s in %d blocks, two buffers, by the played clock", played,
                         slow->blocks);
        return SPW_PASS;
    }
    spw_run_headline(
        run, "%.0f %% of the best speed, goal %.0f %%: %s in %d blocks, by the played clock",
        100 * worst, 100 * GOAL, played, slow->blocks);
    if (slow->idle)
        spw_run_line(
            run,
            "%d of %d products ran while nothing was on its way and blocks were still to come.\n"
            "%s",
            slow->idle, slow->blocks,
            slow->early == slow->idle
                ? "The next block was there already: wait for each one just before its own product"
                : "Ask for the next block before you multiply this one");
    return SPW_SLOW;
}

static spw_verdict check_hidden(spw_run *run) {
    spw_status status = spw_csr_named(played, spw_run_seed(run), &played_on.A);
    if (!status) status = SPW_ALLOC(&played_on.X, NV * (int64_t)played_on.A.n_cols);
    if (!status) status = SPW_ALLOC(&played_on.Y, NV * (int64_t)played_on.A.n_rows);
    for (int64_t i = 0; !status && i < NV * (int64_t)played_on.A.n_cols; i++) played_on.X[i] = 1;
    spw_verdict verdict = SPW_FAULT;
    if (status)
        spw_run_headline(run, "%s", spw_message());
    else if (spw_run_ask(run, play, seen, sizeof seen))
        verdict = tell_hidden(run);
    spw_csr_destroy(&played_on.A);
    spw_free(played_on.X);
    spw_free(played_on.Y);
    return verdict;
}

/* --- the declaration ----------------------------------------------------------------------------------- */

/* clang-format off */
static const char *const cut_cases[] = {
    "every-length@130", "one-by-one@100", "slides@150", "one-by-one@99", "zeros@100", "zeros@200", "nothing@100", "mostly-empty@100",
    "empty-rows@300", "dense-row@100", "dense-row@99", "powerlaw@110", "fem3@400", "stencil27@5000", NULL};
static const char *const stream_cases[] = {
    "slides@1,1", "slides@2,1", "slides@3,2", "one-by-one@4,1", "zeros@2,3", "nothing@4,1", "empty-first-last@5,2",
    "mostly-empty@6,1", "dense-row@4,3", "rectangular-wide@3,2", "rectangular-tall@7,8", "powerlaw@8,1", "fem3@9,8",
    "fem3:20@12,2", NULL};
static const char *const one_case[] = {"table", NULL};
/* clang-format on */

static const spw_part parts[] = {
    SPW_PART("cut", cut_cases, cut_kit, ),
    SPW_PART("spmm_streamed", stream_cases, product_kit, .claim = claim_product),
    SPW_PART("stream_time", one_case, time_kit, ),
    SPW_PART("best_blocks", one_case, best_kit, ),
    SPW_PART("vectors_to_hide", one_case, vectors_kit, ),
};

static const char *const allowed[] = {"far_blocks", "far_first_row",  "far_begin",
                                      "far_wait",   "multiply_block", NULL};

SPW_DRIVER(parts, .allowed = allowed, .own_check_name = "HIDDEN", .own_check = check_hidden)

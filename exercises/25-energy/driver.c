/* Exercise 25: runs and machines on paper, and the published runs of problem.h. What mistakes give is told by the
 * patches in tests/wrong/25-energy. */
#include "problem.h"

#include "base/random.h"
#include "kit/kit.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 6 * SERIES_MOST };

/* A few roundings of each of a handful of operations; of the fit's sums, some more. */
static const double ROUNDING = 16 * DBL_EPSILON, SUMS = 1e-9;

typedef struct paper {
    int n;
    run ref[MOST], now[MOST]; /* pairs of compare */
    const run *r;             /* of greenest and fit, as the answer is given them */
    const machine *m;
    double flop[MOST], bytes[MOST], f[MOST], deadline[MOST];
    char text[MOST][72]; /* what the k-th result is about */
    double *speedup, *greenup, *powerup, *index, *joules, *clock, *returned, *P0, *P1;
} paper;

static void describe(const spw_trial *t, int64_t k, char *text, int size) {
    snprintf(text, (size_t)size, "%s", ((const paper *)spw_kit_arguments(t))->text[k]);
}

static double joules_of(run r) {
    return r.joule_cpu + r.joule_gpu;
}

static run drawn_run(const spw_trial *t, int k) {
    const uint64_t seed = spw_trial_seed(t), at = 5 * (uint64_t)k;
    run r = {.nodes = 1 << spw_random_below(seed, at, 6)};
    r.seconds = 1 + 50 * spw_random_double(seed, at + 1);
    r.joule_cpu = r.nodes * r.seconds * (80 + 90 * spw_random_double(seed, at + 2));
    r.joule_gpu = k % 2 ? 0 : r.seconds * (50 + 100 * spw_random_double(seed, at + 3));
    r.efficiency = 0.1 + 0.9 * spw_random_double(seed, at + 4);
    return r;
}

static const published *rows_of(const spw_trial *t, int *n) {
    const published *rows;
    spw_kit_must(t, published_rows(&rows, n));
    return rows;
}

/* --- compare --------------------------------------------------------------------------------------- */

static const char *const compare_cases[] = {"example", "16-vectors", "32-vectors", "drawn", NULL};

static void prepare_pairs(spw_trial *t, const char *name, void *at) {
    paper *p = (paper *)at;
    const int vectors = atoi(name);
    if (vectors) {
        int n;
        published_pair pair[PAIRS_MOST];
        const published *rows = rows_of(t, &n);
        p->n = published_pairs(rows, n, vectors, pair);
        for (int k = 0; k < p->n; k++) {
            p->ref[k] = published_run(pair[k].ref);
            p->now[k] = published_run(pair[k].now);
            snprintf(p->text[k], sizeof p->text[k], "%s on %d nodes, against one with a GPU",
                     pair[k].ref->matrix, pair[k].ref->nodes);
        }
        spw_trial_say(t, "%d published pairs", p->n);
    } else if (strcmp(name, "example") == 0) {
        p->n = 1;
        p->ref[0] = (run){8, 20, 16000, 0, 0.7};
        p->now[0] = (run){1, 10, 700, 1300, 1};
        spw_trial_say(t, "8 nodes: 20 s, 16 kJ; one with a GPU: 10 s, 0.7 + 1.3 kJ");
    } else {
        p->n = 20;
        for (int k = 0; k < p->n; k++) {
            p->ref[k] = drawn_run(t, 2 * k);
            p->now[k] = drawn_run(t, 2 * k + 1);
        }
        spw_trial_say(t, "%d pairs", p->n);
    }
    spw_kit_quantity(t, ".pairs", p->n);
}

static void expect_pairs(spw_trial *t, const void *at) {
    const paper *p = (const paper *)at;
    double *s = spw_kit_doubles(t, p->n), *g = spw_kit_doubles(t, p->n);
    double *w = spw_kit_doubles(t, p->n);
    for (int k = 0; k < p->n; k++) {
        s[k] = p->ref[k].seconds / p->now[k].seconds;
        g[k] = joules_of(p->ref[k]) / joules_of(p->now[k]);
        w[k] =
            joules_of(p->now[k]) / p->now[k].seconds / (joules_of(p->ref[k]) / p->ref[k].seconds);
    }
    spw_kit_expect_within(t, p->speedup, s, 0, ROUNDING);
    spw_kit_expect_within(t, p->greenup, g, 0, ROUNDING);
    spw_kit_expect_within(t, p->powerup, w, 0, ROUNDING);
}

static void call_compare(const void *at, spw_function f) {
    const paper *p = (const paper *)at;
    for (int k = 0; k < p->n; k++) {
        const ratios r = SPW_AS(compare, f)(p->ref[k], p->now[k]);
        p->speedup[k] = r.speedup;
        p->greenup[k] = r.greenup;
        p->powerup[k] = r.powerup;
    }
}

#define OF_CASE(member, count) SPW_OUTPUT(paper, member, count, .describe = describe)
static const spw_argument of_compare[] = {
    OF_CASE(speedup, "pairs"), OF_CASE(greenup, "pairs"), OF_CASE(powerup, "pairs"), {0}};
static const spw_kit compare_kit =
    SPW_KIT_OF(of_compare, paper, call_compare, expect_pairs, .prepare = prepare_pairs);

/* --- runs: greenest and fit ------------------------------------------------------------------------ */

static void give(spw_trial *t, paper *p, const run *runs, int n) {
    p->n = n;
    p->r = (const run *)spw_kit_need(
        t, spw_trial_struct(t, "r", runs, (n ? n : 1) * (int64_t)sizeof *runs));
    spw_trial_say(t, "%d run%s", n, n == 1 ? "" : "s");
}

static void draw_runs(const spw_trial *t, run *runs, int n) {
    for (int k = 0; k < n; k++) runs[k] = drawn_run(t, k);
}

/* "F1@16": all runs of a matrix with 16 vectors; "all@32": of all matrices. */
static int take_series(const spw_trial *t, const char *name, run *runs) {
    int n, count = 0;
    const published *rows = rows_of(t, &n);
    char matrix[16] = "";
    const int vectors = (int)spw_kit_value(t, "vectors");
    snprintf(matrix, sizeof matrix, "%.*s", (int)strcspn(name, "@"), name);
    for (int k = 0; k < n; k++)
        if (rows[k].table == 6 && rows[k].nodes == 1 && rows[k].vectors == vectors &&
            (strcmp(matrix, "all") == 0 || strcmp(matrix, rows[k].matrix) == 0))
            count += published_series(rows, n, rows[k].matrix, vectors, runs + count);
    return count;
}

/* --- greenest -------------------------------------------------------------------------------------- */

static const char *const greenest_cases[] = {"three", "tie",    "F1@16",      "AUDI@32",   "none",
                                             "drawn", "BMW@16", "gigajoules", "one-joule", NULL};

/* Deadlines that all meet, that each run just meets, and that none meets. */
static void prepare_greenest(spw_trial *t, const char *name, void *at) {
    static const run three[] = {
        {4, 10, 3000, 1000, 0.9}, {1, 30, 1900, 600, 1}, {16, 5, 9000, 0, 0.5}};
    static const run tie[] = {
        {1, 9, 500, 0, 1}, {2, 6, 400, 0, 0.8}, {2, 5, 300, 100, 0.8}, {2, 8, 400, 0, 0.8}};
    paper *p = (paper *)at;
    run runs[MOST];
    int n = 0;
    if (strcmp(name, "three") == 0)
        memcpy(runs, three, sizeof three), n = 3;
    else if (strcmp(name, "tie") == 0)
        memcpy(runs, tie, sizeof tie), n = 4;
    else if (strcmp(name, "drawn") == 0)
        draw_runs(t, runs, n = 30);
    else if (strcmp(name, "gigajoules") == 0)
        for (n = 0; n < 9; n++) runs[n] = (run){1, 1 + n, 9e9 + 1e9 * ((4 * n + 4) % 9), 0, 1};
    else if (strcmp(name, "one-joule") == 0) /* is the difference, of as many */
        for (n = 0; n < 9; n++) runs[n] = (run){1, 1 + n, 9e9, (4 * n + 4) % 9, 1};
    else if (strcmp(name, "none") != 0)
        n = take_series(t, name, runs);
    give(t, p, runs, n);
    p->deadline[n] = INFINITY;
    p->deadline[n + 1] = 0.001;
    for (int k = 0; k < n; k++) p->deadline[k] = runs[k].seconds;
    for (int k = 0; k < n + 2; k++)
        snprintf(p->text[k], sizeof p->text[k], k == n ? "no deadline" : "deadline %.4g s",
                 p->deadline[k]);
    spw_kit_quantity(t, ".deadlines", n + 2);
}

static void expect_greenest(spw_trial *t, const void *at) {
    const paper *p = (const paper *)at;
    double *right = spw_kit_doubles(t, p->n + 2);
    for (int d = 0; d < p->n + 2; d++) {
        int best = -1;
        for (int k = p->n - 1; k >= 0; k--)
            if (p->r[k].seconds <= p->deadline[d] &&
                (best < 0 || joules_of(p->r[k]) <= joules_of(p->r[best])))
                best = k;
        right[d] = best;
    }
    spw_kit_expect_within(t, p->index, right, 0, 0);
}

static void call_greenest(const void *at, spw_function f) {
    const paper *p = (const paper *)at;
    for (int d = 0; d < p->n + 2; d++)
        p->index[d] = SPW_AS(greenest, f)(p->r, p->n, p->deadline[d]);
}

static const spw_argument of_greenest[] = {OF_CASE(index, "deadlines"), {0}};
static const spw_kit greenest_kit =
    SPW_KIT_OF(of_greenest, paper, call_greenest, expect_greenest, .parameters = "@vectors=0",
               .prepare = prepare_greenest);

/* --- fit ------------------------------------------------------------------------------------------- */

static const char *const fit_cases[] = {"exact",  "one-value", "tenth", "single", "nothing",
                                        "all@16", "all@32",    "drawn", "slow",   NULL};

static void prepare_fit(spw_trial *t, const char *name, void *at) {
    static const run exact[] = {/* 100 + 40 e watts a node */
                                {1, 10, 1400, 0, 1},
                                {4, 5, 2500, 100, 0.75},
                                {2, 8, 1920, 0, 0.5}};
    paper *p = (paper *)at;
    run runs[MOST];
    int n = strcmp(name, "single") == 0 ? 1 : strcmp(name, "nothing") == 0 ? 0 : 7;
    draw_runs(t, runs, 40);
    if (strcmp(name, "exact") == 0)
        memcpy(runs, exact, sizeof exact), n = 3;
    else if (strcmp(name, "one-value") == 0 || strcmp(name, "tenth") == 0)
        for (int k = 0; k < n; k++) runs[k].efficiency = *name == 'o' ? 0.5 : 0.1;
    else if (strcmp(name, "drawn") == 0)
        n = 40;
    else if (strcmp(name, "slow") == 0)
        for (int k = 0; k < n; k++) runs[k].efficiency *= 1e-8;
    else if (strchr(name, '@') || strcmp(name, "all") == 0)
        n = take_series(t, name, runs);
    give(t, p, runs, n);
}

static double watts_of(run r) {
    return joules_of(r) / (r.nodes * r.seconds);
}

static void expect_fit(spw_trial *t, const void *at) {
    const paper *p = (const paper *)at;
    double e = 0, w = 0, ee = 0, ew = 0, low = INFINITY, high = 0;
    for (int k = 0; k < p->n; k++) {
        e += p->r[k].efficiency / p->n;
        w += watts_of(p->r[k]) / p->n;
        low = fmin(low, p->r[k].efficiency);
        high = fmax(high, p->r[k].efficiency);
    }
    for (int k = 0; k < p->n; k++) {
        ee += (p->r[k].efficiency - e) * (p->r[k].efficiency - e);
        ew += (p->r[k].efficiency - e) * (watts_of(p->r[k]) - w);
    }
    const bool possible = p->n > 0 && low < high;
    const double P1 = possible ? ew / ee : *spw_kit_start(t, p->P1);
    const double P0 = possible ? w - P1 * e : *spw_kit_start(t, p->P0);
    spw_kit_expect_number(t, p->returned, possible ? 0 : -1, 0);
    spw_kit_expect_number(t, p->P0, P0, SUMS * (possible ? w : 0));
    spw_kit_expect_number(t, p->P1, P1, SUMS * (possible ? w + fabs(P1) : 0));
}

SPW_RESULT(call_fit, fit, const paper *p, *p->returned, p->r, p->n, p->P0, p->P1)

static const spw_argument of_fit[] = {SPW_NUMBER(paper, returned, "the value returned"),
                                      SPW_START(paper, P0, "1", .noun = ""),
                                      SPW_START(paper, P1, "1", .noun = ""),
                                      {0}};
static const spw_kit fit_kit = SPW_KIT_OF(of_fit, paper, call_fit, expect_fit,
                                          .parameters = "@vectors=0", .prepare = prepare_fit);

/* --- machines: energy and best_clock --------------------------------------------------------------- */

/* Invented: 8 cores, 100 GB/s. At 3 GHz a flop takes 0.4 nJ. They differ in the watts that flow all the time, so that
 * the best clock of arithmetic is 2.6 GHz, above f_max, below f_min, and 0. */
static const struct {
    const char *name;
    double P0;
} machines[] = {{"server", 100}, {"idle-hungry", 400}, {"phone", 2}, {"no-P0", 0}};
static const char *const energy_cases[] = {"server", "no-P0", "drawn", NULL};
static const char *const clock_cases[] = {"server", "idle-hungry", "phone", "no-P0", "drawn", NULL};

static void prepare_machine(spw_trial *t, const char *name, void *at) {
    paper *p = (paper *)at;
    machine m = {0, 64, 100e9, 0.4e-9 / 9e18, 0.5e-9, 1e9, 3.5e9};
    const uint64_t seed = spw_trial_seed(t);
    for (size_t k = 0; k < sizeof machines / sizeof *machines; k++)
        if (strcmp(name, machines[k].name) == 0) m.P0 = machines[k].P0;
    if (strcmp(name, "drawn") == 0) {
        m.P0 = 20 + 200 * spw_random_double(seed, 1);
        m.width = 8 * (1 + (double)spw_random_below(seed, 2, 16));
        m.bw = 20e9 + 300e9 * spw_random_double(seed, 3);
        m.e_flop *= 0.5 + spw_random_double(seed, 4);
        m.e_mem *= 0.5 + spw_random_double(seed, 5);
    }
    p->m = (const machine *)spw_kit_need(t, spw_trial_struct(t, "m", &m, sizeof m));
    /* from a sum to a product of matrices */
    static const double intensity[] = {0.125, 0.25, 0.7, 1, 1.3, 1.7, 2, 4, 64};
    p->n = sizeof intensity / sizeof *intensity;
    for (int k = 0; k < p->n; k++) {
        p->bytes[k] = k % 2 ? 8e9 : 3e9;
        p->flop[k] = intensity[k] * p->bytes[k];
        p->f[k] = 1e9 + 0.3e9 * k;
        snprintf(p->text[k], sizeof p->text[k], "%.3g Gflop, %.3g GB", p->flop[k] * 1e-9,
                 p->bytes[k] * 1e-9);
    }
    spw_trial_say(t, "P0 = %.3g W, width = %.3g flop/cycle, bw = %.3g GB/s", m.P0, m.width,
                  m.bw * 1e-9);
    spw_kit_quantity(t, ".runs", p->n);
}

static void prepare_energy(spw_trial *t, const char *name, void *at) {
    paper *p = (paper *)at;
    prepare_machine(t, name, at);
    for (int k = 0; k < p->n; k++)
        snprintf(p->text[k] + strlen(p->text[k]), sizeof p->text[k] - strlen(p->text[k]),
                 ", f = %.2g GHz", p->f[k] * 1e-9);
}

static void expect_energy(spw_trial *t, const void *at) {
    const paper *p = (const paper *)at;
    const machine *m = p->m;
    double *right = spw_kit_doubles(t, p->n);
    for (int k = 0; k < p->n; k++) {
        const double seconds = fmax(p->flop[k] / (m->width * p->f[k]), p->bytes[k] / m->bw);
        right[k] =
            m->P0 * seconds + m->e_flop * p->f[k] * p->f[k] * p->flop[k] + m->e_mem * p->bytes[k];
    }
    spw_kit_expect_within(t, p->joules, right, 0, ROUNDING);
}

static void call_energy(const void *at, spw_function f) {
    const paper *p = (const paper *)at;
    for (int k = 0; k < p->n; k++)
        p->joules[k] = SPW_AS(energy, f)(p->m, p->f[k], p->flop[k], p->bytes[k]);
}

static void expect_clock(spw_trial *t, const void *at) {
    const paper *p = (const paper *)at;
    const machine *m = p->m;
    double *right = spw_kit_doubles(t, p->n);
    for (int k = 0; k < p->n; k++) {
        const double meet = p->flop[k] * m->bw / (m->width * p->bytes[k]);
        const double f = fmin(meet, cbrt(m->P0 / (2 * m->e_flop * m->width)));
        right[k] = fmin(fmax(f, m->f_min), m->f_max);
    }
    spw_kit_expect_within(t, p->clock, right, 0, ROUNDING);
}

static void call_clock(const void *at, spw_function f) {
    const paper *p = (const paper *)at;
    for (int k = 0; k < p->n; k++)
        p->clock[k] = SPW_AS(best_clock, f)(p->m, p->flop[k], p->bytes[k]);
}

static const spw_argument of_energy[] = {OF_CASE(joules, "runs"), {0}};
static const spw_argument of_clock[] = {OF_CASE(clock, "runs"), {0}};
static const spw_kit energy_kit =
    SPW_KIT_OF(of_energy, paper, call_energy, expect_energy, .prepare = prepare_energy);
static const spw_kit clock_kit =
    SPW_KIT_OF(of_clock, paper, call_clock, expect_clock, .prepare = prepare_machine);

/* --- the declaration ------------------------------------------------------------------------------- */

static const spw_part parts[] = {
    SPW_PART("compare", compare_cases, compare_kit),
    SPW_PART("greenest", greenest_cases, greenest_kit),
    SPW_PART("fit", fit_cases, fit_kit),
    SPW_PART("energy", energy_cases, energy_kit),
    SPW_PART("best_clock", clock_cases, clock_kit),
};

SPW_DRIVER(parts, .own_check_name = "ENERGY", .own_check = check_energy)

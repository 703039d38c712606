/* Exercise 25: the published runs, and check ENERGY, which evaluates them by the learner's functions. */
#include "problem.h"

#include "perf/bandwidth.h"
#include "perf/energy.h"
#include "perf/working_set.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const path = "plots/recorded/exercise-25-published.tsv";

/* --- the table ------------------------------------------------------------------------------------- */

/* "-" is 0. */
static bool read_row(const char *line, published *p) {
    char text[6][24];
    double *const number[] = {&p->seconds, &p->joule_cpu, &p->joule_gpu,
                              &p->share,   &p->speedup,   &p->greenup};
    if (sscanf(line, "%d %15s %d %d %23s %23s %23s %23s %23s %23s", &p->table, p->matrix,
               &p->vectors, &p->nodes, text[0], text[1], text[2], text[3], text[4], text[5]) != 10)
        return false;
    for (int k = 0; k < 6; k++) *number[k] = atof(text[k]);
    return true;
}

spw_status published_rows(const published **rows, int *n) {
    static published all[PUBLISHED_MOST];
    static int count;
    char line[256];
    *rows = all;
    *n = count;
    if (count) return SPW_OK;
    FILE *file = fopen(path, "r");
    if (!file) return spw_error(SPW_ERR_FILE, "cannot read %s: %s", path, strerror(errno));
    int read = 0;
    bool good = true;
    while (good && fgets(line, sizeof line, file))
        if (*line != '#') good = read < PUBLISHED_MOST && read_row(line, &all[read++]);
    fclose(file);
    if (!good || read == 0) return spw_error(SPW_ERR_FORMAT, "%s: row %d is damaged", path, read);
    *n = count = read;
    return SPW_OK;
}

static const published *find(const published *rows, int n, int table, const published *like,
                             int nodes) {
    for (int k = 0; k < n; k++)
        if (rows[k].table == table && rows[k].vectors == like->vectors && rows[k].nodes == nodes &&
            strcmp(rows[k].matrix, like->matrix) == 0)
            return &rows[k];
    return NULL;
}

run published_run(const published *p) {
    return (run){p->nodes, p->seconds, p->joule_cpu, p->joule_gpu, 1};
}

int published_pairs(const published *rows, int n, int vectors, published_pair pairs[PAIRS_MOST]) {
    int count = 0;
    for (int k = 0; k < n && count < PAIRS_MOST; k++)
        if (rows[k].table == 4 && rows[k].vectors == vectors)
            pairs[count++] = (published_pair){&rows[k], find(rows, n, 5, &rows[k], 1),
                                              find(rows, n, 6, &rows[k], rows[k].nodes)};
    return count;
}

int published_series(const published *rows, int n, const char *matrix, int vectors,
                     run series[SERIES_MOST]) {
    int count = 0;
    for (int k = 0; k < n && count < SERIES_MOST; k++) {
        const published *p = &rows[k];
        if (p->table != 6 || p->vectors != vectors || strcmp(p->matrix, matrix) != 0) continue;
        const run ref = published_run(find(rows, n, 5, p, 1));
        run r = {.nodes = p->nodes, .seconds = p->speedup * ref.seconds, .efficiency = 1};
        r.joule_cpu = p->greenup * (ref.joule_cpu + ref.joule_gpu);
        if (count) r.efficiency = series[0].seconds / (r.nodes * r.seconds);
        series[count++] = r;
    }
    return count;
}

/* --- the learner's functions ----------------------------------------------------------------------- */

/* They run in another process: what they are asked, and say. */
static struct {
    run ref, now, series[6 * SERIES_MOST];
    int n, index;
    double deadline, P0, P1;
    ratios said;
} asked;

static void ask_compare(spw_trial *t, void *ignored) {
    (void)ignored;
    asked.said = SPW_AS(compare, spw_trial_symbol(t, "compare"))(asked.ref, asked.now);
}

static void ask_greenest(spw_trial *t, void *ignored) {
    (void)ignored;
    asked.index =
        SPW_AS(greenest, spw_trial_symbol(t, "greenest"))(asked.series, asked.n, asked.deadline);
}

static void ask_fit(spw_trial *t, void *ignored) {
    (void)ignored;
    SPW_AS(fit, spw_trial_symbol(t, "fit"))(asked.series, asked.n, &asked.P0, &asked.P1);
}

static bool ask(spw_run *r, void (*work)(spw_trial *, void *)) {
    return spw_run_ask(r, work, &asked, sizeof asked);
}

/* Is it the printed number, rounded to two digits behind the point? */
static bool as_printed(double value, double printed) {
    return fabs(value - printed) <= 0.00501;
}

/* --- what is told ---------------------------------------------------------------------------------- */

/* Tables 5, 7 and 8 need no function: the GPU's part of the joules. */
static void tell_shares(spw_run *r, const published *rows, int n) {
    int all = 0, good = 0;
    for (int k = 0; k < n; k++) {
        const published *p = &rows[k];
        if (p->share <= 0) continue;
        all++;
        good += as_printed(100 * p->joule_gpu / (p->joule_cpu + p->joule_gpu), p->share);
    }
    spw_run_line(r, "the GPU's share of the joules, Tables 5, 7, 8:   %d of %d as printed", good,
                 all);
}

static bool tell_ratios(spw_run *r, const published *rows, int n) {
    int all = 0, speedups = 0, greenups = 0, odd = 0;
    char lines[PAIRS_MOST][96];
    for (int vectors = 16; vectors <= 32; vectors += 16) {
        published_pair pair[PAIRS_MOST];
        const int pairs = published_pairs(rows, n, vectors, pair);
        for (int k = 0; k < pairs; k++, all++) {
            asked.ref = published_run(pair[k].ref);
            asked.now = published_run(pair[k].now);
            if (!ask(r, ask_compare)) return false;
            speedups += as_printed(asked.said.speedup, pair[k].printed->speedup);
            if (as_printed(asked.said.greenup, pair[k].printed->greenup))
                greenups++;
            else
                snprintf(lines[odd++], sizeof lines[0],
                         "  %s, %d vectors, %d nodes: yours %.2f, printed %.2f",
                         pair[k].ref->matrix, vectors, pair[k].ref->nodes, asked.said.greenup,
                         pair[k].printed->greenup);
        }
    }
    spw_run_line(r, "speedups by compare, of Tables 4 and 5:          %d of %d as Table 6 prints",
                 speedups, all);
    spw_run_line(r, "greenups by compare, of Tables 4 and 5:          %d of %d%s", greenups, all,
                 odd ? ", but" : "");
    for (int k = 0; k < odd; k++) spw_run_line(r, "%s", lines[k]);
    return true;
}

/* Table 4 says which of Table 6's runs are fastest and which take the fewest joules. */
static bool tell_best(spw_run *r, const published *rows, int n) {
    int all = 0, good = 0, place[2] = {0, 0};
    for (int k = 0; k < n; k++) {
        if (rows[k].table != 4) continue;
        const published *p = &rows[k];
        const bool fastest = place[p->vectors == 32]++ < 6; /* printed first, then the greenest */
        asked.n = published_series(rows, n, p->matrix, p->vectors, asked.series);
        asked.deadline = INFINITY;
        for (int i = 0; fastest && i < asked.n; i++)
            asked.deadline = fmin(asked.deadline, asked.series[i].seconds);
        if (!ask(r, ask_greenest)) return false;
        all++;
        good += asked.index >= 0 && asked.index < asked.n &&
                asked.series[asked.index].nodes == p->nodes;
    }
    spw_run_line(r, "fastest and greenest of Table 6, by greenest:    %d of %d as Table 4 has them",
                 good, all);
    return true;
}

static bool tell_watts(spw_run *r, const published *rows, int n) {
    for (int vectors = 16; vectors <= 32; vectors += 16) {
        double square = 0;
        asked.n = 0;
        for (int k = 0; k < n; k++)
            if (rows[k].table == 6 && rows[k].nodes == 1 && rows[k].vectors == vectors)
                asked.n +=
                    published_series(rows, n, rows[k].matrix, vectors, asked.series + asked.n);
        if (!ask(r, ask_fit)) return false;
        for (int k = 0; k < asked.n; k++) {
            const run *s = &asked.series[k];
            const double off =
                s->joule_cpu / (s->nodes * s->seconds) - asked.P0 - asked.P1 * s->efficiency;
            square += off * off / asked.n;
        }
        spw_run_line(r, "watts of a CPU node by fit, %d vectors:  %.0f + %.0f efficiency, +- %.0f",
                     vectors, asked.P0, asked.P1, sqrt(square));
    }
    return true;
}

/* --- this machine ---------------------------------------------------------------------------------- */

static void load(void *probe) {
    spw_probe_run((spw_probe *)probe);
}

/* Idle, then loads from memory, two seconds each. */
static spw_status measure(spw_run *r, spw_meter *m) {
    spw_probe probe;
    spw_meter_span idle, busy;
    spw_status status = spw_meter_run(m, 2, NULL, NULL, &idle);
    if (!status)
        status = spw_probe_create(SPW_LOAD, spw_default_working_set(), spw_run_threads(r), &probe);
    if (status) return status;
    status = spw_meter_run(m, 2, load, &probe, &busy);
    const double bytes = spw_probe_traffic(&probe) * (double)probe.sweeps * busy.calls;
    spw_probe_destroy(&probe);
    if (status) return status;
    const double joules = busy.host + busy.gpu, watts = (idle.host + idle.gpu) / idle.seconds;
    const double others = fmax(idle.others, busy.others);
    if (others > 0.05)
        spw_run_line(r, "others had %.0f %% of the processors, and a part of the joules: no figure",
                     100 * others);
    else
        spw_run_line(r, "idle here %.1f W; loads from memory %.1f W, %.3f nJ a byte above idle",
                     watts, joules / busy.seconds, 1e9 * (joules - watts * busy.seconds) / bytes);
    return SPW_OK;
}

static void tell_machine(spw_run *r) {
    spw_meter m;
    spw_meter_open(NULL, &m);
    char *more = strchr(m.text, '\n');
    if (more) *more++ = 0;
    spw_run_headline(r, "%s%s", m.state == SPW_METER_COUNTS ? "measured: " : "", m.text);
    if (more) spw_run_line(r, "%s", more);
    if (m.state == SPW_METER_COUNTS && measure(r, &m)) spw_run_line(r, "%s", spw_message());
    spw_meter_close(&m);
}

spw_verdict check_energy(spw_run *r) {
    const published *rows;
    int n;
    if (published_rows(&rows, &n)) {
        spw_run_headline(r, "%s", spw_message());
        return SPW_FAULT;
    }
    tell_machine(r);
    spw_run_line(r, "Published runs by your functions (LOBPCG on Piz Daint, %d rows):", n);
    tell_shares(r, rows, n);
    if (!tell_ratios(r, rows, n) || !tell_best(r, rows, n) || !tell_watts(r, rows, n))
        return SPW_WRONG;
    return SPW_PASS;
}

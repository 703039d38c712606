/* commands/collection.c -- times SpMV with one matrix in every format: `make collection` calls it for each of its list.
 *
 *   collection --matrix NAME [--threads N] [--limit S] [--label TEXT]
 *     --limit   seconds that it may take; then the exit status is 124, and rows that were written stay
 *     --label   begins each row: what the caller knows the matrix by
 *   collection --facts ...   processor and number of threads instead, with a tab between them
 *
 * A row, with tabs: label, rows, columns, entries, format, kernel, state, bytes, seconds, low, high, least, others. State: ok;
 * noisy, where the interval of the quartile is wider than 5 % after 4 turns of 15 samples of a millisecond, or after 0.1 s;
 * why a format was not made. Others: the share of the processors that other programs had. The format roof is the
 * bandwidth of loads from as many bytes as CSR's product moves, half of its samples before CSR and half after: a machine
 * may change its speed within a minute. The last row has no format: its state is done, or why the matrix was not measured. Exit status: 0, 124, or 1 with one line of what went wrong. */
#include "base/threads.h"
#include "commands/bench/operands.h"
#include "commands/command.h"
#include "perf/bandwidth.h"
#include "perf/cpu_time.h"
#include "perf/timer.h"
#include "perf/topology.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { SAMPLES = 15, FEWEST = 5, TURNS = 4 };
static const double SAMPLE = 0.5e-3, MOST_SECONDS = 0.1, WIDE = 0.05;

typedef struct job {
    const char *matrix, *label;
    int threads, limit, facts;
    spw_usage before;
    spw_csr shape; /* rows, columns and entries, for the rows */
} job;

typedef struct measured {
    double bytes, seconds, low, high, least;
} measured;

static void row(const job *j, const char *format, const char *kernel, const char *state,
                measured m) {
    double others, stolen;
    spw_usage_of_others(&j->before, &others, &stolen);
    printf("%s\t%d\t%d\t%d\t%s\t%s\t", j->label, j->shape.n_rows, j->shape.n_cols, j->shape.nnz,
           format, kernel);
    for (; *state; state++) putchar(strchr("\t\n", *state) ? ' ' : *state);
    printf("\t%.0f\t%.6g\t%.6g\t%.6g\t%.6g\t%.3f\n", m.bytes, m.seconds, m.low, m.high, m.least,
           others + stolen);
    fflush(stdout);
}

/* Seconds of a call. Twice as many again and again, so that a call that suddenly waits for a processor ends the sample. */
static double sample(operands *o, operands_call call, const spw_kernel *k) {
    const double begin = spw_now();
    double seconds = 0;
    int done = 0;
    for (int more = 1; seconds < SAMPLE; more *= 2) {
        for (int c = 0; c < more; c++) call(o, k->function);
        done += more;
        seconds = spw_now() - begin;
    }
    return seconds / done;
}

static void time_kernel(const job *j, operands *o, const char *format, const char *operation,
                        const spw_kernel *k, double bytes) {
    const operands_call call = operands_call_of(operation);
    double samples[SAMPLES];
    measured m = {.bytes = bytes, .least = INFINITY};
    bool noisy = true;
    call(o, k->function);
    const double begin = spw_now();
    for (int turn = 0; turn < TURNS && noisy && (!turn || spw_now() < begin + MOST_SECONDS);
         turn++) {
        int n = 0;
        while (n < SAMPLES && (n < FEWEST || spw_now() < begin + MOST_SECONDS)) {
            samples[n] = sample(o, call, k);
            m.least = fmin(m.least, samples[n++]);
        }
        m.seconds = spw_quartile(samples, n, &m.low, &m.high);
        noisy = m.high - m.low > WIDE * m.seconds;
    }
    row(j, format, k->symbol, noisy ? "noisy" : "ok", m);
}

static void time_format(const job *j, operands *o, bench_format format) {
    char operation[BENCH_OPERATION];
    const char *name = bench_format_names[format];
    shape s;
    if (operands_convert(o, format, &s)) {
        row(j, name, "-", spw_message(), (measured){0});
        return;
    }
    for (const spw_kernel *k = operands_kernels("spmv", format, operation); k->symbol; k++)
        if (!spw_kernel_is_reference(k)) time_kernel(j, o, name, operation, k, s.bytes);
    if (format != BENCH_CSR) operands_drop(o, format);
}

static void time_csr_and_roof(const job *j, operands *o) {
    spw_probe p;
    double samples[SAMPLES];
    measured m = {0};
    const int64_t bytes = spw_csr_bytes(&o->A) + 8 * ((int64_t)o->A.n_rows + o->A.n_cols);
    const spw_status status = spw_probe_create(SPW_LOAD, bytes, j->threads, &p);
    for (int s = 0; s < SAMPLES / 2 && !status; s++) samples[s] = spw_probe_run(&p);
    time_format(j, o, BENCH_CSR);
    if (status) {
        row(j, "-", "-", spw_message(), m);
        return;
    }
    for (int s = SAMPLES / 2; s < SAMPLES; s++) samples[s] = spw_probe_run(&p);
    m.bytes = spw_probe_traffic(&p);
    m.seconds = spw_quartile(samples, SAMPLES, &m.low, &m.high);
    m.least = samples[0];
    row(j, "roof", p.kernel, "ok", m);
    spw_probe_destroy(&p);
}

static void measure_matrix(job *j) {
    operands o;
    if (operands_load(j->matrix, 1, &o)) {
        row(j, "-", "-", spw_message(), (measured){0});
        return;
    }
    j->shape = o.A;
    for (int f = 0; f < BENCH_FORMATS && o.A.nnz; f++)
        if (f == BENCH_CSR)
            time_csr_and_roof(j, &o);
        else
            time_format(j, &o, (bench_format)f);
    row(j, "-", "-", o.A.nnz ? "done" : "it has no entries", (measured){0});
    operands_free(&o);
}

static void leave(int signal) {
    (void)signal;
    _exit(124);
}

int main(int argc, char **argv) {
    job j = {.label = "", .threads = spw_max_threads(), .limit = 60};
    const command_option options[] = {
        text_option("--matrix", &j.matrix), text_option("--label", &j.label),
        count_option("--threads", &j.threads, "THREADS", 4096),
        count_option("--limit", &j.limit, "LIMIT", 86400), flag_option("--facts", &j.facts)};
    if (!read_options("collection", options, sizeof options / sizeof *options, argc, argv))
        return 1;
    if (j.facts) return printf("%s\t%d\n", spw_topology_read().cpu, j.threads) < 0;
    signal(SIGALRM, leave);
    alarm((unsigned)j.limit);
    spw_set_threads(j.threads);
    j.before = spw_usage_read();
    if (!j.matrix) return complain(1, "collection", "--matrix is missing");
    measure_matrix(&j);
    return 0;
}

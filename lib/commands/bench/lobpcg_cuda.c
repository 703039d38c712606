/* LOBPCG with all that has n rows on the device: 100 iterations of 16, 32 and 48 vectors, search directions by one
 * product and by single ones, and the host's LOBPCG beside; and the phases of the first. */
#include "commands/bench/contest.h"
#include "commands/bench/subjects.h"
#include "formats/generate.h"
#include "formats/sellp.h"
#include "solvers/lobpcg_cuda.h"

#include <math.h>
#include <stdio.h>

enum { HUNDRED = 100, SLICE_ROWS = 8, ROW_THREADS = 4, ROUNDS = 5 };

/* One way of running it. Only the device's own keeps its last result, for the phases. */
typedef struct job {
    const spw_operator *host; /* one of them is not NULL */
    const spw_cuda_operator *device;
    spw_lobpcg_options options;
    spw_lobpcg_result result;
} job;

/* Residuals at the level of rounding end it before, which none should reach: then per iteration. */
static double seconds_of_hundred(const runner *r) {
    job *j = r->state;
    spw_lobpcg_result_destroy(&j->result);
    const spw_status status =
        j->device ? spw_lobpcg_cuda(j->device, NULL, NULL, NULL, 0, &j->options, &j->result)
                  : spw_lobpcg(j->host, NULL, NULL, NULL, 0, &j->options, &j->result);
    if (!status && j->result.iterations > 0)
        return j->result.seconds * HUNDRED / j->result.iterations;
    printf("  %s: %s\n", r->name, status ? spw_message() : j->result.text);
    return NAN;
}

static void report_phases(bench *b, const char *subject, const spw_lobpcg_result *r) {
    for (int p = 0; p < SPW_LOBPCG_PHASES; p++) {
        if (r->phases[p].calls == 0) continue;
        const double seconds = r->phases[p].seconds * HUNDRED / r->iterations;
        const double rate = r->phases[p].seconds > 0
                                ? 1e-9 * spw_cost_bytes(r->phases[p].cost) / r->phases[p].seconds
                                : 0;
        const char *phase = spw_lobpcg_phase_name((spw_lobpcg_phase)p);
        char note[BENCH_TEXT];
        set_text(note, "%.0f GB/s of its model", rate);
        report(b, (result){"lobpcg-cuda-phases", subject, phase, seconds, "s", .note = note});
    }
}

static void hundred_iterations(bench *b, const char *name, const spw_operator *host,
                               const spw_cuda_operator *device, int nv) {
    contest run = {0};
    char subject[BENCH_TEXT];
    job jobs[] = {{.device = device}, {.device = device, .options.one_by_one = 1}, {.host = host}};
    static const char *const texts[] = {"on the device, SpMM", "on the device, single SpMVs",
                                        "on the host, SpMM"};
    set_text(subject, "%s nv=%d", name, nv);
    for (int k = 0; k < 3; k++) {
        jobs[k].options.nv = nv;
        jobs[k].options.guard = -1;
        jobs[k].options.tolerance = 1e-300; /* never */
        jobs[k].options.max_iterations = HUNDRED;
        runner *r = contest_enter(&run, texts[k], 0, 0);
        r->side = SIDE_OURS;
        r->once = seconds_of_hundred;
        r->state = &jobs[k];
    }
    printf("\nLOBPCG on %s, %d iterations, %d vectors\n", name, HUNDRED, nv);
    contest_run(&run, b->rounds < ROUNDS ? b->rounds : ROUNDS);
    contest_report_seconds(b, &run, "lobpcg-cuda", subject, 1, "s");
    if (!run.runners[0].out) report_phases(b, subject, &jobs[0].result);
    for (int k = 0; k < 3; k++) spw_lobpcg_result_destroy(&jobs[k].result);
}

int bench_lobpcg_cuda(bench *b, const bench_case *c) {
    static const int counts[] = {16, 32, 48};
    OWNED(spw_csr_destroy) spw_csr A = {0};
    OWNED(spw_sellp_destroy) spw_sellp P = {0};
    OWNED(spw_operator_destroy) spw_operator host = {0};
    OWNED(spw_cuda_operator_destroy) spw_cuda_operator device = {0};
    set_text(b->about, "LOBPCG on %s on the device", c->matrix);
    if (spw_csr_load(c->matrix, &A) || spw_operator_from_csr(&A, &host) ||
        spw_sellp_from_csr(&A, SLICE_ROWS, ROW_THREADS, &P) ||
        spw_cuda_operator_from_sellp(&P, &device))
        return 1;
    for (int k = 0; k < 3; k++)
        if (counts[k] <= A.n_rows) hundred_iterations(b, c->matrix, &host, &device, counts[k]);
    return 0;
}

#include "commands/bench/peers.h"
#include "commands/bench/contest.h"
#include "commands/bench/subjects.h"
#include "perf/timer.h"

#include <stdio.h>
#include <string.h>

static double spmm_traffic(const spw_csr *A, int nv) {
    return (double)spw_csr_bytes(A) + 8.0 * nv * ((double)A->n_cols + A->n_rows);
}

static double seconds_of_products(const runner *r, int calls) {
    operands *o = r->on;
    const double begin = spw_now();
    for (int c = 0; c < calls * o->nv; c++) r->call(o, r->kernel->function);
    return (spw_now() - begin) / calls;
}

/* What one would do without: one product after the other. */
static void enter_products(contest *run, operands *o) {
    const spw_kernel *v = spw_kernel_find("spw_spmv_csr_omp_balanced");
    if (!v) return;
    char name[BENCH_TEXT];
    set_text(name, "%d times %s", o->nv, v->symbol);
    runner *r = contest_enter_kernel(run, "spmv_csr", v, o, 0);
    r->bytes *= o->nv;
    set_text(r->name, "%s", name);
    r->seconds = seconds_of_products;
    r->flops = 2.0 * o->A.nnz * o->nv;
    r->side = SIDE_ASIDE;
}

/* All formats that there are kernels for; those A does not fit into are said once, by the first run. */
static void enter_kernels(contest *run, operands *o, const shape *shapes, int n_shapes) {
    for (int k = 0; k < n_shapes; k++) {
        char operation[BENCH_OPERATION];
        const spw_kernel *v = operands_kernels("spmm", shapes[k].format, operation);
        for (; v->symbol; v++)
            contest_enter_kernel(run, operation, v, o, 0)->flops = 2.0 * o->A.nnz * o->nv;
    }
}

static int convert_all(operands *o, shape *shapes) {
    int n = 0;
    for (int f = 0; f < BENCH_FORMATS; f++) {
        char operation[BENCH_OPERATION];
        if (!operands_kernels("spmm", (bench_format)f, operation)) continue;
        if (operands_convert(o, (bench_format)f, &shapes[n]))
            printf("  %s is left out: %s\n", bench_format_names[f], spw_message());
        else
            n++;
    }
    return n;
}

static void compare(bench *b, const contest *run, const char *subject, bool goals) {
    const runner *ours = contest_best(run, SIDE_OURS, false);
    printf("\n  %s, the best of each kind: ours / theirs\n", subject);
    contest_best_share(b, run, "spmm-best", subject, "share of the roof", ours, goals ? 0.7 : 0);
    contest_compare(b, "spmm-best", subject, "against the best peer", ours,
                    contest_best(run, SIDE_PEER, false), goals ? 1.5 : 0);
    contest_compare(b, "spmm-best", subject, "against single products", ours,
                    contest_best(run, SIDE_ASIDE, false), 0);
}

static int with_vectors(bench *b, operands *o, const char *name, const shape *shapes, int n_shapes,
                        bool goals) {
    static contest run;
    spw_probe probe = {0};
    char subject[BENCH_TEXT];
    memset(&run, 0, sizeof run);
    run.roof_bytes = spmm_traffic(&o->A, o->nv);
    run.roof_flops = 2.0 * o->A.nnz * o->nv;
    run.peak = spw_peak_flops(b->threads);
    if (contest_enter_probe(&run, SPW_LOAD, run.roof_bytes, b->threads, &probe))
        return fail("%s", spw_message());
    set_text(subject, "%s, %d vectors", name, o->nv);
    printf("\nSparse matrix times a block of vectors, row-major, %s\n"
           "  share of the roof: the time to load %.4g MB, A in CSR, X and Y, each once, or\n"
           "  for %.4g Gflop at %.4g Gflop/s\n",
           subject, 1e-6 * run.roof_bytes, 1e-9 * run.roof_flops, 1e-9 * run.peak);
    enter_kernels(&run, o, shapes, n_shapes);
    enter_products(&run, o);
    peers_enter(b->set, &run, "spmm", &o->A, o->nv, o->x, run.roof_bytes, run.roof_flops);
    contest_run(&run, b->rounds);
    contest_report(b, &run, "spmm", subject);
    compare(b, &run, subject, goals);
    peers_leave(b->set);
    spw_probe_destroy(&probe);
    return 0;
}

/* A column-major block must be turned first: what that costs. */
static int turning(bench *b, operands *o, const char *name) {
    contest run = {0};
    spw_probe probe = {0};
    char subject[BENCH_TEXT];
    const double bytes = 16.0 * o->nv * o->A.n_cols;
    if (o->A.n_cols > o->A.n_rows) {
        printf("  transposition is left out: Y has no room for X\n");
        return 0;
    }
    if (contest_enter_probe(&run, SPW_COPY, bytes, b->threads, &probe))
        return fail("%s", spw_message());
    for (const spw_kernel *v = spw_kernels("transpose"); v->symbol; v++)
        contest_enter_kernel(&run, "transpose", v, o, 0);
    set_text(subject, "%s, %d vectors", name, o->nv);
    printf("\nTransposition of a column-major block, %s; share of the roof of copy\n", subject);
    contest_run(&run, b->rounds);
    contest_report(b, &run, "transpose", subject);
    spw_probe_destroy(&probe);
    return 0;
}

int bench_spmm(bench *b, const char *name, bool goals) {
    static const int counts[] = {8, 16, 32};
    enum { N = sizeof counts / sizeof *counts };
    shape shapes[BENCH_FORMATS];
    operands o;
    double seconds;
    int failed = 0;
    if (operands_load(name, counts[N - 1], &o, &seconds)) return fail("%s", spw_message());
    const int n_shapes = convert_all(&o, shapes);
    for (int k = 0; k < N && !failed; k++) {
        o.nv = counts[k];
        failed = with_vectors(b, &o, name, shapes, n_shapes, goals);
    }
    if (!failed) failed = turning(b, &o, name);
    operands_free(&o);
    return failed;
}

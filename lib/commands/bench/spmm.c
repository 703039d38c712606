#include "commands/bench/peers.h"
#include "commands/bench/contest.h"
#include "commands/bench/subjects.h"

#include <stdio.h>

static double spmm_traffic(const spw_csr *A, int nv) {
    return (double)spw_csr_bytes(A) + 8.0 * nv * ((double)A->n_cols + A->n_rows);
}

static void call_products(const runner *r) {
    for (int v = 0; v < r->on->nv; v++) r->call(r->on, r->kernel->function);
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
    r->work = call_products;
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
    OWNED(contest_close) contest run = {0};
    char subject[BENCH_TEXT];
    run.roof_bytes = spmm_traffic(&o->A, o->nv);
    run.roof_flops = 2.0 * o->A.nnz * o->nv;
    run.peak = spw_peak_flops(b->threads);
    if (contest_enter_probe(&run, SPW_LOAD, run.roof_bytes, b->threads)) return 1;
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
    return 0;
}

/* A column-major block must be turned first: what that costs. */
static int turning(bench *b, operands *o, const char *name) {
    OWNED(contest_close) contest run = {0};
    char subject[BENCH_TEXT];
    if (o->A.n_cols > o->A.n_rows) {
        printf("  transposition is left out: Y has no room for X\n");
        return 0;
    }
    if (contest_enter_probe(&run, SPW_COPY, 16.0 * o->nv * o->A.n_cols, b->threads)) return 1;
    for (const spw_kernel *v = spw_kernels("transpose"); v->symbol; v++)
        contest_enter_kernel(&run, "transpose", v, o, 0);
    set_text(subject, "%s, %d vectors", name, o->nv);
    printf("\nTransposition of a column-major block, %s; share of the roof of copy\n", subject);
    contest_run(&run, b->rounds);
    contest_report(b, &run, "transpose", subject);
    return 0;
}

int bench_spmm(bench *b, const bench_case *c) {
    static const int counts[] = {8, 16, 32};
    enum { N = sizeof counts / sizeof *counts };
    OWNED(operands_free) operands o = {0};
    shape shapes[BENCH_FORMATS];
    if (operands_load(c->matrix, counts[N - 1], &o)) return 1;
    const int n_shapes = convert_all(&o, shapes);
    for (int k = 0; k < N; k++) {
        o.nv = counts[k];
        if (with_vectors(b, &o, c->matrix, shapes, n_shapes, c->goals[0] > 0)) return 1;
    }
    return turning(b, &o, c->matrix);
}

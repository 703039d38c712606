#include "commands/bench/blas_peers.h"
#include "commands/bench/contest.h"
#include "commands/bench/subjects.h"

#include <stdio.h>
#include <string.h>

static void call_blas(const runner *r) { blas_peers[r->number].call(r->on); }

/* Enters every kernel of that operation, our own and CBLAS's. */
static void enter_all(contest *run, const char *operation, operands *on, int roof) {
    const spw_kernel *kernels = spw_kernels(operation);
    for (const spw_kernel *k = kernels; k->symbol; k++)
        contest_enter_kernel(run, operation, k, on, roof);
    for (int k = 0; blas_peers[k].name; k++) {
        if (strcmp(blas_peers[k].operation, operation)) continue;
        runner *r =
            contest_enter(run, blas_peers[k].name, operands_bytes(on, operation, kernels), roof);
        r->side = SIDE_PEER;
        r->work = call_blas;
        r->number = k;
        r->on = on;
    }
}

/* Operations on vectors of n, each against one of the roofs. */
typedef struct operation {
    const char *name; /* NULL ends */
    int roof;
} operation;
typedef struct roof {
    spw_mix mix;
    int arrays; /* 0 ends */
} roof;

static int time_operations(bench *b, const char *group, operands *o, const operation *operations,
                           const roof *roofs) {
    OWNED(contest_close) contest run = {0};
    for (; roofs->arrays; roofs++)
        if (contest_enter_probe(&run, roofs->mix, 8.0 * (double)o->n * roofs->arrays, b->threads))
            return 1;
    for (; operations->name; operations++) enter_all(&run, operations->name, o, operations->roof);
    contest_run(&run, b->rounds);
    contest_report(b, &run, group, "");
    return 0;
}

int bench_vectors(bench *b, const bench_case *c) {
    enum { LOAD, COPY, TRIAD };
    static const roof roofs[] = {{SPW_LOAD, 1}, {SPW_COPY, 2}, {SPW_TRIAD, 3}, {0}};
    static const operation operations[] = {{"copy", COPY},   {"sum", LOAD},    {"dot", LOAD},
                                           {"triad", TRIAD}, {"axpby", TRIAD}, {0}};
    OWNED(operands_free) operands o = {.n = b->quick ? 1000000 : 40000000};
    if (operands_vector(&o.a, o.n) || operands_vector(&o.b, o.n) || operands_vector(&o.c, o.n))
        return 1;
    printf(
        "\nVectors of %.0f MB; share of the roof of load (sum, dot), copy, triad (triad, axpby)\n",
        8e-6 * (double)o.n);
    (void)c;
    return time_operations(b, "vectors", &o, operations, roofs);
}

/* Vectors that an update, as of a solver, reads and writes: kernels/fused.h counts the bytes. */
int bench_fused(bench *b, const bench_case *c) {
    enum { UPDATE, AXPY, TRIAD, COPY, LOAD };
    static const roof roofs[] = {{SPW_UPDATE, 2}, {SPW_AXPY, 3}, {SPW_TRIAD, 3},
                                 {SPW_COPY, 2},   {SPW_LOAD, 2}, {0}};
    static const operation operations[] = {
        {"scal", UPDATE},
        {"diag", TRIAD},
        {"diag_dot", TRIAD},
        {"cg_step", AXPY},
        {"bicgstab_direction", AXPY},
        {"bicgstab_half", AXPY},
        {"bicgstab_step", AXPY},
        {"gram", LOAD},
        {"gram_dd", LOAD},
        {"combine", COPY},
        {"residual", TRIAD},
        {0},
    };
    OWNED(operands_free) operands o = {.n = b->quick ? 1000000 : 40000000, .nv = 8};
    for (size_t k = 0; k < sizeof o.w / sizeof *o.w; k++)
        if (operands_vector(&o.w[k], o.n)) return 1;
    printf("\nUpdates of vectors of %.0f MB, and blocks of %d columns; share of the roof of load "
           "(gram),\n"
           "copy (combine), update (scal), triad (diag, diag_dot, residual), axpy (all else)\n",
           8e-6 * (double)o.n, o.nv);
    set_text(b->about, "updates of vectors");
    (void)c;
    return time_operations(b, "fused", &o, operations, roofs);
}

/* What a block eigensolver does with its blocks (kernels/block.h), beside one dgemm each. */
int bench_block(bench *b, const bench_case *c) {
    enum { NV = 16, ARRAYS = 3 };
    static const struct {
        const char *operation, *name;
        int arrays;
        spw_mix roof;
        bool goal;
    } ops[] = {{"gram", "C = X'Y", 2, SPW_LOAD, true},
               {"combine", "Y = X C", 2, SPW_COPY, true},
               {"residual", "R = U - V diag", 3, SPW_TRIAD, false}};
    const int64_t rows = b->quick ? 100000 : 1000000;
    OWNED(operands_free) operands o = {.n = NV * rows, .nv = NV};
    char subject[BENCH_TEXT], text[BENCH_TEXT];
    set_text(subject, "%lld rows, %d columns", (long long)rows, NV);
    set_text(b->about, "blocks of vectors");
    (void)c;
    for (int k = 0; k < ARRAYS; k++)
        if (operands_vector(&o.w[k], o.n)) return 1;
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
        OWNED(contest_close) contest run = {0};
        if (contest_enter_probe(&run, ops[k].roof, 8.0 * (double)o.n * ops[k].arrays, b->threads))
            return 1;
        enter_all(&run, ops[k].operation, &o, 0);
        printf("\nBlocks of %s: %s; share of the roof of %s\n", subject, ops[k].name,
               spw_mix_name(ops[k].roof));
        contest_run(&run, b->rounds);
        contest_report(b, &run, "block", subject);
        const runner *ours = contest_best(&run, SIDE_OURS, false);
        set_text(text, "%s, share of the roof", ops[k].name);
        contest_best_share(b, &run, "block-best", subject, text, ours, ops[k].goal ? 0.9 : 0);
        set_text(text, "%s, against the best peer", ops[k].name);
        contest_compare(b, "block-best", subject, text, ours, contest_best(&run, SIDE_PEER, false),
                        ops[k].goal ? 1 : 0);
    }
    return 0;
}

int bench_dense(bench *b, const bench_case *c) {
    OWNED(operands_free) operands o = {.m = b->quick ? 2000 : 12000, .n = 8000};
    OWNED(contest_close) contest run = {0};
    const double bytes = 8.0 * (double)(o.m * o.n + o.n + o.m);
    char subject[BENCH_TEXT];
    (void)c;
    if (operands_vector(&o.a, o.m * o.n) || operands_vector(&o.x, o.n) ||
        operands_vector(&o.y, o.m) || contest_enter_probe(&run, SPW_LOAD, bytes, b->threads))
        return 1;
    enter_all(&run, "dgemv", &o, 0);
    set_text(subject, "%lld x %lld", (long long)o.m, (long long)o.n);
    printf("\nDense matrix times vector, %s, %.2f GB\n", subject, 1e-9 * bytes);
    contest_run(&run, b->rounds);
    contest_report(b, &run, "dense", subject);
    return 0;
}

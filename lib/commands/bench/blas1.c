#include "base/memory.h"
#include "commands/bench/blas_peers.h"
#include "commands/bench/contest.h"
#include "commands/bench/subjects.h"
#include "perf/timer.h"

#include <stdio.h>
#include <string.h>

static double seconds_of_blas(const runner *r, int calls) {
    const blas_peer *peer = &blas_peers[r->number];
    const double begin = spw_now();
    for (int c = 0; c < calls; c++) peer->call(r->on);
    return (spw_now() - begin) / calls;
}

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
        r->seconds = seconds_of_blas;
        r->number = k;
        r->on = on;
    }
}

int bench_vectors(bench *b) {
    enum { LOAD, COPY, TRIAD, PROBES };
    static const spw_mix mixes[PROBES] = {SPW_LOAD, SPW_COPY, SPW_TRIAD};
    const int64_t n = b->quick ? 4000000 : 40000000;
    operands o = {.n = n};
    spw_probe probes[PROBES] = {{0}};
    contest run = {0};
    int status = 1;
    if (SPW_ALLOC(&o.a, n) || SPW_ALLOC(&o.b, n) || SPW_ALLOC(&o.c, n)) goto done;
    operands_fill(n, o.a);
    operands_fill(n, o.b);
    operands_fill(n, o.c);
    for (int k = 0; k < PROBES; k++)
        if (contest_enter_probe(&run, mixes[k], 8.0 * (double)n * (k + 1), b->threads, &probes[k]))
            goto done;

    enter_all(&run, "copy", &o, COPY);
    enter_all(&run, "sum", &o, LOAD);
    enter_all(&run, "dot", &o, LOAD);
    enter_all(&run, "triad", &o, TRIAD);
    enter_all(&run, "axpby", &o, TRIAD);
    printf(
        "\nVectors of %.0f MB; share of the roof of load (sum, dot), copy, triad (triad, axpby)\n",
        8e-6 * (double)n);
    contest_run(&run, b->rounds);
    contest_report(b, &run, "vectors", "");
    status = 0;
done:
    if (status) fail("vectors: %s", spw_message());
    for (int k = 0; k < PROBES; k++) spw_probe_destroy(&probes[k]);
    spw_free(o.a);
    spw_free(o.b);
    spw_free(o.c);
    return status;
}

/* Vectors that an update, as of a solver, reads and writes: kernels/fused.h counts the bytes. */
int bench_fused(bench *b) {
    enum { UPDATE, TRIAD, COPY, LOAD, ROOFS };
    static const spw_mix mixes[ROOFS] = {SPW_UPDATE, SPW_TRIAD, SPW_COPY, SPW_LOAD};
    static const struct {
        const char *name;
        int roof;
    } ops[] = {
        {"scal", UPDATE},
        {"diag", TRIAD},
        {"diag_dot", TRIAD},
        {"cg_step", TRIAD},
        {"bicgstab_direction", TRIAD},
        {"bicgstab_half", TRIAD},
        {"bicgstab_step", TRIAD},
        {"gram", LOAD},
        {"gram_dd", LOAD},
        {"combine", COPY},
        {"residual", TRIAD},
    };
    const int64_t n = b->quick ? 4000000 : 40000000;
    const double bytes = 8.0 * (double)n;
    operands o = {.n = n, .nv = 8};
    enum { VECTORS = sizeof o.w / sizeof *o.w };
    spw_probe probes[ROOFS] = {{0}};
    contest run = {0};
    int status = 1;
    for (int k = 0; k < VECTORS; k++) {
        if (SPW_ALLOC(&o.w[k], n)) goto done;
        operands_fill(n, o.w[k]);
    }
    for (int k = 0; k < ROOFS; k++)
        if (contest_enter_probe(&run, mixes[k], bytes * (k == TRIAD ? 3 : 2), b->threads,
                                &probes[k]))
            goto done;
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
        enter_all(&run, ops[k].name, &o, ops[k].roof);
    printf("\nUpdates of vectors of %.0f MB, and blocks of %d columns; share of the roof of load "
           "(gram),\n"
           "copy (combine), update (scal), triad (all else)\n",
           1e-6 * bytes, o.nv);
    contest_run(&run, b->rounds);
    contest_report(b, &run, "fused", "");
    status = 0;
done:
    if (status) fail("updates of vectors: %s", spw_message());
    for (int k = 0; k < ROOFS; k++) spw_probe_destroy(&probes[k]);
    for (int k = 0; k < VECTORS; k++) spw_free(o.w[k]);
    return status;
}

/* What a block eigensolver does with its blocks (kernels/block.h), beside one dgemm each. */
int bench_block(bench *b) {
    enum { LOAD, COPY, TRIAD, ROOFS, NV = 16, ARRAYS = 3 };
    static const spw_mix mixes[ROOFS] = {SPW_LOAD, SPW_COPY, SPW_TRIAD};
    static const struct {
        const char *operation, *name;
        int arrays, roof;
        bool goal;
    } ops[] = {{"gram", "C = X'Y", 2, LOAD, true},
               {"combine", "Y = X C", 2, COPY, true},
               {"residual", "R = U - V diag", 3, TRIAD, false}};
    const int64_t rows = b->quick ? 100000 : 1000000;
    const double bytes = 8.0 * NV * (double)rows;
    operands o = {.n = NV * rows, .nv = NV};
    spw_probe probes[ROOFS] = {{0}};
    char subject[BENCH_TEXT];
    int status = 1;
    set_text(subject, "%lld rows, %d columns", (long long)rows, NV);
    for (int k = 0; k < ARRAYS; k++) {
        if (SPW_ALLOC(&o.w[k], o.n)) goto done;
        operands_fill(o.n, o.w[k]);
    }
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
        contest run = {0};
        if (contest_enter_probe(&run, mixes[ops[k].roof], bytes * ops[k].arrays, b->threads,
                                &probes[k]))
            goto done;
        enter_all(&run, ops[k].operation, &o, 0);
        printf("\nBlocks of %s: %s; share of the roof of %s\n", subject, ops[k].name,
               spw_mix_name(mixes[ops[k].roof]));
        contest_run(&run, b->rounds);
        contest_report(b, &run, "block", subject);
        const runner *ours = contest_best(&run, SIDE_OURS, false);
        char text[BENCH_TEXT];
        set_text(text, "%s, share of the roof", ops[k].name);
        contest_best_share(b, &run, "block-best", subject, text, ours, ops[k].goal ? 0.9 : 0);
        set_text(text, "%s, against the best peer", ops[k].name);
        contest_compare(b, "block-best", subject, text, ours, contest_best(&run, SIDE_PEER, false),
                        ops[k].goal ? 1 : 0);
        spw_probe_destroy(&probes[k]);
    }
    status = 0;
done:
    if (status) fail("blocks of vectors: %s", spw_message());
    for (int k = 0; k < ROOFS; k++) spw_probe_destroy(&probes[k]);
    for (int k = 0; k < ARRAYS; k++) spw_free(o.w[k]);
    return status;
}

int bench_dense(bench *b) {
    operands o = {.m = b->quick ? 2000 : 12000, .n = 8000};
    const double bytes = 8.0 * (double)(o.m * o.n + o.n + o.m);
    char subject[BENCH_TEXT];
    spw_probe probe = {0};
    contest run = {0};
    int status = 1;
    if (SPW_ALLOC(&o.a, o.m * o.n) || SPW_ALLOC(&o.x, o.n) || SPW_ALLOC(&o.y, o.m)) goto done;
    operands_fill(o.m * o.n, o.a);
    operands_fill(o.n, o.x);
    if (contest_enter_probe(&run, SPW_LOAD, bytes, b->threads, &probe)) goto done;
    enter_all(&run, "dgemv", &o, 0);
    set_text(subject, "%lld x %lld", (long long)o.m, (long long)o.n);
    printf("\nDense matrix times vector, %s, %.2f GB\n", subject, 1e-9 * bytes);
    contest_run(&run, b->rounds);
    contest_report(b, &run, "dense", subject);
    status = 0;
done:
    if (status) fail("dense: %s", spw_message());
    spw_probe_destroy(&probe);
    spw_free(o.a);
    spw_free(o.x);
    spw_free(o.y);
    return status;
}

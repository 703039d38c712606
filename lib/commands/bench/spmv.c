#include "commands/bench/peers.h"
#include "commands/bench/contest.h"
#include "commands/bench/subjects.h"

#include <stdio.h>
#include <string.h>

/* All kernels of one format. Where A does not fit into it, one line says why. */
static void enter_format(contest *run, operands *o, bench_format format) {
    char operation[BENCH_OPERATION];
    shape s;
    if (operands_convert(o, format, &s)) {
        printf("  %s is left out: %s\n", bench_format_names[format], spw_message());
        return;
    }
    operands_tell(o, &s);
    if (s.bytes > TIMES_CSR * (double)spw_csr_bytes(&o->A)) {
        printf("  %s is left out: several times as large as CSR\n", bench_format_names[format]);
        operands_drop(o, format);
        return;
    }
    for (const spw_kernel *k = operands_kernels("spmv", format, operation); k->symbol; k++) {
        runner *r = contest_enter_kernel(run, operation, k, o, 0);
        r->flops = 2.0 * o->A.nnz;
        r->less = s.bytes < 8.0 * o->A.nnz; /* fewer values than A has entries */
    }
}

static const runner *find(const contest *run, const char *name) {
    for (int k = 0; k < run->n; k++)
        if (strcmp(run->runners[k].name, name) == 0) return &run->runners[k];
    return NULL;
}

/* What the goals are about: the best of each kind. */
static void compare(bench *b, const contest *run, const bench_case *c) {
    const char *name = c->matrix;
    const runner *ours = contest_best(run, SIDE_OURS, false);
    const runner *peer = contest_best(run, SIDE_PEER, false);
    const runner *less = contest_best(run, SIDE_OURS, true);
    const runner *half = contest_best(run, SIDE_PEER, true);
    printf("\n  %s, the best of each kind: ours / theirs\n", name);
    contest_best_share(b, run, "spmv-best", name, "all of A, share of the roof", ours, c->goals[0]);
    contest_compare(b, "spmv-best", name, "all of A, against the best peer", ours, peer, 1.1);
    contest_compare(b, "spmv-best", name, "less than A, against all of A", less, ours, 0);
    contest_compare(b, "spmv-best", name, "less than A, against the best peer of that kind", less,
                    half, 1.1);
    if (c->goals[1] > 0)
        contest_compare(b, "spmv-best", name, "all of A, against rows cut evenly", ours,
                        find(run, "spw_spmv_csr_omp"), c->goals[1]);
}

int bench_spmv(bench *b, const bench_case *c) {
    OWNED(operands_free) operands o = {0};
    OWNED(contest_close) contest run = {0};
    const char *name = c->matrix;
    if (operands_load(name, 1, &o)) return 1;
    run.roof_bytes = operands_csr_traffic(&o.A);
    if (contest_enter_probe(&run, SPW_LOAD, run.roof_bytes, b->threads)) return 1;
    printf("\nSparse matrix times vector, %s: %.3g M rows, %.3g M entries\n"
           "  share of the roof: the time to load %.4g MB, A in CSR, x and y, each once\n",
           name, 1e-6 * o.A.n_rows, 1e-6 * o.A.nnz, 1e-6 * run.roof_bytes);
    for (int f = 0; f < BENCH_FORMATS; f++) enter_format(&run, &o, (bench_format)f);
    peers_enter(b->set, &run, "spmv", &o.A, 1, o.x, run.roof_bytes, 2.0 * o.A.nnz);
    contest_run(&run, b->rounds);
    contest_report(b, &run, "spmv", name);
    compare(b, &run, c);
    return 0;
}

/* The same number of entries, the columns spread alike, once in rows of every length and once in even
 * rows: arrow and tridiag both have 3 n - 2 entries near the diagonal, powerlaw and random spread theirs
 * over all columns, so that x costs the same. The time an entry must not be more than 15 % longer. */
static int against_even(bench *b, const char *name, const char *even_name) {
    OWNED(operands_free) operands uneven = {0};
    OWNED(operands_free) operands even = {0};
    contest run = {0};
    if (operands_load(even_name, 1, &even) || operands_load(name, 1, &uneven)) return 1;
    for (const spw_kernel *v = spw_kernels("spmv_csr"); v->symbol; v++) {
        contest_enter_kernel(&run, "spmv_csr", v, &even, run.n);
        contest_enter_kernel(&run, "spmv_csr", v, &uneven, run.n - 1);
    }
    printf("\nUneven rows: %s, %.1f M entries, against even %s, %.1f M entries\n"
           "  %-44s an entry  speed of even rows = 100 %%\n",
           name, 1e-6 * uneven.A.nnz, even_name, 1e-6 * even.A.nnz, "kernel");
    contest_run(&run, b->rounds);
    for (int k = 1; k < run.n; k += 2) {
        const runner *regular = &run.runners[k - 1], *odd = &run.runners[k];
        const double per = 1e9 / uneven.A.nnz, scale = (double)uneven.A.nnz / even.A.nnz;
        char subject[BENCH_TEXT];
        set_text(subject, "%s / %s", name, even_name);
        result line = {.group = "uneven",
                       .subject = subject,
                       .kernel = odd->name,
                       .value = per * odd->value,
                       .unit = "ns",
                       .share = scale * regular->value / odd->value,
                       .low = scale * regular->low / odd->high,
                       .high = scale * regular->high / odd->low};
        if (strcmp(odd->kernel->symbol, "spw_spmv_csr_omp_balanced") == 0) line.goal = 1 / 1.15;
        report(b, line);
    }
    return 0;
}

int bench_uneven(bench *b, const bench_case *c) {
    const bool q = b->quick;
    (void)c;
    return against_even(b, q ? "arrow:1000000" : "arrow:20000000",
                        q ? "tridiag:1000000" : "tridiag:20000000") ||
           against_even(b, q ? "powerlaw:300000" : "powerlaw:3000000",
                        q ? "random:300000x300000x21" : "random:3000000x3000000x26");
}

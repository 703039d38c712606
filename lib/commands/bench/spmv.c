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
    printf("  %s%s: %.4g MB, %.2f bytes an entry\n", bench_format_names[format], s.text,
           1e-6 * s.bytes, s.bytes / o->A.nnz);
    for (const spw_kernel *k = operands_kernels("spmv", format, operation); k->symbol; k++) {
        runner *r = contest_enter_kernel(run, operation, k, o, 0);
        r->flops = 2.0 * o->A.nnz;
        r->less = s.bytes < 12.0 * o->A.nnz;
    }
}

static const runner *find(const contest *run, const char *name) {
    for (int k = 0; k < run->n; k++)
        if (strcmp(run->runners[k].name, name) == 0) return &run->runners[k];
    return NULL;
}

/* What the goals are about: the best of each kind. */
static void compare(bench *b, const contest *run, const char *name, spmv_goals goals) {
    const runner *ours = contest_best(run, SIDE_OURS, false);
    const runner *peer = contest_best(run, SIDE_PEER, false);
    const runner *less = contest_best(run, SIDE_OURS, true);
    const runner *half = contest_best(run, SIDE_PEER, true);
    printf("\n  %s, the best of each kind: ours / theirs\n", name);
    contest_best_share(b, run, "spmv-best", name, "all of A, share of the roof", ours, goals.roof);
    contest_compare(b, "spmv-best", name, "all of A, against the best peer", ours, peer, 1.1);
    contest_compare(b, "spmv-best", name, "less than A, against all of A", less, ours, 0);
    contest_compare(b, "spmv-best", name, "less than A, against the best peer of that kind", less,
                    half, 1.1);
    if (goals.plain > 0)
        contest_compare(b, "spmv-best", name, "all of A, against rows cut evenly", ours,
                        find(run, "spw_spmv_csr_omp"), goals.plain);
}

int bench_spmv(bench *b, const char *name, spmv_goals goals) {
    operands o;
    spw_probe probe = {0};
    static contest run;
    int status = 1;
    double seconds;
    memset(&run, 0, sizeof run);
    if (operands_load(name, 1, &o, &seconds)) goto done;
    run.roof_bytes = operands_csr_traffic(&o.A);
    if (contest_enter_probe(&run, SPW_LOAD, run.roof_bytes, b->threads, &probe)) goto done;
    printf("\nSparse matrix times vector, %s: %.3g M rows, %.3g M entries\n"
           "  share of the roof: the time to load %.4g MB, A in CSR, x and y, each once\n",
           name, 1e-6 * o.A.n_rows, 1e-6 * o.A.nnz, 1e-6 * run.roof_bytes);
    for (int f = 0; f < BENCH_FORMATS; f++) enter_format(&run, &o, (bench_format)f);
    peers_enter(b->set, &run, "spmv", &o.A, 1, o.x, run.roof_bytes, 2.0 * o.A.nnz);
    contest_run(&run, b->rounds);
    contest_report(b, &run, "spmv", name);
    compare(b, &run, name, goals);
    status = 0;
done:
    if (status) fail("%s", spw_message());
    peers_leave(b->set);
    spw_probe_destroy(&probe);
    operands_free(&o);
    return status;
}

/* The same number of entries, the columns spread alike, once in rows of every length and once in even
 * rows: arrow and tridiag both have 3 n - 2 entries near the diagonal, powerlaw and random spread theirs
 * over all columns, so that x costs the same. The time an entry must not be more than 15 % longer. */
int bench_uneven(bench *b, const char *name, const char *even_name) {
    operands o[2];
    contest run = {0};
    double seconds;
    if (operands_load(even_name, 1, &o[0], &seconds)) return fail("%s", spw_message());
    if (operands_load(name, 1, &o[1], &seconds)) {
        operands_free(&o[0]);
        return fail("%s", spw_message());
    }
    for (const spw_kernel *v = spw_kernels("spmv_csr"); v->symbol; v++)
        for (int k = 0; k < 2; k++) contest_enter_kernel(&run, "spmv_csr", v, &o[k], run.n - k);
    printf("\nUneven rows: %s, %.1f M entries, against even %s, %.1f M entries\n"
           "  %-44s an entry  speed of even rows = 100 %%\n",
           name, 1e-6 * o[1].A.nnz, even_name, 1e-6 * o[0].A.nnz, "kernel");
    contest_run(&run, b->rounds);
    for (int k = 1; k < run.n; k += 2) {
        const runner *even = &run.runners[k - 1], *odd = &run.runners[k];
        const double per = 1e9 / o[1].A.nnz, scale = (double)o[1].A.nnz / o[0].A.nnz;
        char subject[BENCH_TEXT];
        set_text(subject, "%s / %s", name, even_name);
        result line = {.group = "uneven",
                       .subject = subject,
                       .kernel = odd->name,
                       .value = per * odd->value,
                       .unit = "ns",
                       .share = scale * even->value / odd->value,
                       .low = scale * even->low / odd->high,
                       .high = scale * even->high / odd->low};
        if (strcmp(odd->kernel->symbol, "spw_spmv_csr_omp_balanced") == 0) line.goal = 1 / 1.15;
        report(b, line);
    }
    operands_free(&o[0]);
    operands_free(&o[1]);
    return 0;
}

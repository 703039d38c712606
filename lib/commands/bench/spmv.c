#include "commands/bench/peers.h"
#include "commands/bench/race.h"
#include "commands/bench/subjects.h"

#include <stdio.h>
#include <string.h>

/* All kernels of one format. Where A does not fit into it, one line says why. */
static void enter_format(contest *race, operands *o, spw_format format)
{
    const spw_variant *v = spw_variant_next(NULL, SPW_OP_SPMV, format);
    const double vectors = 8.0 * o->A.n_cols + 8.0 * o->A.n_rows;
    shape s;
    if (!v) return;
    if (operands_convert(o, format, &s)) {
        printf("  %s is left out: %s\n", spw_format_name(format), spw_message());
        return;
    }
    printf("  %s%s: %.4g MB, %.2f bytes an entry\n", spw_format_name(format), s.text,
           1e-6 * s.bytes, s.bytes / o->A.nnz);
    for (; v; v = spw_variant_next(v, SPW_OP_SPMV, format)) {
        runner *r = race_enter_variant(race, v, o, s.bytes + vectors, 0);
        r->flops = 2.0 * o->A.nnz;
        r->less = s.bytes < 12.0 * o->A.nnz;
    }
}

static void enter_formats(contest *race, operands *o)
{
    bool seen[BENCH_FORMATS] = {false};
    const spw_variant *v = NULL;
    while ((v = spw_variant_next(v, SPW_OP_SPMV, SPW_FORMAT_ANY))) {
        if (seen[v->format]) continue;
        seen[v->format] = true;
        enter_format(race, o, v->format);
    }
}

static const runner *find(const contest *race, const char *name)
{
    for (int k = 0; k < race->n; k++)
        if (strcmp(race->runners[k].name, name) == 0) return &race->runners[k];
    return NULL;
}

/* What the goals are about: the best of each kind. */
static void compare(bench *b, const contest *race, const char *name, spmv_goals goals)
{
    const runner *ours = race_best(race, SIDE_OURS, false);
    const runner *peer = race_best(race, SIDE_PEER, false);
    const runner *less = race_best(race, SIDE_OURS, true);
    const runner *half = race_best(race, SIDE_PEER, true);
    printf("\n  %s, the best of each kind: ours / theirs\n", name);
    race_best_share(b, race, "spmv-best", name, "all of A, share of the roof", ours, goals.roof);
    race_compare(b, "spmv-best", name, "all of A, against the best peer", ours, peer, 1.1);
    race_compare(b, "spmv-best", name, "less than A, against all of A", less, ours, 0);
    race_compare(b, "spmv-best", name, "less than A, against the best peer of that kind", less,
                 half, 1);
    if (goals.plain > 0)
        race_compare(b, "spmv-best", name, "all of A, against rows cut evenly", ours,
                     find(race, "spw_spmv_csr_omp"), goals.plain);
}

int bench_spmv(bench *b, const char *name, spmv_goals goals)
{
    operands o;
    spw_probe probe = {0};
    static contest race;
    int status = 1;
    double seconds;
    memset(&race, 0, sizeof race);
    if (operands_load(name, 1, &o, &seconds)) goto done;
    race.roof_bytes = operands_csr_traffic(&o.A);
    if (race_enter_probe(&race, SPW_LOAD, race.roof_bytes, b->threads, &probe)) goto done;
    printf("\nSparse matrix times vector, %s: %.3g M rows, %.3g M entries\n"
           "  share of the roof: the time to load %.4g MB, A in CSR, x and y, each once\n",
           name, 1e-6 * o.A.n_rows, 1e-6 * o.A.nnz, 1e-6 * race.roof_bytes);
    enter_formats(&race, &o);
    peers_enter(b->set, &race, "spmv", &o.A, 1, o.x, race.roof_bytes, 2.0 * o.A.nnz);
    race_run(&race, b->rounds);
    race_report(b, &race, "spmv", name);
    compare(b, &race, name, goals);
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
int bench_uneven(bench *b, const char *name, const char *even_name)
{
    operands o[2];
    contest race = {0};
    double seconds;
    const spw_variant *v = NULL;
    if (operands_load(even_name, 1, &o[0], &seconds)) return fail("%s", spw_message());
    if (operands_load(name, 1, &o[1], &seconds)) {
        operands_free(&o[0]);
        return fail("%s", spw_message());
    }
    while ((v = spw_variant_next(v, SPW_OP_SPMV, SPW_FORMAT_CSR)))
        for (int k = 0; k < 2; k++)
            race_enter_variant(&race, v, &o[k], operands_csr_traffic(&o[k].A), race.n - k);
    printf("\nUneven rows: %s, %.1f M entries, against even %s, %.1f M entries\n"
           "  %-44s an entry  speed of even rows = 100 %%\n",
           name, 1e-6 * o[1].A.nnz, even_name, 1e-6 * o[0].A.nnz, "kernel");
    race_run(&race, b->rounds);
    for (int k = 1; k < race.n; k += 2) {
        const runner *even = &race.runners[k - 1], *odd = &race.runners[k];
        const double per = 1e9 / o[1].A.nnz, scale = (double)o[1].A.nnz / o[0].A.nnz;
        result line = {.group = "uneven",
                       .value = per * odd->value,
                       .unit = "ns",
                       .share = scale * even->value / odd->value,
                       .low = scale * even->low / odd->high,
                       .high = scale * even->high / odd->low};
        if (strcmp(odd->variant->symbol, "spw_spmv_csr_omp_balanced") == 0) line.goal = 1 / 1.15;
        set_text(line.subject, "%s / %s", name, even_name);
        set_text(line.kernel, "%s", odd->name);
        report(b, line);
    }
    operands_free(&o[0]);
    operands_free(&o[1]);
    return 0;
}

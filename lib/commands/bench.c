/* commands/bench.c -- the library's kernels against the roof and against what else is installed.
 *
 *   bench [--quick] [--matrix NAME] [--threads N] [--out FILE]
 *     --quick    small sizes, half a minute; nothing there says whether a goal is reached
 *     --matrix   only the sparse kernels, on this file or generator
 *     --threads  instead of all
 *     --out      the figures as a table of tabs, build/bench.tsv
 * Exit status: 0, also where a goal is missed; 1 with one line of what went wrong.
 *
 * What is compared runs in one process, on one set of arrays, one sample of each by turns in random
 * order, so that what the machine does to one it does to all. A figure is the lower quartile of the
 * samples: neighbours only ever make a sample longer (perf/timer.h). "of roof" is the time in which
 * the best loop of that mix moves the same bytes over the time taken, with its interval; the roof has
 * arrays of the same size. Bytes are what the kernel must move, without the write-allocate read. */
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "formats/generate.h"
#include "formats/matrix_market.h"
#include "kernels/variants.h"
#include "perf/bandwidth.h"
#include "perf/timer.h"
#include "perf/topology.h"
#include "perf/working_set.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#ifdef SPW_HAVE_CBLAS
#include <cblas.h>
#endif

enum { MAX_ROUNDS = 31, MAX_RUNNERS = 24, MAX_RESULTS = 256, TEXT = 96 };

static const double SAMPLE_SECONDS = 0.01; /* long enough for the clock and a scheduler's tick */

/* --- options and results -------------------------------------------------------------------------- */

typedef struct result {
    char group[TEXT], subject[TEXT], kernel[TEXT];
    double value;
    const char *unit;
    bool is_roof;
    double share, low, high; /* of the roof or of the rival, 1 is 100 %; 0: none */
    double goal;             /* of the share, or of the value if there is no share; 0: none */
} result;

typedef struct bench {
    bool quick;
    const char *matrix, *out;
    int threads, rounds;
    int n_results;
    result results[MAX_RESULTS];
} bench;

static int fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "bench: ");
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
    return 1;
}

static bool reached(const result *r)
{
    return r->share > 0 ? r->share >= r->goal : r->value >= r->goal;
}

static void print_goal(const bench *b, const result *r)
{
    if (r->goal <= 0 || b->quick) return;
    if (r->share > 0)
        printf("  goal %2.0f %%", 100 * r->goal);
    else
        printf("  goal %.0f", r->goal);
    printf(" %s", reached(r) ? "yes" : "NO");
}

/* Prints a line of the table and keeps it for the file. */
static void report(bench *b, result r)
{
    printf("  %-49s %7.*f %-4s", r.kernel, r.value < 10 ? 3 : 1, r.value, r.unit);
    if (r.is_roof) printf("   roof");
    if (r.share > 0) printf(" %4.0f %% [%3.0f..%3.0f]", 100 * r.share, 100 * r.low, 100 * r.high);
    print_goal(b, &r);
    printf("\n");
    fflush(stdout);
    if (b->n_results < MAX_RESULTS) b->results[b->n_results++] = r;
}

/* --- what is run ---------------------------------------------------------------------------------- */

/* The operands of all kernels; a group fills in what its kernels need. */
typedef struct operands {
    int64_t m, n;
    double *a, *b, *c;
    spw_csr A;
    spw_coo C;
    spw_ell E;
    spw_sell S;
    spw_sellp P;
    double *x, *y;
} operands;

/* One that takes part in a race: a probe, a kernel of the table, or a peer. */
typedef struct runner {
    char name[TEXT];
    spw_probe *probe;
    const spw_variant *variant;
    void (*peer)(operands *);
    operands *on;
    double bytes; /* a call */
    int roof;     /* the runner that is its roof; its own number: it is a roof */
    double goal;
    int calls; /* a sample */
    double seconds[MAX_ROUNDS], value, low, high;
} runner;

typedef struct contest {
    int n;
    runner runners[MAX_RUNNERS];
} contest;

static volatile double sink; /* keeps the compiler from dropping a sum that nobody reads */

static void call(const runner *r)
{
    operands *o = r->on;
    const spw_variant *v = r->variant;
    if (r->peer) {
        r->peer(o);
        return;
    }
    switch (v->op) {
    case SPW_OP_COPY: v->run.copy(o->n, o->b, o->a); break;
    case SPW_OP_SUM: sink = v->run.sum(o->n, o->a); break;
    case SPW_OP_DOT: sink = v->run.dot(o->n, o->a, o->b); break;
    case SPW_OP_TRIAD: v->run.triad(o->n, 0.5, o->b, o->c, o->a); break;
    case SPW_OP_AXPBY: v->run.axpby(o->n, 0.5, o->b, 0.25, o->a); break;
    case SPW_OP_DGEMV: v->run.dgemv(o->m, o->n, o->a, o->x, o->y); break;
    case SPW_OP_SPMV:
        if (v->format == SPW_FORMAT_COO) v->run.spmv_coo(&o->C, o->x, o->y);
        if (v->format == SPW_FORMAT_CSR) v->run.spmv_csr(&o->A, o->x, o->y);
        if (v->format == SPW_FORMAT_ELL) v->run.spmv_ell(&o->E, o->x, o->y);
        if (v->format == SPW_FORMAT_SELL) v->run.spmv_sell(&o->S, o->x, o->y);
        if (v->format == SPW_FORMAT_SELLP) v->run.spmv_sellp(&o->P, o->x, o->y);
        break;
    case SPW_OP_SCAL:
    case SPW_OP_DIAG:
    case SPW_OP_DIAG_DOT:
    case SPW_OP_CG_STEP:
    case SPW_OP_BICGSTAB_DIRECTION:
    case SPW_OP_BICGSTAB_HALF:
    case SPW_OP_BICGSTAB_STEP:
    case SPW_OP_ANY: break;
    }
}

/* Seconds a call. */
static double sample(const runner *r)
{
    if (r->probe) return spw_probe_run(r->probe);
    const double begin = spw_now();
    for (int c = 0; c < r->calls; c++) call(r);
    return (spw_now() - begin) / r->calls;
}

static runner *enter(contest *race, const char *name, double bytes, int roof)
{
    runner *r = &race->runners[race->n];
    if (race->n == MAX_RUNNERS) abort(); /* the groups below are fixed: raise MAX_RUNNERS */
    *r = (runner){.bytes = bytes, .roof = roof < 0 ? race->n : roof, .calls = 1};
    snprintf(r->name, sizeof r->name, "%s", name);
    race->n++;
    return r;
}

static void enter_variant(contest *race, const spw_variant *v, operands *on, double bytes, int roof,
                          double goal)
{
    runner *r = enter(race, v->symbol, bytes, roof);
    r->variant = v;
    r->on = on;
    r->goal = goal;
}

/* Creates a probe of about `bytes` and enters it; *probe is the caller's to destroy. */
static spw_status enter_probe(contest *race, spw_mix mix, double bytes, int threads,
                              spw_probe *probe)
{
    const spw_status status = spw_probe_create(mix, (int64_t)bytes, threads, probe);
    if (status) return status;
    enter(race, probe->kernel, spw_probe_traffic(probe), -1)->probe = probe;
    return SPW_OK;
}

static void run_race(contest *race, int rounds)
{
    for (int k = 0; k < race->n; k++) {
        runner *r = &race->runners[k];
        const double seconds = fmin(sample(r), sample(r));
        r->calls = (int)fmin(fmax(ceil(SAMPLE_SECONDS / fmax(seconds, 1e-9)), 1), 1e6);
    }
    for (int round = 0; round < rounds; round++) {
        int order[MAX_RUNNERS];
        for (int k = 0; k < race->n; k++) {
            const uint64_t number = (uint64_t)(round * MAX_RUNNERS + k);
            const int other = (int)spw_random_below(1, number, k + 1);
            order[k] = order[other];
            order[other] = k;
        }
        for (int k = 0; k < race->n; k++) {
            runner *r = &race->runners[order[k]];
            r->seconds[round] = sample(r);
        }
    }
    for (int k = 0; k < race->n; k++) {
        runner *r = &race->runners[k];
        r->value = spw_quartile(r->seconds, rounds, &r->low, &r->high);
    }
}

static void report_race(bench *b, const contest *race, const char *group, const char *subject)
{
    for (int k = 0; k < race->n; k++) {
        const runner *r = &race->runners[k], *roof = &race->runners[r->roof];
        result line = {.value = 1e-9 * r->bytes / r->value, .unit = "GB/s", .goal = r->goal};
        snprintf(line.group, sizeof line.group, "%s", group);
        snprintf(line.subject, sizeof line.subject, "%s", subject);
        snprintf(line.kernel, sizeof line.kernel, "%s", r->name);
        line.is_roof = roof == r;
        if (roof != r) {
            const double scale = r->bytes / roof->bytes;
            line.share = scale * roof->value / r->value;
            line.low = scale * roof->low / r->high;
            line.high = scale * roof->high / r->low;
        }
        report(b, line);
    }
}

static void fill(int64_t n, double *x)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) x[i] = 0.5 + spw_random_double(1, (uint64_t)i);
}

/* --- bandwidth against likwid-bench --------------------------------------------------------------- */

enum { LIKWID_SWEEPS = 10 };

/* MByte/s of one run in GB/s; 0 if it did not run. */
static double likwid(const char *test, int64_t bytes, int threads)
{
    char line[512];
    double rate = 0;
    snprintf(line, sizeof line, "likwid-bench -t %s -i %d -W N:%lldkB:%d 2>/dev/null", test,
             LIKWID_SWEEPS, (long long)(bytes / 1000), threads);
    FILE *pipe = popen(line, "r");
    if (!pipe) return 0;
    while (fgets(line, sizeof line, pipe)) (void)sscanf(line, "MByte/s: %lf", &rate);
    return pclose(pipe) == 0 ? 1e-3 * rate : 0;
}

/* The fastest of some kernels of likwid-bench on this machine, or "". Those that the CPU lacks fail. */
static void best_likwid(const bench *b, const char *const *tests, int64_t bytes, char *best)
{
    double rate = 0;
    *best = '\0';
    for (; *tests && !(b->quick && rate > 0); tests++) {
        const double now = likwid(*tests, bytes, b->threads);
        if (now <= rate) continue;
        rate = now;
        snprintf(best, TEXT, "%s", *tests);
    }
}

static int against_likwid(bench *b)
{
    static const struct {
        spw_mix mix;
        const char *const tests[5];
    } kernels[] = {
        {SPW_LOAD, {"load_avx512", "load_avx", "load_sse"}},
        {SPW_COPY, {"copy_mem_avx512", "copy_mem_avx", "copy_mem_sse", "copy_avx512"}},
        {SPW_TRIAD, {"stream_mem_avx512", "stream_mem_avx", "stream_mem_sse", "stream_avx512"}},
        {SPW_UPDATE, {"update_avx512", "update_avx", "update_sse"}},
    };
    const int64_t bytes = b->quick ? 100000000 : spw_default_working_set();
    const int rounds = b->quick ? 2 : 5;
    const bool present = system("command -v likwid-bench >/dev/null 2>&1") == 0;

    printf("\nBandwidth, %.0f MB: the best loop of this library%s\n", 1e-6 * (double)bytes,
           present ? ", against likwid-bench's best (its stream is our triad)"
                   : "; likwid-bench is not installed");
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        char test[TEXT] = "";
        double ours[MAX_ROUNDS], theirs[MAX_ROUNDS], low, high, low2, high2;
        spw_probe probe;
        if (spw_probe_create(kernels[k].mix, bytes, b->threads, &probe))
            return fail("%s", spw_message());
        if (present) best_likwid(b, kernels[k].tests, bytes, test);
        probe.sweeps *= LIKWID_SWEEPS; /* as many between two barriers */
        for (int round = 0; round < rounds; round++) {
            ours[round] = spw_probe_run(&probe);
            const double rate = *test ? likwid(test, bytes, b->threads) : 0;
            theirs[round] = rate > 0 ? 1 / rate : INFINITY;
        }
        const double traffic = 1e-9 * spw_probe_traffic(&probe);
        const double t = spw_quartile(ours, rounds, &low, &high);
        const double t2 = traffic * spw_quartile(theirs, rounds, &low2, &high2);
        result line = {.group = "bandwidth", .value = traffic / t, .unit = "GB/s"};
        snprintf(line.subject, sizeof line.subject, "%s", *test ? test : "no likwid-bench");
        snprintf(line.kernel, sizeof line.kernel, "%s", probe.kernel);
        if (*test && isfinite(t2)) {
            line.share = t2 / t;
            line.low = traffic * low2 / high;
            line.high = traffic * high2 / low;
            line.goal = 0.95;
        }
        report(b, line);
        if (*test) printf("    %-47s %7.1f GB/s\n", test, traffic / t2);
        spw_probe_destroy(&probe);
    }
    return 0;
}

/* --- dense kernels -------------------------------------------------------------------------------- */

#ifdef SPW_HAVE_CBLAS
static void peer_copy(operands *o)
{
    cblas_dcopy((int)o->n, o->b, 1, o->a, 1);
}

static void peer_sum(operands *o)
{
    sink = cblas_dasum((int)o->n, o->a, 1);
}

static void peer_dot(operands *o)
{
    sink = cblas_ddot((int)o->n, o->a, 1, o->b, 1);
}

static void peer_axpy(operands *o)
{
    cblas_daxpy((int)o->n, 0.5, o->b, 1, o->a, 1);
}

static void peer_gemv(operands *o)
{
    cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)o->m, (int)o->n, 1, o->a, (int)o->n, o->x, 1, 0,
                o->y, 1);
}
#endif

/* Kernels of other libraries that are installed. */
typedef struct peer {
    const char *name; /* NULL ends the table */
    spw_op op;
    void (*call)(operands *);
} peer;

static const peer peers[] = {
#ifdef SPW_HAVE_CBLAS
    {"cblas_dcopy", SPW_OP_COPY, peer_copy},
    {"cblas_dasum (sum of |x|)", SPW_OP_SUM, peer_sum},
    {"cblas_ddot", SPW_OP_DOT, peer_dot},
    {"cblas_daxpy", SPW_OP_AXPBY, peer_axpy},
    {"cblas_dgemv", SPW_OP_DGEMV, peer_gemv},
#endif
    {NULL, SPW_OP_ANY, NULL},
};

/* Enters every kernel of that operation, our own and others'. */
static void enter_all(contest *race, spw_op op, spw_format format, operands *on, double bytes,
                      int roof)
{
    for (const spw_variant *v = NULL; (v = spw_variant_next(v, op, format));)
        enter_variant(race, v, on, bytes, roof, 0);
    for (const peer *p = peers; p->name; p++) {
        if (p->op != op) continue;
        runner *r = enter(race, p->name, bytes, roof);
        r->peer = p->call;
        r->on = on;
    }
}

static int vectors(bench *b)
{
    enum { LOAD, COPY, TRIAD, PROBES };
    static const spw_mix mixes[PROBES] = {SPW_LOAD, SPW_COPY, SPW_TRIAD};
    const int64_t n = b->quick ? 4000000 : 40000000;
    operands o = {.n = n};
    spw_probe probes[PROBES] = {{0}};
    contest race = {0};
    int status = 1;
    if (SPW_ALLOC(&o.a, n) || SPW_ALLOC(&o.b, n) || SPW_ALLOC(&o.c, n)) goto done;
    fill(n, o.a);
    fill(n, o.b);
    fill(n, o.c);
    for (int k = 0; k < PROBES; k++)
        if (enter_probe(&race, mixes[k], 8.0 * (double)n * (k + 1), b->threads, &probes[k]))
            goto done;

    enter_all(&race, SPW_OP_COPY, SPW_FORMAT_VECTOR, &o, 16.0 * (double)n, COPY);
    enter_all(&race, SPW_OP_SUM, SPW_FORMAT_VECTOR, &o, 8.0 * (double)n, LOAD);
    enter_all(&race, SPW_OP_DOT, SPW_FORMAT_VECTOR, &o, 16.0 * (double)n, LOAD);
    enter_all(&race, SPW_OP_TRIAD, SPW_FORMAT_VECTOR, &o, 24.0 * (double)n, TRIAD);
    enter_all(&race, SPW_OP_AXPBY, SPW_FORMAT_VECTOR, &o, 24.0 * (double)n, TRIAD);
    printf(
        "\nVectors of %.0f MB; share of the roof of load (sum, dot), copy, triad (triad, axpby)\n",
        8e-6 * (double)n);
    run_race(&race, b->rounds);
    report_race(b, &race, "vectors", "");
    status = 0;
done:
    if (status) fail("vectors: %s", spw_message());
    for (int k = 0; k < PROBES; k++) spw_probe_destroy(&probes[k]);
    spw_free(o.a);
    spw_free(o.b);
    spw_free(o.c);
    return status;
}

static int dense(bench *b)
{
    operands o = {.m = b->quick ? 2000 : 12000, .n = 8000};
    const double bytes = 8.0 * (double)(o.m * o.n + o.n + o.m);
    char subject[TEXT];
    spw_probe probe = {0};
    contest race = {0};
    int status = 1;
    if (SPW_ALLOC(&o.a, o.m * o.n) || SPW_ALLOC(&o.x, o.n) || SPW_ALLOC(&o.y, o.m)) goto done;
    fill(o.m * o.n, o.a);
    fill(o.n, o.x);
    if (enter_probe(&race, SPW_LOAD, bytes, b->threads, &probe)) goto done;
    enter_all(&race, SPW_OP_DGEMV, SPW_FORMAT_DENSE, &o, bytes, 0);
    snprintf(subject, sizeof subject, "%lld x %lld", (long long)o.m, (long long)o.n);
    printf("\nDense matrix times vector, %s, %.2f GB\n", subject, 1e-9 * bytes);
    run_race(&race, b->rounds);
    report_race(b, &race, "dense", subject);
    status = 0;
done:
    if (status) fail("dense: %s", spw_message());
    spw_probe_destroy(&probe);
    spw_free(o.a);
    spw_free(o.x);
    spw_free(o.y);
    return status;
}

/* --- sparse kernels ------------------------------------------------------------------------------- */

static double csr_traffic(const spw_csr *A)
{
    return (double)spw_csr_bytes(A) + 8.0 * A->n_cols + 8.0 * A->n_rows;
}

static void free_sparse(operands *o)
{
    spw_csr_destroy(&o->A);
    spw_coo_destroy(&o->C);
    spw_ell_destroy(&o->E);
    spw_sell_destroy(&o->S);
    spw_sellp_destroy(&o->P);
    spw_free(o->x);
    spw_free(o->y);
    *o = (operands){0};
}

/* Matrix and vectors, and the seconds that the matrix took. On failure everything is freed. */
static spw_status load_sparse(const char *name, operands *o, double *seconds)
{
    *o = (operands){0};
    const double begin = spw_now();
    spw_status status = spw_csr_load(name, &o->A);
    *seconds = spw_now() - begin;
    if (!status) status = SPW_ALLOC(&o->x, o->A.n_cols);
    if (!status) status = SPW_ALLOC(&o->y, o->A.n_rows);
    if (status) {
        free_sparse(o);
        return status;
    }
    fill(o->A.n_cols, o->x);
    fill(o->A.n_rows, o->y);
    return SPW_OK;
}

static int sparse(bench *b, const char *name, double goal)
{
    operands o;
    spw_probe probe = {0};
    contest race = {0};
    int status = 1;
    double seconds;
    if (load_sparse(name, &o, &seconds)) goto done;
    if (enter_probe(&race, SPW_LOAD, csr_traffic(&o.A), b->threads, &probe)) goto done;
    for (const spw_variant *v = NULL; (v = spw_variant_next(v, SPW_OP_SPMV, SPW_FORMAT_CSR));)
        enter_variant(&race, v, &o, csr_traffic(&o.A), 0,
                      strcmp(v->symbol, "spw_spmv_csr_omp_balanced") ? 0 : goal);
    printf("\nSparse matrix times vector, %s: %.3g M rows, %.3g M entries, CSR %.4g MB\n", name,
           1e-6 * o.A.n_rows, 1e-6 * o.A.nnz, 1e-6 * csr_traffic(&o.A));
    run_race(&race, b->rounds);
    report_race(b, &race, "spmv", name);
    status = 0;
done:
    if (status) fail("%s", spw_message());
    spw_probe_destroy(&probe);
    free_sparse(&o);
    return status;
}

/* ELL pads every row to the longest: not where that makes it several times as large. */
static spw_status refuse_padding(const spw_csr *A)
{
    int64_t longest = 0;
    for (spw_idx i = 0; i < A->n_rows; i++)
        if (A->row_ptr[i + 1] - A->row_ptr[i] > longest)
            longest = A->row_ptr[i + 1] - A->row_ptr[i];
    const double padded = (double)longest * A->n_rows;
    if (padded <= 4.0 * A->nnz) return SPW_OK;
    return spw_error(SPW_ERR_ARG, "padding would make %.3g entries of %.3g", padded,
                     (double)A->nnz);
}

/* Puts A into another format and says what a product with it moves; "" in shape for none. */
static spw_status convert(operands *o, spw_format format, double *bytes, const char **shape)
{
    const double vectors = 8.0 * o->A.n_cols + 8.0 * o->A.n_rows;
    spw_status status = SPW_ERR_ARG;
    *shape = "";
    if (format == SPW_FORMAT_COO) {
        status = spw_coo_from_csr(&o->A, &o->C);
        *bytes =
            (double)spw_coo_bytes(&o->C) + vectors + 8.0 * o->A.n_rows; /* y: zero, then sums */
        *shape = ", sorted by rows";
    } else if (format == SPW_FORMAT_ELL) {
        status = refuse_padding(&o->A);
        if (!status) status = spw_ell_from_csr(&o->A, &o->E);
        *bytes = (double)spw_ell_bytes(&o->E) + vectors;
    } else if (format == SPW_FORMAT_SELL) {
        status = spw_sell_from_csr(&o->A, 32, 256, &o->S);
        *bytes = (double)spw_sell_bytes(&o->S) + vectors;
        *shape = "-32-256";
    } else if (format == SPW_FORMAT_SELLP) {
        status = spw_sellp_from_csr(&o->A, 8, 4, &o->P);
        *bytes = (double)spw_sellp_bytes(&o->P) + vectors;
        *shape = " 8x4";
    }
    return status;
}

/* The other formats. Their roof has their size: padding counts as traffic, which it is. */
static int sparse_format(bench *b, const char *name, spw_format format)
{
    operands o;
    spw_probe probe = {0};
    contest race = {0};
    int status = 1;
    double seconds, bytes = 0;
    const char *shape;
    char group[TEXT];
    if (load_sparse(name, &o, &seconds)) goto done;
    if (convert(&o, format, &bytes, &shape)) {
        printf("\n%s: %s is left out: %s\n", name, spw_format_name(format), spw_message());
        status = 0;
        goto done;
    }
    spw_csr_destroy(&o.A);
    if (enter_probe(&race, SPW_LOAD, bytes, b->threads, &probe)) goto done;
    enter_all(&race, SPW_OP_SPMV, format, &o, bytes, 0);
    snprintf(group, sizeof group, "spmv-%s", spw_format_name(format));
    printf("\nSparse matrix times vector, %s, %s%s, %.4g MB\n", name, spw_format_name(format),
           shape, 1e-6 * bytes);
    run_race(&race, b->rounds);
    report_race(b, &race, group, name);
    status = 0;
done:
    if (status) fail("%s", spw_message());
    spw_probe_destroy(&probe);
    free_sparse(&o);
    return status;
}

/* Every format but CSR. A format that a matrix does not fit into is passed over with its reason. */
static int sparse_formats(bench *b, const char *name)
{
    int failed = 0;
    for (int format = SPW_FORMAT_COO; format <= SPW_FORMAT_SELLP; format++)
        if (format != SPW_FORMAT_CSR) failed |= sparse_format(b, name, (spw_format)format);
    return failed;
}

/* The same number of entries, the columns spread alike, once in rows of every length and once in even
 * rows: arrow and tridiag both have 3 n - 2 entries near the diagonal, powerlaw and random spread theirs
 * over all columns, so that x costs the same. The time an entry must not be more than 15 % longer. */
static int uneven(bench *b, const char *name, const char *even_name)
{
    operands o[2];
    contest race = {0};
    int status = 1;
    double seconds;
    const spw_variant *v = NULL;
    if (load_sparse(even_name, &o[0], &seconds)) return fail("%s", spw_message());
    if (load_sparse(name, &o[1], &seconds)) {
        free_sparse(&o[0]);
        return fail("%s", spw_message());
    }
    while ((v = spw_variant_next(v, SPW_OP_SPMV, SPW_FORMAT_CSR)))
        for (int k = 0; k < 2; k++)
            enter_variant(&race, v, &o[k], csr_traffic(&o[k].A), race.n - k, 0);
    printf("\nUneven rows: %s, %.1f M entries, against even %s, %.1f M entries\n"
           "  %-50s an entry  speed of even rows = 100 %%\n",
           name, 1e-6 * o[1].A.nnz, even_name, 1e-6 * o[0].A.nnz, "kernel");
    run_race(&race, b->rounds);
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
        snprintf(line.subject, sizeof line.subject, "%s / %s", name, even_name);
        snprintf(line.kernel, sizeof line.kernel, "%s", odd->name);
        report(b, line);
    }
    status = 0;
    free_sparse(&o[0]);
    free_sparse(&o[1]);
    return status;
}

/* --- making matrices ------------------------------------------------------------------------------ */

static void report_rate(bench *b, const char *group, const char *subject, double value,
                        const char *unit, double goal)
{
    result line = {.value = value, .unit = unit, .goal = goal};
    snprintf(line.group, sizeof line.group, "%s", group);
    snprintf(line.subject, sizeof line.subject, "%s", subject);
    snprintf(line.kernel, sizeof line.kernel, "%s %s", group, subject);
    report(b, line);
}

static int generation(bench *b, const char *name)
{
    double seconds[3];
    spw_csr A = {0};
    for (int k = 0; k < 3; k++) {
        spw_csr_destroy(&A);
        const double begin = spw_now();
        if (spw_csr_generate(name, &A)) return fail("%s", spw_message());
        seconds[k] = spw_now() - begin;
    }
    const double t = spw_quartile(seconds, 3, NULL, NULL);
    report_rate(b, "generate", name, 1e-6 * A.nnz / t, "M/s", 40);
    spw_csr_destroy(&A);
    return 0;
}

/* Entries of C in an order that has nothing to do with their rows. A walk of a fixed large step meets
 * each entry once if the step and nnz have no common factor. */
static spw_status scatter(const spw_coo *C, spw_coo *S)
{
    const spw_status status = spw_coo_create(C->n_rows, C->n_cols, C->nnz, S);
    if (status) return status;
    int64_t step = 600011; /* a prime */
    while (C->nnz % step == 0) step += 2;
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < C->nnz; k++) {
        const int64_t from = k * step % C->nnz;
        S->row_idx[k] = C->row_idx[from];
        S->col_idx[k] = C->col_idx[from];
        S->val[k] = C->val[from];
    }
    return SPW_OK;
}

static int conversion(bench *b, const char *name)
{
    static const char *const orders[] = {"sorted by rows", "sorted by columns", "scattered"};
    spw_csr A = {0}, T = {0}, B = {0};
    spw_coo C[3] = {{0}};
    int status = 1;
    if (spw_csr_generate(name, &A) || spw_csr_transpose(&A, &T) || spw_coo_from_csr(&A, &C[0]) ||
        spw_coo_from_csr(&T, &C[1]) || scatter(&C[0], &C[2]))
        goto done;
    /* The transpose's rows are the columns. */
    spw_idx *swap = C[1].row_idx;
    C[1].row_idx = C[1].col_idx;
    C[1].col_idx = swap;
    for (int order = 0; order < 3; order++) {
        double seconds[3];
        char subject[TEXT];
        for (int k = 0; k < 3; k++) {
            spw_csr_destroy(&B);
            const double begin = spw_now();
            if (spw_csr_from_coo(&C[order], &B)) goto done;
            seconds[k] = spw_now() - begin;
        }
        snprintf(subject, sizeof subject, "%s, %s", name, orders[order]);
        report_rate(b, "coo-to-csr", subject, 1e-6 * A.nnz / spw_quartile(seconds, 3, NULL, NULL),
                    "M/s", 40);
    }
    status = 0;
done:
    if (status) fail("%s", spw_message());
    spw_csr_destroy(&A);
    spw_csr_destroy(&T);
    spw_csr_destroy(&B);
    for (int k = 0; k < 3; k++) spw_coo_destroy(&C[k]);
    return status;
}

/* The text lies in memory: what is measured is the reader and not the disk. */
static int parsing(bench *b, const char *name)
{
    char path[4096];
    double seconds[5];
    spw_csr A = {0};
    spw_coo C = {0};
    char *text = NULL;
    FILE *file = NULL;
    int status = 1;
    struct stat about;
    snprintf(path, sizeof path, "%s.mtx", b->out);
    if (spw_csr_generate(name, &A) || spw_csr_write_matrix_market(path, &A)) goto done;
    file = fopen(path, "r");
    if (!file || stat(path, &about)) {
        spw_error(SPW_ERR_FILE, "%s: %s", path, strerror(errno));
        goto done;
    }
    if (SPW_ALLOC(&text, about.st_size)) goto done;
    if (fread(text, 1, (size_t)about.st_size, file) != (size_t)about.st_size) {
        spw_error(SPW_ERR_FILE, "%s: cannot be read", path);
        goto done;
    }
    for (int k = 0; k < 5; k++) {
        spw_coo_destroy(&C);
        const double begin = spw_now();
        if (spw_coo_parse_matrix_market(path, text, (size_t)about.st_size, &C)) goto done;
        seconds[k] = spw_now() - begin;
    }
    report_rate(b, "parse", name,
                1e-6 * (double)about.st_size / spw_quartile(seconds, 5, NULL, NULL), "MB/s", 150);
    status = 0;
done:
    if (status) fail("%s", spw_message());
    if (file) fclose(file);
    (void)remove(path);
    spw_free(text);
    spw_csr_destroy(&A);
    spw_coo_destroy(&C);
    return status;
}

/* --- the whole ------------------------------------------------------------------------------------ */

static int read_options(int argc, char **argv, bench *b)
{
    *b = (bench){.out = "build/bench.tsv", .threads = spw_max_threads()};
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(argv[i], "--quick")) {
            b->quick = true;
            continue;
        }
        if (strcmp(argv[i], "--matrix") && strcmp(argv[i], "--out") && strcmp(argv[i], "--threads"))
            return fail("'%s' is no option; known are --quick --matrix --threads --out", argv[i]);
        if (!value || !*value) return fail("%s needs a value", argv[i]);
        if (!strcmp(argv[i], "--matrix")) b->matrix = value;
        if (!strcmp(argv[i], "--out")) b->out = value;
        if (!strcmp(argv[i], "--threads")) {
            char *end;
            const long threads = strtol(value, &end, 10);
            if (*end || threads < 1 || threads > 4096)
                return fail("--threads is '%s', must be 1 to 4096", value);
            b->threads = (int)threads;
        }
        i++;
    }
    b->rounds = b->quick ? 7 : 21;
    return 0;
}

/* Goes to a second file first, so that no half-written one is left under the name. */
static int write_results(const bench *b, const spw_topology *machine)
{
    char partial[4096], date[32];
    const time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%d", localtime(&now));
    snprintf(partial, sizeof partial, "%s.partial", b->out);
    FILE *file = fopen(partial, "w");
    if (!file) return fail("%s: %s", partial, strerror(errno));
    fprintf(file, "date\tmachine\tthreads\tgroup\tsubject\tkernel\tvalue\tunit\tshare\tlow\thigh\t"
                  "goal\treached\n");
    for (int k = 0; k < b->n_results; k++) {
        const result *r = &b->results[k];
        fprintf(file, "%s\t%s\t%d\t%s\t%s\t%s%s\t%.4g\t%s\t%.4f\t%.4f\t%.4f\t%.4g\t%s\n", date,
                machine->cpu, b->threads, r->group, r->subject, r->is_roof ? "roof: " : "",
                r->kernel, r->value, r->unit, r->share, r->low, r->high, r->goal,
                r->goal <= 0 || b->quick ? "-"
                : reached(r)             ? "yes"
                                         : "no");
    }
    const bool bad = ferror(file);
    if (fclose(file) || bad || rename(partial, b->out)) {
        const int error = errno;
        remove(partial);
        return fail("%s: %s", b->out, strerror(error));
    }
    printf("\nKept in %s\n", b->out);
    return 0;
}

static void summarise(const bench *b)
{
    int goals = 0, met = 0;
    for (int k = 0; k < b->n_results; k++) {
        if (b->results[k].goal <= 0) continue;
        goals++;
        met += reached(&b->results[k]);
    }
    if (goals == 0 || b->quick) return;
    printf("\n%d of %d goals reached%s\n", met, goals, met < goals ? "; missed:" : "");
    for (int k = 0; k < b->n_results; k++) {
        const result *r = &b->results[k];
        if (r->goal > 0 && !reached(r)) printf("  %s: %s %s\n", r->group, r->kernel, r->subject);
    }
}

static int everything(bench *b)
{
    const bool q = b->quick;
    int failed = against_likwid(b);
    failed |= vectors(b);
    failed |= dense(b);
    failed |= sparse(b, q ? "stencil27:64" : "stencil27:148", 0.8);
    failed |= sparse(b, q ? "fem3:32" : "fem3:72", 0.8);
    failed |= sparse_formats(b, q ? "stencil27:48" : "stencil27:100");
    failed |= uneven(b, q ? "arrow:1000000" : "arrow:20000000",
                     q ? "tridiag:1000000" : "tridiag:20000000");
    failed |= uneven(b, q ? "powerlaw:300000" : "powerlaw:3000000",
                     q ? "random:300000x300000x21" : "random:3000000x3000000x26");
    printf("\nMaking matrices\n");
    failed |= generation(b, q ? "stencil27:64" : "stencil27:148");
    failed |= generation(b, q ? "fem3:32" : "fem3:72");
    failed |= conversion(b, q ? "stencil27:48" : "stencil27:100");
    failed |= parsing(b, q ? "fem1:32" : "fem1:64");
    return failed;
}

int main(int argc, char **argv)
{
    static bench b;
    if (read_options(argc, argv, &b)) return 1;
    const spw_topology machine = spw_topology_read();
    spw_set_threads(b.threads);
    printf("%s%s, %d cores, %d threads used\n", machine.cpu,
           machine.is_virtual ? " (virtual machine)" : "", machine.cores, b.threads);
    int failed =
        b.matrix ? sparse(&b, b.matrix, 0) || sparse_formats(&b, b.matrix) : everything(&b);
    if (b.n_results == 0) return 1;
    summarise(&b);
    failed |= write_results(&b, &machine);
    return failed;
}

/* Making matrices: generators, COO to CSR, CSR to the others, reading text. */
#include "base/memory.h"
#include "commands/bench/contest.h"
#include "commands/bench/subjects.h"
#include "formats/generate.h"
#include "formats/matrix_market.h"
#include "perf/timer.h"

#include <math.h>
#include <stdio.h>

enum { REPEATS = 5 };

/* What a matrix is made of, and what is made. */
typedef struct making {
    const char *name; /* of a generator, or of the file that was text */
    const spw_coo *entries;
    char *text;
    int64_t length;
    operands *o; /* A, which is put into another format */
    shape s;
    spw_csr A;
    spw_coo C;
} making;

static void drop_made(making *m) {
    spw_csr_destroy(&m->A);
    spw_coo_destroy(&m->C);
    if (m->o) operands_drop(m->o, m->s.format);
}

static void drop(making *m) {
    drop_made(m);
    spw_free(m->text);
}

/* Only making it is timed, not the freeing of the last one. NAN: it cannot be made. */
static double seconds_of(spw_status (*make)(making *m), making *m, int times) {
    double seconds[REPEATS];
    for (int k = 0; k < times; k++) {
        drop_made(m);
        const double begin = spw_now();
        if (make(m)) return NAN;
        seconds[k] = spw_now() - begin;
    }
    return spw_quartile(seconds, times, NULL, NULL);
}

static spw_status generate(making *m) { return spw_csr_generate(m->name, &m->A); }
static spw_status sort(making *m) { return spw_csr_from_coo(m->entries, &m->A); }
static spw_status convert(making *m) { return operands_convert(m->o, m->s.format, &m->s); }
static spw_status parse(making *m) {
    return spw_coo_parse_matrix_market(m->name, m->text, (size_t)m->length, &m->C);
}

static void report_rate(bench *b, const char *group, const char *subject, double value,
                        const char *unit, double goal) {
    char text[BENCH_TEXT];
    set_text(text, "%s %s", group, subject);
    report(b, (result){group, subject, text, value, unit, .goal = goal});
}

static int time_generator(bench *b, const char *name) {
    OWNED(drop) making m = {.name = name};
    const double t = seconds_of(generate, &m, 3);
    if (isnan(t)) return 1;
    report_rate(b, "generate", name, 1e-6 * m.A.nnz / t, "M/s", 40);
    return 0;
}

/* --- COO to CSR ----------------------------------------------------------------------------------- */

/* Entries of C in an order that has nothing to do with their rows. A walk of a fixed large step meets
 * each entry once if the step and nnz have no common factor. */
static spw_status scatter(const spw_coo *C, spw_coo *S) {
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

static int time_sort(bench *b, const char *name, const char *order, const spw_coo *entries) {
    OWNED(drop) making m = {.entries = entries};
    char subject[BENCH_TEXT];
    const double t = seconds_of(sort, &m, 3);
    if (isnan(t)) return 1;
    set_text(subject, "%s, %s", name, order);
    report_rate(b, "coo-to-csr", subject, 1e-6 * m.A.nnz / t, "M/s", 40);
    return 0;
}

static int time_sorts(bench *b, const char *name) {
    OWNED(spw_csr_destroy) spw_csr A = {0};
    OWNED(spw_csr_destroy) spw_csr T = {0};
    OWNED(spw_coo_destroy) spw_coo sorted = {0};
    OWNED(spw_coo_destroy) spw_coo turned = {0};
    OWNED(spw_coo_destroy) spw_coo scattered = {0};
    if (spw_csr_generate(name, &A) || spw_csr_transpose(&A, &T) || spw_coo_from_csr(&A, &sorted) ||
        spw_coo_from_csr(&T, &turned) || scatter(&sorted, &scattered))
        return 1;
    /* The transpose's rows are the columns. */
    spw_idx *swap = turned.row_idx;
    turned.row_idx = turned.col_idx;
    turned.col_idx = swap;
    return time_sort(b, name, "sorted by rows", &sorted) ||
           time_sort(b, name, "sorted by columns", &turned) ||
           time_sort(b, name, "scattered", &scattered);
}

/* --- CSR to the others, in products y = A x with the best kernel of CSR --------------------------- */

/* Seconds of the fastest kernel of CSR. */
static double product(const bench *b, operands *o) {
    contest run = {0};
    for (const spw_kernel *v = spw_kernels("spmv_csr"); v->symbol; v++)
        if (!spw_kernel_is_reference(v)) contest_enter_kernel(&run, "spmv_csr", v, o, 0);
    contest_run(&run, b->quick ? 3 : 9);
    return contest_best(&run, SIDE_OURS, false)->value;
}

static void convert_to(bench *b, operands *o, const char *name, bench_format format, double unit) {
    OWNED(drop) making m = {.o = o, .s.format = format};
    const double t = seconds_of(convert, &m, 3);
    char text[BENCH_TEXT];
    if (isnan(t)) {
        printf("  %s is left out: %s\n", bench_format_names[format], spw_message());
        return;
    }
    set_text(text, "%s: csr to %s%s", name, bench_format_names[format], m.s.text);
    result line = {"csr-to-format", name, text, t / unit, .unit = "SpMVs", .at_most = true};
    if (format == BENCH_SELL || format == BENCH_SELLP) line.goal = 15;
    report(b, line);
}

static int time_conversions(bench *b, const char *name) {
    OWNED(operands_free) operands o = {0};
    if (operands_load(name, 1, &o)) return 1;
    const double unit = product(b, &o);
    for (int f = 0; f < BENCH_FORMATS; f++)
        if (f != BENCH_CSR) convert_to(b, &o, name, (bench_format)f, unit);
    return 0;
}

/* --- reading text --------------------------------------------------------------------------------- */

/* The text lies in memory: what is measured is the reader and not the disk. */
static int time_parser(bench *b, const char *name) {
    char path[4096];
    OWNED(spw_csr_destroy) spw_csr A = {0};
    OWNED(drop) making m = {.name = path};
    snprintf(path, sizeof path, "%s.mtx", b->out);
    spw_status status = spw_csr_generate(name, &A);
    if (!status) status = spw_csr_write_matrix_market(path, &A);
    if (!status) status = read_text(path, &m.text, &m.length);
    (void)remove(path);
    const double t = status ? NAN : seconds_of(parse, &m, REPEATS);
    if (isnan(t)) return 1;
    report_rate(b, "parse", name, 1e-6 * (double)m.length / t, "MB/s", 150);
    return 0;
}

int bench_make(bench *b, const bench_case *c) {
    const bool q = b->quick;
    if (c->matrix) return time_conversions(b, c->matrix);
    printf("\nMaking matrices\n");
    return time_generator(b, q ? "stencil27:64" : "stencil27:148") ||
           time_generator(b, q ? "fem3:32" : "fem3:72") ||
           time_sorts(b, q ? "stencil27:48" : "stencil27:100") ||
           time_conversions(b, q ? "stencil27:48" : "stencil27:100") ||
           time_conversions(b, q ? "powerlaw:300000" : "powerlaw:1000000") ||
           time_parser(b, q ? "fem1:32" : "fem1:64");
}

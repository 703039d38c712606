#include "base/memory.h"
#include "commands/bench/operands.h"
#include "commands/bench/contest.h"
#include "commands/bench/subjects.h"
#include "formats/generate.h"
#include "formats/matrix_market.h"
#include "perf/timer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { REPEATS = 3 };

static void report_rate(bench *b, const char *group, const char *subject, double value,
                        const char *unit, double goal) {
    char text[BENCH_TEXT];
    set_text(text, "%s %s", group, subject);
    report(b, (result){group, subject, text, value, unit, .goal = goal});
}

int bench_generate(bench *b, const char *name) {
    double seconds[REPEATS];
    spw_csr A = {0};
    for (int k = 0; k < REPEATS; k++) {
        spw_csr_destroy(&A);
        const double begin = spw_now();
        if (spw_csr_generate(name, &A)) return fail("%s", spw_message());
        seconds[k] = spw_now() - begin;
    }
    const double t = spw_quartile(seconds, REPEATS, NULL, NULL);
    report_rate(b, "generate", name, 1e-6 * A.nnz / t, "M/s", 40);
    spw_csr_destroy(&A);
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

int bench_sort(bench *b, const char *name) {
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
        double seconds[REPEATS];
        char subject[BENCH_TEXT];
        for (int k = 0; k < REPEATS; k++) {
            spw_csr_destroy(&B);
            const double begin = spw_now();
            if (spw_csr_from_coo(&C[order], &B)) goto done;
            seconds[k] = spw_now() - begin;
        }
        set_text(subject, "%s, %s", name, orders[order]);
        report_rate(b, "coo-to-csr", subject,
                    1e-6 * A.nnz / spw_quartile(seconds, REPEATS, NULL, NULL), "M/s", 40);
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

/* --- CSR to the others, in products y = A x with the best kernel of CSR --------------------------- */

/* Seconds of the fastest kernel of CSR. */
static double product(const bench *b, operands *o) {
    contest run = {0};
    for (const spw_kernel *v = spw_kernels("spmv_csr"); v->symbol; v++)
        if (!spw_kernel_is_reference(v)) contest_enter_kernel(&run, "spmv_csr", v, o, 0);
    contest_run(&run, b->quick ? 3 : 9);
    return contest_best(&run, SIDE_OURS, false)->value;
}

/* Only the conversion is timed, not the freeing of the last one. */
static int convert_to(bench *b, operands *o, const char *name, bench_format format, double unit) {
    double seconds[REPEATS];
    shape s;
    for (int k = 0; k < REPEATS; k++) {
        operands_drop(o, format);
        const double begin = spw_now();
        const spw_status status = operands_convert(o, format, &s);
        seconds[k] = spw_now() - begin;
        if (status) {
            printf("  %s is left out: %s\n", bench_format_names[format], spw_message());
            return 0;
        }
    }
    operands_drop(o, format);
    char text[BENCH_TEXT];
    set_text(text, "%s: csr to %s%s", name, bench_format_names[format], s.text);
    result line = {"csr-to-format", name, text, .unit = "SpMVs", .at_most = true};
    line.value = spw_quartile(seconds, REPEATS, NULL, NULL) / unit;
    if (format == BENCH_SELL || format == BENCH_SELLP) line.goal = 15;
    report(b, line);
    return 0;
}

int bench_convert(bench *b, const char *name) {
    operands o;
    double seconds;
    if (operands_load(name, 1, &o, &seconds)) return fail("%s", spw_message());
    const double unit = product(b, &o);
    for (int f = 0; f < BENCH_FORMATS; f++)
        if (f != BENCH_CSR) convert_to(b, &o, name, (bench_format)f, unit);
    operands_free(&o);
    return 0;
}

/* --- reading text --------------------------------------------------------------------------------- */

/* The text lies in memory: what is measured is the reader and not the disk. */
int bench_parse(bench *b, const char *name) {
    enum { TIMES = 5 };
    char path[4096];
    double seconds[TIMES];
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
    for (int k = 0; k < TIMES; k++) {
        spw_coo_destroy(&C);
        const double begin = spw_now();
        if (spw_coo_parse_matrix_market(path, text, (size_t)about.st_size, &C)) goto done;
        seconds[k] = spw_now() - begin;
    }
    report_rate(b, "parse", name,
                1e-6 * (double)about.st_size / spw_quartile(seconds, TIMES, NULL, NULL), "MB/s",
                150);
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

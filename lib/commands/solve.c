/* commands/solve.c -- solves A x = b with a solver of the library and shows where the time went.
 *
 *   solve --matrix NAME [--solver cg|pcg|bicgstab|refine] [--precond NAME] [--tolerance T]
 *         [--rhs ones|random|FILE] [--iterations N] [--threads N] [--plain] [--out FOLDER]
 *         [--format NAME] [--record FILE]
 *     --matrix      a file, a generator or a matrix of the workbook
 *     --solver      cg where A is symmetric and there is no --precond, pcg with one, else bicgstab;
 *                   refine: cg in single precision inside, residuals in double outside
 *     --precond     of pcg and bicgstab; pcg takes jacobi if nothing is said. Some take a number, as in
 *                   bjacobi:3 (rows of a block; without: found), cheby:6 (the degree), sgs_colour:75 (percent
 *                   for the device): solvers/precond/table.c; sai is fsai where A is symmetric, else spai
 *     --tolerance   ||r|| <= T ||b||, 1e-8
 *     --rhs         ones: b = A (1, ..., 1), so that the answer is known (the default); random: b in (-1, 1);
 *                   FILE: n numbers, as plain text or Matrix Market array
 *     --plain       one BLAS-1 call for each operation, to compare
 *     --format      of A for its products, csr, sdia, sbcsr, sell_short or sell_sorted; without, the fastest is found by
 *                   measuring (solvers/operator.h)
 *     --record      a file in which this machine's choices of formats are kept
 *     --out         writes solve.tsv and solve-facts.gp there, which plots/solve.gp draws
 * `make solve MATRIX=laplace2d:500` prints what the matrix is, why the solver stopped, and a table: for each
 * kernel its time, its share of all, the bytes of its model with write-allocate, and how near that comes to
 * what this machine loads at the same working set. Long runs have a line of progress.
 * Exit status: 0 converged; 3 did not converge; 1 with one line of what went wrong; 2 misused. */
#include "base/memory.h"
#include "base/number.h"
#include "base/threads.h"
#include "commands/solving.h"
#include "formats/generate.h"
#include "perf/bandwidth.h"
#include "perf/timer.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* One line of what went wrong, and the status. */
#define fail(...)   complain(1, "solve", __VA_ARGS__)
#define misuse(...) complain(MISUSED, "solve", __VA_ARGS__)

/* --- the command line --------------------------------------------------------------------------------------- */

static int find_precond(const char *name, settings *s) {
    int number;
    return spw_precond_find(name, &s->row, &number) ? misuse("%s", spw_message()) : 0;
}

static int check_settings(settings *s) {
    if (!s->matrix) return misuse("which matrix? make solve MATRIX=laplace2d:500, or a file");
    if (s->precond && strcmp(s->precond, "none") == 0) s->precond = NULL;
    if (s->solver && strcmp(s->solver, "cg") && strcmp(s->solver, "pcg") &&
        strcmp(s->solver, "bicgstab") && strcmp(s->solver, "refine"))
        return misuse("%s: no such solver; there are cg, pcg, bicgstab, refine, lobpcg", s->solver);
    if (s->solver && s->precond && (!strcmp(s->solver, "cg") || !strcmp(s->solver, "refine")))
        return misuse("%s takes no preconditioner, pcg does: SOLVER=pcg PRECOND=%s", s->solver,
                      s->precond);
    if (s->solver && strcmp(s->solver, "pcg") == 0 && !s->precond) s->precond = "jacobi";
    return s->precond && strcmp(s->precond, "sai") ? find_precond(s->precond, s) : 0;
}

static int read_settings(int argc, char **argv, settings *s) {
    const command_option options[] = {
        SOLVING_OPTIONS(s),
        count_option("--threads", &s->threads, "THREADS", 4096),
        flag_option("--plain", &s->plain),
        text_option("--format", &s->format),
        text_option("--record", &s->record),
        text_option("--out", &s->out),
    };
    if (!read_options("solve", options, sizeof options / sizeof *options, argc, argv))
        return MISUSED;
    return check_settings(s);
}

/* --- the right-hand side ------------------------------------------------------------------------------------ */

/* All of a text file, with a NUL behind it. *text is freed by spw_free. */
static spw_status read_text(const char *path, char **text, int64_t *length) {
    struct stat about;
    *text = NULL;
    FILE *file = fopen(path, "r");
    if (!file || fstat(fileno(file), &about)) {
        if (file) fclose(file);
        return spw_error(SPW_ERR_FILE, "%s: %s", path, strerror(errno));
    }
    spw_status status = S_ISREG(about.st_mode)
                            ? SPW_ALLOC(text, about.st_size + 1)
                            : spw_error(SPW_ERR_FILE, "%s: not a plain file", path);
    if (!status) {
        *length = (int64_t)fread(*text, 1, (size_t)about.st_size, file);
        (*text)[*length] = '\0';
    }
    fclose(file);
    return status;
}

/* Behind blanks and lines that begin with %. */
static const char *skip(const char *at) {
    for (;;) {
        while (isspace((unsigned char)*at)) at++;
        if (*at != '%') return at;
        at += strcspn(at, "\n");
    }
}

/* n numbers; a Matrix Market array has its size, "n 1", in front. */
static spw_status read_rhs(const char *path, int64_t n, double *b) {
    char *text;
    int64_t length = 0, k = 0;
    spw_status status = read_text(path, &text, &length);
    if (status) return status;
    const char *at = skip(text), *const end = text + length;
    if (strncasecmp(text, "%%MatrixMarket", 14) == 0) { /* as the library reads it */
        long rows, columns;
        int used = 0;
        if (sscanf(at, "%ld %ld%n", &rows, &columns, &used) != 2 || columns != 1)
            status =
                spw_error(SPW_ERR_FORMAT, "%s: expected a Matrix Market array of one column", path);
        at += used;
    }
    for (at = skip(at); !status && at < end; at = skip(at), k++) {
        double value;
        if (spw_number_read(&at, end, &value))
            status = spw_error(SPW_ERR_FORMAT, "%s: number %" PRId64 " cannot be read: '%.20s'",
                               path, k + 1, at);
        else if (k < n)
            b[k] = value;
    }
    if (!status && k != n)
        status = spw_error(SPW_ERR_FORMAT,
                           "%s has %" PRId64 " numbers, the matrix %" PRId64 " rows", path, k, n);
    spw_free(text);
    return status;
}

static spw_status make_rhs(const settings *s, problem *P) {
    spw_status status = solving_vectors(P, 0);
    if (!status && strcmp(s->rhs, "ones") && strcmp(s->rhs, "random"))
        status = read_rhs(s->rhs, P->op.n, P->b);
    if (!status) solving_start(s, P);
    return status;
}

/* --- solving ------------------------------------------------------------------------------------------------- */

/* The solver, if none was named; or why it cannot be the one that was. */
static int choose_solver(settings *s, const problem *P) {
    if (s->precond && !strcmp(s->precond, "sai"))
        (void)find_precond(solving_symmetric(&P->info) ? "fsai" : "spai", s);
    if (s->row && s->row->needs && !solving_symmetric(&P->info))
        return fail(
            "%s: %s needs a symmetric matrix, and max |a_ij - a_ji| / max |a_ij| is %.1e here",
            s->matrix, s->precond, P->info.asymmetry);
    if (!s->solver)
        s->solver = !solving_symmetric(&P->info) ? "bicgstab" : s->precond ? "pcg" : "cg";
    if (strcmp(s->solver, "bicgstab") == 0) return 0;
    if (!solving_symmetric(&P->info))
        return fail(
            "%s: %s needs a symmetric matrix, and max |a_ij - a_ji| / max |a_ij| is %.1e here. "
            "SOLVER=bicgstab does not",
            s->matrix, s->solver, P->info.asymmetry);
    if (s->row && !s->row->symmetric)
        return fail("pcg needs a symmetric preconditioner, %s is none. SOLVER=bicgstab takes it",
                    s->precond);
    return 0;
}

typedef struct roof {
    double bandwidth; /* byte/s */
    const char *loop; /* that loads so fast */
} roof;

/* What the machine loads at the working set of the solver. */
static spw_status measure_roof(const problem *P, roof *top) {
    double seconds[7];
    const int64_t bytes = spw_csr_bytes(&P->A) + 40 * (int64_t)P->A.n_rows;
    spw_probe probe;
    const spw_status status = spw_probe_create(SPW_LOAD, bytes, spw_max_threads(), &probe);
    if (status) return status;
    for (int k = 0; k < 7; k++) seconds[k] = spw_probe_run(&probe);
    top->loop = probe.kernel;
    top->bandwidth = spw_probe_traffic(&probe) / spw_quartile(seconds, 7, NULL, NULL);
    spw_probe_destroy(&probe);
    return SPW_OK;
}

/* --- the report ---------------------------------------------------------------------------------------------- */

/* The call of the table whose name has these words, or NULL. */
static const spw_kernel_use *find_use(const problem *P, const char *words) {
    for (int k = 0; k < P->result.n_kernels; k++)
        if (strstr(P->result.kernels[k].name, words)) return &P->result.kernels[k];
    return NULL;
}

static void print_line(const roof *top, const char *name, int64_t calls, double seconds, double all,
                       double bytes) {
    const double each = seconds / (double)(calls ? calls : 1);
    printf("  %-24s %7" PRId64 " %9.3f  %3.0f %% %10.2f %7.1f  %4.0f %%\n", name, calls, 1e3 * each,
           all > 0 ? 100 * seconds / all : 0, 1e-6 * bytes, each > 0 ? 1e-9 * bytes / each : 0,
           each > 0 ? 100 * bytes / each / top->bandwidth : 0);
}

static void print_kernels(const problem *P, const roof *top) {
    const spw_solve_result *r = &P->result;
    double all = 0, inside = 0, bytes = 0;
    for (int k = 0; k < r->n_kernels; k++) all += r->kernels[k].seconds;
    printf("\n  %-24s %7s %9s %6s %10s %7s %7s\n", "kernel", "calls", "ms a call", "share",
           "MB a call", "GB/s", "of roof");
    for (int k = 0; k < r->n_kernels; k++) {
        const spw_kernel_use *u = &r->kernels[k];
        const double each = spw_cost_bytes(u->cost) + u->write_allocate;
        print_line(top, u->name, u->calls, u->seconds, all, each);
        if (strstr(u->name, "both ends")) continue;
        inside += u->seconds;
        bytes += each * (double)u->calls;
    }
    if (r->iterations > 0)
        print_line(top, "an iteration", r->iterations, inside, all, bytes / r->iterations);
    printf("  roof: %.1f GB/s (%s; %d thread%s, %.0f MB)\n", 1e-9 * top->bandwidth, top->loop,
           spw_max_threads(), spw_max_threads() == 1 ? "" : "s",
           1e-6 * (double)(spw_csr_bytes(&P->A) + 40 * (int64_t)P->A.n_rows));
    printf("  MB: what the kernel must move, and what its stores fetch besides\n");
}

/* What it found, and its price: as timed, and as its bytes say. */
static void print_precond(const settings *s, const problem *P) {
    const spw_kernel_use *product = find_use(P, "= A"), *apply = find_use(P, "M ");
    if (*P->M.note) printf("  %s: %s\n", s->precond, P->M.note);
    if (!product || !product->calls || !(product->seconds > 0)) return;
    const double a_product = product->seconds / (double)product->calls;
    printf("  %s in products A p: set-up %.1f", s->precond, P->M.setup_seconds / a_product);
    if (apply && apply->calls)
        printf(", an application %.2f", apply->seconds / (double)apply->calls / a_product);
    printf("\n  by bytes alone: set-up %.1f, an application %.2f\n",
           spw_cost_in_products(P->M.setup, &P->op), spw_cost_in_products(P->M.cost, &P->op));
}

static void print_result(const settings *s, const problem *P) {
    const spw_solve_result *r = &P->result;
    solving_print_problem(s, P);
    printf("%d thread%s\n", spw_max_threads(), spw_max_threads() == 1 ? "" : "s");
    solving_print_end(s, P, solving_error(P));
    const double setup = P->has_M ? P->M.setup_seconds : P->S.setup_seconds;
    printf("  time to solution %.3f s: ", P->op.setup_seconds + setup + r->seconds);
    if (P->has_M) printf("set-up %.3f s, ", setup);
    if (P->S.name) printf("rounding of A %.3f s, ", setup);
    printf("%d iteration%s in %.3f s", r->iterations, r->iterations == 1 ? "" : "s", r->seconds);
    if (s->format && P->op.setup_seconds > 0)
        printf(",\n  and a copy of A in the format asked for %.3f s", P->op.setup_seconds);
    else if (P->op.setup_seconds > 0)
        printf(",\n  and %s %.3f s",
               P->op.destroy ? "a copy of A in the fastest format"
                             : "looking for a faster format than CSR",
               P->op.setup_seconds);
    printf("\n  A in the format %s%s%s\n", P->op.name, *P->op.note ? ":\n    " : "", P->op.note);
    if (P->has_M) print_precond(s, P);
}

/* --- files ---------------------------------------------------------------------------------------------------- */

static int write_files(const settings *s, const problem *P) {
    char solver[128];
    const spw_solve_result *r = &P->result;
    FILE *file = create_file("solve", s->out, "solve.tsv");
    if (!file) return 1;
    fprintf(file, "# iteration, ||r|| / ||b||\n");
    for (int k = 0; k < r->n_history; k++) fprintf(file, "%d\t%.6e\n", k, r->history[k]);
    if (finish_file("solve", file, s->out, "solve.tsv")) return 1;

    snprintf(solver, sizeof solver, "%s%s%s", s->solver, s->precond ? ", " : "",
             s->precond ? s->precond : "");
    file = create_facts("solve", s->out, "solve-facts.gp", s->matrix, solver, r->text);
    if (!file) return 1;
    fprintf(file, "tolerance = %g\ntrue_residual = %g\niterations = %d\n", s->tolerance,
            isfinite(r->true_residual) ? r->true_residual : 0, r->iterations);
    return finish_file("solve", file, s->out, "solve-facts.gp");
}

/* --- main ------------------------------------------------------------------------------------------------------ */

static spw_status load(const settings *s, problem *P) {
    spw_status status = spw_csr_load(s->matrix, &P->A);
    if (!status) status = spw_csr_inspect(&P->A, &P->info);
    spw_operator_record(s->record);
    if (!status)
        status = s->format ? spw_operator_in(&P->A, s->format, &P->op)
                           : spw_operator_convert(&P->A, &P->op);
    return status;
}

static int run(settings *s, problem *P) {
    roof top = {0};
    if (load(s, P)) return fail("%s: %s", s->matrix, spw_message());
    if (choose_solver(s, P)) return 1;
    if (s->row) {
        const char *name = strcmp(s->precond, "sai") ? s->precond : s->row->name;
        if (spw_precond_for(name, &P->A, &P->op, &P->M))
            return fail("%s: %s", s->matrix, spw_message());
        P->has_M = true;
    }
    if (make_rhs(s, P) || measure_roof(P, &top) || solving_run(s, P, true))
        return fail("%s", spw_message());
    print_result(s, P);
    print_kernels(P, &top);
    if (s->out && write_files(s, P)) return 1;
    return P->result.stop == SPW_STOP_CONVERGED ? 0 : NOT_CONVERGED;
}

int main(int argc, char **argv) {
    settings s = SOLVING_SETTINGS;
    problem P = {0};
    int status = read_settings(argc, argv, &s);
    if (status) return status;
    if (s.threads) spw_set_threads(s.threads);
    status = run(&s, &P);
    solving_destroy(&P);
    return status;
}

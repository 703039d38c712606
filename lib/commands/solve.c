/* commands/solve.c -- solves A x = b with a solver of the library and shows where the time went.
 *
 *   solve --matrix NAME [--solver cg|pcg|bicgstab|refine|lobpcg] [--precond NAME] [--tolerance T]
 *         [--rhs ones|random|FILE] [--iterations N] [--threads N] [--plain] [--out FOLDER]
 *         [--format NAME] [--record FILE] [--nv N] [--which smallest|largest]
 *     --matrix      a file, a generator or a matrix of the workbook
 *     --solver      cg where A is symmetric and there is no --precond, pcg with one, else bicgstab;
 *                   refine: cg in single precision inside, residuals in double outside; lobpcg: --nv pairs
 *                   A x = lambda x, 8, to ||A x - lambda x|| <= T |lambda|, 1e-6; A is symmetric, in CSR
 *     --precond     of pcg and bicgstab; pcg takes jacobi if nothing is said. Some take a number, as in
 *                   bjacobi:3 (rows of a block; without: found), cheby:6 (the degree), sgs_colour:75 (percent
 *                   for the device): solvers/precond/table.c; sai is fsai where A is symmetric, else spai.
 *                   Of lobpcg, if nothing is said: jacobi for the smallest where the diagonal is positive;
 *                   cholesky, the whole factorisation, is for stiff matrices
 *     --tolerance   ||r|| <= T ||b||, 1e-8
 *     --rhs         ones: b = A (1, ..., 1), so that the answer is known (the default); random: b in (-1, 1);
 *                   FILE: n numbers, as plain text or Matrix Market array
 *     --plain       one BLAS-1 call for each operation, to compare
 *     --format      of A for its products, csr, sdia, sbcsr, sell_short or sell_sorted; without, the fastest is found by
 *                   measuring (solvers/operator.h)
 *     --record      a file in which this machine's choices of formats are kept
 *     --out         writes solve.tsv and solve-facts.gp there, which plots/solve.gp draws; solve-eigen of lobpcg
 * `make solve MATRIX=laplace2d:500` prints what the matrix is, why the solver stopped, and a table: for each
 * kernel its time, its share of all, the bytes of its model with write-allocate, and how near that comes to
 * what this machine loads at the same working set; of lobpcg the pairs with their residuals, and the phases.
 * Long runs have a line of progress.
 * Exit status: 0 converged; 3 did not converge; 1 with one line of what went wrong; 2 misused. */
#include "base/memory.h"
#include "base/number.h"
#include "base/threads.h"
#include "commands/solving.h"
#include "formats/generate.h"
#include "perf/bandwidth.h"
#include "perf/timer.h"
#include "perf/topology.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* One line of what went wrong, and the status. */
#define fail(...)   complain(1, "solve", __VA_ARGS__)
#define misuse(...) complain(MISUSED, "solve", __VA_ARGS__)

/* --- the command line --------------------------------------------------------------------------------------- */

static int find_precond(const char *name, settings *s) {
    int number;
    return spw_precond_find(name, &s->row, &number) ? misuse("%s", spw_message()) : 0;
}

static int check_settings(settings *s) {
    if (solving_check(s)) return misuse("%s", spw_message());
    if (!s->eigen && s->precond && strcmp(s->precond, "none") == 0) s->precond = NULL;
    if (s->solver && !s->eigen && strcmp(s->solver, "cg") && strcmp(s->solver, "pcg") &&
        strcmp(s->solver, "bicgstab") && strcmp(s->solver, "refine"))
        return misuse("%s: no such solver; there are cg, pcg, bicgstab, refine, lobpcg", s->solver);
    if (s->solver && s->precond && (!strcmp(s->solver, "cg") || !strcmp(s->solver, "refine")))
        return misuse("%s takes no preconditioner, pcg does: SOLVER=pcg PRECOND=%s", s->solver,
                      s->precond);
    if (s->eigen && s->format && strcmp(s->format, "csr"))
        return misuse("FORMAT is '%s': lobpcg multiplies blocks of vectors, in csr", s->format);
    if (s->solver && strcmp(s->solver, "pcg") == 0 && !s->precond) s->precond = "jacobi";
    if (!s->precond || !strcmp(s->precond, "sai") || !strcmp(s->precond, "none")) return 0;
    if (find_precond(s->precond, s)) return MISUSED;
    if (s->eigen && !s->row->symmetric)
        return misuse("lobpcg needs a symmetric preconditioner, %s is none", s->precond);
    return 0;
}

static int read_settings(int argc, char **argv, settings *s) {
    const command_option options[] = {
        SOLVING_OPTIONS(s),
        count_option("--threads", &s->threads, "THREADS", 4096),
        flag_option("--plain", &s->plain),
        text_option("--record", &s->record),
        text_option("--out", &s->out),
    };
    if (!read_options("solve", options, sizeof options / sizeof *options, argc, argv))
        return MISUSED;
    return check_settings(s);
}

/* --- the right-hand side ------------------------------------------------------------------------------------ */

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
    if (status) {
        spw_free(text);
        return status;
    }
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
            "%s: %s needs a symmetric matrix, and max |a_ij - a_ji| / max |a_ij| is %.1e here%s",
            s->matrix, s->solver, P->info.asymmetry, s->eigen ? "" : ". SOLVER=bicgstab does not");
    if (s->eigen && s->pairs.nv > P->A.n_rows)
        return fail("%s has %d rows: NV=%d is too many", s->matrix, (int)P->A.n_rows, s->pairs.nv);
    if (s->eigen && !s->precond && !s->pairs.largest && solving_positive_diagonal(&P->A))
        return find_precond(s->precond = "jacobi", s);
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

/* Of lobpcg. */
static void print_phases(const spw_lobpcg_result *r) {
    double all = 0, executed = 0;
    for (int p = 0; p < SPW_LOBPCG_PHASES; p++) {
        all += r->phases[p].seconds;
        executed += r->phases[p].cost.flop;
    }
    printf("\n  %-16s %7s %9s %7s %9s %9s %7s\n", "phase", "calls", "s", "share", "GB/s", "Gflop/s",
           "flops");
    for (int p = 0; p < SPW_LOBPCG_PHASES; p++) {
        const double seconds = r->phases[p].seconds, flop = r->phases[p].cost.flop;
        const double bytes = spw_cost_bytes(r->phases[p].cost);
        if (!r->phases[p].calls) continue;
        printf("  %-16s %7" PRId64 " %9.3f %5.0f %% %9.1f %9.2f %5.0f %%\n",
               spw_lobpcg_phase_name((spw_lobpcg_phase)p), r->phases[p].calls, seconds,
               all > 0 ? 100 * seconds / all : 0, seconds > 0 ? 1e-9 * bytes / seconds : 0,
               seconds > 0 ? 1e-9 * flop / seconds : 0, executed > 0 ? 100 * flop / executed : 0);
    }
    printf("  GB and Gflop: the model's of each call, as executed\n");
}

static void print_formats(const settings *s, const problem *P) {
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

static void print_result(const settings *s, const problem *P, const roof *top) {
    const int iterations = P->result.iterations;
    const double setup = P->has_M ? P->M.setup_seconds : P->S.setup_seconds;
    const double seconds = P->result.seconds;
    printf("%s   %d rows, %d entries, %s\n", s->matrix, (int)P->info.n_rows, (int)P->info.nnz,
           solving_symmetric(&P->info) ? "symmetric" : "not symmetric");
    solving_print_method(s, P);
    printf("%d thread%s\n", spw_max_threads(), spw_max_threads() == 1 ? "" : "s");
    solving_print_end(s, P, s->eigen ? 0 : solving_error(P));
    printf("  time to solution %.3f s: ", P->op.setup_seconds + setup + seconds);
    if (P->has_M) printf("set-up %.3f s, ", setup);
    if (P->S.name) printf("rounding of A %.3f s, ", setup);
    printf("%d iteration%s in %.3f s", iterations, iterations == 1 ? "" : "s", seconds);
    if (!s->eigen) {
        print_formats(s, P);
        print_kernels(P, top);
        return;
    }
    printf("\n");
    if (P->pairs.restarts)
        printf("  %d times without P: the basis had become singular\n", P->pairs.restarts);
    solving_print_pairs(s, P);
    print_phases(&P->pairs);
}

/* --- files ---------------------------------------------------------------------------------------------------- */

/* What a picture says besides the curve: this CPU, the date, matrix, solver and why it stopped. */
static FILE *create_facts(const settings *s, const char *name, const char *text) {
    char cpu[96], plain_matrix[128], plain_text[512], date[16];
    FILE *file = create_file("solve", s->out, name);
    if (!file) return NULL;
    copy_plain(cpu, sizeof cpu, spw_topology_read().cpu);
    copy_plain(plain_matrix, sizeof plain_matrix, s->matrix);
    copy_plain(plain_text, sizeof plain_text, text);
    fprintf(file, "cpu = \"%s\"\ndate = '%s'\nmatrix = \"%s\"\n", cpu, today(date), plain_matrix);
    fprintf(file, "solver = \"%s%s%s%s%s\"\ntext = \"%s\"\n", s->solver, s->eigen ? ", " : "",
            s->eigen ? s->which : "", s->row ? ", " : "", s->row ? s->precond : "", plain_text);
    return file;
}

/* A line for each iteration: the residual, or those of all pairs. */
static int write_files(const settings *s, const problem *P) {
    const spw_solve_result *r = &P->result;
    const char *table = s->eigen ? "solve-eigen.tsv" : "solve.tsv",
               *facts = s->eigen ? "solve-eigen-facts.gp" : "solve-facts.gp";
    const double *history = s->eigen ? P->pairs.history : r->history;
    const int n = s->eigen ? P->pairs.n_history : r->n_history, nv = s->eigen ? P->pairs.nv : 1;
    FILE *file = create_file("solve", s->out, table);
    if (!file) return 1;
    fprintf(file, "# iteration, %s\n",
            s->eigen ? "||A x - lambda x|| / |lambda| of each pair" : "||r|| / ||b||");
    for (int k = 0; k < n; k++) {
        fprintf(file, "%d", k);
        for (int j = 0; j < nv; j++) fprintf(file, "\t%.6e", history[k * nv + j]);
        fprintf(file, "\n");
    }
    if (finish_file("solve", file, s->out, table)) return 1;

    file = create_facts(s, facts, r->text);
    if (!file) return 1;
    fprintf(file, "tolerance = %g\niterations = %d\n", s->tolerance,
            s->eigen ? n - 1 : r->iterations);
    if (s->eigen)
        fprintf(file, "nv = %d\n", nv);
    else
        fprintf(file, "true_residual = %g\n", isfinite(r->true_residual) ? r->true_residual : 0);
    return finish_file("solve", file, s->out, facts);
}

/* --- main ------------------------------------------------------------------------------------------------------ */

static spw_status load(const settings *s, problem *P) {
    spw_status status = spw_csr_load(s->matrix, &P->A);
    if (!status) status = spw_csr_inspect(&P->A, &P->info);
    spw_operator_record(s->record);
    if (status) return status;
    return s->eigen    ? spw_operator_from_csr(&P->A, &P->op)
           : s->format ? spw_operator_in(&P->A, s->format, &P->op)
                       : spw_operator_convert(&P->A, &P->op);
}

static spw_status precondition(const settings *s, problem *P) {
    const char *name = strcmp(s->precond, "sai") ? s->precond : s->row->name;
    spw_status status = SPW_OK;
    if (s->eigen && s->row->polynomial) status = spw_operator_convert(&P->A, &P->single);
    if (!status) status = spw_precond_for(name, &P->A, s->eigen ? &P->single : &P->op, &P->M);
    P->has_M = !status;
    return status;
}

static int run(settings *s, problem *P) {
    roof top = {0};
    if (load(s, P)) return fail("%s: %s", s->matrix, spw_message());
    if (choose_solver(s, P)) return 1;
    if (s->row && precondition(s, P)) return fail("%s: %s", s->matrix, spw_message());
    if (!s->eigen && (make_rhs(s, P) || measure_roof(P, &top))) return fail("%s", spw_message());
    if (solving_run(s, P, true)) return fail("%s", spw_message());
    print_result(s, P, &top);
    if (s->out && write_files(s, P)) return 1;
    return P->result.stop == SPW_STOP_CONVERGED ? 0 : NOT_CONVERGED;
}

int main(int argc, char **argv) {
    settings s = {0};
    problem P = {0};
    int status = read_settings(argc, argv, &s);
    if (status) return status;
    if (s.threads) spw_set_threads(s.threads);
    status = run(&s, &P);
    solving_destroy(&P);
    return status;
}

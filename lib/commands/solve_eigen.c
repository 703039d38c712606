/* commands/solve_eigen.c -- a few eigenvalues of a symmetric matrix by LOBPCG, and where the time went.
 *
 *   solve_eigen --matrix NAME [--nv N] [--which smallest|largest] [--precond NAME] [--tolerance T]
 *               [--iterations N] [--threads N] [--out FOLDER]
 *     --matrix      a file, a generator or a matrix of the workbook; symmetric
 *     --nv          pairs wanted, 8
 *     --precond     none, or a symmetric one of make solve; cholesky, the whole factorisation, is for
 *                   stiff matrices; if nothing is said, jacobi for the smallest where the diagonal is
 *                   positive, else none
 *     --tolerance   ||A x - lambda x|| <= T |lambda|, 1e-6
 *     --out         writes solve-eigen.tsv and solve-eigen-facts.gp there, which plots/solve-eigen.gp draws
 * `make solve SOLVER=lobpcg MATRIX=laplace3d:40 NV=8` prints the pairs with their residuals, the phases with
 * their time and share, and the residuals over the iterations.
 * Exit status: 0 all converged; 3 not; 1 with one line of what went wrong; 2 misused. */
#include "base/threads.h"
#include "commands/solving.h"
#include "formats/generate.h"
#include "solvers/lobpcg.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct wanted {
    const char *matrix, *precond, *which, *out, *format;
    const spw_precond *row; /* of precond, or NULL */
    int threads;
    spw_lobpcg_options options;
} wanted;

typedef struct eigen {
    spw_csr A;
    spw_csr_info info;
    spw_operator op, M, single; /* single: A for one vector, of a preconditioner that multiplies */
    bool has_M;
    spw_lobpcg_result result;
} eigen;

/* One line of what went wrong, and the status. */
#define fail(...)   complain(1, "solve", __VA_ARGS__)
#define misuse(...) complain(MISUSED, "solve", __VA_ARGS__)

/* --- the command line ------------------------------------------------------------------------------------ */

/* A symmetric one. */
static int find_precond(const char *name, wanted *s) {
    int number;
    s->precond = name;
    if (strcmp(name, "none") == 0) return 0;
    if (spw_precond_find(name, &s->row, &number)) return misuse("%s", spw_message());
    if (s->row->symmetric) return 0;
    return misuse("lobpcg needs a symmetric preconditioner, %s is none", name);
}

static int read_settings(int argc, char **argv, wanted *s) {
    *s = (wanted){.which = "smallest", .options = {.nv = 8, .tolerance = 1e-6}};
    const command_option options[] = {
        text_option("--matrix", &s->matrix),
        count_option("--nv", &s->options.nv, "NV", SPW_LOBPCG_MAX),
        text_option("--which", &s->which),
        text_option("--precond", &s->precond),
        tolerance_option("--tolerance", &s->options.tolerance, "TOL"),
        count_option("--iterations", &s->options.max_iterations, "ITERATIONS", 1000000),
        count_option("--threads", &s->threads, "THREADS", 4096),
        text_option("--format", &s->format),
        text_option("--out", &s->out),
    };
    if (!read_options("solve SOLVER=lobpcg", options, sizeof options / sizeof *options, argc, argv))
        return MISUSED;
    if (!s->matrix)
        return misuse("which matrix? make solve SOLVER=lobpcg MATRIX=laplace3d:40, or a file");
    if (s->format && strcmp(s->format, "csr"))
        return misuse("FORMAT is '%s': lobpcg multiplies blocks of vectors, in csr", s->format);
    s->options.largest = strcmp(s->which, "largest") == 0;
    if (!s->options.largest && strcmp(s->which, "smallest"))
        return misuse("WHICH is '%s', must be smallest or largest", s->which);
    return s->precond ? find_precond(s->precond, s) : 0;
}

/* --- the report -------------------------------------------------------------------------------------------- */

static void print_pairs(const wanted *s, const eigen *P) {
    const spw_lobpcg_result *r = &P->result;
    printf("%s   %d rows, %d entries, symmetric\n", s->matrix, (int)P->A.n_rows, (int)P->A.nnz);
    printf("lobpcg%s%s, %d %s eigenvalues, tolerance %g, %d thread%s\n\n  %s\n", s->row ? ", " : "",
           s->row ? s->precond : "", r->nv, s->which, s->options.tolerance, spw_max_threads(),
           spw_max_threads() == 1 ? "" : "s", r->text);
    printf("  time to solution %.3f s: ", P->M.setup_seconds + r->seconds);
    if (P->has_M) printf("set-up of %s %.3f s, ", s->precond, P->M.setup_seconds);
    printf("%d iteration%s in %.3f s\n", r->iterations, r->iterations == 1 ? "" : "s", r->seconds);
    if (r->restarts) printf("  %d times without P: the basis had become singular\n", r->restarts);
    solving_print_pairs(r, s->options.tolerance);
}

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

/* --- files ----------------------------------------------------------------------------------------------------- */

static int write_files(const wanted *s, const eigen *P) {
    char solver[128];
    const spw_lobpcg_result *r = &P->result;
    FILE *file = create_file("solve", s->out, "solve-eigen.tsv");
    if (!file) return 1;
    fprintf(file, "# iteration, ||A x - lambda x|| / |lambda| of each pair\n");
    for (int k = 0; k < r->n_history; k++) {
        fprintf(file, "%d", k);
        for (int j = 0; j < r->nv; j++) fprintf(file, "\t%.6e", r->history[k * r->nv + j]);
        fprintf(file, "\n");
    }
    if (finish_file("solve", file, s->out, "solve-eigen.tsv")) return 1;

    snprintf(solver, sizeof solver, "lobpcg, %s%s%s", s->which, s->row ? ", " : "",
             s->row ? s->precond : "");
    file = create_facts("solve", s->out, "solve-eigen-facts.gp", s->matrix, solver, r->text);
    if (!file) return 1;
    fprintf(file, "tolerance = %g\nnv = %d\niterations = %d\n", s->options.tolerance, r->nv,
            r->n_history - 1);
    return finish_file("solve", file, s->out, "solve-eigen-facts.gp");
}

/* --- main ------------------------------------------------------------------------------------------------------- */

static int load(wanted *s, eigen *P) {
    if (spw_csr_load(s->matrix, &P->A) || spw_csr_inspect(&P->A, &P->info) ||
        spw_operator_from_csr(&P->A, &P->op))
        return fail("%s: %s", s->matrix, spw_message());
    if (!solving_symmetric(&P->info))
        return fail("%s: lobpcg needs a symmetric matrix, and max |a_ij - a_ji| / max |a_ij| is "
                    "%.1e here",
                    s->matrix, P->info.asymmetry);
    if (s->options.nv > P->A.n_rows)
        return fail("%s has %d rows: NV=%d is too many", s->matrix, (int)P->A.n_rows,
                    s->options.nv);
    if (!s->precond && !s->options.largest && solving_positive_diagonal(&P->A))
        find_precond("jacobi", s);
    if (s->row && s->row->polynomial && spw_operator_convert(&P->A, &P->single))
        return fail("%s: %s", s->matrix, spw_message());
    if (s->row && spw_precond_for(s->precond, &P->A, &P->single, &P->M))
        return fail("%s: %s", s->matrix, spw_message());
    P->has_M = s->row != NULL;
    return 0;
}

static int run(wanted *s, eigen *P) {
    ticker t = ticker_begin();
    s->options.progress = solving_tick_pairs;
    s->options.progress_context = &t;
    if (load(s, P)) return 1;
    const spw_operator *M = P->has_M ? &P->M : NULL;
    const spw_status status = spw_lobpcg(&P->op, NULL, M, NULL, 0, &s->options, &P->result);
    ticker_end(&t);
    if (status) return fail("%s", spw_message());
    print_pairs(s, P);
    print_phases(&P->result);
    if (s->out && write_files(s, P)) return 1;
    return P->result.stop == SPW_STOP_CONVERGED ? 0 : NOT_CONVERGED;
}

int main(int argc, char **argv) {
    wanted s;
    eigen P = {0};
    int status = read_settings(argc, argv, &s);
    if (status) return status;
    if (s.threads) spw_set_threads(s.threads);
    status = run(&s, &P);
    spw_lobpcg_result_destroy(&P.result);
    spw_operator_destroy(&P.M);
    spw_operator_destroy(&P.single);
    spw_operator_destroy(&P.op);
    spw_csr_destroy(&P.A);
    return status;
}

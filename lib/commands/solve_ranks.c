/* commands/solve_ranks.c -- solves A x = b with several ranks of MPI. lib/commands/solve_ranks.sh starts it:
 *
 *   mpirun -n 4 solve_ranks --matrix NAME [--solver cg|pcg|bicgstab] [--precond jacobi|bjacobi[:N]] [--tolerance T]
 *          [--rhs ones|random] [--iterations N] [--cores N]
 *
 * As solve does, but each rank has a block of rows. Every rank reads or makes all of the matrix first, keeps its
 * rows, and frees the rest: the memory that takes is said. Rank 0 prints. --cores: of this machine; more ranks than
 * cores are allowed, and no speed is told then.
 * Exit status: 0 converged; 3 did not converge; 1 with one line of what went wrong; 2 misused; 5 no MPI. */
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "commands/command.h"
#include "distributed/rows.h"
#include "formats/generate.h"
#include "formats/info.h"
#include "perf/timer.h"
#include "solvers/bicgstab.h"
#include "solvers/cg.h"
#include "solvers/precond.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RHS_SEED = 2026, FAILED = 1, MISUSED = 2, NOT_CONVERGED = 3, NO_MPI = 5 };
static const double ROUNDING = 1e-12;

typedef struct settings {
    const char *matrix, *solver, *precond, *rhs;
    double tolerance;
    int iterations, cores;
} settings;

typedef struct problem {
    spw_comm comm;
    spw_rows R;
    spw_operator op, M;
    bool has_M, symmetric;
    int64_t bytes, nnz; /* of all of A */
    double *b, *x;
    double exchange; /* seconds of one, alone; the slowest rank's */
    spw_solve_result result;
} problem;

/* --- the command line ----------------------------------------------------------------------------------- */

static const char *wrong(const settings *s) {
    const char *precond = s->precond;
    if (!s->matrix) return "which matrix? make solve RANKS=4 MATRIX=laplace2d:500, or a file";
    if (s->solver && strcmp(s->solver, "cg") && strcmp(s->solver, "pcg") &&
        strcmp(s->solver, "bicgstab"))
        return "with RANKS there are the solvers cg, pcg, bicgstab";
    if (precond && strcmp(precond, "jacobi") && strncmp(precond, "bjacobi", 7) &&
        strcmp(precond, "none"))
        return "with RANKS there are the preconditioners jacobi and bjacobi";
    if (precond && s->solver && !strcmp(s->solver, "cg"))
        return "cg takes no preconditioner, pcg does";
    if (strcmp(s->rhs, "ones") && strcmp(s->rhs, "random"))
        return "with RANKS the right-hand side is RHS=ones or RHS=random";
    return NULL;
}

static bool read_settings(int argc, char **argv, settings *s) {
    *s = (settings){.tolerance = 1e-8, .rhs = "ones"};
    const command_option options[] = {
        text_option("--matrix", &s->matrix),
        text_option("--solver", &s->solver),
        text_option("--precond", &s->precond),
        tolerance_option("--tolerance", &s->tolerance, "TOL"),
        text_option("--rhs", &s->rhs),
        count_option("--iterations", &s->iterations, "ITERATIONS", 1000000000),
        count_option("--cores", &s->cores, "cores", 1 << 20),
    };
    return read_options("solve", options, sizeof options / sizeof *options, argc, argv);
}

/* --- set-up ---------------------------------------------------------------------------------------------- */

static spw_status load(const settings *s, problem *P) {
    spw_csr A = {0};
    spw_csr_info info = {0};
    spw_status status = spw_csr_load(s->matrix, &A);
    if (!status) status = spw_csr_inspect(&A, &info);
    status = spw_comm_agree(&P->comm, status);
    if (!status) {
        P->bytes = spw_csr_bytes(&A);
        P->nnz = A.nnz;
        P->symmetric = A.n_rows == A.n_cols && info.asymmetry <= ROUNDING;
        status = spw_rows_from_csr(&P->comm, &A, NULL, &P->R);
    }
    spw_csr_destroy(&A);
    return status ? status : spw_operator_from_rows(&P->comm, &P->R, &P->op);
}

static spw_status make_vectors(const settings *s, problem *P) {
    const int64_t n = P->op.n, first = P->R.first[P->comm.rank];
    spw_status status = SPW_ALLOC_ZERO(&P->b, n);
    if (!status) status = SPW_ALLOC_ZERO(&P->x, n);
    status = spw_comm_agree(&P->comm, status);
    if (status) return status;
    for (int64_t i = 0; i < n; i++) {
        P->x[i] = 1;
        P->b[i] = 2 * spw_random_double(RHS_SEED, (uint64_t)(first + i)) - 1;
    }
    if (strcmp(s->rhs, "ones") == 0) spw_operator_apply(&P->op, P->x, P->b);
    for (int64_t i = 0; i < n; i++) P->x[i] = 0;
    return SPW_OK;
}

/* Of its own diagonal block alone. Blocks of bjacobi end where a rank's rows do. */
static spw_status precondition(const settings *s, problem *P) {
    P->has_M = s->precond && strcmp(s->precond, "none");
    const spw_status status = P->has_M ? spw_precond_named(s->precond, &P->R.local, &P->M) : SPW_OK;
    return spw_comm_agree(&P->comm, status);
}

/* --- solving --------------------------------------------------------------------------------------------- */

static int tick(void *context, int iteration, double residual, double seconds) {
    if (context) ticker_tell(context, seconds, "iteration %d   residual %.2e", iteration, residual);
    return 0;
}

static spw_status solve(const settings *s, problem *P) {
    ticker t = ticker_begin();
    const bool shown = P->comm.rank == 0;
    const spw_solve_options options = {.tolerance = s->tolerance,
                                       .max_iterations = s->iterations,
                                       .progress = tick,
                                       .progress_context = shown ? &t : NULL};
    const spw_operator *M = P->has_M ? &P->M : NULL;
    spw_status status;
    if (strcmp(s->solver, "bicgstab") == 0)
        status = spw_bicgstab(&P->op, M, P->b, P->x, &options, &P->result);
    else
        status = spw_pcg(&P->op, M, P->b, P->x, &options, &P->result);
    if (shown) ticker_end(&t);
    return status;
}

/* One exchange with nothing beside it, the best of some. */
static spw_status time_exchange(problem *P) {
    const int64_t n = P->R.pairs.to_ptr[P->R.pairs.n_to];
    double *room = NULL;
    spw_transfer t = {0};
    spw_status status = SPW_ALLOC_ZERO(&room, n + P->R.n_ghosts);
    if (!status) status = spw_transfer_create(&P->R.pairs, &t);
    status = spw_comm_agree(&P->comm, status);
    P->exchange = INFINITY;
    for (int k = 0; k < 5 && !status; k++) {
        double all = 0;
        spw_comm_sum(&P->comm, 1, &all); /* together */
        double seconds = -spw_now();
        spw_transfer_begin(&P->R.pairs, room, room + n, &t);
        spw_transfer_finish(&t);
        seconds += spw_now();
        spw_comm_max(&P->comm, 1, &seconds);
        P->exchange = fmin(P->exchange, seconds);
    }
    spw_transfer_destroy(&t);
    spw_free(room);
    return status;
}

/* --- the report ------------------------------------------------------------------------------------------ */

static double error_of(const problem *P) {
    double worst = 0;
    for (int64_t i = 0; i < P->op.n; i++) {
        const double error = fabs(P->x[i] - 1);
        if (!(error <= worst)) worst = error;
    }
    return worst;
}

static void print_result(const settings *s, const problem *P, double error, const double *sent) {
    const spw_solve_result *r = &P->result;
    const int ranks = P->comm.size, threads = spw_max_threads();
    printf("%s   %" PRId64 " rows, %" PRId64 " entries, %s\n", s->matrix, P->R.n_global, P->nnz,
           P->symmetric ? "symmetric" : "not symmetric");
    printf("%s%s%s, tolerance %g, b = %s, %d rank%s of %d thread%s\n", s->solver,
           P->has_M ? ", " : "", P->has_M ? s->precond : "", s->tolerance,
           strcmp(s->rhs, "ones") == 0 ? "A (1, ..., 1)" : s->rhs, ranks, ranks == 1 ? "" : "s",
           threads, threads == 1 ? "" : "s");
    printf("each rank held all of A while it took its rows: %.1f MB\n", 1e-6 * (double)P->bytes);
    printf("\n  %s\n", r->text);
    printf("  residual %.2e by recurrence, %.2e by b - A x\n", r->residual, r->true_residual);
    if (strcmp(s->rhs, "ones") == 0) printf("  largest error of x: %.2e\n", error);
    printf("  a product sends %.0f messages, %.0f bytes: the least that its rows need\n", sent[0],
           sent[1]);
    if (s->cores && ranks > s->cores) {
        printf("  more ranks than cores: no speed is told\n");
        return;
    }
    printf("  %d iteration%s in %.3f s: %.3f ms each\n", r->iterations,
           r->iterations == 1 ? "" : "s", r->seconds,
           1e3 * r->seconds / (r->iterations ? r->iterations : 1));
    printf("  an exchange with nothing beside it takes %.3f ms\n", 1e3 * P->exchange);
}

/* Without a solver's name: what the matrix allows. */
static const char *choose(settings *s, const problem *P) {
    const bool precond = s->precond && strcmp(s->precond, "none");
    if (!s->solver) s->solver = !P->symmetric ? "bicgstab" : precond ? "pcg" : "cg";
    if (!strcmp(s->solver, "pcg") && !s->precond) s->precond = "jacobi";
    return strcmp(s->solver, "bicgstab") && !P->symmetric
               ? "needs a symmetric matrix. SOLVER=bicgstab does not"
               : NULL;
}

/* Errors are the same on all ranks: the first of them says what its own was. */
static int run(settings *s, problem *P) {
    const bool speaks = P->comm.rank == 0;
    spw_status status = load(s, P);
    const char *why = status ? NULL : choose(s, P);
    if (why)
        return speaks ? complain(FAILED, "solve", "%s: %s %s", s->matrix, s->solver, why) : FAILED;
    if (!status) status = make_vectors(s, P);
    if (!status) status = precondition(s, P);
    if (!status) status = solve(s, P);
    if (!status) status = time_exchange(P);
    if (status)
        return speaks ? complain(FAILED, "solve", "%s: %s", s->matrix, spw_message()) : FAILED;
    double error = error_of(P);
    double sent[2] = {(double)spw_rows_messages(&P->R), (double)spw_rows_bytes(&P->R)};
    spw_comm_max(&P->comm, 1, &error);
    spw_comm_sum(&P->comm, 2, sent);
    if (speaks) print_result(s, P, error, sent);
    return P->result.stop == SPW_STOP_CONVERGED ? 0 : NOT_CONVERGED;
}

int main(int argc, char **argv) {
    settings s;
    problem P = {0};
    if (spw_comm_start(&argc, &argv, &P.comm)) {
        const bool first = P.comm.rank == 0;
        return first ? complain(NO_MPI, "solve", "%s", spw_message()) : NO_MPI;
    }
    /* All read the same command line, and one complains. */
    if (P.comm.rank > 0 && !freopen("/dev/null", "w", stderr)) spw_comm_abort(FAILED);
    int status = MISUSED;
    if (read_settings(argc, argv, &s)) {
        const char *why = wrong(&s);
        status = why ? complain(MISUSED, "solve", "%s", why) : run(&s, &P);
    }
    spw_solve_result_destroy(&P.result);
    spw_operator_destroy(&P.M);
    spw_operator_destroy(&P.op);
    spw_rows_destroy(&P.R);
    spw_free(P.b);
    spw_free(P.x);
    spw_comm_end(&P.comm);
    return status;
}

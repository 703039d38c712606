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
#include "base/threads.h"
#include "commands/solving.h"
#include "distributed/rows.h"
#include "formats/generate.h"
#include "perf/timer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FAILED = 1, NO_MPI = 5 };

typedef struct ranks {
    spw_comm comm;
    spw_rows R;
    problem P;       /* of this rank's rows */
    int64_t bytes;   /* of all of A */
    double exchange; /* seconds of one, alone; the slowest rank's */
} ranks;

/* --- the command line ----------------------------------------------------------------------------------- */

static const char *wrong(settings *s) {
    if (!s->matrix) return "which matrix? make solve RANKS=4 MATRIX=laplace2d:500, or a file";
    if (s->precond && !strcmp(s->precond, "none")) s->precond = NULL;
    if (s->solver && strcmp(s->solver, "cg") && strcmp(s->solver, "pcg") &&
        strcmp(s->solver, "bicgstab"))
        return "with RANKS there are the solvers cg, pcg, bicgstab";
    if (s->precond && strcmp(s->precond, "jacobi") && strncmp(s->precond, "bjacobi", 7))
        return "with RANKS there are the preconditioners jacobi and bjacobi";
    if (s->precond && s->solver && !strcmp(s->solver, "cg"))
        return "cg takes no preconditioner, pcg does";
    if (s->solver && !strcmp(s->solver, "pcg") && !s->precond) s->precond = "jacobi";
    if (strcmp(s->rhs, "ones") && strcmp(s->rhs, "random"))
        return "with RANKS the right-hand side is RHS=ones or RHS=random";
    return NULL;
}

static bool read_settings(int argc, char **argv, settings *s) {
    const command_option options[] = {
        SOLVING_OPTIONS(s),
        count_option("--cores", &s->cores, "cores", 1 << 20),
    };
    return read_options("solve", options, sizeof options / sizeof *options, argc, argv);
}

/* --- set-up ---------------------------------------------------------------------------------------------- */

static spw_status load(const settings *s, ranks *all) {
    problem *P = &all->P;
    spw_status status = spw_csr_load(s->matrix, &P->A);
    if (!status) status = spw_csr_inspect(&P->A, &P->info);
    status = spw_comm_agree(&all->comm, status);
    if (!status) {
        all->bytes = spw_csr_bytes(&P->A);
        status = spw_rows_from_csr(&all->comm, &P->A, NULL, &all->R);
    }
    spw_csr_destroy(&P->A);
    return status ? status : spw_operator_from_rows(&all->comm, &all->R, &P->op);
}

static spw_status make_vectors(const settings *s, ranks *all) {
    const spw_status mine = solving_vectors(&all->P, all->R.first[all->comm.rank]);
    const spw_status status = spw_comm_agree(&all->comm, mine);
    if (!status) solving_start(s, &all->P);
    return status;
}

/* Of its own diagonal block alone. Blocks of bjacobi end where a rank's rows do. */
static spw_status precondition(const settings *s, ranks *all) {
    problem *P = &all->P;
    P->has_M = s->precond != NULL;
    const spw_status status =
        P->has_M ? spw_precond_named(s->precond, &all->R.local, &P->M) : SPW_OK;
    return spw_comm_agree(&all->comm, status);
}

/* --- solving --------------------------------------------------------------------------------------------- */

/* One exchange with nothing beside it, the best of some. */
static spw_status time_exchange(ranks *all) {
    const int64_t n = all->R.pairs.to_ptr[all->R.pairs.n_to];
    double *room = NULL;
    spw_transfer t = {0};
    spw_status status = SPW_ALLOC_ZERO(&room, n + all->R.n_ghosts);
    if (!status) status = spw_transfer_create(&all->R.pairs, &t);
    status = spw_comm_agree(&all->comm, status);
    all->exchange = INFINITY;
    for (int k = 0; k < 5 && !status; k++) {
        double met = 0;
        spw_comm_sum(&all->comm, 1, &met); /* together */
        double seconds = -spw_now();
        spw_transfer_begin(&all->R.pairs, room, room + n, &t);
        spw_transfer_finish(&t);
        seconds += spw_now();
        spw_comm_max(&all->comm, 1, &seconds);
        all->exchange = fmin(all->exchange, seconds);
    }
    spw_transfer_destroy(&t);
    spw_free(room);
    return status;
}

/* --- the report ------------------------------------------------------------------------------------------ */

static void print_result(const settings *s, const ranks *all, double error, const double *sent) {
    const problem *P = &all->P;
    const spw_solve_result *r = &P->result;
    const int n = all->comm.size, threads = spw_max_threads();
    solving_print_problem(s, P);
    printf("%d rank%s of %d thread%s\n", n, n == 1 ? "" : "s", threads, threads == 1 ? "" : "s");
    printf("each rank held all of A while it took its rows: %.1f MB\n", 1e-6 * (double)all->bytes);
    solving_print_end(s, P, error);
    printf("  a product sends %.0f messages, %.0f bytes: the least that its rows need\n", sent[0],
           sent[1]);
    if (s->cores && n > s->cores) {
        printf("  more ranks than cores: no speed is told\n");
        return;
    }
    printf("  %d iteration%s in %.3f s: %.3f ms each\n", r->iterations,
           r->iterations == 1 ? "" : "s", r->seconds,
           1e3 * r->seconds / (r->iterations ? r->iterations : 1));
    printf("  an exchange with nothing beside it takes %.3f ms\n", 1e3 * all->exchange);
}

/* Without a solver's name: what the matrix allows. */
static const char *choose(settings *s, bool symmetric) {
    if (!s->solver) s->solver = !symmetric ? "bicgstab" : s->precond ? "pcg" : "cg";
    return strcmp(s->solver, "bicgstab") && !symmetric
               ? "needs a symmetric matrix. SOLVER=bicgstab does not"
               : NULL;
}

/* Errors are the same on all ranks: the first of them says what its own was. */
static int run(settings *s, ranks *all) {
    const bool speaks = all->comm.rank == 0;
    spw_status status = load(s, all);
    const char *why = status ? NULL : choose(s, solving_symmetric(&all->P.info));
    if (why)
        return speaks ? complain(FAILED, "solve", "%s: %s %s", s->matrix, s->solver, why) : FAILED;
    if (!status) status = make_vectors(s, all);
    if (!status) status = precondition(s, all);
    if (!status) status = solving_run(s, &all->P, speaks);
    if (!status) status = time_exchange(all);
    if (status)
        return speaks ? complain(FAILED, "solve", "%s: %s", s->matrix, spw_message()) : FAILED;
    double error = solving_error(&all->P);
    double sent[2] = {(double)spw_rows_messages(&all->R), (double)spw_rows_bytes(&all->R)};
    spw_comm_max(&all->comm, 1, &error);
    spw_comm_sum(&all->comm, 2, sent);
    if (speaks) print_result(s, all, error, sent);
    return all->P.result.stop == SPW_STOP_CONVERGED ? 0 : NOT_CONVERGED;
}

int main(int argc, char **argv) {
    settings s = SOLVING_SETTINGS;
    ranks all = {0};
    if (spw_comm_start(&argc, &argv, &all.comm)) {
        const bool first = all.comm.rank == 0;
        return first ? complain(NO_MPI, "solve", "%s", spw_message()) : NO_MPI;
    }
    /* All read the same command line, and one complains. */
    if (all.comm.rank > 0 && !freopen("/dev/null", "w", stderr)) spw_comm_abort(FAILED);
    int status = MISUSED;
    if (read_settings(argc, argv, &s)) {
        const char *why = wrong(&s);
        status = why ? complain(MISUSED, "solve", "%s", why) : run(&s, &all);
    }
    solving_destroy(&all.P);
    spw_rows_destroy(&all.R);
    spw_comm_end(&all.comm);
    return status;
}

/* commands/solve_ranks.c -- solves A x = b, or A x = lambda x, with several ranks of MPI. lib/commands/solve_ranks.sh
 * starts it:
 *
 *   mpirun -n 4 solve_ranks --matrix NAME [--solver cg|pcg|bicgstab|lobpcg] [--precond NAME] [--tolerance T]
 *          [--rhs ones|random] [--iterations N] [--nv N] [--which smallest|largest] [--format NAME]
 *          [--cores N]
 *
 * As solve does, but each rank has a block of rows. Rank 0 prints: what solve does, how many messages and
 * bytes a product sends, counted by PMPI, beside the least that the rows need, and the time in messages and sums.
 * --cores: of this machine; more ranks than cores are allowed, and no speed is told then.
 * Exit status: 0 converged; 3 did not converge; 1 with one line of what went wrong; 2 misused; 5 no MPI. */
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "commands/solving.h"
#include "distributed/rows.h"
#include "formats/generate.h"
#include "kernels/blas1.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FAILED = 1, NO_MPI = 5, SYMMETRY_SEED = 53 };

typedef struct ranks {
    spw_comm comm;
    spw_rows R;
    problem P;           /* of this rank's rows */
    double held;         /* bytes while the rows were taken, of the rank with most */
    spw_traffic product; /* of one, all ranks together */
    double
        waited[2]; /* seconds in messages and in sums while it was solved, on the rank with most */
} ranks;

/* --- the command line ----------------------------------------------------------------------------------- */

static const char *wrong(settings *s, const ranks *all) {
    if (solving_check(s)) return spw_message();
    const char *solver = s->solver ? s->solver : "";
    if (*solver && !s->eigen && strcmp(solver, "cg") && strcmp(solver, "pcg") &&
        strcmp(solver, "bicgstab"))
        return "with RANKS there are the solvers cg, pcg, bicgstab, lobpcg";
    if (s->precond && strcmp(s->precond, "none") &&
        spw_precond_of_ranks(s->precond, all->comm.size))
        return spw_message();
    if (s->eigen) return NULL;
    if (s->precond && !strcmp(s->precond, "none")) s->precond = NULL;
    if (s->precond && !strcmp(solver, "cg")) return "cg takes no preconditioner, pcg does";
    if (!strcmp(solver, "pcg") && !s->precond) s->precond = "jacobi";
    if (strcmp(s->rhs, "ones") && strcmp(s->rhs, "random"))
        return "with RANKS the right-hand side is RHS=ones or RHS=random";
    return NULL;
}

static bool read_settings(int argc, char **argv, settings *s) {
    const command_option options[] = {SOLVING_OPTIONS(s),
                                      count_option("--cores", &s->cores, "cores", 1 << 20)};
    return read_options("solve", options, sizeof options / sizeof *options, argc, argv);
}

/* --- set-up ---------------------------------------------------------------------------------------------- */

/* x . A y = y . A x for all x and y, so for two random ones: no rank needs to see the rows of another. And what a
 * product asks of MPI. */
static spw_status try_products(ranks *all) {
    const spw_operator *A = &all->P.op;
    const int64_t n = A->n;
    double *x;
    const spw_status status = spw_comm_agree(&all->comm, SPW_ALLOC(&x, 4 * n));
    if (status) return status;
    double *y = x + n, *A_x = y + n, *A_y = A_x + n, sums[5];
    for (int64_t i = 0; i < 2 * n; i++)
        x[i] = spw_random_double(SYMMETRY_SEED, (uint64_t)(2 * (A->first + i % n) + i / n)) - 0.5;
    const spw_traffic before = spw_comm_traffic();
    spw_operator_apply(A, x, A_x);
    const spw_traffic after = spw_comm_traffic();
    spw_operator_apply(A, y, A_y);
    sums[0] = spw_dot_omp(n, x, A_y);
    sums[1] = spw_dot_omp(n, y, A_x);
    sums[2] = 0;
    for (int64_t i = 0; i < n; i++) sums[2] += fabs(x[i] * A_y[i]) + fabs(y[i] * A_x[i]);
    sums[3] = after.messages - before.messages;
    sums[4] = after.bytes - before.bytes;
    spw_comm_sum(&all->comm, 5, sums);
    all->product = (spw_traffic){.messages = sums[3], .bytes = sums[4]};
    all->P.info.asymmetry = sums[2] > 0 ? fabs(sums[0] - sums[1]) / sums[2] : 0;
    spw_free(x);
    return SPW_OK;
}

static spw_status load(const settings *s, ranks *all) {
    const int at_once = s->eigen ? 2 * s->pairs.nv + 4 : 1;
    problem *P = &all->P;
    spw_status status = spw_rows_load(&all->comm, s->matrix, &all->R, &all->held);
    if (!status) status = spw_operator_from_rows(&all->comm, &all->R, at_once, s->format, &P->op);
    if (!status) status = try_products(all);
    if (!status)
        status = spw_comm_agree(&all->comm, solving_vectors(P, all->R.first[all->comm.rank]));
    P->info.n_rows = P->info.n_cols = (spw_idx)all->R.n_global;
    return status;
}

/* Without a solver's name: what the matrix allows. */
static const char *choose(settings *s, const ranks *all) {
    const bool symmetric = solving_symmetric(&all->P.info);
    if (!s->solver) s->solver = !symmetric ? "bicgstab" : s->precond ? "pcg" : "cg";
    return strcmp(s->solver, "bicgstab") && !symmetric
               ? s->eigen ? "needs a symmetric matrix"
                          : "needs a symmetric matrix. SOLVER=bicgstab does not"
               : NULL;
}

static spw_status precondition(settings *s, ranks *all) {
    problem *P = &all->P;
    if (s->eigen && !s->precond && !s->pairs.largest) {
        double others = !solving_positive_diagonal(&all->R.local);
        spw_comm_sum(&all->comm, 1, &others);
        if (!others) s->precond = "jacobi";
    }
    if (s->precond && !strcmp(s->precond, "none")) s->precond = NULL;
    P->has_M = s->precond != NULL;
    return P->has_M ? spw_precond_from_rows(&all->comm, &all->R, &P->op, s->precond, &P->M)
                    : SPW_OK;
}

/* --- solving --------------------------------------------------------------------------------------------- */

static spw_status solve(const settings *s, ranks *all) {
    const bool shown = all->comm.rank == 0;
    const spw_traffic before = spw_comm_traffic();
    if (!s->eigen) solving_start(s, &all->P);
    const spw_status status = solving_run(s, &all->P, shown);
    const spw_traffic after = spw_comm_traffic();
    all->waited[0] = after.message_seconds - before.message_seconds;
    all->waited[1] = after.sum_seconds - before.sum_seconds;
    spw_comm_max(&all->comm, 2, all->waited);
    return status;
}

/* --- the report ------------------------------------------------------------------------------------------ */

static void print_speed(const settings *s, const ranks *all) {
    const int n = all->comm.size;
    const int iterations = all->P.result.iterations;
    const double seconds = all->P.result.seconds;
    const double one = 1e3 / (iterations ? iterations : 1);
    if (s->cores && n > s->cores) {
        printf("  more ranks than cores: no speed is told\n");
        return;
    }
    printf("  %d iteration%s in %.3f s: %.3f ms each\n", iterations, iterations == 1 ? "" : "s",
           seconds, one * seconds);
    if (n > 1)
        printf("  of these up to %.3f ms in messages and %.3f ms in sums, with waiting\n",
               one * all->waited[0], one * all->waited[1]);
}

static void print_result(const settings *s, const ranks *all, double error, const double *least) {
    const problem *P = &all->P;
    const spw_traffic *t = &all->product;
    const int n = all->comm.size, threads = spw_max_threads();
    const bool is_least = t->messages == least[0] && t->bytes == least[1];
    printf("%s   %" PRId64 " rows, %" PRId64 " entries, %s\n", s->matrix, all->R.n_global,
           all->R.nnz_global, solving_symmetric(&P->info) ? "symmetric" : "not symmetric");
    solving_print_method(s, P);
    printf("%d rank%s of %d thread%s\n", n, n == 1 ? "" : "s", threads, threads == 1 ? "" : "s");
    printf("%s: %.1f MB\n",
           spw_is_generator(s->matrix)
               ? "each rank made its own rows alone, the largest part in CSR"
               : "rank 0 read A in blocks for all; the most that a rank held of it",
           1e-6 * all->held);
    solving_print_end(s, P, error);
    if (s->eigen) solving_print_pairs(s, P);
    printf("  a product sends %.0f messages, %.0f bytes: ", t->messages, t->bytes);
    printf(is_least ? "the least that its rows need\n" : "%.0f and %.0f would do\n", least[0],
           least[1]);
    print_speed(s, all);
}

/* Errors are the same on all ranks, and rank 0 tells them. */
static int run(settings *s, ranks *all) {
    const bool speaks = all->comm.rank == 0;
    spw_status status = load(s, all);
    const char *why = status ? NULL : choose(s, all);
    if (why)
        return speaks ? complain(FAILED, "solve", "%s: %s %s", s->matrix, s->solver, why) : FAILED;
    if (!status) status = precondition(s, all);
    if (!status) status = solve(s, all);
    if (status)
        return speaks ? complain(FAILED, "solve", "%s: %s", s->matrix, spw_message()) : FAILED;
    double error = solving_error(&all->P), least[2];
    spw_comm_max(&all->comm, 1, &error);
    spw_rows_least(&all->comm, &all->R, &least[0], &least[1]);
    if (speaks) print_result(s, all, error, least);
    return all->P.result.stop == SPW_STOP_CONVERGED ? 0 : NOT_CONVERGED;
}

int main(int argc, char **argv) {
    settings s = {0};
    ranks all = {0};
    if (spw_comm_start(&argc, &argv, &all.comm)) {
        const bool first = all.comm.rank == 0;
        return first ? complain(NO_MPI, "solve", "%s", spw_message()) : NO_MPI;
    }
    /* All read the same command line, and one complains. */
    if (all.comm.rank > 0 && !freopen("/dev/null", "w", stderr)) spw_comm_abort(FAILED);
    int status = MISUSED;
    if (read_settings(argc, argv, &s)) {
        const char *why = wrong(&s, &all);
        status = why ? complain(MISUSED, "solve", "%s", why) : run(&s, &all);
    }
    solving_destroy(&all.P);
    spw_rows_destroy(&all.R);
    fflush(stdout); /* a launcher may end all ranks when one leaves with a status */
    spw_comm_end(&all.comm);
    return status;
}

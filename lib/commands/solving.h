/* commands/solving.h -- what solve and solve_ranks have in common. */
#pragma once

#include "commands/command.h"
#include "formats/info.h"
#include "solvers/lobpcg.h"
#include "solvers/precond.h"
#include "solvers/refine.h"

/* Of what a program ends with. */
enum { MISUSED = 2, NOT_CONVERGED = 3 };

typedef struct settings {
    const char *matrix, *solver, *precond, *rhs, *which, *out, *format, *record;
    const spw_precond *row; /* of precond, or NULL */
    double tolerance;
    int iterations, threads, plain, cores;
    bool eigen;               /* lobpcg, which has no right-hand side */
    spw_lobpcg_options pairs; /* of it */
} settings;

/* Rows of a table of options, and what they leave to be checked: the usual takes the place of what was not given.
 * SPW_ERR_ARG, with a message. */
#define SOLVING_OPTIONS(s)                                                                         \
    text_option("--matrix", &(s)->matrix), text_option("--solver", &(s)->solver),                  \
        text_option("--precond", &(s)->precond),                                                   \
        tolerance_option("--tolerance", &(s)->tolerance, "TOL"), text_option("--rhs", &(s)->rhs),  \
        count_option("--iterations", &(s)->iterations, "ITERATIONS", 1000000000),                  \
        count_option("--nv", &(s)->pairs.nv, "NV", SPW_LOBPCG_MAX),                                \
        text_option("--which", &(s)->which), text_option("--format", &(s)->format)
spw_status solving_check(settings *s);

typedef struct problem {
    spw_csr A;
    spw_csr_info info;          /* of all of A */
    spw_operator op, M, single; /* single: A for one vector, of a preconditioner that multiplies */
    bool has_M;
    spw_operator_float S; /* of refine */
    double *b, *x;
    spw_solve_result result;
    spw_lobpcg_result pairs; /* of lobpcg; result has why it stopped, and how long it took */
} problem;

void solving_destroy(problem *P);

/* But for rounding. */
bool solving_symmetric(const spw_csr_info *info);

/* x = 1, and b in (-1, 1), the same whoever has its row; first: the number of row 0. */
spw_status solving_vectors(problem *P, int64_t first);

/* b = A x where rhs is "ones", so that the answer is known; then x = 0. */
void solving_start(const settings *s, problem *P);

/* Solves, with a line of progress where it is shown. */
spw_status solving_run(const settings *s, problem *P, bool shown);

/* max |x - 1|, the error where the answer is known. */
double solving_error(const problem *P);

/* How it is solved, up to the tolerance and b; a line is left open. */
void solving_print_method(const settings *s, const problem *P);

/* Why it stopped, residuals, and the error where it is known. */
void solving_print_end(const settings *s, const problem *P, double error);

/* Of eigenpairs: the table; and is the diagonal positive? Then Jacobi's preconditioner is symmetric positive definite, and
 * cheap enough to be the default. */
void solving_print_pairs(const settings *s, const problem *P);
bool solving_positive_diagonal(const spw_csr *A);

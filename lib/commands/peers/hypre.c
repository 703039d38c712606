/* commands/peers/hypre.c -- hypre: a ParCSR matrix, rows among one rank a thread.
 * Its CG alone and with Jacobi.
 * needs: libhypre-dev openmpi-bin
 * build: $MPICC -std=gnu11 $OPT -I/usr/include/hypre -lHYPRE -lm
 * run:   mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -n $RANKS
 * ranks: threads
 */
#include "commands/peers/peer.h"

#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>
#include <HYPRE_parcsr_mv.h>
#include <mpi.h>
#include <stdlib.h>

typedef struct product {
    HYPRE_IJMatrix A;
    HYPRE_IJVector x, y;
    HYPRE_ParCSRMatrix A_object;
    HYPRE_ParVector x_object, y_object;
    HYPRE_Solver solver; /* NULL: y = A x */
    double setup;
} product;

static void start(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    HYPRE_Init();
}

static void barrier(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

static void finish(void)
{
    HYPRE_Finalize();
    MPI_Finalize();
}

static void destroy(void *made)
{
    product *m = made;
    if (m->solver) HYPRE_ParCSRPCGDestroy(m->solver);
    HYPRE_IJMatrixDestroy(m->A);
    HYPRE_IJVectorDestroy(m->x);
    HYPRE_IJVectorDestroy(m->y);
    free(m);
}

static void build_matrix(const peer_problem *p, product *m)
{
    const int32_t first = p->row_begin, n = p->row_end - first;
    HYPRE_Int *lengths = malloc(sizeof *lengths * (size_t)(n + 1));
    HYPRE_BigInt *rows = malloc(sizeof *rows * (size_t)(n + 1));
    for (int32_t i = 0; i < n; i++) {
        lengths[i] = p->row_ptr[first + i + 1] - p->row_ptr[first + i];
        rows[i] = first + i;
    }
    HYPRE_IJMatrixCreate(MPI_COMM_WORLD, first, p->row_end - 1, first, p->row_end - 1, &m->A);
    HYPRE_IJMatrixSetObjectType(m->A, HYPRE_PARCSR);
    HYPRE_IJMatrixSetRowSizes(m->A, lengths);
    HYPRE_IJMatrixInitialize(m->A);
    HYPRE_IJMatrixSetValues(m->A, n, lengths, rows, p->col_idx + p->row_ptr[first],
                            p->val + p->row_ptr[first]);
    HYPRE_IJMatrixAssemble(m->A);
    HYPRE_IJMatrixGetObject(m->A, (void **)&m->A_object);
    free(lengths);
    free(rows);
}

static void build_vector(const peer_problem *p, const double *from, HYPRE_IJVector *x,
                         HYPRE_ParVector *object)
{
    HYPRE_IJVectorCreate(MPI_COMM_WORLD, p->row_begin, p->row_end - 1, x);
    HYPRE_IJVectorSetObjectType(*x, HYPRE_PARCSR);
    HYPRE_IJVectorInitialize(*x);
    for (HYPRE_BigInt i = p->row_begin; i < p->row_end; i++) {
        const double value = from ? from[i] : 0;
        HYPRE_IJVectorSetValues(*x, 1, &i, &value);
    }
    HYPRE_IJVectorAssemble(*x);
    HYPRE_IJVectorGetObject(*x, (void **)object);
}

static void *make(const peer_problem *p, const char *parameters)
{
    (void)parameters;
    if (p->n_rows != p->n_cols) return peer_refuse("the matrix is not square");
    product *m = calloc(1, sizeof *m);
    if (!m) return peer_refuse("no memory");
    build_matrix(p, m);
    build_vector(p, p->x, &m->x, &m->x_object);
    build_vector(p, NULL, &m->y, &m->y_object);
    return m;
}

static int run(void *made, int calls, double *numbers)
{
    (void)numbers;
    product *m = made;
    for (int c = 0; c < calls; c++)
        HYPRE_ParCSRMatrixMatvec(1, m->A_object, m->x_object, 0, m->y_object);
    return 0;
}

/* --- conjugate gradients: x is the right-hand side ------------------------------------------------------ */

static void *make_cg(const peer_problem *p, const char *parameters)
{
    product *m = make(p, parameters);
    const int iterations = (int)peer_number(parameters, "iterations", 0);
    if (!m) return NULL;
    HYPRE_ParCSRPCGCreate(MPI_COMM_WORLD, &m->solver);
    HYPRE_PCGSetMaxIter(m->solver, iterations > 0 ? iterations : 100000);
    HYPRE_PCGSetTol(m->solver, peer_number(parameters, "tolerance", 1e-30));
    HYPRE_PCGSetTwoNorm(m->solver,
                        iterations == 0); /* without a preconditioner it is the same one */
    HYPRE_PCGSetPrintLevel(m->solver, 0);
    HYPRE_PCGSetLogging(m->solver, 0);
    if (iterations == 0)
        HYPRE_PCGSetPrecond(m->solver, (HYPRE_PtrToSolverFcn)HYPRE_ParCSRDiagScale,
                            (HYPRE_PtrToSolverFcn)HYPRE_ParCSRDiagScaleSetup, NULL);
    barrier();
    const double begin = MPI_Wtime();
    HYPRE_ParCSRPCGSetup(m->solver, m->A_object, m->x_object, m->y_object);
    barrier();
    m->setup = MPI_Wtime() - begin;
    return m;
}

static int run_cg(void *made, int calls, double *numbers)
{
    product *m = made;
    HYPRE_Int iterations = 0;
    for (int c = 0; c < calls; c++) {
        HYPRE_ParVectorSetConstantValues(m->y_object, 0);
        HYPRE_ParCSRPCGSolve(m->solver, m->A_object, m->x_object, m->y_object);
    }
    HYPRE_ClearAllErrors(); /* not converged, where iterations were asked for */
    HYPRE_PCGGetNumIterations(m->solver, &iterations);
    numbers[0] = iterations;
    numbers[1] = m->setup;
    return 2;
}

static void result(void *made, const peer_problem *p)
{
    const product *m = made;
    for (HYPRE_BigInt i = p->row_begin; i < p->row_end; i++)
        HYPRE_IJVectorGetValues(m->y, 1, &i, p->y + i);
}

static const peer_method methods[] = {
    {"spmv", "parcsr", 0, make, run, result, destroy},
    {"cg", "parcsr", 0, make_cg, run_cg, result, destroy},
    {"pcg", "jacobi", 0, make_cg, run_cg, result, destroy},
    {0},
};

const peer_plugin plugin = {"hypre", HYPRE_RELEASE_VERSION, start, barrier, finish, methods};

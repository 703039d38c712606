/* commands/peers/hypre.c -- hypre: a ParCSR matrix, rows among one rank a thread.
 * Its CG alone and with Jacobi, its LOBPCG.
 * needs: libhypre-dev openmpi-bin
 * build: $MPICC -std=gnu11 $OPT -I/usr/include/hypre -lHYPRE -lm
 * run:   mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -n $RANKS
 * ranks: threads
 */
#include "commands/peers/peer.h"

#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_krylov.h>
#include <HYPRE_lobpcg.h>
#include <HYPRE_parcsr_ls.h>
#include <HYPRE_parcsr_mv.h>
#include <_hypre_parcsr_mv.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

typedef struct product {
    HYPRE_IJMatrix A;
    HYPRE_IJVector x, y;
    HYPRE_ParCSRMatrix A_object;
    HYPRE_ParVector x_object, y_object;
    HYPRE_Solver solver; /* NULL: y = A x */
    double setup;
} product;

static void start(int *argc, char ***argv) {
    MPI_Init(argc, argv);
    HYPRE_Init();
}

static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }

static void finish(void) {
    HYPRE_Finalize();
    MPI_Finalize();
}

static void destroy(void *made) {
    product *m = made;
    if (m->solver) HYPRE_ParCSRPCGDestroy(m->solver);
    HYPRE_IJMatrixDestroy(m->A);
    HYPRE_IJVectorDestroy(m->x);
    HYPRE_IJVectorDestroy(m->y);
    free(m);
}

static void build_matrix(const peer_problem *p, product *m) {
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
                         HYPRE_ParVector *object) {
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

/* For each entry put into a row hypre looks through those that are there: 26 s for 400,000 entries, 97 s for
 * 800,000 (Intel Xeon, Sapphire Rapids, 2026-11-28), so 17 hours for the 20 million of arrow. */
enum { LONGEST_ROW = 200000 };

static void *make(const peer_problem *p, const char *parameters) {
    (void)parameters;
    if (p->n_rows != p->n_cols) return peer_refuse("the matrix is not square");
    for (int32_t i = 0; i < p->n_rows; i++)
        if (p->row_ptr[i + 1] - p->row_ptr[i] > LONGEST_ROW)
            return peer_refuse("hypre takes too long to build a row of %d entries",
                               p->row_ptr[i + 1] - p->row_ptr[i]);
    product *m = calloc(1, sizeof *m);
    if (!m) return peer_refuse("no memory");
    build_matrix(p, m);
    build_vector(p, p->x, &m->x, &m->x_object);
    build_vector(p, NULL, &m->y, &m->y_object);
    return m;
}

static int run(void *made, int calls, double *numbers) {
    (void)numbers;
    product *m = made;
    for (int c = 0; c < calls; c++)
        HYPRE_ParCSRMatrixMatvec(1, m->A_object, m->x_object, 0, m->y_object);
    return 0;
}

/* --- conjugate gradients: x is the right-hand side ------------------------------------------------------ */

static void *make_cg(const peer_problem *p, const char *parameters) {
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

static int run_cg(void *made, int calls, double *numbers) {
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

static void result(void *made, const peer_problem *p) {
    const product *m = made;
    for (HYPRE_BigInt i = p->row_begin; i < p->row_end; i++)
        HYPRE_IJVectorGetValues(m->y, 1, &i, p->y + i);
}

/* --- eigenvalues ------------------------------------------------------------------------------------- */

typedef struct eigensolver {
    product *of;
    HYPRE_Solver solver;
    mv_InterfaceInterpreter interpreter;
    HYPRE_MatvecFunctions functions;
    mv_MultiVectorPtr vectors;
    double *guess, *lambda; /* [rows of this rank * nv] row-major, [nv] */
    int32_t rows;
    int nv;
} eigensolver;

/* This rank's part of one of the vectors. */
static double *local(const eigensolver *s, int v) {
    const mv_TempMultiVector *all = mv_MultiVectorGetData(s->vectors);
    return hypre_VectorData(hypre_ParVectorLocalVector((hypre_ParVector *)all->vector[v]));
}

static void destroy_eigensolver(void *made) {
    eigensolver *s = made;
    HYPRE_LOBPCGDestroy(s->solver);
    mv_MultiVectorDestroy(s->vectors);
    destroy(s->of);
    free(s->guess);
    free(s->lambda);
    free(s);
}

static void *make_lobpcg(const peer_problem *p, const char *parameters) {
    const size_t rows = (size_t)(p->row_end - p->row_begin), nv = (size_t)p->nv;
    eigensolver *s = calloc(1, sizeof *s);
    product *of = make(p, parameters);
    if (!s || !of) return NULL;
    s->of = of;
    s->rows = (int32_t)rows;
    s->nv = p->nv;
    s->lambda = calloc(nv, sizeof *s->lambda);
    s->guess = malloc((rows * nv + 1) * sizeof *s->guess);
    memcpy(s->guess, p->x + (size_t)p->row_begin * nv, rows * nv * sizeof *s->guess);
    HYPRE_ParCSRSetupInterpreter(&s->interpreter);
    HYPRE_ParCSRSetupMatvec(&s->functions);
    s->vectors = mv_MultiVectorCreateFromSampleVector(&s->interpreter, s->nv, of->x_object);
    HYPRE_LOBPCGCreate(&s->interpreter, &s->functions, &s->solver);
    HYPRE_LOBPCGSetMaxIter(s->solver, (int)peer_number(parameters, "iterations", 100));
    HYPRE_LOBPCGSetTol(s->solver, 1e-30);
    HYPRE_LOBPCGSetPrintLevel(s->solver, 0);
    HYPRE_LOBPCGSetup(s->solver, (HYPRE_Matrix)of->A_object, (HYPRE_Vector)of->y_object,
                      (HYPRE_Vector)of->x_object);
    return s;
}

static int run_lobpcg(void *made, int calls, double *numbers) {
    eigensolver *s = made;
    for (int c = 0; c < calls; c++) {
        for (int v = 0; v < s->nv; v++)
            for (int64_t i = 0; i < s->rows; i++) local(s, v)[i] = s->guess[i * s->nv + v];
        HYPRE_LOBPCGSolve(s->solver, NULL, s->vectors, s->lambda);
    }
    HYPRE_ClearAllErrors(); /* not converged: iterations were asked for */
    numbers[0] = HYPRE_LOBPCGIterations(s->solver);
    return 1;
}

static void result_lobpcg(void *made, const peer_problem *p) {
    const eigensolver *s = made;
    for (int v = 0; v < s->nv; v++)
        for (int64_t i = 0; i < s->rows; i++) p->y[(p->row_begin + i) * s->nv + v] = local(s, v)[i];
}

static const peer_method methods[] = {
    {"spmv", "parcsr", 0, make, run, result, destroy},
    {"cg", "parcsr", 0, make_cg, run_cg, result, destroy},
    {"pcg", "jacobi", 0, make_cg, run_cg, result, destroy},
    {"lobpcg", "lobpcg", 0, make_lobpcg, run_lobpcg, result_lobpcg, destroy_eigensolver},
    {0},
};

const peer_plugin plugin = {"hypre", HYPRE_RELEASE_VERSION, start, barrier, finish, methods};

/* commands/peers/slepc.c -- SLEPc's LOBPCG on one rank a thread: all vectors in one block, none locked, no
 * preconditioner, PETSc's AIJ.
 * needs: slepc-dev openmpi-bin
 * build: $MPICC -std=gnu11 $OPT $(pkg-config --cflags --libs SLEPc PETSc)
 * run:   mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -n $RANKS
 * ranks: threads
 */
#include "commands/peers/peer.h"

#include <slepceps.h>
#include <stdlib.h>

typedef struct solver {
    Mat A;
    EPS eps;
    int nv, iterations;
    int asked;  /* in this solution, whether a pair has converged */
    Vec *guess; /* [nv] */
    Vec found;
} solver;

static void start(int *argc, char ***argv) {
    (void)argc; /* its own options are not SLEPc's */
    (void)argv;
    SlepcInitializeNoArguments();
}

static void barrier(void) { MPI_Barrier(PETSC_COMM_WORLD); }

static void finish(void) { SlepcFinalize(); }

static void destroy(void *made) {
    solver *s = made;
    EPSDestroy(&s->eps);
    if (s->guess) VecDestroyVecs(s->nv, &s->guess);
    VecDestroy(&s->found);
    MatDestroy(&s->A);
    free(s);
}

static PetscErrorCode build_matrix(const peer_problem *p, Mat *A) {
    const PetscInt rows = p->row_end - p->row_begin, first = p->row_ptr[p->row_begin];
    PetscInt *row_ptr;
    PetscCall(PetscMalloc1(rows + 1, &row_ptr));
    for (PetscInt i = 0; i <= rows; i++) row_ptr[i] = p->row_ptr[p->row_begin + i] - first;
    PetscCall(MatCreateMPIAIJWithArrays(PETSC_COMM_WORLD, rows, rows, p->n_rows, p->n_cols, row_ptr,
                                        p->col_idx + first, p->val + first, A));
    PetscCall(PetscFree(row_ptr));
    return 0;
}

static PetscErrorCode build_guess(const peer_problem *p, solver *s) {
    PetscCall(MatCreateVecs(s->A, &s->found, NULL));
    PetscCall(VecDuplicateVecs(s->found, p->nv, &s->guess));
    s->nv = p->nv;
    for (int v = 0; v < p->nv; v++) {
        PetscScalar *at;
        PetscCall(VecGetArray(s->guess[v], &at));
        for (int64_t i = p->row_begin; i < p->row_end; i++)
            at[i - p->row_begin] = p->x[i * p->nv + v];
        PetscCall(VecRestoreArray(s->guess[v], &at));
    }
    return 0;
}

/* It asks this once before each iteration, as long as the first pair has not converged. Nothing has before
 * all iterations are done, and then everything: only what has converged can be asked for afterwards. */
static PetscErrorCode at_the_end(EPS eps, PetscScalar re, PetscScalar im, PetscReal residual,
                                 PetscReal *error, void *context) {
    solver *s = context;
    (void)eps;
    (void)re;
    (void)im;
    (void)residual;
    *error = s->asked < s->iterations ? 1 : 0;
    s->asked++;
    return 0;
}

static PetscErrorCode build_solver(const peer_problem *p, solver *s) {
    ST st;
    KSP ksp;
    PC pc;
    PetscCall(EPSCreate(PETSC_COMM_WORLD, &s->eps));
    PetscCall(EPSSetOperators(s->eps, s->A, NULL));
    PetscCall(EPSSetProblemType(s->eps, EPS_HEP));
    PetscCall(EPSSetType(s->eps, EPSLOBPCG));
    PetscCall(EPSSetWhichEigenpairs(s->eps, EPS_SMALLEST_REAL));
    PetscCall(EPSSetDimensions(s->eps, p->nv, PETSC_DEFAULT, PETSC_DEFAULT));
    PetscCall(EPSLOBPCGSetBlockSize(s->eps, p->nv));
    PetscCall(EPSLOBPCGSetLocking(s->eps, PETSC_FALSE));
    PetscCall(EPSSetTolerances(s->eps, 1e-12, s->iterations + 1));
    PetscCall(EPSSetConvergenceTestFunction(s->eps, at_the_end, s, NULL));
    PetscCall(EPSGetST(s->eps, &st));
    PetscCall(STSetType(st, STPRECOND));
    PetscCall(STGetKSP(st, &ksp));
    PetscCall(KSPSetType(ksp, KSPPREONLY));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, PCNONE));
    return 0;
}

static PetscErrorCode build(const peer_problem *p, int iterations, solver *s) {
    s->iterations = iterations;
    PetscCall(build_matrix(p, &s->A));
    PetscCall(build_guess(p, s));
    PetscCall(build_solver(p, s));
    return 0;
}

/* All ranks must come to the same result. */
static void *make(const peer_problem *p, const char *parameters) {
    if (p->n_rows != p->n_cols) return peer_refuse("the matrix is not square");
    solver *s = calloc(1, sizeof *s);
    int bad = !s || build(p, (int)peer_number(parameters, "iterations", 100), s) != 0, any;
    MPI_Allreduce(&bad, &any, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD);
    if (!any) return s;
    return peer_refuse("SLEPc cannot make a solver of it"); /* what is half-built stays */
}

static int run(void *made, int calls, double *numbers) {
    solver *s = made;
    PetscInt iterations = 0;
    for (int c = 0; c < calls; c++) {
        s->asked = 0;
        if (EPSSetInitialSpace(s->eps, s->nv, s->guess)) return -1; /* it is used up */
        if (EPSSolve(s->eps)) return -1;
    }
    EPSGetIterationNumber(s->eps, &iterations);
    numbers[0] = iterations;
    return 1;
}

static void result(void *made, const peer_problem *p) {
    solver *s = made;
    PetscInt found = 0;
    EPSGetConverged(s->eps, &found);
    for (int v = 0; v < s->nv && v < found; v++) {
        const PetscScalar *at;
        EPSGetEigenvector(s->eps, v, s->found, NULL);
        VecGetArrayRead(s->found, &at);
        for (int64_t i = p->row_begin; i < p->row_end; i++)
            p->y[i * p->nv + v] = at[i - p->row_begin];
        VecRestoreArrayRead(s->found, &at);
    }
}

static const peer_method methods[] = {
    {"lobpcg", "lobpcg", 0, make, run, result, destroy},
    {0},
};

const peer_plugin plugin = {
    "SLEPc", PEER_VERSION(SLEPC_VERSION_MAJOR, SLEPC_VERSION_MINOR, SLEPC_VERSION_SUBMINOR),
    start,   barrier,
    finish,  methods};

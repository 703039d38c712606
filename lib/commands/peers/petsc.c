/* commands/peers/petsc.c -- PETSc on one rank a thread: rows among the ranks, as AIJ (CSR), SELL, blocks
 * (BAIJ, where there are blocks of 3 x 3) and, for a symmetric matrix, its upper half (SBAIJ). Its CG
 * alone, with Jacobi, and with incomplete factors of each rank's own rows.
 * needs: petsc-dev openmpi-bin
 * build: $MPICC -std=gnu11 $OPT $(pkg-config --cflags --libs PETSc)
 * run:   mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -n $RANKS
 * ranks: threads
 */
#include "commands/peers/peer.h"

#include <petscksp.h>
#include <string.h>

typedef struct product {
    Mat A;
    Vec x, y;
    KSP ksp; /* NULL: y = A x */
    double setup;
} product;

static void start(int *argc, char ***argv) {
    (void)argc; /* its own options are not PETSc's */
    (void)argv;
    PetscInitializeNoArguments();
}

static void barrier(void) { MPI_Barrier(PETSC_COMM_WORLD); }

static void finish(void) { PetscFinalize(); }

static void destroy(void *made) {
    product *m = made;
    KSPDestroy(&m->ksp);
    MatDestroy(&m->A);
    VecDestroy(&m->x);
    VecDestroy(&m->y);
    free(m);
}

/* Columns are shared as the rows are; a rectangular matrix takes PETSc's own shares. */
static PetscInt own_columns(const peer_problem *p) {
    return p->n_rows == p->n_cols ? p->row_end - p->row_begin : PETSC_DECIDE;
}

/* Of each row in blocks: how many of its blocks (only from the diagonal on if `half`) are in the
 * columns of this rank, and how many are not. */
static void count(const peer_problem *p, int bs, int half, PetscInt *own, PetscInt *other) {
    for (int32_t i = p->row_begin; i < p->row_end; i += bs) {
        const int32_t row = (i - p->row_begin) / bs;
        own[row] = other[row] = 0;
        for (int32_t k = p->row_ptr[i]; k < p->row_ptr[i + 1]; k++) {
            const int32_t j = p->col_idx[k];
            if (j % bs || (half && j < i)) continue;
            if (j >= p->row_begin && j < p->row_end)
                own[row]++;
            else
                other[row]++;
        }
    }
}

static PetscErrorCode preallocate(const peer_problem *p, Mat A, const char *type, int bs,
                                  int half) {
    const PetscInt n = (p->row_end - p->row_begin) / bs + 1;
    PetscInt *own, *other;
    PetscCall(PetscMalloc2(n, &own, n, &other));
    count(p, bs, half, own, other);
    PetscCall(MatSetType(A, type));
    PetscCall(MatSeqSELLSetPreallocation(A, 0, own));           /* each does nothing for a */
    PetscCall(MatMPISELLSetPreallocation(A, 0, own, 0, other)); /* matrix of another type */
    if (half)
        PetscCall(MatXAIJSetPreallocation(A, bs, NULL, NULL, own, other));
    else
        PetscCall(MatXAIJSetPreallocation(A, bs, own, other, NULL, NULL));
    PetscCall(PetscFree2(own, other));
    return 0;
}

/* Rows of CSR; an entry below the diagonal is passed over if `half`. */
static PetscErrorCode fill(const peer_problem *p, Mat A, int half) {
    if (half) PetscCall(MatSetOption(A, MAT_IGNORE_LOWER_TRIANGULAR, PETSC_TRUE));
    for (PetscInt i = p->row_begin; i < p->row_end; i++) {
        const int32_t at = p->row_ptr[i], length = p->row_ptr[i + 1] - at;
        PetscCall(MatSetValues(A, 1, &i, length, p->col_idx + at, p->val + at, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    return 0;
}

static PetscErrorCode build(const peer_problem *p, const char *type, int bs, int half, product *m) {
    const PetscInt rows = p->row_end - p->row_begin;
    PetscScalar *x;
    PetscInt begin, end;
    PetscCall(MatCreate(PETSC_COMM_WORLD, &m->A));
    PetscCall(MatSetSizes(m->A, rows, own_columns(p), p->n_rows, p->n_cols));
    PetscCall(MatSetBlockSize(m->A, bs));
    PetscCall(preallocate(p, m->A, type, bs, half));
    PetscCall(fill(p, m->A, half));
    PetscCall(MatCreateVecs(m->A, &m->x, &m->y));
    PetscCall(VecGetOwnershipRange(m->x, &begin, &end));
    PetscCall(VecGetArray(m->x, &x));
    for (PetscInt j = begin; j < end; j++) x[j - begin] = p->x[j];
    PetscCall(VecRestoreArray(m->x, &x));
    return 0;
}

/* All ranks must come to the same result. */
static void *make(const peer_problem *p, const char *type, int bs, int half) {
    product *m = calloc(1, sizeof *m);
    int bad = !m || build(p, type, bs, half, m) != 0, any;
    MPI_Allreduce(&bad, &any, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD);
    if (!any) return m;
    return peer_refuse("PETSc does not take it as %s", type); /* what is half-built stays */
}

static void *make_aij(const peer_problem *p, const char *parameters) {
    (void)parameters;
    return make(p, MATAIJ, 1, 0);
}

static void *make_sell(const peer_problem *p, const char *parameters) {
    (void)parameters;
    return make(p, MATSELL, 1, 0);
}

/* Does each entry stand in a full, aligned block? */
static int has_blocks(const peer_problem *p, int bs) {
    if (p->n_rows % bs || p->n_cols % bs) return 0;
    for (int32_t i = 0; i < p->n_rows; i++) {
        const int32_t first = i / bs * bs, at = p->row_ptr[i], base = p->row_ptr[first];
        const int32_t length = p->row_ptr[i + 1] - at;
        if (length % bs || length != p->row_ptr[first + 1] - base) return 0;
        for (int32_t k = 0; k < length; k++)
            if (p->col_idx[at + k] != p->col_idx[base + k] ||
                p->col_idx[at + k] != p->col_idx[at + k / bs * bs] / bs * bs + k % bs)
                return 0;
    }
    return 1;
}

static void *make_baij(const peer_problem *p, const char *parameters) {
    (void)parameters;
    if (!has_blocks(p, 3)) return peer_refuse("the matrix has no blocks of 3 x 3");
    return make(p, MATBAIJ, 3, 0);
}

static void *make_sbaij(const peer_problem *p, const char *parameters) {
    (void)parameters;
    if (!peer_is_symmetric(p)) return peer_refuse("the matrix is not symmetric");
    return make(p, MATSBAIJ, has_blocks(p, 3) ? 3 : 1, 1);
}

static int run(void *made, int calls, double *numbers) {
    (void)numbers;
    product *m = made;
    for (int c = 0; c < calls; c++)
        if (MatMult(m->A, m->x, m->y)) return -1;
    return 0;
}

/* --- conjugate gradients: x is the right-hand side ------------------------------------------------------ */

/* Each rank's rows with `factors`, its part of the preconditioner. */
static PetscErrorCode set_factors(KSP ksp, const char *factors) {
    PC pc, part_pc;
    KSP *parts;
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCBJacobiGetSubKSP(pc, NULL, NULL, &parts));
    PetscCall(KSPGetPC(parts[0], &part_pc));
    PetscCall(PCSetType(part_pc, factors));
    PetscCall(KSPSetUpOnBlocks(ksp));
    return 0;
}

static PetscErrorCode prepare(product *m, const char *precond, const char *factors,
                              const char *parameters) {
    const PetscInt iterations = (PetscInt)peer_number(parameters, "iterations", 0);
    const PetscReal tolerance = peer_number(parameters, "tolerance", 1e-30);
    PC pc;
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &m->ksp));
    PetscCall(KSPSetOperators(m->ksp, m->A, m->A));
    PetscCall(KSPSetType(m->ksp, KSPCG));
    /* without a preconditioner the natural norm is the same one, for nothing */
    PetscCall(
        KSPSetNormType(m->ksp, iterations > 0 ? KSP_NORM_NATURAL : KSP_NORM_UNPRECONDITIONED));
    PetscCall(KSPSetTolerances(m->ksp, tolerance, 0, 1e30, iterations > 0 ? iterations : 100000));
    PetscCall(KSPGetPC(m->ksp, &pc));
    PetscCall(PCSetType(pc, precond));
    barrier();
    const double begin = MPI_Wtime();
    PetscCall(KSPSetUp(m->ksp));
    if (factors) PetscCall(set_factors(m->ksp, factors));
    barrier();
    m->setup = MPI_Wtime() - begin;
    return 0;
}

static void *make_cg(const peer_problem *p, const char *type, int bs, const char *precond,
                     const char *factors, const char *parameters) {
    if (p->n_rows != p->n_cols) return peer_refuse("the matrix is not square");
    product *m = make(p, type, bs, strcmp(type, MATSBAIJ) == 0);
    if (!m) return NULL;
    int bad = prepare(m, precond, factors, parameters) != 0, any;
    MPI_Allreduce(&bad, &any, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD);
    if (!any) return m;
    destroy(m);
    return peer_refuse("PETSc cannot make %s %s of it", precond, factors ? factors : "");
}

static void *make_cg_aij(const peer_problem *p, const char *parameters) {
    return make_cg(p, MATAIJ, 1, PCNONE, NULL, parameters);
}

static void *make_cg_sell(const peer_problem *p, const char *parameters) {
    return make_cg(p, MATSELL, 1, PCNONE, NULL, parameters);
}

static void *make_cg_baij(const peer_problem *p, const char *parameters) {
    if (!has_blocks(p, 3)) return peer_refuse("the matrix has no blocks of 3 x 3");
    return make_cg(p, MATBAIJ, 3, PCNONE, NULL, parameters);
}

static void *make_cg_sbaij(const peer_problem *p, const char *parameters) {
    if (!peer_is_symmetric(p)) return peer_refuse("the matrix is not symmetric");
    return make_cg(p, MATSBAIJ, has_blocks(p, 3) ? 3 : 1, PCNONE, NULL, parameters);
}

static void *make_pcg_jacobi(const peer_problem *p, const char *parameters) {
    return make_cg(p, MATAIJ, 1, PCJACOBI, NULL, parameters);
}

static void *make_pcg_ic0(const peer_problem *p, const char *parameters) {
    return make_cg(p, MATAIJ, 1, PCBJACOBI, PCICC, parameters);
}

static void *make_pcg_ilu0(const peer_problem *p, const char *parameters) {
    return make_cg(p, MATAIJ, 1, PCBJACOBI, PCILU, parameters);
}

static int run_cg(void *made, int calls, double *numbers) {
    product *m = made;
    PetscInt iterations = 0;
    for (int c = 0; c < calls; c++)
        if (KSPSolve(m->ksp, m->x, m->y)) return -1;
    KSPGetIterationNumber(m->ksp, &iterations);
    numbers[0] = iterations;
    numbers[1] = m->setup;
    return 2;
}

static void result(void *made, const peer_problem *p) {
    const product *m = made;
    const PetscScalar *y;
    VecGetArrayRead(m->y, &y);
    for (int32_t i = p->row_begin; i < p->row_end; i++) p->y[i] = y[i - p->row_begin];
    VecRestoreArrayRead(m->y, &y);
}

static const peer_method methods[] = {
    {"spmv", "aij", 0, make_aij, run, result, destroy},
    {"spmv", "sell", 0, make_sell, run, result, destroy},
    {"spmv", "baij", 1, make_baij, run, result, destroy},
    {"spmv", "sbaij", 1, make_sbaij, run, result, destroy},
    {"cg", "aij", 0, make_cg_aij, run_cg, result, destroy},
    {"cg", "sell", 0, make_cg_sell, run_cg, result, destroy},
    {"cg", "baij", 1, make_cg_baij, run_cg, result, destroy},
    {"cg", "sbaij", 1, make_cg_sbaij, run_cg, result, destroy},
    {"pcg", "jacobi", 0, make_pcg_jacobi, run_cg, result, destroy},
    {"pcg", "ic0", 0, make_pcg_ic0, run_cg, result, destroy},
    {"pcg", "ilu0", 0, make_pcg_ilu0, run_cg, result, destroy},
    {0},
};

const peer_plugin plugin = {
    "PETSc", PEER_VERSION(PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, PETSC_VERSION_SUBMINOR),
    start,   barrier,
    finish,  methods};

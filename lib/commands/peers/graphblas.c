/* commands/peers/graphblas.c -- SuiteSparse:GraphBLAS: a matrix by rows, plus-times over doubles.
 * needs: libgraphblas-dev
 * build: $CC -std=gnu11 $OPT $OPENMP -I/usr/include/suitesparse -lgraphblas
 */
#include "commands/peers/peer.h"

#include <GraphBLAS.h>
#include <stdlib.h>
#include <string.h>

typedef struct product {
    GrB_Matrix A, X, Y;
    GrB_Vector x, y;
} product;

static void start(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    GrB_init(GrB_NONBLOCKING);
    GxB_Global_Option_set(GxB_FORMAT, GxB_BY_ROW);
}

static void finish(void) { GrB_finalize(); }

static void destroy(void *made) {
    product *m = made;
    GrB_free(&m->A);
    GrB_free(&m->X);
    GrB_free(&m->Y);
    GrB_free(&m->x);
    GrB_free(&m->y);
    free(m);
}

static GrB_Matrix matrix_of(const peer_problem *p) {
    GrB_Matrix A = NULL;
    const size_t n = (size_t)p->n_rows + 1, nnz = (size_t)p->nnz;
    GrB_Index *ptr = malloc(n * sizeof *ptr), *idx = malloc(nnz * sizeof *idx);
    double *val = malloc(nnz * sizeof *val);
    if (ptr && idx && val) {
        for (size_t i = 0; i < n; i++) ptr[i] = (GrB_Index)p->row_ptr[i];
        for (size_t k = 0; k < nnz; k++) idx[k] = (GrB_Index)p->col_idx[k];
        memcpy(val, p->val, nnz * sizeof *val);
        if (GrB_Matrix_import_FP64(&A, GrB_FP64, (GrB_Index)p->n_rows, (GrB_Index)p->n_cols, ptr,
                                   idx, val, (GrB_Index)n, (GrB_Index)nnz, (GrB_Index)nnz,
                                   GrB_CSR_FORMAT))
            A = NULL;
    }
    free(ptr);
    free(idx);
    free(val);
    return A;
}

/* malloc's, to be given away; x NULL: zeros. */
static void *copy_of(const double *x, GrB_Index bytes) {
    void *copy = calloc(1, bytes);
    if (copy && x) memcpy(copy, x, bytes);
    return copy;
}

/* A dense vector and a dense matrix by rows; they take a copy of the values. */
static GrB_Vector dense_vector(int64_t n, const double *x) {
    GrB_Vector v = NULL;
    const GrB_Index bytes = (GrB_Index)n * sizeof(double);
    void *copy = copy_of(x, bytes);
    if (!copy) return NULL;
    GrB_Vector_new(&v, GrB_FP64, (GrB_Index)n);
    if (GxB_Vector_pack_Full(v, &copy, bytes, false, NULL)) GrB_free(&v);
    free(copy);
    return v;
}

static GrB_Matrix dense_matrix(int64_t rows, int64_t cols, const double *x) {
    GrB_Matrix M = NULL;
    const GrB_Index bytes = (GrB_Index)(rows * cols) * sizeof(double);
    void *copy = copy_of(x, bytes);
    if (!copy) return NULL;
    GrB_Matrix_new(&M, GrB_FP64, (GrB_Index)rows, (GrB_Index)cols);
    if (GxB_Matrix_pack_FullR(M, &copy, bytes, false, NULL)) GrB_free(&M);
    free(copy);
    return M;
}

static void *make_spmv(const peer_problem *p, const char *parameters) {
    (void)parameters;
    product *m = calloc(1, sizeof *m);
    if (!m) return peer_refuse("no memory");
    m->A = matrix_of(p);
    m->x = dense_vector(p->n_cols, p->x);
    m->y = dense_vector(p->n_rows, NULL);
    if (m->A && m->x && m->y) return m;
    destroy(m);
    return peer_refuse("GraphBLAS does not take the matrix, or no memory");
}

static int run_spmv(void *made, int calls, double *numbers) {
    (void)numbers;
    product *m = made;
    for (int c = 0; c < calls; c++) {
        GrB_mxv(m->y, NULL, NULL, GrB_PLUS_TIMES_SEMIRING_FP64, m->A, m->x, NULL);
        GrB_wait(m->y, GrB_MATERIALIZE);
    }
    return 0;
}

/* Rows without entries have no entry in y. */
static void result_spmv(void *made, const peer_problem *p) {
    product *m = made;
    GrB_Index n = (GrB_Index)p->n_rows;
    GrB_Index *rows = malloc(n * sizeof *rows);
    double *val = malloc(n * sizeof *val);
    if (rows && val) {
        GrB_Vector_extractTuples_FP64(rows, val, &n, m->y);
        memset(p->y, 0, sizeof(double) * (size_t)p->n_rows);
        for (GrB_Index k = 0; k < n; k++) p->y[rows[k]] = val[k];
    }
    free(rows);
    free(val);
}

static void *make_spmm(const peer_problem *p, const char *parameters) {
    (void)parameters;
    product *m = calloc(1, sizeof *m);
    if (!m) return peer_refuse("no memory");
    m->A = matrix_of(p);
    m->X = dense_matrix(p->n_cols, p->nv, p->x);
    m->Y = dense_matrix(p->n_rows, p->nv, NULL);
    if (m->A && m->X && m->Y) return m;
    destroy(m);
    return peer_refuse("GraphBLAS does not take the matrix, or no memory");
}

static int run_spmm(void *made, int calls, double *numbers) {
    (void)numbers;
    product *m = made;
    for (int c = 0; c < calls; c++) {
        GrB_mxm(m->Y, NULL, NULL, GrB_PLUS_TIMES_SEMIRING_FP64, m->A, m->X, NULL);
        GrB_wait(m->Y, GrB_MATERIALIZE);
    }
    return 0;
}

static void result_spmm(void *made, const peer_problem *p) {
    product *m = made;
    GrB_Index n = (GrB_Index)p->n_rows * (GrB_Index)p->nv;
    GrB_Index *rows = malloc(n * sizeof *rows), *cols = malloc(n * sizeof *cols);
    double *val = malloc(n * sizeof *val);
    if (rows && cols && val) {
        GrB_Matrix_extractTuples_FP64(rows, cols, val, &n, m->Y);
        memset(p->y, 0, sizeof(double) * (size_t)p->n_rows * (size_t)p->nv);
        for (GrB_Index k = 0; k < n; k++) p->y[rows[k] * (GrB_Index)p->nv + cols[k]] = val[k];
    }
    free(rows);
    free(cols);
    free(val);
}

static const peer_method methods[] = {
    {"spmv", "by-row", 0, make_spmv, run_spmv, result_spmv, destroy},
    {"spmm", "by-row", 0, make_spmm, run_spmm, result_spmm, destroy},
    {0},
};

const peer_plugin plugin = {
    "SuiteSparse:GraphBLAS",
    PEER_VERSION(GxB_IMPLEMENTATION_MAJOR, GxB_IMPLEMENTATION_MINOR, GxB_IMPLEMENTATION_SUB),
    start,
    NULL,
    finish,
    methods};

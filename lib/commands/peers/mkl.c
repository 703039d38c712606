/* commands/peers/mkl.c -- Intel oneMKL: CSR, inspected and optimised for many products.
 * needs: oneMKL: pip install mkl mkl-devel mkl-include in a Python environment, or intel-mkl of Debian's non-free; MKLROOT= says where
 * build: $CC -std=gnu11 $OPT $OPENMP $(sh "$here/mkl.sh" || echo -lmkl_rt)
 */
#include "commands/peers/peer.h"

#include <mkl.h>
#include <mkl_spblas.h>
#include <stdlib.h>
#include <string.h>

typedef struct product {
    sparse_matrix_t A;
    struct matrix_descr kind;
    MKL_INT *row_ptr, *col_idx;
    double *val, *x, *y;
    int nv;
} product;

static void destroy(void *made) {
    product *m = made;
    if (m->A) mkl_sparse_destroy(m->A);
    free(m->row_ptr);
    free(m->col_idx);
    free(m->val);
    free(m->x);
    free(m->y);
    free(m);
}

static void *make(const peer_problem *p, int block) {
    const size_t rows = (size_t)p->n_rows + 1, nnz = (size_t)p->nnz;
    product *m = calloc(1, sizeof *m);
    if (!m) return peer_refuse("no memory");
    m->nv = p->nv;
    m->kind.type = SPARSE_MATRIX_TYPE_GENERAL;
    m->row_ptr = malloc(rows * sizeof *m->row_ptr);
    m->col_idx = malloc(nnz * sizeof *m->col_idx);
    m->val = malloc(nnz * sizeof *m->val);
    m->x = malloc(sizeof *m->x * (size_t)p->n_cols * (size_t)p->nv);
    m->y = calloc((size_t)p->n_rows * (size_t)p->nv, sizeof *m->y);
    if (m->row_ptr && m->col_idx && m->val && m->x && m->y) {
        for (size_t i = 0; i < rows; i++) m->row_ptr[i] = p->row_ptr[i];
        for (size_t k = 0; k < nnz; k++) m->col_idx[k] = p->col_idx[k];
        memcpy(m->val, p->val, nnz * sizeof *m->val);
        memcpy(m->x, p->x, sizeof *m->x * (size_t)p->n_cols * (size_t)p->nv);
        if (!mkl_sparse_d_create_csr(&m->A, SPARSE_INDEX_BASE_ZERO, p->n_rows, p->n_cols,
                                     m->row_ptr, m->row_ptr + 1, m->col_idx, m->val)) {
            if (block)
                mkl_sparse_set_mm_hint(m->A, SPARSE_OPERATION_NON_TRANSPOSE, m->kind,
                                       SPARSE_LAYOUT_ROW_MAJOR, p->nv, 1000);
            else
                mkl_sparse_set_mv_hint(m->A, SPARSE_OPERATION_NON_TRANSPOSE, m->kind, 1000);
            mkl_sparse_optimize(m->A);
            return m;
        }
    }
    destroy(m);
    return peer_refuse("MKL does not take the matrix, or no memory");
}

static void *make_spmv(const peer_problem *p, const char *parameters) {
    (void)parameters;
    return make(p, 0);
}

static void *make_spmm(const peer_problem *p, const char *parameters) {
    (void)parameters;
    return make(p, 1);
}

static int run_spmv(void *made, int calls, double *numbers) {
    product *m = made;
    (void)numbers;
    for (int c = 0; c < calls; c++)
        if (mkl_sparse_d_mv(SPARSE_OPERATION_NON_TRANSPOSE, 1, m->A, m->kind, m->x, 0, m->y))
            return -1;
    return 0;
}

static int run_spmm(void *made, int calls, double *numbers) {
    product *m = made;
    (void)numbers;
    for (int c = 0; c < calls; c++)
        if (mkl_sparse_d_mm(SPARSE_OPERATION_NON_TRANSPOSE, 1, m->A, m->kind,
                            SPARSE_LAYOUT_ROW_MAJOR, m->x, m->nv, m->nv, 0, m->y, m->nv))
            return -1;
    return 0;
}

static void result(void *made, const peer_problem *p) {
    memcpy(p->y, ((product *)made)->y, sizeof(double) * (size_t)p->n_rows * (size_t)p->nv);
}

static const peer_method methods[] = {
    {"spmv", "optimised", 0, make_spmv, run_spmv, result, destroy},
    {"spmm", "optimised", 0, make_spmm, run_spmm, result, destroy},
    {0},
};

const peer_plugin plugin = {"oneMKL", PEER_TEXT(INTEL_MKL_VERSION), NULL, NULL, NULL, methods};

/* commands/peers/librsb.c -- librsb: recursive blocks, their formats tuned for the job at hand.
 * needs: librsb-dev
 * build: $CC -std=gnu11 $OPT $OPENMP -lrsb
 */
#include "commands/peers/peer.h"

#include <rsb.h>
#include <stdlib.h>

typedef struct product {
    struct rsb_mtx_t *A;
    double *x, *y;
    int nv;
    int32_t n_rows, n_cols;
} product;

static const double ONE = 1, ZERO = 0;
static const double TUNE_SECONDS = 20;

static void start(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    rsb_lib_init(RSB_NULL_INIT_OPTIONS);
}

static void finish(void) { rsb_lib_exit(RSB_NULL_EXIT_OPTIONS); }

static void destroy(void *made) {
    product *m = made;
    rsb_mtx_free(m->A);
    free(m->x);
    free(m->y);
    free(m);
}

/* Lower triangle only, where the matrix is said to be symmetric. */
static struct rsb_mtx_t *matrix_of(const peer_problem *p, rsb_flags_t flags) {
    rsb_err_t error = RSB_ERR_NO_ERROR;
    const int half = flags == RSB_FLAG_LOWER_SYMMETRIC;
    rsb_coo_idx_t *rows = malloc(sizeof *rows * (size_t)p->nnz);
    rsb_coo_idx_t *cols = malloc(sizeof *cols * (size_t)p->nnz);
    double *val = malloc(sizeof *val * (size_t)p->nnz);
    struct rsb_mtx_t *A = NULL;
    int64_t n = 0;
    if (!rows || !cols || !val) goto done;
    for (int32_t i = 0; i < p->n_rows; i++) {
        for (int32_t k = p->row_ptr[i]; k < p->row_ptr[i + 1]; k++) {
            if (half && p->col_idx[k] > i) break;
            rows[n] = i;
            cols[n] = p->col_idx[k];
            val[n++] = p->val[k];
        }
    }
    A = rsb_mtx_alloc_from_coo_const(val, rows, cols, (rsb_nnz_idx_t)n, RSB_NUMERICAL_TYPE_DOUBLE,
                                     p->n_rows, p->n_cols, 0, 0, flags, &error);
done:
    free(rows);
    free(cols);
    free(val);
    return A;
}

static void *make(const peer_problem *p, rsb_flags_t flags) {
    product *m = calloc(1, sizeof *m);
    if (!m) return peer_refuse("no memory");
    m->nv = p->nv;
    m->n_rows = p->n_rows;
    m->n_cols = p->n_cols;
    m->A = matrix_of(p, flags);
    m->x = malloc(sizeof(double) * (size_t)p->n_cols * (size_t)p->nv);
    m->y = calloc((size_t)p->n_rows * (size_t)p->nv, sizeof(double));
    if (!m->A || !m->x || !m->y) {
        destroy(m);
        return peer_refuse("librsb does not take the matrix, or no memory");
    }
    for (int64_t i = 0; i < (int64_t)p->n_cols * p->nv; i++) m->x[i] = p->x[i];
    rsb_tune_spmm(&m->A, NULL, NULL, 0, TUNE_SECONDS, RSB_TRANSPOSITION_N, &ONE, NULL, m->nv,
                  RSB_FLAG_WANT_ROW_MAJOR_ORDER, m->x, m->nv, &ZERO, m->y, m->nv);
    return m;
}

static void *make_full(const peer_problem *p, const char *parameters) {
    (void)parameters;
    return make(p, RSB_FLAG_NOFLAGS);
}

static void *make_half(const peer_problem *p, const char *parameters) {
    (void)parameters;
    if (!peer_is_symmetric(p)) return peer_refuse("the matrix is not symmetric");
    return make(p, RSB_FLAG_LOWER_SYMMETRIC);
}

static int run_spmv(void *made, int calls, double *numbers) {
    (void)numbers;
    product *m = made;
    for (int c = 0; c < calls; c++)
        rsb_spmv(RSB_TRANSPOSITION_N, &ONE, m->A, m->x, 1, &ZERO, m->y, 1);
    return 0;
}

static int run_spmm(void *made, int calls, double *numbers) {
    (void)numbers;
    product *m = made;
    for (int c = 0; c < calls; c++)
        rsb_spmm(RSB_TRANSPOSITION_N, &ONE, m->A, m->nv, RSB_FLAG_WANT_ROW_MAJOR_ORDER, m->x, m->nv,
                 &ZERO, m->y, m->nv);
    return 0;
}

static void result(void *made, const peer_problem *p) {
    const product *m = made;
    for (int64_t i = 0; i < (int64_t)p->n_rows * p->nv; i++) p->y[i] = m->y[i];
}

static const peer_method methods[] = {
    {"spmv", "tuned", 0, make_full, run_spmv, result, destroy},
    {"spmv", "tuned-symmetric", 1, make_half, run_spmv, result, destroy},
    {"spmm", "tuned", 0, make_full, run_spmm, result, destroy},
    {"spmm", "tuned-symmetric", 1, make_half, run_spmm, result, destroy},
    {0},
};

const peer_plugin plugin = {"librsb", RSB_LIBRSB_VER_STRING, start, NULL, finish, methods};

/* kernels/cuda.h, SpMM and transposition: every CUDA kernel of the table on the cases of kit/cases.h, for
 * numbers of vectors that fill a layer or a warp and that do not. Run on the checker, and as a second program
 * on a GPU. */
#include "kernels/cuda.h"

#include "device/device_call.h"
#include "formats/device_matrix.h"
#include "kernels/kernels.h"
#include "kit/cases.h"

enum { SEED = 4711, MOST = 67, GAP = 3 };

static const double untouched = -0x1p900; /* lies in every gap */

/* --- SpMM: one kernel, one matrix: goes there, runs, comes back ----------------------------------- */

typedef struct job {
    device_call call;
    const spw_kernel *v;
    const spw_csr *A; /* exactly one is used */
    const spw_sellp *P;
    spw_idx n_rows, nv;
    int64_t ldx, ldy;
    const double *expected, *tolerance; /* expected[v * n_rows + i] */
} job;

static spw_status launch(const device_call *c, double **d) {
    const job *j = (const job *)c;
    spw_csr d_A = {0};
    spw_sellp d_P = {0};
    spw_status status = j->A ? spw_csr_to_device(j->A, &d_A) : spw_sellp_to_device(j->P, &d_P);
    if (!status && j->A)
        status = ((__typeof__(&spw_spmm_csr_cuda))j->v->function)(&d_A, j->nv, d[0], j->ldx, d[1],
                                                                  j->ldy);
    if (!status && j->P)
        status = ((__typeof__(&spw_spmm_sellp_cuda))j->v->function)(&d_P, j->nv, d[0], j->ldx, d[1],
                                                                    j->ldy);
    if (!status) status = spw_device_synchronise();
    spw_csr_device_destroy(&d_A);
    spw_sellp_device_destroy(&d_P);
    return status;
}

static void look(device_call *c) {
    const job *j = (const job *)c;
    const double *Y = c->out[1];
    for (int64_t k = 0; k < c->count[1] && !*c->wrong; k++) {
        const int64_t i = k / j->ldy, v = k % j->ldy, at = v * j->n_rows + i;
        if (v >= j->nv && Y[k] == untouched) continue;
        if (v < j->nv && fabs(Y[k] - j->expected[at]) <= j->tolerance[at]) continue;
        snprintf(c->wrong, sizeof c->wrong, "row %d of vector %d is %.17g, expected %.17g", (int)i,
                 (int)v, Y[k], v < j->nv ? j->expected[at] : untouched);
    }
}

static void run_kernels(const char *name, job j, int64_t n_cols, const double *X) {
    const int64_t size = j.n_rows * j.ldy;
    double *before = nans(size);
    for (int64_t k = 0; k < size; k++)
        if (k % j.ldy >= j.nv) before[k] = untouched;
    j.call = (device_call){.run = launch,
                           .look = look,
                           .count = {n_cols * j.ldx, size},
                           .in = {X, before},
                           .out = {NULL, zeros(size)}};
    for (j.v = spw_kernels(j.A ? "spmm_csr_cuda" : "spmm_sellp_cuda"); j.v->symbol; j.v++)
        assert_device_call(&j.call, "%s, %s, nv %d", j.v->symbol, name, j.nv);
}

/* b and t: 0 for CSR. Each case takes three of the numbers of vectors; matrices of more than 600 entries
 * have few, for the time. */
static void check_matrix(int c, const spw_csr *A, spw_idx b, spw_idx t) {
    static const spw_idx numbers[] = {1, 8, 31, 2, 16, MOST, 3, 32, 48};
    const char *name = spw_csr_case_name(c);
    const spw_idx most = A->nnz <= 600 ? MOST : 3;
    const int64_t n = A->n_rows, m = A->n_cols;
    double *x = zeros(m * most), *X = zeros(m * (most + GAP));
    double *expected = zeros(n * most), *tolerance = zeros(n * most);
    OWN(spw_sellp) P = {0};
    if (b) assert_ok(spw_sellp_from_csr(A, b, t, &P));
    for (int64_t v = 0; v < most; v++) {
        spw_case_vector(SEED + (uint64_t)v, m, x + v * m);
        spw_spmv_expected(A, x + v * m, expected + v * n, tolerance + v * n);
    }
    for (int k = 0; k < 3; k++) {
        const spw_idx nv = most == MOST ? numbers[3 * (c % 3) + k] : 3;
        if (most < MOST && k > 0) break;
        job j = {.A = b ? NULL : A,
                 .P = b ? &P : NULL,
                 .n_rows = A->n_rows,
                 .nv = nv,
                 .ldx = nv + (k % 2 ? GAP : 0),
                 .ldy = nv + (k % 3 ? 1 : 0),
                 .expected = expected,
                 .tolerance = tolerance};
        for (int64_t at = 0; at < m * j.ldx; at++) {
            const int64_t v = at % j.ldx;
            X[at] = v < nv ? x[v * m + at / j.ldx] : NAN;
        }
        run_kernels(name, j, m, X);
    }
}

TEST(csr_kernels_agree_with_the_expected_products) {
    for (int c = 0; c < spw_csr_case_count(); c++) {
        OWN(spw_csr) A = case_of(spw_csr_case_name(c), SEED);
        check_matrix(c, &A, 0, 0);
    }
}

TEST(sellp_kernels_agree_with_the_expected_products) {
    static const spw_idx shapes[][2] = {{8, 4}, {3, 5}, {1, 1}, {32, 1}, {100, 2}, {8, 32}};
    for (int c = 0; c < spw_csr_case_count(); c++) {
        OWN(spw_csr) A = case_of(spw_csr_case_name(c), SEED);
        check_matrix(c, &A, shapes[c % 6][0], shapes[c % 6][1]);
    }
}

static void too_many_threads(void *argument) {
    const spw_sellp S = {.n_rows = 1, .n_cols = 1, .b = 512, .t = 3, .n_slices = 1};
    *(spw_status *)argument = spw_spmm_sellp_cuda(&S, 1, NULL, 1, NULL, 1);
}

TEST(sellp_with_too_many_threads_a_block_is_refused) {
    spw_status status = SPW_OK;
    assert_null(on_device(too_many_threads, &status));
    assert_error(status, SPW_ERR_ARG, "512 * 3");
}

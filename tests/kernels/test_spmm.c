/* kernels/spmm.h: references on literals, every kernel of the table on every case of kit/cases.h, for
 * numbers of vectors that fill registers and that do not, leading dimensions with and without a gap, for
 * 1, 3 and all threads; the transpositions; the model. */
#include "kernels/spmm.h"

#include "kernels/kernels.h"
#include "kit/cases.h"
#include "perf/terms.h"
#include "test.h"

enum { SEED = 4711, MOST = 130, FEW = 31, SMALL = 500 /* entries */ };

static const double untouched = -0x1p900; /* lies in every gap */

/* 6 x 6, from the tutorial's slides; the second vector is -10 times the first. */
static spw_idx row_ptr[] = {0, 2, 7, 8, 10, 11, 12};
static spw_idx col_idx[] = {0, 1, 0, 1, 3, 4, 5, 2, 0, 3, 4, 5};
static double val[] = {5, 1, 2, 8, 3, 1, 3, 4, 5, 9, 1, 8};
static const spw_csr small = {6, 6, 12, row_ptr, col_idx, val};
static const double small_x[] = {1, -10, 2, -20, 3, -30, 4, -40, 5, -50, 6, -60};
static const double small_y[] = {7, -70, 53, -530, 12, -120, 41, -410, 5, -50, 48, -480};

TEST(references_multiply) {
    double y[12];
    OWN(spw_sellp) P;
    assert_ok(spw_sellp_from_csr(&small, 4, 2, &P));
    memset(y, 0xff, sizeof y);
    spw_spmm_csr_ref(&small, 2, small_x, 2, y, 2);
    assert_memory_equal(y, small_y, sizeof y);
    memset(y, 0xff, sizeof y);
    spw_spmm_sellp_ref(&P, 2, small_x, 2, y, 2);
    assert_memory_equal(y, small_y, sizeof y);
}

TEST(reference_transposes) {
    static const double from[] = {1, 2, 3, 99, 4, 5, 6}, expected[] = {1, 4, 2, 5, 3, 6};
    double to[6];
    spw_transpose_ref(2, 3, from, 4, to, 2);
    assert_memory_equal(to, expected, sizeof to);
}

/* --- all kernels, all cases ---------------------------------------------------------------------- */

/* A matrix and the products with as many vectors as are tried, one after the other: expected[v * n_rows
 * + i]. Large matrices have few, for the time. */
typedef struct product {
    const char *name;
    spw_idx n_vectors;
    const spw_csr *A;
    double *x, *expected, *tolerance;
} product;

static product product_of(const char *name, const spw_csr *A) {
    const spw_idx most = A->nnz < SMALL ? MOST : FEW;
    const int64_t n = A->n_rows, m = A->n_cols;
    const product p = {name, most, A, zeros(m * most), zeros(n * most), zeros(n * most)};
    for (int64_t v = 0; v < most; v++) {
        spw_case_vector(SEED + (uint64_t)v, m, p.x + v * m);
        spw_spmv_expected(A, p.x + v * m, p.expected + v * n, p.tolerance + v * n);
    }
    return p;
}

/* A run of a kernel. */
typedef struct run {
    const product *p;
    spw_idx nv;
    int64_t ldx, ldy;
    double *X, *Y, *first; /* first: Y without gaps, of the first run */
} run;

static void check(const run *r, const spw_kernel *v, int threads, int is_first) {
    const spw_idx n = r->p->A->n_rows;
    for (spw_idx i = 0; i < n; i++)
        for (int64_t c = 0; c < r->ldy; c++) {
            const double got = r->Y[i * r->ldy + c];
            if (c >= r->nv) {
                if (got == untouched) continue;
                fail_msg("%s, %s: wrote behind vector %d of row %d", v->symbol, r->p->name, r->nv,
                         i);
            }
            const double expected = r->p->expected[c * n + i];
            if (!(fabs(got - expected) <= r->p->tolerance[c * n + i]))
                fail_msg("%s, %s, %d vectors, %d threads: row %d of vector %d is %.17g, expected "
                         "%.17g",
                         v->symbol, r->p->name, r->nv, threads, i, (int)c, got, expected);
            double *first = r->first + (int64_t)i * r->nv + c;
            if (is_first) *first = got;
            if (got != *first)
                fail_msg("%s, %s, %d vectors, %d threads: row %d of vector %d has other bits than "
                         "with one thread",
                         v->symbol, r->p->name, r->nv, threads, i, (int)c);
        }
}

static void lay_out(run *r) {
    const spw_csr *A = r->p->A;
    for (int64_t j = 0; j < A->n_cols; j++)
        for (int64_t c = 0; c < r->ldx; c++)
            r->X[j * r->ldx + c] = c < r->nv ? r->p->x[c * A->n_cols + j] : NAN;
}

static void call(const spw_kernel *v, const run *r, const spw_sellp *P) {
    for (int64_t k = 0; k < r->p->A->n_rows * r->ldy; k++)
        r->Y[k] = k % r->ldy < r->nv ? NAN : untouched;
    if (P)
        ((spw_spmm_sellp_fn *)v->function)(P, r->nv, r->X, r->ldx, r->Y, r->ldy);
    else
        ((spw_spmm_csr_fn *)v->function)(r->p->A, r->nv, r->X, r->ldx, r->Y, r->ldy);
}

/* One thread without gaps; three, with gaps that spoil every alignment; all, rows at cache lines. */
static void run_kernels(const product *p, spw_idx nv, const spw_sellp *P) {
    const int threads[] = {1, 3, spw_max_threads()};
    const int64_t ldx[] = {nv, nv + 3, (nv + 7) / 8 * 8}, ldy[] = {nv, nv + 1, (nv + 7) / 8 * 8};
    run r = {.p = p, .nv = nv};
    r.X = zeros(p->A->n_cols * ((int64_t)nv + 8));
    r.Y = zeros(p->A->n_rows * ((int64_t)nv + 8));
    r.first = zeros(p->A->n_rows * (int64_t)nv);
    for (const spw_kernel *v = spw_kernels(P ? "spmm_sellp" : "spmm_csr"); v->symbol; v++)
        for (int t = 0; t < 3; t++) {
            spw_set_threads(threads[t]);
            r.ldx = ldx[t];
            r.ldy = ldy[t];
            lay_out(&r);
            call(v, &r, P);
            check(&r, v, threads[t], t == 0);
        }
    spw_set_threads(threads[2]);
}

/* MOST and 67 take two tiles of registers with AVX-512. */
static const spw_idx numbers[] = {1, 2, 3, 4, 5, 7, 8, 9, 16, FEW, 32, 48, 64, 67, MOST};

static int takes_part(const product *p, spw_idx nv) { return p->n_vectors == MOST || nv == FEW; }

TEST(csr_kernels_agree_with_the_expected_products) {
    for (int c = 0; c < spw_csr_case_count(); c++) {
        OWN(spw_csr) A = case_of(spw_csr_case_name(c), SEED);
        product p = product_of(spw_csr_case_name(c), &A);
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            if (takes_part(&p, numbers[k])) run_kernels(&p, numbers[k], NULL);
    }
}

TEST(sellp_kernels_agree_with_the_expected_products) {
    static const spw_idx shapes[][2] = {{8, 4}, {3, 5}, {1, 1}, {100, 2}};
    for (int c = 0; c < spw_csr_case_count(); c++) {
        OWN(spw_csr) A = case_of(spw_csr_case_name(c), SEED);
        product p = product_of(spw_csr_case_name(c), &A);
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            OWN(spw_sellp) P;
            if (!takes_part(&p, numbers[k])) continue;
            assert_ok(spw_sellp_from_csr(&A, shapes[k % 4][0], shapes[k % 4][1], &P));
            run_kernels(&p, numbers[k], &P);
        }
    }
}

/* --- transpositions, model ------------------------------------------------------------------------ */

TEST(transpositions_agree) {
    static const int64_t sizes[][2] = {{1, 1}, {0, 5},  {5, 0},    {1, 100},  {100, 1},
                                       {7, 9}, {8, 16}, {33, 200}, {200, 33}, {64, 1001}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int gap = 0; gap < 3; gap += 2) {
            const int64_t m = sizes[k][0], n = sizes[k][1], ldfrom = n + gap, ldto = m + gap;
            double *from = zeros(m * ldfrom), *to = zeros(n * ldto);
            for (int64_t i = 0; i < m * ldfrom; i++) from[i] = (double)i;
            for (const spw_kernel *v = spw_kernels("transpose"); v->symbol; v++) {
                for (int64_t i = 0; i < n * ldto; i++) to[i] = untouched;
                ((spw_transpose_fn *)v->function)(m, n, from, ldfrom, to, ldto);
                for (int64_t at = 0; at < n * ldto; at++) {
                    const int64_t i = at % ldto, j = at / ldto;
                    const double expected = i < m ? (double)(i * ldfrom + j) : untouched;
                    if (to[at] != expected)
                        fail_msg("%s, %d x %d, gap %d: element %d is %g, expected %g", v->symbol,
                                 (int)m, (int)n, gap, (int)at, to[at], expected);
                }
            }
        }
}

/* 6 x 5, 12 entries and 20 stored ones in 3 slices, 3 vectors. */
static double quantity(const void *context, const char *name, size_t length) {
    static const struct {
        const char *name;
        double value;
    } known[] = {{"nz", 12},       {"n_rows", 6},   {"n_cols", 5},
                 {"n_stored", 20}, {"n_slices", 3}, {"nv", 3}};
    (void)context;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strlen(known[k].name) == length && memcmp(known[k].name, name, length) == 0)
            return known[k].value;
    fail_msg("%.*s is no quantity of a product", (int)length, name);
    return 0;
}

TEST(the_model_counts_each_array_once) {
    const spw_quantities q = {quantity, NULL};
    const spw_cost csr = spw_terms_cost(spw_kernels("spmm_csr")->cost, q);
    assert_true(csr.load == 12 * 12 + 4 * 7 + 3 * 5 * 8);
    assert_true(csr.store == 3 * 6 * 8);
    assert_true(csr.flop == 2 * 12 * 3);
    const spw_cost sellp = spw_terms_cost(spw_kernels("spmm_sellp")->cost, q);
    assert_true(sellp.load == 12 * 20 + 4 * 4 + 3 * 5 * 8);
    assert_true(sellp.store == 3 * 6 * 8 && sellp.flop == 3 * 24);
}

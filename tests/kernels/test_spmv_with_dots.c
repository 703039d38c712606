/* kernels/spmv_with_dots.h: a literal, every kernel of the table on every square case of kit/cases.h, several
 * C, for 1, 3, 7 and all threads. */
#include "kernels/spmv_with_dots.h"

#include "kernels/kernels.h"
#include "kernels/spmv.h"
#include "kit/cases.h"
#include "test.h"

enum { SEED = 4711 };

/* y = 7 12 7, w . y = 3 * 7 + 2 * 12 + 1 * 7 and y . y = 49 + 144 + 49. */
TEST(a_literal_product) {
    spw_idx row_ptr[] = {0, 2, 3, 4}, col_idx[] = {0, 1, 2, 0};
    double val[] = {5, 1, 4, 7}, x[] = {1, 2, 3}, w[] = {3, 2, 1}, y[] = {NAN, NAN, NAN}, w_y, y_y;
    const spw_csr A = {3, 3, 4, row_ptr, col_idx, val};
    OWN(spw_sell_short) S;
    spw_spmv_with_dots_csr_ref(&A, x, w, y, &w_y, &y_y);
    assert_true(y[0] == 7 && y[1] == 12 && y[2] == 7 && w_y == 52 && y_y == 242);
    assert_ok(spw_sell_short_from_csr(&A, 2, 4, &S));
    memset(y, 0xff, sizeof y);
    spw_spmv_with_dots_sell_short_ref(&S, x, w, y, &w_y, &y_y);
    assert_true(y[0] == 7 && y[1] == 12 && y[2] == 7 && w_y == 52 && y_y == 242);
    assert_true(spw_spmv_with_dot_csr_omp(&A, x, y) == 52);
}

typedef struct product {
    const char *name;
    const spw_csr *A;
    const spw_sell_short *S; /* or NULL: CSR */
    double *x, *w, *y, *first, *expected, *tolerance;
} product;

static product product_of(const char *name, const spw_csr *A, const spw_sell_short *S) {
    const spw_idx n = A->n_rows;
    product p = {name, A, S, zeros(n), zeros(n), zeros(n), zeros(n), zeros(n), zeros(n)};
    spw_case_vector(SEED, A->n_cols, p.x);
    spw_case_vector(SEED + 1, A->n_rows, p.w);
    spw_spmv_expected(A, p.x, p.expected, p.tolerance);
    return p;
}

static void call(const product *p, const spw_kernel *k, double *w_y, double *y_y) {
    for (spw_idx i = 0; i < p->A->n_rows; i++) p->y[i] = NAN;
    if (p->S)
        ((spw_spmv_with_dots_sell_short_fn)k->function)(p->S, p->x, p->w, p->y, w_y, y_y);
    else
        ((spw_spmv_with_dots_csr_fn)k->function)(p->A, p->x, p->w, p->y, w_y, y_y);
}

/* A sum is right, whatever y may be off. */
static void check_sum(const product *p, const spw_kernel *k, const double *with, double got,
                      const char *what) {
    double tolerance;
    const double expected = spw_dot_expected(p->A->n_rows, with, p->expected, &tolerance);
    for (spw_idx i = 0; i < p->A->n_rows; i++)
        tolerance += 2 * (fabs(with[i]) + fabs(p->expected[i])) * p->tolerance[i];
    if (!(fabs(got - expected) <= tolerance))
        fail_msg("%s, %s: %s is %.17g, expected %.17g", k->symbol, p->name, what, got, expected);
}

/* y has the bits that one thread gave, the sums those of the run before. */
static void check(const product *p, const spw_kernel *k, int run) {
    const spw_idx n = p->A->n_rows;
    double w_y, y_y, again[2];
    call(p, k, &w_y, &y_y);
    call(p, k, &again[0], &again[1]);
    if (run == 0 && n > 0) memcpy(p->first, p->y, sizeof(double) * (size_t)n);
    for (spw_idx i = 0; i < n; i++)
        if (!(fabs(p->y[i] - p->expected[i]) <= p->tolerance[i]) || p->y[i] != p->first[i])
            fail_msg("%s, %s, %d threads: row %d is %.17g, expected %.17g, with one thread %.17g",
                     k->symbol, p->name, thread_counts[run], i, p->y[i], p->expected[i],
                     p->first[i]);
    check_sum(p, k, p->w, w_y, "w . y");
    check_sum(p, k, p->expected, y_y, "y . y");
    if (w_y != again[0] || y_y != again[1])
        fail_msg("%s, %s, %d threads: a sum differs from run to run", k->symbol, p->name,
                 thread_counts[run]);
}

static void check_all(const char *name, const spw_csr *A, const spw_sell_short *S) {
    product p = product_of(name, A, S);
    const char *operation = S ? "spmv_with_dots_sell_short" : "spmv_with_dots_csr";
    for (const spw_kernel *k = spw_kernels(operation); k->symbol; k++)
        for (int t = 0; t < 4; t++) {
            spw_set_threads(thread_counts[t]);
            check(&p, k, t);
        }
}

TEST(kernels_agree_with_the_expected_product) {
    static const spw_idx shapes[][2] = {{8, 1}, {16, 64}, {32, 1}};
    for (int c = 0; c < spw_csr_case_count(); c++) {
        const char *name = spw_csr_case_name(c);
        OWN(spw_csr) A = case_of(name, SEED);
        if (A.n_rows == A.n_cols) { /* else there is no w . y */
            check_all(name, &A, NULL);
            for (int k = 0; k < 3; k++) {
                OWN(spw_sell_short) S;
                assert_ok(spw_sell_short_from_csr(&A, shapes[k][0], shapes[k][1], &S));
                check_all(name, &A, &S);
            }
        }
    }
}

/* y is that of the product alone, to the bit. */
TEST(y_has_the_bits_of_the_product_alone) {
    OWN(spw_sell_short) S;
    double unused[2];
    OWN(spw_csr) A = case_of("stencil27", SEED);
    assert_ok(spw_sell_short_from_csr(&A, 8, 32, &S));
    product p = product_of("stencil27", &A, &S);
    spw_spmv_csr_omp_balanced(&A, p.x, p.y);
    spw_spmv_with_dots_csr_omp(&A, p.x, p.w, p.first, &unused[0], &unused[1]);
    assert_memory_equal(p.y, p.first, sizeof(double) * (size_t)A.n_rows);
    spw_spmv_sell_short_omp(&S, p.x, p.y);
    spw_spmv_with_dots_sell_short_omp(&S, p.x, p.w, p.first, &unused[0], &unused[1]);
    assert_memory_equal(p.y, p.first, sizeof(double) * (size_t)A.n_rows);
}

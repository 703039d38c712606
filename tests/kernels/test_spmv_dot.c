/* kernels/spmv_dot.h: a literal, every kernel of the table on every square case of kit/cases.h, several
 * C, for 1, 3, 7 and all threads. */
#include "kernels/spmv_dot.h"

#include "base/memory.h"
#include "base/threads.h"
#include "kernels/variants.h"
#include "kit/cases.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { SEED = 4711 };

static int thread_counts[] = {1, 3, 7, 0}; /* the last: all, set by main */

/* The example of the header. */
static void the_example_gives_52(void **state)
{
    (void)state;
    spw_idx row_ptr[] = {0, 2, 3, 4}, col_idx[] = {0, 1, 2, 0};
    double val[] = {5, 1, 4, 7}, x[] = {1, 2, 3}, y[] = {NAN, NAN, NAN};
    const spw_csr A = {3, 3, 4, row_ptr, col_idx, val};
    spw_sell S;
    assert_true(spw_spmv_dot_csr_ref(&A, x, y) == 52);
    assert_true(y[0] == 7 && y[1] == 12 && y[2] == 7);
    assert_int_equal(spw_sell_from_csr(&A, 2, 4, &S), SPW_OK);
    memset(y, 0xff, sizeof y);
    assert_true(spw_spmv_dot_sell_ref(&S, x, y) == 52);
    assert_true(y[0] == 7 && y[1] == 12 && y[2] == 7);
    spw_sell_destroy(&S);
}

typedef struct product {
    const char *name;
    const spw_csr *A;
    double *x, *y, *first, *expected, *tolerance;
    double dot, dot_tolerance;
} product;

static product product_of(const char *name, const spw_csr *A)
{
    product p = {.name = name, .A = A};
    double **const arrays[] = {&p.x, &p.y, &p.first, &p.expected, &p.tolerance};
    for (int k = 0; k < 5; k++) assert_int_equal(SPW_ALLOC(arrays[k], A->n_rows), SPW_OK);
    spw_case_vector(SEED, A->n_cols, p.x);
    spw_spmv_expected(A, p.x, p.expected, p.tolerance);
    p.dot = spw_dot_expected(A->n_rows, p.x, p.expected, &p.dot_tolerance);
    /* What y may be off counts, too. */
    for (spw_idx i = 0; i < A->n_rows; i++) p.dot_tolerance += 2 * fabs(p.x[i]) * p.tolerance[i];
    return p;
}

static void product_free(product *p)
{
    double *const arrays[] = {p->x, p->y, p->first, p->expected, p->tolerance};
    for (int k = 0; k < 5; k++) spw_free(arrays[k]);
}

static double call(const spw_variant *v, const void *A, const product *p)
{
    for (spw_idx i = 0; i < p->A->n_rows; i++) p->y[i] = NAN;
    if (v->format == SPW_FORMAT_CSR) return v->run.spmv_dot_csr((const spw_csr *)A, p->x, p->y);
    return v->run.spmv_dot_sell((const spw_sell *)A, p->x, p->y);
}

/* y and x . y are right; y has the bits that one thread gave, x . y those of the run before. */
static void check(const product *p, const spw_variant *v, const void *A, int run)
{
    const spw_idx n = p->A->n_rows;
    const double dot = call(v, A, p), again = call(v, A, p);
    if (run == 0 && n > 0) memcpy(p->first, p->y, sizeof(double) * (size_t)n);
    for (spw_idx i = 0; i < n; i++)
        if (!(fabs(p->y[i] - p->expected[i]) <= p->tolerance[i]) || p->y[i] != p->first[i])
            fail_msg("%s, %s, %d threads: row %d is %.17g, expected %.17g, with one thread %.17g",
                     v->symbol, p->name, thread_counts[run], i, p->y[i], p->expected[i],
                     p->first[i]);
    if (!(fabs(dot - p->dot) <= p->dot_tolerance))
        fail_msg("%s, %s, %d threads: x . y is %.17g, expected %.17g", v->symbol, p->name,
                 thread_counts[run], dot, p->dot);
    if (dot != again)
        fail_msg("%s, %s, %d threads: x . y differs from run to run", v->symbol, p->name,
                 thread_counts[run]);
}

static int check_all(const product *p, spw_format format, const void *A)
{
    int count = 0;
    for (const spw_variant *v = NULL; (v = spw_variant_next(v, SPW_OP_SPMV_DOT, format)); count++)
        for (int t = 0; t < 4; t++) {
            spw_set_threads(thread_counts[t]);
            check(p, v, A, t);
        }
    return count;
}

static void kernels_agree_with_the_expected_product(void **state)
{
    (void)state;
    static const spw_idx shapes[][2] = {{1, 1}, {3, 9}, {8, 1}, {16, 32}, {32, 64}};
    for (int c = 0; c < spw_csr_case_count(); c++) {
        spw_csr A;
        assert_int_equal(spw_csr_case(spw_csr_case_name(c), SEED, &A), SPW_OK);
        if (A.n_rows == A.n_cols) { /* else there is no x . y */
            product p = product_of(spw_csr_case_name(c), &A);
            assert_true(check_all(&p, SPW_FORMAT_CSR, &A) >= 2);
            for (int k = 0; k < 5; k++) {
                spw_sell S;
                assert_int_equal(spw_sell_from_csr(&A, shapes[k][0], shapes[k][1], &S), SPW_OK);
                assert_true(check_all(&p, SPW_FORMAT_SELL, &S) >= 2);
                spw_sell_destroy(&S);
            }
            product_free(&p);
        }
        spw_csr_destroy(&A);
    }
}

/* y of the fused kernel is y of the product alone, to the bit. */
static void y_has_the_bits_of_the_product_alone(void **state)
{
    (void)state;
    spw_csr A;
    spw_sell S;
    assert_int_equal(spw_csr_case("stencil27", SEED, &A), SPW_OK);
    assert_int_equal(spw_sell_from_csr(&A, 8, 32, &S), SPW_OK);
    product p = product_of("stencil27", &A);
    spw_spmv_csr_omp_prefetch(&A, p.x, p.y);
    (void)spw_spmv_dot_csr_omp(&A, p.x, p.first);
    assert_memory_equal(p.y, p.first, sizeof(double) * (size_t)A.n_rows);
    spw_spmv_sell_omp_pairs(&S, p.x, p.y);
    (void)spw_spmv_dot_sell_omp(&S, p.x, p.first);
    assert_memory_equal(p.y, p.first, sizeof(double) * (size_t)A.n_rows);
    product_free(&p);
    spw_sell_destroy(&S);
    spw_csr_destroy(&A);
}

int main(void)
{
    thread_counts[3] = spw_max_threads();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_gives_52),
        cmocka_unit_test(kernels_agree_with_the_expected_product),
        cmocka_unit_test(y_has_the_bits_of_the_product_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* solvers/powers.h: the levels are levels, and powers are those of p plain products whatever the pattern and the
 * number of threads. */
#include "solvers/powers.h"

#include "kit/systems.h"
#include "test.h"

#include <limits.h>

enum { LARGEST = 20000, P_MAX = 9 };

static double x[LARGEST], in_levels[LARGEST], y[P_MAX][LARGEST], expected[2][LARGEST],
    bound[2][LARGEST], back[LARGEST];

static void fill(int n) {
    assert_true(n <= LARGEST);
    for (int i = 0; i < n; i++) x[i] = sin(0.61 * i) + 0.3;
}

static void assert_levels(const char *name, const spw_csr *A, const spw_powers *P) {
    const spw_idx n = A->n_rows;
    static int seen[LARGEST], group[LARGEST];
    memset(seen, 0, sizeof seen);
    assert_ok(spw_csr_validate(&P->A));
    assert_int_equal(P->A.nnz, A->nnz);
    for (spw_idx k = 0; k < n; k++) seen[P->perm[k]]++;
    for (spw_idx k = 0; k < n; k++) assert_int_equal(seen[k], 1);
    assert_int_equal(P->group_ptr[0], 0);
    assert_int_equal(P->group_ptr[P->n_groups], n);
    for (spw_idx g = 0; g < P->n_groups; g++) {
        assert_true(P->group_ptr[g + 1] > P->group_ptr[g]);
        for (spw_idx i = P->group_ptr[g]; i < P->group_ptr[g + 1]; i++) group[i] = g;
    }
    for (spw_idx i = 0; i < n; i++)
        for (spw_idx k = P->A.row_ptr[i]; k < P->A.row_ptr[i + 1]; k++)
            if (abs(group[P->A.col_idx[k]] - group[i]) > 1)
                fail_msg("%s: row %d of group %d reaches group %d", name, (int)i, group[i],
                         group[P->A.col_idx[k]]);
}

/* Levels cover all rows, and no entry leads further than to the next one. */
static void assert_level_ptr(const spw_powers *P) {
    static int level[LARGEST];
    assert_int_equal(P->level_ptr[0], 0);
    assert_int_equal(P->level_ptr[P->n_levels], P->A.n_rows);
    for (spw_idx l = 0; l < P->n_levels; l++) {
        assert_true(P->level_ptr[l + 1] > P->level_ptr[l]);
        for (spw_idx i = P->level_ptr[l]; i < P->level_ptr[l + 1]; i++) level[i] = l;
    }
    for (spw_idx i = 0; i < P->A.n_rows; i++)
        for (spw_idx k = P->A.row_ptr[i]; k < P->A.row_ptr[i + 1]; k++)
            assert_true(abs(level[P->A.col_idx[k]] - level[i]) <= 1);
}

TEST(powers_are_those_of_plain_products) {
    static const char *const names[] = {"laplace2d:120x110", "tridiag:20000", "convdiff2d:90",
                                        "stencil27:14",      "arrow:300",     "random:900x900x3",
                                        "tridiag:1",         "fem3:7"};
    static const int ps[] = {1, 2, 3, 8, 9};
    for (int m = 0; m < 8; m++) {
        OWN(spw_powers) P;
        OWN(spw_csr) A = generated(names[m]), absolute = generated(names[m]);
        for (spw_idx k = 0; k < A.nnz; k++) absolute.val[k] = fabs(A.val[k]);
        assert_ok(spw_powers_create(&A, &P));
        assert_levels(names[m], &A, &P);
        assert_level_ptr(&P);
        const int n = A.n_rows;
        fill(n);
        for (int i = 0; i < n; i++) in_levels[i] = x[P.perm[i]];
        for (int c = 0; c < 5 * 4; c++) {
            const int p = ps[c % 5];
            double *arrays[P_MAX];
            spw_set_threads(c / 5 + 1);
            for (int k = 0; k < p; k++) {
                arrays[k] = y[k];
                for (int i = 0; i < n; i++) y[k][i] = NAN;
            }
            spw_powers_multiply(&P, p, in_levels, arrays);
            for (int i = 0; i < n; i++) bound[0][i] = fabs(expected[0][i] = x[i]);
            for (int k = 0; k < p; k++) {
                spw_system_product(&A, expected[k % 2], expected[(k + 1) % 2]);
                spw_system_product(&absolute, bound[k % 2], bound[(k + 1) % 2]); /* |A|^k |x| */
                for (int i = 0; i < n; i++) back[P.perm[i]] = y[k][i];
                for (int i = 0; i < n; i++)
                    if (!(fabs(back[i] - expected[(k + 1) % 2][i]) <=
                          900 * (k + 1) * DBL_EPSILON * bound[(k + 1) % 2][i]))
                        fail_msg("%s, p = %d, %d threads: A^%d x, row %d is %.17g, not %.17g",
                                 names[m], p, c / 5 + 1, k + 1, i, back[i],
                                 expected[(k + 1) % 2][i]);
            }
        }
    }
}

/* A path: levels of one row, which has three entries but at the ends. */
TEST(windows_are_the_largest) {
    OWN(spw_powers) P;
    OWN(spw_csr) A = generated("tridiag:9");
    assert_ok(spw_powers_create(&A, &P));
    assert_int_equal(P.n_levels, 9);
    assert_int_equal(spw_powers_window(&P, 1), 12 * 3 + 28);
    assert_int_equal(spw_powers_window(&P, 7), 7 * (12 * 3 + 28));
    assert_int_equal(spw_powers_window(&P, 8), 12 * (7 * 3 + 2) + 8 * 28);
    assert_int_equal(spw_powers_window(&P, 9), 12 * 25 + 9 * 28);
    assert_int_equal(spw_powers_window(&P, INT_MAX), 12 * 25 + 9 * 28);
    const spw_cost c = spw_powers_cost(&P, 4);
    assert_int_equal(P.S.n_rows, 0); /* two slices would be half padding: CSR is multiplied */
    assert_true(c.load == 12 * 25 + 4 * 10 + 8 * 9 && c.store == 8 * 9 * 4 && c.flop == 2 * 25 * 4);
}

/* A grid in slices: fewer bytes than in CSR, as a whole and in each window. */
TEST(slices_take_fewer_bytes) {
    OWN(spw_powers) P;
    OWN(spw_csr) A = generated("laplace2d:120x110");
    assert_ok(spw_powers_create(&A, &P));
    assert_true(P.S.nnz == A.nnz && P.group_slice[P.n_groups] == P.S.n_chunks);
    assert_true(P.slice_row[P.S.n_chunks] == A.n_rows);
    assert_true(spw_powers_cost(&P, 2).load < 12.0 * A.nnz + 12.0 * A.n_rows);
    assert_true(spw_powers_window(&P, INT_MAX) < 12 * (int64_t)A.nnz + 28 * (int64_t)A.n_rows);
    assert_in_range(spw_powers_window(&P, 5), 4 * 100 * (5 * 8 + 24), 5 * 110 * (5 * 12 + 28));
}

/* Allocations that may fail, each tried; then *P is made. */
static int failures_of_create(const spw_csr *A, spw_powers *P) {
    return FAILURES(spw_powers_create(A, P),
                    !P->perm && !P->level_ptr && !P->A.val && P->n_groups == 0);
}

TEST(bad_arguments_and_no_memory_are_statuses) {
    OWN(spw_powers) none, P, symmetric, empty;
    OWN(spw_csr) wide = generated("random:4x5x2"), A = generated("random:30x30x3");
    OWN(spw_csr) B = generated("convdiff2d:10"), C = case_of("nothing", 0);
    assert_error(spw_powers_create(&wide, &none), SPW_ERR_ARG, "4 x 5");
    assert_in_range(failures_of_create(&A, &P), 20, 40); /* with a transpose */
    A.col_idx[0] = 30;
    assert_int_equal(spw_powers_create(&A, &none), SPW_ERR_ARG);
    assert_true(none.perm == NULL && none.level_ptr == NULL);
    assert_in_range(failures_of_create(&B, &symmetric), 15, 30);
    assert_ok(spw_powers_create(&C, &empty));
}

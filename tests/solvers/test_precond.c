/* solvers/precond.h against dense arithmetic on small matrices: each preconditioner by the property that
 * defines it, and M^-1 written out column by column. Then iterations on a Laplacian, what is refused, failing
 * allocations, and the nonsymmetric matrices of $SHARED_MATRICES (default ../shared/matrices), if they are
 * there, with BiCGStab and ILU(0); the tables are printed. */
#include "solvers/precond.h"

#include "collection.h"
#include "formats/generate.h"
#include "formats/matrix_market.h"
#include "solvers/bicgstab.h"
#include "solvers/cg.h"
#include "test.h"

/* What of the table this build has, with its usual number where it takes one. */
static const spw_precond *kinds[100];
static int n_kinds;

static int find_kinds(void **state) {
    (void)state;
    OWN(spw_csr) A = matrix_of(1, 1, &(const double){4});
    int count;
    const spw_precond *const table = spw_preconds(&count);
    assert_in_range(count, 14, sizeof kinds / sizeof *kinds);
    for (int p = 0; p < count; p++) {
        if (table[p].polynomial) /* spw_precond_for makes no other */
            assert_true(table[p].make_with == spw_precond_neumann ||
                        table[p].make_with == spw_precond_chebyshev);
        OWN(spw_operator) M;
        if (table[p].make == spw_precond_multigrid)
            continue; /* for grids alone: test_multigrid.c */
        const spw_status status = spw_precond_named(table[p].name, &A, &M);
        if (status == SPW_ERR_UNAVAILABLE)
            print_message("%s is left out: %s\n", table[p].name, spw_message());
        else
            kinds[n_kinds++] = &table[p];
    }
    return 0;
}

/* --- dense arithmetic ----------------------------------------------------------------------------------------- */

enum { MOST = 130 };

typedef struct dense {
    int n;
    double at[MOST][MOST];
} dense;

static void dense_from_csr(const spw_csr *A, dense *D) {
    memset(D, 0, sizeof *D);
    D->n = A->n_rows;
    assert_in_range(D->n, 0, MOST);
    for (spw_idx i = 0; i < A->n_rows; i++)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            D->at[i][A->col_idx[k]] = A->val[k];
}

/* M^-1, column by column. */
static void dense_from_operator(const spw_operator *M, dense *D) {
    double e[MOST], column[MOST];
    memset(D, 0, sizeof *D);
    D->n = (int)M->n;
    assert_in_range(D->n, 0, MOST);
    for (int j = 0; j < D->n; j++) {
        for (int i = 0; i < D->n; i++) {
            e[i] = i == j;
            column[i] = NAN;
        }
        spw_operator_apply(M, e, column);
        for (int i = 0; i < D->n; i++) D->at[i][j] = column[i];
    }
}

static void multiply(const dense *A, const dense *B, dense *C) {
    memset(C, 0, sizeof *C);
    C->n = A->n;
    for (int i = 0; i < A->n; i++)
        for (int k = 0; k < A->n; k++)
            for (int j = 0; j < A->n; j++) C->at[i][j] += A->at[i][k] * B->at[k][j];
}

/* By elimination with pivots, B beside A. */
static void invert(const dense *A, dense *B) {
    static dense C;
    C = *A;
    memset(B, 0, sizeof *B);
    B->n = A->n;
    for (int i = 0; i < A->n; i++) B->at[i][i] = 1;
    for (int c = 0; c < A->n; c++) {
        int p = c;
        for (int i = c; i < A->n; i++)
            if (fabs(C.at[i][c]) > fabs(C.at[p][c])) p = i;
        for (int j = 0; j < A->n; j++) {
            const double a = C.at[c][j], b = B->at[c][j];
            C.at[c][j] = C.at[p][j], C.at[p][j] = a;
            B->at[c][j] = B->at[p][j], B->at[p][j] = b;
        }
        assert_true(fabs(C.at[c][c]) > 1e-12);
        for (int i = 0; i < A->n; i++) {
            const double factor = C.at[i][c] / C.at[c][c];
            for (int j = 0; i != c && j < A->n; j++) {
                C.at[i][j] -= factor * C.at[c][j];
                B->at[i][j] -= factor * B->at[c][j];
            }
        }
        for (int j = 0; j < A->n; j++) B->at[c][j] /= C.at[c][c];
        for (int j = A->n - 1; j >= c; j--) C.at[c][j] /= C.at[c][c];
    }
}

static double distance(const dense *A, const dense *B) {
    double most = 0, largest = 0;
    for (int i = 0; i < A->n; i++)
        for (int j = 0; j < A->n; j++) {
            const double d = fabs(A->at[i][j] - B->at[i][j]);
            if (!(d <= most)) most = d;
            largest = fmax(largest, fabs(B->at[i][j]));
        }
    return most / largest;
}

/* A times B is the identity. */
static void assert_inverse(const dense *A, const dense *B) {
    static dense C;
    multiply(A, B, &C);
    for (int i = 0; i < C.n; i++)
        for (int j = 0; j < C.n; j++) assert_true(fabs(C.at[i][j] - (i == j)) < 1e-12);
}

/* Of a symmetric matrix: does the factorisation of Cholesky succeed? */
static int is_positive(const dense *A) {
    static dense C;
    C = *A;
    for (int j = 0; j < C.n; j++) {
        for (int k = 0; k < j; k++) C.at[j][j] -= C.at[j][k] * C.at[j][k];
        if (!(C.at[j][j] > 0)) return 0;
        C.at[j][j] = sqrt(C.at[j][j]);
        for (int i = j + 1; i < C.n; i++) {
            for (int k = 0; k < j; k++) C.at[i][j] -= C.at[i][k] * C.at[j][k];
            C.at[i][j] /= C.at[j][j];
        }
    }
    return 1;
}

static dense A_, B_, C_, D_;

/* --- for all kinds ---------------------------------------------------------------------------------------------- */

TEST(the_table_is_read_by_name) {
    int count, number;
    const spw_precond *row, *const table = spw_preconds(&count);
    for (int p = 0; p < count; p++) {
        assert_ok(spw_precond_find(table[p].name, &row, &number));
        assert_true(row == &table[p] && number == row->usual);
        assert_true((row->make != NULL) == (row->make_with == NULL));
        assert_true((row->what != NULL) == (row->make_with != NULL));
    }
    assert_ok(spw_precond_find("cheby:12", &row, &number));
    assert_true(number == 12 && strcmp(row->name, "cheby") == 0);
    static const char *const wrong[] = {"", "none", "bjacob", "bjacobi2", "ic0:3"};
    static const char *const no_number[] = {"cheby:",   "cheby:x",  "cheby:0",          "cheby:4x",
                                            "cheby:-1", "cheby: 4", "cheby:99999999999"};
    for (int k = 0; k < 5; k++) {
        assert_error(spw_precond_find(wrong[k], &row, &number), SPW_ERR_ARG,
                     "no such preconditioner; there are none, jacobi, ");
        assert_says(spw_message(), "cheby[:N], fsai, spai, multigrid");
    }
    for (int k = 0; k < 7; k++) {
        assert_error(spw_precond_find(no_number[k], &row, &number), SPW_ERR_ARG,
                     "the degree must stand, a whole number from 1");
    }
}

TEST(m_is_symmetric_and_positive_definite) {
    static const char *const names[] = {"laplace2d:9x8", "fem3:3", "stencil27:4", "tridiag:30"};
    for (int m = 0; m < 4; m++)
        for (int k = 0; k < n_kinds; k++) {
            OWN(spw_csr) A = generated(names[m]);
            OWN(spw_operator) M;
            assert_ok(spw_precond_named(kinds[k]->name, &A, &M));
            assert_string_equal(M.name, kinds[k]->name);
            assert_true(M.setup_seconds > 0 && M.cost.load > 0 && M.cost.store > 0);
            assert_true(spw_cost_bytes(M.setup) > 0);
            dense_from_operator(&M, &A_);
            for (int i = 0; i < A_.n; i++)
                for (int j = 0; j < A_.n; j++) B_.at[i][j] = A_.at[j][i];
            B_.n = A_.n;
            if (kinds[k]->symmetric && !(distance(&A_, &B_) < 1e-13))
                fail_msg("%s of %s is not symmetric: %g", M.name, names[m], distance(&A_, &B_));
            if (kinds[k]->symmetric && !is_positive(&A_))
                fail_msg("%s of %s is not positive definite", M.name, names[m]);
        }
}

/* The answer does not depend on the threads, nor on those that the schedule was made for. */
TEST(threads_do_not_matter) {
    enum { N = 40 * 30 };
    static double r[N], z[N], expected[N];
    OWN(spw_csr) A = generated("laplace2d:40x30");
    for (int i = 0; i < N; i++) r[i] = sin(i);
    for (int k = 0; k < n_kinds; k++)
        for (int threads = 1; with_threads(threads, 3); threads++) {
            OWN(spw_operator) M;
            assert_ok(spw_precond_named(kinds[k]->name, &A, &M));
            for (int other = 1; with_threads(other, 3); other++) {
                spw_operator_apply(&M, r, z);
                if (threads == 1 && other == 1) memcpy(expected, z, sizeof z);
                for (int i = 0; i < N; i++)
                    if (!(fabs(z[i] - expected[i]) < 1e-12))
                        fail_msg("%s, %d and %d threads: z[%d] is %g, not %g", M.name, threads,
                                 other, i, z[i], expected[i]);
            }
        }
}

/* A polynomial multiplies by the operator that is given, in its format. */
TEST(polynomials_take_a_format) {
    static const char *const names[] = {"neumann:2", "cheby:3"};
    enum { N = 6 * 7 * 8 };
    static double r[N], z[N], expected[N];
    OWN(spw_csr) A = generated("stencil27:6x7x8");
    OWN(spw_operator) half;
    assert_ok(spw_operator_in(&A, "sdia", &half));
    for (int i = 0; i < N; i++) r[i] = sin(i);
    for (int k = 0; k < 2; k++) {
        OWN(spw_operator) M, by_csr;
        assert_ok(spw_precond_named(names[k], &A, &by_csr));
        assert_ok(spw_precond_for(names[k], &A, &half, &M));
        assert_true(M.cost.load < by_csr.cost.load);
        spw_operator_apply(&by_csr, r, expected);
        spw_operator_apply(&M, r, z);
        assert_near(N, z, expected, 1e-12);
    }
}

/* Y = M^-1 X for vectors side by side is M^-1 x for each; the `direct` kinds, and whichever else can, take all in one
 * pass, and what a further vector costs is said to be less than the first. Gaps between the rows stay as they are. */
TEST(blocks_are_vectors_side_by_side) {
    enum { MOST_VECTORS = 19, GAP = 3 };
    static const char *const direct[] = {"jacobi", "bjacobi", "sgs",     "sgs_serial",
                                         "ic0",    "ilu0",    "cholesky"};
    static const int counts[] = {1, 2, 8, MOST_VECTORS};
    OWN(spw_csr) A = generated("fem3:4");
    const int64_t n = A.n_rows;
    double *X = zeros(n * (MOST_VECTORS + GAP)), *Y = zeros(n * 30);
    double *room = zeros(2 * n), *x = room, *y = room + n;
    for (int k = 0; k < n_kinds; k++)
        for (int threads = 1; with_threads(threads, 2); threads++) {
            OWN(spw_operator) M;
            assert_ok(spw_precond_named(kinds[k]->name, &A, &M));
            for (size_t d = 0; d < sizeof direct / sizeof *direct; d++)
                if (strcmp(direct[d], M.name) == 0) assert_non_null(M.apply_block);
            if (M.apply_block) {
                assert_true(spw_cost_bytes(M.further) > 0);
                assert_true(spw_cost_bytes(M.further) <= spw_cost_bytes(M.cost));
                assert_true(M.further.flop == M.cost.flop);
            }
            for (int c = 0; c < 4; c++) {
                const int nv = counts[c], ldx = nv + GAP, ldy = nv + 1;
                for (int64_t i = 0; i < n * ldx; i++) X[i] = sin(0.3 * (double)i);
                for (int64_t i = 0; i < n * ldy; i++) Y[i] = i % ldy < nv ? NAN : 5;
                spw_operator_apply_block(&M, nv, X, ldx, Y, ldy, room, 0);
                for (int64_t i = 0; i < n; i++) assert_true(Y[i * ldy + nv] == 5);
                for (int j = 0; j < nv; j++) {
                    for (int64_t i = 0; i < n; i++) x[i] = X[i * ldx + j];
                    spw_operator_apply(&M, x, y);
                    for (int64_t i = 0; i < n; i++)
                        if (!(fabs(Y[i * ldy + j] - y[i]) <= 1e-13 * (1 + fabs(y[i]))))
                            fail_msg("%s, %d vectors, row %d of vector %d: %g, not %g", M.name, nv,
                                     (int)i, j, Y[i * ldy + j], y[i]);
                }
            }
        }
}

TEST(a_diagonal_without_inverse_is_named) {
    spw_idx row_ptr[] = {0, 2, 3, 5}, missing[] = {0, 2, 0, 0, 2}, there[] = {0, 2, 1, 0, 2};
    double val[] = {4, 1, 0, 1, 5};
    char expected[80];
    for (int k = 0; k < n_kinds; k++) {
        spw_operator M;
        spw_csr A = {3, 3, 5, row_ptr, missing, val};
        if (strcmp(kinds[k]->name, "bjacobi") == 0) continue; /* it inverts blocks */
        assert_int_equal(spw_precond_named(kinds[k]->name, &A, &M), SPW_ERR_ARG);
        snprintf(expected, sizeof expected, "%s: row 1 has no diagonal entry", kinds[k]->name);
        assert_string_equal(spw_message(), expected);
        assert_null(M.apply);
        A.col_idx = there;
        assert_int_equal(spw_precond_named(kinds[k]->name, &A, &M), SPW_ERR_ARG);
        snprintf(expected, sizeof expected, "%s: the diagonal entry of row 1 is 0", kinds[k]->name);
        assert_says(spw_message(), expected);
        A.n_cols = 4;
        assert_error(spw_precond_named(kinds[k]->name, &A, &M), SPW_ERR_ARG, "3 x 4");
    }
    spw_operator M;
    spw_csr A = {3, 3, 5, row_ptr, there, val};
    assert_message(spw_precond_bjacobi(&A, 1, &M), SPW_ERR_ARG,
                   "bjacobi: the block of rows 1 to 1 is singular");
    assert_message(spw_precond_bjacobi(&A, 2, &M), SPW_ERR_ARG,
                   "bjacobi: the block of rows 0 to 1 is singular");
    assert_int_equal(spw_precond_bjacobi(&A, -1, &M), SPW_ERR_ARG);
    assert_int_equal(spw_precond_bjacobi(&A, SPW_BLOCK_ROWS_MAX + 1, &M), SPW_ERR_ARG);
    val[2] = -2;
    assert_error(spw_precond_ic0(&A, &M), SPW_ERR_ARG, "row 1 is -2, which is negative");
    assert_int_equal(spw_precond_chebyshev(&A, 2, &M), SPW_ERR_ARG);
    assert_int_equal(spw_precond_fsai(&A, &M), SPW_ERR_ARG);
    assert_error(spw_precond_sgs_colour(&A, 101, &M), SPW_ERR_ARG, "101 %");
    assert_error(spw_precond_neumann(&A, 101, &M), SPW_ERR_ARG, "the degree is 101");
    assert_int_equal(spw_precond_ilu0_neumann(&A, -1, &M), SPW_ERR_ARG);
    assert_null(M.apply);
}

TEST(no_memory_is_a_status) {
    spw_set_threads(2);
    OWN(spw_csr) A = generated("stencil27:4");
    for (int k = 0; k < n_kinds; k++) {
        OWN(spw_operator) M;
        assert_in_range(FAILURES(spw_precond_named(kinds[k]->name, &A, &M), !M.context), 0, 59);
    }
}

TEST(no_rows_are_no_work) {
    OWN(spw_csr) A = case_of("nothing", 0);
    for (int k = 0; k < n_kinds; k++) {
        OWN(spw_operator) M;
        double nothing[1] = {7};
        assert_ok(spw_precond_named(kinds[k]->name, &A, &M));
        spw_operator_apply(&M, nothing, nothing + 1);
        assert_true(nothing[0] == 7);
    }
}

/* --- what each one is --------------------------------------------------------------------------------------------- */

/* (D + L) D^-1 (D + U) times M^-1 is the identity. */
TEST(gauss_seidel_is_its_formula) {
    static const char *const names[] = {"convdiff2d:8x7", "fem3:3"};
    for (int m = 0; m < 2; m++) {
        OWN(spw_csr) A = generated(names[m]);
        OWN(spw_operator) M, serial;
        dense_from_csr(&A, &A_);
        B_ = C_ = A_;
        for (int i = 0; i < A_.n; i++)
            for (int j = 0; j < A_.n; j++) {
                if (j > i) B_.at[i][j] = 0;
                C_.at[i][j] = j < i ? 0 : A_.at[i][j] / A_.at[i][i];
            }
        multiply(&B_, &C_, &D_); /* M */
        invert(&D_, &A_);
        assert_ok(spw_precond_sgs(&A, &M));
        assert_ok(spw_precond_sgs_serial(&A, &serial));
        dense_from_operator(&M, &B_);
        dense_from_operator(&serial, &C_);
        assert_true(distance(&B_, &A_) < 1e-13);
        assert_memory_equal(&B_, &C_, sizeof B_);
    }
}

/* M = A where A has an entry: that defines the two. */
TEST(incomplete_factors_have_the_entries_of_a) {
    static const char *const names[] = {"laplace2d:9x7", "stencil27:4", "fem3:3", "convdiff2d:8x9"};
    for (int m = 0; m < 4; m++)
        for (int ilu = m == 3; ilu < 2; ilu++) {
            OWN(spw_csr) A = generated(names[m]);
            OWN(spw_operator) M;
            assert_ok((ilu ? spw_precond_ilu0 : spw_precond_ic0)(&A, &M));
            assert_null(strstr(M.note, "shift"));
            dense_from_operator(&M, &A_);
            invert(&A_, &B_);
            int others = 0;
            for (spw_idx i = 0; i < A.n_rows; i++) {
                spw_idx k = A.row_ptr[i];
                for (spw_idx j = 0; j < A.n_rows; j++) {
                    if (k < A.row_ptr[i + 1] && A.col_idx[k] == j) {
                        const double error = fabs(B_.at[i][j] - A.val[k]);
                        assert_true(error < 1e-10 * fabs(A.val[A.row_ptr[i]]) + 1e-10);
                        k++;
                    } else {
                        others += fabs(B_.at[i][j]) > 1e-6;
                    }
                }
            }
            assert_true(others > 0); /* or it would be complete */
        }
}

/* Without fill there is nothing incomplete: M = A. */
TEST(a_tridiagonal_matrix_is_solved) {
    OWN(spw_csr) A = generated("tridiag:50");
    dense_from_csr(&A, &A_);
    for (int ilu = 0; ilu < 2; ilu++) {
        OWN(spw_operator) M;
        assert_ok((ilu ? spw_precond_ilu0 : spw_precond_ic0)(&A, &M));
        dense_from_operator(&M, &B_);
        assert_inverse(&A_, &B_);
    }
}

/* D. S. Kershaw's matrix, positive definite, whose last pivot is 3 - 4/3 - 4/0.6 < 0. J. Comput. Phys. 26(1),
 * 43-65, 1978, doi:10.1016/0021-9991(78)90098-0. */
TEST(a_breakdown_is_shifted) {
    OWN(spw_csr)
    A = matrix_of(4, 4, (const double[]){3, -2, 0, 2, -2, 3, -2, 0, 0, -2, 3, -2, 2, 0, -2, 3});
    OWN(spw_csr) B = matrix_of(2, 2, (const double[]){1, 1, 1, 1});
    OWN(spw_csr) C = matrix_of(2, 2, (const double[]){1e-300, 1e300, 1e300, 1e300});
    OWN(spw_operator) M, of_B, of_C;
    double shift = 0;
    assert_ok(spw_precond_ic0(&A, &M));
    assert_says(M.note, "shift ");
    assert_int_equal(sscanf(strstr(M.note, "shift "), "shift %lf", &shift), 1);
    /* pivots of 3 (1 + s): positive from some shift on; it is doubled each time, from 0.001 */
    double pivots[2];
    for (int half = 0; half < 2; half++) {
        const double d = 3 * (1 + (half ? shift / 2 : shift)), d2 = d - 4 / d, d3 = d - 4 / d2;
        pivots[half] = d - 4 / d - 4 / d3;
        if (d2 <= 0 || d3 <= 0) pivots[half] = -1;
    }
    assert_true(pivots[0] > 0 && pivots[1] <= 0);
    dense_from_operator(&M, &A_);
    assert_true(is_positive(&A_));
    assert_ok(spw_precond_ilu0(&B, &of_B)); /* there is no second pivot */
    assert_string_equal(strstr(of_B.note, "shift"), "shift 0.001");
    /* no shift helps where nothing is finite */
    assert_error(spw_precond_ilu0(&C, &of_C), SPW_ERR_ARG, "ilu0: row 0 has no pivot");
    assert_null(of_C.apply);
}

/* With as many terms as levels, less one, nothing is left out. */
TEST(enough_terms_are_a_solution) {
    OWN(spw_csr) A = generated("convdiff2d:6x5"), B = generated("laplace2d:5x5");
    OWN(spw_operator) ilu0, ic0, nine_terms;
    assert_ok(spw_precond_ilu0(&A, &ilu0));
    dense_from_operator(&ilu0, &A_);
    double last = INFINITY;
    for (int degree = 0; degree <= 9; degree++) {
        OWN(spw_operator) M;
        assert_ok(spw_precond_ilu0_neumann(&A, degree, &M));
        dense_from_operator(&M, &B_);
        const double error = distance(&B_, &A_);
        assert_true(error < last || error < 1e-14);
        last = error;
    }
    assert_true(last < 1e-14); /* 6 + 5 - 1 levels */
    assert_ok(spw_precond_ic0(&B, &ic0));
    assert_ok(spw_precond_ic0_neumann(&B, 8, &nine_terms));
    dense_from_operator(&ic0, &A_);
    dense_from_operator(&nine_terms, &B_);
    assert_true(distance(&B_, &A_) < 1e-14);
}

TEST(blocks_are_inverted) {
    static const struct {
        const char *name;
        int given, size;
    } cases[] = {{"fem3:3", 0, 3}, {"fem6:2", 0, 16},     {"fem1:4", 0, 4},
                 {"fem3:3", 7, 7}, {"laplace2d:9", 1, 1}, {"convdiff2d:9", 32, 32}};
    for (int c = 0; c < 6; c++) {
        OWN(spw_csr) A = generated(cases[c].name);
        OWN(spw_operator) M;
        char size[32];
        const int b = cases[c].size;
        assert_ok(spw_precond_bjacobi(&A, cases[c].given, &M));
        snprintf(size, sizeof size, "blocks of %d row", b);
        assert_says(M.note, size);
        dense_from_csr(&A, &A_);
        for (int i = 0; i < A_.n; i++)
            for (int j = 0; j < A_.n; j++)
                if (i / b != j / b) A_.at[i][j] = 0;
        dense_from_operator(&M, &B_);
        assert_inverse(&A_, &B_);
    }
}

/* On the vectors sin(pi k i / (n+1)) the polynomials are numbers: D^-1 A times one is 1 - cos(pi k / (n+1))
 * times it. */
TEST(polynomials_are_those_of_the_formula) {
    enum { N = 60 };
    OWN(spw_csr) A = generated("tridiag:60");
    for (int degree = 0; degree <= 6; degree++)
        for (int cheby = 0; cheby < 2; cheby++) {
            OWN(spw_operator) M;
            double low = 0, high = 0, v[N], z[N];
            assert_ok((cheby ? spw_precond_chebyshev : spw_precond_neumann)(&A, degree, &M));
            if (cheby) {
                assert_int_equal(
                    sscanf(strstr(M.note, "eigenvalues"), "eigenvalues %lf to %lf", &low, &high),
                    2);
                assert_true(high >= 1.98 && high <= 2.001 && low > 0 && low < high / 2);
            }
            for (int k = 1; k <= N; k++) {
                const double mu = 1 - cos(M_PI * k / (N + 1));
                const double center = (low + high) / 2, half = (high - low) / 2;
                double left = pow(1 - mu / 2, degree + 1); /* what is not solved; row sums are 2 */
                if (cheby) {
                    const double at = (center - mu) / half, zero = acosh(center / half);
                    const int sign = at < 0 && degree % 2 == 0 ? -1 : 1;
                    left = (fabs(at) <= 1 ? cos((degree + 1) * acos(at))
                                          : sign * cosh((degree + 1) * acosh(fabs(at)))) /
                           cosh((degree + 1) * zero);
                }
                for (int i = 0; i < N; i++) v[i] = sin(M_PI * k * (i + 1) / (N + 1));
                spw_operator_apply(&M, v, z);
                for (int i = 0; i < N; i++) /* M^-1 D D^-1 A v = (1 - left) v, and D is 2 */
                    assert_true(fabs(z[i] * 2 * mu - (1 - left) * v[i]) < (cheby ? 0.02 : 1e-12));
            }
        }
}

/* Of a full matrix they are the inverse. Of a sparse one fsai has trace(M^-1 A) = n, and what a row of
 * spai leaves over is orthogonal to the rows that it is made of. */
TEST(approximate_inverses_are_the_best_of_their_pattern) {
    OWN(spw_csr) full = generated("stencil27:2");
    dense_from_csr(&full, &A_);
    invert(&A_, &B_);
    for (int lower = 0; lower < 2; lower++) {
        OWN(spw_operator) M;
        assert_ok((lower ? spw_precond_fsai : spw_precond_spai)(&full, &M));
        dense_from_operator(&M, &C_);
        assert_true(distance(&C_, &B_) < 1e-13);
    }
    static const char *const names[] = {"laplace2d:10x9", "fem3:3", "convdiff2d:9x8"};
    for (int m = 0; m < 3; m++) {
        OWN(spw_csr) A = generated(names[m]);
        OWN(spw_operator) M, fsai = {0};
        dense_from_csr(&A, &A_);
        if (m < 2) {
            assert_ok(spw_precond_fsai(&A, &fsai));
            dense_from_operator(&fsai, &B_);
            multiply(&B_, &A_, &C_);
            double trace = 0;
            for (int i = 0; i < A_.n; i++) trace += C_.at[i][i];
            assert_true(fabs(trace - A_.n) < 1e-10);
        }
        assert_ok(spw_precond_spai(&A, &M));
        dense_from_operator(&M, &B_);
        multiply(&B_, &A_, &C_);
        for (int i = 0; i < A_.n; i++)
            for (int j = 0; j < A_.n; j++) {
                if (A_.at[i][j] == 0) {
                    assert_true(B_.at[i][j] == 0);
                    continue;
                }
                double product = 0, size = 0;
                for (int k = 0; k < A_.n; k++) {
                    product += ((i == k) - C_.at[i][k]) * A_.at[j][k];
                    size += A_.at[j][k] * A_.at[j][k];
                }
                assert_true(fabs(product) < 1e-11 * size);
            }
    }
}

/* Of rows that are too long the largest entries are taken, and said so. */
TEST(long_rows_are_cut) {
    OWN(spw_operator) op, spai, fsai;
    OWN(spw_csr) A = generated("arrow:400");
    assert_ok(spw_precond_spai(&A, &spai));
    assert_string_equal(spai.note, "the 128 largest entries of 1 row");
    assert_ok(spw_precond_fsai(&A, &fsai));
    assert_string_equal(fsai.note, ""); /* the long row is in the upper triangle */
    assert_ok(spw_operator_from_csr(&A, &op));
    assert_true(spw_cost_in_products(op.cost, &op) == 1);
    assert_true(spw_cost_in_products((spw_cost){0}, &op) == 0);
}

TEST(what_is_not_definite_is_named) {
    OWN(spw_csr) A = matrix_of(2, 2, (const double[]){1, 2, 2, 1});
    OWN(spw_csr) B = matrix_of(2, 2, (const double[]){1, 1, 1, 1});
    spw_operator M;
    assert_error(
        spw_precond_fsai(&A, &M), SPW_ERR_ARG,
        "fsai: the small problem of row 1 has no solution: the matrix is not positive definite");
    assert_null(M.apply);
    assert_error(spw_precond_spai(&B, &M), SPW_ERR_ARG,
                 "spai: the small problem of row 0 has no solution");
}

/* --- iterations -------------------------------------------------------------------------------------------------- */

static int iterations(const spw_csr *A, const spw_operator *op, const spw_operator *M) {
    const int64_t n = A->n_rows;
    double *b = zeros(n), *x = zeros(n);
    OWN(spw_solve_result) result;
    for (int64_t i = 0; i < n; i++) b[i] = sin(0.7 * (double)i) + 0.1;
    assert_ok(spw_pcg(op, M, b, x, NULL, &result));
    assert_int_equal(result.stop, SPW_STOP_CONVERGED);
    return result.iterations;
}

static int kind_of(const char *name) {
    int k = 0;
    while (k < n_kinds && strcmp(kinds[k]->name, name)) k++;
    assert_true(k < n_kinds);
    return k;
}

TEST(iterations_become_fewer) {
    OWN(spw_operator) op;
    int count[sizeof kinds / sizeof *kinds] = {0};
    OWN(spw_csr) A = generated("laplace2d:60x50");
    assert_ok(spw_operator_from_csr(&A, &op));
    const int plain = iterations(&A, &op, NULL), jacobi = kind_of("jacobi");
    print_message("laplace2d:60x50, CG: %d iterations\n%-14s %10s  in products: %7s %6s\n", plain,
                  "precond", "iterations", "set-up", "apply");
    for (int k = 0; k < n_kinds; k++) {
        OWN(spw_operator) M = {0};
        if (!kinds[k]->symmetric) continue;
        assert_ok(spw_precond_named(kinds[k]->name, &A, &M));
        count[k] = iterations(&A, &op, &M);
        print_message("%-14s %10d               %7.2f %6.2f  %s\n", M.name, count[k],
                      spw_cost_in_products(M.setup, &op), spw_cost_in_products(M.cost, &op),
                      M.note);
        if (k == jacobi) assert_in_range(count[k], plain - 2, plain + 2); /* a constant diagonal */
        if (k != jacobi) assert_true(count[k] < 0.9 * plain);
    }
    const int sgs = count[kind_of("sgs")], ic0 = count[kind_of("ic0")];
    const int ilu0 = count[kind_of("ilu0")], cheby = count[kind_of("cheby")];
    assert_true(ic0 < sgs);
    assert_int_equal(sgs, count[kind_of("sgs_serial")]);
    assert_in_range(ilu0, ic0 - 1, ic0 + 1); /* LU and LL^T are the same here */
    assert_true(count[kind_of("ic0_neumann")] >= ic0 && count[kind_of("ilu0_neumann")] >= ilu0);
    assert_true(cheby < count[kind_of("neumann")] && cheby < 0.3 * plain);
    int before = plain;
    for (int degree = 1; degree < 16; degree *= 2) {
        OWN(spw_operator) M;
        assert_ok(spw_precond_chebyshev(&A, degree, &M));
        const int now = iterations(&A, &op, &M);
        assert_true(now < before);
        before = now;
    }
}

/* --- real matrices -------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    const char *why; /* "": BiCGStab converges; else what keeps ILU(0) from being made */
} real[] = {
    {"sherman3.mtx", ""},
    {"sherman5.mtx", ""},
    {"orsreg_1.mtx", ""},
    {"cryg2500.mtx", ""},
    {"memplus.mtx", ""},
    {"nsjac.mtx", ""},
    {"add32.mtx", ""},
    {"epb0.mtx", ""},
    {"cage8.mtx", ""},
    {"cavity14.mtx", "ilu0: row 19 has no diagonal entry"}, /* flow: no pressure in its own row */
    {"e05r0500.mtx", "ilu0: row 8 has no diagonal entry"},
    {"fidapex6.mtx", "ilu0: the diagonal entry of row 24 is 0, which has no inverse"},
    {"west0479.mtx", "has no diagonal entry"},
};

static spw_status read_matrix(const char *name, spw_csr *A) {
    char path[512];
    spw_status status = SPW_ERR_FILE;
    for (int zipped = 0; status == SPW_ERR_FILE && zipped < 2; zipped++) {
        snprintf(path, sizeof path, "%s/%s%s", collection_folder(), name, zipped ? ".gz" : "");
        status = spw_csr_load(path, A);
    }
    return status;
}

static void try_real(int m) {
    OWN(spw_csr) A;
    OWN(spw_operator) op = {0}, M = {0};
    OWN(spw_solve_result) result = {0};
    if (read_matrix(real[m].name, &A)) {
        print_message("%-14s is not there: %s\n", real[m].name, spw_message());
        return;
    }
    const int64_t n = A.n_rows;
    double *b = zeros(n), *x = zeros(n);
    assert_ok(spw_operator_from_csr(&A, &op));
    for (int64_t i = 0; i < n; i++) x[i] = 1;
    spw_operator_apply(&op, x, b);
    for (int64_t i = 0; i < n; i++) x[i] = 0;
    const spw_status status = spw_precond_ilu0(&A, &M);
    if (status) {
        print_message("%-14s %7d %8d  %s\n", real[m].name, (int)n, (int)A.nnz, spw_message());
        assert_true(*real[m].why && strstr(spw_message(), real[m].why));
    } else {
        assert_string_equal(real[m].why, "");
        const spw_solve_options options = {.max_iterations = 2000};
        assert_ok(spw_bicgstab(&op, &M, b, x, &options, &result));
        print_message("%-14s %7d %8d %5d %8.1e %8.1e  %s; %s\n", real[m].name, (int)n, (int)A.nnz,
                      result.iterations, result.residual, result.true_residual, M.note,
                      result.text);
        assert_int_equal(result.stop, SPW_STOP_CONVERGED);
        assert_true(result.true_residual < 1e-7);
    }
}

TEST(nonsymmetric_matrices_of_the_collection) {
    spw_set_threads(1);
    print_message("%-14s %7s %8s %5s %8s %8s\n", "matrix", "rows", "entries", "iter.", "residual",
                  "b - A x");
    for (size_t m = 0; m < sizeof real / sizeof *real; m++) try_real((int)m);
}

int main(void) { return run_all(find_kinds, NULL); }

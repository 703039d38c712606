/* kernels/incomplete.h against the textbook's loops on dense matrices, the same bits for all numbers of threads,
 * and pivots that fail. */
#include "kernels/incomplete.h"

#include "formats/generate.h"
#include "test.h"

#include <sys/resource.h>

enum { MOST = 400, THREADS = 2 };

/* Row-major; whether A has the entry. */
typedef struct dense {
    int n;
    double at[MOST][MOST];
    bool is[MOST][MOST];
} dense;

static dense D;

static void make_dense(const spw_csr *A, double shift) {
    assert_in_range(A->n_rows, 1, MOST);
    memset(&D, 0, sizeof D);
    D.n = A->n_rows;
    for (spw_idx i = 0; i < A->n_rows; i++)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) {
            D.at[i][A->col_idx[k]] = A->val[k] * (A->col_idx[k] == i ? 1 + shift : 1);
            D.is[i][A->col_idx[k]] = true;
        }
}

/* In place, column by column, as the header has it; returns the first row whose pivot is no good. */
static int dense_ic0(void) {
    int bad = D.n;
    for (int j = 0; j < D.n; j++) {
        for (int i = j; i < D.n; i++) {
            if (!D.is[i][j]) continue;
            for (int k = 0; k < j; k++)
                if (D.is[i][k] && D.is[j][k]) D.at[i][j] -= D.at[i][k] * D.at[j][k] / D.at[k][k];
        }
        if (!(D.at[j][j] > 0) && j < bad) bad = j;
    }
    return bad;
}

/* Row by row, for a matrix whose pivots are all good. */
static void dense_ilu0(void) {
    for (int i = 0; i < D.n; i++)
        for (int k = 0; k < i; k++) {
            if (!D.is[i][k]) continue;
            D.at[i][k] /= D.at[k][k];
            for (int j = k + 1; j < D.n; j++)
                if (D.is[i][j] && D.is[k][j]) D.at[i][j] -= D.at[i][k] * D.at[k][j];
        }
}

/* The triangle, and its diagonal if it has one of its own, are those of D. */
static void assert_dense(const spw_triangle *T) {
    for (spw_idx k = 0; k < T->n; k++) {
        const spw_idx i = T->half == SPW_UPPER ? T->n - 1 - k : k;
        if (T->inverse) assert_true(fabs(T->inverse[i] * D.at[i][i] - 1) < 1e-12);
        for (spw_idx at = T->row_ptr[k]; at < T->row_ptr[k + 1]; at++) {
            const double expected = D.at[i][T->col_idx[at]];
            assert_true(fabs(T->val[at] - expected) <= 1e-12 * (1 + fabs(expected)));
        }
    }
}

typedef struct factors {
    spw_triangle L, U; /* U: of ILU(0) only */
    spw_incomplete result;
} factors;

static factors factor(const spw_csr *A, bool ilu, double shift, int threads, spw_idx block) {
    factors F = {0};
    spw_set_threads(threads);
    assert_ok(spw_triangle_from_csr(A, SPW_LOWER, ilu ? SPW_DIAGONAL_ONE : SPW_DIAGONAL_OWN, &F.L));
    if (ilu) assert_ok(spw_triangle_from_csr(A, SPW_UPPER, SPW_DIAGONAL_OWN, &F.U));
    assert_ok(spw_triangle_schedule(&F.L, threads, block));
    assert_ok(ilu ? spw_ilu0_omp(A, shift, &F.L, &F.U, &F.result)
                  : spw_ic0_omp(A, shift, &F.L, &F.result));
    spw_set_threads(THREADS);
    return F;
}

static void factors_destroy(factors *F) {
    spw_triangle_destroy(&F->L);
    spw_triangle_destroy(&F->U);
}

static void assert_same_bits(const spw_triangle *T, const spw_triangle *S) {
    assert_memory_equal(T->val, S->val, (size_t)T->nnz * sizeof *T->val);
    assert_int_equal(!T->inverse, !S->inverse);
    if (T->inverse) assert_memory_equal(T->inverse, S->inverse, (size_t)T->n * sizeof *T->inverse);
}

TEST(the_factors_are_those_of_the_textbook) {
    /* fem3 has three rows of the same columns a node; unsymmetric ones have no IC(0) */
    static const char *const names[] = {"laplace2d:9x7", "stencil27:5x4x6", "fem3:4",
                                        "tridiag:90",    "convdiff2d:11x9", "arrow:120",
                                        "fem3:2x3x5"};
    for (int m = 0; m < 7; m++)
        for (int ilu = m == 4; ilu < 2; ilu++)
            for (double shift = 0; shift < 1; shift += 0.5) {
                OWN(spw_csr) A = generated(names[m]);
                make_dense(&A, shift);
                if (ilu)
                    dense_ilu0();
                else
                    assert_int_equal(dense_ic0(), A.n_rows);
                OWN(factors) first = factor(&A, ilu, shift, 1, 0);
                assert_int_equal(first.result.bad, A.n_rows);
                assert_dense(&first.L);
                if (ilu) assert_dense(&first.U);
                assert_true(first.result.flop > 2.0 * first.L.nnz);
                static const int plans[][2] = {{2, 0}, {2, 1}, {3, 4}, {4, 1000}, {2, 2}};
                for (int p = 0; p < 5; p++) {
                    OWN(factors) F = factor(&A, ilu, shift, plans[p][0], plans[p][1]);
                    assert_int_equal(F.result.bad, A.n_rows);
                    assert_same_bits(&F.L, &first.L);
                    if (ilu) assert_same_bits(&F.U, &first.U);
                    assert_true(F.result.flop == first.result.flop);
                }
            }
}

/* What stands above the diagonal has no part in IC(0). */
TEST(ic0_looks_at_the_lower_triangle) {
    OWN(spw_csr) A = generated("fem3:3");
    OWN(factors) F = factor(&A, false, 0, 2, 1);
    for (spw_idx i = 0; i < A.n_rows; i++)
        for (spw_idx k = A.row_ptr[i]; k < A.row_ptr[i + 1]; k++)
            if (A.col_idx[k] > i) A.val[k] = NAN;
    OWN(factors) G = factor(&A, false, 0, 2, 1);
    assert_same_bits(&F.L, &G.L);
}

/* Entry (i, j) may be without (j, i); some rows have none below the diagonal. */
TEST(patterns_need_not_be_symmetric) {
    enum { N = 150 };
    OWN(spw_csr) A;
    assert_ok(spw_csr_create(N, N, N * N, &A));
    A.nnz = 0;
    for (spw_idx i = 0; i < N; i++) {
        A.row_ptr[i] = A.nnz;
        for (spw_idx j = 0; j < N; j++) {
            if (j != i && (i % 17 == 0 ? j < i : (i * i + 7 * j) % 23 > 1)) continue;
            A.col_idx[A.nnz] = j;
            A.val[A.nnz++] = j == i ? 8 : sin(i + 3 * j);
        }
    }
    A.row_ptr[N] = A.nnz;
    make_dense(&A, 0);
    dense_ilu0();
    for (int threads = 1; threads <= 3; threads++) {
        OWN(factors) F = factor(&A, true, 0, threads, 0);
        assert_int_equal(F.result.bad, A.n_rows);
        assert_dense(&F.L);
        assert_dense(&F.U);
    }
}

/* Row i is spoilt: nothing can be taken off its diagonal any more (ilu), or too much will be. */
static void spoil(spw_csr *A, spw_idx i, bool ilu) {
    const spw_idx diagonal = spw_csr_entry(A, i, i);
    for (spw_idx k = A->row_ptr[i]; k < diagonal && ilu; k++) A->val[k] = 0;
    A->val[diagonal] *= ilu ? 1e-14 : 1e-3;
}

/* The first of them, whoever comes to it first; in the middle of rows of the same columns too. */
TEST(the_first_bad_pivot_is_told) {
    static const char *const names[] = {"fem3:4", "stencil27:5x4x6", "tridiag:90"};
    for (int m = 0; m < 3; m++)
        for (spw_idx first = 0; first < 80; first += 13)
            for (int ilu = 0; ilu < 2; ilu++) {
                OWN(spw_csr) A = generated(names[m]);
                for (spw_idx i = first; i < A.n_rows - 1; i += 11) spoil(&A, i, ilu);
                make_dense(&A, 0);
                const spw_idx bad = ilu ? first : dense_ic0();
                assert_true(bad < A.n_rows);
                for (int threads = 1; threads <= 4; threads++) {
                    OWN(factors) F = factor(&A, ilu, 0, threads, 1);
                    assert_int_equal(F.result.bad, bad);
                }
            }
}

TEST(no_memory_is_a_status) {
    for (int ilu = 0; ilu < 2; ilu++) {
        OWN(spw_csr) A = generated("laplace2d:9");
        OWN(factors) F = factor(&A, ilu, 0, 2, 1), kept = factor(&A, ilu, 0, 2, 1);
        const int failures = FAILURES(ilu ? spw_ilu0_omp(&A, 0.1, &F.L, &F.U, &F.result)
                                          : spw_ic0_omp(&A, 0.1, &F.L, &F.result),
                                      (assert_same_bits(&F.L, &kept.L), true));
        assert_int_equal(failures, 7); /* the rooms, three arrays each of them */
    }
}

static int64_t peak_memory(void) {
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return (int64_t)usage.ru_maxrss * 1024;
}

/* Room for each thread, but not for all rows: of a matrix with narrow rows it is next to nothing. */
TEST(room_does_not_grow_with_the_rows) {
    enum { N = 2000000, MANY = 16 };
    OWN(spw_csr) A;
    OWN(spw_triangle) L;
    spw_incomplete result;
    assert_ok(spw_csr_create(N, N, N, &A));
    for (spw_idx i = 0; i < N; i++) A.row_ptr[i] = A.col_idx[i] = i, A.val[i] = 4;
    A.row_ptr[N] = N;
    spw_set_threads(MANY);
    assert_ok(spw_triangle_from_csr(&A, SPW_LOWER, SPW_DIAGONAL_OWN, &L));
    assert_ok(spw_triangle_schedule(&L, MANY, 0));
    const int64_t before = peak_memory();
    assert_ok(spw_ic0_omp(&A, 0, &L, &result));
    assert_int_equal(result.bad, N);
    assert_true(peak_memory() - before < MANY * (int64_t)N); /* a quarter of an index for each */
    spw_set_threads(THREADS);
}

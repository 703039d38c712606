/* lib/distributed on ranks that are fibers: the parts of a matrix give its product, and solvers what one process gives.
 * The file that knows MPI is compiled here for the workbook's mpi.h. */
#include "distributed/comm_mpi.c"
#undef exit

#include "distributed/rows.h"
#include "formats/generate.h"
#include "kernels/spmv.h"
#include "ranks/ranks.h"
#include "solvers/bicgstab.h"
#include "solvers/cg.h"
#include "solvers/precond.h"
#include "test.h"

static spw_csr A;
static double *x, *y, *expected;
static const int64_t *first;
static int iterations, ranks;
static bool solves_with_bicgstab, preconditioned;

/* Rank by rank into its part of y, twice: ghosts of before would show. */
static void multiply(int rank, void *unused) {
    spw_comm c;
    spw_rows R;
    spw_operator op;
    (void)unused;
    assert_ok(spw_comm_start(NULL, NULL, &c));
    assert_int_equal(c.rank, rank);
    assert_ok(spw_rows_from_csr(&c, &A, first, &R));
    assert_ok(spw_operator_from_rows(&c, &R, &op));
    const int64_t mine = R.first[rank];
    for (int k = 0; k < 2; k++) {
        spw_operator_apply(&op, x + mine, y + mine);
        for (int64_t i = 0; i < op.n; i++)
            assert_true(fabs(y[mine + i] - (k + 1) * expected[mine + i]) <=
                        1e-12 * (1 + fabs(expected[mine + i])));
        for (int64_t i = 0; i < op.n && k == 0; i++) x[mine + i] *= 2;
    }
    spw_operator_destroy(&op);
    spw_rows_destroy(&R);
    spw_comm_end(&c);
}

static spw_ranks_result run(void (*body)(int, void *), int n, bool descending) {
    spw_ranks_result result;
    const spw_ranks_options options = {.ranks = n, .descending = descending};
    ranks = n;
    assert_ok(spw_ranks_run(&options, body, NULL, &result));
    if (spw_ranks_finding_count()) fail_msg("%s", spw_ranks_findings());
    return result;
}

static void load(const char *matrix) {
    assert_ok(spw_csr_load(matrix, &A));
    x = zeros(A.n_rows);
    y = zeros(A.n_rows);
    expected = zeros(A.n_rows);
}

static void product_of(const char *matrix, int n) {
    load(matrix);
    for (int way = 0; way < 2; way++) {
        for (int64_t i = 0; i < A.n_rows; i++) x[i] = 1 + 0.001 * (double)(i % 97), y[i] = NAN;
        spw_spmv_csr_ref(&A, x, expected);
        run(multiply, n, way);
    }
    spw_csr_destroy(&A);
}

TEST(parts_multiply_as_the_whole) {
    static const char *const matrices[] = {"laplace2d:13x11", "stencil27:6",    "arrow:50",
                                           "powerlaw:200",    "random:60x60x5", "convdiff2d:9",
                                           "tridiag:3"};
    first = NULL;
    for (int k = 0; k < 7; k++)
        for (int n = 1; n < 8; n += 2)
            product_of(matrices[k], n); /* tridiag: more ranks than rows */
    static const int64_t uneven[] = {0, 0, 100, 101, 143};
    first = uneven;
    product_of("laplace2d:13x11", 4);
    first = NULL;
}

/* Slabs of 8 planes of 8 x 8: two faces inside, one at the ends. */
TEST(messages_are_the_least_that_is_needed) {
    static const int64_t slabs[] = {0, 128, 256, 384, 512};
    load("stencil27:8");
    first = slabs;
    for (int64_t i = 0; i < A.n_rows; i++) x[i] = 1;
    spw_spmv_csr_ref(&A, x, expected);
    const spw_ranks_result result = run(multiply, 4, false);
    first = NULL;
    /* the numbers of the ghosts, and two products */
    assert_int_equal(result.messages, 3 * 6);
    assert_int_equal(result.bytes, 3 * 6 * 64 * 8);
    assert_int_equal(result.most_messages, 3 * 2);
    spw_csr_destroy(&A);
}

static void solve(int rank, void *unused) {
    spw_comm c;
    spw_rows R;
    spw_operator op, M;
    spw_solve_result result;
    (void)unused;
    assert_ok(spw_comm_start(NULL, NULL, &c));
    assert_ok(spw_rows_from_csr(&c, &A, NULL, &R));
    assert_ok(spw_operator_from_rows(&c, &R, &op));
    assert_ok(spw_precond_jacobi(&R.local, &M));
    const int64_t mine = R.first[rank];
    const spw_operator *precond = preconditioned ? &M : NULL;
    memset(y + mine, 0, (size_t)op.n * sizeof *y);
    assert_ok((solves_with_bicgstab ? spw_bicgstab : spw_pcg)(&op, precond, x + mine, y + mine,
                                                              NULL, &result));
    assert_int_equal(result.stop, SPW_STOP_CONVERGED);
    if (ranks == 1) iterations = result.iterations;
    /* 2 + 5 %: sums are rounded in another order */
    assert_true(abs(result.iterations - iterations) <= 2 + iterations / 20);
    assert_true(result.true_residual <= 1e-7);
    spw_solve_result_destroy(&result);
    spw_operator_destroy(&M);
    spw_operator_destroy(&op);
    spw_rows_destroy(&R);
    spw_comm_end(&c);
}

TEST(solvers_take_as_many_iterations_as_with_one_rank) {
    static const struct {
        const char *matrix;
        bool bicgstab, preconditioned;
    } systems[] = {
        {"stencil27:9", false, false}, {"fem1:9", false, true}, {"convdiff2d:25", true, true}};
    for (int k = 0; k < 3; k++) {
        load(systems[k].matrix);
        solves_with_bicgstab = systems[k].bicgstab;
        preconditioned = systems[k].preconditioned;
        for (int64_t i = 0; i < A.n_rows; i++) x[i] = 1 + 0.5 * (double)(i % 3);
        for (int n = 1; n <= 4; n++) run(solve, n, n % 2);
        spw_csr_destroy(&A);
    }
}

/* To the bit: one rank is one process. */
TEST(one_rank_is_one_process) {
    double *alone;
    spw_operator op, M;
    spw_solve_result result;
    load("fem1:9");
    alone = zeros(A.n_rows);
    for (int64_t i = 0; i < A.n_rows; i++) x[i] = 1 + 0.5 * (double)(i % 3);
    solves_with_bicgstab = false;
    preconditioned = true;
    run(solve, 1, false);
    assert_ok(spw_operator_convert(&A, &op));
    assert_ok(spw_precond_jacobi(&A, &M));
    assert_ok(spw_pcg(&op, &M, x, alone, NULL, &result));
    assert_int_equal(result.iterations, iterations);
    assert_memory_equal(alone, y, (size_t)A.n_rows * sizeof *y);
    spw_solve_result_destroy(&result);
    spw_operator_destroy(&M);
    spw_operator_destroy(&op);
    spw_csr_destroy(&A);
}

static void not_square(int rank, void *unused) {
    spw_comm c;
    spw_rows R;
    (void)unused;
    assert_ok(spw_comm_start(NULL, NULL, &c));
    spw_csr B = A;
    if (rank == 1) B.n_cols++; /* one rank fails: all do */
    assert_int_equal(spw_rows_from_csr(&c, &B, NULL, &R),
                     rank == 1 ? SPW_ERR_ARG : SPW_ERR_UNAVAILABLE);
    assert_true(R.first == NULL);
    spw_comm_end(&c);
}

TEST(an_error_of_one_rank_is_one_of_all) {
    load("laplace2d:5");
    run(not_square, 3, false);
    spw_csr_destroy(&A);
}

/* lib/distributed on ranks that are fibers: the parts of a matrix give its product, and solvers what one process gives.
 * The file that knows MPI is compiled here for the workbook's mpi.h. */
#include "distributed/comm_mpi.c"
#undef exit

#include "distributed/rows.h"
#include "formats/generate.h"
#include "formats/matrix_market.h"
#include "kernels/spmv.h"
#include "ranks/ranks.h"
#include "solvers/bicgstab.h"
#include "solvers/cg.h"
#include "solvers/lobpcg.h"
#include "solvers/precond.h"
#include "test.h"

#include <unistd.h>

static const char *matrix;
static spw_csr A;
static double *x, *y, *expected;
static const int64_t *first;
static int iterations, ranks;
static bool solves_with_bicgstab;
static const char *precond;

/* The rows of this rank, cut at `first`, or as spw_rows_load cuts. */
static spw_status take(const spw_comm *c, spw_rows *R) {
    double held;
    if (!first) return spw_rows_load(c, matrix, R, &held);
    const spw_csr mine = spw_rows_of(&A, first[c->rank], first[c->rank + 1]);
    return spw_rows_from_csr(c, &mine, first, R);
}

/* What a rank does with its communicator. */
typedef void (*program)(const spw_comm *c);
static program body;

static void with_comm(int rank, void *unused) {
    spw_comm c;
    (void)unused;
    assert_ok(spw_comm_start(NULL, NULL, &c));
    assert_int_equal(c.rank, rank);
    body(&c);
    spw_comm_end(&c);
}

/* Rank by rank into its part of y, twice: ghosts of before would show. */
static void multiply(const spw_comm *c) {
    OWN(spw_rows) R;
    OWN(spw_operator) op;
    assert_ok(take(c, &R));
    assert_ok(spw_operator_from_rows(c, &R, 1, "csr", &op));
    const int64_t mine = R.first[c->rank];
    for (int k = 0; k < 2; k++) {
        spw_operator_apply(&op, x + mine, y + mine);
        for (int64_t i = 0; i < op.n; i++)
            assert_true(fabs(y[mine + i] - (k + 1) * expected[mine + i]) <=
                        1e-12 * (1 + fabs(expected[mine + i])));
        for (int64_t i = 0; i < op.n && k == 0; i++) x[mine + i] *= 2;
    }
}

static spw_ranks_result run(program f, int n, bool descending) {
    spw_ranks_result result;
    const spw_ranks_options options = {.ranks = n, .descending = descending};
    ranks = n;
    body = f;
    assert_ok(spw_ranks_run(&options, with_comm, NULL, &result));
    if (spw_ranks_finding_count()) fail_msg("%s", spw_ranks_findings());
    return result;
}

static void load(const char *name) {
    spw_csr_destroy(&A);
    matrix = name;
    assert_ok(spw_csr_load(matrix, &A));
    x = zeros(A.n_rows);
    y = zeros(A.n_rows);
    expected = zeros(A.n_rows);
}

static void product_of(const char *name, int n) {
    load(name);
    for (int way = 0; way < 2; way++) {
        for (int64_t i = 0; i < A.n_rows; i++) x[i] = 1 + 0.001 * (double)(i % 97), y[i] = NAN;
        spw_spmv_csr_ref(&A, x, expected);
        run(multiply, n, way);
    }
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
}

static void solve(const spw_comm *c) {
    OWN(spw_rows) R;
    OWN(spw_operator) op, M = {0};
    OWN(spw_solve_result) result;
    assert_ok(take(c, &R));
    assert_ok(spw_operator_from_rows(c, &R, 1, "csr", &op));
    if (precond) assert_ok(spw_precond_from_rows(c, &R, &op, precond, &M));
    const int64_t mine = R.first[c->rank];
    memset(y + mine, 0, (size_t)op.n * sizeof *y);
    assert_ok((solves_with_bicgstab ? spw_bicgstab : spw_pcg)(&op, precond ? &M : NULL, x + mine,
                                                              y + mine, NULL, &result));
    assert_int_equal(result.stop, SPW_STOP_CONVERGED);
    if (ranks == 1) iterations = result.iterations;
    /* 2 + 5 %: sums are rounded in another order */
    assert_true(abs(result.iterations - iterations) <= 2 + iterations / 20);
    assert_true(result.true_residual <= 1e-7);
}

TEST(solvers_take_as_many_iterations_as_with_one_rank) {
    static const struct {
        const char *matrix;
        bool bicgstab;
        const char *precond;
    } systems[] = {{"stencil27:9", false, NULL},
                   {"fem1:9", false, "jacobi"},
                   {"fem1:9", false, "cheby:3"},
                   {"laplace2d:20", false, "neumann:2"},
                   {"convdiff2d:25", true, "jacobi"}};
    for (int k = 0; k < 5; k++) {
        load(systems[k].matrix);
        solves_with_bicgstab = systems[k].bicgstab;
        precond = systems[k].precond;
        for (int64_t i = 0; i < A.n_rows; i++) x[i] = 1 + 0.5 * (double)(i % 3);
        for (int n = 1; n <= 4; n++) run(solve, n, n % 2);
    }
}

/* To the bit: one rank is one process. */
TEST(one_rank_is_one_process) {
    double *alone;
    OWN(spw_operator) op, M;
    OWN(spw_solve_result) result;
    load("fem1:9");
    alone = zeros(A.n_rows);
    for (int64_t i = 0; i < A.n_rows; i++) x[i] = 1 + 0.5 * (double)(i % 3);
    solves_with_bicgstab = false;
    precond = "cheby:3";
    run(solve, 1, false);
    assert_ok(spw_operator_from_csr(&A, &op));
    assert_ok(spw_precond_chebyshev(&A, 3, &M));
    assert_ok(spw_pcg(&op, &M, x, alone, NULL, &result));
    assert_int_equal(result.iterations, iterations);
    assert_memory_equal(alone, y, (size_t)A.n_rows * sizeof *y);
}

/* --- eigenvalues ------------------------------------------------------------------------------------------ */

enum { PAIRS = 4 };
static const spw_lobpcg_options wanted = {.nv = PAIRS, .tolerance = 1e-9};
static double lambda[PAIRS];

static void find_pairs(const spw_comm *c) {
    OWN(spw_rows) R;
    OWN(spw_operator) op, M;
    OWN(spw_lobpcg_result) result;
    assert_ok(take(c, &R));
    assert_ok(spw_operator_from_rows(c, &R, 3, NULL, &op)); /* blocks of 8 are 3, 3, 2 */
    assert_ok(spw_precond_from_rows(c, &R, &op, "jacobi", &M));
    assert_ok(spw_lobpcg(&op, NULL, &M, NULL, 0, &wanted, &result));
    assert_int_equal(result.converged, PAIRS);
    for (int j = 0; j < PAIRS; j++)
        assert_true(fabs(result.lambda[j] - lambda[j]) <= 1e-8 * lambda[j]);
}

/* tridiag:20 is so small that LAPACK does all; arrow has a rank without rows. */
TEST(eigenvalues_are_those_of_one_process) {
    static const char *const matrices[] = {"fem1:6", "tridiag:20", "arrow:60"};
    for (int k = 0; k < 3; k++) {
        OWN(spw_operator) op, M;
        OWN(spw_lobpcg_result) result;
        load(matrices[k]);
        assert_ok(spw_operator_from_csr(&A, &op));
        assert_ok(spw_precond_jacobi(&A, &M));
        if (spw_lobpcg(&op, NULL, &M, NULL, 0, &wanted, &result) == SPW_ERR_UNAVAILABLE) skip();
        memcpy(lambda, result.lambda, sizeof lambda);
        for (int n = 1; n <= 4; n++) run(find_pairs, n, n % 2);
    }
}

/* --- files and errors ------------------------------------------------------------------------------------- */

/* Rank 0 reads and deals. Row 5 has no diagonal entry: rank 1 of 2 finds out, and all say so. */
static void from_file(const spw_comm *c) {
    OWN(spw_rows) R;
    OWN(spw_operator) op;
    spw_operator M;
    double held;
    assert_ok(spw_rows_load(c, matrix, &R, &held));
    assert_int_equal(R.n_global, 7);
    assert_int_equal(R.nnz_global, 12);
    assert_true(held > 12 * 12);
    assert_ok(spw_operator_from_rows(c, &R, 1, "csr", &op));
    double X[7], Y[7];
    for (int64_t i = 0; i < op.n; i++) X[i] = (double)(R.first[c->rank] + i + 1);
    spw_operator_apply(&op, X, Y);
    for (int64_t i = 0; i < op.n; i++)
        assert_true(fabs(Y[i] - expected[R.first[c->rank] + i]) <= 1e-12);
    assert_int_equal(spw_precond_from_rows(c, &R, &op, "neumann", &M), SPW_ERR_ARG);
    if (ranks > 1) assert_says(spw_message(), "the first of rank");
}

static void in_blocks(const spw_comm *c) {
    OWN(spw_rows) R, right;
    double held;
    assert_ok(spw_rows_load(c, matrix, &R, &held));
    const spw_csr mine = spw_rows_of(&A, R.first[c->rank], R.first[c->rank + 1]);
    assert_ok(spw_rows_from_csr(c, &mine, R.first, &right));
    assert_same_csr(&R.local, &right.local);
    assert_same_csr(&R.ghost, &right.ghost);
    /* 44 bytes an entry; shares of equal work, and each position twice in the file */
    const double share = 44.0 * 2 * (double)A.nnz / c->size;
    assert_true(held > 0.9 * share && held < 1.1 * share + 5 * SPW_TEXT_BLOCK);
}

/* Many more rows than bins, each position twice and far apart, the rows in no order. */
TEST(rows_of_a_long_file_are_those_of_one_process_to_the_bit) {
    enum { N = 100003, STEP = 1237 };
    for (int way = 0; way < 2; way++) {
        char *path = own_path("long.mtx");
        FILE *file = fopen(path, "w");
        fprintf(file, "%%%%MatrixMarket matrix coordinate real %s\n%d %d %d\n",
                way ? "symmetric" : "general", N, N, 2 * N);
        for (int64_t k = 0; k < 2 * N; k++) {
            const int64_t i = k * STEP % N, j = way ? i / 2 : k * STEP % N * 7 % N;
            fprintf(file, "%d %d %.17g\n", (int)i + 1, (int)j + 1, 1.0 / (double)(3 * k + 1));
        }
        fclose(file);
        load(path);
        for (int n = 1; n <= 4; n++) run(in_blocks, n, n % 2);
    }
}

static void from_nowhere(const spw_comm *c) {
    spw_rows R;
    double held;
    assert_int_equal(spw_rows_load(c, "/no/such.mtx", &R, &held), SPW_ERR_FILE);
    assert_true(R.first == NULL);
    assert_int_equal(spw_rows_load(c, "random:4x5x2", &R, &held), SPW_ERR_ARG);
    assert_int_equal(spw_rows_load(c, "laplace2d:0", &R, &held), SPW_ERR_ARG);
}

TEST(a_file_is_read_by_rank_0_and_an_error_of_one_rank_is_one_of_all) {
    load(put_text("small.mtx",
                  "%%MatrixMarket matrix coordinate real symmetric\n7 7 9\n1 1 4\n2 2 4\n"
                  "3 3 4\n4 4 4\n5 5 4\n7 7 4\n6 1 1\n7 6 2\n7 5 3\n"));
    for (int64_t i = 0; i < A.n_rows; i++) x[i] = (double)(i + 1);
    spw_spmv_csr_ref(&A, x, expected);
    for (int n = 1; n <= 9; n += 2) {
        run(from_file, n, false);
        run(from_nowhere, n, false);
    }
}

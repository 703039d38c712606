/* solvers/lobpcg_cuda.h against the host's LOBPCG, whose eigenvalues test_lobpcg.c holds against known ones:
 * the same values, as many iterations, calls and flops, vectors with the residuals that are claimed; and
 * everything that is not convergence. Run on the checker, and as a second program on a GPU. Allocations on the
 * device are counted, and fail where a test says so (the linker's --wrap).
 * link: -Wl,--wrap=spw_device_alloc,--wrap=spw_device_free */
#include "solvers/lobpcg_cuda.h"

#include "base/device.h"
#include "device/on_device.h"
#include "formats/generate.h"
#include "formats/sellp.h"
#include "test.h"

/* --- memory ------------------------------------------------------------------------------------------------- */

static int n_alive, allow = -1; /* allow: how many more succeed; -1: all */

spw_status __real_spw_device_alloc(void **d_out, int64_t count, int64_t size);
void __real_spw_device_free(void *d_block);
spw_status __wrap_spw_device_alloc(void **d_out, int64_t count, int64_t size);
void __wrap_spw_device_free(void *d_block);

spw_status __wrap_spw_device_alloc(void **d_out, int64_t count, int64_t size) {
    *d_out = NULL;
    if (allow == 0) return spw_error(SPW_ERR_MEMORY, "refused by the test");
    allow -= allow > 0;
    const spw_status status = __real_spw_device_alloc(d_out, count, size);
    n_alive += *d_out != NULL;
    return status;
}

void __wrap_spw_device_free(void *d_block) {
    n_alive -= d_block != NULL;
    __real_spw_device_free(d_block);
}

/* --- one run ------------------------------------------------------------------------------------------------ */

typedef struct job {
    const spw_csr *A, *B, *M; /* B and M may be NULL */
    bool single_rows;         /* slices of one row: no padding */
    int fail_from;            /* not 0: product number fail_from is refused */
    int memory_from; /* not 0: allocation number memory_from within the solver is refused */
    bool with_guess;
    double
        *X; /* [n * nv] the vectors, on the host; NULL: not wanted; with_guess: first guess, too */
    spw_lobpcg_options options;
    spw_lobpcg_result result;
    spw_status status;
    int left_over; /* arrays that the solver did not give back */
} job;

/* An operator whose product is refused from call number `fail_from` on. */
typedef struct fragile {
    const spw_cuda_operator *A;
    int calls, fail_from;
} fragile;

static spw_status apply_fragile(void *context, const double *d_x, double *d_y) {
    fragile *f = (fragile *)context;
    if (++f->calls >= f->fail_from) return spw_error(SPW_ERR_DEVICE, "launch refused by the test");
    return f->A->apply(f->A->context, d_x, d_y);
}

static spw_status make_operator(const job *j, const spw_csr *A, spw_cuda_operator *op) {
    spw_sellp P;
    spw_status status = spw_sellp_from_csr(A, j->single_rows ? 1 : 8, j->single_rows ? 1 : 2, &P);
    if (!status) status = spw_cuda_operator_from_sellp(&P, op);
    spw_sellp_destroy(&P);
    return status;
}

static spw_status solve(job *j, const spw_cuda_operator *op, const spw_cuda_operator *B,
                        const spw_cuda_operator *M) {
    const int64_t bytes = 8 * op->n * j->options.nv;
    double *d_X = NULL;
    fragile f = {op, 0, j->fail_from};
    const spw_cuda_operator weak = {
        .name = "weak", .n = op->n, .context = &f, .apply = apply_fragile};
    spw_status status = j->X ? SPW_DEVICE_ALLOC(&d_X, op->n * j->options.nv) : SPW_OK;
    if (!status && j->with_guess) status = spw_device_copy_to(d_X, j->X, bytes);
    if (status) return status;
    const int before = n_alive;
    if (j->memory_from) allow = j->memory_from - 1;
    status = spw_lobpcg_cuda(j->fail_from ? &weak : op, B, M, d_X, j->with_guess, &j->options,
                             &j->result);
    allow = -1;
    j->left_over = n_alive - before;
    if (!status && d_X) status = spw_device_copy_from(j->X, d_X, bytes);
    spw_device_free(d_X);
    return status;
}

static void run_job(void *argument) {
    job *j = (job *)argument;
    OWN(spw_cuda_operator) A = {0}, B = {0}, M = {0};
    spw_lobpcg_result_destroy(&j->result);
    spw_status status = make_operator(j, j->A, &A);
    if (!status && j->B) status = make_operator(j, j->B, &B);
    if (!status && j->M) status = make_operator(j, j->M, &M);
    j->status = status ? status : solve(j, &A, j->B ? &B : NULL, j->M ? &M : NULL);
}

static void run(job *j, const char *what) {
    const char *finding = on_device(run_job, j);
    if (finding) fail_msg("%s:\n%s", what, finding);
    if (j->left_over) fail_msg("%s: %d arrays are left on the device", what, j->left_over);
    if (n_alive) fail_msg("%s: %d arrays are left", what, n_alive);
}

/* The same on the host. */
static spw_lobpcg_result on_host(const job *j) {
    spw_operator A, B = {0}, M = {0};
    spw_lobpcg_result result;
    assert_ok(spw_operator_from_csr(j->A, &A));
    if (j->B) assert_ok(spw_operator_from_csr(j->B, &B));
    if (j->M) assert_ok(spw_operator_from_csr(j->M, &M));
    assert_ok(spw_lobpcg(&A, j->B ? &B : NULL, j->M ? &M : NULL, NULL, 0, &j->options, &result));
    spw_operator_destroy(&A);
    spw_operator_destroy(&B);
    spw_operator_destroy(&M);
    return result;
}

/* x . y of columns a and b, with B between them if there is one. */
static double product(const spw_csr *B, int64_t n, int nv, const double *X, int a, int b) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        double image = B ? 0 : X[i * nv + b];
        for (spw_idx k = B ? B->row_ptr[i] : 0; B && k < B->row_ptr[i + 1]; k++)
            image += B->val[k] * X[(int64_t)B->col_idx[k] * nv + b];
        sum += X[i * nv + a] * image;
    }
    return sum;
}

/* ||A x - lambda B x|| of pair k, by definition. */
static double residual(const job *j, int k) {
    const int64_t nv = j->options.nv;
    double sum = 0;
    for (spw_idx i = 0; i < j->A->n_rows; i++) {
        double rest = j->B ? 0 : -j->result.lambda[k] * j->X[i * nv + k];
        for (spw_idx e = j->A->row_ptr[i]; e < j->A->row_ptr[i + 1]; e++)
            rest += j->A->val[e] * j->X[j->A->col_idx[e] * nv + k];
        for (spw_idx e = j->B ? j->B->row_ptr[i] : 0; j->B && e < j->B->row_ptr[i + 1]; e++)
            rest -= j->result.lambda[k] * j->B->val[e] * j->X[j->B->col_idx[e] * nv + k];
        sum += rest * rest;
    }
    return sqrt(sum);
}

/* Runs on both, and compares. */
static void check(job j, const char *what) {
    const int nv = j.options.nv;
    const int64_t n = j.A->n_rows;
    j.X = zeros(n * nv);
    assert_non_null(j.X);
    run(&j, what);
    if (j.status) fail_msg("%s: %s", what, spw_message());
    OWN(spw_lobpcg_result) host = on_host(&j);
    if (j.result.stop != SPW_STOP_CONVERGED || host.stop != SPW_STOP_CONVERGED)
        fail_msg("%s: %s, on the host: %s", what, j.result.text, host.text);
    assert_int_equal(j.result.converged, nv);
    if (abs(j.result.iterations - host.iterations) > 1)
        fail_msg("%s: %d iterations, %d on the host", what, j.result.iterations, host.iterations);
    for (int k = 0; k < nv; k++) {
        if (!(fabs(j.result.lambda[k] - host.lambda[k]) <= 1e-7 * fabs(host.lambda[nv - 1])))
            fail_msg("%s: eigenvalue %d is %.15g, on the host %.15g", what, k, j.result.lambda[k],
                     host.lambda[k]);
        const double got = residual(&j, k), size = fabs(host.lambda[0]) + fabs(host.lambda[nv - 1]);
        if (!(fabs(got - j.result.residual[k]) <= 1e-11 * size))
            fail_msg("%s: pair %d has residual %g, claimed %g", what, k, got, j.result.residual[k]);
        for (int l = 0; l <= k; l++)
            if (!(fabs(product(j.B, n, nv, j.X, k, l) - (k == l)) < 1e-9))
                fail_msg("%s: vectors %d and %d: %g", what, k, l, product(j.B, n, nv, j.X, k, l));
    }
    spw_lobpcg_result_destroy(&j.result);
}

/* --- tests -------------------------------------------------------------------------------------------------- */

/* The preconditioner is 2 - A / d, Neumann's of degree 1 for a diagonal of d: a factor away, the matrix of |a_ij|. */
TEST(eigenvalues_are_those_of_the_host) {
    static const struct {
        const char *matrix;
        bool with_m, single_rows;
        int nv, largest, one_by_one;
    } cases[] = {
        {"laplace2d:8x4", false, false, 2, 0, 0},  {"tridiag:32", false, true, 1, 0, 0},
        {"laplace3d:4x4x2", true, false, 3, 0, 0}, {"laplace2d:8x4", false, false, 2, 1, 0},
        {"laplace2d:8x4", true, true, 2, 0, 0},    {"laplace2d:8x4", true, false, 2, 0, 1},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        OWN(spw_csr) A = generated(cases[c].matrix), M = generated(cases[c].matrix);
        for (spw_idx k = 0; k < M.nnz; k++) M.val[k] = fabs(M.val[k]);
        check((job){.A = &A,
                    .M = cases[c].with_m ? &M : NULL,
                    .single_rows = cases[c].single_rows,
                    .options = {.nv = cases[c].nv,
                                .tolerance = 1e-3,
                                .largest = cases[c].largest,
                                .one_by_one = cases[c].one_by_one}},
              cases[c].matrix);
    }
}

/* Linear elements on a line: stiffness (-1 2 -1), mass (1 4 1) / 6. */
TEST(a_second_matrix_is_taken) {
    OWN(spw_csr) K = generated("tridiag:32"), M = generated("tridiag:32");
    for (spw_idx k = 0; k < M.nnz; k++) M.val[k] = M.val[k] > 0 ? 4.0 / 6 : 1.0 / 6;
    check((job){.A = &K, .B = &M, .options = {.nv = 2, .tolerance = 1e-3}}, "elements on a line");
    for (spw_idx k = 0; k < M.nnz; k++) M.val[k] *= -1;
    job j = {.A = &K, .B = &M, .options = {.nv = 3}};
    run(&j, "a negative definite B");
    assert_ok(j.status);
    assert_int_equal(j.result.stop, SPW_STOP_NOT_SPD);
    assert_int_equal(strncmp(j.result.text, "B is not positive definite", 26), 0);
    spw_lobpcg_result_destroy(&j.result);
}

/* Fewer than five times as many rows as vectors: written out, for LAPACK. */
TEST(small_matrices_go_to_lapack) {
    OWN(spw_csr) A = generated("tridiag:17"), B = generated("tridiag:17");
    for (spw_idx k = 0; k < B.nnz; k++) B.val[k] = B.val[k] > 0 ? 4.0 / 6 : 1.0 / 6;
    check((job){.A = &A, .options = {.nv = 4}}, "17 rows");
    check((job){.A = &A, .single_rows = true, .options = {.nv = 17, .largest = 1}},
          "all of 17 rows");
    check((job){.A = &A, .B = &B, .options = {.nv = 3}}, "two matrices of 17 rows");
}

/* Of the same iterations: calls and flops, phase by phase. */
TEST(phases_are_counted_as_on_the_host) {
    OWN(spw_csr) A = generated("laplace2d:8x4");
    job j = {.A = &A,
             .single_rows = true,
             .options = {.nv = 2, .max_iterations = 4, .tolerance = 1e-14}};
    run(&j, "four iterations");
    assert_ok(j.status);
    OWN(spw_lobpcg_result) host = on_host(&j);
    assert_int_equal(j.result.stop, SPW_STOP_ITERATIONS);
    assert_int_equal(j.result.n_history, host.n_history);
    for (int p = 0; p < SPW_LOBPCG_PHASES; p++) {
        assert_int_equal(j.result.phases[p].calls, host.phases[p].calls);
        assert_true(j.result.phases[p].cost.flop == host.phases[p].cost.flop);
        assert_true(j.result.phases[p].seconds > 0 || j.result.phases[p].calls == 0);
    }
    for (int k = 0; k < 5 * 2; k++)
        assert_true(fabs(j.result.history[k] - host.history[k]) <= 1e-6 * host.history[k]);
    spw_lobpcg_result_destroy(&j.result);
}

static int stop_at_three(void *context, int iteration, int converged, double largest,
                         double seconds) {
    (void)context;
    (void)converged;
    return iteration >= 3 && largest > 0 && seconds >= 0;
}

TEST(the_vectors_of_one_run_are_the_guess_of_the_next) {
    OWN(spw_csr) A = generated("tridiag:32");
    double X[32 * 2];
    job j = {.A = &A, .X = X, .options = {.nv = 2, .guard = -1, .tolerance = 1e-3}};
    run(&j, "first run");
    assert_true(!j.status && j.result.stop == SPW_STOP_CONVERGED && j.result.iterations > 5);
    j.with_guess = true;
    j.options.tolerance = 1e-2;
    run(&j, "second run");
    assert_true(!j.status && j.result.stop == SPW_STOP_CONVERGED && j.result.iterations == 0);
    j.with_guess = false;
    j.options.tolerance = 1e-12;
    j.options.progress = stop_at_three;
    run(&j, "cancelled");
    assert_true(!j.status && j.result.stop == SPW_STOP_CANCELLED && j.result.iterations == 3);
    spw_lobpcg_result_destroy(&j.result);
}

TEST(what_is_not_finite_is_told) {
    static const char *const names[] = {"tridiag:32", "tridiag:17"};
    for (int k = 0; k < 2; k++) {
        OWN(spw_csr) A = generated(names[k]);
        A.val[7] = NAN;
        job j = {.A = &A, .options = {.nv = 3}};
        run(&j, names[k]);
        assert_ok(j.status);
        assert_int_equal(j.result.stop, SPW_STOP_NOT_FINITE);
        spw_lobpcg_result_destroy(&j.result);
    }
}

TEST(bad_arguments_are_refused) {
    OWN(spw_csr) A = generated("tridiag:32"), B = generated("tridiag:33");
    job j = {.A = &A, .options = {.nv = 65}};
    run(&j, "65 vectors");
    assert_int_equal(j.status, SPW_ERR_ARG);
    j = (job){.A = &A, .B = &B, .options = {.nv = 2}};
    run(&j, "another size");
    assert_error(j.status, SPW_ERR_ARG, "B has 33 rows, A 32");
    j = (job){.A = &A, .M = &B, .options = {.nv = 2}};
    run(&j, "another size");
    assert_error(j.status, SPW_ERR_ARG, "sellp has 33 rows");
    assert_true(!j.result.lambda && !j.result.history && j.result.nv == 0);
    A.n_cols = 33;
    j = (job){.A = &A, .options = {.nv = 2}};
    run(&j, "not square");
    assert_int_equal(j.status, SPW_ERR_ARG);
}

TEST(a_launch_that_is_refused_ends_it) {
    static const char *const names[] = {"tridiag:32", "tridiag:17"};
    for (int k = 0; k < 2; k++)
        for (int fail_from = 1; fail_from < 18; fail_from += 8) {
            OWN(spw_csr) A = generated(names[k]);
            job j = {.A = &A, .fail_from = fail_from, .options = {.nv = 3, .tolerance = 1e-6}};
            run(&j, names[k]);
            assert_int_equal(j.status, SPW_ERR_DEVICE);
            assert_string_equal(spw_message(), "launch refused by the test");
            assert_true(!j.result.lambda && !j.result.history);
        }
}

TEST(no_memory_on_the_device_is_a_status) {
    OWN(spw_csr) A = generated("tridiag:32"), B = generated("tridiag:32");
    int refused = 0;
    for (spw_idx k = 0; k < B.nnz; k++) B.val[k] = B.val[k] > 0 ? 4.0 / 6 : 1.0 / 6;
    for (int from = 1;; from++) {
        job j = {.A = &A, .B = &B, .memory_from = from, .options = {.nv = 2, .max_iterations = 1}};
        run(&j, "no memory");
        spw_lobpcg_result_destroy(&j.result);
        if (!j.status) break;
        assert_int_equal(j.status, SPW_ERR_MEMORY);
        refused++;
    }
    assert_int_equal(refused, 9 + 3); /* blocks, and small matrices */
}

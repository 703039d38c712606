/* solvers/orthogonalise.h: the loss of orthogonality of every method against its bound, for blocks of known
 * condition; the span; vectors that depend on each other; what is not finite; no memory. */
#include "solvers/orthogonalise.h"

#include "kernels/block.h"
#include "solvers/small.h"
#include "kit/cases.h"
#include "test.h"

enum { N = 400, NV = 12, LD = 15 };

static bool has_lapack(void) {
    double one = 1, w;
    return spw_small_eigen(1, &one, &w) == SPW_OK;
}

static bool needs_lapack(spw_ortho m) {
    return m == SPW_ORTHO_CHOLQR || m == SPW_ORTHO_CHOLQR2 || m == SPW_ORTHO_SVQB;
}

/* Columns of a random n x nv matrix made orthonormal in long double, twice over. */
static void orthonormal(uint64_t seed, int n, int nv, long double *Q) {
    double *x = zeros((int64_t)n * nv);
    spw_case_vector(seed, (int64_t)n * nv, x);
    for (int k = 0; k < n * nv; k++) Q[k] = x[k];
    for (int j = 0; j < nv; j++)
        for (int pass = 0; pass < 2; pass++) {
            for (int k = 0; k < j; k++) {
                long double h = 0;
                for (int i = 0; i < n; i++) h += Q[i * nv + k] * Q[i * nv + j];
                for (int i = 0; i < n; i++) Q[i * nv + j] -= h * Q[i * nv + k];
            }
            long double square = 0;
            for (int i = 0; i < n; i++) square += Q[i * nv + j] * Q[i * nv + j];
            for (int i = 0; i < n; i++) Q[i * nv + j] /= sqrtl(square);
        }
}

/* U diag(1 .. 1/kappa) Vᵀ, singular values evenly spaced on a logarithmic scale. */
static void block_of_condition(double kappa, double *X) {
    static long double U[N * NV], V[NV * NV];
    orthonormal(1, N, NV, U);
    orthonormal(2, NV, NV, V);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < LD; j++) {
            long double sum = 0;
            for (int k = 0; k < NV && j < NV; k++)
                sum += U[i * NV + k] * powl(kappa, -(long double)k / (NV - 1)) * V[j * NV + k];
            X[i * LD + j] = j < NV ? (double)sum : 7;
        }
}

/* The largest part of a column of X that Q does not span. */
static double outside(const double *X, int rank, const double *Q) {
    double worst = 0;
    for (int j = 0; j < NV; j++) {
        long double h[NV] = {0}, square = 0;
        for (int k = 0; k < rank; k++)
            for (int i = 0; i < N; i++) h[k] += (long double)Q[i * LD + k] * X[i * LD + j];
        for (int i = 0; i < N; i++) {
            long double rest = X[i * LD + j];
            for (int k = 0; k < rank; k++) rest -= h[k] * Q[i * LD + k];
            square += rest * rest;
        }
        worst = fmax(worst, (double)sqrtl(square));
    }
    return worst;
}

/* With a factor for n and nv. */
static double bound_of(spw_ortho method, double kappa) {
    const double eps = 100 * DBL_EPSILON;
    switch (method) {
    case SPW_ORTHO_CGS: return fmin(eps * pow(kappa, 2), NV);
    case SPW_ORTHO_MGS:
    case SPW_ORTHO_CHOLQR_MIXED: return eps * kappa;
    case SPW_ORTHO_CHOLQR:
    case SPW_ORTHO_SVQB: return eps * pow(fmin(kappa, 5e7), 2);
    case SPW_ORTHO_CHOLQR2: return eps;
    }
    return 0;
}

TEST(loss_is_within_the_bound_of_each_method) {
    static double X[N * LD], Q[N * LD];
    for (double kappa = 1; kappa < 1e15; kappa *= 100) {
        block_of_condition(kappa, X);
        for (spw_ortho m = 0; m < SPW_ORTHO_COUNT; m++) {
            if (needs_lapack(m) && !has_lapack()) continue;
            int rank = -1;
            memcpy(Q, X, sizeof X);
            assert_ok(spw_orthonormalise(m, N, NV, Q, LD, &rank));
            const double loss = spw_orthogonality_loss(N, rank, Q, LD);
            if (!(loss <= bound_of(m, kappa)))
                fail_msg("method %d, kappa %g: loss %g", (int)m, kappa, loss);
            /* Those that see X'X alone may drop what is below 1e-7, and must not before. */
            const bool sees_less = needs_lapack(m) && kappa > 1e6;
            assert_int_equal(rank, sees_less ? rank : NV);
            assert_true(rank > NV / 3 && rank <= NV);
            const double left = outside(X, rank, Q);
            const double allowed = sees_less ? 1e-6 : 1e-13 + bound_of(m, kappa);
            if (!(left <= allowed))
                fail_msg("method %d, kappa %g: %g outside", (int)m, kappa, left);
            for (int i = 0; i < N; i++)
                for (int j = NV; j < LD; j++) assert_true(Q[i * LD + j] == 7);
        }
    }
}

/* A test that cannot fail would be none: CGS and CHOLQR do lose what their bounds allow. */
TEST(the_square_of_kappa_is_real) {
    static double X[N * LD];
    int rank;
    block_of_condition(1e6, X);
    assert_ok(spw_orthonormalise(SPW_ORTHO_CGS, N, NV, X, LD, &rank));
    assert_true(spw_orthogonality_loss(N, NV, X, LD) > 1e-9);
    if (!has_lapack()) return;
    block_of_condition(1e6, X);
    assert_ok(spw_orthonormalise(SPW_ORTHO_CHOLQR, N, NV, X, LD, &rank));
    assert_true(spw_orthogonality_loss(N, NV, X, LD) > 1e-9);
}

TEST(dependent_vectors_are_dropped) {
    static double X[N * LD], Q[N * LD];
    for (int which = 0; which < 5; which++) {
        block_of_condition(3, X);
        int expected = NV;
        for (int i = 0; i < N; i++) {
            double *row = X + i * LD;
            if (which == 0) row[3] = row[0] + row[1]; /* a sum */
            if (which == 1) row[0] = 0;               /* the first is zero */
            if (which == 2) row[NV - 1] = row[2];     /* a copy */
            if (which == 3)
                for (int j = 1; j < NV; j++) row[j] = j * row[0]; /* all alike */
            if (which == 4)
                for (int j = 0; j < NV; j++) row[j] = 0; /* nothing */
        }
        expected = which < 3 ? NV - 1 : which == 3 ? 1 : 0;
        for (spw_ortho m = 0; m < SPW_ORTHO_COUNT; m++) {
            if (needs_lapack(m) && !has_lapack()) continue;
            int rank = -1;
            memcpy(Q, X, sizeof X);
            assert_ok(spw_orthonormalise(m, N, NV, Q, LD, &rank));
            if (rank != expected) fail_msg("method %d, block %d: rank %d", (int)m, which, rank);
            assert_true(spw_orthogonality_loss(N, rank, Q, LD) < 1e-12);
            assert_true(outside(X, rank, Q) < 1e-12);
            for (int i = 0; i < N; i++)
                for (int j = rank; j < NV; j++) assert_true(Q[i * LD + j] == 0);
        }
    }
}

/* Two equal vectors whose Gram matrix was rounded up: the pivot that is left is positive, and nothing. */
TEST(a_pivot_of_rounding_is_none) {
    const double G[] = {1, 1, 1, 1 + 2 * DBL_EPSILON};
    double T[4];
    int rank = -1;
    if (!has_lapack()) {
        print_message("skipped: built without LAPACK\n");
        skip();
    }
    assert_ok(spw_ortho_transform(SPW_ORTHO_CHOLQR, 2, G, T, &rank));
    assert_int_equal(rank, 1);
    assert_true(fabs(T[0]) < 1 && fabs(T[2]) < 1);
}

TEST(what_is_not_finite_is_refused) {
    static double X[N * LD];
    const double bad[] = {NAN, INFINITY, 1e200};
    for (int b = 0; b < 3; b++)
        for (spw_ortho m = 0; m < SPW_ORTHO_COUNT; m++) {
            int rank = -1;
            block_of_condition(2, X);
            X[5 * LD + 4] = bad[b];
            assert_int_equal(spw_orthonormalise(m, N, NV, X, LD, &rank), SPW_ERR_ARG);
            assert_int_equal(rank, 0);
            assert_says(spw_message(), "finite");
        }
}

TEST(threads_and_sizes_do_not_matter) {
    const int sizes[][2] = {{1, 1}, {2, 2}, {5, 5}, {70, 33}, {300, 64}};
    for (int t = 1; t <= 7; t += 3) {
        spw_set_threads(t);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (spw_ortho m = 0; m < SPW_ORTHO_COUNT; m++) {
                if (needs_lapack(m) && !has_lapack()) continue;
                const int n = sizes[s][0], nv = sizes[s][1];
                double *X = zeros((int64_t)n * nv);
                int rank;
                spw_case_vector(5, (int64_t)n * nv, X);
                for (int i = 0; i < nv; i++) X[i * nv + i] += 10;
                assert_ok(spw_orthonormalise(m, n, nv, X, nv, &rank));
                assert_int_equal(rank, nv);
                assert_true(spw_orthogonality_loss(n, nv, X, nv) < 1e-10);
            }
    }
    spw_set_threads(2);
    int rank;
    assert_ok(spw_orthonormalise(SPW_ORTHO_MGS, 0, 3, NULL, 3, &rank));
    assert_int_equal(rank, 0);
    assert_true(spw_orthogonality_loss(0, 0, NULL, 1) == 0);
}

TEST(no_memory_is_said) {
    static double X[N * LD];
    for (spw_ortho m = 0; m < SPW_ORTHO_COUNT; m++) {
        if (needs_lapack(m) && !has_lapack()) continue;
        int rank = -1;
        block_of_condition(2, X);
        const int failures = FAILURES(spw_orthonormalise(m, N, NV, X, LD, &rank), rank == 0);
        assert_true(failures < 10);
    }
}

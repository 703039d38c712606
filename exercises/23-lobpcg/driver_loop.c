/* Exercise 23: the iteration, and what shows which of its steps is wrong. */
#include "lobpcg.h"

#include "base/random.h"
#include "formats/generate.h"
#include "kernels/spmm.h"
#include "kit/preconditioners.h"
#include "problem.h"

enum { MOST_ITERATIONS = 120 };
typedef struct problem {
    const char *name, *matrix; /* NULL: a diagonal one */
    int nv;
    double tolerance;
    int most;    /* iterations; 0: until all have converged */
    int fail_at; /* so many calls of small_pairs, and that one fails; or NO_ROOM */
    int close; /* eigenvalues are: residuals nearly depend. W is off by 1e-3, or loses some; all pairs keep their P */
} problem;
/* clang-format off */
static const problem problems[] = {
    {"laplace2d", "laplace2d:9", 4, 1e-5, 0, 0, 0},  {"multiple", "laplace3d:4", 4, 1e-5, 0, 0, 0},
    {"one-pair", "laplace2d:7", 1, 1e-5, 0, 0, 0},   {"three-steps", "laplace2d:9", 4, 1e-5, 3, 0, 0},
    {"dependent", "laplace2d:7", 3, 1e-5, 0, 0, 0},  {"speeds", NULL, 5, 1e-6, 0, 0, 0},
    {"jacobi", "laplace2d:8", 4, 1e-5, 0, 0, 0},     {"two-values", NULL, 4, 1e-6, 0, 0, 1},
    {"pairs-fail", "laplace2d:9", 4, 1e-5, 0, 4, 0}, {"close", NULL, 9, 1e-9, MOST_ITERATIONS, 0, 1},
    {"tiny", "laplace2d:9", 4, 1e-5, 0, 0, 0},       {"no-room", "laplace2d:7", 3, 1e-5, 0, NO_ROOM, 0}};
/* clang-format on */
const char *const loop_cases[] = {"laplace2d", "multiple", "one-pair",   "three-steps", "dependent",
                                  "speeds",    "jacobi",   "two-values", "pairs-fail",  "close",
                                  "tiny",      "no-room",  NULL};

/* What a call did, kept in an output: what it returned, calls of multiply and vectors, of precondition; how far W was
 * from orthonormal, spaces that were left; the most vectors of P, those that were too many; of the small problem after
 * the one that failed: 1 if it came in the same iteration, without P; of the W that was
 * farthest from orthonormal how many are, if the next is not even of length 1. */
enum { RETURNED, CALLS, VECTORS, PRECONDITIONED, OFF, LEFT, P_MOST, SURPLUS, RETRIED, FIRST, SEEN };

typedef struct whole {
    const problem *of;
    bool jacobi;
    const spw_csr *A;
    double *X, *lambda, *norm, *seen;
    const double *values; /* all of A's, ascending, by LAPACK */
    int reference;        /* iterations of the library */
    int64_t vectors;      /* that it multiplied */
} whole;

given_watch given_calls;

static bool is(const whole *d, const char *name) {
    return strcmp(d->of->name, name) == 0;
}

static void prepare_whole(spw_trial *t, const char *name, void *at) {
    whole *d = (whole *)at;
    d->of = problems;
    while (strcmp(name, d->of->name) != 0) d->of++;
    d->jacobi = is(d, "jacobi");
    spw_kit_quantity(t, ".nv", d->of->nv);
}

static double diagonal_entry(const whole *d, int i) {
    if (is(d, "two-values")) return i % 80 ? 2 : 1;
    /* A P that is not orthogonal to X breaks the basis. From a few guesses 120 iterations are not enough. */
    if (is(d, "close")) return i < 12 ? 1 + 1e-7 * i : 1.001 + 0.001 * i;
    if (is(d, "speeds") && i == 0) return -0.01; /* far below the others, and 0 */
    return i < 5 ? 1 + 0.1 * i : 4 + 0.05 * i;
}

/* With Jacobi's preconditioner S A S, S between 1 and 30: what it takes back. */
static spw_status make_matrix(spw_trial *t, const void *at, void *matrix) {
    (void)t;
    enum { N = 240 };
    const whole *d = (const whole *)at;
    spw_csr *A = (spw_csr *)matrix;
    const spw_status status =
        d->of->matrix ? spw_csr_load(d->of->matrix, A) : spw_csr_create(N, N, N, A);
    for (spw_idx i = 0; i < N && !d->of->matrix && !status; i++) {
        A->row_ptr[i] = A->col_idx[i] = i;
        A->row_ptr[N] = N;
        A->val[i] = diagonal_entry(d, i);
    }
    for (spw_idx k = 0; is(d, "tiny") && !status && k < A->nnz; k++) A->val[k] *= 0x1p-60;
    for (spw_idx i = 0; i < A->n_rows && d->jacobi && !status; i++)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            A->val[k] *= pow(30, spw_random_double(3, (uint64_t)i)) *
                         pow(30, spw_random_double(3, (uint64_t)A->col_idx[k]));
    return status;
}

static void fill_guess(spw_trial *t, const void *at, void *array, int64_t n) {
    const whole *d = (const whole *)at;
    const int nv = d->of->nv;
    for (int64_t k = 0; k < n; k++) {
        double *x = (double *)array + k;
        *x = spw_random_double(spw_trial_seed(t), (uint64_t)k) - 0.5;
        if (is(d, "dependent") && k % nv == 1) *x = 2 * x[-1];
    }
}

static const spw_argument of_whole[] = {SPW_MATRIX(whole, A, &spw_kit_csr, make_matrix, ),
                                        SPW_START(whole, X, "n_rows nv", .fill = fill_guess),
                                        SPW_OUTPUT(whole, lambda, "nv", ),
                                        SPW_OUTPUT(whole, norm, "nv", ),
                                        SPW_OUTPUT_AS("result", whole, seen, "10", ),
                                        {0}};

/* Nothing but what the claim compares with. */
static void expect_whole(spw_trial *t, const void *at) {
    whole *d = (whole *)(uintptr_t)at;
    const int n = d->A->n_rows, nv = d->of->nv;
    double *dense = spw_kit_doubles(t, n * n), *w = spw_kit_doubles(t, n),
           *x = spw_kit_doubles(t, n * nv), lambda[MAX_NV];
    for (int i = 0; i < n; i++)
        for (spw_idx k = d->A->row_ptr[i]; k < d->A->row_ptr[i + 1]; k++)
            dense[i * n + d->A->col_idx[k]] = d->A->val[k];
    memcpy(x, spw_kit_start(t, d->X), sizeof *x * (size_t)(n * nv));
    spw_kit_must(t, spw_small_eigen(n, dense, w));
    d->values = w;
    if (!is(d, "dependent"))
        d->reference = library_steps(t, d->A, d->jacobi, nv, d->of->tolerance, d->of->most, x,
                                     lambda, &d->vectors);
}

/* What multiply sees: the vectors of this W, of the one before, calls of small_pairs when it came. */
typedef struct calls {
    const whole *d;
    int vectors, before, small;
} calls;

/* What small_pairs was given since the last W. */
static void look_at_small(calls *c) {
    double *seen = c->d->seen;
    const int fail_at = given_calls.fail_at, p = given_calls.rows - c->d->of->nv - c->vectors;
    if (given_calls.calls == c->small) return;
    if (c->small < fail_at && given_calls.calls > fail_at) seen[RETRIED] = p == 0;
    seen[P_MOST] = fmax(seen[P_MOST], p);
    if (c->before) seen[SURPLUS] = fmax(seen[SURPLUS], p - c->before);
}

static int first_orthonormal(const eigenproblem *E, int count, const double *X) {
    int k = 0;
    while (k < count && off_orthonormal(E->n, E->nv, k + 1, X).by <= 1e-6) k++;
    return k < count && !(fabs(dot(E->n, E->nv, X + k, X + k) - 1) <= 1e-3) ? k : 0;
}

static void multiply(const eigenproblem *E, int count, const double *X, double *Y) {
    calls *c = (calls *)E->context;
    double *seen = c->d->seen;
    if (count < 1) return;
    look_at_small(c);
    seen[CALLS]++;
    seen[VECTORS] += count;
    const double off = off_orthonormal(E->n, E->nv, count, X).by;
    if (!(off <= fmax(seen[OFF], 1e-6))) { /* or NaN, which stays */
        seen[FIRST] = first_orthonormal(E, count, X);
        seen[OFF] = isnan(off) ? INFINITY : off;
    }
    c->before = seen[CALLS] > 2 ? c->vectors : 0;
    c->vectors = count;
    c->small = given_calls.calls;
    spw_spmm_csr_omp(c->d->A, count, X, E->nv, Y, E->nv);
}

static void precondition(const eigenproblem *E, int count, const double *X, double *Y) {
    const calls *c = (const calls *)E->context;
    const spw_csr *A = c->d->A;
    c->d->seen[PRECONDITIONED]++;
    for (spw_idx i = 0; i < A->n_rows; i++)
        for (int64_t k = (int64_t)i * E->nv; k < (int64_t)i * E->nv + count; k++)
            Y[k] = X[k] / *spw_plain_diagonal(A, i);
}

static void call_whole(const void *at, spw_function f) {
    const whole *d = (const whole *)at;
    calls c = {d, 0, 0, 0};
    eigenproblem E = {d->A->n_rows, d->of->nv, d->of->tolerance, MOST_ITERATIONS, multiply,
                      NULL,         &c};
    if (d->of->most) E.max_iterations = d->of->most;
    if (d->jacobi) E.precondition = precondition;
    given_calls = (given_watch){.fail_at = d->of->fail_at};
    memset(d->seen, 0, SEEN * sizeof *d->seen);
    d->seen[RETURNED] = SPW_AS(lobpcg, f)(&E, d->X, d->lambda, d->norm);
    look_at_small(&c);
    d->seen[LEFT] = given_calls.spaces;
}

const spw_kit loop_kit = SPW_KIT_OF(of_whole, whole, call_whole, expect_whole,
                                    .prepare = prepare_whole, .facts = "n = {n_rows}, nv = {nv}");

/* x_j' A x_j / x_j' x_j; and ||A x_j - lambda_j x_j|| */
static double quotient(const whole *d, int j, double *residual) {
    const int nv = d->of->nv;
    const double *x = d->X + j;
    double xAx = 0, square = 0;
    for (spw_idx i = 0; i < d->A->n_rows; i++) {
        double sum = 0;
        for (spw_idx k = d->A->row_ptr[i]; k < d->A->row_ptr[i + 1]; k++)
            sum += d->A->val[k] * x[d->A->col_idx[k] * nv];
        xAx += sum * x[i * nv];
        sum -= d->lambda[j] * x[i * nv];
        square += sum * sum;
    }
    *residual = sqrt(square);
    return xAx / dot(d->A->n_rows, nv, x, x);
}

/* What may be wrong where lambda[j] is. */
static const char *why_wrong(const whole *d, int j) {
    const int nv = d->of->nv;
    const double *top = d->values + d->A->n_rows - nv, scale = fabs(top[nv - 1]);
    bool largest = true;
    for (int k = 0; k < nv; k++) largest = largest && fabs(d->lambda[k] - top[k]) <= 0.2 * scale;
    if (largest) return "These are near the largest eigenvalues: the smallest have the first w";
    if (j > 0 && d->lambda[j] < d->lambda[j - 1]) return "They are not in ascending order";
    return "It stopped too early: all pairs must have norm <= tolerance |lambda|";
}

/* Were all W orthonormal? Else a sentence. */
static bool good_directions(spw_trial *t, const whole *d) {
    const double *seen = d->seen;
    if (isinf(seen[OFF]))
        return spw_trial_fail(t,
                              "A was multiplied with a W that holds NaN or infinity. Was a vector\n"
                              "divided by a length of 0, or read before it was written?");
    if (seen[OFF] <= 1e-6 || d->of->close) return true;
    if (seen[FIRST] > 0)
        return spw_trial_fail(
            t,
            "A was multiplied with vector %.0f of W, which is not even of length 1; those\n"
            "before it are orthonormal. W has count[BW] vectors, fewer than nv where pairs have\n"
            "converged",
            seen[FIRST]);
    return spw_trial_fail(
        t,
        "A was multiplied with vectors that are not orthonormal, off by %.1e. "
        "make_directions\ncomes before: it makes W orthonormal, and orthogonal to X and P",
        seen[OFF]);
}

/* Does what was called make sense, whatever came out? Else a sentence. */
static bool called_right(spw_trial *t, const whole *d) {
    const double *seen = d->seen;
    const int done = (int)seen[RETURNED], products = (int)seen[CALLS] - 1;
    if (d->of->fail_at == NO_ROOM)
        return done == -1 ||
               spw_trial_fail(
                   t, "space_create returned NULL, there is no room, and it returned %d, not -1",
                   done);
    if (is(d, "dependent") && done != -1)
        return spw_trial_fail(t,
                              "the guess has dependent vectors, x_1 = 2 x_0, and it returned %d, "
                              "not -1: begin\nreturned 0, and there is no X to go on with",
                              done);
    if (done < 0 && !is(d, "dependent"))
        return spw_trial_fail(
            t, "it returned %d: no room, or a guess that depends. Neither is the case%s", done,
            d->of->most ? ".\nmax_iterations ends it: these are the iterations done" : "");
    if (seen[LEFT] > 0)
        return spw_trial_fail(
            t, "space_create was called, space_destroy was not: give the room back%s",
            done < 0 ? ", where\nbegin fails, too" : "");
    if (!good_directions(t, d)) return false;
    if (d->of->most && done > d->of->most)
        return spw_trial_fail(t, "max_iterations is %d, and it returned %d", d->of->most, done);
    if (d->of->fail_at && !seen[RETRIED])
        return spw_trial_fail(
            t,
            "small_pairs returned 0 in iteration %d, as it does where the basis is singular. Leave "
            "P\nout then: count[BP] = 0, build both matrices anew, with the m that is left, and "
            "try again",
            d->of->fail_at);
    if (d->of->fail_at && done < d->of->fail_at)
        return spw_trial_fail(
            t,
            "it ended in iteration %d, where small_pairs failed without P, too: behind "
            "count[BP] = 0\nboth matrices are built anew, with the m that is left",
            d->of->fail_at);
    if (abs(products - done) == 1 && !is(d, "dependent"))
        return spw_trial_fail(
            t, "it returned %d, but A was multiplied with W %d times, once in each iteration%s",
            done, products, products > done ? ".\nOr did small_pairs fail in the last one?" : "");
    if (products > done && !is(d, "dependent"))
        return spw_trial_fail(
            t,
            "A was multiplied %d times in %d iterations: carry A X and A P along with the "
            "combination\nthat makes X and P. Then A W is the only product",
            products, done);
    return true;
}

/* Are there numbers, and are they those of X? Else a sentence. */
static bool fits_X(spw_trial *t, const whole *d, double scale) {
    const double *guess = spw_kit_start(t, d->X);
    const int nv = d->of->nv;
    double truth;
    for (int j = 0; j < nv; j++)
        if (!isfinite(d->lambda[j]) || !isfinite(d->norm[j]))
            return spw_trial_fail(t,
                                  "lambda[%d] is %g and norm[%d] %g. Was a vector of length 0 "
                                  "normalised, or are they\nnot written at all?",
                                  j, d->lambda[j], j, d->norm[j]);
    for (int k = 0; k < d->A->n_rows * nv; k++)
        if (!isfinite(d->X[k]))
            return spw_trial_fail(t, "vector %d of X holds %g in row %d. Was it divided by 0?",
                                  k % nv, d->X[k], k / nv);
    const size_t row = sizeof *guess * (size_t)nv;
    const int64_t last = (int64_t)(d->A->n_rows - 1) * nv;
    if (memcmp(d->X + last, guess + last, row) == 0)
        return spw_trial_fail(t,
                              "%s is the guess as it was given: the vectors are in s->V[BX].\nCopy "
                              "all n nv numbers back",
                              memcmp(d->X, guess, row) == 0 ? "X" : "the last row of X");
    for (int j = 0; j < nv; j++) {
        const double rho = quotient(d, j, &truth);
        if (fabs(d->lambda[j] - rho) > 1e-6 * fabs(rho) + 1e-12 * scale)
            return spw_trial_fail(
                t, "lambda[%d] is %.9g, but x_%d'A x_%d is %.9g: %s", j, d->lambda[j], j, j, rho,
                fabs(d->lambda[j] * rho - 1) < 1e-6
                    ? "one is 1 over\nthe other. small_pairs takes GA first, then GB"
                    : "lambda is not that of the X returned.\nIn each iteration it becomes the "
                      "first nv of s->w, and next_basis gets GB");
        if (fabs(d->norm[j] - truth) > 0.01 * truth + 1e-12 * scale)
            return spw_trial_fail(
                t,
                "norm[%d] is %.3e, but ||A x - lambda x|| of what is returned is %.3e\n"
                "It is that of an X before the last update: compute the residuals once more",
                j, d->norm[j], truth);
    }
    return true;
}

static const char *why_long(const whole *d, bool converged) {
    if (converged && d->seen[RETURNED] == MOST_ITERATIONS)
        return "Yet all pairs have norm <= tolerance |lambda|: is it that\nwhich ends the loop?";
    if (d->jacobi && d->seen[PRECONDITIONED] == 0) return "The preconditioner was never called";
    if (d->seen[P_MOST] == 0)
        return "P was never in the basis of the\nsmall problem: without it this is steepest "
               "descent";
    return d->jacobi ? "Is the preconditioner applied to W?"
                     : "P is in the basis: does A P fit it?";
}

/* Is pair j one of A's, and has it converged? Else a sentence. */
static bool right_pair(spw_trial *t, const whole *d, int j, double scale) {
    const double enough = d->of->tolerance * fabs(d->lambda[j]);
    double truth;
    (void)quotient(d, j, &truth);
    if (fabs(d->lambda[j] - d->values[j]) > 1e-5 * fabs(d->values[j]) + 1e-12 * scale)
        return spw_trial_fail(t, "lambda[%d] is %.9g, expected %.9g, after %.0f iterations\n%s", j,
                              d->lambda[j], d->values[j], d->seen[RETURNED], why_wrong(d, j));
    if (truth <= 1.01 * enough + 1e-12 * scale) return true;
    return spw_trial_fail(
        t,
        "pair %d: ||A x - lambda x|| = %.2e: all pairs must have norm <= tolerance |lambda|, "
        "%.2e%s",
        j, truth, enough,
        truth <= d->of->tolerance ? "\nIt is below tolerance itself: was |lambda| forgotten?" : "");
}

/* Where P is not orthogonal, [X P] is the less orthonormal the closer pairs have come. Else a sentence. */
static bool is_orthonormal(spw_trial *t, const whole *d) {
    const apart worst = off_orthonormal(d->A->n_rows, d->of->nv, d->of->nv, d->X);
    return worst.by < 1e-8 ||
           spw_trial_fail(t, "the vectors %d and %d returned are not orthonormal, off by %.1e%s",
                          worst.k, worst.j, worst.by,
                          d->of->close
                              ? ". Eigenvalues are\nclose here: [X P] stays orthonormal only if "
                                "next_basis makes P orthogonal to all new x and p"
                              : "");
}

void claim_loop(spw_trial *t) {
    const whole *d = (const whole *)spw_kit_arguments(t);
    const int nv = d->of->nv, done = (int)d->seen[RETURNED];
    const int limit = d->reference + d->reference / 3 + 8;
    const double scale = fabs(d->values[d->A->n_rows - 1]);
    bool converged = true;
    if (d->of->close && !is_orthonormal(t, d)) return;
    if (!called_right(t, d) || done < 0 || !fits_X(t, d, scale)) return;
    if (d->of->most) return;
    for (int j = 0; j < nv; j++)
        converged =
            converged && d->norm[j] <= d->of->tolerance * fabs(d->lambda[j]) + 1e-13 * scale;
    if (done > limit)
        spw_trial_fail(t, "%d iterations; the library takes %d. %s", done, d->reference,
                       why_long(d, converged));
    for (int j = 0; j < nv && done <= limit; j++)
        if (!right_pair(t, d, j, scale)) return;
    if (!is_orthonormal(t, d)) return;
    /* Other iterations than the library's, where P was lost, need vectors in proportion; nothing left out: nv in each. */
    const double more = fmax(1, (double)done / d->reference);
    if (d->seen[VECTORS] > 1.05 * more * (double)d->vectors + nv)
        spw_trial_fail(t,
                       "A was multiplied with %.0f vectors, by the library with %lld: a pair that "
                       "has converged\ngets no W any more. keep_active takes those that have not",
                       d->seen[VECTORS], (long long)d->vectors);
    else if (d->seen[SURPLUS] > 0 && !d->of->close)
        spw_trial_fail(t,
                       "P had %.0f vectors more than W had in the iteration before: combine takes "
                       "np, what\nnext_basis returned, and pairs that have converged have none",
                       d->seen[SURPLUS]);
    spw_trial_note(t, "%d iteration%s, A times %.0f vectors; library: %d, %lld", done,
                   done == 1 ? "" : "s", d->seen[VECTORS], d->reference, (long long)d->vectors);
}

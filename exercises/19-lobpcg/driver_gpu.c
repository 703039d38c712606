/* Exercise 19, GPU part: cases, true costs, bounds on the traffic and explanations for the device's side of an
 * iteration, and for the host's, which may copy small matrices only. */
#include "lobpcg_gpu.h"

#include "formats/generate.h"
#include "kernels/cuda_block.h"
#include "solvers/small.h"
#include "kit/cases.h"
#include "kit/device_systems.h"
#include "kit/models.h"
#include "kit/systems.h"
#include "judge/exercise.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*directions_fn)(int64_t, int, int, const double *, const double *, const double *,
                              const double *, double *, double *, double *);
typedef void (*update_fn)(int64_t, int, int, const double *, double *, const double *, double *);
typedef void (*iterate_fn)(const hybrid *, int);
typedef spw_cost (*cost_fn)(int64_t, int);

enum { MOST_BLOCKS = 1056, LARGE = 1000000, MOST_M = BLOCKS * MOST_VECTORS };

typedef struct problem {
    int64_t n;
    int nv, blocks, steps;
    const double *lambda, *inverse, *AX, *X, *W, *U;
    double *out_W, *parts, *norm;   /* of directions */
    double *out_X, *out_P;          /* of update */
    spw_csr A;                      /* of iterate, on the host; its arrays live in the trial */
    spw_sellp S;                    /* the same for the device */
    double *V[BLOCKS], *AV[BLOCKS]; /* of iterate */
    double *to_host, *to_device;    /* the same */
    const double *lambdas, *norms;  /* [nv] right after the last step; before it */
    const double *no_P;             /* [nv] lambda without P */
    double *given;                  /* [TO_DEVICE] what small made last */
    int calls;                      /* of small */
    bool not_finite, failed;        /* what small was given; LAPACK did not do it */
} problem;

static problem *of(const spw_trial *t)
{
    return (problem *)spw_trial_data(t);
}

static void describe(const spw_trial *t, int64_t at, char *text, int size)
{
    const int nv = of(t)->nv;
    snprintf(text, (size_t)size, "vector %d of row %lld", (int)(at % nv), (long long)(at / nv));
}

/* --- a case of directions and update: N,NV@BLOCKS --------------------------------------------------------- */

static spw_status begin(spw_trial *t, const char *name)
{
    problem *d = (problem *)spw_trial_memory(t, 1, sizeof *d);
    char *at;
    if (!d) return SPW_ERR_MEMORY;
    d->blocks = MOST_BLOCKS;
    d->n = strtoll(name, &at, 10);
    d->nv = *at == ',' ? (int)strtol(at + 1, &at, 10) : 1;
    if (*at == '@') d->blocks = (int)strtol(at + 1, &at, 10);
    spw_trial_unit(t, "n nv", (double)d->n * d->nv);
    spw_trial_unit(t, "n", (double)d->n);
    spw_trial_say(t, "n = %lld, %d vectors, %d blocks", (long long)d->n, d->nv, d->blocks);
    return SPW_OK;
}

/* --- directions ------------------------------------------------------------------------------------------- */

/* What W or the lengths would be. Lengths: W's own; no root; rows of block 0, or of threads with y = 0, only. */
typedef enum variant {
    RIGHT,
    NO_DIAGONAL,
    TIMES_DIAGONAL,
    FIRST_LAMBDA,
    LENGTH_OF_W,
    NO_ROOT,
    BLOCK_0,
    THREADS_0,
    VARIANTS
} variant;

static const char *const direction_texts[VARIANTS] = {
    [NO_DIAGONAL] = "this is R: W is M^-1 R, each row times inverse[i]",
    [TIMES_DIAGONAL] = "R was divided by inverse, which is 1 / A[i][i] already: multiply",
    [FIRST_LAMBDA] = "all vectors got lambda[0]: vector j has lambda[j]",
    [LENGTH_OF_W] = "this is the length of W's column: wanted is that of R, before M^-1",
    [NO_ROOT] = "this is the sum of squares: a length is its root",
    [BLOCK_0] = "these are the rows of block 0: norm_kernel adds up the parts of all blocks",
    [THREADS_0] =
        "these are the rows of the threads with y = 0: the squares of all threads of a column\n"
        "have to be added up in shared memory",
};

static double residual(const problem *d, int64_t i, int j, variant v)
{
    return d->AX[i * d->nv + j] - d->X[i * d->nv + j] * d->lambda[v == FIRST_LAMBDA ? 0 : j];
}

static double *directions_of(spw_trial *t, variant v)
{
    const problem *d = of(t);
    double *W = spw_trial_doubles(t, d->n * d->nv);
    for (int64_t k = 0; W && k < d->n * d->nv; k++) {
        const double r = residual(d, k / d->nv, (int)(k % d->nv), v), m = d->inverse[k / d->nv];
        W[k] = v == NO_DIAGONAL ? r : v == TIMES_DIAGONAL ? r / m : r * m;
    }
    return W;
}

static double *lengths_of(spw_trial *t, variant v)
{
    const problem *d = of(t);
    const int rows = BLOCK / d->nv;
    double *norm = spw_trial_doubles(t, d->nv);
    for (int j = 0; norm && j < d->nv; j++) {
        long double sum = 0;
        for (int64_t i = 0; i < d->n; i++) {
            const double r = residual(d, i, j, v) * (v == LENGTH_OF_W ? d->inverse[i] : 1);
            if (v == BLOCK_0 && i / rows % d->blocks) continue;
            if (v == THREADS_0 && i % rows) continue;
            sum += (long double)r * r;
        }
        norm[j] = (double)(v == NO_ROOT ? sum : sqrtl(sum));
    }
    return norm;
}

static spw_status setup_directions(spw_trial *t, const char *name)
{
    if (begin(t, name)) return SPW_ERR_MEMORY;
    problem *d = of(t);
    const int64_t count = d->n * d->nv;
    const int nv = d->nv;
    double *inverse = (double *)spw_trial_input(t, "inverse", SPW_DOUBLE, d->n);
    double *tolerance = spw_trial_doubles(t, count), *short_tolerance = spw_trial_doubles(t, nv);
    d->lambda = spw_trial_random(t, "lambda", nv);
    d->AX = spw_trial_random(t, "AX", count);
    d->X = spw_trial_random(t, "X", count);
    d->out_W = spw_trial_output_doubles(t, "W", count);
    d->parts = spw_trial_output_doubles(t, "parts", (int64_t)d->blocks * nv);
    d->norm = spw_trial_output_doubles(t, "norm", nv);
    if (!d->lambda || !inverse || !d->AX || !d->X || !d->out_W || !d->parts || !d->norm ||
        !tolerance || !short_tolerance)
        return SPW_ERR_MEMORY;
    d->inverse = inverse;
    spw_case_vector(spw_trial_seed(t) + 5, d->n, inverse);
    for (int64_t i = 0; i < d->n; i++) inverse[i] = fabs(inverse[i]);
    const double *W = directions_of(t, RIGHT), *norm = lengths_of(t, RIGHT);
    if (!W || !norm) return SPW_ERR_MEMORY;
    for (int64_t k = 0; k < count; k++) tolerance[k] = 16 * DBL_EPSILON; /* fused or not */
    for (int j = 0; j < nv; j++)
        short_tolerance[j] = (double)(d->n + 16) * DBL_EPSILON * (norm[j] + 1);
    spw_trial_expect(
        t, d->out_W,
        (spw_expectation){
            .expected = W, .tolerance = tolerance, .count = count, .describe = describe});
    spw_trial_expect(
        t, d->norm, (spw_expectation){.expected = norm, .tolerance = short_tolerance, .count = nv});
    if (count > LARGE || d->n == 0) return SPW_OK;
    for (variant v = NO_DIAGONAL; v < VARIANTS; v++)
        spw_trial_mistake(t, v < LENGTH_OF_W ? d->out_W : d->norm,
                          v < LENGTH_OF_W ? directions_of(t, v) : lengths_of(t, v),
                          direction_texts[v]);
    return SPW_OK;
}

static void call_directions(spw_trial *t, spw_function f)
{
    const problem *d = of(t);
    ((directions_fn)f)(d->n, d->nv, d->blocks, spw_device_doubles(t, d->lambda),
                       spw_device_doubles(t, d->inverse), spw_device_doubles(t, d->AX),
                       spw_device_doubles(t, d->X), spw_device_doubles(t, d->out_W),
                       spw_device_doubles(t, d->parts), spw_device_doubles(t, d->norm));
}

static spw_cost cost_directions(const spw_trial *t)
{
    const double n = (double)of(t)->n, nv = of(t)->nv;
    return (spw_cost){.load = 16 * n * nv + 8 * n, .store = 8 * n * nv, .flop = 5 * n * nv};
}

/* --- update ----------------------------------------------------------------------------------------------- */

typedef enum update_mistake {
    GOOD,
    TRANSPOSED,
    OF_NEW_X,
    ROWS_OF_W_AND_P,
    NO_P_PART,
    UPDATE_MISTAKES
} update_mistake;

static const char *const update_texts[UPDATE_MISTAKES] = {
    [TRANSPOSED] = "U was read as its transpose: it has 3 nv rows of 2 nv numbers,\n"
                   "element u[k * 2 nv + c]",
    [OF_NEW_X] = "this P was made of the new X: both come from the X that was there before",
    [ROWS_OF_W_AND_P] =
        "W got the rows of U that belong to P, and P those of W: the order is X W P",
    [NO_P_PART] = "what comes from the old P is missing: U has 3 nv rows",
};

/* The new X and P: [2][n * nv]. size: NULL, or the sums of magnitudes. */
static double *updated(spw_trial *t, const double *X, const double *P, update_mistake m,
                       double *size)
{
    const problem *d = of(t);
    const int nv = d->nv;
    double *out = spw_trial_doubles(t, 2 * d->n * nv);
    for (int64_t k = 0; out && k < 2 * d->n * nv; k++) {
        const bool to_P = k >= d->n * nv;
        const int64_t i = k % (d->n * nv) / nv;
        const int c = (int)(k % nv) + (to_P ? nv : 0);
        long double sum = 0, magnitude = 0;
        for (int a = 0; a < BLOCKS * nv; a++) {
            const double *from = a < nv ? (m == OF_NEW_X && to_P ? out : X) : a < 2 * nv ? d->W : P;
            const int row = m == ROWS_OF_W_AND_P && a >= nv ? nv + a % (2 * nv) : a;
            const double u = m == TRANSPOSED ? d->U[c * BLOCKS * nv + a] : d->U[row * 2 * nv + c];
            const long double product = (long double)from[i * nv + a % nv] * u;
            if (m == NO_P_PART && a >= 2 * nv) continue;
            sum += product;
            magnitude += fabsl(product);
        }
        out[k] = (double)sum;
        if (size) size[k] = (double)magnitude;
    }
    return out;
}

static spw_status setup_update(spw_trial *t, const char *name)
{
    if (begin(t, name)) return SPW_ERR_MEMORY;
    problem *d = of(t);
    const int64_t count = d->n * d->nv;
    double *X = spw_trial_doubles(t, count), *P = spw_trial_doubles(t, count),
           *tolerance = spw_trial_doubles(t, 2 * count);
    if (!X || !P || !tolerance) return SPW_ERR_MEMORY;
    spw_case_vector(spw_trial_seed(t) + 6, count, X);
    spw_case_vector(spw_trial_seed(t) + 7, count, P);
    spw_trial_unit(t, "nv nv", (double)d->nv * d->nv);
    d->U = spw_trial_random(t, "U", 6 * d->nv * d->nv);
    d->W = spw_trial_random(t, "W", count);
    d->out_X = spw_trial_inout_doubles(t, "X", count, X);
    d->out_P = spw_trial_inout_doubles(t, "P", count, P);
    if (!d->U || !d->W || !d->out_X || !d->out_P) return SPW_ERR_MEMORY;
    const double *right = updated(t, X, P, GOOD, tolerance);
    if (!right) return SPW_ERR_MEMORY;
    for (int64_t k = 0; k < 2 * count; k++) tolerance[k] *= (3 * d->nv + 2) * DBL_EPSILON;
    for (int k = 0; k < 2; k++)
        spw_trial_expect(t, k ? d->out_P : d->out_X,
                         (spw_expectation){.expected = right + k * count,
                                           .tolerance = tolerance + k * count,
                                           .count = count,
                                           .describe = describe});
    if (count > LARGE || d->n == 0) return SPW_OK;
    for (update_mistake m = TRANSPOSED; m < UPDATE_MISTAKES; m++) {
        const double *wrong = updated(t, X, P, m, NULL);
        if (!wrong) return SPW_ERR_MEMORY;
        if (m != OF_NEW_X) spw_trial_mistake(t, d->out_X, wrong, update_texts[m]);
        spw_trial_mistake(t, d->out_P, wrong + count, update_texts[m]);
    }
    return SPW_OK;
}

static void call_update(spw_trial *t, spw_function f)
{
    const problem *d = of(t);
    ((update_fn)f)(d->n, d->nv, d->blocks, spw_device_doubles(t, d->U),
                   spw_device_doubles(t, d->out_X), spw_device_doubles(t, d->W),
                   spw_device_doubles(t, d->out_P));
}

static void library_update(spw_trial *t)
{
    const problem *d = of(t);
    const int nv = d->nv;
    const spw_block in[] = {{spw_device_doubles(t, d->out_X), nv, nv},
                            {spw_device_doubles(t, d->W), nv, nv},
                            {spw_device_doubles(t, d->out_P), nv, nv}};
    const spw_block out[] = {in[0], in[2]};
    spw_trial_library(t, spw_combine_cuda(d->n, 3, in, spw_device_doubles(t, d->U), 2, out));
}

static spw_cost cost_update(const spw_trial *t)
{
    const double n = (double)of(t)->n, nv = of(t)->nv;
    return (spw_cost){
        .load = 24 * n * nv + 48 * nv * nv, .store = 16 * n * nv, .flop = 12 * n * nv * nv};
}

/* --- the small problem ------------------------------------------------------------------------------------ */

static double inner(int m, const double *G, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) sum += a[i] * (G[i * m + j] + G[j * m + i]) / 2 * b[j];
    return sum;
}

/* Rows of T: combinations of the basis that are orthonormal by GB; directions in which next to nothing lies are
 * left out. Returns how many, or -1. SVQB: A. Stathopoulos, K. Wu, SIAM J. Sci. Comput. 23, 2165-2182, 2002,
 * doi:10.1137/S1064827500370883. */
static int independent(int m, const double *GB, double *T)
{
    double scaled[MOST_M * MOST_M], scale[MOST_M], w[MOST_M];
    int count = 0;
    for (int i = 0; i < m; i++) scale[i] = GB[i * m + i] > 0 ? 1 / sqrt(GB[i * m + i]) : 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            scaled[i * m + j] = scale[i] * (GB[i * m + j] + GB[j * m + i]) / 2 * scale[j];
    if (spw_small_eigen(m, scaled, w)) return -1;
    for (int k = 0; k < m; k++) {
        if (w[k] < 1e-11) continue;
        for (int i = 0; i < m; i++) T[count * m + i] = scale[i] * scaled[k * m + i] / sqrt(w[k]);
        count++;
    }
    return count;
}

/* Row j of Y is what row j of H has from W and P, orthogonal to H and to the rows before, of length 1; or zero. */
static void directions_kept(int m, int nv, const double *GB, const double *H, double *Y)
{
    for (int j = 0; j < nv; j++) {
        double *y = Y + j * m;
        for (int i = 0; i < m; i++) y[i] = i < nv ? 0 : H[j * m + i];
        const double before = sqrt(inner(m, GB, y, y));
        for (int k = 0; k < 2 * (nv + j); k++) {
            const int other = k % (nv + j);
            const double *z = other < nv ? H + other * m : Y + (other - nv) * m;
            const double part = inner(m, GB, z, y);
            for (int i = 0; i < m; i++) y[i] -= part * z[i];
        }
        const double square = inner(m, GB, y, y), left = square > 0 ? sqrt(square) : 0;
        for (int i = 0; i < m; i++) y[i] = left > 1e-8 * before ? y[i] / left : 0;
    }
}

static void small(void *context, int nv, const double *from_device, double *to_device)
{
    problem *d = (problem *)context;
    const int m = BLOCKS * nv;
    const double *GA = from_device, *GB = GA + m * m;
    double T[MOST_M * MOST_M], K[MOST_M * MOST_M], w[MOST_M];
    double H[MOST_VECTORS * MOST_M], Y[MOST_VECTORS * MOST_M];
    d->calls++;
    memset(to_device, 0, sizeof *to_device * (size_t)TO_DEVICE(nv));
    for (int k = 0; k < TO_HOST(nv); k++) d->not_finite |= !isfinite(from_device[k]);
    if (d->not_finite) return;
    const int rank = independent(m, GB, T);
    for (int a = 0; a < rank; a++)
        for (int b = 0; b < rank; b++) K[a * rank + b] = inner(m, GA, T + a * m, T + b * m);
    if (rank < nv || spw_small_eigen(rank, K, w)) {
        d->failed = true;
        return;
    }
    memset(H, 0, sizeof H);
    for (int j = 0; j < nv; j++)
        for (int a = 0; a < rank; a++)
            for (int i = 0; i < m; i++) H[j * m + i] += K[j * rank + a] * T[a * m + i];
    directions_kept(m, nv, GB, H, Y);
    for (int j = 0; j < nv; j++) {
        to_device[j] = w[j];
        for (int i = 0; i < m; i++) {
            to_device[nv + i * 2 * nv + j] = H[j * m + i];
            to_device[nv + i * 2 * nv + nv + j] = Y[j * m + i];
        }
    }
    memcpy(d->given, to_device, sizeof *to_device * (size_t)TO_DEVICE(nv));
}

/* --- iterate, on the host ----------------------------------------------------------------------------------- */

static void times_A(const problem *d, const double *X, double *Y)
{
    memset(Y, 0, sizeof *Y * (size_t)(d->n * d->nv));
    for (spw_idx i = 0; i < d->A.n_rows; i++)
        for (spw_idx k = d->A.row_ptr[i]; k < d->A.row_ptr[i + 1]; k++)
            for (int j = 0; j < d->nv; j++)
                Y[(int64_t)i * d->nv + j] += d->A.val[k] * X[(int64_t)d->A.col_idx[k] * d->nv + j];
}

static double dot(int64_t n, int ld, const double *x, const double *y)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += x[i * ld] * y[i * ld];
    return sum;
}

static void host_update(const problem *d, const double *U, double *const *V)
{
    const int nv = d->nv;
    for (int64_t i = 0; i < d->n; i++) {
        double row[2 * MOST_VECTORS] = {0};
        for (int a = 0; a < BLOCKS * nv; a++)
            for (int c = 0; c < 2 * nv; c++)
                row[c] += V[a / nv][i * nv + a % nv] * U[a * 2 * nv + c];
        memcpy(V[X_BLOCK] + i * nv, row, sizeof *row * (size_t)nv);
        memcpy(V[P_BLOCK] + i * nv, row + nv, sizeof *row * (size_t)nv);
    }
}

/* The same steps in plain loops. V, AV: copies of the first values. lambda [nv]: in and out; norm may be NULL. */
static void host_iterate(problem *d, double *const *V, double *const *AV, bool keep_P,
                         double *lambda, double *norm)
{
    const int nv = d->nv, m = BLOCKS * nv;
    double G[TO_HOST(MOST_VECTORS)] = {0}, back[TO_DEVICE(MOST_VECTORS)];
    for (int step = 0; step < d->steps; step++) {
        for (int j = 0; j < nv; j++) {
            double square = 0;
            for (int64_t i = 0; i < d->n; i++) {
                const double r = AV[X_BLOCK][i * nv + j] - V[X_BLOCK][i * nv + j] * lambda[j];
                V[W_BLOCK][i * nv + j] = r * d->inverse[i];
                square += r * r;
            }
            if (norm) norm[j] = sqrt(square);
        }
        times_A(d, V[W_BLOCK], AV[W_BLOCK]);
        for (int a = 0; a < m; a++)
            for (int b = 0; b < m; b++) {
                const double *left = V[a / nv] + a % nv;
                G[a * m + b] = dot(d->n, nv, left, AV[b / nv] + b % nv);
                G[m * m + a * m + b] = dot(d->n, nv, left, V[b / nv] + b % nv);
            }
        small(d, nv, G, back);
        memcpy(lambda, back, sizeof *lambda * (size_t)nv);
        host_update(d, back + nv, V);
        host_update(d, back + nv, AV);
        for (int64_t k = 0; !keep_P && k < d->n * nv; k++) V[P_BLOCK][k] = AV[P_BLOCK][k] = 0;
    }
}

/* lambda after all steps, from the first X; NULL: no room. */
static const double *host_lambda(spw_trial *t, const double *X, const double *AX,
                                 const double *first, bool keep_P, double *norm)
{
    problem *d = of(t);
    const int64_t count = d->n * d->nv;
    double *V[BLOCKS], *AV[BLOCKS], *lambda = spw_trial_doubles(t, d->nv);
    for (int b = 0; b < BLOCKS; b++) {
        V[b] = spw_trial_doubles(t, count);
        AV[b] = spw_trial_doubles(t, count);
        if (!V[b] || !AV[b]) return NULL;
    }
    if (!lambda) return NULL;
    memcpy(V[X_BLOCK], X, sizeof *X * (size_t)count);
    memcpy(AV[X_BLOCK], AX, sizeof *AX * (size_t)count);
    memcpy(lambda, first, sizeof *first * (size_t)d->nv);
    host_iterate(d, V, AV, keep_P, lambda, norm);
    return lambda;
}

/* --- a case of iterate: MATRIX@NV,BLOCKS,STEPS ---------------------------------------------------------------- */

/* Rows and columns scaled by numbers of their own, so that the diagonal is no constant. */
static void rescale(spw_csr *A)
{
    for (spw_idx i = 0; i < A->n_rows; i++)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            A->val[k] *= (1 + 0.25 * (i % 5)) * (1 + 0.25 * (A->col_idx[k] % 5));
}

static spw_status take_matrix(spw_trial *t, const char *full_name)
{
    problem *d = of(t);
    char name[512];
    snprintf(name, sizeof name, "%s", full_name);
    char *at = strrchr(name, '@');
    d->nv = 4;
    d->blocks = 8;
    d->steps = 3;
    if (at && sscanf(at, "@%d,%d,%d", &d->nv, &d->blocks, &d->steps) == 3) *at = 0;
    spw_status status = spw_csr_load(name, &d->A);
    if (status) return status;
    rescale(&d->A);
    spw_sellp *S = &d->S;
    status = spw_sellp_from_csr(&d->A, 8, 1, S);
    if (status) return status;
    S->slice_ptr = spw_trial_adopt(t, "slice_ptr", SPW_INDEX, S->n_slices + 1, S->slice_ptr);
    S->row_len = spw_trial_adopt(t, "row_len", SPW_INDEX, S->n_rows, S->row_len);
    S->col_idx = spw_trial_adopt(t, "col_idx", SPW_INDEX, S->n_stored, S->col_idx);
    S->val = spw_trial_adopt(t, "val", SPW_DOUBLE, S->n_stored, S->val);
    return S->slice_ptr && S->row_len && S->col_idx && S->val ? SPW_OK : SPW_ERR_MEMORY;
}

/* Random vectors made orthonormal one by one, twice. */
static void first_vectors(const spw_trial *t, double *X)
{
    const problem *d = of(t);
    const int nv = d->nv;
    spw_case_vector(spw_trial_seed(t) + 9, d->n * nv, X);
    for (int j = 0; j < nv; j++) {
        for (int k = 0; k < 2 * j; k++) {
            const double part = dot(d->n, nv, X + k % j, X + j);
            for (int64_t i = 0; i < d->n; i++) X[i * nv + j] -= part * X[i * nv + k % j];
        }
        const double length = sqrt(dot(d->n, nv, X + j, X + j));
        for (int64_t i = 0; i < d->n; i++) X[i * nv + j] /= length;
    }
}

static spw_status lay_out(spw_trial *t, double *X, double *AX)
{
    problem *d = of(t);
    static const char *const names[] = {"X", "W", "P", "AX", "AW", "AP"};
    const int64_t count = d->n * d->nv;
    double *zero = spw_trial_doubles(t, count), *first = spw_trial_doubles(t, TO_DEVICE(d->nv)),
           *norms = spw_trial_doubles(t, d->nv);
    d->given = spw_trial_doubles(t, TO_DEVICE(d->nv));
    if (!d->given || !zero || !first || !norms) return SPW_ERR_MEMORY;
    first_vectors(t, X);
    times_A(d, X, AX);
    for (int j = 0; j < d->nv; j++) first[j] = dot(d->n, d->nv, X + j, AX + j);
    for (int b = 0; b < 2 * BLOCKS; b++) {
        const double *initial = b == X_BLOCK ? X : b == BLOCKS ? AX : zero;
        double *array = b % BLOCKS == W_BLOCK
                            ? spw_trial_output_doubles(t, names[b], count)
                            : spw_trial_inout_doubles(t, names[b], count, initial);
        if (!array) return SPW_ERR_MEMORY;
        (b < BLOCKS ? d->V : d->AV)[b % BLOCKS] = array;
    }
    d->to_device = spw_trial_inout_doubles(t, "to_device", TO_DEVICE(d->nv), first);
    d->to_host = spw_trial_output_doubles(t, "to_host", TO_HOST(d->nv));
    d->parts = spw_trial_output_doubles(t, "parts", (int64_t)d->blocks * 18 * d->nv * d->nv);
    if (!d->to_device || !d->to_host || !d->parts) return SPW_ERR_MEMORY;
    d->no_P = host_lambda(t, X, AX, first, false, NULL);
    d->lambdas = host_lambda(t, X, AX, first, true, norms);
    d->norms = norms;
    return d->no_P && d->lambdas ? SPW_OK : SPW_ERR_MEMORY;
}

static spw_status setup_iterate(spw_trial *t, const char *name)
{
    problem *d = (problem *)spw_trial_memory(t, 1, sizeof *d);
    if (!d) return SPW_ERR_MEMORY;
    spw_csr own;
    spw_status status = take_matrix(t, name);
    own = d->A;
    memset(&d->A, 0, sizeof d->A);
    if (status) goto done;
    d->n = own.n_rows;
    spw_trial_say(t, "n = %lld, %d vectors, %d blocks, %d steps", (long long)d->n, d->nv, d->blocks,
                  d->steps);
    double *inverse = (double *)spw_trial_input(t, "inverse", SPW_DOUBLE, d->n);
    double *X = spw_trial_doubles(t, d->n * d->nv), *AX = spw_trial_doubles(t, d->n * d->nv);
    const spw_csr *A = inverse && X && AX ? spw_trial_csr(t, &own) : NULL;
    if (!A) {
        status = SPW_ERR_MEMORY;
        goto done;
    }
    d->A = *A;
    for (spw_idx i = 0; i < A->n_rows; i++)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            if (A->col_idx[k] == i) inverse[i] = 1 / A->val[k];
    d->inverse = inverse;
    spw_trial_limit_copies(t, 2 * d->steps, (TO_HOST(d->nv) + TO_DEVICE(d->nv)) * 8 * d->steps);
    status = lay_out(t, X, AX);
    if (!status && (d->failed || d->not_finite))
        status = spw_error(SPW_ERR_UNAVAILABLE, "the small eigenproblem needs LAPACK: make doctor");
done:
    spw_csr_destroy(&own);
    return status;
}

static void call_iterate(spw_trial *t, spw_function f)
{
    problem *d = of(t);
    hybrid h = {.A = d->S,
                .nv = d->nv,
                .blocks = d->blocks,
                .d_inverse = spw_device_doubles(t, d->inverse),
                .d_parts = spw_device_doubles(t, d->parts),
                .d_to_host = spw_device_doubles(t, d->to_host),
                .d_to_device = spw_device_doubles(t, d->to_device),
                .small = small,
                .context = d};
    for (int b = 0; b < BLOCKS; b++) {
        h.d_V[b] = spw_device_doubles(t, d->V[b]);
        h.d_AV[b] = spw_device_doubles(t, d->AV[b]);
    }
    h.A.slice_ptr = (spw_idx *)spw_trial_device(t, d->S.slice_ptr);
    h.A.row_len = (spw_idx *)spw_trial_device(t, d->S.row_len);
    h.A.col_idx = (spw_idx *)spw_trial_device(t, d->S.col_idx);
    h.A.val = spw_device_doubles(t, d->S.val);
    d->calls = 0;
    d->not_finite = d->failed = false;
    ((iterate_fn)f)(&h, d->steps);
}

/* Are these the same but for rounding? */
static bool same(int count, const double *a, const double *b)
{
    double off = 0, size = 0;
    for (int k = 0; k < count; k++) {
        off = fmax(off, !isfinite(a[k]) ? INFINITY : fabs(a[k] - b[k]));
        size = fmax(size, fabs(b[k]));
    }
    return off <= 1e-8 * size;
}

/* Is AV what A makes of V? By far most of what goes wrong is told by this. */
static bool product_fits(spw_trial *t, int b, const char *what)
{
    const problem *d = of(t);
    const int64_t count = d->n * d->nv;
    double *right = spw_trial_doubles(t, count);
    if (!right) return false;
    times_A(d, d->V[b], right);
    if (same((int)count, d->AV[b], right)) return true;
    spw_trial_fail(t,
                   "A %s is not A times %s. Nobody computes that product: [A X, A P] is\n"
                   "[A X, A W, A P] U, by an update of d_AV with the same U; and A W must be the\n"
                   "product with the W of this step, when the matrices are made",
                   what, what);
    return false;
}

/* Does to_device hold what small has made? */
static bool all_arrived(spw_trial *t)
{
    const problem *d = of(t);
    const int nv = d->nv;
    const size_t bytes = sizeof(double) * (size_t)nv;
    if (d->steps == 0) return true;
    for (int k = nv; k < TO_DEVICE(nv); k++) {
        if (d->to_device[k] == d->given[k]) continue;
        spw_trial_fail(
            t,
            "element %d of U is %.6g on the device, and small gave %.6g: all of what it\n"
            "gives goes to d_to_device, %d numbers; and the size is in bytes",
            k - nv, d->to_device[k], d->given[k], TO_DEVICE(nv));
        return false;
    }
    if (memcmp(d->to_device, d->given, bytes) == 0) return true;
    spw_trial_fail(t,
                   "lambda[0] is %.6g on the device, and small gave %.6g: lambda has to go back\n"
                   "with U, since R of the next step is made with it",
                   d->to_device[0], d->given[0]);
    return false;
}

static void check_iterate(spw_trial *t, spw_function f)
{
    (void)f;
    const problem *d = of(t);
    const double *norm = d->to_host + 18 * d->nv * d->nv;
    if (d->calls != d->steps) {
        spw_trial_fail(t, "small was called %d times in %d steps: once in each", d->calls,
                       d->steps);
        return;
    }
    if (d->not_finite) {
        spw_trial_fail(t, "what small was given is not finite: was it copied before?");
        return;
    }
    if (d->failed) {
        spw_trial_fail(t,
                       "what small was given is no GA and GB of [X W P]: X would depend on itself");
        return;
    }
    if (!all_arrived(t)) return;
    if (!product_fits(t, X_BLOCK, "X") || !product_fits(t, P_BLOCK, "P")) return;
    if (!same(d->nv, d->to_device, d->lambdas)) {
        spw_trial_fail(
            t, "lambda[0] is %.12g after %d steps, expected %.12g%s", d->to_device[0], d->steps,
            d->lambdas[0],
            same(d->nv, d->to_device, d->no_P)
                ? ".\nThese come out where P is 0 in every step: it is the second half of\n"
                  "[X P] U, and the next step needs it"
                : "");
        return;
    }
    for (int j = 0; j < d->nv; j++)
        for (int k = 0; k <= j; k++) {
            const double off = dot(d->n, d->nv, d->V[X_BLOCK] + j, d->V[X_BLOCK] + k) - (j == k);
            if (fabs(off) < 1e-8) continue;
            spw_trial_fail(t, "vectors %d and %d of X are not orthonormal: off by %.1e", k, j, off);
            return;
        }
    if (d->steps > 0 && !same(d->nv, norm, d->norms))
        spw_trial_fail(t,
                       "lambda is right, but norm[0] in to_host is %.6g, expected %.6g: d_norm\n"
                       "of directions is the end of d_to_host, behind GA and GB",
                       norm[0], d->norms[0]);
}

/* --- the models ------------------------------------------------------------------------------------------------- */

static spw_cost predict(spw_trial *t, spw_function model)
{
    return ((cost_fn)model)(of(t)->n, of(t)->nv);
}

static void explain_directions(const spw_trial *t, spw_cost got, char *text, int size)
{
    const double n = (double)of(t)->n, nv = of(t)->nv, block = 8 * n * nv;
    const spw_known_cost known[] = {
        {block, block, 0,
         "R is neither stored nor read again: an element of R becomes one of W, and a square,\n"
         "while it is in a register"},
        {2 * block, block, 0, "that is three passes. R is neither stored nor read again"},
        {block, 0, 0,
         "W is written, not read: lengths come from the same pass, and a GPU stores without\n"
         "reading before"},
        {-8 * n, 0, 0, "the inverse of the diagonal is loaded, too: 8 n bytes"},
        {block - 8 * n, 0, 0, "the diagonal has a number a row, 8 n bytes, not n nv of them"},
        {0, 0, -n * nv, "five flops an element: times lambda, minus, times inverse, square, add"},
        {0, 0, -2 * n * nv,
         "five flops an element: times lambda, minus, times inverse, square, add"},
    };
    spw_known_cost_tell(known, sizeof known / sizeof known[0], got, cost_directions(t), 0.5, text,
                        size);
}

static void explain_update(const spw_trial *t, spw_cost got, char *text, int size)
{
    const double n = (double)of(t)->n, nv = of(t)->nv, block = 8 * n * nv, u = 48 * nv * nv;
    const spw_known_cost known[] = {
        {3 * block, 0, 0,
         "that is one pass for X and one for P: a row of [X W P] that is there gives both"},
        {3 * block + u, 0, 0,
         "that is one pass for X and one for P: a row of [X W P] that is there gives both"},
        {2 * block, 0, 0,
         "that is the write-allocate read of a CPU: a GPU stores whole sectors and reads nothing"},
        {-u, 0, 0, "U is loaded, too, once: 6 nv * nv numbers"},
        {0, block, 0, "W stays as it is: two blocks are stored"},
        {0, -block, 0, "X and P are stored: two blocks"},
        {0, 0, -n * 6 * nv * nv, "a multiplication and an addition: 2 flops"},
        {0, 0, 6 * n * nv - 12 * n * nv * nv,
         "each of 3 nv numbers of a row takes part in 2 nv sums"},
    };
    spw_known_cost_tell(known, sizeof known / sizeof known[0], got, cost_update(t), 0.5, text,
                        size);
}

/* --- the declaration -------------------------------------------------------------------------------------------- */

static const char *const blocks_of_vectors[] = {"1,1@1",    "0,3@2",   "300,1@1", "100,5@3",
                                                "257,16@4", "129,7@9", NULL};
static const char *const systems[] = {"laplace2d:20x10@1,3,1", "laplace2d:3x3@1,1,1",
                                      "laplace2d:7x5@3,2,3",   "laplace2d:8x8@2,3,0",
                                      "laplace3d:4x4x4@4,3,4", NULL};

static const char neighbours[] =
    "neighbouring threads must have neighbouring elements of a row: x of a thread is the vector";
static const char tile_first[] =
    "each element of a row is needed 2 nv times: bring the rows to shared memory first, once";

static const spw_sector_bound directions_bounds[] = {
    {.array = "X", .access = SPW_LOADS, .per_request = 8.5, .hint = neighbours},
    {.array = "W", .access = SPW_STORES, .per_request = 8.5, .hint = neighbours},
    {.array = "X",
     .access = SPW_LOADS,
     .times_size = 1.1,
     .hint = "the squares belong into the pass that has R: nothing is read again"},
    {.array = "AX",
     .access = SPW_LOADS,
     .times_size = 1.1,
     .hint = "the squares belong into the pass that has R: nothing is read again"},
    {.array = "W",
     .access = SPW_LOADS,
     .times_size = 0.01,
     .hint = "W is only stored: what becomes of an element of R happens in its one pass"},
    {.array = "parts",
     .access = SPW_STORES,
     .times_size = 1.1,
     .hint = "a block leaves nv sums: its threads' squares are added up in shared memory"},
    {.array = NULL}};
static const spw_sector_bound update_bounds[] = {
    {.array = "X", .access = SPW_LOADS, .times_size = 1.1, .hint = tile_first},
    {.array = "W", .access = SPW_LOADS, .times_size = 1.1, .hint = tile_first},
    {.array = "P", .access = SPW_LOADS, .times_size = 1.1, .hint = tile_first},
    {.array = "X", .access = SPW_LOADS, .per_request = 8.5, .hint = neighbours},
    {.array = "U",
     .access = SPW_LOADS,
     .per_block = 48,
     .hint = "a block needs all of U, and needs it once, for all of its tiles: 1536 numbers, for\n"
             "8 warps six requests each, into shared memory"},
    {.array = NULL}};

static const spw_part parts[] = {{.function = "directions",
                                  .model = "directions_cost",
                                  .cases = blocks_of_vectors,
                                  .setup = setup_directions,
                                  .call = call_directions,
                                  .predict = predict,
                                  .cost = cost_directions,
                                  .explain_model = explain_directions,
                                  .on_device = true,
                                  .asynchronous = true,
                                  .bounds = directions_bounds,
                                  .traffic = "2000,16@8",
                                  .speed = "1600000,16", /* on a GPU: 0.6 GB */
                                  .target = 0.7},
                                 {.function = "update",
                                  .model = "update_cost",
                                  .cases = blocks_of_vectors,
                                  .setup = setup_update,
                                  .call = call_update,
                                  .predict = predict,
                                  .cost = cost_update,
                                  .explain_model = explain_update,
                                  .on_device = true,
                                  .asynchronous = true,
                                  .bounds = update_bounds,
                                  .traffic = "600,16@4",
                                  .speed = "1000000,16", /* on a GPU: 0.6 GB */
                                  .target = 0.3,
                                  .stretch = {"library's best", library_update}},
                                 {.function = "iterate",
                                  .cases = systems,
                                  .setup = setup_iterate,
                                  .call = call_iterate,
                                  .claim = check_iterate,
                                  .on_device = true}};

static const char *const forbidden[] = {"spw_residual_block_cuda", "spw_combine_cuda",
                                        "spw_lobpcg_cuda", "spw_lobpcg", NULL};

int main(int argc, char **argv)
{
    return spw_judge(&(spw_exercise){.parts = parts,
                                     .n_parts = sizeof parts / sizeof parts[0],
                                     .gpu = true,
                                     .forbidden = forbidden},
                     argc, argv);
}

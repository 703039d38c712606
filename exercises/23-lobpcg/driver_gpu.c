/* Exercise 23, GPU part: the device's side of an iteration, and the host's, which may copy small matrices only. */
#include "lobpcg_gpu.h"

#include "formats/generate.h"
#include "kernels/cuda_block.h"
#include "kernels/spmm.h"
#include "kit/cases.h"
#include "kit/device_systems.h"
#include "kit/preconditioners.h"
#include "problem.h"
#include "solvers/small.h"

#include <float.h>

/* --- directions --------------------------------------------------------------------------------------------- */

static const spw_argument of_directions[] = {
    TALL,
    SPW_RANDOM(tall, lambda, "nv"),
    SPW_RANDOM(tall, inverse, "n"),
    SPW_RANDOM(tall, AX, "n nv"),
    SPW_RANDOM(tall, X, "n nv"),
    SPW_OUTPUT_AS("W", tall, R, "n nv", .describe = describe_tall),
    SPW_ROOM(tall, parts, "blocks nv", ),
    SPW_OUTPUT(tall, norm, "nv", ),
    {0}};

SPW_CALL(call_directions, directions, const tall *d, d->n, d->nv, d->blocks, d->lambda, d->inverse,
         d->AX, d->X, d->R, d->parts, d->norm)

#define FIVE "five flops an element: times lambda, minus, times inverse, square, add"
static const spw_slip directions_slips[] = {
    {"load 8 n nv; store 8 n nv",
     "R is neither stored nor read again: an element of R becomes one of W, and a square,\n"
     "while it is in a register"},
    {"load 16 n nv; store 8 n nv", "that is three passes. R is neither stored nor read again"},
    {"load 8 n nv",
     "W is written, not read: lengths come from the same pass, and a GPU stores without\n"
     "reading before"},
    {"load -8 n", "the inverse of the diagonal is loaded, too: 8 n bytes"},
    {"load 8 n nv - 8 n", "the diagonal has a number a row, 8 n bytes, not n nv of them"},
    {"flop -n nv", FIVE},
    {"flop -2 n nv", FIVE},
    {0}};

#define OF_BLOCKS                                                                                  \
    .parameters = behind_tall, .prepare = prepare_tall,                                            \
    .facts = "n = {n}, {nv} vectors, {blocks} blocks", .predict = predict_tall
static const spw_kit directions_kit =
    SPW_KIT_OF(of_directions, tall, call_directions, expect_residuals, OF_BLOCKS, .units = "n nv",
               .cost = "load 16 n nv + 8 n; store 8 n nv; flop 5 n nv", .slips = directions_slips);

/* --- update --------------------------------------------------------------------------------------------------- */

static const spw_argument of_update[] = {
    TALL,
    SPW_RANDOM(tall, U, "6 nv nv"),
    SPW_RANDOM(tall, W, "n nv"),
    SPW_START_AS("X", tall, new_X, "n nv", .describe = describe_tall),
    SPW_START_AS("P", tall, new_P, "n nv", .describe = describe_tall),
    {0}};

static void expect_update(spw_trial *t, const void *at) {
    const tall *d = (const tall *)at;
    const int nv = d->nv;
    const int64_t count = d->n * nv;
    const double *const V[] = {spw_kit_start(t, d->new_X), d->W, spw_kit_start(t, d->new_P)};
    for (int half = 0; half < 2; half++) {
        double *right = spw_kit_doubles(t, count), *tolerance = spw_kit_doubles(t, count);
        for (int64_t k = 0; k < BLOCKS * nv * count; k++) {
            const int64_t at_k = k / (BLOCKS * nv), i = at_k / nv;
            const int a = (int)(k % (BLOCKS * nv)), column = half * nv + (int)(at_k % nv);
            const double product = V[a / nv][i * nv + a % nv] * d->U[a * 2 * nv + column];
            right[at_k] += product;
            tolerance[at_k] += (BLOCKS * nv + 2) * DBL_EPSILON * fabs(product);
        }
        spw_kit_expect(t, half ? d->new_P : d->new_X, right, tolerance);
    }
}

SPW_CALL(call_update, update, const tall *d, d->n, d->nv, d->blocks, d->U, d->new_X, d->W, d->new_P)

static void library_update(spw_trial *t) {
    const tall *d = (const tall *)spw_kit_called(t);
    const int nv = d->nv;
    const spw_block in[] = {
        {d->new_X, nv, nv}, {(double *)(uintptr_t)d->W, nv, nv}, {d->new_P, nv, nv}};
    const spw_block out[] = {in[0], in[2]};
    spw_trial_library(t, spw_combine_cuda(d->n, 3, in, d->U, 2, out));
}

#define ONE_PASS "that is one pass for X and one for P: a row of [X W P] that is there gives both"
static const spw_slip update_slips[] = {
    {"load 24 n nv", ONE_PASS},
    {"load 24 n nv + 48 nv nv", ONE_PASS},
    {"load 16 n nv",
     "that is the write-allocate read of a CPU: a GPU stores whole sectors and reads nothing"},
    {"load -48 nv nv", "U is loaded, too, once: 6 nv * nv numbers"},
    {"store 8 n nv", "W stays as it is: two blocks are stored"},
    {"store -8 n nv", "X and P are stored: two blocks"},
    {"flop -6 n nv nv", "a multiplication and an addition: 2 flops"},
    {"flop 6 n nv - 12 n nv nv", "each of 3 nv numbers of a row takes part in 2 nv sums"},
    {0}};

static const spw_kit update_kit = SPW_KIT_OF(
    of_update, tall, call_update, expect_update, OF_BLOCKS, .units = "n nv; nv nv",
    .cost = "load 24 n nv + 48 nv nv; store 16 n nv; flop 12 n nv nv", .slips = update_slips);

/* --- iterate: a case is MATRIX@NV,BLOCKS/STEPS ----------------------------------------------------------------- */

/* Of the small problem, on the host, as it is called. */
typedef struct small_calls {
    int count;
    bool not_finite, failed; /* what it was given; LAPACK did not do it */
    double *given;           /* [TO_DEVICE] what it made last */
} small_calls;

typedef struct stepping {
    int nv, blocks, steps;
    const spw_csr *A;
    const spw_sellp *S;
    const double *inverse;
    double *V[BLOCKS], *AV[BLOCKS], *parts, *to_host, *to_device;
    small_calls *small;
    double *lambda, *norm; /* [nv] right after the last step; before it */
} stepping;

enum { MOST_M = BLOCKS * MOST_VECTORS };
static const double TINY = 1e-14; /* a tolerance that is not reached */

static void prepare_steps(spw_trial *t, const char *name, void *at) {
    (void)name;
    stepping *d = (stepping *)at;
    const int nv = (int)spw_kit_value(t, "nv"), steps = (int)spw_kit_value(t, "steps");
    d->small = (small_calls *)spw_kit_need(t, spw_trial_memory(t, 1, sizeof *d->small));
    d->small->given = spw_kit_doubles(t, TO_DEVICE(nv));
    spw_trial_result(t, d->small, offsetof(small_calls, given));
    spw_trial_result(t, d->small->given, TO_DEVICE(nv) * (int64_t)sizeof(double));
    spw_kit_quantity(t, ".to_host", TO_HOST(nv));
    spw_kit_quantity(t, ".to_device", TO_DEVICE(nv));
    spw_trial_limit_copies(t, 2 * steps, (TO_HOST(nv) + TO_DEVICE(nv)) * 8 * steps);
}

/* Rows and columns are scaled by numbers of their own, so that the diagonal is no constant. */
static spw_status make_matrix(spw_trial *t, const void *at, void *matrix) {
    (void)at;
    spw_csr *A = (spw_csr *)matrix;
    const spw_status status = spw_csr_load(spw_kit_case(t), A);
    for (spw_idx i = 0; i < A->n_rows && !status; i++)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            A->val[k] *= (1 + 0.25 * (i % 5)) * (1 + 0.25 * (A->col_idx[k] % 5));
    return status;
}

static spw_status to_sellp(spw_trial *t, const void *at, void *S) {
    (void)t;
    return spw_sellp_from_csr(((const stepping *)at)->A, 8, 1, (spw_sellp *)S);
}

static void times_A(const stepping *d, const double *X, double *Y) {
    spw_spmm_csr_omp(d->A, d->nv, X, d->nv, Y, d->nv);
}

static void fill_inverse(spw_trial *t, const void *at, void *array, int64_t n) {
    (void)t;
    for (spw_idx i = 0; i < n; i++)
        ((double *)array)[i] = 1 / *spw_plain_diagonal(((const stepping *)at)->A, i);
}

/* Orthonormal ones, Ritz vectors of A: what a step of the library's leaves. */
static void fill_X(spw_trial *t, const void *at, void *array, int64_t count) {
    const stepping *d = (const stepping *)at;
    double lambda[MOST_VECTORS];
    spw_case_vector(spw_trial_seed(t) + 9, count, (double *)array);
    library_steps(t, d->A, true, d->nv, TINY, 1, (double *)array, lambda, NULL);
}

static void fill_AX(spw_trial *t, const void *at, void *array, int64_t n) {
    (void)n;
    const stepping *d = (const stepping *)at;
    times_A(d, spw_kit_start(t, d->V[X_BLOCK]), (double *)array);
}

static void fill_zero(spw_trial *t, const void *at, void *array, int64_t n) {
    (void)t, (void)at;
    memset(array, 0, sizeof(double) * (size_t)n);
}

static void fill_lambda(spw_trial *t, const void *at, void *array, int64_t n) {
    const stepping *d = (const stepping *)at;
    const double *X = spw_kit_start(t, d->V[X_BLOCK]), *AX = spw_kit_start(t, d->AV[X_BLOCK]);
    fill_zero(t, at, array, n);
    for (int j = 0; j < d->nv; j++) ((double *)array)[j] = dot(d->A->n_rows, d->nv, X + j, AX + j);
}

#define STARTS(member, name, fill_) SPW_START_AS(name, stepping, member, "n_rows nv", .fill = fill_)
static const spw_argument of_steps[] = {
    SPW_VALUE(stepping, nv, "nv"),
    SPW_VALUE(stepping, blocks, "blocks"),
    SPW_VALUE(stepping, steps, "steps"),
    SPW_HIDDEN(stepping, A, &spw_kit_csr, make_matrix),
    SPW_MATRIX(stepping, S, &spw_kit_sellp, to_sellp, ),
    SPW_FILLED(stepping, inverse, "n_rows", .fill = fill_inverse),
    STARTS(V[X_BLOCK], "X", fill_X),
    SPW_ROOM_AS("W", stepping, V[W_BLOCK], "n_rows nv"),
    STARTS(V[P_BLOCK], "P", fill_zero),
    STARTS(AV[X_BLOCK], "AX", fill_AX),
    SPW_ROOM_AS("AW", stepping, AV[W_BLOCK], "n_rows nv"),
    STARTS(AV[P_BLOCK], "AP", fill_zero),
    SPW_START(stepping, to_device, "to_device", .fill = fill_lambda),
    SPW_ROOM(stepping, to_host, "to_host", ),
    SPW_ROOM(stepping, parts, "18 blocks nv nv", ),
    {0}};

/* What iterate calls. */
static void small(void *context, int nv, const double *from_device, double *to_device) {
    small_calls *calls = (small_calls *)context;
    const int m = BLOCKS * nv;
    const double *GA = from_device, *GB = GA + m * m;
    double T[MOST_M * MOST_M], K[MOST_M * MOST_M], w[MOST_M];
    double rows[2 * MOST_VECTORS * MOST_M] = {0};
    calls->count++;
    memset(to_device, 0, sizeof *to_device * (size_t)TO_DEVICE(nv));
    for (int k = 0; k < TO_HOST(nv); k++) calls->not_finite |= !isfinite(from_device[k]);
    if (calls->not_finite) return;
    int rank = 0; /* rows of T: an orthonormal basis, without what depends on others */
    for (int i = 0; i < m; i++) {
        memset(T + rank * m, 0, sizeof *T * (size_t)m);
        T[rank * m + i] = 1;
        rank = add_row(m, rank, GB, 3e-6, T);
    }
    for (int a = 0; a < rank; a++)
        for (int b = 0; b <= a; b++)
            K[a * rank + b] = K[b * rank + a] =
                (inner(m, GA, T + a * m, T + b * m) + inner(m, GA, T + b * m, T + a * m)) / 2;
    if (rank < nv || spw_small_eigen(rank, K, w)) {
        calls->failed = true;
        return;
    }
    for (int j = 0; j < nv; j++)
        for (int a = 0; a < rank; a++)
            for (int i = 0; i < m; i++) rows[j * m + i] += K[j * rank + a] * T[a * m + i];
    const int columns = nv + directions_kept(m, nv, GB, NULL, 1e-8, rows);
    memcpy(to_device, w, sizeof *w * (size_t)nv);
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < m; i++) to_device[nv + i * 2 * nv + j] = rows[j * m + i];
    memcpy(calls->given, to_device, sizeof *to_device * (size_t)TO_DEVICE(nv));
}

/* By the library: lambda after all steps, norm before the last one. */
static void expect_steps(spw_trial *t, const void *at) {
    stepping *d = (stepping *)(uintptr_t)at;
    const int nv = d->nv;
    const int64_t n = d->A->n_rows, count = n * nv;
    double *X = spw_kit_doubles(t, 3 * count), *AX = X + count, *R = AX + count;
    d->lambda = spw_kit_doubles(t, nv);
    d->norm = spw_kit_doubles(t, nv);
    memcpy(d->lambda, spw_kit_start(t, d->to_device), sizeof *X * (size_t)nv);
    for (int steps = d->steps - 1; steps <= d->steps; steps++) {
        memcpy(X, spw_kit_start(t, d->V[X_BLOCK]), sizeof *X * (size_t)count);
        if (steps > 0) library_steps(t, d->A, true, nv, TINY, steps, X, d->lambda, NULL);
        times_A(d, X, AX);
        if (steps < d->steps) residual_block(n, nv, AX, X, d->lambda, NULL, R, d->norm);
    }
}

static void call_steps(const void *at, spw_function f) {
    const stepping *d = (const stepping *)at;
    const hybrid h = {*d->S,
                      d->nv,
                      d->blocks,
                      d->inverse,
                      {d->V[0], d->V[1], d->V[2]},
                      {d->AV[0], d->AV[1], d->AV[2]},
                      d->parts,
                      d->to_host,
                      d->to_device,
                      small,
                      d->small};
    d->small->count = 0;
    d->small->not_finite = d->small->failed = false;
    SPW_AS(iterate, f)(&h, d->steps);
}

static const spw_kit steps_kit =
    SPW_KIT_OF(of_steps, stepping, call_steps, expect_steps, .parameters = "@nv=4,blocks=8/steps=3",
               .prepare = prepare_steps,
               .facts = "n = {n_rows}, {nv} vectors, {blocks} blocks, {steps} steps");

/* --- iterate: what is right ------------------------------------------------------------------------------------ */

/* Are these the same but for rounding? */
static bool same(int64_t count, const double *a, const double *b) {
    double off = 0, size = 0;
    for (int64_t k = 0; k < count; k++) {
        off = fmax(off, !isfinite(a[k]) ? INFINITY : fabs(a[k] - b[k]));
        size = fmax(size, fabs(b[k]));
    }
    return off <= 1e-8 * size;
}

/* Is AV what A makes of V? By far most of what goes wrong is told by this. */
static bool product_fits(spw_trial *t, int b, const char *what) {
    const stepping *d = (const stepping *)spw_kit_arguments(t);
    const int64_t count = (int64_t)d->A->n_rows * d->nv;
    double *right = (double *)spw_trial_memory(t, count, sizeof *right);
    if (!right) return false;
    times_A(d, d->V[b], right);
    if (same(count, d->AV[b], right)) return true;
    return spw_trial_fail(
        t,
        "A %s is not A times %s. Nobody computes that product: [A X, A P] is\n"
        "[A X, A W, A P] U, by an update of d_AV with the same U; and A W must be the\n"
        "product with the W of this step, when the matrices are made",
        what, what);
}

/* Does to_device hold what small has made? */
static bool all_arrived(spw_trial *t, const stepping *d) {
    const int nv = d->nv;
    const double *given = d->small->given;
    if (d->steps == 0) return true;
    for (int k = nv; k < TO_DEVICE(nv); k++) {
        if (d->to_device[k] == given[k]) continue;
        return spw_trial_fail(
            t,
            "element %d of U is %.6g on the device, and small gave %.6g: all of what it\n"
            "gives goes to d_to_device, %d numbers; and the size is in bytes",
            k - nv, d->to_device[k], given[k], TO_DEVICE(nv));
    }
    if (memcmp(d->to_device, given, sizeof *given * (size_t)nv) == 0) return true;
    return spw_trial_fail(
        t,
        "lambda[0] is %.6g on the device, and small gave %.6g: lambda has to go back\n"
        "with U, since R of the next step is made with it",
        d->to_device[0], given[0]);
}

static bool called_right(spw_trial *t, const stepping *d) {
    const small_calls *s = d->small;
    if (s->count != d->steps)
        return spw_trial_fail(t, "small was called %d times in %d steps: once in each", s->count,
                              d->steps);
    if (s->not_finite)
        return spw_trial_fail(t, "what small was given is not finite: was it copied before?");
    if (s->failed)
        return spw_trial_fail(
            t, "what small was given is no GA and GB of [X W P]: X would depend on itself");
    return all_arrived(t, d) && product_fits(t, X_BLOCK, "X") && product_fits(t, P_BLOCK, "P");
}

static void claim_steps(spw_trial *t) {
    const stepping *d = (const stepping *)spw_kit_arguments(t);
    const int nv = d->nv;
    const int64_t n = d->A->n_rows;
    const double *X = d->V[X_BLOCK], *P = d->V[P_BLOCK], *norm = d->to_host + 18 * nv * nv;
    if (!called_right(t, d)) return;
    if (!same(nv, d->to_device, d->lambda)) {
        spw_trial_fail(t, "lambda[0] is %.12g after %d steps, expected %.12g%s", d->to_device[0],
                       d->steps, d->lambda[0],
                       dot(n * nv, 1, P, P) == 0
                           ? ".\nP is 0 in every step: it is the second half of [X P] U, and the\n"
                             "next step needs it"
                           : "");
        return;
    }
    const apart worst = off_orthonormal(n, nv, nv, X);
    if (!(worst.by < 1e-8))
        spw_trial_fail(t, "vectors %d and %d of X are not orthonormal: off by %.1e", worst.k,
                       worst.j, worst.by);
    else if (d->steps > 0 && !same(nv, norm, d->norm))
        spw_trial_fail(t,
                       "lambda is right, but norm[0] in to_host is %.6g, expected %.6g: d_norm\n"
                       "of directions is the end of d_to_host, behind GA and GB",
                       norm[0], d->norm[0]);
}

/* --- the declaration -------------------------------------------------------------------------------------------- */

static const char *const step_cases[] = {"laplace2d:20x10@1,3/1", "laplace2d:3x3@1,1/1",
                                         "laplace2d:7x5@3,2/3",   "laplace2d:8x8@2,3/0",
                                         "laplace3d:4x4x4@4,3/4", NULL};

#define AGAIN "the squares belong into the pass that has R: nothing is read again"
static const char neighbours[] =
    "neighbouring threads must have neighbouring elements of a row: x of a thread is the vector";
static const char tile_first[] =
    "each element of a row is needed 2 nv times: bring the rows to shared memory first, once";

static const spw_sector_bound directions_bounds[] = {
    SPW_A_REQUEST("X", LOADS, 8.5, neighbours),
    SPW_A_REQUEST("W", STORES, 8.5, neighbours),
    SPW_AT_MOST("X", LOADS, 1.1, AGAIN),
    SPW_AT_MOST("AX", LOADS, 1.1, AGAIN),
    SPW_AT_MOST("W", LOADS, 0.01,
                "W is only stored: what becomes of an element of R happens in its one pass"),
    SPW_AT_MOST("parts", STORES, 1.1,
                "a block leaves nv sums: its threads' squares are added up in shared memory"),
    {0}};
static const spw_sector_bound update_bounds[] = {
    SPW_AT_MOST("X", LOADS, 1.1, tile_first),
    SPW_AT_MOST("W", LOADS, 1.1, tile_first),
    SPW_AT_MOST("P", LOADS, 1.1, tile_first),
    SPW_A_REQUEST("X", LOADS, 8.5, neighbours),
    SPW_A_BLOCK(
        "U", LOADS, 48,
        "a block needs all of U, and needs it once, for all of its tiles: 1536 numbers, for\n"
        "8 warps six requests each, into shared memory"),
    {0}};

/* Timed on a GPU: 0.6 GB. */
static const spw_part parts[] = {
    SPW_DEVICE_PART("directions", tall_cases, directions_kit, directions_bounds,
                    .model = "directions_cost", .traffic = "2000@16,8", .speed = "1600000@16",
                    .target = 0.7),
    SPW_DEVICE_PART("update", tall_cases, update_kit, update_bounds, .model = "update_cost",
                    .traffic = "600@16,4", .speed = "1000000@16", .target = 0.3,
                    .stretch = {.label = "library's best", .call = library_update}),
    SPW_PART("iterate", step_cases, steps_kit, .claim = claim_steps, .on_device = true),
};

SPW_DRIVER(parts, .gpu = true)

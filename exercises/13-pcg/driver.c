/* Exercise 13: cases, true costs and explanations for conjugate gradients with a preconditioner, Jacobi's and
 * block-Jacobi's. */
#include "pcg.h"

#include "kernels/blas1.h"
#include "kernels/fused.h"
#include "kernels/spmv.h"
#include "kernels/spmv_with_dots.h"
#include "kit/krylov.h"
#include "kit/one_pass.h"
#include "kit/preconditioners.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CALL_ITERATIONS = 8 };

/* Arguments of the preconditioners. */
typedef struct problem {
    int64_t n;
    int k; /* rows of a block */
    const spw_csr *A;
    const double *inverse, *r;
    double *z, *inverse_out;
    spw_idx *returned;
} problem;

/* --- invert_diagonal ---------------------------------------------------------------------------------------------- */

static const spw_argument inverting[] = {SPW_MATRIX(problem, A, &spw_kit_csr, spw_plain_system, ),
                                         SPW_NUMBER(problem, returned, "the returned row"),
                                         SPW_OUTPUT(problem, inverse_out, "n", .noun = "row"),
                                         {0}};

static void expect_invert(spw_trial *t, const void *at) {
    const problem *p = (const problem *)at;
    double *right = spw_kit_doubles(t, p->A->n_rows);
    spw_idx bad = -1;
    for (spw_idx i = 0; i < p->A->n_rows && bad < 0; i++) {
        const double *a_ii = spw_plain_diagonal(p->A, i);
        if (!a_ii || *a_ii <= 0) bad = i;
        right[i] = a_ii ? 1 / *a_ii : 0;
    }
    spw_kit_expect_index(t, p->returned, bad);
    if (bad < 0) {
        spw_kit_expect_near(t, p->inverse_out, p->A->n_rows, right, 1e-15);
        spw_kit_index_mistake(t, p->returned, p->A->n_rows,
                              "all rows have a diagonal: that is told by -1");
    }
}

SPW_RESULT(call_invert, invert_diagonal, const problem *p, *p->returned, p->A, p->inverse_out)
static const spw_kit invert_kit =
    SPW_KIT_OF(inverting, problem, call_invert, expect_invert, .facts = "n = {n}, nz {nz}");

/* --- jacobi ----------------------------------------------------------------------------------------------------------- */

static const spw_argument scaling[] = {SPW_VALUES(problem, n),
                                       SPW_EACH(SPW_RANDOM, problem, "n", inverse, r),
                                       SPW_OUTPUT(problem, z, "n"),
                                       {0}};

static void expect_jacobi(spw_trial *t, const void *at) {
    const problem *p = (const problem *)at;
    const int64_t n = p->n;
    double *right = spw_kit_doubles(t, n), *over = spw_kit_doubles(t, n),
           *squared = spw_kit_doubles(t, n);
    for (int64_t i = 0; i < n; i++) {
        right[i] = p->inverse[i] * p->r[i];
        over[i] = p->r[i] / p->inverse[i];
        squared[i] = right[i] * p->inverse[i];
    }
    spw_kit_expect_near(t, p->z, n, right, 4 * DBL_EPSILON);
    spw_trial_mistake(t, p->z, over, "this is r / inverse: inverse[i] is 1 / a_ii already");
    spw_trial_mistake(t, p->z, p->r, "this is r: inverse[i] is missing");
    spw_trial_mistake(t, p->z, squared, "inverse was applied twice");
}

SPW_CALL(call_jacobi, jacobi, const problem *p, p->n, p->inverse, p->r, p->z)
SPW_PREDICT(predict_jacobi, jacobi_cost, const problem *p, (double)p->n)

static const spw_slip jacobi_slips[] = {
    {"load -8 n", "the write-allocate of z is missing: 8 n bytes are read because z is written"},
    {"load -8 n; store -8 n", "z has to be stored too, and its write-allocate loaded"},
    {"load -16 n", "two vectors are read, r and inverse, and z for its write-allocate"},
    {"store -8 n", "z is stored: 8 n"},
    {0}};

static const spw_kit jacobi_kit = SPW_KIT_OF(
    scaling, problem, call_jacobi, expect_jacobi, .facts = "n = {n}", .predict = predict_jacobi,
    .cost = "load 24 n; store 8 n; flop n", .slips = jacobi_slips, .shared = "#");

/* --- block_jacobi ------------------------------------------------------------------------------------------------------ */

static const spw_argument scaling_blocks[] = {SPW_VALUES(problem, n, k),
                                              SPW_RANDOM(problem, inverse, "k n"),
                                              SPW_RANDOM(problem, r, "n"),
                                              SPW_OUTPUT(problem, z, "n", .noun = "row"),
                                              {0}};

static void expect_block(spw_trial *t, const void *at) {
    const problem *p = (const problem *)at;
    spw_plain_expect_blocks(t, p->z, p->n, p->k, p->inverse, p->r);
}

SPW_CALL(call_block, block_jacobi, const problem *p, p->n, p->k, p->inverse, p->r, p->z)
SPW_PREDICT(predict_block, block_jacobi_cost, const problem *p, (double)p->n, p->k)

static const spw_slip block_slips[] = {
    {"load -8 n", "the write-allocate of z is missing: 8 n bytes are read because z is written"},
    {"flop -k n", "each entry of a block costs a multiplication and an addition: 2 block n flop"},
    {"load 8 k n - 8 n", "r is counted once an entry: what must be loaded is each r[j] once"},
    {"load 8 n - 8 k n", "each row of a block has block entries: 8 block n bytes"},
    {"load 4 k n", "the blocks are dense: no column is stored beside an entry"},
    {0}};

static const spw_kit block_kit = SPW_KIT_OF(
    scaling_blocks, problem, call_block, expect_block, .parameters = "/k=0",
    .facts = "n = {n}, blocks of {k}", .predict = predict_block, .asked = "block = {k}",
    .cost = "load 8 k n + 16 n; store 8 n; flop 2 k n", .slips = block_slips, .shared = "#/1");

/* --- pcg: systems, and the method in plain serial loops ---------------------------------------------------------------- */

typedef enum own_kind { M_JACOBI, M_SGS, M_ONE, M_NEGATIVE, M_SWAP } own_kind;

/* clang-format off */
static const spw_krylov_case systems[] = {
    {"one-step", "laplace2d:3x2", 0, SPW_B_RANDOM, SPW_X_0, 0, 1, M_SGS},
    {"two-steps", "laplace2d:4x3", 0, SPW_B_RANDOM, SPW_X_0, 0, 2, M_SGS},
    {"three-steps", "laplace2d:9x7@s", 0, SPW_B_RANDOM, SPW_X_RANDOM, 0, 3, M_SGS},
    {"no-steps", "laplace2d:5x4", 0, SPW_B_RANDOM, SPW_X_RANDOM, 0, 0, M_SGS},
    {"one-by-one", "tridiag:1", 0, SPW_B_RANDOM, SPW_X_0, 1e-8, 10, M_JACOBI},
    {"last-step", "tridiag:1", 0, SPW_B_RANDOM, SPW_X_0, 1e-8, 1, M_JACOBI},  /* converges in it */
    {"zero", "laplace2d:5x4", 0, SPW_B_ZERO, SPW_X_0, 1e-8, 10, M_SGS},
    {"solved", "laplace2d:5x4", 0, SPW_B_OF_ONES, SPW_X_ONES, 1e-8, 10, M_SGS},  /* r is 0 to the bit */
    {"zero-p.q", "swap", 0, SPW_B_FIRST, SPW_X_0, 1e-8, 10, M_ONE},  /* p.q is 0 at once */
    {"zero-r.z", "laplace2d:2x1", 0, SPW_B_FIRST, SPW_X_0, 1e-8, 10, M_SWAP},  /* z = (0, 1): r.z is 0 */
    {"scaled", "laplace2d:30x29@s", 0, SPW_B_RANDOM, SPW_X_0, 1e-8, 500, M_JACOBI},
    {"sgs", "laplace2d:30x29@s", 0, SPW_B_RANDOM, SPW_X_0, 1e-8, 500, M_SGS},
    {"small-b", "laplace2d:30x29", 0, SPW_B_SMALL, SPW_X_0, 1e-8, 500, M_SGS},
    {"tiny-b", "laplace2d:30x29", 0, SPW_B_TINY, SPW_X_0, 1e-8, 500, M_SGS},  /* r.z and p.q are below 1e-36 from the start */
    {"far-guess", "laplace2d:30x29", 0, SPW_B_RANDOM, SPW_X_FAR, 1e-8, 500, M_SGS},
    {"too-few", "laplace2d:30x29", 0, SPW_B_RANDOM, SPW_X_0, 1e-8, 10, M_SGS},
    {"not-spd", "laplace2d:12x11", 1, SPW_B_RANDOM, SPW_X_0, 1e-8, 500, M_ONE},  /* A - I is indefinite */
    {"negative-precond", "laplace2d:5x4", 0, SPW_B_RANDOM, SPW_X_0, 1e-8, 500, M_NEGATIVE},
    {0}};
/* clang-format on */

/* A preconditioner of the driver's, serial, which counts how often it is asked. */
typedef struct own_precond {
    own_kind kind;
    const spw_csr *A;
    const double *inverse;
    int calls;
    __typeof__(jacobi) *jacobi; /* the answer's, where it is timed */
} own_precond;

typedef struct solving_system {
    spw_krylov k;
    pcg_room room;
    own_precond *M;
    const preconditioner *given;
} solving_system;

static void apply_sgs(const own_precond *M, const double *r, double *z) {
    const spw_csr *A = M->A;
    for (spw_idx i = 0; i < A->n_rows; i++) {
        z[i] = r[i];
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            if (A->col_idx[k] < i) z[i] -= A->val[k] * z[A->col_idx[k]];
        z[i] *= M->inverse[i];
    }
    for (spw_idx i = A->n_rows; i-- > 0;)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            if (A->col_idx[k] > i) z[i] -= M->inverse[i] * A->val[k] * z[A->col_idx[k]];
}

static void apply_own(const void *context, const double *r, double *z) {
    /* counts, though it is given as const: to the answer it is */
    own_precond *M = (own_precond *)(uintptr_t)context;
    M->calls++;
    if (M->jacobi) {
        M->jacobi(M->A->n_rows, M->inverse, r, z);
    } else if (M->kind == M_SGS) {
        apply_sgs(M, r, z);
    } else {
        for (spw_idx i = 0; i < M->A->n_rows; i++)
            z[i] = M->kind == M_JACOBI ? M->inverse[i] * r[i]
                   : M->kind == M_SWAP ? r[M->A->n_rows - 1 - i]
                   : M->kind == M_ONE  ? r[i]
                                       : -r[i];
    }
}

static void precondition(const spw_krylov *k, const double *r, double *z) {
    apply_own(((const solving_system *)k)->M, r, z);
}

/* --- pcg: is it a solution? ------------------------------------------------------------------------------------------------ */

static const spw_krylov_test tests[] = {
    {SPW_NORM_Z, false, SPW_LIMIT_B,
     "That is where ||z|| falls below tolerance * ||b||: the test is on r. z = M^-1 r is as\n"
     "large as M makes it"},
    {SPW_NORM_R_Z, false, SPW_LIMIT_B,
     "That is where the square root of r.z falls below tolerance * ||b||: the test is on r.r. r.z\n"
     "is as large as M makes it"},
    {SPW_NORM_R_Z, true, SPW_LIMIT_B,
     "That is where r.z falls below tolerance * ||b||: test ||r||, the square root of r.r"},
    {SPW_NORM_R_Z, false, SPW_LIMIT_FIRST,
     "That is where the square root of r.z falls below tolerance times the first one: the test is\n"
     "||r|| <= tolerance * ||b||"},
    {0}};

static const char *residual_is(const spw_krylov *k, double said, double truth) {
    (void)truth;
    const int i = (int)k->got[1];
    if (i >= k->n_history) return NULL;
    if (fabs(said - k->norm[SPW_NORM_R_Z][i]) <= 1e-3 * said)
        return "This is the square root of r.z: residual is ||r||, without M";
    if (fabs(said - k->norm[SPW_NORM_Z][i]) <= 1e-3 * said)
        return "This is ||z||: residual is ||r||, without M";
    return NULL;
}

static const char *const stops[] = {"PCG_CONVERGED", "PCG_ITERATIONS", "PCG_NOT_SPD", "PCG_PRECOND",
                                    NULL};
static const char *const breakdowns[] = {
    SPW_CG_NOT_SPD, "M is not positive definite: r.z is 0 or below at once, before any step"};

static const spw_krylov_method method = {
    .cases = systems,
    .matrix = spw_plain_matrix,
    .timed_steps = CALL_ITERATIONS,
    .timed_by = ", jacobi",
    .digits = 1e-10,
    SPW_KRYLOV_CG,
    .precondition = precondition,
    .stops = stops,
    .breakdowns = breakdowns,
    .false_alarm = "A and M are positive definite. r.z and p.q are 0 where r is: ask for\n"
                   "convergence first. Or is one compared with another number than 0? Where b is\n"
                   "small they are small",
    .divided = "Ask before it: has it converged? is r.z > 0? is p.q > 0?",
    .too_many =
        "Right steps, but too many of them: is beta the new r.z over the old one, p made of\n"
        "z, and the test ||r|| <= tolerance * ||b||?",
    .tests = tests,
    .residual_is = residual_is};

static void prepare_pcg(spw_trial *t, const char *name, void *at) {
    solving_system *s = (solving_system *)at;
    spw_krylov_prepare(t, name, &method, &s->k);
    double *inverse = (double *)spw_kit_need(t, spw_trial_input(t, "inverse", SPW_DOUBLE, s->k.n));
    spw_plain_invert(s->k.A, inverse);
    s->M = (own_precond *)spw_kit_need(t, spw_trial_memory(t, 1, sizeof *s->M));
    *s->M = (own_precond){.kind = s->k.system ? (own_kind)s->k.system->kind : M_JACOBI,
                          .A = s->k.A,
                          .inverse = inverse};
    spw_trial_result(t, &s->M->calls, sizeof s->M->calls);
    const preconditioner M = {apply_own, s->M};
    s->given = (const preconditioner *)spw_kit_need(t, spw_trial_struct(t, "M", &M, sizeof M));
}

static void call_pcg(spw_trial *t, spw_function f) {
    const solving_system *s = (const solving_system *)spw_kit_arguments(t);
    s->M->calls = 0;
    s->M->jacobi = s->k.system ? NULL : SPW_AS(jacobi, spw_trial_symbol(t, "jacobi"));
    const pcg_result got =
        SPW_AS(pcg, f)(s->k.A, s->given, s->k.b, s->k.x, s->k.tolerance, s->k.most, &s->room);
    spw_krylov_returned(&s->k, (int)got.stop, got.iterations, got.residual);
}

static void check_pcg(spw_trial *t) {
    const solving_system *s = (const solving_system *)spw_kit_arguments(t);
    const int iterations = (int)s->k.got[1];
    spw_krylov_claim(t);
    if (s->M->calls > iterations + 1)
        spw_trial_fail(
            t,
            "M was applied %d times in %d iterations: once an iteration, and once more at\n"
            "the most. It is what costs",
            s->M->calls, iterations);
}

/* --- pcg: its model, and what is timed beside it --------------------------------------------------------------------------- */

SPW_PREDICT(predict_step, step_cost, const spw_krylov *k, k->A->n_rows, k->A->nnz)

static const spw_slip step_slips[] = {
    {"load -16 n; flop -2 n",
     "r.z is missing: it reads r and z, 16 n bytes. Or is it p = z + beta p?"},
    {"load -16 n", "r.z reads r and z: 16 n bytes, which CG does not have"},
    {"load -8 n", "the write-allocate of q is missing: 8 n bytes are read because q is written"},
    {"load -4 n", "row_ptr is missing: 4 n bytes"},
    {"load 8 n", "r.r reads nothing: r[i] has just been computed"},
    {"load 16 n", "p.q reads nothing: row i has p[i] and q[i] at hand"},
    {"load 24 n",
     "p.q and r.r read nothing: their elements are at hand; or, x, r and p have no write-allocate"},
    {"load 24 n; store 8 n; flop n", "z = M^-1 r is counted apart, by jacobi_cost"},
    {"flop -2 n", "2 n flop are missing: p.q, x, r, r.r, r.z and p take 2 n each"},
    {"flop -nz", "each entry costs a multiplication and an addition: 2 flop"},
    {0}};

static const spw_argument iterating[] = {SPW_EACH(SPW_ROOM_OF, solving_system, "n", p, q, r, z),
                                         {0}};

/* once: q = A x, r = b - q, b.b and r.r, and Jacobi in each of the CALL_ITERATIONS steps that are timed. */
static const spw_kit pcg_kit = SPW_KIT_WITH(
    iterating, solving_system, .prepare = prepare_pcg, .expect = spw_krylov_expect,
    .predict = predict_step, .cost = "load 12 nz + 84 n; store 32 n; flop 2 nz + 12 n",
    .repeats = "steps",
    .once = "load 12 nz + 60 n + 8 (24 n); store 16 n + 8 (8 n); flop 2 nz + 7 n + 8 n",
    .as_right = "4", /* row_ptr has n + 1 entries */
    .slips = step_slips);

#define BY_LIBRARY(merged_)                                                                        \
    spw_krylov_cg(&s->k, s->M->inverse, merged_, s->room.p, s->room.q, s->room.r, s->room.z)
SPW_RIVAL(plain, const solving_system *s, BY_LIBRARY(false))
SPW_RIVAL(merged, const solving_system *s, BY_LIBRARY(true))

/* --- the declaration ---------------------------------------------------------------------------------------------------------- */

static const char *const diagonals[] = {"one-by-one", "laplace2d:7x5@s", "missing", "zero",
                                        "negative",   "stencil27:5@s",   NULL};
static const char *const lengths[] = {"1", "0", "2", "7", "64", "1009", "100003", NULL};
static const char *const blocks[] = {"1/1", "0/4", "7/3", "5/8", "1009/5", "1003/32", "64/4", NULL};

SPW_KRYLOV_NAMES(system_names, systems);

static const spw_part parts[] = {
    SPW_PART("invert_diagonal", diagonals, invert_kit, ),
    SPW_PART("jacobi", lengths, jacobi_kit, .model = "jacobi_cost"),
    {.function = "jacobi", SPW_SHARED(&jacobi_kit)},
    SPW_PART("block_jacobi", blocks, block_kit, .model = "block_jacobi_cost"),
    {.function = "block_jacobi", SPW_SHARED(&block_kit)},
    SPW_PART_CALLED(
        "pcg", system_names, pcg_kit, call_pcg, .model = "step_cost", .claim = check_pcg,
        .speed = "stencil27:64", .traffic = "stencil27:40", .takes_matrix = true, .target = 0.75,
        .baseline = {"a loop a line", .call = plain}, .stretch = {"library", .call = merged}),
};

SPW_KRYLOV_DRIVER(parts, systems, system_names)

/* Exercise 15: cases, true costs and explanations for Neumann's and Chebyshev's polynomials. */
#include "driver.h"

#include "kit/one_pass.h"
#include "kit/preconditioners.h"

/* A part's arguments. */
typedef struct problem {
    double n, nz;         /* of A */
    int k;                /* the degree */
    const spw_csr *A, *N; /* N: a triangle without its diagonal */
    const double *inverse, *r, *b;
    double *z, *x, *work;
    chebyshev_room room;
} problem;

static const double low = 0.05, high = 2.1;

#define SYSTEM(kind_)                                                                              \
    kind_, SPW_VALUES(problem, n, nz, k),                                                          \
        SPW_FILLED(problem, inverse, "n", .fill = spw_plain_fill_inverse)

SPW_PREDICT(predict, neumann_cost, const problem *p, p->n, p->nz, p->k)

/* --- neumann ---------------------------------------------------------------------------------------------------------- */

static const spw_argument solving[] = {
    SYSTEM(SPW_HIDDEN(problem, A, &spw_kit_csr, spw_plain_system)),
    SPW_MATRIX(problem, N, &spw_kit_csr, spw_plain_half, ),
    SPW_RANDOM(problem, b, "n"),
    SPW_OUTPUT(problem, x, "n", .noun = "row"),
    SPW_ROOM(problem, work, "n"),
    {0}};

SPW_NEAR(expect_neumann, const problem *p, p->x, p->N->n_rows, 1e-13,
         spw_plain_neumann(p->N, p->inverse, p->k, p->b, right, spw_kit_doubles(t, p->N->n_rows)))
SPW_CALL(call_neumann, neumann, const problem *p, p->N, p->inverse, p->k, p->b, p->x, p->work)

static const char beside[] =
    "the diagonal is not among the entries: both triangles together have nz - n of them";

static const spw_slip neumann_slips[] = {
    {"load -16 k n - 16 n",
     "the write-allocate is missing: each pass writes a vector that it has not read"},
    {"load -24 n", "the first x is computed for both triangles: 24 n for each"},
    {"load -16 k n", "each pass reads b and the x before: 16 n for each triangle"},
    {"load -8 k n", "row_ptr is missing: 4 n bytes for each triangle and pass"},
    {"load -48 n; store -16 n; flop -2 n",
     "the first term is missing: x = D^-1 b, for each triangle"},
    {"load -24 n - k (6 nz + 30 n); store -8 n - 8 k n; flop -n - k nz",
     "this is one triangle: two calls are counted, one for each"},
    {"store -16 k n", "each pass stores an x, 8 n for each triangle"},
    {"flop -2 k n", "each pass multiplies by inverse: n flop for each triangle"},
    {"load 12 k n; flop 2 k n", beside},
    {"load 12 k n", beside},
    {"= load 48 n + (k - 1) (12 nz + 60 n)",
     "this is one degree short: the first pass takes no product"},
    {"= load 48 n + (k + 1) (12 nz + 60 n)",
     "this is one degree too many: the first pass takes no product"},
    {0}};

/* Of both triangles, k passes each. as_right: row_ptr has n + 1 entries. */
static const spw_kit neumann_kit =
    SPW_KIT_OF(solving, problem, call_neumann, expect_neumann, .units = "n; nz",
               .facts = "n = {n}, degree {k}", .predict = predict, .asked = "degree {k}",
               .cost = "load 48 n + k (12 nz + 60 n); store 16 n + 16 k n; flop 2 n + 2 k nz",
               .as_right = "8 k", .slips = neumann_slips, .shared = "fours:#/lower/2");

/* --- chebyshev -------------------------------------------------------------------------------------------------------- */

static const spw_argument stepping[] = {
    SYSTEM(SPW_MATRIX(problem, A, &spw_kit_csr, spw_plain_system, )),
    SPW_RANDOM(problem, r, "n"),
    SPW_OUTPUT(problem, z, "n", .noun = "row"),
    SPW_EACH(SPW_ROOM_OF, problem, "n", residual, step, product),
    SPW_ROOM(problem, work, "3 n", ), /* of the driver's own loops */
    {0}};

SPW_NEAR(expect_chebyshev, const problem *p, p->z, p->A->n_rows, 1e-12,
         spw_plain_chebyshev(p->A, p->inverse, low, high, p->k, p->r, right,
                             spw_kit_doubles(t, 3 * (int64_t)p->A->n_rows)))
SPW_CALL(call_chebyshev, chebyshev, const problem *p, p->A, p->inverse, low, high, p->k, p->r, p->z,
         &p->room)
SPW_RIVAL(one_thread, const problem *p,
          spw_plain_chebyshev(p->A, p->inverse, low, high, p->k, p->r, p->z, p->work))

static const spw_slip chebyshev_slips[] = {
    {"load -8 k n", "the write-allocate of the product is missing: 8 n bytes for each degree"},
    {"load -8 k n - 24 n",
     "write-allocate is missing: residual, step and z in the first pass, the product in each"},
    {"load 24 k n", "the update has read residual, step and z: no write-allocate comes on top"},
    {"store -24 k n", "the update stores three vectors: residual, step and z"},
    {"load -24 n", "write-allocate is missing in the first pass: residual, step and z"},
    {"load -8 k n; flop -k n", "inverse is read in each pass, too: 8 n"},
    {"load -4 k n", "row_ptr is missing: 4 n bytes for each degree"},
    {"store -8 k n", "four vectors are stored for each degree: product, residual, step and z"},
    {"load -40 n; store -24 n; flop -2 n",
     "the first step is missing: it takes no product, but r, inverse and three vectors"},
    {"flop -k n", "6 n flop for each degree: residual 1, step 4, z 1"},
    {"= load 40 n + (k - 1) (12 nz + 60 n)",
     "this is one degree short: the first pass takes no product"},
    {"= load 40 n + (k + 1) (12 nz + 60 n)",
     "this is one degree too many: the first pass takes no product"},
    {0}};

/* as_right: row_ptr has n + 1 entries. */
static const spw_kit chebyshev_kit = SPW_KIT_OF(
    stepping, problem, call_chebyshev, expect_chebyshev, .units = "n; nz",
    .facts = "n = {n}, degree {k}, eigenvalues 0.05 to 2.1", .predict = predict,
    .asked = "degree {k}",
    .cost = "load 40 n + k (12 nz + 60 n); store 24 n + 32 k n; flop 2 n + k (2 nz + 6 n)",
    .as_right = "4 k", .slips = chebyshev_slips, .shared = "fours:#/2");

/* --- the declaration -------------------------------------------------------------------------------------------------- */

/* clang-format off */
static const char *const degrees[] = {
    "laplace2d:3x3@s/lower/1", "laplace2d:9x7@s/upper/2", "laplace2d:9x7@s/lower/0", "one-by-one/0",
    "stencil27:6@s/lower/3", "fem1:6@s/upper/4", NULL};
static const char *const polynomials[] = {
    "one-by-one/0", "laplace2d:3x3@s/1", "laplace2d:9x7@s/2", "laplace2d:9x7@s/0", "stencil27:6@s/3", "fem1:7@s/8", NULL};
/* clang-format on */

static const spw_part parts[] = {
    SPW_PART("neumann", degrees, neumann_kit, .model = "neumann_cost"),
    {.function = "neumann", SPW_SHARED(&neumann_kit)},
    SPW_PART("chebyshev", polynomials, chebyshev_kit, .model = "chebyshev_cost",
             .speed = "stencil27:64/4", .target = 0.7,
             .baseline = {"plain loops, one thread", .call = one_thread}),
    {.function = "chebyshev", SPW_SHARED(&chebyshev_kit)},
};

SPW_DRIVER(parts, .closing = compare_all)

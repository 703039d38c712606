/* Exercise 4: cases, true cost and bounds on the traffic for y = a x + b y and x . y on a GPU. */
#include "gpu_first.h"

#include "judge/explain.h"
#include "kernels/costs.h"
#include "kernels/cuda.h"
#include "kit/device_systems.h"
#include "kit/kit.h"
#include "kit/systems.h"

#include <stdlib.h>
#include <string.h>

typedef struct problem {
    int64_t n;
    const double *x, *in; /* in: y of dot */
    double *y, *result;
} problem;

/* Exact in double. */
#define A 2.5
#define B (-0.25)

/* Block of the file as shipped: mistakes at its edges can be told. */
enum { WARP = 32, BLOCK = 256 };

SPW_PREDICT(predict, axpby_cost, const problem *p, p->n)

/* --- axpby ------------------------------------------------------------------------------------ */

static const spw_argument of_axpby[] = {
    SPW_VALUES(problem, n), SPW_RANDOM(problem, x, "n"), SPW_START(problem, y, "n", ), {0}};

/* by_x x + by_y y: what y must hold, and what it holds after a mistake. */
static const spw_combination combinations[] = {
    {{A, B}, NULL},
    {{0, 1},
     "y is what it was before: no thread wrote it. Was the kernel launched, with\n"
     "enough blocks? Are its loop and its body right?"},
    {{A, 0}, "these are a x: the old y was left out"},
    {{0, B}, "these are b y: x was left out"},
    {{1, B}, "these are x + b y: a was left out"},
    {{A, 1}, "these are a x + y: b was left out"},
    {{B, A}, "these are b x + a y: a and b have changed places"},
    {{A + B * A, 0.0625 /* B B */}, "each entry was updated twice: two threads have the same i"},
};

static void expect_axpby(spw_trial *t, const void *at) {
    const problem *p = (const problem *)at;
    const double *y = spw_kit_start(t, p->y);
    const double *right =
        spw_kit_expect_combination(t, p->y, p->n, (const double *[3]){p->x, y}, combinations,
                                   sizeof combinations / sizeof combinations[0]);
    if (p->n > SPW_KIT_LARGE || p->n == 0) return;
    double *whole_blocks_only = spw_kit_doubles(t, p->n);
    for (int64_t i = 0; i < p->n; i++)
        whole_blocks_only[i] = i < p->n - p->n % BLOCK ? right[i] : y[i];
    spw_trial_mistake(t, p->y, whole_blocks_only,
                      "the last n mod 256 entries are as before: the last block is not full, but\n"
                      "has work to do. Round the number of blocks up, not down");
}

SPW_CALL(call_axpby, axpby, const problem *p, p->n, A, p->x, B, p->y)
SPW_LIBRARY(library_axpby, const problem *p, spw_axpby_cuda(p->n, A, p->x, B, p->y))

static const spw_slip axpby_slips[] = {
    {"load -8 n", "y is on the right side, too: it is loaded before it is stored"},
    {"store 8 n", "there is no write-allocate on a GPU, and a store moves 8 bytes"},
    {"load 8 n", "two arrays are loaded, 8 bytes each. A GPU has no write-allocate read"},
    {"= store 0", "y is written, too: 8 bytes an element"},
    {"load -8 n; store -4 n", "a double has 8 bytes"},
    {"load -14 n; store -7 n", "these are entries: a double has 8 bytes"},
    {"flop -n", "two multiplications and an addition: 3 flops. A fused operation counts as 2"},
    {0}};

static const spw_kit axpby_kit =
    SPW_KIT_OF(of_axpby, problem, call_axpby, expect_axpby, .facts = "n = {n}", .predict = predict,
               .cost = SPW_COST_AXPBY, .slips = axpby_slips);

/* --- dot -------------------------------------------------------------------------------------- */

static const spw_argument of_dot[] = {SPW_VALUES(problem, n),
                                      SPW_RANDOM(problem, x, "n"),
                                      SPW_INPUT_AS("y", problem, in, "n"),
                                      SPW_NUMBER(problem, result, "result"),
                                      {0}};

/* What of the products x[i] y[i] was added up, where not all of them were. */
static bool whole_warps(int64_t i, int64_t n) {
    return i < n - n % WARP;
}

static bool whole_blocks(int64_t i, int64_t n) {
    return i < n - n % BLOCK;
}

static bool first_block(int64_t i, int64_t n) {
    (void)n;
    return i < BLOCK;
}

static const spw_taken_mistake dot_mistakes[] = {
    {spw_taken_none,
     "it is 0: nothing was added to it, or only zeros, or it was set to 0 after the\n"
     "launch. Does each shuffle add, +=? Does the kernel get n, not n / BLOCK?"},
    {whole_blocks, "the last n mod 256 products are missing: the last block is not full, but has\n"
                   "work to do, and adds its sum, as every block does"},
    {whole_warps, "the last n mod 32 products are missing: the last warp is not full, but has\n"
                  "work to do"},
    {first_block, "these are the products of one block: do the blocks overwrite each other's\n"
                  "sums?"},
    {spw_taken_warp_0,
     "these are the products of the first warp of each block of 256: the sums of\n"
     "the other warps have to reach the thread that calls atomicAdd"},
    {spw_taken_lane_0,
     "these are the products of lane 0 of each warp, or of thread 0 alone: are the\n"
     "other lanes added up, by shuffles, and is the number of a thread\n"
     "blockIdx.x * blockDim.x + threadIdx.x?"},
    {0}};

static void expect_dot(spw_trial *t, const void *at) {
    const problem *p = (const problem *)at;
    spw_kit_expect_sum(t, p->result, p->n, p->x, p->in);
    spw_trial_taken_mistakes(t, p->result, p->n, p->x, p->in, p->n, dot_mistakes);
    if (p->n > SPW_KIT_LARGE || p->n == 0) return;
    const double sum = spw_taken_sum(p->n, p->x, p->in, NULL, p->n);
    spw_trial_number_mistake(
        t, p->result, spw_poison_double(0) + sum,
        "it was added to, not overwritten: it held garbage before the launch.\n"
        "cudaMemset takes bytes, and a double has 8: sizeof(double)");
}

SPW_CALL(call_dot, dot, const problem *p, p->n, p->x, p->in, p->result)
SPW_LIBRARY(library_dot, const problem *p, spw_dot_cuda(p->n, p->x, p->in, p->result))

static const spw_slip dot_slips[] = {
    {"store -8", "the result is stored, too: 8 bytes"},
    {"load 8", "the result counts once, as a store"},
    {"load 8 n", "two arrays are loaded, 8 bytes each; nothing is loaded twice"},
    {"load -8 n", "two arrays are loaded, 8 bytes each"},
    {"store 8 n - 8", "the products stay in registers: only the result is stored"},
    {"flop -1", "right, the first product needs no addition;\n"
                "but everybody counts 2 n, and so that speeds compare, we do"},
    {"flop -n", "each element costs a multiplication and an addition: 2 flops"},
    {0}};

static const spw_kit dot_kit =
    SPW_KIT_OF(of_dot, problem, call_dot, expect_dot, .facts = "n = {n}", .predict = predict,
               .cost = SPW_COST_DOT "; store 8", .slips = dot_slips);

/* --- the declaration -------------------------------------------------------------------------- */

/* One thread; a warp that is not full; a block and one; none; more than run at the same time. */
static const char *const cases[] = {"1", "31", "257", "0", "1000", "300007", NULL};

static const char add_up_first[] =
    "all blocks queue up for this one place: add up the block's threads first, by\n"
    "shuffles and shared memory, and let one thread of the block add the sum";

static const spw_sector_bound axpby_bounds[] = {SPW_EACH_ONCE("x", SPW_LOADS),
                                                SPW_EACH_ONCE("y", SPW_LOADS),
                                                SPW_EACH_ONCE("y", SPW_STORES),
                                                {0}};

static const spw_sector_bound dot_bounds[] = {
    SPW_EACH_ONCE("x", SPW_LOADS),
    SPW_EACH_ONCE("y", SPW_LOADS),
    {.array = "result", .access = SPW_ATOMICS, .per_block = 1, .hint = add_up_first},
    {0}};

/* On a GPU 640 MB, twelve times the L2 of an H100. */
#define PART(name, kit_, bounds_, library)                                                         \
    {                                                                                              \
        .function = name, .model = name "_cost", .cases = cases, SPW_KIT(kit_), .on_device = true, \
        .bounds = bounds_, .traffic = "10000", .traffic_rounds = "10000", .speed = "40000000",     \
        .target = 0.7, .stretch = {                                                                \
            .label = "library's best",                                                             \
            .call = library                                                                        \
        }                                                                                          \
    }
static const spw_part parts[] = {
    PART("axpby", &axpby_kit, axpby_bounds, library_axpby),
    PART("dot", &dot_kit, dot_bounds, library_dot),
};

SPW_DRIVER(parts)

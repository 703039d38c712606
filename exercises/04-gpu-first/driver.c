/* Exercise 4: cases, true cost and bounds on the traffic for y = a x + b y and x . y on a GPU. */
#include "gpu_first.h"

#include "kernels/cuda.h"
#include "kit/device_systems.h"
#include "kit/models.h"
#include "judge/exercise.h"

#include <math.h>
#include <stdlib.h>

typedef void (*axpby_fn)(int64_t n, double a, const double *d_x, double b, double *d_y);
typedef void (*dot_fn)(int64_t n, const double *d_x, const double *d_y, double *d_result);
typedef spw_cost (*cost_fn)(int64_t n);

typedef struct problem {
    int64_t n;
    const double *x;
    double *y; /* of dot, too, where it is an input */
    double *result;
} problem;

/* Exact in double, so that a product with them says nothing on the order of operations. */
#define A 1.5
#define B (-0.25)

/* Block of the file as shipped: mistakes at its edges can be told. */
enum { WARP = 32, BLOCK = 256 };

/* From here on what mistakes would give is not worked out: each takes as much memory as y. */
enum { LARGE = 1000000 };

static spw_status begin(spw_trial *t, const char *name, problem **p)
{
    *p = (problem *)spw_trial_memory(t, 1, sizeof **p);
    if (!*p) return SPW_ERR_MEMORY;
    (*p)->n = strtoll(name + 2, NULL, 10);
    (*p)->x = spw_trial_random(t, "x", (*p)->n);
    spw_trial_unit(t, "n", (double)(*p)->n);
    spw_trial_say(t, "n = %lld", (long long)(*p)->n);
    return (*p)->x ? SPW_OK : SPW_ERR_MEMORY;
}

static spw_cost predict(spw_trial *t, spw_function model)
{
    return ((cost_fn)model)(((const problem *)spw_trial_data(t))->n);
}

/* --- axpby ------------------------------------------------------------------------------------ */

/* What y holds after a mistake: by_x x + by_y y. */
static const struct {
    double by_x, by_y;
    const char *text;
} axpby_mistakes[] = {
    {0, 1,
     "y is what it was before: no thread wrote it. Was the kernel launched, with\n"
     "enough blocks? Are its loop and its body right?"},
    {A, 0, "these are a x: the old y was left out"},
    {0, B, "these are b y: x was left out"},
    {1, B, "these are x + b y: a was left out"},
    {A, 1, "these are a x + y: b was left out"},
    {B, A, "these are b x + a y: a and b have changed places"},
    {A + B * A, 0.0625 /* B B */, "each entry was updated twice: two threads have the same i"},
};

static double *combined(spw_trial *t, const problem *p, const double *y, double by_x, double by_y)
{
    double *values = (double *)spw_trial_memory(t, p->n, sizeof *values);
    for (int64_t i = 0; values && i < p->n; i++) values[i] = by_x * p->x[i] + by_y * y[i];
    return values;
}

static spw_status setup_axpby(spw_trial *t, const char *name)
{
    problem *p;
    if (begin(t, name, &p)) return SPW_ERR_MEMORY;
    double *y = (double *)spw_trial_memory(t, p->n, sizeof *y);
    double *tolerance = (double *)spw_trial_memory(t, p->n, sizeof *tolerance);
    if (!y || !tolerance) return SPW_ERR_MEMORY;
    for (int64_t i = 0; i < p->n; i++) {
        y[i] = 1 + (double)(i % 1009) / 512;
        tolerance[i] = 0x1p-51 * (fabs(A * p->x[i]) + fabs(B * y[i])); /* fused or not */
    }
    p->y = (double *)spw_trial_inout(t, "y", SPW_DOUBLE, p->n, y);
    double *expected = combined(t, p, y, A, B);
    if (!p->y || !expected) return SPW_ERR_MEMORY;
    spw_trial_expect(
        t, p->y, (spw_expectation){.expected = expected, .tolerance = tolerance, .count = p->n});
    if (p->n > LARGE) return SPW_OK;
    for (size_t m = 0; m < sizeof axpby_mistakes / sizeof axpby_mistakes[0]; m++) {
        double *values = combined(t, p, y, axpby_mistakes[m].by_x, axpby_mistakes[m].by_y);
        if (!values) return SPW_ERR_MEMORY;
        spw_trial_mistake(t, p->y, values, axpby_mistakes[m].text);
    }
    double *whole_blocks_only = combined(t, p, y, A, B);
    if (!whole_blocks_only) return SPW_ERR_MEMORY;
    for (int64_t i = p->n - p->n % BLOCK; i < p->n; i++) whole_blocks_only[i] = y[i];
    spw_trial_mistake(t, p->y, whole_blocks_only,
                      "the last n mod 256 entries are as before: the last block is not full, but\n"
                      "has work to do. Round the number of blocks up, not down");
    return SPW_OK;
}

static void call_axpby(spw_trial *t, spw_function f)
{
    const problem *p = (const problem *)spw_trial_data(t);
    ((axpby_fn)f)(p->n, A, spw_device_doubles(t, p->x), B, spw_device_doubles(t, p->y));
}

static void library_axpby(spw_trial *t)
{
    const problem *p = (const problem *)spw_trial_data(t);
    spw_trial_library(
        t, spw_axpby_cuda(p->n, A, spw_device_doubles(t, p->x), B, spw_device_doubles(t, p->y)));
}

static spw_cost cost_of_axpby(const spw_trial *t)
{
    const double n = (double)((const problem *)spw_trial_data(t))->n;
    return (spw_cost){.load = 16 * n, .store = 8 * n, .flop = 3 * n};
}

/* --- dot -------------------------------------------------------------------------------------- */

/* What of the products x[i] y[i] was added up, where not all of them were. */
static bool whole_warps(int64_t i, int64_t n)
{
    return i < n - n % WARP;
}

static bool whole_blocks(int64_t i, int64_t n)
{
    return i < n - n % BLOCK;
}

static bool first_block(int64_t i, int64_t n)
{
    (void)n;
    return i < BLOCK;
}

static const struct {
    spw_share of;
    const char *text;
} dot_mistakes[] = {
    {spw_share_none, "nothing was added to the 0 that it began with"},
    {whole_blocks, "the last n mod 256 products are missing: the last block is not full, but has\n"
                   "work to do"},
    {whole_warps, "the last n mod 32 products are missing: the last warp is not full, but has\n"
                  "work to do"},
    {first_block, "these are the products of one block: do the blocks overwrite each other's\n"
                  "sums?"},
    {spw_share_warp_0,
     "these are the products of the first warp of each block of 256: the sums of\n"
     "the other warps have to reach the thread that calls atomicAdd"},
    {spw_share_lane_0,
     "these are the products of lane 0 of each warp: add up the other lanes', by\n"
     "shuffles"},
    {spw_share_thread_0,
     "these are the products of thread 0 of each block of 256: add up the other\n"
     "threads'"},
};

static spw_status setup_dot(spw_trial *t, const char *name)
{
    problem *p;
    if (begin(t, name, &p)) return SPW_ERR_MEMORY;
    p->y = spw_trial_random(t, "y", p->n);
    p->result = (double *)spw_trial_output(t, "result", SPW_DOUBLE, 1);
    double *expected = (double *)spw_trial_memory(t, 1, sizeof *expected);
    double *tolerance = (double *)spw_trial_memory(t, 1, sizeof *tolerance);
    if (!p->y || !p->result || !expected || !tolerance) return SPW_ERR_MEMORY;
    *expected = spw_share_sum(p->n, p->x, p->y, NULL, 0);
    for (int64_t i = 0; i < p->n; i++) *tolerance += fabs(p->x[i] * p->y[i]);
    *tolerance *= (double)(p->n + 1) * 0x1p-52; /* any order of the additions */
    spw_trial_expect(
        t, p->result,
        (spw_expectation){.expected = expected, .tolerance = tolerance, .count = 1, .noun = ""});
    if (p->n > LARGE) return SPW_OK;
    for (size_t m = 0; m < sizeof dot_mistakes / sizeof dot_mistakes[0]; m++) {
        double *value = (double *)spw_trial_memory(t, 1, sizeof *value);
        if (!value) return SPW_ERR_MEMORY;
        *value = spw_share_sum(p->n, p->x, p->y, dot_mistakes[m].of, p->n);
        spw_trial_mistake(t, p->result, value, dot_mistakes[m].text);
    }
    return SPW_OK;
}

static void call_dot(spw_trial *t, spw_function f)
{
    const problem *p = (const problem *)spw_trial_data(t);
    ((dot_fn)f)(p->n, spw_device_doubles(t, p->x), spw_device_doubles(t, p->y),
                spw_device_doubles(t, p->result));
}

static void library_dot(spw_trial *t)
{
    const problem *p = (const problem *)spw_trial_data(t);
    spw_trial_library(t,
                      spw_dot_cuda(p->n, spw_device_doubles(t, p->x), spw_device_doubles(t, p->y),
                                   spw_device_doubles(t, p->result)));
}

static spw_cost cost_of_dot(const spw_trial *t)
{
    const double n = (double)((const problem *)spw_trial_data(t))->n;
    return (spw_cost){.load = 16 * n, .store = 8, .flop = 2 * n};
}

/* --- wrong models ----------------------------------------------------------------------------- */

static void explain_axpby(const spw_trial *t, spw_cost got, char *text, int size)
{
    const double n = (double)((const problem *)spw_trial_data(t))->n;
    const spw_known_cost known[] = {
        {-8 * n, 0, 0, "y is on the right side, too: it is loaded before it is stored"},
        {0, 8 * n, 0, "there is no write-allocate on a GPU, and a store moves 8 bytes"},
        {8 * n, 0, 0, "two arrays are loaded, 8 bytes each. A GPU has no write-allocate read"},
        {-8 * n, -4 * n, 0, "a double has 8 bytes"},
        {0, 0, -n, "two multiplications and an addition: 3 flops. A fused operation counts as 2"},
    };
    if (!spw_known_cost_tell(known, sizeof known / sizeof known[0], got, cost_of_axpby(t), 0.5,
                             text, size))
        spw_swapped_cost_tell(got, cost_of_axpby(t), text, size);
}

static void explain_dot(const spw_trial *t, spw_cost got, char *text, int size)
{
    const double n = (double)((const problem *)spw_trial_data(t))->n;
    const spw_known_cost known[] = {
        {0, -8, 0, "the result is stored, too: 8 bytes"},
        {8 * n, 0, 0, "two arrays are loaded, 8 bytes each; nothing is loaded twice"},
        {-8 * n, 0, 0, "two arrays are loaded, 8 bytes each"},
        {0, 8 * n - 8, 0, "the products stay in registers: only the result is stored"},
        {0, 0, -1,
         "right, the first product needs no addition;\n"
         "but everybody counts 2 n, and so that speeds compare, we do"},
        {0, 0, -n, "each element costs a multiplication and an addition: 2 flops"},
    };
    if (!spw_known_cost_tell(known, sizeof known / sizeof known[0], got, cost_of_dot(t), 0.5, text,
                             size))
        spw_swapped_cost_tell(got, cost_of_dot(t), text, size);
}

/* --- the declaration -------------------------------------------------------------------------- */

/* One thread; a warp that is not full; a block and one; none; more than run at the same time. */
static const char *const cases[] = {"n=1", "n=31", "n=257", "n=0", "n=1000", "n=300007", NULL};

static const char coalesce[] =
    "neighbouring lanes must touch neighbouring doubles: 32 of them are 8 sectors\n"
    "of 32 bytes. Which i has thread 0, which has thread 1?";
static const char use_all[] =
    "each sector should be moved once: a request of one lane moves 32 bytes and\n"
    "uses 8 of them";
static const char add_up_first[] =
    "all blocks queue up for this one place: add up the block's threads first, by\n"
    "shuffles and shared memory, and let one thread of the block add the sum";

static const spw_sector_bound axpby_bounds[] = {
    {.array = "x", .access = SPW_LOADS, .per_request = 8.5, .hint = coalesce},
    {.array = "x", .access = SPW_LOADS, .times_size = 1.1, .hint = use_all},
    {.array = "y", .access = SPW_LOADS, .per_request = 8.5, .hint = coalesce},
    {.array = "y", .access = SPW_LOADS, .times_size = 1.1, .hint = use_all},
    {.array = "y", .access = SPW_STORES, .per_request = 8.5, .hint = coalesce},
    {.array = "y", .access = SPW_STORES, .times_size = 1.1, .hint = use_all},
    {0}};

static const spw_sector_bound dot_bounds[] = {
    {.array = "x", .access = SPW_LOADS, .per_request = 8.5, .hint = coalesce},
    {.array = "x", .access = SPW_LOADS, .times_size = 1.1, .hint = use_all},
    {.array = "y", .access = SPW_LOADS, .per_request = 8.5, .hint = coalesce},
    {.array = "y", .access = SPW_LOADS, .times_size = 1.1, .hint = use_all},
    {.array = "result", .access = SPW_ATOMICS, .per_block = 1, .hint = add_up_first},
    {0}};

static const char *const forbidden[] = {"spw_axpby_cuda", "spw_dot_cuda", "spw_sum_cuda", NULL};

static const spw_part parts[] = {{.function = "axpby",
                                  .model = "axpby_cost",
                                  .cases = cases,
                                  .setup = setup_axpby,
                                  .call = call_axpby,
                                  .predict = predict,
                                  .cost = cost_of_axpby,
                                  .explain_model = explain_axpby,
                                  .on_device = true,
                                  .bounds = axpby_bounds,
                                  .traffic = "n=10000",
                                  .speed = "n=40000000", /* on a GPU: 640 MB, ten times its L2 */
                                  .target = 0.7,
                                  .stretch = {"library's best", library_axpby}},
                                 {.function = "dot",
                                  .model = "dot_cost",
                                  .cases = cases,
                                  .setup = setup_dot,
                                  .call = call_dot,
                                  .predict = predict,
                                  .cost = cost_of_dot,
                                  .explain_model = explain_dot,
                                  .on_device = true,
                                  .bounds = dot_bounds,
                                  .traffic = "n=10000",
                                  .speed = "n=40000000",
                                  .target = 0.7,
                                  .stretch = {"library's best", library_dot}}};

int main(int argc, char **argv)
{
    return spw_judge(&(spw_exercise){.parts = parts, .n_parts = 2, .forbidden = forbidden}, argc,
                     argv);
}

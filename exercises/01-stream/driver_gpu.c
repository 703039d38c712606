/* Exercise 1, GPU part: cases, true costs and bounds on the traffic of triad and sum. */
#include "stream_gpu.h"

#include "kernels/cuda.h"
#include "kit/device_systems.h"
#include "kit/models.h"
#include "judge/exercise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef void (*triad_fn)(int64_t n, double s, const double *d_b, const double *d_c, double *d_a);
typedef void (*sum_fn)(int64_t n, const double *d_a, double *d_part, double *d_sum);
typedef spw_cost (*cost_fn)(int64_t n);

typedef struct loop {
    int64_t n;
    const double *b, *c; /* of triad */
    const double *in;    /* of sum */
    double *a, *part, *sum;
} loop;

/* Exact in double, so that a product with it says nothing on how it was rounded. */
#define S 2.5

/* Block of the file as shipped: mistakes at its edges can be told. */
enum { WARP = 32, BLOCK = 256 };

/* From here on what mistakes would give is not worked out: each takes as much memory as a. */
enum { LARGE = 1000000 };

static loop *begin(spw_trial *t, const char *name)
{
    loop *l = (loop *)spw_trial_memory(t, 1, sizeof *l);
    if (!l) return NULL;
    l->n = strtoll(name + 2, NULL, 10);
    spw_trial_unit(t, "n", (double)l->n);
    spw_trial_say(t, "n = %lld", (long long)l->n);
    return l;
}

static const loop *of(const spw_trial *t)
{
    return (const loop *)spw_trial_data(t);
}

static spw_cost predict(spw_trial *t, spw_function model)
{
    return ((cost_fn)model)(of(t)->n);
}

/* --- triad ------------------------------------------------------------------------------------ */

static double *combined(spw_trial *t, const loop *l, double by_b, double by_c)
{
    double *values = (double *)spw_trial_memory(t, l->n, sizeof *values);
    for (int64_t i = 0; values && i < l->n; i++) values[i] = by_b * l->b[i] + by_c * l->c[i];
    return values;
}

static const struct {
    double by_b, by_c;
    const char *text;
} triad_mistakes[] = {
    {S, 1, "these are s b + c: s belongs to c"}, {1, 1, "these are b + c: s was left out"},
    {0, S, "these are s c: b was left out"},     {1, 0, "these are b: s c was left out"},
    {1, -S, "these are b - s c: the sign"},
};

static void describe(const spw_trial *t, int64_t i, char *text, int size)
{
    const int64_t n = of(t)->n;
    if (n % BLOCK != 0 && i >= n - n % BLOCK)
        snprintf(text, (size_t)size,
                 "the last n mod 256 elements need a block, too, not a full one");
}

static spw_status setup_triad(spw_trial *t, const char *name)
{
    loop *l = begin(t, name);
    if (!l) return SPW_ERR_MEMORY;
    l->b = spw_trial_random(t, "b", l->n);
    l->c = spw_trial_random(t, "c", l->n);
    l->a = (double *)spw_trial_output(t, "a", SPW_DOUBLE, l->n);
    double *tolerance = (double *)spw_trial_memory(t, l->n, sizeof *tolerance);
    if (!l->b || !l->c || !l->a || !tolerance) return SPW_ERR_MEMORY;
    for (int64_t i = 0; i < l->n; i++)
        tolerance[i] = 0x1p-51 * (fabs(l->b[i]) + fabs(S * l->c[i])); /* fused or not */
    double *expected = combined(t, l, 1, S);
    if (!expected) return SPW_ERR_MEMORY;
    spw_trial_expect(
        t, l->a,
        (spw_expectation){
            .expected = expected, .tolerance = tolerance, .count = l->n, .describe = describe});
    if (l->n > LARGE) return SPW_OK;
    for (size_t m = 0; m < sizeof triad_mistakes / sizeof triad_mistakes[0]; m++) {
        double *values = combined(t, l, triad_mistakes[m].by_b, triad_mistakes[m].by_c);
        if (!values) return SPW_ERR_MEMORY;
        spw_trial_mistake(t, l->a, values, triad_mistakes[m].text);
    }
    return SPW_OK;
}

static void call_triad(spw_trial *t, spw_function f)
{
    const loop *l = of(t);
    ((triad_fn)f)(l->n, S, spw_device_doubles(t, l->b), spw_device_doubles(t, l->c),
                  spw_device_doubles(t, l->a));
}

static void library_triad(spw_trial *t)
{
    const loop *l = of(t);
    spw_trial_library(t, spw_triad_cuda(l->n, S, spw_device_doubles(t, l->b),
                                        spw_device_doubles(t, l->c), spw_device_doubles(t, l->a)));
}

static spw_cost cost_of_triad(const spw_trial *t)
{
    const double n = (double)of(t)->n;
    return (spw_cost){.load = 16 * n, .store = 8 * n, .flop = 2 * n};
}

/* --- sum -------------------------------------------------------------------------------------- */

/* Which a[i] were added up, where not all of them were. */
static bool block_0(int64_t i, int64_t threads)
{
    (void)threads;
    return i / BLOCK % SUM_BLOCKS == 0;
}

static bool blocks_0_to_31(int64_t i, int64_t threads)
{
    (void)threads;
    return i / BLOCK % SUM_BLOCKS < WARP;
}

static const struct {
    spw_share of;
    const char *text;
} sum_mistakes[] = {
    {spw_share_none, "nothing was added up"},
    {spw_share_once,
     "these are the first 128 * 256 elements: the blocks are fixed in number, so each\n"
     "thread takes element first, first + stride, ... below n: a loop"},
    {block_0, "this is the sum of block 0: the second launch has to add up what is in d_part"},
    {blocks_0_to_31, "these are the sums of 32 of the 128 blocks: the second launch has one block\n"
                     "for all SUM_BLOCKS sums"},
    {spw_share_warp_0,
     "these are the elements of the first warp of each block of 256: the other warps'\n"
     "numbers have to reach thread 0, through shared memory"},
    {spw_share_thread_0,
     "these are the elements of thread 0 of each block of 256: add up the other\n"
     "threads'"},
};

static spw_status setup_sum(spw_trial *t, const char *name)
{
    loop *l = begin(t, name);
    if (!l) return SPW_ERR_MEMORY;
    l->in = spw_trial_random(t, "a", l->n);
    l->part = (double *)spw_trial_output(t, "part", SPW_DOUBLE, SUM_BLOCKS);
    l->sum = (double *)spw_trial_output(t, "sum", SPW_DOUBLE, 1);
    double *expected = (double *)spw_trial_memory(t, 1, sizeof *expected);
    double *tolerance = (double *)spw_trial_memory(t, 1, sizeof *tolerance);
    if (!l->in || !l->part || !l->sum || !expected || !tolerance) return SPW_ERR_MEMORY;
    *expected = spw_share_sum(l->n, l->in, NULL, NULL, 0);
    for (int64_t i = 0; i < l->n; i++) *tolerance += fabs(l->in[i]);
    *tolerance *= (double)(l->n + 1) * 0x1p-52; /* any order of the additions */
    spw_trial_expect(
        t, l->sum,
        (spw_expectation){.expected = expected, .tolerance = tolerance, .count = 1, .noun = ""});
    if (l->n > LARGE) return SPW_OK;
    for (size_t m = 0; m < sizeof sum_mistakes / sizeof sum_mistakes[0]; m++) {
        double *value = (double *)spw_trial_memory(t, 1, sizeof *value);
        if (!value) return SPW_ERR_MEMORY;
        *value = spw_share_sum(l->n, l->in, NULL, sum_mistakes[m].of, (int64_t)BLOCK * SUM_BLOCKS);
        spw_trial_mistake(t, l->sum, value, sum_mistakes[m].text);
    }
    return SPW_OK;
}

static void call_sum(spw_trial *t, spw_function f)
{
    const loop *l = of(t);
    ((sum_fn)f)(l->n, spw_device_doubles(t, l->in), spw_device_doubles(t, l->part),
                spw_device_doubles(t, l->sum));
}

static void library_sum(spw_trial *t)
{
    const loop *l = of(t);
    spw_trial_library(
        t, spw_sum_cuda(l->n, spw_device_doubles(t, l->in), spw_device_doubles(t, l->sum)));
}

static spw_cost cost_of_sum(const spw_trial *t)
{
    const double n = (double)of(t)->n;
    return (spw_cost){.load = 8 * n, .store = 8, .flop = n};
}

/* --- wrong models ----------------------------------------------------------------------------- */

static void explain_triad(const spw_trial *t, spw_cost got, char *text, int size)
{
    const double n = (double)of(t)->n;
    const spw_known_cost known[] = {
        {8 * n, 0, 0,
         "that is the write-allocate read of a CPU. A GPU stores whole sectors and reads\n"
         "nothing before"},
        {0, 8 * n, 0, "one array is stored, 8 bytes an element; there is no write-allocate"},
        {-8 * n, 0, 0, "two arrays are loaded, b and c, 8 bytes each"},
        {-8 * n, -4 * n, 0, "a double has 8 bytes"},
        {0, 0, -n, "a multiplication and an addition: 2 flops. A fused operation counts as 2"},
    };
    if (!spw_known_cost_tell(known, sizeof known / sizeof known[0], got, cost_of_triad(t), 0.5,
                             text, size))
        spw_swapped_cost_tell(got, cost_of_triad(t), text, size);
}

static void explain_sum(const spw_trial *t, spw_cost got, char *text, int size)
{
    const double n = (double)of(t)->n;
    const spw_known_cost known[] = {
        {0, -8, 0, "the result is stored, too: 8 bytes"},
        {0, 8 * n - 8, 0, "the sum stays in registers: only the result is stored, once"},
        {0, 8 * SUM_BLOCKS, 0, "the sums of the blocks are our choice: the model leaves them out"},
        {8 * SUM_BLOCKS, 8 * SUM_BLOCKS, 0,
         "the sums of the blocks are our choice: the model leaves them out"},
        {0, 0, -1, "right, the first element needs no addition; but everybody counts n"},
        {0, 0, n, "each element costs one addition: n flops"},
    };
    if (!spw_known_cost_tell(known, sizeof known / sizeof known[0], got, cost_of_sum(t), 0.5, text,
                             size))
        spw_swapped_cost_tell(got, cost_of_sum(t), text, size);
}

/* --- the declaration -------------------------------------------------------------------------- */

/* One thread; a warp that is not full; a block and one; none; more than the threads of sum. */
static const char *const cases[] = {"n=1", "n=31", "n=257", "n=0", "n=1000", "n=100003", NULL};

static const char coalesce[] =
    "neighbouring lanes must touch neighbouring doubles: 32 of them are 8 sectors\n"
    "of 32 bytes. Which i has thread 0, which has thread 1?";
static const char use_all[] =
    "each sector should be moved once: a request of one lane moves 32 bytes and\n"
    "uses 8 of them";
static const char one_a_block[] =
    "one thread of the block writes the block's sum, when all others have added theirs";

static const spw_sector_bound triad_bounds[] = {
    {.array = "b", .access = SPW_LOADS, .per_request = 8.5, .hint = coalesce},
    {.array = "b", .access = SPW_LOADS, .times_size = 1.1, .hint = use_all},
    {.array = "c", .access = SPW_LOADS, .per_request = 8.5, .hint = coalesce},
    {.array = "c", .access = SPW_LOADS, .times_size = 1.1, .hint = use_all},
    {.array = "a", .access = SPW_STORES, .per_request = 8.5, .hint = coalesce},
    {.array = "a", .access = SPW_STORES, .times_size = 1.1, .hint = use_all},
    {0}};

static const spw_sector_bound sum_bounds[] = {
    {.array = "a", .access = SPW_LOADS, .per_request = 8.5, .hint = coalesce},
    {.array = "a", .access = SPW_LOADS, .times_size = 1.1, .hint = use_all},
    {.array = "part", .access = SPW_LOADS, .per_request = 8.5, .hint = coalesce},
    {.array = "part", .access = SPW_STORES, .per_block = 1, .hint = one_a_block},
    {.array = "sum", .access = SPW_STORES, .per_block = 1, .hint = one_a_block},
    {.array = "sum", .access = SPW_ATOMICS, .per_block = 1, .hint = one_a_block},
    {0}};

static const char *const forbidden[] = {"spw_triad_cuda", "spw_sum_cuda", NULL};

static const spw_part parts[] = {{.function = "triad",
                                  .model = "triad_cost",
                                  .cases = cases,
                                  .setup = setup_triad,
                                  .call = call_triad,
                                  .predict = predict,
                                  .cost = cost_of_triad,
                                  .explain_model = explain_triad,
                                  .on_device = true,
                                  .bounds = triad_bounds,
                                  .traffic = "n=100003",
                                  .speed = "n=40000000", /* on a GPU: 960 MB */
                                  .target = 0.7,
                                  .stretch = {"library's best", library_triad}},
                                 {.function = "sum",
                                  .model = "sum_cost",
                                  .cases = cases,
                                  .setup = setup_sum,
                                  .call = call_sum,
                                  .predict = predict,
                                  .cost = cost_of_sum,
                                  .explain_model = explain_sum,
                                  .on_device = true,
                                  .bounds = sum_bounds,
                                  .traffic = "n=100003",
                                  .speed = "n=80000000", /* on a GPU: 640 MB */
                                  .target = 0.7,
                                  .stretch = {"library's best", library_sum}}};

int main(int argc, char **argv)
{
    return spw_judge(
        &(spw_exercise){.parts = parts, .n_parts = 2, .gpu = true, .forbidden = forbidden}, argc,
        argv);
}

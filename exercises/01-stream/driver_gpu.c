/* Exercise 1, GPU part: triad and sum on a GPU, and bounds on their traffic. */
#include "stream_gpu.h"

#define WRITE_ALLOCATE                                                                             \
    "that is the write-allocate read of a CPU. A GPU stores whole sectors and reads\n"             \
    "nothing before"
#include "problem.h"

#include "kernels/cuda.h"
#include "kit/device_systems.h"

typedef void (*triad_fn)(int64_t n, double s, const double *d_b, const double *d_c, double *d_a);
typedef void (*sum_fn)(int64_t n, const double *d_a, double *d_part, double *d_sum);

/* Block of the file as shipped: mistakes at its edges can be told. */
enum { WARP = 32, BLOCK = 256 };

/* --- triad ------------------------------------------------------------------------------------ */

static void describe_triad(const spw_trial *t, int64_t i, char *text, int size)
{
    const int64_t n = ((const loop *)spw_kit_arguments(t))->n;
    if (n % BLOCK != 0 && i >= n - n % BLOCK)
        snprintf(text, (size_t)size,
                 "the last n mod 256 elements need a block, too, not a full one");
}

static void call_triad(const void *at, spw_function f)
{
    const loop *l = (const loop *)at;
    ((triad_fn)f)(l->n, SCALE, l->b, l->c, l->a);
}

static void library_triad(spw_trial *t)
{
    const loop *l = (const loop *)spw_kit_called(t);
    spw_trial_library(t, spw_triad_cuda(l->n, SCALE, l->b, l->c, l->a));
}

static const spw_kit triad_kit = {of_triad,
                                  sizeof(loop),
                                  .prepare = three_arrays,
                                  .call = call_triad,
                                  .expect = expect_triad,
                                  .predict = predict,
                                  .cost = SPW_COST_TRIAD,
                                  .slips = triad_slips};

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

static const spw_share_mistake sum_mistakes[] = {
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
    {0},
};

static void expect_sum_of_blocks(spw_trial *t, const void *at)
{
    const loop *l = (const loop *)at;
    expect_sum(t, at);
    spw_trial_share_mistakes(t, l->sum, l->n, l->in, NULL, (int64_t)BLOCK * SUM_BLOCKS,
                             sum_mistakes);
}

static void call_sum(const void *at, spw_function f)
{
    const loop *l = (const loop *)at;
    ((sum_fn)f)(l->n, l->in, l->part, l->sum);
}

static void library_sum(spw_trial *t)
{
    const loop *l = (const loop *)spw_kit_called(t);
    spw_trial_library(t, spw_sum_cuda(l->n, l->in, l->sum));
}

static void sizes_of_sum(spw_trial *t, const char *name, void *at)
{
    one_array(t, name, at);
    spw_kit_quantity(t, ".SUM_BLOCKS", SUM_BLOCKS);
}

static const spw_argument of_sum[] = {
    SPW_INPUT_AS("a", loop, in, "n"),
    SPW_ROOM(loop, part, "SUM_BLOCKS", ),
    SPW_NUMBER(loop, sum, "sum"),
    {0},
};

static const spw_slip sum_slips[] = {
    {"store -8", "the result is stored, too: 8 bytes"},
    {"store 8 n - 8", "the sum stays in registers: only the result is stored, once"},
    {"store 8 SUM_BLOCKS", "the sums of the blocks are our choice: the model leaves them out"},
    {"load 8 SUM_BLOCKS; store 8 SUM_BLOCKS",
     "the sums of the blocks are our choice: the model leaves them out"},
    {"flop -1", "right, the first element needs no addition; but everybody counts n"},
    {"flop n", "each element costs one addition: n flops"},
    {0},
};

static const spw_kit sum_kit = {of_sum,
                                sizeof(loop),
                                .prepare = sizes_of_sum,
                                .call = call_sum,
                                .expect = expect_sum_of_blocks,
                                .predict = predict,
                                .cost = SPW_COST_SUM "; store 8",
                                .slips = sum_slips};

/* --- the declaration -------------------------------------------------------------------------- */

/* One thread; a warp that is not full; a block and one; none; more than the threads of sum. */
static const char *const cases[] = {"n=1", "n=31", "n=257", "n=0", "n=1000", "n=100003", NULL};

static const spw_sector_bound triad_bounds[] = {SPW_EACH_ONCE("b", SPW_LOADS),
                                                SPW_EACH_ONCE("c", SPW_LOADS),
                                                SPW_EACH_ONCE("a", SPW_STORES),
                                                {0}};

static const char one_a_block[] =
    "one thread of the block writes the block's sum, when all others have added theirs";
static const spw_sector_bound sum_bounds[] = {
    SPW_EACH_ONCE("a", SPW_LOADS),
    {.array = "part", .access = SPW_LOADS, .per_request = 8.5, .hint = SPW_COALESCE},
    {.array = "part", .access = SPW_STORES, .per_block = 1, .hint = one_a_block},
    {.array = "sum", .access = SPW_STORES, .per_block = 1, .hint = one_a_block},
    {.array = "sum", .access = SPW_ATOMICS, .per_block = 1, .hint = one_a_block},
    {0}};

static const char *const forbidden[] = {"spw_triad_cuda", "spw_sum_cuda", NULL};

/* On a GPU 960 and 640 MB. */
static const spw_part parts[] = {{.function = "triad",
                                  .model = "triad_cost",
                                  .cases = cases,
                                  SPW_KIT(&triad_kit),
                                  .on_device = true,
                                  .bounds = triad_bounds,
                                  .traffic = "n=100003",
                                  .speed = "n=40000000",
                                  .target = 0.7,
                                  .stretch = {.label = "library's best", .call = library_triad}},
                                 {.function = "sum",
                                  .model = "sum_cost",
                                  .cases = cases,
                                  SPW_KIT(&sum_kit),
                                  .on_device = true,
                                  .bounds = sum_bounds,
                                  .traffic = "n=100003",
                                  .speed = "n=80000000",
                                  .target = 0.7,
                                  .stretch = {.label = "library's best", .call = library_sum}}};

SPW_DRIVER(parts, .gpu = true, .forbidden = forbidden)

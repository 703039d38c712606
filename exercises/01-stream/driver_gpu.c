/* Exercise 1, GPU part: triad and sum on a GPU, and bounds on their traffic. What mistakes give is told by the patches
 * in tests/wrong/01-stream. */
#include "stream_gpu.h"

#include "kit/device_systems.h"
#define WRITE_ALLOCATE SPW_NO_WRITE_ALLOCATE
#include "problem.h"

#include "kernels/cuda.h"

SPW_LIBRARY(library_triad, const loop *l, spw_triad_cuda(l->n, SCALE, l->b, l->c, l->a))

static const spw_argument of_sum[] = {SPW_INPUT_AS("a", loop, in, "n"),
                                      SPW_ROOM(loop, part, "SUM_BLOCKS", ),
                                      SPW_NUMBER(loop, sum, "sum"),
                                      {0}};

static void size_of_sum(spw_trial *t, const char *name, void *at) {
    loop *l = (loop *)at;
    l->n = spw_kit_length(name);
    spw_kit_quantity(t, "n", (double)l->n);
    spw_kit_quantity(t, ".SUM_BLOCKS", SUM_BLOCKS);
}

SPW_CALL(call_sum, sum, const loop *l, l->n, l->in, l->part, l->sum)
SPW_LIBRARY(library_sum, const loop *l, spw_sum_cuda(l->n, l->in, l->sum))

#define OUR_CHOICE "the sums of the blocks are our choice: the model leaves them out"
static const spw_slip sum_slips[] = {
    {"store -8", "the result is stored, too: 8 bytes"},
    {"store 8 n - 8", "the sum stays in registers: only the result is stored, once"},
    {"store 8 SUM_BLOCKS", OUR_CHOICE},
    {"load 8 SUM_BLOCKS; store 8 SUM_BLOCKS", OUR_CHOICE},
    {"flop -1", "right, the first element needs no addition; but everybody counts n"},
    {"flop n", "each element costs one addition: n flops"},
    {0}};

KIT(sum, expect_sum, SPW_COST_SUM "; store 8", .prepare = size_of_sum)

/* One thread; a warp that is not full; a block and one; none; more than the threads of sum. */
static const char *const cases[] = {"1", "31", "257", "0", "1000", "100003", NULL};

static const spw_sector_bound triad_bounds[] = {SPW_EACH_ONCE("b", SPW_LOADS),
                                                SPW_EACH_ONCE("c", SPW_LOADS),
                                                SPW_EACH_ONCE("a", SPW_STORES),
                                                {0}};

#define ONCE_A_BLOCK(array_, access_)                                                              \
    {                                                                                              \
        .array = array_, .access = access_, .per_block = 1,                                        \
        .hint =                                                                                    \
            "one thread of the block writes the block's sum, when all others have added theirs"    \
    }
static const spw_sector_bound sum_bounds[] = {
    SPW_EACH_ONCE("a", SPW_LOADS),    SPW_A_REQUEST("part", LOADS, 8.5, SPW_COALESCE),
    ONCE_A_BLOCK("part", SPW_STORES), ONCE_A_BLOCK("sum", SPW_STORES),
    ONCE_A_BLOCK("sum", SPW_ATOMICS), {0}};

/* On a GPU 960 and 640 MB. */
#define PART(name, timed, best)                                                                    \
    SPW_PART(#name, cases, name##_kit, .model = #name "_cost", .on_device = true,                  \
             .bounds = name##_bounds, .traffic = "100003", .speed = timed, .target = 0.7,          \
             .stretch = {"library's best", .call = best})
static const spw_part parts[] = {PART(triad, "40000000", library_triad),
                                 PART(sum, "80000000", library_sum)};

SPW_DRIVER(parts, .gpu = true)

/* Exercise 17, GPU part: Y = A X in SELL-P on a GPU, and bounds on its sectors. */
#include "spmm_gpu.h"

#define LDX "nv"
#include "problem.h"

#include "kernels/cuda.h"
#include "kit/device_systems.h"

static void call(const void *at, spw_function f)
{
    const operands *o = (const operands *)at;
    ((void (*)(spw_sellp, int, const double *, double *))f)(*o->S, o->nv, o->X, o->Y);
}

/* The library's, the stretch goal on a GPU. */
static void library(spw_trial *t)
{
    const operands *o = (const operands *)spw_kit_called(t);
    spw_trial_library(t, spw_spmm_sellp_cuda_vectors(o->S, o->nv, o->X, o->nv, o->Y, o->nv));
}

static const spw_slip on_the_gpu[] = {
    {"load 12 (nv - 1) stored",
     "every layer of threads reads the entries, and finds them in a cache: from\n"
     "memory they come once"},
    {"load (nv - 1) (12 stored + 4 pointers)",
     "every layer of threads reads the matrix, and finds it in a cache: from\n"
     "memory it comes once"},
    {"load 8 nv n_rows", "Y is written, not read; and a GPU has no write-allocate"},
    {0}};

static const spw_kit sellp = {
    of_sellp,
    sizeof(operands),
    .parameters = PARAMETERS,
    .prepare = prepare,
    .facts = "{n_rows} x {n_cols}, nz {nz}, beta {beta:3}, nv {nv}, b {b}, t {t}",
    .units = UNITS_OF_SELLP,
    .call = call,
    .expect = expect,
    .predict = predict_sellp,
    .cost = SPW_COST_SPMM_SELLP,
    .slips = on_the_gpu,
    .more_slips = slips};

/* clang-format off */
static const char *const cases[] = {
    "one-by-one@3/8,4", "no-rows@2/8,4", "no-columns@3/8,4", "no-entries@2/2,2", "one-row@5/4,1",
    "empty-first-last@16/8,4", "mostly-empty@2/32,2", "rectangular-wide@7/4,32", "rectangular-tall@4/16,8",
    "every-length@3/8,4", "dense-row@2/32,16", "stencil27@8/64,2", "prime@17/8,4", NULL};
/* clang-format on */

#define STUDY "stencil27:10@16/8,4" /* the matrix of the README's table, n = 1000 */
#define TIMED "stencil27:96@16/8,4" /* on a GPU: n = 0.9 M, 0.5 GB */

#define STEP "the threads of a layer must read neighbouring entries at each step"
static const spw_sector_bound layers_bounds[] = {
    {.array = "val", .access = SPW_LOADS, .per_request = 8.5, .hint = STEP},
    {.array = "col_idx", .access = SPW_LOADS, .per_request = 4.5, .hint = STEP},
    {0}};
#define NEIGHBOURS "neighbouring lanes must have neighbouring vectors of one row"
static const spw_sector_bound vectors_bounds[] = {
    {.array = "X", .access = SPW_LOADS, .per_request = 8.5, .hint = NEIGHBOURS},
    {.array = "Y", .access = SPW_STORES, .per_request = 8.5, .hint = NEIGHBOURS},
    {0}};

#define BOTH                                                                                       \
    .cases = cases, SPW_KIT(&sellp), .on_device = true, .traffic = STUDY, .speed = TIMED,          \
    .takes_matrix = true, .stretch = {.label = "library's best", .call = library}
static const spw_part parts[] = {
    {.function = "spmm_layers",
     .model = "spmm_sellp_cost",
     .bounds = layers_bounds,
     .target = 0.3,
     BOTH},
    {.function = "spmm_vectors", .bounds = vectors_bounds, .target = 0.5, BOTH},
};

SPW_DRIVER(parts, .gpu = true)

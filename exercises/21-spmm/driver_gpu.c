/* Exercise 21, GPU part: Y = A X in SELL-P on a GPU, and bounds on its sectors. */
#include "spmm_gpu.h"

#define EACH_VECTOR    "every layer of threads reads the matrix; from memory it comes once, to a cache"
#define WRITE_ALLOCATE "Y is written, not read; and a GPU has no write-allocate"
#include "problem.h"

#include "kernels/cuda.h"
#include "kit/device_systems.h"

SPW_CALL(call, spmm_layers, const operands *o, *o->S, o->nv, o->X, o->Y)
SPW_LIBRARY(library, const operands *o,
            spw_spmm_sellp_cuda_vectors(o->S, o->nv, o->X, o->nv, o->Y, o->nv))
static const spw_kit sellp = {
    of_sellp,
    KIT_OF_SELLP(call, "{n_rows} x {n_cols}, nz {nz}, beta {beta:3}, nv {nv}, b {b}, t {t}")};

/* The first is for spmm_vectors alone: so that CASE= can ask that without the other. */
/* clang-format off */
static const char *const cases[] = {
    "small@3/4,2", "one-by-one@3/8,4", "no-rows@2/8,4", "no-columns@3/8,4", "no-entries@2/2,2", "one-row@5/4,1",
    "empty-first-last@16/8,4", "mostly-empty@2/32,2", "rectangular-wide@7/4,32", "rectangular-tall@4/16,8",
    "every-length@3/8,4", "dense-row@2/32,16", "stencil27@8/64,2", "prime@17/8,4", "slides@64/4,4", NULL};
/* clang-format on */

#define STEP  "the threads of a layer must read neighbouring entries at each step"
#define LANES "neighbouring lanes must have neighbouring vectors of one row"
static const spw_sector_bound layers_bounds[] = {
    SPW_A_REQUEST("val", LOADS, 8.5, STEP), SPW_A_REQUEST("col_idx", LOADS, 4.5, STEP), {0}};
static const spw_sector_bound vectors_bounds[] = {SPW_A_REQUEST("X", LOADS, 8.5, LANES),
                                                  SPW_A_REQUEST("Y", STORES, 8.5, LANES),
                                                  SPW_SUM_IN_REGISTER("Y"),
                                                  {0}};

/* Counted is the README's matrix, n = 1000; timed on a GPU are n = 0.9 M, 0.5 GB. */
#define BOTH(name, its_cases, its_bounds)                                                          \
    .function = name, .cases = its_cases, .bounds = its_bounds, SPW_KIT(&sellp),                   \
    .on_device = true, .traffic = "stencil27:10@16/8,4", .speed = "stencil27:96@16/8,4",           \
    .takes_matrix = true, .stretch = {.label = "library's best", .call = library}
static const spw_part parts[] = {
    {BOTH("spmm_layers", cases + 1, layers_bounds), .model = "spmm_sellp_cost", .target = 0.3},
    {BOTH("spmm_vectors", cases, vectors_bounds), .target = 0.5}};

SPW_DRIVER(parts, .gpu = true)

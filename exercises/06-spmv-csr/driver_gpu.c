/* Exercise 6, GPU part: y = A x in CSR on a GPU, and bounds on its sectors. */
#include "spmv_csr_gpu.h"
#include "problem.h"

#include "kernels/cuda.h"
#include "kit/device_systems.h"

SPW_CALL(call, spmv_csr, const operands *o, *o->A, o->x, o->y)
SPW_LIBRARY(library, const operands *o, spw_spmv_csr_cuda_warp(o->A, o->x, o->y))
static const spw_kit product = SPW_KIT_OF(arguments, operands, call, expect, .predict = predict,
                                          .cost = SPW_COST_SPMV_CSR, .slips = slips);

/* clang-format off */
static const char *const cases[] = {
    "one-row", "one-by-one", "no-rows", "no-columns", "no-entries", "empty-first-last",
    "mostly-empty", "every-length", "dense-row", "rectangular-wide", "rectangular-tall", "prime",
    "powerlaw", NULL};
/* clang-format on */

/* val and col_idx have none: how bad it is, is the lesson. */
#define ROWS "neighbouring lanes must have neighbouring rows"
static const spw_sector_bound rows_bounds[] = {
    SPW_A_REQUEST("row_ptr", LOADS, 5.5, ROWS),
    SPW_A_REQUEST("y", STORES, 8.5, ROWS),
    SPW_AT_MOST("y", STORES, 1.1,
                "each row belongs to one thread: a thread with several rows goes on by all "
                "threads\nof the grid"),
    {0}};
#define SIDE_BY_SIDE "neighbouring lanes must read neighbouring entries of the same row"
static const spw_sector_bound warps_bounds[] = {
    SPW_A_REQUEST("val", LOADS, 8.5, SIDE_BY_SIDE),
    SPW_AT_MOST(
        "val", LOADS, 2.5,
        "sectors are moved for 8 of their 32 bytes: in each step all lanes of the warp must\n"
        "read, neighbours from neighbours"),
    SPW_A_REQUEST("col_idx", LOADS, 4.5, SIDE_BY_SIDE),
    {0}};

/* STUDY: the matrix of the README's table, n = 10,000; TIMED: on a GPU, n = 2.1 M, 0.7 GB */
#define STUDY "stencil27:10x25x40"
#define TIMED "stencil27:128"
#define BOTH                                                                                       \
    .cases = cases, SPW_KIT(&product), .on_device = true, .traffic = STUDY, .speed = TIMED,        \
    .takes_matrix = true, .target = 0.7, .stretch = {.label = "library's best", .call = library}

static const spw_part parts[] = {
    {.function = "spmv_csr_rows", .bounds = rows_bounds, BOTH},
    {.function = "spmv_csr", .model = "spmv_csr_cost", .bounds = warps_bounds, BOTH},
};

SPW_DRIVER(parts, .gpu = true)

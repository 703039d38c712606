/* Exercise 17: cases, true costs and explanations for multigrid: operators between grids, relaxation, the V-cycle. */
#include "multigrid.h"

#include "kit/cases.h"
#include "kit/one_pass.h"
#include "kit/preconditioners.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problem.h"

/* A part's arguments. */
typedef struct problem {
    grid G;
    const spw_csr *A;
    double scale;
    const double *r, *e, *b, *start;
    double *coarse, *x, *out;
    /* a cycle's; timed are two, after which x and y are where they were */
    hierarchy H;
    int before, after, guess, cycles;
    double *all_b, *all_x, *all_y, *result;
} problem;

static int64_t points(grid G) {
    return G.dim == 3 ? (int64_t)G.m * G.m * G.m : (int64_t)G.m * G.m;
}

/* "2d:7", "3d:15/2,1": the grid of a case; returns what is behind it. */
static const char *read_grid(spw_trial *t, const char *name, grid *G) {
    char *end;
    G->dim = name[0] - '0';
    G->m = (spw_idx)strtol(name + 3, &end, 10);
    spw_kit_quantity(t, ".dim", G->dim);
    spw_kit_quantity(t, ".m", G->m);
    spw_kit_quantity(t, "n", (double)points(*G));
    spw_kit_quantity(t, "coarse", (double)points((grid){G->dim, (G->m - 1) / 2}));
    return end;
}

/* Where on the grid is it? */
static void describe_point(const spw_trial *t, spw_idx m, int64_t i, char *text, int size) {
    const problem *p = (const problem *)spw_kit_arguments(t);
    if (p->G.dim == 3)
        snprintf(text, (size_t)size, "point (%d, %d, %d)", (int)(i % m), (int)(i / m % m),
                 (int)(i / m / m));
    else
        snprintf(text, (size_t)size, "point (%d, %d)", (int)(i % m), (int)(i / m));
}

static void describe_fine(const spw_trial *t, int64_t i, char *text, int size) {
    describe_point(t, ((const problem *)spw_kit_arguments(t))->G.m, i, text, size);
}

static void describe_coarse(const spw_trial *t, int64_t i, char *text, int size) {
    describe_point(t, (((const problem *)spw_kit_arguments(t))->G.m - 1) / 2, i, text, size);
}

/* --- between grids ------------------------------------------------------------------------------------------------ */

static void prepare_grid(spw_trial *t, const char *name, void *at) {
    grid *G = &((problem *)at)->G;
    read_grid(t, name, G);
    spw_trial_beyond(t, points((grid){G->dim, (G->m - 1) / 2}),
                     "It lies on the coarse grid, whose lines are (m - 1) / 2 apart.");
}

static const spw_argument restricting[] = {
    SPW_RANDOM(problem, r, "n"),
    SPW_OUTPUT_AS("b", problem, coarse, "coarse", .describe = describe_coarse),
    {0}};

static void expect_restrict(spw_trial *t, const void *at) {
    const problem *p = (const problem *)at;
    const int64_t coarse = points((grid){p->G.dim, (p->G.m - 1) / 2}), n = points(p->G);
    double *b = spw_kit_doubles(t, coarse), *tolerance = spw_kit_doubles(t, coarse);
    double *size = spw_kit_doubles(t, n); /* of the terms: their sum may be next to 0 */
    for (int64_t i = 0; i < n; i++) size[i] = 1e-14 * fabs(p->r[i]);
    plain_restrict(p->G, p->r, b);
    plain_restrict(p->G, size, tolerance);
    spw_kit_expect(t, p->coarse, b, tolerance);
}

SPW_CALL(call_restrict, restrict_full, const problem *p, p->G, p->r, p->coarse)
static const spw_kit restrict_kit =
    SPW_KIT_OF(restricting, problem, call_restrict, expect_restrict, .prepare = prepare_grid,
               .facts = "{m} points in each of {dim} directions");

static const spw_argument prolonging[] = {
    SPW_RANDOM(problem, e, "coarse"), SPW_START(problem, x, "n", .describe = describe_fine), {0}};

static void expect_prolong(spw_trial *t, const void *at) {
    const problem *p = (const problem *)at;
    const int64_t n = points(p->G);
    double *x = spw_kit_doubles(t, n);
    memcpy(x, spw_kit_start(t, p->x), (size_t)n * sizeof *x);
    plain_prolong(p->G, p->e, x);
    spw_kit_expect_near(t, p->x, n, x, 1e-14);
}

SPW_CALL(call_prolong, prolong_add, const problem *p, p->G, p->e, p->x)
static const spw_kit prolong_kit =
    SPW_KIT_OF(prolonging, problem, call_prolong, expect_prolong, .prepare = prepare_grid,
               .facts = "{m} points in each of {dim} directions");

/* --- relax ---------------------------------------------------------------------------------------------------------- */

static spw_status relaxed_matrix(spw_trial *t, const void *at, void *matrix) {
    (void)at;
    spw_csr *A = (spw_csr *)matrix;
    const spw_status status = spw_plain_matrix(spw_kit_case(t), spw_trial_seed(t), A);
    if (!status) spw_kit_quantity(t, "n", A->n_rows);
    return status;
}

static void prepare_relax(spw_trial *t, const char *name, void *at) {
    (void)t;
    (void)name;
    ((problem *)at)->scale = 0.2;
}

static const spw_argument relaxing[] = {SPW_MATRIX(problem, A, &spw_kit_csr, relaxed_matrix, ),
                                        SPW_INPUT_AS("b", problem, b, "n"),
                                        SPW_INPUT_AS("x", problem, e, "n"),
                                        SPW_OUTPUT(problem, out, "n", .noun = "row"),
                                        {0}};

static void expect_relax(spw_trial *t, const void *at) {
    const problem *p = (const problem *)at;
    const int64_t n = p->A->n_rows;
    double *out = spw_kit_doubles(t, n), *tolerance = spw_kit_doubles(t, n);
    spw_spmv_expected(p->A, p->e, out, tolerance);
    for (int64_t i = 0; i < n; i++) {
        out[i] = p->e[i] + p->scale * (p->b[i] - out[i]);
        tolerance[i] += 1e-15 * (fabs(p->e[i]) + fabs(p->b[i]));
    }
    spw_kit_expect(t, p->out, out, tolerance);
}

SPW_CALL(call_relax, relax, const problem *p, p->A, p->scale, p->b, p->e, p->out)
static const spw_kit relax_kit = SPW_KIT_OF(
    relaxing, problem, call_relax, expect_relax, .prepare = prepare_relax, .shared = "tridiag:#",
    .one_pass = "b[i] - (A x)[i] is at hand at the end of row i: out[i] can be written there");

/* --- the cycle -------------------------------------------------------------------------------------------------------- */

/* Sums over all levels but the coarsest, as the cost has them: passes through the matrix, rows and entries of them,
 * relaxations that begin at 0. */
static void count_cycle(spw_trial *t, const problem *p) {
    double rows = 0, entries = 0, relaxed = 0, zero = 0, zero_nz = 0, fine = 0, coarse = 0, nz = 0;
    for (int l = 0; l + 1 < p->H.L.count; l++) {
        const double n = p->H.level[l].A.n_rows, these = p->H.level[l].A.nnz;
        const int from_zero = l > 0, relaxations = p->before + p->after - from_zero;
        rows += (relaxations + 1) * n;
        entries += (relaxations + 1) * these;
        relaxed += relaxations * n;
        zero += from_zero * n;
        zero_nz += from_zero * these;
        fine += n;
        nz += these;
        coarse += p->H.level[l + 1].A.n_rows;
    }
    spw_kit_quantity(t, "nz", p->H.level[0].A.nnz);
    spw_kit_quantity(t, ".rows", rows);
    spw_kit_quantity(t, ".entries", entries);
    spw_kit_quantity(t, ".relaxed", relaxed);
    spw_kit_quantity(t, ".zero", zero);
    spw_kit_quantity(t, ".zero_nz", zero_nz);
    spw_kit_quantity(t, ".fine", fine);
    spw_kit_quantity(t, ".fine_nz", nz);
    spw_kit_quantity(t, ".below", coarse);
    spw_kit_quantity(t, ".weights", p->G.dim == 3 ? 27 : 9);
}

/* "2d:7/2,1": a V(2,1) cycle; "2d:7/1,1,0": without a guess. What all levels have lies in arrays that are theirs
 * together. */
static void prepare_cycle(spw_trial *t, const char *name, void *at) {
    problem *p = (problem *)at;
    p->guess = 1;
    sscanf(read_grid(t, name, &p->G), "/%d,%d,%d", &p->before, &p->after, &p->guess);
    p->cycles = p->G.m > 1000 ? 2 : 1;
    spw_kit_quantity(t, ".cycles", p->cycles);
    hierarchy *H = &p->H;
    spw_kit_must(t, make_hierarchy(p->G.dim, p->G.m, H));
    const spw_idx *const row_ptr = H->row_ptr, *const col_idx = H->col_idx;
    H->row_ptr = spw_trial_adopt(t, "row_ptr of all levels", SPW_INDEX, H->pointers, H->row_ptr);
    H->col_idx = spw_trial_adopt(t, "col_idx of all levels", SPW_INDEX, H->entries, H->col_idx);
    H->val = spw_trial_adopt(t, "val of all levels", SPW_DOUBLE, H->entries, H->val);
    spw_kit_need(t, H->row_ptr);
    spw_kit_need(t, H->col_idx);
    spw_kit_need(t, H->val);
    for (int l = 0; l < H->L.count; l++) {
        spw_csr *A = &H->level[l].A;
        const int64_t entry = A->col_idx - col_idx;
        A->row_ptr = H->row_ptr + (A->row_ptr - row_ptr);
        A->col_idx = H->col_idx + entry;
        A->val = H->val + entry;
    }
    spw_kit_quantity(t, ".all", (double)H->points);
    spw_kit_quantity(t, ".others", (double)(H->points - H->level[0].A.n_rows));
    spw_trial_beyond(
        t, H->points - H->level[0].A.n_rows,
        "There is no grid below the coarsest: where l + 1 == L->count, x = b / a, and\n"
        "v_cycle returns.");
    spw_kit_quantity(t, ".levels", H->L.count);
    spw_kit_quantity(t, ".before", p->before);
    spw_kit_quantity(t, ".after", p->after);
    count_cycle(t, p);
}

static const spw_argument cycling[] = {
    SPW_INPUT_AS("b", problem, b, "n"),
    SPW_START(problem, x, "n", .describe = describe_fine),
    SPW_ROOM_AS("y", problem, out, "n"),
    SPW_ROOM_AS("b of the coarser levels", problem, all_b, "others"),
    SPW_ROOM_AS("x of the coarser levels", problem, all_x, "others"),
    SPW_ROOM_AS("y of the coarser levels", problem, all_y, "others"),
    {0}};

/* The levels of a call: they are the answer's to change. */
static void lay_out_levels(const problem *p, hierarchy *H) {
    *H = p->H;
    H->L.level = H->level;
    H->level[0].b = (double *)(uintptr_t)p->b;
    H->level[0].x = p->x;
    H->level[0].y = p->out;
    for (int l = 1; l < H->L.count; l++) {
        const int64_t at = level_at(&H->L, l) - H->level[0].A.n_rows;
        H->level[l].b = p->all_b + at;
        H->level[l].x = p->all_x + at;
        H->level[l].y = p->all_y + at;
    }
}

static void expect_cycle(spw_trial *t, const void *at) {
    const problem *p = (const problem *)at;
    const int64_t n = points(p->G);
    hierarchy H;
    problem own = *p;
    own.x = spw_kit_doubles(t, n);
    own.out = spw_kit_doubles(t, n);
    own.all_b = spw_kit_doubles(t, p->H.points);
    own.all_x = spw_kit_doubles(t, p->H.points);
    own.all_y = spw_kit_doubles(t, p->H.points);
    memcpy(own.x, spw_kit_start(t, p->x), (size_t)n * sizeof *own.x);
    lay_out_levels(&own, &H);
    for (int k = 0; k < p->cycles; k++) plain_cycle(&H.L, 0, p->before, p->after, p->guess);
    spw_kit_expect_near(t, p->x, n, own.x, 1e-12);
}

/* Behind the coarsest level lies one of a point, whose arrays begin where theirs end: who goes there is told. */
static void end_levels(const problem *p, hierarchy *H) {
    const int64_t others = H->points - H->level[0].A.n_rows;
    level *end = &H->level[H->L.count];
    *end = (level){.G = {p->G.dim, 1}, .A = {.n_rows = 1, .n_cols = 1}};
    end->A.row_ptr = H->row_ptr + H->pointers;
    end->A.col_idx = H->col_idx + H->entries;
    end->A.val = H->val + H->entries;
    end->b = p->all_b + others;
    end->x = p->all_x + others;
    end->y = p->all_y + others;
}

static void call_cycle(const void *at, spw_function f) {
    const problem *p = (const problem *)at;
    hierarchy H;
    lay_out_levels(p, &H);
    end_levels(p, &H);
    for (int k = 0; k < p->cycles; k++) SPW_AS(v_cycle, f)(&H.L, 0, p->before, p->after, p->guess);
    if (H.level[0].x != p->x) memcpy(p->x, H.level[0].x, (size_t)points(p->G) * sizeof *p->x);
}

static void cycle_serially(spw_trial *t) {
    const problem *p = (const problem *)spw_kit_arguments(t);
    hierarchy H;
    lay_out_levels(p, &H);
    for (int k = 0; k < p->cycles; k++) plain_cycle(&H.L, 0, p->before, p->after, p->guess);
}

static spw_cost predict_cycle(const void *at, spw_function model) {
    const problem *p = (const problem *)at;
    hierarchy H;
    lay_out_levels(p, &H);
    return SPW_AS(v_cycle_cost, model)(&H.L, p->before, p->after);
}

static const spw_slip cycle_slips[] = {
    {"load 12 zero_nz + 12 zero; flop 2 zero_nz + zero",
     "on the coarser levels the first relaxation begins at 0: x = scale b needs no matrix,\n"
     "16 n bytes of loads and n flop"},
    {"load 12 zero_nz + 12 zero",
     "on the coarser levels the first relaxation begins at 0: x = scale b needs no matrix"},
    {"load -16 zero; store -8 zero; flop -zero",
     "on the coarser levels the first relaxation still reads b and writes x"},
    {"load 12 zero_nz + 28 zero; store 8 zero; flop 2 zero_nz + 2 zero",
     "the first relaxation of coarser levels is counted twice: x = scale b\n"
     "takes the place of one with the matrix"},
    {"load 12 zero_nz + 12 zero - 12 nz - 12 n; flop 2 zero_nz + zero - 2 nz - n",
     "it begins at 0 on the coarser levels, not on the finest: there x is a guess"},
    {"load -12 nz - 12 n; flop -2 nz - n",
     "on the finest level x is a guess: no relaxation begins at 0 there"},
    {"load 40 (before + after) + 32; store 8 (before + after) + 16; flop 4 (before + after) - 1",
     "the grid with one point is left out: l + 1 < L->count"},
    {"load -8 zero", "x = scale b writes x without having read it: write-allocate, 8 n\n"
                     "bytes of loads more"},
    {"load -12 fine_nz - 28 fine; store -8 fine; flop -2 fine_nz",
     "the residual is missing: one more pass through the matrix on each level"},
    {"load -8 rows - 8 zero - 8 below",
     "write-allocate is missing: 8 bytes for each element that is written without having\n"
     "been read: out of each pass, x = scale b, and b of the coarse grid"},
    {"load -8 rows", "the write-allocate of each pass through the matrix is missing: 8 n bytes"},
    {"load -8 below", "8 bytes a coarse point are missing: the write-allocate of its b, or\n"
                      "the e that prolong_add reads"},
    {"load -8 fine", "8 n bytes of loads are missing: the x that prolong_add reads, or the r\n"
                     "that restrict_full reads"},
    {"store -8 fine", "prolong_add writes x: 8 n bytes of stores"},
    {"load 8 fine", "prolong_add reads x before it writes it: no write-allocate comes on top"},
    {"load -4 rows", "row_ptr is missing: 4 n bytes for each pass through the matrix"},
    {"load -4 entries", "the column of each entry has to be loaded too: 8 + 4 = 12 bytes"},
    {"load -8 fine; store -8 fine", "is x missing in prolong_add? It is read and written"},
    {"load -16 fine - 16 below; store -8 fine - 8 below; flop -4 weights below",
     "restriction and prolongation are missing"},
    {"flop -4 weights below",
     "the flops of restriction and prolongation are missing: 2 for each weight"},
    {"flop -2 weights below",
     "each weight is a multiplication and an addition, in both operators: 4 flop"},
    {"flop -2 relaxed", "a relaxation multiplies the residual by scale and adds it to x: 2 n flop"},
    {"= load (before + after + 1) (12 nz + 28 n) + 16 n + 16 coarse",
     "this is the finest level alone: the coarser ones are relaxed, too"},
    {"flop 2 fine", "a residual takes 2 nz flop: 2 n more, for scale and x, are a relaxation's"},
    {"flop -72 below", "in three dimensions each coarse point has 27 weights, not 9"},
    {0}};

/* as_right: row_ptr has n + 1 entries. */
static const spw_kit cycle_kit =
    SPW_KIT_OF(cycling, problem, call_cycle, expect_cycle, .prepare = prepare_cycle,
               .facts = "{m} points in each of {dim} directions, V({before},{after})",
               .predict = predict_cycle, .asked = "V({before},{after})",
               .cost = "load 12 entries + 28 rows + 16 zero + 16 fine + 16 below; "
                       "store 8 rows + 8 zero + 8 fine + 8 below; "
                       "flop 2 entries + 2 relaxed + zero + 4 weights below",
               .repeats = "cycles", .slips = cycle_slips);

/* --- the declaration -------------------------------------------------------------------------------------------------- */

static const char *const grids[] = {"2d:3", "2d:7", "3d:3", "3d:7", "2d:31", "3d:15", NULL};
static const char *const relaxed[] = {"one-by-one",  "laplace2d:3x3@s", "laplace2d:17x9",
                                      "laplace3d:5", "arrow:23",        "stencil27:6@s",
                                      NULL};
static const char *const cycled[] = {"2d:1/1,1",  "2d:3/1,0",   "2d:3/1,1,0", "2d:7/2,1",
                                     "3d:3/2,1",  "3d:7/1,1,0", "2d:31/2,2",  "2d:63/2,1",
                                     "3d:15/3,1", NULL};

static const spw_part parts[] = {
    SPW_PART("restrict_full", grids, restrict_kit, ),
    SPW_PART("prolong_add", grids, prolong_kit, ),
    SPW_PART("relax", relaxed, relax_kit, ),
    {.function = "relax", SPW_SHARED(&relax_kit)},
    {.function = "relax", SPW_ONE_PASS(&relax_kit)},
    SPW_PART("v_cycle", cycled, cycle_kit, .model = "v_cycle_cost", .speed = "2d:1023/2,1",
             .target = 0.6, .baseline = {"point after point, one thread", .call = cycle_serially}),
};

SPW_DRIVER(parts, .closing = tell_convergence)

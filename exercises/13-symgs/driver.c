/* Exercise 13: Gauss-Seidel in colours and the divided product.
 *
 * A case is a matrix; a colour or the device's part may follow: "tridiag:70@1", "tridiag:70@0.3". */
#include "symgs.h"

#include "base/random.h"
#include "base/threads.h"
#include "driver_offload.h"
#include "formats/generate.h"
#include "kit/kit.h"
#include "problem.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef void (*slice_fn)(const spw_idx *, const spw_idx *, const double *, const double *, int64_t,
                         double *);
typedef void (*relax_fn)(const spw_coloured *, spw_idx, const double *, double *);
typedef void (*symgs_fn)(const spw_coloured *, const double *, double *);
typedef void (*split_fn)(const spw_coloured *, double, const double *, double *);
typedef spw_cost (*colour_cost_fn)(const spw_coloured *, spw_idx);
typedef spw_cost (*symgs_cost_fn)(const spw_coloured *);

typedef struct problem {
    const spw_coloured *S;
    int on_device;   /* is one played? */
    double at;       /* what follows the @ of the case: a colour, or the device's part */
    const double *r; /* or the x of a product */
    double *x;       /* or its w */
    /* with a device: the values that it has of A, and what must come out */
    const double *there, *expected;
} problem;

/* --- one case --- */

/* Three equations, as small as they get: a chain of two and one alone; and one whose pattern is not symmetric. */
static spw_status literal(const char *name, spw_csr *A)
{
    static const double chain[9] = {2, -1, 0, -1, 4, 0, 0, 0, 5},
                        lower[9] = {2, 0, 0, 3, 4, 0, -1, 7, 5};
    const double *const a = strcmp(name, "chain") == 0   ? chain
                            : strcmp(name, "lower") == 0 ? lower
                                                         : NULL;
    if (!a) return SPW_ERR_ARG;
    const spw_status status = spw_csr_create(3, 3, 9, A);
    if (status) return status;
    spw_idx at = 0;
    for (int k = 0; k < 9; k++) {
        A->row_ptr[k / 3] = k % 3 == 0 ? at : A->row_ptr[k / 3];
        if (a[k] == 0) continue;
        A->col_idx[at] = k % 3;
        A->val[at++] = a[k];
    }
    A->row_ptr[3] = A->nnz = at;
    return SPW_OK;
}

static spw_status make_coloured(spw_trial *t, const void *at, void *made)
{
    const char *name = spw_kit_case(t);
    const bool none = strcmp(name, "none") == 0;
    spw_coloured *S = (spw_coloured *)made;
    spw_csr A = {0};
    spw_status status = none ? spw_csr_create(0, 0, 0, &A) : literal(name, &A);
    if (none && !status) A.row_ptr[0] = 0;
    if (status && status != SPW_ERR_MEMORY) status = spw_csr_load(name, &A);
    if (!status) status = spw_coloured_from_csr(&A, S);
    spw_csr_destroy(&A);
    S->on_device = ((const problem *)at)->on_device;
    return status;
}

#define ARRAY(member, type, count, more)                                                           \
    {                                                                                              \
#member, type, offsetof(spw_coloured, member), offsetof(spw_coloured, count), more, false  \
    }
#define NUMBER(name, member)                                                                       \
    {                                                                                              \
        name, offsetof(spw_coloured, member)                                                       \
    }
static const spw_kit_format coloured = {
    sizeof(spw_coloured),
    {ARRAY(colour_ptr, SPW_INDEX, n_colours, 1), ARRAY(slice_ptr, SPW_INDEX, n_slices, 1),
     ARRAY(row, SPW_INDEX, n_places, 0), ARRAY(place, SPW_INDEX, n, 0),
     ARRAY(col_idx, SPW_INDEX, n_stored, 0), ARRAY(val, SPW_DOUBLE, n_stored, 0),
     ARRAY(inverse, SPW_DOUBLE, n_places, 0)},
    {NUMBER("n", n), NUMBER("nz", nnz), NUMBER("n_stored", n_stored), NUMBER("n_places", n_places),
     NUMBER("n_slices", n_slices), NUMBER("n_colours", n_colours)},
    "n_stored; n_places; n_slices",
};

static spw_idx colour_of(const spw_coloured *S, int64_t place)
{
    spw_idx c = 0;
    while (c < S->n_colours && (int64_t)S->colour_ptr[c + 1] * C <= place) c++;
    return c;
}

/* A vector of places: random where there is a row, 0 elsewhere. */
static void fill(const spw_trial *t, const void *at, uint64_t which, void *array)
{
    const spw_coloured *S = ((const problem *)at)->S;
    const uint64_t seed = spw_trial_seed(t) + 17 * which;
    double *const v = (double *)array;
#pragma omp parallel for schedule(static)
    for (spw_idx p = 0; p < S->n_places; p++)
        v[p] = S->row[p] < 0 ? 0 : spw_random_double(seed, (uint64_t)S->row[p]) - 0.3;
}

static void fill_r(spw_trial *t, const void *at, void *array, int64_t n)
{
    (void)n;
    fill(t, at, 1, array);
}

static void fill_x(spw_trial *t, const void *at, void *array, int64_t n)
{
    (void)n;
    fill(t, at, 2, array);
}

static void prepare(spw_trial *t, const char *name, void *at)
{
    (void)name;
    ((problem *)at)->at = spw_kit_value(t, "at");
}

static void prepare_device(spw_trial *t, const char *name, void *at)
{
    prepare(t, name, at);
    ((problem *)at)->on_device = 1;
}

/* --- what is right --- */

static double row_times(const spw_coloured *S, const double *x, int64_t p)
{
    double sum = 0;
    for (spw_idx k = S->slice_ptr[p / C] + (spw_idx)(p % C); k < S->slice_ptr[p / C + 1]; k += C)
        sum += S->val[k] * x[S->col_idx[k]];
    return sum;
}

/* Row after row of a colour, as it might be written without thinking of slices. */
static void relax(const spw_coloured *S, spw_idx c, const double *r, double *x)
{
    const int64_t end = (int64_t)S->colour_ptr[c + 1] * C;
    for (int64_t p = (int64_t)S->colour_ptr[c] * C; p < end; p++)
        x[p] += (r[p] - row_times(S, x, p)) * S->inverse[p];
}

static void sweep(const spw_coloured *S, const double *r, double *x)
{
    for (spw_idx c = 0; c < S->n_colours; c++) relax(S, c, r, x);
    for (spw_idx c = S->n_colours - 2; c >= 0; c--) relax(S, c, r, x);
}

static void describe(const spw_trial *t, int64_t p, char *text, int size)
{
    const problem *const d = (const problem *)spw_kit_arguments(t);
    const spw_coloured *const S = d->S;
    const char *const whose = !d->there                           ? ""
                              : p / C < d->at * S->n_slices - 0.5 ? ", the device's part"
                                                                  : ", the host's part";
    if (S->row[p] < 0)
        snprintf(text, (size_t)size, "padding of colour %d, a place without a row",
                 colour_of(S, p));
    else
        snprintf(text, (size_t)size, "row %d, colour %d%s", S->row[p], colour_of(S, p), whose);
}

/* x must be `right`, each entry to so much of the largest one. */
static void expect_to(spw_trial *t, const problem *d, const double *right, double share)
{
    const int64_t n = d->S->n_places;
    double *const tolerance = spw_kit_doubles(t, n), most = 0;
    for (int64_t i = 0; i < n; i++) most = fmax(most, fabs(right[i]));
    for (int64_t i = 0; i < n; i++) tolerance[i] = share * most;
    spw_kit_expect(t, d->x, right, tolerance);
}

static void fill_product(spw_trial *t, const void *at, void *array, int64_t n)
{
    const problem *const d = (const problem *)at;
    double *const w = (double *)array;
    (void)t;
#pragma omp parallel for schedule(static)
    for (int64_t p = 0; p < n; p++) w[p] = row_times(d->S, d->r, p);
}

static void expect_product(spw_trial *t, const void *at)
{
    const problem *const d = (const problem *)at;
    double *const right = spw_kit_doubles(t, d->S->n_places);
    fill_product(t, at, right, d->S->n_places);
    expect_to(t, d, right, 1e-14);
}

static void expect_colour(spw_trial *t, const void *at)
{
    const problem *const d = (const problem *)at;
    double *const right = spw_kit_doubles(t, d->S->n_places);
    memcpy(right, spw_kit_start(t, d->x), (size_t)d->S->n_places * sizeof *right);
    relax(d->S, (spw_idx)d->at, d->r, right);
    expect_to(t, d, right, 1e-12);
}

static void fill_sweep(spw_trial *t, const void *at, void *array, int64_t n)
{
    const problem *const d = (const problem *)at;
    (void)n;
    fill(t, at, 2, array);
    sweep(d->S, d->r, (double *)array);
}

static void expect_sweep(spw_trial *t, const void *at)
{
    const problem *const d = (const problem *)at;
    double *const right = spw_kit_doubles(t, d->S->n_places);
    fill_sweep(t, at, right, d->S->n_places);
    expect_to(t, d, right, 1e-12);
}

static void call_slice(const void *at, spw_function f)
{
    const problem *const d = (const problem *)at;
    const spw_coloured *const S = d->S;
    for (int64_t s = 0; s < S->n_slices; s++)
        ((slice_fn)f)(S->slice_ptr, S->col_idx, S->val, d->r, s, d->x + s * C);
}

static void call_relax(const void *at, spw_function f)
{
    const problem *const d = (const problem *)at;
    ((relax_fn)f)(d->S, (spw_idx)d->at, d->r, d->x);
}

static void call_symgs(const void *at, spw_function f)
{
    const problem *const d = (const problem *)at;
    ((symgs_fn)f)(d->S, d->r, d->x);
}

static void call_split(const void *at, spw_function f)
{
    const problem *const d = (const problem *)at;
    ((split_fn)f)(d->S, d->at, d->r, d->x);
}

/* --- on a device --- */

static struct {
    bool on;
    spw_offload seen;
} watch;

static void begin_watch(const problem *d)
{
    const spw_coloured *const S = d->S;
    watch.on = spw_offload_begin();
    if (!watch.on) return;
    spw_offload_resident(S->slice_ptr, 4 * ((int64_t)S->n_slices + 1), S->slice_ptr);
    spw_offload_resident(S->col_idx, 4 * (int64_t)S->n_stored, S->col_idx);
    spw_offload_resident(S->val, 8 * (int64_t)S->n_stored, d->there ? d->there : S->val);
    spw_offload_resident(S->inverse, 8 * (int64_t)S->n_places, S->inverse);
}

/* What a device would not have done is told, not what came of it. */
static void end_watch(spw_trial *t, const problem *d)
{
    if (watch.on) spw_offload_end(&watch.seen);
    if (watch.on && !watch.seen.trouble[0] && watch.seen.regions > 0) return;
    memcpy(d->x, d->expected, (size_t)d->S->n_places * sizeof *d->x);
    if (watch.seen.trouble[0]) spw_trial_fail(t, "with a device: %s", watch.seen.trouble);
}

/* Where nothing can be watched nothing is called: evidence has said so. */
static void call_watched(spw_trial *t, spw_function f)
{
    const problem *const d = (const problem *)spw_kit_arguments(t);
    begin_watch(d);
    if (watch.on) spw_kit_call(t, f);
    end_watch(t, d);
}

static void check_symgs_there(spw_trial *t, spw_function f)
{
    (void)f;
    const problem *const d = (const problem *)spw_kit_arguments(t);
    const spw_offload *const w = &watch.seen;
    const int visits = 2 * d->S->n_colours - 1;
    const int64_t vector = 8 * (int64_t)d->S->n_places, slack = vector / 2;
    if (!watch.on) return;
    if (w->regions == 0)
        spw_trial_fail(t, "there is a device (S->on_device is 1), and nothing ran on it: %s",
                       w->on_host ? "the `if` of the target\nregion kept it on the host"
                                  : "relax_colour has no\ntarget region");
    else if (w->on_host > 0)
        spw_trial_fail(t,
                       "with a device %d of %d target regions stayed on the host: is it\n"
                       "if (target : S->on_device)?",
                       w->on_host, w->on_host + w->regions);
    else if (w->regions > visits)
        spw_trial_fail(
            t,
            "%d target regions for %d colours, expected %d: a colour was done twice in a row.\n"
            "The second time changes nothing and costs as much as the first: back it goes from\n"
            "the last colour but one",
            w->regions, d->S->n_colours, visits);
    else if (w->regions < visits)
        spw_trial_fail(
            t,
            "%d target regions for %d colours, expected %d: the teams of a device cannot wait\n"
            "for each other within a region. One region for each visit",
            w->regions, d->S->n_colours, visits);
    else if (w->to > 2 * vector + slack || w->from > vector + slack)
        spw_trial_fail(
            t,
            "the right x, but r or x went to the device and back with each colour: %lld bytes\n"
            "there and %lld back, expected %lld and %lld. Keep them there: a target data region\n"
            "around all colours",
            (long long)w->to, (long long)w->from, (long long)(2 * vector), (long long)vector);
}

/* The values of A on the device are twice those of the host: w tells who has computed it. */
static void fill_there(spw_trial *t, const void *at, void *array, int64_t n)
{
    const double *const val = ((const problem *)at)->S->val;
    (void)t;
    for (int64_t k = 0; k < n; k++) ((double *)array)[k] = 2 * val[k];
}

static void fill_divided(spw_trial *t, const void *at, void *array, int64_t n)
{
    const problem *const d = (const problem *)at;
    const int64_t middle = C * (int64_t)(d->at * d->S->n_slices + 0.5);
    fill_product(t, at, array, n);
    for (int64_t p = 0; p < middle; p++) ((double *)array)[p] *= 2;
}

/* What is there already; a sweep sums more than a product does. */
static void expect_there(spw_trial *t, const void *at)
{
    const problem *const d = (const problem *)at;
    expect_to(t, d, d->expected, d->there ? 1e-14 : 1e-12);
}

static void check_split_there(spw_trial *t, spw_function f)
{
    (void)f;
    const problem *const d = (const problem *)spw_kit_arguments(t);
    const spw_offload *const w = &watch.seen;
    const double slice = 8 * C, part = d->at * d->S->n_slices * slice;
    const int64_t all = 8 * (int64_t)d->S->n_places;
    if (!watch.on) return;
    if (w->regions == 0)
        spw_trial_fail(
            t,
            "there is a device (S->on_device is 1), and nothing ran on it, though its part\n"
            "is %g of the slices",
            d->at);
    else if (w->regions > 1)
        spw_trial_fail(t, "%d target regions, expected 1: one thread drives the device",
                       w->regions);
    else if (w->to > all + 1024)
        spw_trial_fail(
            t,
            "%lld bytes went to the device, expected %lld, those of x: w is written there and\n"
            "not read, map(from : ...)",
            (long long)w->to, (long long)all);
    else if (d->at < 1 && w->from >= all)
        spw_trial_fail(
            t, "all of w came back from the device: also the host's part, over what the host has\n"
               "written or will write. Map the device's own part of w");
    else if (fabs((double)w->from - part) > slice)
        spw_trial_fail(
            t,
            "%lld bytes of w came back from the device, expected %.0f: its part is %g of the\n"
            "slices, rounded to the nearest",
            (long long)w->from, part, d->at);
}

/* --- models --- */

/* Quantities of one visit to a colour, or of several: entries, slices, places. */
typedef struct visit {
    double entries, slices;
} visit;

static visit visit_of(const spw_coloured *S, spw_idx c)
{
    return (visit){(double)S->slice_ptr[S->colour_ptr[c + 1]] - S->slice_ptr[S->colour_ptr[c]],
                   (double)S->colour_ptr[c + 1] - S->colour_ptr[c]};
}

static void keep_visits(spw_trial *t, visit sum, double visits)
{
    spw_kit_quantity(t, ".entries", sum.entries);
    spw_kit_quantity(t, ".slices", sum.slices);
    spw_kit_quantity(t, ".places", C * sum.slices);
    spw_kit_quantity(t, ".visits", visits);
}

/* The last array of its part: S is there, costs are asked for later. */
static void fill_r_of_colour(spw_trial *t, const void *at, void *array, int64_t n)
{
    const problem *const d = (const problem *)at;
    fill_r(t, at, array, n);
    keep_visits(t, visit_of(d->S, (spw_idx)d->at), 1);
}

static void fill_r_of_sweep(spw_trial *t, const void *at, void *array, int64_t n)
{
    const spw_coloured *const S = ((const problem *)at)->S;
    visit once = {0, 0}, last = {0, 0};
    for (spw_idx c = 0; c < S->n_colours; c++) {
        last = visit_of(S, c);
        once = (visit){once.entries + last.entries, once.slices + last.slices};
    }
    fill_r(t, at, array, n);
    keep_visits(t, (visit){2 * once.entries - last.entries, 2 * once.slices - last.slices},
                S->n_colours > 0 ? 2.0 * S->n_colours - 1 : 0);
    spw_kit_quantity(t, ".twice_entries", 2 * once.entries);
    spw_kit_quantity(t, ".twice_places", 2 * C * once.slices);
}

/* r, inverse and x of its own places, all of x once a visit. slice_ptr of a colour has one more than it has slices: who
 * counts it is as right. */
#define VISITED                                                                                    \
    .cost = "load 12 entries + 4 slices + 16 places + 8 visits n_places; store 8 places; flop 2 "  \
            "entries + 3 places",                                                                  \
    .as_right = "4 visits"

static spw_cost predict_colour(const void *at, spw_function model)
{
    const problem *const d = (const problem *)at;
    return ((colour_cost_fn)model)(d->S, (spw_idx)d->at);
}

static spw_cost predict_symgs(const void *at, spw_function model)
{
    return ((symgs_cost_fn)model)(((const problem *)at)->S);
}

#define THREE "3 flop a place: minus, times inverse, plus"
static const spw_slip of_colour[] = {
    {"load 8 places - 8 n_places",
     "the x of the other colours is missing: the rows of this one read it, all n_places"},
    {"load -8 n_places", "x is missing: n_places doubles are loaded"},
    {"load 8 places",
     "x of the colour itself is among the n_places already, and in a cache when it is stored"},
    {"load -8 places", "r and inverse are both needed: 16 bytes a place"},
    {"load 4 entries", "an entry is a double and a 32-bit column: 8 + 4 = 12 bytes"},
    {"load -4 slices", "slice_ptr is missing: 4 bytes a slice"},
    {"store 8 n_places - 8 places", "only the places of this colour are stored"},
    {"flop -1 places", THREE},
    {"flop -2 places", THREE},
    {"flop -3 places", "r - A x, times inverse, added to x: 3 flop a place more"},
    {"flop -1 entries", "an entry costs a multiplication and an addition"},
    {0}};
#define OTHERWISE "all colours but the last count twice, the last one once, each with colour_cost"
static const spw_slip of_symgs[] = {
    {"= store 8 twice_places; flop 2 twice_entries + 3 twice_places",
     "the last colour counts once: back it goes from the last but one"},
    {"= store 4 twice_places; flop twice_entries + 3 twice_places / 2",
     "this is the way there alone: there and back it must be"},
    {"> load -1", OTHERWISE},
    {"> store -1", OTHERWISE},
    {"> flop -1", OTHERWISE},
    {0}};

/* --- beside it --- */

static void sweep_serially(spw_trial *t)
{
    const problem *const d = (const problem *)spw_kit_arguments(t);
    sweep(d->S, d->r, d->x);
}

static void sweep_by_library(spw_trial *t)
{
    const problem *const d = (const problem *)spw_kit_arguments(t);
    spw_symgs_coloured_target(d->S, 0, d->r, d->x);
}

static void multiply_serially(spw_trial *t)
{
    const problem *const d = (const problem *)spw_kit_arguments(t);
    for (int64_t p = 0; p < d->S->n_places; p++) d->x[p] = row_times(d->S, d->r, p);
}

static void multiply_by_library(spw_trial *t)
{
    const problem *const d = (const problem *)spw_kit_arguments(t);
    spw_spmv_coloured_target(d->S, 0, d->r, d->x);
}

/* What runs where, before anything is judged. */
static void say_where(spw_run *run)
{
    spw_offload ignored;
    const int devices = spw_target_devices(), watched = spw_offload_begin();
    if (watched) spw_offload_end(&ignored);
    spw_run_headline(
        run, "%s",
        devices ? "a device for target regions was found; the times below are of the host"
                : "no device for target regions here: both parts of a product run on the host");
    spw_run_line(
        run, "%s",
        watched
            ? "Map clauses are tried all the same: on a device that is played, whose memory is\n"
              "its own."
            : "Map clauses are NOT tried: this compiler leaves no call behind where nothing is\n"
              "offloaded. gcc does: make exercise-13 CC=gcc");
}

/* --- the declaration --- */

#define MATRIX SPW_MATRIX(problem, S, &coloured, make_coloured, )
#define PLACE  .noun = "place", .describe = describe
#define X_W                                                                                        \
    {.kind = SPW_ARG_INPUT,                                                                        \
     .name = "x",                                                                                  \
     .count = "n_places",                                                                          \
     .at = offsetof(problem, r),                                                                   \
     .fill = fill_r},                                                                              \
        SPW_OUTPUT_AS("w", problem, x, "n_places", PLACE)
#define R_X(fill_)                                                                                 \
    SPW_FILLED(problem, r, "n_places", .fill = fill_),                                             \
        SPW_START(problem, x, "n_places", .fill = fill_x, PLACE)
#define KEPT(member, count, fill_) SPW_FILLED(problem, member, count, .fill = fill_)
static const spw_argument product[] = {MATRIX, X_W, {0}};
static const spw_argument one_colour[] = {MATRIX, R_X(fill_r_of_colour), {0}};
static const spw_argument all_colours[] = {MATRIX, R_X(fill_r_of_sweep), {0}};
static const spw_argument all_there[] = {
    MATRIX, R_X(fill_r), KEPT(expected, "n_places", fill_sweep), {0}};
static const spw_argument divided[] = {MATRIX,
                                       X_W,
                                       KEPT(there, "n_stored", fill_there),
                                       KEPT(expected, "n_places", fill_divided),
                                       {0}};

#define KIT(arguments_, prepare_, ...)                                                             \
    {                                                                                              \
        arguments_, sizeof(problem), .parameters = "@at=0", .prepare = prepare_,                   \
                                     .facts = "n = {n}, nz {nz}, colours {n_colours}", __VA_ARGS__ \
    }
static const spw_kit of_slice = KIT(product, prepare, .call = call_slice, .expect = expect_product);
static const spw_kit of_relax =
    KIT(one_colour, prepare, .call = call_relax, .expect = expect_colour, .predict = predict_colour,
        VISITED, .slips = of_colour);
static const spw_kit of_sweep =
    KIT(all_colours, prepare, .call = call_symgs, .expect = expect_sweep, .predict = predict_symgs,
        VISITED, .slips = of_symgs);
static const spw_kit of_sweep_there =
    KIT(all_there, prepare_device, .call = call_symgs, .expect = expect_there);
static const spw_kit of_split = KIT(
    product, prepare, .call = call_split, .expect = expect_product,
    .cost = "load 12 n_stored + 4 (n_slices + 1) + 8 n_places; store 8 n_places; flop 2 n_stored");
static const spw_kit of_split_there =
    KIT(divided, prepare_device, .call = call_split, .expect = expect_there);

#define TIMED "laplace3d:112"

static const char *const slices[] = {"lower",      "chain",         "none",
                                     "tridiag:65", "laplace2d:9x8", "stencil27:5",
                                     "arrow:90",   "convdiff2d:17", NULL};
static const char *const colours[] = {"chain@0",      "chain@1",         "tridiag:300@1",
                                      "tridiag:65@0", "laplace2d:9x8@1", "stencil27:9@3",
                                      "arrow:90@1",   "fem1:6@2",        NULL};
static const char *const sweeps[] = {
    "stencil27:4", "laplace2d:9x8",   "tridiag:300", "chain",    "none",          "lower",
    "tridiag:65",  "laplace2d:19x18", "stencil27:9", "arrow:90", "convdiff2d:40", NULL};
static const char *const there[] = {"tridiag:300", "stencil27:9", NULL};
static const char *const split[] = {"chain@0",          "chain@1",          "none@0.5",
                                    "tridiag:300@0",    "tridiag:300@1",    "tridiag:300@0.5",
                                    "stencil27:9@0.05", "stencil27:9@0.77", NULL};
static const char *const split_there[] = {"tridiag:300@0.5", "stencil27:9@0.77", "stencil27:9@1",
                                          NULL};
static const char *const pairs[] = {"bandwidths", NULL};

static const spw_part parts[] = {
    {.function = "multiply_slice", .cases = slices, SPW_KIT(&of_slice)},
    {.function = "relax_colour", .model = "colour_cost", .cases = colours, SPW_KIT(&of_relax)},
    {.function = "symgs",
     .model = "symgs_cost",
     .cases = sweeps,
     SPW_KIT(&of_sweep),
     .speed = TIMED,
     .traffic = "laplace3d:48",
     .takes_matrix = true,
     .target = 0.7,
     .baseline = {.label = "one thread", .call = sweep_serially},
     .stretch = {.label = "library", .call = sweep_by_library}},
    {.function = "symgs",
     .cases = there,
     .kit = &of_sweep_there,
     .setup = spw_kit_setup,
     .call = call_watched,
     .claim = check_symgs_there},
    {.function = "spmv_split",
     .cases = split,
     SPW_KIT(&of_split),
     .speed = TIMED "@0.5",
     .target = 0.7,
     .baseline = {.label = "one thread", .call = multiply_serially},
     .stretch = {.label = "library", .call = multiply_by_library}},
    {.function = "spmv_split",
     .cases = split_there,
     .kit = &of_split_there,
     .setup = spw_kit_setup,
     .call = call_watched,
     .claim = check_split_there},
    {.function = "best_part", .cases = pairs, SPW_KIT(&spw_best_part)},
};

static const char *const forbidden[] = {"spw_symgs_coloured_target", "spw_spmv_coloured_target",
                                        "spw_precond_sgs_colour", NULL};

SPW_DRIVER(parts, .forbidden = forbidden, .evidence = say_where)

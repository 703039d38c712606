/* Exercise 16: Gauss-Seidel in colours and the divided product.
 *
 * A case is a matrix; a colour or the device's part may follow: "tridiag:70@1", "tridiag:70@0.3". Where that is a
 * part "there", a device is played (driver_offload.h). */
#include "symgs.h"

#include "base/random.h"
#include "base/threads.h"
#include "driver_offload.h"
#include "kit/cases.h"
#include "kit/table.h"
#include "perf/cpu_time.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct problem {
    const spw_coloured *S;
    int on_device; /* is one played? */
    double at;     /* what follows the @ of the case: a colour, or the device's part; -1: nothing */
    const double *r; /* or the x of a product */
    double *x;       /* or its w */
    /* with a device: the values that it has of A, and w before the call */
    const double *there;
    double *before;
    void (*right)(const struct problem *, double *); /* what x must be */
} problem;

/* --- one case --- */

/* Quantities of one visit to a colour, or of all those of a sweep, colour -1. */
static void keep_visits(spw_trial *t, const spw_coloured *S, spw_idx colour) {
    double entries = 0, slices = 0, visits = 0, all_entries = 0;
    for (spw_idx c = 0; c < S->n_colours; c++) {
        const spw_idx begin = S->colour_ptr[c], end = S->colour_ptr[c + 1];
        const double stored = (double)S->slice_ptr[end] - S->slice_ptr[begin];
        const int times = colour >= 0 ? c == colour : c + 1 < S->n_colours ? 2 : 1;
        entries += times * stored;
        slices += times * (end - begin);
        visits += times;
        all_entries += stored;
    }
    spw_kit_quantity(t, ".entries", entries);
    spw_kit_quantity(t, ".slices", slices);
    spw_kit_quantity(t, ".places", C * slices);
    spw_kit_quantity(t, ".visits", visits);
    spw_kit_quantity(t, ".twice_entries", 2 * all_entries);
    spw_kit_quantity(t, ".twice_places", 2 * C * (double)S->n_slices);
}

static spw_status make_coloured(spw_trial *t, const void *at, void *made) {
    const problem *const d = (const problem *)at;
    spw_coloured *S = (spw_coloured *)made;
    spw_csr A;
    spw_status status = spw_csr_named(spw_kit_case(t), spw_trial_seed(t), &A);
    if (!status) status = spw_coloured_from_csr(&A, S);
    spw_csr_destroy(&A);
    if (status) return status;
    S->on_device = d->on_device;
    keep_visits(t, S, (spw_idx)d->at);
    return SPW_OK;
}

#define ARRAY(member, type, count, more)                                                           \
    { #member, type, offsetof(spw_coloured, member), offsetof(spw_coloured, count), more, false }
#define NUMBER(name, member)                                                                       \
    { name, offsetof(spw_coloured, member) }
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

static spw_idx colour_of(const spw_coloured *S, int64_t place) {
    spw_idx c = 0;
    while (c < S->n_colours && (int64_t)S->colour_ptr[c + 1] * C <= place) c++;
    return c;
}

/* A vector of places: random where there is a row. Elsewhere the x of a sweep is 0; of r nothing is said, and it is 7. */
static void fill(spw_trial *t, const void *at, void *array, int64_t n) {
    const problem *const d = (const problem *)at;
    const uint64_t seed = spw_trial_seed(t) + 17 * (array == d->r ? 1 : 2);
    double *const v = (double *)array;
    const double without = array == d->r ? 7 : 0;
    if (array == d->r) spw_trial_trade(t, array);
#pragma omp parallel for schedule(static)
    for (int64_t p = 0; p < n; p++)
        v[p] = d->S->row[p] < 0 ? without : spw_random_double(seed, (uint64_t)d->S->row[p]) - 0.3;
}

/* --- what is right --- */

static double row_times(const spw_coloured *S, const double *x, int64_t p) {
    double sum = 0;
    for (spw_idx k = S->slice_ptr[p / C] + (spw_idx)(p % C); k < S->slice_ptr[p / C + 1]; k += C)
        sum += S->val[k] * x[S->col_idx[k]];
    return sum;
}

/* Row after row of a colour, as it might be written without thinking of slices. */
static void relax(const spw_coloured *S, spw_idx c, const double *r, double *x) {
    const int64_t end = (int64_t)S->colour_ptr[c + 1] * C;
    for (int64_t p = (int64_t)S->colour_ptr[c] * C; p < end; p++)
        x[p] += (r[p] - row_times(S, x, p)) * S->inverse[p];
}

static void relaxed(const problem *d, double *x) {
    relax(d->S, (spw_idx)d->at, d->r, x);
}

static void swept(const problem *d, double *x) {
    for (spw_idx c = 0; c < d->S->n_colours; c++) relax(d->S, c, d->r, x);
    for (spw_idx c = d->S->n_colours - 2; c >= 0; c--) relax(d->S, c, d->r, x);
}

static int64_t middle_of(const problem *d) {
    return C * (int64_t)(d->at * d->S->n_slices + 0.5);
}

/* The values of A on the device are twice those of the host: w tells who has computed it. */
static void multiplied(const problem *d, double *w) {
    const int64_t middle = d->there ? middle_of(d) : 0;
    for (int64_t p = 0; p < d->S->n_places; p++)
        w[p] = (p < middle ? 2 : 1) * row_times(d->S, d->r, p);
}

static void describe(const spw_trial *t, int64_t p, char *text, int size) {
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

static void make_right(const spw_trial *t, const problem *d, double *x) {
    if (d->right != multiplied)
        memcpy(x, spw_kit_start(t, d->x), (size_t)d->S->n_places * sizeof *x);
    d->right(d, x);
}

/* --- on a device --- */

static const problem *in_sight;
static struct {
    bool on;
    /* places that the host had not written while the device was at work, or should not have */
    int64_t late, early;
    spw_offload seen;
} watch;

/* Each entry to so much of the largest one. */
static void expect_to(spw_trial *t, const void *at, void (*right)(const problem *, double *),
                      double share) {
    problem *const d = (problem *)(uintptr_t)at;
    double *const x = spw_kit_doubles(t, d->S->n_places);
    d->right = right;
    make_right(t, d, x);
    spw_kit_expect_near(t, d->x, d->S->n_places, x, share);
    spw_trial_result(t, &watch, sizeof watch);
}

#define EXPECT(right, share)                                                                       \
    static void expect_##right(spw_trial *t, const void *at) {                                     \
        expect_to(t, at, right, share);                                                            \
    }
EXPECT(multiplied, 1e-14)
EXPECT(relaxed, 1e-12)
EXPECT(swept, 1e-12)

static void call_slice(const void *at, spw_function f) {
    const problem *const d = (const problem *)at;
    const spw_coloured *const S = d->S;
    for (int64_t s = 0; s < S->n_slices; s++)
        SPW_AS(multiply_slice, f)(S->slice_ptr, S->col_idx, S->val, d->r, s, d->x + s * C);
}

SPW_CALL(call_relax, relax_colour, const problem *d, d->S, (spw_idx)d->at, d->r, d->x)
SPW_CALL(call_symgs, symgs, const problem *d, d->S, d->r, d->x)
SPW_CALL(call_split, spmv_split, const problem *d, d->S, d->at, d->r, d->x)

/* The device works until the host's part of w is written, for 0.6 s at most, or until all threads had a processor. */
static void look_at_host(void) {
    const problem *const d = in_sight;
    const int64_t begin = middle_of(d), n = d->S->n_places;
    watch.late = watch.early = 0;
    const int most = d->before && spw_max_threads() > 1 ? 4000 : 0;
    for (int ms = 0; ms < most && (ms < 600 || spw_threads_at_work() > 1); ms++) {
        watch.late = 0;
        for (int64_t p = begin; p < n; p++)
            watch.late += memcmp(d->x + p, d->before + p, sizeof *d->x) == 0;
        watch.early = 0;
        for (int64_t p = 0; p < begin; p++)
            watch.early += memcmp(d->x + p, d->before + p, sizeof *d->x) != 0;
        if (watch.late == 0) break;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

static void begin_watch(const problem *d) {
    const spw_coloured *const S = d->S;
    in_sight = d;
    watch.on = spw_offload_begin(look_at_host);
    if (!watch.on || !d->on_device) return;
    if (d->before) memcpy(d->before, d->x, (size_t)S->n_places * sizeof *d->x);
    spw_offload_resident(S->slice_ptr, 4 * ((int64_t)S->n_slices + 1), S->slice_ptr);
    spw_offload_resident(S->col_idx, 4 * (int64_t)S->n_stored, S->col_idx);
    spw_offload_resident(S->val, 8 * (int64_t)S->n_stored, d->there ? d->there : S->val);
    spw_offload_resident(S->inverse, 8 * (int64_t)S->n_places, S->inverse);
}

/* Where nothing can be watched nothing is called for a device: evidence has said so. What no device would have done is
 * told by a claim, not by what came of it. */
static void call_watched(spw_trial *t, spw_function f) {
    const problem *const d = (const problem *)spw_kit_arguments(t);
    if (!spw_trial_checks(t)) {
        spw_kit_call(t, f);
        return;
    }
    begin_watch(d);
    if (watch.on || !d->on_device) spw_kit_call(t, f);
    if (watch.on) spw_offload_end(&watch.seen);
    if (d->on_device && !(watch.on && watch.seen.regions > 0 && !watch.seen.trouble[0]))
        make_right(t, d, d->x);
}

/* What holds of target regions everywhere; what: where there may be none. False: told, or there is no device. */
static bool ran_there(spw_trial *t, const problem *d, const char *what) {
    const spw_offload *const w = &watch.seen;
    if (!watch.on) return false;
    if (w->trouble[0])
        spw_trial_fail(t, "%s%s", d->on_device ? "with a device: " : "", w->trouble);
    else if (!d->on_device && w->regions > 0)
        spw_trial_fail(t, "S->on_device is 0, and a target region was sent to a device all the "
                          "same: is its\nclause if (target : S->on_device)?");
    else if (d->on_device && w->regions == 0)
        spw_trial_fail(t, "there is a device (S->on_device is 1), and nothing ran on it: %s",
                       w->on_host ? "the `if` of the target\nregion kept it on the host" : what);
    else
        return d->on_device;
    return false;
}

static void check_relax(spw_trial *t) {
    const problem *const d = (const problem *)spw_kit_arguments(t);
    const int regions = watch.seen.regions + watch.seen.on_host;
    if (watch.on && regions > 1 && !watch.seen.trouble[0])
        spw_trial_fail(t,
                       "%d target regions for one colour of %d slices, expected 1: each of them "
                       "starts all\nthreads anew. The region goes around the loop over slices",
                       regions, d->S->colour_ptr[(int)d->at + 1] - d->S->colour_ptr[(int)d->at]);
    else
        ran_there(t, d, "relax_colour has no\ntarget region");
}

static void check_symgs(spw_trial *t) {
    const problem *const d = (const problem *)spw_kit_arguments(t);
    const spw_offload *const w = &watch.seen;
    const int visits = 2 * d->S->n_colours - 1;
    const int64_t vector = 8 * (int64_t)d->S->n_places, slack = vector / 2;
    if (!ran_there(t, d, "relax_colour has no\ntarget region")) return;
    if (w->on_host > 0)
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

static void fill_there(spw_trial *t, const void *at, void *array, int64_t n) {
    const double *const val = ((const problem *)at)->S->val;
    (void)t;
    for (int64_t k = 0; k < n; k++) ((double *)array)[k] = 2 * val[k];
}

static void check_split(spw_trial *t) {
    const problem *const d = (const problem *)spw_kit_arguments(t);
    const spw_offload *const w = &watch.seen;
    const int64_t part = 8 * middle_of(d), all = 8 * (int64_t)d->S->n_places;
    char share[48];
    snprintf(share, sizeof share, "though its part\nis %g of the slices", d->at);
    if (!ran_there(t, d, share)) return;
    if (w->regions > 1)
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
    else if (w->from != part)
        spw_trial_fail(
            t,
            "%lld bytes of w came back from the device, expected %lld: its part is %g of the\n"
            "slices, rounded to the nearest",
            (long long)w->from, (long long)part, d->at);
    else if (watch.early > 0)
        spw_trial_fail(
            t,
            "right, but while the device was at work the host wrote %lld places of its "
            "part:\nwhoever comes last stays. The host's slices begin behind the device's",
            (long long)watch.early);
    else if (watch.late > 0 && watch.late == (all - part) / 8)
        spw_trial_fail(t,
                       "right, but the host had not begun when the device was done: a barrier, a "
                       "`single`\nor the order lets it wait. Thread 0 sends the device its slices, "
                       "the other threads\nbegin theirs at once");
    else if (watch.late > 0)
        spw_trial_fail(t,
                       "right, but %lld of the host's %lld places were not done until the device "
                       "was: thread 0,\nwhich drives it, has a share of the host's slices besides. "
                       "Share them among the others",
                       (long long)watch.late, (long long)(all - part) / 8);
}

/* --- models --- */

/* r, inverse and x of its own places, all of x once a visit. slice_ptr of a colour has one more than it has slices: who
 * counts it is as right. */
#define VISITED                                                                                    \
    .cost = "load 12 entries + 4 slices + 16 places + 8 visits n_places; store 8 places; flop 2 "  \
            "entries + 3 places",                                                                  \
    .as_right = "4 visits"

SPW_PREDICT(predict_colour, colour_cost, const problem *d, d->S, (spw_idx)d->at)
SPW_PREDICT(predict_symgs, symgs_cost, const problem *d, d->S)

#define THREE "3 flop a place: minus, times inverse, plus"
static const spw_slip of_colour[] = {
    {"load 8 places - 8 n_places",
     "the x of the other colours is missing: the rows of this one read it, all n_places"},
    {"load -8 n_places", "x is missing: n_places doubles are loaded"},
    {"load 8 places",
     "x of the colour itself is among the n_places already, and in a cache when it is stored"},
    {"load -8 places", "r and inverse are both needed: 16 bytes a place"},
    {"load 4 entries", "an entry is a double and a 32-bit column: 8 + 4 = 12 bytes"},
    {"load -4 entries", "the column of an entry is loaded as well as its value: 12 bytes, not 8"},
    {"load 8 n - 8 n_places", "x has n_places elements, not n: one for each place"},
    {"load 12 nz - 12 entries; flop 2 nz - 2 entries",
     "S->nnz are the entries of all colours, without padding. Here it is what this one\n"
     "stores: from slice_ptr of its first slice to that of the next colour's"},
    {"store 8 places", "x is stored once: 8 bytes a place"},
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

/* --- best_part --- */

typedef struct pair {
    double host, device; /* GB/s */
} pair;
static const pair bandwidths[] = {{10, 10}, {100, 300}, {300, 100},   {20.6, 69.8},
                                  {25, 0},  {1, 999},   {8000, 1e-3}, {1e-3, 8000}};

static double right_part(const pair *r) {
    return r->device / (r->host + r->device);
}

SPW_TABLE(best, "part", "{rows} pairs of bandwidths", bandwidths, pair, right_part, 1e-12,
          best_part, (r->host, r->device), "host %g GB/s, device %g GB/s", r->host, r->device)

/* --- beside it --- */

SPW_RIVAL(sweep_serially, const problem *d, swept(d, d->x))
SPW_RIVAL(sweep_by_library, const problem *d, spw_symgs_coloured_target(d->S, 0, d->r, d->x))
SPW_RIVAL(multiply_serially, const problem *d, multiplied(d, d->x))
SPW_RIVAL(multiply_by_library, const problem *d, spw_spmv_coloured_target(d->S, 0, d->r, d->x))

/* What runs where, before anything is judged. */
static void say_where(spw_run *run) {
    spw_offload ignored;
    const int devices = spw_target_devices(), watched = spw_offload_begin(NULL);
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
              "offloaded. gcc does: make exercise-16 CC=gcc");
}

/* --- the declaration --- */

#define MATRIX SPW_MATRIX(problem, S, &coloured, make_coloured, )
#define HERE   SPW_VALUE(problem, at, "at"), MATRIX
#define THERE  SPW_VALUE(problem, at, "at"), SPW_VALUE(problem, on_device, "1"), MATRIX
#define PLACE  .noun = "place", .describe = describe
#define X_AND_W                                                                                    \
    SPW_INPUT_AS("x", problem, r, "n_places", .fill = fill),                                       \
        SPW_OUTPUT_AS("w", problem, x, "n_places", PLACE)
#define R_AND_X                                                                                    \
    SPW_FILLED(problem, r, "n_places", .fill = fill),                                              \
        SPW_START(problem, x, "n_places", .fill = fill, PLACE)
static const spw_argument product[] = {HERE, X_AND_W, {0}}, smoothing[] = {HERE, R_AND_X, {0}},
                          smoothing_there[] = {THERE, R_AND_X, {0}},
                          divided[] = {THERE,
                                       X_AND_W,
                                       SPW_FILLED(problem, there, "n_stored", .fill = fill_there),
                                       SPW_ROOM(problem, before, "n_places", ),
                                       {0}};

#define KIT(arguments_, call_, right_, more, ...)                                                  \
    SPW_KIT_OF(arguments_, problem, call_, expect_##right_, .parameters = "@at=-1",                \
               .facts = "n = {n}, nz {nz}, colours {n_colours}" more, __VA_ARGS__)
#define WITH_DEVICE ", with a device"
static const spw_kit
    of_slice = KIT(product, call_slice, multiplied, "", ),
    of_relax = KIT(smoothing, call_relax, relaxed, "", .predict = predict_colour, VISITED,
                   .slips = of_colour),
    of_sweep =
        KIT(smoothing, call_symgs, swept, "", .predict = predict_symgs, VISITED, .slips = of_symgs),
    of_split = KIT(
        product, call_split, multiplied, "",
        .cost =
            "load 12 n_stored + 4 (n_slices + 1) + 8 n_places; store 8 n_places; flop 2 n_stored"),
    relax_there = KIT(smoothing_there, call_relax, relaxed, WITH_DEVICE, ),
    sweep_there = KIT(smoothing_there, call_symgs, swept, WITH_DEVICE, ),
    split_there = KIT(divided, call_split, multiplied, WITH_DEVICE, );

#define WATCHED(name, cases_, kit_, ...)                                                           \
    SPW_PART_CALLED(name, cases_, kit_, call_watched, __VA_ARGS__)
#define CASES(...) ((const char *const[]){__VA_ARGS__, NULL})
#define TIMED      "laplace3d:112"

static const spw_part parts[] = {
    SPW_PART("multiply_slice",
             CASES("tridiag:3", "fem1:2", "nothing", "tridiag:65", "laplace2d:9x8", "stencil27:5",
                   "arrow:90", "convdiff2d:17"),
             of_slice, ),
    WATCHED("relax_colour",
            CASES("tridiag:3@0", "tridiag:3@1", "tridiag:300@1", "tridiag:65@0", "laplace2d:9x8@1",
                  "stencil27:9@3", "arrow:90@1", "fem1:6@2"),
            of_relax, .model = "colour_cost", .claim = check_relax),
    WATCHED("relax_colour", CASES("laplace2d:30@1", "stencil27:5@6"), relax_there,
            .claim = check_relax),
    WATCHED("symgs",
            CASES("stencil27:4", "laplace2d:9x8", "tridiag:300", "tridiag:3", "nothing", "fem1:2",
                  "tridiag:65", "laplace2d:19x18", "stencil27:9", "arrow:90", "convdiff2d:40",
                  "diagonal"),
            of_sweep, .model = "symgs_cost", .claim = check_symgs, .speed = TIMED,
            .traffic = "laplace3d:48", .takes_matrix = true, .target = 0.7,
            .baseline = {.label = "one thread", .call = sweep_serially},
            .stretch = {.label = "library", .call = sweep_by_library}),
    WATCHED("symgs", CASES("laplace2d:30", "stencil27:7"), sweep_there, .claim = check_symgs),
    WATCHED("spmv_split",
            CASES("tridiag:3@0", "tridiag:3@1", "nothing@0.5", "tridiag:300@0", "tridiag:300@1",
                  "tridiag:300@0.5", "stencil27:9@0.05", "stencil27:9@0.77"),
            of_split, .claim = check_split, .speed = TIMED "@0.5", .target = 0.7,
            .baseline = {.label = "one thread", .call = multiply_serially},
            .stretch = {.label = "library", .call = multiply_by_library}),
    WATCHED("spmv_split",
            CASES("tridiag:320@0.5", "stencil27:10@0.77", "stencil27:10@1", "stencil27:10@0.2349"),
            split_there, .claim = check_split),
    SPW_PART("best_part", CASES("bandwidths"), best_kit, ),
};

SPW_DRIVER(parts, .evidence = say_where)

/* Exercise 13: cases, true costs and explanations for Gauss-Seidel in colours and the divided product.
 *
 * A case is a matrix; a colour or the device's part may follow: "tridiag:70@1", "tridiag:70@0.3". */
#include "symgs.h"

#include "base/random.h"
#include "base/threads.h"
#include "formats/generate.h"
#include "kernels/spmv.h"
#include "kit/offload.h"
#include "kit/systems.h"
#include "judge/exercise.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*slice_fn)(const spw_idx *, const spw_idx *, const double *, const double *, int64_t,
                         double *);
typedef void (*relax_fn)(const spw_coloured *, spw_idx, const double *, double *);
typedef void (*symgs_fn)(const spw_coloured *, const double *, double *);
typedef void (*split_fn)(const spw_coloured *, double, const double *, double *);
typedef double (*part_fn)(double, double);
typedef spw_cost (*colour_cost_fn)(const spw_coloured *, spw_idx);
typedef spw_cost (*symgs_cost_fn)(const spw_coloured *);

enum { MISTAKES_UP_TO = 20000 };

typedef struct problem {
    const spw_coloured *S;
    spw_coloured right; /* the same with arrays of the driver's own: nobody writes them */
    double at;          /* what follows the @ of the case */
    const double *r;    /* or the x of a product */
    double *x;          /* or its w */
    const double *start;
    double *a, *b, *of_a, *of_b; /* [n_places] of the test for symmetry */
    const double *expected;      /* of the parts with a device */
    int watched;
    spw_offload watch;
} problem;

/* --- one case ------------------------------------------------------------------------------------------ */

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

static spw_status make_coloured(const char *name, spw_coloured *S, double *at)
{
    char matrix[512];
    spw_csr A = {0};
    *S = (spw_coloured){0};
    *at = 0;
    snprintf(matrix, sizeof matrix, "%s", name);
    char *const sign = strrchr(matrix, '@');
    if (sign) {
        *at = strtod(sign + 1, NULL);
        *sign = 0;
    }
    const int none = strcmp(matrix, "none") == 0;
    spw_status status = none ? spw_csr_create(0, 0, 0, &A) : literal(matrix, &A);
    if (none && !status) A.row_ptr[0] = 0;
    if (status && status != SPW_ERR_MEMORY) status = spw_csr_load(matrix, &A);
    if (!status) status = spw_coloured_from_csr(&A, S);
    spw_csr_destroy(&A);
    return status;
}

static spw_idx colour_of(const spw_coloured *S, int64_t place)
{
    spw_idx c = 0;
    while (c < S->n_colours && (int64_t)S->colour_ptr[c + 1] * C <= place) c++;
    return c;
}

static double entries_of(const spw_coloured *S, spw_idx colour)
{
    return (double)S->slice_ptr[S->colour_ptr[colour + 1]] - S->slice_ptr[S->colour_ptr[colour]];
}

static void say(spw_trial *t, const spw_coloured *S)
{
    if (S->nnz >= 1000000)
        spw_trial_say(t, "n = %.2f M, nz = %.1f M, %d colours", S->n * 1e-6, S->nnz * 1e-6,
                      S->n_colours);
    else
        spw_trial_say(t, "n = %d, nz %d, %d colour%s", S->n, S->nnz, S->n_colours,
                      S->n_colours == 1 ? "" : "s");
    spw_trial_unit(t, "n_stored", S->n_stored);
    spw_trial_unit(t, "n_places", S->n_places);
    spw_trial_unit(t, "n_slices", S->n_slices);
}

/* The arrays become inputs of the trial. Those for the judge's own use are plain copies. */
static spw_status adopt(spw_trial *t, spw_coloured *S, problem *d)
{
    spw_coloured own = *S, *const right = &d->right;
    const struct {
        const char *name;
        spw_idx **from, **own, **right;
        int64_t count;
    } lists[] = {
        {"colour_ptr", &S->colour_ptr, &own.colour_ptr, &right->colour_ptr,
         (int64_t)S->n_colours + 1},
        {"slice_ptr", &S->slice_ptr, &own.slice_ptr, &right->slice_ptr, (int64_t)S->n_slices + 1},
        {"row", &S->row, &own.row, &right->row, S->n_places},
        {"place", &S->place, &own.place, &right->place, S->n},
        {"col_idx", &S->col_idx, &own.col_idx, &right->col_idx, S->n_stored},
    };
    *right = *S;
    spw_status status = SPW_OK;
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) {
        *lists[k].own =
            (spw_idx *)spw_trial_adopt(t, lists[k].name, SPW_INDEX, lists[k].count, *lists[k].from);
        *lists[k].from = NULL;
        *lists[k].right = *lists[k].own;
        if (!*lists[k].own) status = SPW_ERR_MEMORY;
    }
    own.val = (double *)spw_trial_adopt(t, "val", SPW_DOUBLE, S->n_stored, S->val);
    own.inverse = (double *)spw_trial_adopt(t, "inverse", SPW_DOUBLE, S->n_places, S->inverse);
    S->val = S->inverse = NULL;
    right->val = own.val;
    right->inverse = own.inverse;
    if (status || !own.val || !own.inverse) return SPW_ERR_MEMORY;
    d->S = (const spw_coloured *)spw_trial_struct(t, "S", &own, sizeof own);
    return d->S ? SPW_OK : SPW_ERR_MEMORY;
}

/* A vector of places: random where there is a row, 0 elsewhere. */
static void fill(const spw_trial *t, const spw_coloured *S, int which, double *v)
{
    const uint64_t seed = spw_trial_seed(t) + 17 * (uint64_t)which;
#pragma omp parallel for schedule(static)
    for (spw_idx p = 0; p < S->n_places; p++)
        v[p] = S->row[p] < 0 ? 0 : spw_random_double(seed, (uint64_t)S->row[p]) - 0.3;
}

static problem *begin(spw_trial *t, const char *name, int on_device)
{
    spw_coloured S;
    problem *d = (problem *)spw_trial_memory(t, 1, sizeof *d);
    if (!d || make_coloured(name, &S, &d->at)) return NULL;
    S.on_device = on_device;
    say(t, &S);
    const spw_status status = adopt(t, &S, d);
    spw_coloured_destroy(&(spw_coloured){.colour_ptr = S.colour_ptr,
                                         .slice_ptr = S.slice_ptr,
                                         .row = S.row,
                                         .place = S.place,
                                         .col_idx = S.col_idx,
                                         .val = S.val,
                                         .inverse = S.inverse});
    return status ? NULL : d;
}

/* --- what is right, and what typical mistakes give ------------------------------------------------------- */

static double row_times(const spw_coloured *S, const double *x, int64_t p)
{
    double sum = 0;
    for (spw_idx k = S->slice_ptr[p / C] + (spw_idx)(p % C); k < S->slice_ptr[p / C + 1]; k += C)
        sum += S->val[k] * x[S->col_idx[k]];
    return sum;
}

enum mistake {
    RIGHT,
    FORWARD,
    SAME_AGAIN,
    BACK_TO_1,
    NO_LAST,
    BACK_FIRST,
    JACOBI,
    FROM_0,
    SIGN,
    OVERWRITES,
    UNDIVIDED,
    FIRST_SLICE,
    LAST_SLICE,
    NEXT_COLOUR,
    SLICE_IS_COLOUR,
    MISTAKES,
    OF_ONE_COLOUR = SIGN /* the first of those that show in one colour already */
};

static const char *const mistake_text[MISTAKES] = {
    [SIGN] = "the sign is wrong: x += D^-1 (r - A x)",
    [OVERWRITES] =
        "x was overwritten: row i of A x has a_ii x_i in it, so that x_i is to be added to",
    [UNDIVIDED] = "it is not divided by the diagonal: (r - A x) times inverse",
    [FIRST_SLICE] = "only the first slice of the colour was done: a colour has slices\n"
                    "colour_ptr[c] .. colour_ptr[c+1]-1",
    [LAST_SLICE] =
        "the last slice of the colour is missing: colour_ptr[c+1] is the first that is not\n"
        "of it",
    [NEXT_COLOUR] =
        "a slice of the next colour was done as well: the last one is colour_ptr[c+1]-1",
    [SLICE_IS_COLOUR] =
        "slice c was taken for colour c: the slices of a colour begin at colour_ptr[c]",
    [FORWARD] =
        "this is the sweep forward alone, and that is not symmetric: the way back is missing",
    [SAME_AGAIN] =
        "the second sweep went forward, too: back it goes from the last colour but one to\n"
        "colour 0",
    [BACK_TO_1] = "the way back ends before colour 0: c >= 0",
    [NO_LAST] = "the last colour was never done: forward it goes to n_colours-1",
    [BACK_FIRST] = "this is back first, and then forward: it begins with colour 0",
    [JACOBI] = "all colours took the x of the beginning: that is Jacobi. A colour needs what the\n"
               "colours before it have just written; between two of them everybody waits",
    [FROM_0] = "x began at 0: it must begin with what it holds on entry",
};

static void relax_place(const spw_coloured *S, int m, const double *r, const double *from,
                        double *x, int64_t p)
{
    const double rest = r[p] - row_times(S, from, p), inverse = S->inverse[p];
    if (S->row[p] < 0) return;
    if (m == OVERWRITES)
        x[p] = rest * inverse;
    else
        x[p] += m == SIGN ? -rest * inverse : m == UNDIVIDED ? rest : rest * inverse;
}

/* One colour. from: where x is read, x itself but for Jacobi. */
static void simulate_colour(const spw_coloured *S, int m, spw_idx c, const double *r,
                            const double *from, double *x)
{
    int64_t first = S->colour_ptr[c], last = S->colour_ptr[c + 1];
    if (m == FIRST_SLICE && last > first) last = first + 1;
    if (m == LAST_SLICE && last > first) last--;
    if (m == NEXT_COLOUR && last < S->n_slices) last++;
    if (m == SLICE_IS_COLOUR) {
        first = c;
        last = c + 1;
    }
    for (int64_t p = first * C; p < last * C; p++) relax_place(S, m, r, from, x, p);
}

static void simulate(const spw_coloured *S, int m, const double *r, double *old, double *x)
{
    const spw_idx n = S->n_colours;
    if (m == FROM_0) memset(x, 0, (size_t)S->n_places * sizeof *x);
    if (m == BACK_FIRST) {
        for (spw_idx c = n - 1; c >= 0; c--) simulate_colour(S, m, c, r, x, x);
        for (spw_idx c = 1; c < n; c++) simulate_colour(S, m, c, r, x, x);
        return;
    }
    for (int sweep = 0; sweep < (m == JACOBI ? 2 : 1); sweep++) {
        const double *const from = m == JACOBI ? old : x;
        if (m == JACOBI) memcpy(old, x, (size_t)S->n_places * sizeof *x);
        for (spw_idx c = 0; c < (m == NO_LAST ? n - 1 : n); c++)
            simulate_colour(S, m, c, r, from, x);
    }
    if (m == JACOBI || m == FORWARD) return;
    if (m == SAME_AGAIN) {
        for (spw_idx c = 0; c < n; c++) simulate_colour(S, m, c, r, x, x);
        return;
    }
    for (spw_idx c = n - 2; c >= (m == BACK_TO_1); c--) simulate_colour(S, m, c, r, x, x);
}

static void describe(const spw_trial *t, int64_t p, char *text, int size)
{
    const problem *const d = (const problem *)spw_trial_data(t);
    const spw_coloured *const S = d->S;
    const char *const whose = !d->expected || d->start            ? ""
                              : p / C < d->at * S->n_slices - 0.5 ? ", the device's part"
                                                                  : ", the host's part";
    if (S->row[p] < 0)
        snprintf(text, (size_t)size, "padding of colour %d, a place without a row",
                 colour_of(S, p));
    else
        snprintf(text, (size_t)size, "row %d, colour %d%s", S->row[p], colour_of(S, p), whose);
}

static double largest(int64_t n, const double *v)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++) most = fmax(most, fabs(v[i]));
    return most;
}

/* Expects `expected`, each entry to so much of the largest one. */
static spw_status expect(spw_trial *t, const double *array, int64_t n, const double *expected,
                         double share)
{
    double *const tolerance = spw_trial_doubles(t, n);
    if (!tolerance) return SPW_ERR_MEMORY;
    const double most = largest(n, expected);
    for (int64_t i = 0; i < n; i++) tolerance[i] = share * most;
    spw_trial_expect(t, array,
                     (spw_expectation){.expected = expected,
                                       .tolerance = tolerance,
                                       .count = n,
                                       .noun = "place",
                                       .describe = describe});
    return SPW_OK;
}

/* --- the slice -------------------------------------------------------------------------------------------- */

enum slice_mistake { PLACE_BY_ROWS, ONE_COLUMN, PADDING_ENDS, LAST_COLUMN, SLICE_MISTAKES };

static double wrong_row_times(const spw_coloured *S, int m, const double *x, int64_t p)
{
    const spw_idx first = S->slice_ptr[p / C], size = S->slice_ptr[p / C + 1] - first;
    const spw_idx length = size / C, lane = (spw_idx)(p % C);
    double sum = 0;
    for (spw_idx k = 0; k < length; k++) {
        const spw_idx at = m == PLACE_BY_ROWS ? first + lane * length + k : first + k * C + lane;
        if (m == ONE_COLUMN && k > 0) break;
        if (m == PADDING_ENDS && S->val[first + k * C + C - 1] == 0) break;
        if (m == LAST_COLUMN && k == length - 1) break;
        sum += S->val[at] * x[S->col_idx[at]];
    }
    return sum;
}

static spw_status expect_product(spw_trial *t, problem *d, int with_mistakes)
{
    static const char *const text[SLICE_MISTAKES] = {
        [PLACE_BY_ROWS] =
            "the slice was read row by row. It lies column by column: entry k of lane l is at\n"
            "slice_ptr[s] + 32 k + l",
        [ONE_COLUMN] = "only the first entry of each row was taken: a slice has\n"
                       "(slice_ptr[s+1] - slice_ptr[s]) / 32 of them",
        [PADDING_ENDS] =
            "a value of 0 was taken for the end of the slice: it may be padding of one lane,\n"
            "and other lanes go on",
        [LAST_COLUMN] = "the last entry of each row is missing",
    };
    const spw_coloured *const S = d->S;
    double *const right = spw_trial_doubles(t, S->n_places);
    if (!right) return SPW_ERR_MEMORY;
#pragma omp parallel for schedule(static)
    for (int64_t p = 0; p < S->n_places; p++) right[p] = row_times(S, d->r, p);
    const spw_status status = expect(t, d->x, S->n_places, right, 1e-14);
    if (status || !with_mistakes || S->n_places > MISTAKES_UP_TO) return status;
    for (int m = 0; m < SLICE_MISTAKES; m++) {
        double *const wrong = text[m] ? spw_trial_doubles(t, S->n_places) : NULL;
        if (!wrong) continue;
        for (int64_t p = 0; p < S->n_places; p++) wrong[p] = wrong_row_times(S, m, d->r, p);
        spw_trial_mistake(t, d->x, wrong, text[m]);
    }
    return SPW_OK;
}

static spw_status set_up_product(spw_trial *t, const char *name, int on_device)
{
    problem *const d = begin(t, name, on_device);
    double *const x = d ? (double *)spw_trial_input(t, "x", SPW_DOUBLE, d->S->n_places) : NULL;
    if (!x) return SPW_ERR_MEMORY;
    fill(t, d->S, 1, x);
    d->r = x;
    d->x = (double *)spw_trial_output(t, "w", SPW_DOUBLE, d->S->n_places);
    return d->x ? expect_product(t, d, 1) : SPW_ERR_MEMORY;
}

static spw_status set_up_slice(spw_trial *t, const char *name)
{
    return set_up_product(t, name, 0);
}

static void call_slice(spw_trial *t, spw_function f)
{
    const problem *const d = (const problem *)spw_trial_data(t);
    const spw_coloured *const S = d->S;
    for (int64_t s = 0; s < S->n_slices; s++)
        ((slice_fn)f)(S->slice_ptr, S->col_idx, S->val, d->r, s, d->x + s * C);
}

/* --- one colour, and all of them ---------------------------------------------------------------------------- */

static spw_status set_up_vectors(spw_trial *t, problem *d)
{
    const int64_t n = d->S->n_places;
    double *const r = (double *)spw_trial_input(t, "r", SPW_DOUBLE, n), *const start =
                                                                            spw_trial_doubles(t, n);
    if (!r || !start) return SPW_ERR_MEMORY;
    fill(t, d->S, 1, r);
    fill(t, d->S, 2, start);
    d->r = r;
    d->start = start;
    d->x = (double *)spw_trial_inout(t, "x", SPW_DOUBLE, n, start);
    return d->x ? SPW_OK : SPW_ERR_MEMORY;
}

/* The x that the mistake m gives; colour < 0: of a whole sweep. NULL where there is no memory. */
static double *outcome(spw_trial *t, const problem *d, int m, spw_idx colour)
{
    const int64_t n = d->S->n_places;
    double *const x = spw_trial_doubles(t, n), *const old =
                                                   m == JACOBI ? spw_trial_doubles(t, n) : x;
    if (!x || !old) return NULL;
    memcpy(x, d->start, (size_t)n * sizeof *x);
    if (colour < 0)
        simulate(d->S, m, d->r, old, x);
    else
        simulate_colour(d->S, m, colour, d->r, x, x);
    return x;
}

static spw_status expect_sweep(spw_trial *t, const problem *d, spw_idx colour)
{
    const int64_t n = d->S->n_places;
    const int mistakes = n > MISTAKES_UP_TO ? 0 : MISTAKES;
    double *const right = outcome(t, d, RIGHT, colour);
    if (!right) return SPW_ERR_MEMORY;
    const spw_status status = expect(t, d->x, n, right, 1e-12);
    for (int m = colour < 0 ? 1 : OF_ONE_COLOUR; m < mistakes && !status; m++) {
        const double *const wrong = outcome(t, d, m, colour);
        if (!wrong) return SPW_ERR_MEMORY;
        spw_trial_mistake(t, d->x, wrong, mistake_text[m]);
    }
    return status;
}

static spw_status set_up_relax(spw_trial *t, const char *name)
{
    problem *const d = begin(t, name, 0);
    if (!d || set_up_vectors(t, d)) return SPW_ERR_MEMORY;
    return expect_sweep(t, d, (spw_idx)d->at);
}

static void call_relax(spw_trial *t, spw_function f)
{
    const problem *const d = (const problem *)spw_trial_data(t);
    ((relax_fn)f)(d->S, (spw_idx)d->at, d->r, d->x);
}

static spw_status set_up_symgs(spw_trial *t, const char *name)
{
    problem *const d = begin(t, name, 0);
    if (!d || set_up_vectors(t, d)) return SPW_ERR_MEMORY;
    return expect_sweep(t, d, -1);
}

static void call_symgs(spw_trial *t, spw_function f)
{
    const problem *const d = (const problem *)spw_trial_data(t);
    ((symgs_fn)f)(d->S, d->r, d->x);
}

/* --- is it symmetric? ---------------------------------------------------------------------------------------- */

static spw_status set_up_symmetry(spw_trial *t, const char *name)
{
    problem *const d = begin(t, name, 0);
    if (!d) return SPW_ERR_MEMORY;
    const int64_t n = d->S->n_places;
    double **const vectors[] = {&d->a, &d->b, &d->of_a, &d->of_b};
    for (int k = 0; k < 4; k++) {
        *vectors[k] = spw_trial_doubles(t, n);
        if (!*vectors[k]) return SPW_ERR_MEMORY;
    }
    fill(t, d->S, 3, d->a);
    fill(t, d->S, 4, d->b);
    return SPW_OK;
}

/* M r is what one call makes of x = 0. */
static void call_symmetry(spw_trial *t, spw_function f)
{
    const problem *const d = (const problem *)spw_trial_data(t);
    const size_t bytes = (size_t)d->S->n_places * sizeof(double);
    memset(d->of_a, 0, bytes);
    memset(d->of_b, 0, bytes);
    ((symgs_fn)f)(d->S, d->a, d->of_a);
    ((symgs_fn)f)(d->S, d->b, d->of_b);
}

/* Which of the known mistakes makes d->of_a of d->a? */
static const char *known_mistake(spw_trial *t, const problem *d)
{
    const int64_t n = d->S->n_places;
    double *const x = spw_trial_doubles(t, n), *const old = spw_trial_doubles(t, n);
    for (int m = 1; m < MISTAKES && x && old; m++) {
        double off = 0;
        memset(x, 0, (size_t)n * sizeof *x);
        simulate(d->S, m, d->a, old, x);
        for (int64_t i = 0; i < n; i++) off = fmax(off, fabs(x[i] - d->of_a[i]));
        if (off <= 1e-12 * largest(n, x)) return mistake_text[m];
    }
    return "Is the way back that of the way there, the other way round, with the same step in\n"
           "each colour?";
}

static void check_symmetry(spw_trial *t, spw_function f)
{
    (void)f;
    const problem *const d = (const problem *)spw_trial_data(t);
    const int64_t n = d->S->n_places;
    const double b_a = spw_system_dot(n, d->b, d->of_a), a_b = spw_system_dot(n, d->a, d->of_b);
    const double size = sqrt(spw_system_dot(n, d->a, d->a) * spw_system_dot(n, d->of_b, d->of_b)) +
                        sqrt(spw_system_dot(n, d->b, d->b) * spw_system_dot(n, d->of_a, d->of_a));
    if (fabs(b_a - a_b) <= 1e-12 * size) return;
    spw_trial_fail(
        t,
        "A is symmetric, and M, which makes x of r where x begins at 0, is not: for two\n"
        "vectors a and b it gives b.(M a) = %.6g, but a.(M b) = %.6g. CG needs them equal.\n%s",
        b_a, a_b, known_mistake(t, d));
}

/* --- on a device --------------------------------------------------------------------------------------------- */

/* val: the device's values of A. */
static void begin_watch(problem *d, const double *val)
{
    const spw_coloured *const S = d->S;
    d->watched = spw_offload_begin();
    if (!d->watched) return;
    spw_offload_resident(S->slice_ptr, 4 * ((int64_t)S->n_slices + 1), S->slice_ptr);
    spw_offload_resident(S->col_idx, 4 * (int64_t)S->n_stored, S->col_idx);
    spw_offload_resident(S->val, 8 * (int64_t)S->n_stored, val);
    spw_offload_resident(S->inverse, 8 * (int64_t)S->n_places, S->inverse);
}

static spw_status set_up_symgs_there(spw_trial *t, const char *name)
{
    problem *const d = begin(t, name, 1);
    if (!d || set_up_vectors(t, d)) return SPW_ERR_MEMORY;
    d->expected = outcome(t, d, RIGHT, -1);
    spw_trial_mistake(t, d->x, d->start,
                      "with a device: x went there and did not come back. map(tofrom : ...)");
    return d->expected ? expect(t, d->x, d->S->n_places, d->expected, 1e-12) : SPW_ERR_MEMORY;
}

/* What a device would not have done is told, not what came of it. */
static void end_watch(spw_trial *t, problem *d)
{
    if (d->watched) spw_offload_end(&d->watch);
    if (d->watched && !d->watch.trouble[0] && d->watch.regions > 0) return;
    memcpy(d->x, d->expected, (size_t)d->S->n_places * sizeof *d->x);
    if (d->watch.trouble[0]) spw_trial_fail(t, "with a device: %s", d->watch.trouble);
}

/* Where nothing can be watched nothing is called: evidence has said so. */
static void call_symgs_there(spw_trial *t, spw_function f)
{
    problem *const d = (problem *)spw_trial_data(t);
    begin_watch(d, d->S->val);
    if (d->watched) ((symgs_fn)f)(d->S, d->r, d->x);
    end_watch(t, d);
}

static void check_symgs_there(spw_trial *t, spw_function f)
{
    (void)f;
    const problem *const d = (const problem *)spw_trial_data(t);
    const spw_offload *const w = &d->watch;
    const int visits = 2 * d->S->n_colours - 1;
    const int64_t vector = 8 * (int64_t)d->S->n_places, slack = vector / 2;
    if (!d->watched) return;
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

static spw_status set_up_split(spw_trial *t, const char *name)
{
    return set_up_product(t, name, 0);
}

/* The values of A on the device are twice those of the host: w tells who has computed it. */
static const double *side(spw_trial *t, const problem *d, const double *right, double host,
                          double device)
{
    const spw_coloured *const S = d->S;
    const int64_t middle = C * (int64_t)(d->at * S->n_slices + 0.5);
    double *const w = spw_trial_doubles(t, S->n_places);
    for (int64_t p = 0; w && p < S->n_places; p++) w[p] = (p < middle ? device : host) * right[p];
    return w;
}

static spw_status set_up_split_there(spw_trial *t, const char *name)
{
    problem *const d = begin(t, name, 1);
    double *const x = d ? (double *)spw_trial_input(t, "x", SPW_DOUBLE, d->S->n_places) : NULL;
    if (!x) return SPW_ERR_MEMORY;
    const int64_t n = d->S->n_places, n_stored = d->S->n_stored;
    double *const val = spw_trial_doubles(t, n_stored), *const right = spw_trial_doubles(t, n);
    d->x = (double *)spw_trial_output(t, "w", SPW_DOUBLE, n);
    if (!d->x || !val || !right) return SPW_ERR_MEMORY;
    fill(t, d->S, 1, x);
    d->r = x;
    d->a = val;
    for (int64_t k = 0; k < n_stored; k++) val[k] = 2 * d->S->val[k];
    for (int64_t p = 0; p < n; p++) right[p] = row_times(d->S, x, p);
    d->expected = side(t, d, right, 1, 2);
    const double *const here = side(t, d, right, 1, 1), *const away = side(t, d, right, 2, 2);
    if (!d->expected || !here || !away) return SPW_ERR_MEMORY;
    spw_trial_mistake(
        t, d->x, here,
        "with a device: its part was done by the host, instead of the device or besides. The\n"
        "host's slices begin behind the device's");
    if (d->at < 1)
        spw_trial_mistake(t, d->x, away, "with a device: it did all slices, whatever its part is");
    return expect(t, d->x, n, d->expected, 1e-14);
}

static void call_split(spw_trial *t, spw_function f)
{
    const problem *const d = (const problem *)spw_trial_data(t);
    ((split_fn)f)(d->S, d->at, d->r, d->x);
}

static void call_split_there(spw_trial *t, spw_function f)
{
    problem *const d = (problem *)spw_trial_data(t);
    begin_watch(d, d->a);
    if (d->watched) ((split_fn)f)(d->S, d->at, d->r, d->x);
    end_watch(t, d);
}

static void check_split_there(spw_trial *t, spw_function f)
{
    (void)f;
    const problem *const d = (const problem *)spw_trial_data(t);
    const spw_offload *const w = &d->watch;
    const double slice = 8 * C, part = d->at * d->S->n_slices * slice;
    const int64_t all = 8 * (int64_t)d->S->n_places;
    if (!d->watched) return;
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

/* --- the best part -------------------------------------------------------------------------------------------- */

static const double bandwidths[][2] = {{10, 10},     {100, 300}, {300, 100},
                                       {20.6, 69.8}, {25, 0},    {1, 999}};
enum { PAIRS = sizeof bandwidths / sizeof bandwidths[0] };

static void describe_pair(const spw_trial *t, int64_t k, char *text, int size)
{
    (void)t;
    snprintf(text, (size_t)size, "host %g GB/s, device %g GB/s", bandwidths[k][0],
             bandwidths[k][1]);
}

static void part_mistake(spw_trial *t, double *parts, int m, const char *text)
{
    double *const wrong = spw_trial_doubles(t, PAIRS);
    for (int k = 0; wrong && k < PAIRS; k++) {
        const double h = bandwidths[k][0], d = bandwidths[k][1], right = d / (h + d);
        wrong[k] = m == 0 ? 1 - right : m == 1 ? d / h : m == 2 ? 0.5 : (d > h ? 1 : 0);
    }
    if (wrong) spw_trial_mistake(t, parts, wrong, text);
}

static spw_status set_up_part(spw_trial *t, const char *name)
{
    (void)name;
    problem *const d = (problem *)spw_trial_memory(t, 1, sizeof *d);
    double *const right = spw_trial_doubles(t, PAIRS), *const tolerance =
                                                           spw_trial_doubles(t, PAIRS);
    if (!d || !right || !tolerance) return SPW_ERR_MEMORY;
    d->x = (double *)spw_trial_output(t, "part", SPW_DOUBLE, PAIRS);
    if (!d->x) return SPW_ERR_MEMORY;
    for (int k = 0; k < PAIRS; k++) {
        right[k] = bandwidths[k][1] / (bandwidths[k][0] + bandwidths[k][1]);
        tolerance[k] = 1e-12;
    }
    spw_trial_say(t, "%d pairs of bandwidths", PAIRS);
    spw_trial_expect(t, d->x,
                     (spw_expectation){.expected = right,
                                       .tolerance = tolerance,
                                       .count = PAIRS,
                                       .noun = "pair",
                                       .describe = describe_pair});
    part_mistake(t, d->x, 0, "this is the host's part: best_part is that of the device");
    part_mistake(t, d->x, 1,
                 "this is the ratio of the two: the part is of the whole, b_host + b_device");
    part_mistake(t, d->x, 2,
                 "half for each lets the faster one wait: both must end at the same time");
    part_mistake(t, d->x, 3, "all for the faster one: the slower one helps, however slow");
    return SPW_OK;
}

static void call_part(spw_trial *t, spw_function f)
{
    const problem *const d = (const problem *)spw_trial_data(t);
    for (int k = 0; k < PAIRS; k++) d->x[k] = ((part_fn)f)(bandwidths[k][0], bandwidths[k][1]);
}

/* --- models ------------------------------------------------------------------------------------------------------ */

static spw_cost true_colour(const spw_coloured *S, spw_idx c)
{
    const double slices = S->colour_ptr[c + 1] - S->colour_ptr[c], entries = entries_of(S, c);
    return (spw_cost){.load = 12 * entries + 4 * slices + 16 * C * slices + 8.0 * S->n_places,
                      .store = 8 * C * slices,
                      .flop = 2 * entries + 3 * C * slices};
}

static spw_cost true_symgs(const spw_coloured *S)
{
    spw_cost sum = {0};
    for (spw_idx k = 0; k < 2 * S->n_colours - 1; k++) {
        const spw_cost one = true_colour(S, k < S->n_colours ? k : 2 * S->n_colours - 2 - k);
        sum = (spw_cost){sum.load + one.load, sum.store + one.store, sum.flop + one.flop};
    }
    return sum;
}

/* slice_ptr of a colour has one more than it has slices: who counts it is as right. */
static spw_cost rounded(spw_cost got, spw_cost truth, int visits)
{
    if (got.load - truth.load == 4.0 * visits) got.load = truth.load;
    return got;
}

static spw_cost cost_of_colour(const spw_trial *t)
{
    const problem *const d = (const problem *)spw_trial_data(t);
    return true_colour(d->S, (spw_idx)d->at);
}

static spw_cost predict_colour(spw_trial *t, spw_function model)
{
    const problem *const d = (const problem *)spw_trial_data(t);
    return rounded(((colour_cost_fn)model)(d->S, (spw_idx)d->at), cost_of_colour(t), 1);
}

static spw_cost cost_of_symgs(const spw_trial *t)
{
    return true_symgs(((const problem *)spw_trial_data(t))->S);
}

static spw_cost predict_symgs(spw_trial *t, spw_function model)
{
    const spw_coloured *const S = ((const problem *)spw_trial_data(t))->S;
    return rounded(((symgs_cost_fn)model)(S), true_symgs(S), 2 * S->n_colours - 1);
}

static spw_cost cost_of_split(const spw_trial *t)
{
    const spw_coloured *const S = ((const problem *)spw_trial_data(t))->S;
    return (spw_cost){.load = (double)spw_coloured_bytes(S) + 8.0 * S->n_places,
                      .store = 8.0 * S->n_places,
                      .flop = 2.0 * S->n_stored};
}

static int same(spw_cost a, double load, double store, double flop)
{
    return fabs(a.load - load) < 9 && fabs(a.store - store) < 9 && fabs(a.flop - flop) < 9;
}

static void explain_colour(const spw_trial *t, spw_cost got, char *text, int size)
{
    const problem *const d = (const problem *)spw_trial_data(t);
    const spw_coloured *const S = d->S;
    const spw_cost right = cost_of_colour(t);
    const double entries = entries_of(S, (spw_idx)d->at);
    const double slices = S->colour_ptr[(spw_idx)d->at + 1] - S->colour_ptr[(spw_idx)d->at];
    const double p = C * slices, load = right.load, store = right.store, flop = right.flop;
    const struct {
        double load, store, flop;
        const char *text;
    } slips[] = {
        {load - 8.0 * S->n_places + 8 * p, store, flop,
         "the x of the other colours is missing: the rows of this one read it, all n_places"},
        {load - 8.0 * S->n_places, store, flop, "x is missing: n_places doubles are loaded"},
        {load + 8 * p, store, flop,
         "x of the colour itself is among the n_places already, and in a cache when it is stored"},
        {load - 8 * p, store, flop, "r and inverse are both needed: 16 bytes a place"},
        {load + 4 * entries, store, flop,
         "an entry is a double and a 32-bit column: 8 + 4 = 12 bytes"},
        {load - 4 * slices, store, flop, "slice_ptr is missing: 4 bytes a slice"},
        {load, 8.0 * S->n_places, flop, "only the places of this colour are stored"},
        {load, store, flop - p, "3 flop a place: minus, times inverse, plus"},
        {load, store, flop - 2 * p, "3 flop a place: minus, times inverse, plus"},
        {load, store, flop - 3 * p, "r - A x, times inverse, added to x: 3 flop a place more"},
        {load, store, flop - entries, "an entry costs a multiplication and an addition"},
    };
    for (size_t k = 0; k < sizeof slips / sizeof slips[0]; k++)
        if (same(got, slips[k].load, slips[k].store, slips[k].flop)) {
            snprintf(text, (size_t)size, "%s", slips[k].text);
            return;
        }
}

static void explain_symgs(const spw_trial *t, spw_cost got, char *text, int size)
{
    const spw_coloured *const S = ((const problem *)spw_trial_data(t))->S;
    const spw_idx n = S->n_colours;
    const spw_cost right = true_symgs(S), last = true_colour(S, n - 1);
    spw_cost once = {0};
    for (spw_idx c = 0; c < n; c++) {
        const spw_cost one = true_colour(S, c);
        once = (spw_cost){once.load + one.load, once.store + one.store, once.flop + one.flop};
    }
    const double slack = 4.0 * (2 * n);
    const spw_cost twice = {right.load + last.load, right.store + last.store,
                            right.flop + last.flop};
    if (fabs(got.load - twice.load) <= slack && got.flop == twice.flop)
        snprintf(text, (size_t)size,
                 "the last colour counts once: back it goes from the last but one");
    else if (fabs(got.load - once.load) <= slack && got.flop == once.flop)
        snprintf(text, (size_t)size, "this is the way there alone: there and back it must be");
    else if (n > 1)
        snprintf(text, (size_t)size,
                 "colours 0 .. %d count twice, colour %d once, each with colour_cost", n - 2,
                 n - 1);
}

/* --- beside it ----------------------------------------------------------------------------------------------------- */

/* Row after row of a colour, as it might be written without thinking of slices. */
static void sweep_serially(spw_trial *t)
{
    const problem *const d = (const problem *)spw_trial_data(t);
    simulate(&d->right, RIGHT, d->r, d->x, d->x);
}

static void sweep_by_library(spw_trial *t)
{
    const problem *const d = (const problem *)spw_trial_data(t);
    spw_symgs_coloured_target(&d->right, 0, d->r, d->x);
}

static void multiply_serially(spw_trial *t)
{
    const problem *const d = (const problem *)spw_trial_data(t);
    for (int64_t p = 0; p < d->S->n_places; p++) d->x[p] = row_times(&d->right, d->r, p);
}

static void multiply_by_library(spw_trial *t)
{
    const problem *const d = (const problem *)spw_trial_data(t);
    spw_spmv_coloured_target(&d->right, 0, d->r, d->x);
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

/* --- the declaration ------------------------------------------------------------------------------------------------ */

#define TIMED "laplace3d:112"

static const char *const slices[] = {"lower",      "chain",         "none",
                                     "tridiag:65", "laplace2d:9x8", "stencil27:5",
                                     "arrow:90",   "convdiff2d:17", NULL};
static const char *const colours[] = {"chain@0",      "chain@1",         "tridiag:300@1",
                                      "tridiag:65@0", "laplace2d:9x8@1", "stencil27:9@3",
                                      "arrow:90@1",   "fem1:6@2",        NULL};
static const char *const symmetric[] = {"stencil27:4", "laplace2d:9x8", "tridiag:300", "chain",
                                        NULL};
static const char *const sweeps[] = {
    "chain",       "none",     "lower",         "tridiag:65", "laplace2d:19x18",
    "stencil27:9", "arrow:90", "convdiff2d:40", NULL};
static const char *const there[] = {"tridiag:300", "stencil27:9", NULL};
static const char *const split[] = {"chain@0",          "chain@1",          "none@0.5",
                                    "tridiag:300@0",    "tridiag:300@1",    "tridiag:300@0.5",
                                    "stencil27:9@0.05", "stencil27:9@0.77", NULL};
static const char *const split_there[] = {"tridiag:300@0.5", "stencil27:9@0.77", "stencil27:9@1",
                                          NULL};
static const char *const pairs[] = {"bandwidths", NULL};

static const spw_part parts[] = {
    {.function = "multiply_slice", .cases = slices, .setup = set_up_slice, .call = call_slice},
    {.function = "relax_colour",
     .model = "colour_cost",
     .cases = colours,
     .setup = set_up_relax,
     .call = call_relax,
     .predict = predict_colour,
     .cost = cost_of_colour,
     .explain_model = explain_colour},
    {.function = "symgs",
     .cases = symmetric,
     .setup = set_up_symmetry,
     .call = call_symmetry,
     .claim = check_symmetry},
    {.function = "symgs",
     .model = "symgs_cost",
     .cases = sweeps,
     .setup = set_up_symgs,
     .call = call_symgs,
     .predict = predict_symgs,
     .cost = cost_of_symgs,
     .explain_model = explain_symgs,
     .speed = TIMED,
     .traffic = "laplace3d:48",
     .takes_matrix = true,
     .target = 0.7,
     .baseline = {"one thread", sweep_serially},
     .stretch = {"library", sweep_by_library}},
    {.function = "symgs",
     .cases = there,
     .setup = set_up_symgs_there,
     .call = call_symgs_there,
     .claim = check_symgs_there},
    {.function = "spmv_split",
     .cases = split,
     .setup = set_up_split,
     .call = call_split,
     .cost = cost_of_split,
     .speed = TIMED "@0.5",
     .target = 0.7,
     .baseline = {"one thread", multiply_serially},
     .stretch = {"library", multiply_by_library}},
    {.function = "spmv_split",
     .cases = split_there,
     .setup = set_up_split_there,
     .call = call_split_there,
     .claim = check_split_there},
    {.function = "best_part", .cases = pairs, .setup = set_up_part, .call = call_part},
};

static const char *const forbidden[] = {"spw_symgs_coloured_target", "spw_spmv_coloured_target",
                                        "spw_precond_sgs_colour", NULL};

int main(int argc, char **argv)
{
    return spw_judge(&(spw_exercise){.parts = parts,
                                     .n_parts = sizeof parts / sizeof parts[0],
                                     .forbidden = forbidden,
                                     .evidence = say_where},
                     argc, argv);
}

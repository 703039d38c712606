/* formats/generate.c -- a generator is one row of the table `generators`.
 *
 * The row has the name, how the size is written, a function for the size of the matrix and one that
 * gives row i: its length, and its entries if there are arrays to put them in. All else, the parsing,
 * the checks, the prefix sum and the threads, is written once below. */
#include "formats/generate.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "formats/matrix_market.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_NUMBERS = 3, MAX_DOF = 6, PATH_LENGTH = 4096 };

/* Wide enough for (3n)^3 dof^2 with any three numbers below 2^31. */
typedef __int128 wide;

typedef struct extent {
    wide n_rows, n_cols, nnz;
} extent;

typedef struct generator generator;
struct generator {
    const char *name;
    const char *form;             /* of the size, for messages */
    const char *sample;           /* a small one, of odd sizes, for the tests */
    int least_numbers, n_numbers; /* one number alone stands for all; a number not given is 1 */
    extent (*size)(const generator *g, const int64_t n[]);
    /* Length of row i. Columns and values are stored unless col_idx is NULL. */
    int64_t (*row)(const generator *g, const int64_t n[], int64_t i, spw_idx *col_idx, double *val);
    double centre, lower[MAX_NUMBERS], upper[MAX_NUMBERS]; /* of star_row */
    int dof;                                               /* of fem_row */
};

/* Seeds: one sequence of random numbers each. */
enum { SEED_KAPPA = 101, SEED_ARROW, SEED_LENGTH, SEED_POWERLAW, SEED_RANDOM, SEED_UNEVEN };
enum { SEED_UNEVEN_LENGTH = 7 };

/* --- grids ------------------------------------------------------------------------------------- */

static int64_t put(spw_idx *col_idx, double *val, int64_t k, int64_t column, double value) {
    if (col_idx) {
        col_idx[k] = (spw_idx)column;
        val[k] = value;
    }
    return k + 1;
}

static void locate(const int64_t n[], int64_t point, int64_t at[]) {
    const uint32_t line = (uint32_t)point / (uint32_t)n[0]; /* 32-bit division is the faster one */
    at[0] = point - (int64_t)line * n[0];
    at[2] = line / (uint32_t)n[1];
    at[1] = (int64_t)line - at[2] * n[1];
}

/* A point and its neighbours along the axes: 3, 5 or 7 points. */
static extent star_size(const generator *g, const int64_t n[]) {
    (void)g;
    const wide points = (wide)n[0] * n[1] * n[2];
    extent e = {points, points, points};
    for (int d = 0; d < 3; d++) e.nnz += 2 * (points - points / n[d]);
    return e;
}

static int64_t star_row(const generator *g, const int64_t n[], int64_t i, spw_idx *col_idx,
                        double *val) {
    int64_t at[3], k = 0;
    locate(n, i, at);
    const int64_t stride[3] = {1, n[0], n[0] * n[1]};
    for (int d = 2; d >= 0; d--)
        if (at[d] > 0) k = put(col_idx, val, k, i - stride[d], g->lower[d]);
    k = put(col_idx, val, k, i, g->centre);
    for (int d = 0; d < 3; d++)
        if (at[d] + 1 < n[d]) k = put(col_idx, val, k, i + stride[d], g->upper[d]);
    return k;
}

/* A point and all neighbours of the box around it: 27 points, dof unknowns in each. */
static extent box_size(const generator *g, const int64_t n[]) {
    const wide rows = (wide)n[0] * n[1] * n[2] * g->dof;
    extent e = {rows, rows, g->dof * g->dof};
    for (int d = 0; d < 3; d++) e.nnz *= 3 * n[d] - 2;
    return e;
}

/* The first and last neighbour that exists, -1 .. 1, in each direction; returns their number. */
static int64_t box_range(const int64_t n[], const int64_t at[], int first[], int last[]) {
    int64_t count = 1;
    for (int d = 0; d < 3; d++) {
        first[d] = at[d] > 0 ? -1 : 0;
        last[d] = at[d] + 1 < n[d] ? 1 : 0;
        count *= last[d] - first[d] + 1;
    }
    return count;
}

static int64_t stencil27_row(const generator *g, const int64_t n[], int64_t i, spw_idx *col_idx,
                             double *val) {
    (void)g;
    int64_t at[3], k = 0;
    int first[3], last[3];
    locate(n, i, at);
    const int64_t count = box_range(n, at, first, last);
    if (!col_idx) return count;
    for (int z = first[2]; z <= last[2]; z++)
        for (int y = first[1]; y <= last[1]; y++)
            for (int x = first[0]; x <= last[0]; x++) {
                const int64_t j = i + (z * n[1] + y) * n[0] + x;
                k = put(col_idx, val, k, j, j == i ? 26 : -1);
            }
    return k;
}

/* kappa of the eight bricks around a node, summed over those that the node shares with a neighbour:
 * sum[z][y][x] is for the neighbour at (x - 1, y - 1, z - 1). Both ends of a coupling add the same
 * bricks in the same order, so that the matrix is symmetric to the last bit. */
static void sum_kappa(const int64_t n[], const int64_t at[], double sum[3][3][3]) {
    double along_x[2][2][3], along_y[2][3][3];
    for (int z = 0; z < 2; z++) {
        for (int y = 0; y < 2; y++) {
            const uint64_t line = (uint64_t)((at[2] + z) * (n[1] + 1) + at[1] + y);
            const uint64_t brick = line * (uint64_t)(n[0] + 1) + (uint64_t)at[0];
            double *s = along_x[z][y];
            s[0] = 1 + spw_random_double(SEED_KAPPA, brick);
            s[2] = 1 + spw_random_double(SEED_KAPPA, brick + 1);
            s[1] = s[0] + s[2];
        }
        for (int x = 0; x < 3; x++) {
            along_y[z][0][x] = along_x[z][0][x];
            along_y[z][1][x] = along_x[z][0][x] + along_x[z][1][x];
            along_y[z][2][x] = along_x[z][1][x];
        }
    }
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 3; x++) {
            sum[0][y][x] = along_y[0][y][x];
            sum[1][y][x] = along_y[0][y][x] + along_y[1][y][x];
            sum[2][y][x] = along_y[1][y][x];
        }
}

/* The stiffness of one brick for two of its nodes that differ along z, y, x (1) or not (0). With the
 * one-dimensional s = (1, -1) and m = (2, 1) it is 4 s(x) m(y) m(z) + 2 m(x) s(y) m(z)
 * + m(x) m(y) s(z); 4, 2, 1 are the ratios of face area to length for edges 1 : sqrt 2 : 2, for which
 * no coupling vanishes. */
static const double brick_stiffness[2][2][2] = {{{28, -10}, {2, -11}}, {{8, -8}, {-2, -7}}};

static int64_t fem_row(const generator *g, const int64_t n[], int64_t i, spw_idx *col_idx,
                       double *val) {
    const int dof = g->dof;
    const int64_t node = (uint32_t)i / (uint32_t)dof;
    const int a = (int)(i - node * dof);
    int64_t at[3], k = 0;
    int first[3], last[3];
    locate(n, node, at);
    const int64_t count = box_range(n, at, first, last) * dof;
    if (!col_idx) return count;

    double kappa[3][3][3], block[MAX_DOF];
    sum_kappa(n, at, kappa);
    for (int b = 0; b < dof; b++) block[b] = (1 + a * 0.25) * (1 + b * 0.25) / (1 << abs(a - b));
    for (int z = first[2]; z <= last[2]; z++)
        for (int y = first[1]; y <= last[1]; y++)
            for (int x = first[0]; x <= last[0]; x++) {
                const double scale = kappa[z + 1][y + 1][x + 1];
                const double coupling = scale * brick_stiffness[abs(z)][abs(y)][abs(x)];
                const int64_t j = node + (z * n[1] + y) * n[0] + x;
                for (int b = 0; b < dof; b++)
                    k = put(col_idx, val, k, j * dof + b, coupling * block[b]);
            }
    return k;
}

/* --- others ------------------------------------------------------------------------------------ */

static extent arrow_size(const generator *g, const int64_t n[]) {
    (void)g;
    return (extent){n[0], n[0], 3 * (wide)n[0] - 2};
}

static double arrow_coupling(int64_t j) {
    return -0.5 - spw_random_double(SEED_ARROW, (uint64_t)j);
}

static int64_t arrow_row(const generator *g, const int64_t n[], int64_t i, spw_idx *col_idx,
                         double *val) {
    (void)g;
    int64_t k = 0;
    if (i == 0) {
        if (!col_idx) return n[0];
        k = put(col_idx, val, k, 0, 1.5 * (double)n[0]);
        for (int64_t j = 1; j < n[0]; j++) k = put(col_idx, val, k, j, arrow_coupling(j));
        return k;
    }
    k = put(col_idx, val, k, 0, arrow_coupling(i));
    return put(col_idx, val, k, i, 2);
}

/* `length` random entries of a row: one in each of as many equal parts, hence distinct and ascending.
 * The upper half of a random number chooses the column, the lower half the value, (-1, 1) without 0. */
static int64_t sample_row(uint64_t seed, int64_t i, int64_t n_cols, int64_t length,
                          spw_idx *col_idx, double *val) {
    if (!col_idx) return length;
    const uint64_t row_seed = spw_random_u64(seed, (uint64_t)i);
    int64_t begin = 0;
    for (int64_t k = 0; k < length; k++) {
        const int64_t end = (k + 1) * n_cols / length;
        const uint64_t r = spw_random_u64(row_seed, (uint64_t)k);
        col_idx[k] = (spw_idx)(begin + (int64_t)(((r >> 32) * (uint64_t)(end - begin)) >> 32));
        val[k] = (double)(2 * (r & UINT32_MAX) + 1) / 4294967296.0 - 1;
        begin = end;
    }
    return length;
}

static int64_t powerlaw_length(int64_t n, int64_t i) {
    const int64_t longest = n >= 16 ? n / 8 : (n < 2 ? n : 2);
    /* In (0, 1]. A division is rounded alike everywhere, a power is not. */
    const double u = 1 - spw_random_double(SEED_LENGTH, (uint64_t)i);
    const double length = 2 / u;
    return length < (double)longest ? (int64_t)length : longest;
}

static extent powerlaw_size(const generator *g, const int64_t n[]) {
    (void)g;
    int64_t nnz = 0; /* below 2^59: each of fewer than 2^31 rows has at most 2^28 entries */
#pragma omp parallel for reduction(+ : nnz) schedule(static)
    for (int64_t i = 0; i < n[0]; i++) nnz += powerlaw_length(n[0], i);
    return (extent){n[0], n[0], nnz};
}

static int64_t powerlaw_row(const generator *g, const int64_t n[], int64_t i, spw_idx *col_idx,
                            double *val) {
    (void)g;
    return sample_row(SEED_POWERLAW, i, n[0], powerlaw_length(n[0], i), col_idx, val);
}

static int64_t random_length(const int64_t n[]) { return n[2] < n[1] ? n[2] : n[1]; }

static extent random_size(const generator *g, const int64_t n[]) {
    (void)g;
    return (extent){n[0], n[1], (wide)n[0] * random_length(n)};
}

static int64_t random_row(const generator *g, const int64_t n[], int64_t i, spw_idx *col_idx,
                          double *val) {
    (void)g;
    return sample_row(SEED_RANDOM, i, n[1], random_length(n), col_idx, val);
}

static int64_t uneven_length(int64_t n, int64_t i) {
    enum { LONGEST = 15 };
    const int64_t length = 1 + spw_random_below(SEED_UNEVEN_LENGTH, (uint64_t)i, LONGEST);
    return length <= (n + 1) / 2 ? length : (n + 1) / 2;
}

static extent uneven_size(const generator *g, const int64_t n[]) {
    (void)g;
    int64_t nnz = 0;
#pragma omp parallel for reduction(+ : nnz) schedule(static)
    for (int64_t i = 0; i < n[0]; i++) nnz += uneven_length(n[0], i);
    return (extent){n[0], n[0], nnz};
}

static int64_t uneven_row(const generator *g, const int64_t n[], int64_t i, spw_idx *col_idx,
                          double *val) {
    (void)g;
    const int64_t length = uneven_length(n[0], i), right = n[0] - 2 * length;
    if (!col_idx) return length;
    const uint64_t row_seed = spw_random_u64(SEED_UNEVEN, (uint64_t)i);
    int64_t first = i - length < right ? i - length : right; /* the band stays within the columns */
    if (first < 0) first = 0;
    for (int64_t k = 0; k < length; k++)
        put(col_idx, val, k, first + 2 * k, spw_random_double(row_seed, (uint64_t)k) - 0.5);
    return length;
}

/* --- the table --------------------------------------------------------------------------------- */

#define SQUARE "N or NXxNY"
#define CUBE   "N or NXxNYxNZ"

/* clang-format off */
static const generator generators[] = {
    {"laplace2d",   SQUARE,   "laplace2d:7x5",     1, 2, star_size,     star_row,      4,   {-1, -1},     {-1, -1},     1},
    {"laplace3d",   CUBE,     "laplace3d:4x3x5",   1, 3, star_size,     star_row,      6,   {-1, -1, -1}, {-1, -1, -1}, 1},
    {"stencil27",   CUBE,     "stencil27:5x3x4",   1, 3, box_size,      stencil27_row, 0,   {0},          {0},          1},
    {"fem1",        CUBE,     "fem1:5x4x3",        1, 3, box_size,      fem_row,       0,   {0},          {0},          1},
    {"fem3",        CUBE,     "fem3:4x3x2",        1, 3, box_size,      fem_row,       0,   {0},          {0},          3},
    {"fem6",        CUBE,     "fem6:1x2x3",        1, 3, box_size,      fem_row,       0,   {0},          {0},          6},
    {"arrow",       "N",      "arrow:101",         1, 1, arrow_size,    arrow_row,     0,   {0},          {0},          1},
    {"powerlaw",    "N",      "powerlaw:3001",     1, 1, powerlaw_size, powerlaw_row,  0,   {0},          {0},          1},
    {"random",      "RxCxK",  "random:301x97x5",   3, 3, random_size,   random_row,    0,   {0},          {0},          1},
    {"uneven",      "N",      "uneven:2003",       1, 1, uneven_size,   uneven_row,    0,   {0},          {0},          1},
    {"tridiag",     "N",      "tridiag:13",        1, 1, star_size,     star_row,      2,   {-1},         {-1},         1},
    {"convdiff2d",  SQUARE,   "convdiff2d:6x7",    1, 2, star_size,     star_row,      5.5, {-2, -1.5},   {-1, -1},     1},
};
/* clang-format on */

enum { N_GENERATORS = sizeof generators / sizeof *generators };

static const generator *find_generator(const char *word, size_t length) {
    for (int g = 0; g < N_GENERATORS; g++)
        if (strlen(generators[g].name) == length && !strncmp(word, generators[g].name, length))
            return &generators[g];
    return NULL;
}

static spw_status unknown_generator(const char *name) {
    char list[512] = "";
    for (int g = 0; g < N_GENERATORS; g++)
        spw_append(list, sizeof list, "%s%s", g ? ", " : "", generators[g].name);
    return spw_error(SPW_ERR_ARG,
                     "%.80s: no such generator; there are %s, each with a size such as "
                     "laplace2d:1000 or random:1000x500x12",
                     name, list);
}

/* Reads "word:AxBxC". */
static spw_status parse(const char *name, const generator **generator_out, int64_t n[MAX_NUMBERS]) {
    const size_t word = strcspn(name, ":");
    const generator *g = find_generator(name, word);
    if (!g) return unknown_generator(name);
    *generator_out = g;

    const char *p = name[word] ? name + word + 1 : "";
    int count = 0;
    for (int d = 0; d < MAX_NUMBERS; d++) n[d] = 1;
    for (;;) {
        const size_t digits = strspn(p, "0123456789");
        if (digits == 0 || count == g->n_numbers) goto malformed;
        int64_t number = 0;
        for (size_t k = 0; k < digits; k++) {
            number = number * 10 + (p[k] - '0');
            if (number > SPW_IDX_MAX)
                return spw_error(SPW_ERR_RANGE,
                                 "%.80s: a size is above %" PRId32 ", the limit of 32-bit indices",
                                 name, SPW_IDX_MAX);
        }
        if (number == 0) return spw_error(SPW_ERR_ARG, "%.80s: sizes start at 1", name);
        n[count++] = number;
        p += digits;
        if (*p == '\0') break;
        if (*p++ != 'x') goto malformed;
    }
    if (count != g->least_numbers && count != g->n_numbers) goto malformed;
    if (count == 1)
        for (int d = 1; d < g->n_numbers; d++) n[d] = n[0];
    return SPW_OK;

malformed:
    return spw_error(SPW_ERR_ARG, "%.80s: write %s:SIZE with SIZE = %s, whole numbers", name,
                     g->name, g->form);
}

static spw_status measure(const char *name, const generator **g, int64_t n[], extent *e) {
    const spw_status status = parse(name, g, n);
    if (status) return status;
    *e = (*g)->size(*g, n);
    if (e->n_rows > INT64_MAX || e->nnz > INT64_MAX)
        return spw_error(SPW_ERR_RANGE,
                         "%.80s: %.3g rows and %.3g entries, too many for any memory", name,
                         (double)e->n_rows, (double)e->nnz);
    return SPW_OK;
}

int spw_is_generator(const char *name) {
    const char *colon = strchr(name, ':');
    return colon && find_generator(name, (size_t)(colon - name));
}

const char *spw_generator_sample(int k) { return k < N_GENERATORS ? generators[k].sample : NULL; }

spw_status spw_generate_size(const char *name, int64_t *n_rows, int64_t *n_cols, int64_t *nnz) {
    const generator *g;
    int64_t n[MAX_NUMBERS];
    extent e = {0};
    const spw_status status = measure(name, &g, n, &e);
    if (status) e = (extent){0};
    *n_rows = (int64_t)e.n_rows;
    *n_cols = (int64_t)e.n_cols;
    *nnz = (int64_t)e.nnz;
    return status;
}

/* --- making the matrix ------------------------------------------------------------------------- */

/* First row that begins at entry `target` or later. */
static int64_t row_from_entry(const spw_csr *A, int64_t target) {
    int64_t low = 0, high = A->n_rows;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (A->row_ptr[middle] < target)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A: the rows from `top` on. offset: room for one number a thread and one more. */
static void fill(const generator *g, const int64_t n[], int64_t top, spw_csr *A, int64_t *offset) {
#pragma omp parallel
    {
        const int thread = spw_thread(), threads = spw_team_size();
        const int64_t begin = spw_part_begin(A->n_rows, thread, threads);
        const int64_t end = spw_part_begin(A->n_rows, thread + 1, threads);
        int64_t sum = 0;
        for (int64_t i = begin; i < end; i++) {
            A->row_ptr[i] = (spw_idx)sum;
            sum += g->row(g, n, top + i, NULL, NULL);
        }
        offset[thread + 1] = sum;
#pragma omp barrier
#pragma omp single
        {
            offset[0] = 0;
            for (int t = 0; t < threads; t++) offset[t + 1] += offset[t];
            assert(offset[threads] == A->nnz);
            A->row_ptr[A->n_rows] = A->nnz;
        }
        for (int64_t i = begin; i < end; i++) A->row_ptr[i] += (spw_idx)offset[thread];
#pragma omp barrier
        const int64_t first = row_from_entry(A, spw_part_begin(A->nnz, thread, threads));
        const int64_t last = row_from_entry(A, spw_part_begin(A->nnz, thread + 1, threads));
        for (int64_t i = first; i < last; i++)
            g->row(g, n, top + i, A->col_idx + A->row_ptr[i], A->val + A->row_ptr[i]);
    }
}

/* In 32-bit indices and in this machine's memory. */
static spw_status fits(const char *name, const extent *e) {
    if (e->n_rows > SPW_IDX_MAX || e->n_cols > SPW_IDX_MAX || e->nnz > SPW_IDX_MAX)
        return spw_error(SPW_ERR_RANGE,
                         "%.80s: %" PRId64 " rows and %" PRId64 " entries, the limit of 32-bit "
                         "indices is %" PRId32,
                         name, (int64_t)e->n_rows, (int64_t)e->nnz, SPW_IDX_MAX);
    return spw_memory_check(name, 12 * (int64_t)e->nnz + 4 * ((int64_t)e->n_rows + 1));
}

/* e: of what is made, the rows from `top` on. */
static spw_status make(const char *name, const generator *g, const int64_t n[], int64_t top,
                       const extent *e, spw_csr *A) {
    int64_t *offset = NULL;
    spw_status status = fits(name, e);
    if (!status) status = SPW_ALLOC(&offset, spw_max_threads() + 1);
    if (!status)
        status = spw_csr_create((int64_t)e->n_rows, (int64_t)e->n_cols, (int64_t)e->nnz, A);
    if (!status) fill(g, n, top, A, offset);
    spw_free(offset);
    return status;
}

spw_status spw_csr_generate(const char *name, spw_csr *A) {
    const generator *g;
    int64_t n[MAX_NUMBERS];
    extent e;
    *A = (spw_csr){0};
    const spw_status status = measure(name, &g, n, &e);
    return status ? status : make(name, g, n, 0, &e, A);
}

spw_status spw_generate_entries(const char *name, int64_t begin, int64_t end, int64_t *entries) {
    const generator *g;
    int64_t n[MAX_NUMBERS], sum = 0;
    extent e;
    const spw_status status = measure(name, &g, n, &e);
    if (!status) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (int64_t i = begin; i < end; i++) sum += g->row(g, n, i, NULL, NULL);
    }
    *entries = sum;
    return status;
}

spw_status spw_csr_generate_rows(const char *name, int64_t begin, int64_t end, spw_csr *A) {
    const generator *g;
    int64_t n[MAX_NUMBERS], entries = 0;
    extent e;
    *A = (spw_csr){0};
    spw_status status = measure(name, &g, n, &e);
    if (!status) status = spw_generate_entries(name, begin, end, &entries);
    if (status) return status;
    e.n_rows = end - begin;
    e.nnz = entries;
    return make(name, g, n, begin, &e, A);
}

/* --- an assembly ------------------------------------------------------------------------------- */

spw_status spw_coo_hexahedra(int64_t k, uint64_t seed, spw_coo *A) {
    const int64_t n = k * k * k, edge = k - 1;
    const spw_status status = spw_coo_create(n, n, 64 * edge * edge * edge, A);
    if (status) return status;
#pragma omp parallel for schedule(static)
    for (int64_t e = 0; e < edge * edge * edge; e++) {
        const int64_t corner = (e / edge / edge * k + e / edge % edge) * k + e % edge;
        for (int ab = 0; ab < 64; ab++) {
            const int a = ab / 8, b = ab % 8;
            A->row_idx[64 * e + ab] =
                (spw_idx)(corner + ((a >> 2) * k + (a >> 1 & 1)) * k + (a & 1));
            A->col_idx[64 * e + ab] =
                (spw_idx)(corner + ((b >> 2) * k + (b >> 1 & 1)) * k + (b & 1));
            A->val[64 * e + ab] = spw_random_double(seed, (uint64_t)(64 * e + ab)) - 0.5;
        }
    }
    return SPW_OK;
}

/* --- generator or file ------------------------------------------------------------------------- */

/* Does a file of that path exist? Then the path is kept. */
static int is_file(char path[PATH_LENGTH], const char *before, const char *name,
                   const char *after) {
    const int length = snprintf(path, PATH_LENGTH, "%s%s%s", before, name, after);
    return length < PATH_LENGTH && access(path, F_OK) == 0;
}

static int find_file(const char *name, char path[PATH_LENGTH]) {
    if (is_file(path, "", name, "")) return 1;
    if (strchr(name, '/')) return 0;
    return is_file(path, "matrices/", name, ".mtx") ||
           is_file(path, "matrices/collection/", name, ".mtx") ||
           is_file(path, "matrices/collection/", name, ".mtx.gz");
}

/* path: where the file lies; "" for a generator. */
static spw_status find_matrix(const char *name, char path[PATH_LENGTH]) {
    path[0] = 0;
    if (!spw_is_generator(name)) {
        if (find_file(name, path)) return SPW_OK;
        path[0] = 0;
        if (!strchr(name, ':') && !find_generator(name, strlen(name)))
            return spw_error(SPW_ERR_FILE,
                             "%.200s: no such file, and no matrix of that name in matrices/ or "
                             "matrices/collection/ (make matrices fetches those)",
                             *name ? name : "an empty name");
    }
    const generator *g;
    int64_t n[MAX_NUMBERS];
    extent e;
    const spw_status status = measure(name, &g, n, &e); /* its message says what is wrong */
    return status ? status : fits(name, &e);
}

spw_status spw_csr_find(const char *name) {
    char path[PATH_LENGTH];
    return find_matrix(name, path);
}

spw_status spw_csr_load(const char *name, spw_csr *A) {
    char path[PATH_LENGTH];
    *A = (spw_csr){0};
    spw_status status = find_matrix(name, path);
    if (status) return status;
    if (!path[0]) return spw_csr_generate(name, A);
    spw_coo C = {0};
    status = spw_coo_read_matrix_market(path, &C);
    if (!status) status = spw_csr_from_coo(&C, A);
    spw_coo_destroy(&C);
    return status;
}

spw_status spw_coo_load_blocks(const char *name, spw_take_block *take, void *context) {
    char path[PATH_LENGTH];
    const spw_status status = find_matrix(name, path);
    return status ? status : spw_coo_read_blocks(path, take, context);
}

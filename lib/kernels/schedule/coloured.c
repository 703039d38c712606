/* Colours, and slices of rows of one colour. */
#include "kernels/symgs.h"

#include "base/memory.h"
#include "base/threads.h"

#include <inttypes.h>
#include <math.h>

enum { C = SPW_COLOURED_C };

static void leave_device(spw_coloured *S) {
    spw_idx *const slice_ptr = S->slice_ptr, *const col_idx = S->col_idx;
    double *const val = S->val, *const inverse = S->inverse;
    const int64_t n_slices = S->n_slices, n_stored = S->n_stored, n_places = S->n_places;
    if (!S->on_device) return;
#pragma omp target exit data map(delete                                                            \
                                 : slice_ptr [0:n_slices + 1], col_idx [0:n_stored])               \
    map(delete                                                                                     \
        : val [0:n_stored], inverse [0:n_places])
    (void)slice_ptr, (void)col_idx, (void)val, (void)inverse;
    (void)n_slices, (void)n_stored, (void)n_places;
    S->on_device = 0;
}

void spw_coloured_destroy(spw_coloured *S) {
    if (!S) return;
    leave_device(S);
    spw_free(S->colour_ptr);
    spw_free(S->slice_ptr);
    spw_free(S->row);
    spw_free(S->place);
    spw_free(S->col_idx);
    spw_free(S->val);
    spw_free(S->inverse);
    *S = (spw_coloured){0};
}

spw_status spw_coloured_to_device(spw_coloured *S) {
    const spw_idx *const slice_ptr = S->slice_ptr, *const col_idx = S->col_idx;
    const double *const val = S->val, *const inverse = S->inverse;
    const int64_t n_slices = S->n_slices, n_stored = S->n_stored, n_places = S->n_places;
    if (S->on_device) return SPW_OK;
    if (spw_target_devices() == 0)
        return spw_error(SPW_ERR_UNAVAILABLE, "no device for target regions: make doctor says why");
#pragma omp target enter data map(to                                                               \
                                  : slice_ptr [0:n_slices + 1], col_idx [0:n_stored])              \
    map(to                                                                                         \
        : val [0:n_stored], inverse [0:n_places])
    (void)slice_ptr, (void)col_idx, (void)val, (void)inverse;
    (void)n_slices, (void)n_stored, (void)n_places;
    S->on_device = 1;
    return SPW_OK;
}

int64_t spw_coloured_bytes(const spw_coloured *S) {
    return 12 * (int64_t)S->n_stored + 4 * ((int64_t)S->n_slices + 1);
}

void spw_coloured_gather(const spw_coloured *S, const double *x, double *v) {
#pragma omp parallel for schedule(static)
    for (spw_idx p = 0; p < S->n_places; p++) v[p] = S->row[p] < 0 ? 0 : x[S->row[p]];
}

void spw_coloured_scatter(const spw_coloured *S, const double *v, double *x) {
#pragma omp parallel for schedule(static)
    for (spw_idx i = 0; i < S->n; i++) x[i] = v[S->place[i]];
}

/* --- colours ---------------------------------------------------------------------------------------------- */

typedef struct draft {
    spw_csr T;       /* the transpose of A: who has an entry in this row's column */
    spw_idx *colour; /* [n] */
    spw_idx *taken;  /* [n+1]  the last row that has a neighbour of this colour, + 1 */
    spw_idx *order;  /* [n]    rows by colour and length */
    spw_idx *work;   /* [n] */
    spw_idx n_colours, longest;
} draft;

static void free_draft(draft *d) {
    spw_csr_destroy(&d->T);
    spw_free(d->colour);
    spw_free(d->taken);
    spw_free(d->order);
    spw_free(d->work);
}

static void take_neighbours(const spw_csr *A, spw_idx i, draft *d) {
    for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
        if (A->col_idx[k] < i) d->taken[d->colour[A->col_idx[k]]] = i + 1;
}

/* The first colour that no neighbour in front of the row has. */
static void colour_rows(const spw_csr *A, draft *d) {
    for (spw_idx i = 0; i <= A->n_rows; i++) d->taken[i] = 0;
    for (spw_idx i = 0; i < A->n_rows; i++) {
        spw_idx colour = 0;
        take_neighbours(A, i, d);
        take_neighbours(&d->T, i, d);
        while (d->taken[colour] == i + 1) colour++;
        d->colour[i] = colour;
        if (colour >= d->n_colours) d->n_colours = colour + 1;
        const spw_idx length = A->row_ptr[i + 1] - A->row_ptr[i];
        if (length > d->longest) d->longest = length;
    }
}

/* to = from sorted by key, which is 0 .. n_keys-1, rows of the same key in the order in which they stand. */
static spw_status sort_rows(spw_idx n, const spw_idx *from, const spw_idx *key, spw_idx n_keys,
                            spw_idx *to) {
    spw_idx *first;
    const spw_status status = SPW_ALLOC_ZERO(&first, (int64_t)n_keys + 1);
    if (status) return status;
    for (spw_idx k = 0; k < n; k++) first[key[from[k]] + 1]++;
    for (spw_idx c = 0; c < n_keys; c++) first[c + 1] += first[c];
    for (spw_idx k = 0; k < n; k++) to[first[key[from[k]]]++] = from[k];
    spw_free(first);
    return SPW_OK;
}

/* d->order: by length, longest first, then by colour, which keeps that order. */
static spw_status order_rows(const spw_csr *A, draft *d) {
    spw_idx *const missing = d->taken; /* entries that the longest row has more */
    spw_idx *by_length;
    spw_status status = SPW_ALLOC(&by_length, A->n_rows);
    if (status) return status;
    for (spw_idx i = 0; i < A->n_rows; i++) {
        d->work[i] = i;
        missing[i] = d->longest - (A->row_ptr[i + 1] - A->row_ptr[i]);
    }
    status = sort_rows(A->n_rows, d->work, missing, d->longest + 1, by_length);
    if (!status) status = sort_rows(A->n_rows, by_length, d->colour, d->n_colours, d->order);
    spw_free(by_length);
    return status;
}

/* --- slices ------------------------------------------------------------------------------------------------- */

/* Bounds of colours, in slices; the last is the number of slices, which may be too large for an index. */
static int64_t count_slices(spw_idx n, const draft *d, spw_idx *colour_ptr) {
    int64_t slices = 0;
    for (spw_idx k = 0, c = 0; k < n; c++) {
        const spw_idx first = k;
        while (k < n && d->colour[d->order[k]] == c) k++;
        slices += ((int64_t)k - first + C - 1) / C;
        if (slices * C <= SPW_IDX_MAX) colour_ptr[c + 1] = (spw_idx)slices;
    }
    colour_ptr[0] = 0;
    return slices;
}

static void place_rows(const draft *d, spw_coloured *S) {
    spw_idx next = 0;
    for (spw_idx p = 0; p < S->n_places; p++) S->row[p] = -1;
    for (spw_idx c = 0; c < S->n_colours; c++)
        for (spw_idx p = S->colour_ptr[c] * C; next < S->n && d->colour[d->order[next]] == c; p++) {
            S->row[p] = d->order[next];
            S->place[d->order[next++]] = p;
        }
}

/* slice_ptr; returns the entries with padding, which may be too many. */
static int64_t measure_slices(const spw_csr *A, spw_coloured *S) {
    int64_t stored = 0;
    S->slice_ptr[0] = 0;
    for (spw_idx s = 0; s < S->n_slices; s++) {
        const spw_idx i = S->row[(int64_t)s * C]; /* the longest of the slice */
        stored += C * (int64_t)(A->row_ptr[i + 1] - A->row_ptr[i]);
        if (stored <= SPW_IDX_MAX) S->slice_ptr[s + 1] = (spw_idx)stored;
    }
    return stored;
}

/* Returns the first row whose diagonal entry has no inverse, n if all have. */
static spw_idx fill(const spw_csr *A, spw_coloured *S) {
    spw_idx bad = S->n;
#pragma omp parallel for schedule(static) reduction(min : bad)
    for (spw_idx p = 0; p < S->n_places; p++) {
        const spw_idx i = S->row[p], s = p / C, first = S->slice_ptr[s] + p % C;
        const spw_idx begin = i < 0 ? 0 : A->row_ptr[i], end = i < 0 ? 0 : A->row_ptr[i + 1];
        double diagonal = 0;
        spw_idx at = first;
        for (spw_idx k = begin; k < end; k++, at += C) {
            S->col_idx[at] = S->place[A->col_idx[k]];
            S->val[at] = A->val[k];
            if (A->col_idx[k] == i) diagonal = A->val[k];
        }
        for (; at < S->slice_ptr[s + 1]; at += C) {
            S->col_idx[at] = p;
            S->val[at] = 0;
        }
        S->inverse[p] = i < 0 ? 0 : 1 / diagonal;
        if (i >= 0 && (!isfinite(S->inverse[p]) || S->inverse[p] == 0) && i < bad) bad = i;
    }
    return bad;
}

static spw_status bad_diagonal(const spw_csr *A, spw_idx i) {
    for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
        if (A->col_idx[k] == i)
            return spw_error(SPW_ERR_ARG,
                             "the diagonal entry of row %" PRId32 " is %g, which has no inverse", i,
                             A->val[k]);
    return spw_error(SPW_ERR_ARG, "row %" PRId32 " has no diagonal entry", i);
}

static spw_status too_many(const char *what, int64_t count) {
    return spw_error(SPW_ERR_RANGE, "in colours the matrix has %" PRId64 " %s, more than %" PRId32,
                     count, what, SPW_IDX_MAX);
}

static spw_status convert(const spw_csr *A, const draft *d, spw_coloured *S) {
    *S = (spw_coloured){.n = A->n_rows, .nnz = A->nnz, .n_colours = d->n_colours};
    spw_status status = SPW_ALLOC(&S->colour_ptr, (int64_t)d->n_colours + 1);
    if (status) return status;
    const int64_t slices = count_slices(A->n_rows, d, S->colour_ptr);
    if (slices * C > SPW_IDX_MAX) return too_many("rows with padding", slices * C);
    S->n_slices = (spw_idx)slices;
    S->n_places = (spw_idx)(slices * C);
    status = SPW_ALLOC(&S->slice_ptr, slices + 1);
    if (!status) status = SPW_ALLOC(&S->row, S->n_places);
    if (!status) status = SPW_ALLOC(&S->place, S->n);
    if (!status) status = SPW_ALLOC(&S->inverse, S->n_places);
    if (status) return status;
    place_rows(d, S);
    const int64_t stored = measure_slices(A, S);
    if (stored > SPW_IDX_MAX) return too_many("entries with padding", stored);
    S->n_stored = (spw_idx)stored;
    status = SPW_ALLOC(&S->col_idx, stored);
    if (!status) status = SPW_ALLOC(&S->val, stored);
    if (status) return status;
    const spw_idx bad = fill(A, S);
    return bad < S->n ? bad_diagonal(A, bad) : SPW_OK;
}

spw_status spw_coloured_from_csr(const spw_csr *A, spw_coloured *S) {
    draft d = {0};
    *S = (spw_coloured){0};
    if (A->n_rows != A->n_cols)
        return spw_error(SPW_ERR_ARG,
                         "the matrix is %" PRId32 " x %" PRId32 ": colours need a square one",
                         A->n_rows, A->n_cols);
    spw_status status = spw_csr_transpose(A, &d.T);
    if (!status) status = SPW_ALLOC(&d.colour, A->n_rows);
    if (!status) status = SPW_ALLOC(&d.taken, (int64_t)A->n_rows + 1);
    if (!status) status = SPW_ALLOC(&d.order, A->n_rows);
    if (!status) status = SPW_ALLOC(&d.work, A->n_rows);
    if (!status) {
        colour_rows(A, &d);
        status = order_rows(A, &d);
    }
    if (!status) status = convert(A, &d, S);
    free_draft(&d);
    if (status) spw_coloured_destroy(S);
    return status;
}

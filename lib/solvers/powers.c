#include "solvers/powers.h"

#include "base/memory.h"
#include "base/threads.h"
#include "formats/info.h"
#include "kernels/expert/csr_row.h"
#include "kernels/expert/slice_pairs.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum {
    GROUP_BYTES = 16384, /* smaller levels are put together */
    SLICE = 8,           /* rows: a register of AVX-512 */
    AHEAD = 16           /* rows, for prefetching */
};

/* --- levels -------------------------------------------------------------------------------------------- */

/* The search: perm is the queue. found has a bit for each row, so that it stays in a cache. */
typedef struct search {
    const spw_csr *A, *T; /* T: the transpose, NULL where the pattern is symmetric */
    spw_idx *perm;
    uint64_t *found;    /* [n/64+1] */
    spw_idx *level_ptr; /* [n+1] */
    spw_idx n_found, n_levels;
} search;

static bool is_found(const search *s, spw_idx i) { return s->found[i / 64] >> (i % 64) & 1; }

static void find(search *s, spw_idx i) {
    if (is_found(s, i)) return;
    s->found[i / 64] |= (uint64_t)1 << (i % 64);
    s->perm[s->n_found++] = i;
}

static void find_neighbours(search *s, const spw_csr *A, spw_idx i) {
    for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) find(s, A->col_idx[k]);
}

/* All rows from `start` on, level after level, then the components that it does not reach. */
static void search_from(search *s, spw_idx start) {
    const spw_idx n = s->A->n_rows;
    spw_idx level = 0, next_start = 0;
    s->n_found = s->n_levels = 0;
    memset(s->found, 0, ((size_t)n / 64 + 1) * sizeof *s->found);
    while (level < n) {
        if (level == s->n_found) { /* an empty level: a component is done */
            while (is_found(s, next_start)) next_start++;
            find(s, s->n_found == 0 ? start : next_start);
        }
        const spw_idx end = s->n_found;
        s->level_ptr[s->n_levels++] = level;
        for (spw_idx k = level; k < end; k++) {
            find_neighbours(s, s->A, s->perm[k]);
            if (s->T) find_neighbours(s, s->T, s->perm[k]);
        }
        level = end;
    }
    s->level_ptr[s->n_levels] = n;
}

/* Bytes of rows begin .. end-1 with their elements of three vectors. */
static int64_t bytes_of(const spw_csr *A, spw_idx begin, spw_idx end) {
    return 12 * ((int64_t)A->row_ptr[end] - A->row_ptr[begin]) + 28 * ((int64_t)end - begin);
}

/* Puts small levels together; group_ptr has room for n_levels + 1. */
static void make_groups(spw_powers *P) {
    spw_idx begin = 0;
    P->n_groups = 0;
    P->group_ptr[0] = 0;
    for (spw_idx l = 0; l < P->n_levels; l++) {
        const spw_idx end = P->level_ptr[l + 1];
        const int64_t bytes = bytes_of(&P->A, begin, end);
        if (bytes < GROUP_BYTES && l + 1 < P->n_levels) continue;
        P->group_ptr[++P->n_groups] = end;
        if (bytes > P->front_bytes) P->front_bytes = bytes;
        begin = end;
    }
}

/* Row k of the copy is row perm[k]; columns are renumbered and sorted, by insertion: they come nearly so. */
static void copy_row(const spw_csr *A, const spw_idx *perm, const spw_idx *position, spw_idx k,
                     spw_csr *B) {
    const spw_idx i = perm[k], length = A->row_ptr[i + 1] - A->row_ptr[i];
    spw_idx *col_idx = B->col_idx + B->row_ptr[k];
    double *val = B->val + B->row_ptr[k];
    for (spw_idx e = 0; e < length; e++) {
        const spw_idx column = position[A->col_idx[A->row_ptr[i] + e]];
        spw_idx at = e;
        for (; at > 0 && col_idx[at - 1] > column; at--) {
            col_idx[at] = col_idx[at - 1];
            val[at] = val[at - 1];
        }
        col_idx[at] = column;
        val[at] = A->val[A->row_ptr[i] + e];
    }
}

/* Neighbours in a level lie far apart in A, and no hardware sees which row is next. */
static void prefetch_row(const spw_csr *A, const spw_idx *perm, spw_idx k) {
    if (k + 2 * AHEAD < A->n_rows) __builtin_prefetch(&A->row_ptr[perm[k + 2 * AHEAD]]);
    if (k + AHEAD >= A->n_rows) return;
    const spw_idx at = A->row_ptr[perm[k + AHEAD]];
    __builtin_prefetch(&A->col_idx[at]);
    __builtin_prefetch(&A->val[at]);
}

static spw_status copy_in_order(const spw_csr *A, const spw_idx *perm, spw_csr *B) {
    spw_idx *position = NULL; /* [n]  row i is row position[i] of the copy */
    spw_status status = SPW_ALLOC(&position, A->n_rows);
    if (!status) status = spw_csr_create(A->n_rows, A->n_cols, A->nnz, B);
    if (status) goto end;
#pragma omp parallel for schedule(static)
    for (spw_idx k = 0; k < A->n_rows; k++) {
        position[perm[k]] = k;
        B->row_ptr[k + 1] = A->row_ptr[perm[k] + 1] - A->row_ptr[perm[k]];
    }
    B->row_ptr[0] = 0;
    for (spw_idx k = 0; k < A->n_rows; k++) B->row_ptr[k + 1] += B->row_ptr[k];
#pragma omp parallel for schedule(static)
    for (spw_idx k = 0; k < A->n_rows; k++) {
        prefetch_row(A, perm, k);
        copy_row(A, perm, position, k, B);
    }
end:
    spw_free(position);
    return status;
}

/* Looked up entry by entry: a transpose would take several times as long. */
static bool has_symmetric_pattern(const spw_csr *A) {
    bool symmetric = true;
#pragma omp parallel for schedule(static) reduction(&& : symmetric)
    for (spw_idx i = 0; i < A->n_rows; i++)
        for (spw_idx k = A->row_ptr[i]; symmetric && k < A->row_ptr[i + 1]; k++)
            symmetric = spw_csr_entry(A, A->col_idx[k], i) >= 0;
    return symmetric;
}

/* Fills in perm, level_ptr and n_levels. */
static spw_status find_levels(const spw_csr *A, spw_powers *P) {
    const int64_t n = A->n_rows;
    spw_csr T = {0};
    search s = {.A = A};
    spw_status status = spw_csr_validate(A);
    if (!status && !has_symmetric_pattern(A)) {
        status = spw_csr_transpose(A, &T);
        s.T = &T;
    }
    if (!status) status = SPW_ALLOC(&P->perm, n);
    if (!status) status = SPW_ALLOC(&P->level_ptr, n + 1);
    if (!status) status = SPW_ALLOC(&s.found, n / 64 + 1);
    if (status) goto end;
    s.perm = P->perm;
    s.level_ptr = P->level_ptr;
    /* The far end of a first search is a good start: many narrow levels. */
    search_from(&s, 0);
    if (n > 0) search_from(&s, s.perm[n - 1]);
    P->n_levels = s.n_levels;
end:
    spw_free(s.found);
    spw_csr_destroy(&T);
    return status;
}

/* Slices that begin anew with each group: the copy with empty rows at the groups' ends, cut as ever. */
static spw_status make_slices(spw_powers *P) {
    const spw_csr *A = &P->A;
    int64_t n_slices = 0;
    for (spw_idx g = 0; g < P->n_groups; g++)
        n_slices += ((int64_t)P->group_ptr[g + 1] - P->group_ptr[g] + SLICE - 1) / SLICE;
    if (n_slices * SLICE > SPW_IDX_MAX) return SPW_OK;
    spw_csr padded = *A;
    padded.n_rows = (spw_idx)(n_slices * SLICE);
    spw_status status = SPW_ALLOC(&padded.row_ptr, n_slices * SLICE + 1);
    if (!status) status = SPW_ALLOC(&P->slice_row, n_slices + 1);
    if (!status) status = SPW_ALLOC(&P->group_slice, (int64_t)P->n_groups + 1);
    if (status) goto end;
    spw_idx s = 0;
    for (spw_idx g = 0; g < P->n_groups; g++) {
        const spw_idx last = P->group_ptr[g + 1];
        P->group_slice[g] = s;
        for (spw_idx row = P->group_ptr[g]; row < last; row += SLICE, s++) {
            P->slice_row[s] = row;
            for (spw_idx r = 0; r < SLICE; r++)
                padded.row_ptr[SLICE * s + r] = A->row_ptr[row + r < last ? row + r : last];
        }
    }
    P->group_slice[P->n_groups] = s;
    P->slice_row[s] = A->n_rows;
    padded.row_ptr[padded.n_rows] = A->nnz;
    int64_t stored;
    status = spw_csr_sliced_entries(&padded, SLICE, 1, 1, &stored);
    if (!status && 4 * (stored - A->nnz) < A->nnz)
        status = spw_sell_short_from_csr(&padded, SLICE, 1, &P->S);
end:
    spw_free(padded.row_ptr);
    return status;
}

spw_status spw_powers_create(const spw_csr *A, spw_powers *P) {
    *P = (spw_powers){0};
    if (A->n_rows != A->n_cols)
        return spw_error(SPW_ERR_ARG,
                         "the matrix is %" PRId32 " x %" PRId32 ": powers need a square one",
                         A->n_rows, A->n_cols);
    spw_status status = find_levels(A, P);
    if (!status) status = copy_in_order(A, P->perm, &P->A);
    if (!status) status = SPW_ALLOC(&P->group_ptr, (int64_t)P->n_levels + 1);
    if (!status) {
        make_groups(P);
        status = make_slices(P);
    }
    if (status) spw_powers_destroy(P);
    return status;
}

void spw_powers_destroy(spw_powers *P) {
    if (!P) return;
    spw_csr_destroy(&P->A);
    spw_sell_short_destroy(&P->S);
    spw_free(P->slice_row);
    spw_free(P->group_slice);
    spw_free(P->perm);
    spw_free(P->level_ptr);
    spw_free(P->group_ptr);
    *P = (spw_powers){0};
}

/* --- the fronts ------------------------------------------------------------------------------------------ */

/* The slices as the kernel takes them; C is 0 where there are none. */
static spw_sliced slices_of(const spw_powers *P) {
    spw_sliced S = spw_sliced_from_sell_short(&P->S);
    S.n_rows = P->A.n_rows;
    S.first_row = P->slice_row;
    S.bypass = false;
    return S;
}

/* y = A x on group g, from CSR. */
static void multiply_group(const spw_powers *P, spw_idx g, const double *x, double *y) {
    const spw_csr *A = &P->A;
    const spw_idx begin = P->group_ptr[g], end = P->group_ptr[g + 1];
    spw_row_products(begin, end, A->row_ptr[begin], A->row_ptr, A->val, A->col_idx, x, y);
}

/* Power k, 1 .. p, on group g; v[0] is x. */
static void one_group(const spw_powers *P, const spw_sliced *S, int k, spw_idx g,
                      double *const *v) {
    if (S->C)
        spw_sliced_multiply_some(S, P->group_slice[g], P->group_slice[g + 1], v[k - 1], v[k]);
    else
        multiply_group(P, g, v[k - 1], v[k]);
}

/* The front over groups begin .. end-1: power k goes from begin + (k-1) left to end - (k-1) right, where left
 * and right are 1 if another part is there and 0 at an end. */
static void front(const spw_powers *P, int p, double *const *v, spw_idx begin, spw_idx end,
                  int left, int right) {
    const spw_sliced S = slices_of(P);
    for (int64_t t = begin; t < (int64_t)end + p; t++)
        for (int k = 1; k <= p; k++) {
            const int64_t g = t - (k - 1);
            if (g >= begin + (int64_t)(k - 1) * left && g < end - (int64_t)(k - 1) * right)
                one_group(P, &S, k, (spw_idx)g, v);
        }
}

/* What two fronts left over between them. */
static void triangle(const spw_powers *P, int p, double *const *v, spw_idx boundary) {
    const spw_sliced S = slices_of(P);
    for (int k = 2; k <= p; k++)
        for (spw_idx g = boundary - (k - 1); g < boundary + (k - 1); g++) one_group(P, &S, k, g, v);
}

/* First group of a part: by entries and rows, then moved so that every part has room for its triangles. */
static spw_idx part_begin(const spw_powers *P, int part, int parts, int p) {
    const int64_t all = (int64_t)P->A.nnz + P->A.n_rows, room = 2 * (int64_t)p;
    int64_t group = 0;
    if (part == parts) return P->n_groups;
    for (int q = 1; q <= part; q++) {
        const int64_t goal = spw_part_begin(all, q, parts), least = group + room;
        const int64_t most = P->n_groups - (parts - q) * room;
        int64_t low = group, high = P->n_groups;
        while (low < high) {
            const int64_t middle = low + (high - low) / 2, row = P->group_ptr[middle];
            if (P->A.row_ptr[row] + row < goal)
                low = middle + 1;
            else
                high = middle;
        }
        group = low < least ? least : low > most ? most : low;
    }
    return (spw_idx)group;
}

void spw_powers_multiply(const spw_powers *P, int p, const double *x, double *const *y) {
    assert(P && p >= 1 && y);
    double *v[p + 1];
    v[0] = (double *)x; /* only read */
    memcpy(v + 1, y, (size_t)p * sizeof *v);
    const int64_t room = P->n_groups / (2 * (int64_t)p);
    const int threads = spw_max_threads(),
              parts = room < threads ? (room > 1 ? (int)room : 1) : threads;
#pragma omp parallel for schedule(static, 1)
    for (int part = 0; part < parts; part++)
        front(P, p, v, part_begin(P, part, parts, p), part_begin(P, part + 1, parts, p), part > 0,
              part + 1 < parts);
#pragma omp parallel for schedule(static, 1)
    for (int part = 1; part < parts; part++) triangle(P, p, v, part_begin(P, part, parts, p));
}

/* Of the matrix, as it is multiplied. */
static double matrix_bytes(const spw_powers *P) {
    return (double)(P->S.C ? spw_sell_short_bytes(&P->S) : spw_csr_bytes(&P->A));
}

int64_t spw_powers_window(const spw_powers *P, int p) {
    /* slices: what an entry takes on average */
    const double entry = P->S.C ? matrix_bytes(P) / P->A.nnz : 0;
    int64_t largest = 0;
    for (spw_idx l = 0; l < P->n_levels; l++) {
        const spw_idx end = P->level_ptr[P->n_levels - l > p ? l + p : P->n_levels];
        const spw_idx begin = P->level_ptr[l], entries = P->A.row_ptr[end] - P->A.row_ptr[begin];
        const int64_t bytes = P->S.C ? (int64_t)(entry * entries) + 24 * ((int64_t)end - begin)
                                     : bytes_of(&P->A, begin, end);
        if (bytes > largest) largest = bytes;
    }
    return largest;
}

spw_cost spw_powers_cost(const spw_powers *P, int p) {
    const double n = P->A.n_rows, nz = P->A.nnz;
    return (spw_cost){.load = matrix_bytes(P) + 8 * n, .store = 8 * n * p, .flop = 2 * nz * p};
}

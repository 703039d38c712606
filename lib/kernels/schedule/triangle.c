/* Triangles of a matrix. */
#include "kernels/trsv.h"

#include "base/memory.h"
#include "base/threads.h"
#include "formats/running_sum.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

void spw_triangle_destroy(spw_triangle *T) {
    if (!T) return;
    spw_free(T->row_ptr);
    spw_free(T->col_idx);
    spw_free(T->val);
    spw_free(T->inverse);
    spw_free(T->begin);
    spw_free(T->end);
    spw_free(T->share_ptr);
    spw_free(T->wait_level);
    *T = (spw_triangle){0};
}

int64_t spw_triangle_bytes(const spw_triangle *T) {
    return 12 * (int64_t)T->nnz + 4 * ((int64_t)T->n + 1) + (T->inverse ? 8 * (int64_t)T->n : 0);
}

/* The row of stored row k, and the stored row of row i. */
static inline spw_idx turned(const spw_triangle *T, spw_idx k) {
    return T->half == SPW_UPPER ? T->n - 1 - k : k;
}

/* --- from a matrix ---------------------------------------------------------------------------------------- */

/* Entries of row i of A in front of its diagonal, *at where they end. */
static spw_idx count_before(const spw_csr *A, spw_idx i, spw_idx *at) {
    *at = spw_csr_first_from(A, i, i);
    return *at - A->row_ptr[i];
}

static bool has_diagonal(const spw_csr *A, spw_idx i, spw_idx at) {
    return at < A->row_ptr[i + 1] && A->col_idx[at] == i;
}

/* row_ptr, and the inverse diagonal if that is looked at; returns the first row that has none, or n. */
static spw_idx count_rows(const spw_csr *A, spw_diagonal diagonal, spw_triangle *T) {
    spw_idx bad = T->n;
    T->row_ptr[0] = 0;
#pragma omp parallel for schedule(static) reduction(min : bad)
    for (spw_idx k = 0; k < T->n; k++) {
        const spw_idx i = turned(T, k);
        spw_idx at;
        const spw_idx before = count_before(A, i, &at);
        const bool there = has_diagonal(A, i, at);
        const spw_idx behind = A->row_ptr[i + 1] - at - there;
        T->row_ptr[k + 1] = T->half == SPW_LOWER ? before : behind;
        if (diagonal == SPW_DIAGONAL_ONE) continue;
        const double inverse = there ? 1 / A->val[at] : 0;
        if ((inverse == 0 || !isfinite(inverse)) && i < bad) bad = i;
        if (diagonal == SPW_DIAGONAL_OWN) T->inverse[i] = inverse;
    }
    return bad;
}

static void fill_rows(const spw_csr *A, spw_diagonal diagonal, spw_triangle *T) {
#pragma omp parallel for schedule(static)
    for (spw_idx k = 0; k < T->n; k++) {
        const spw_idx i = turned(T, k);
        const spw_idx first = T->half == SPW_LOWER ? A->row_ptr[i] : A->row_ptr[i + 1] - 1;
        const spw_idx step = T->half == SPW_LOWER ? 1 : -1;
        spw_idx at;
        count_before(A, i, &at);
        const double divisor = diagonal == SPW_DIAGONAL_DIVIDED ? A->val[at] : 1;
        for (spw_idx to = T->row_ptr[k], n = 0; to < T->row_ptr[k + 1]; to++, n++) {
            T->col_idx[to] = A->col_idx[first + step * n];
            T->val[to] = A->val[first + step * n] / divisor;
        }
    }
}

spw_status spw_triangle_from_csr(const spw_csr *A, spw_half half, spw_diagonal diagonal,
                                 spw_triangle *T) {
    spw_idx bad, at;
    *T = (spw_triangle){.n = A->n_rows, .half = half};
    spw_status status = SPW_OK;
    if (A->n_rows != A->n_cols)
        status =
            spw_error(SPW_ERR_ARG, "a triangle of a %" PRId32 " x %" PRId32 " matrix: not square",
                      A->n_rows, A->n_cols);
    if (!status) status = SPW_ALLOC(&T->row_ptr, (int64_t)T->n + 1);
    if (!status && diagonal == SPW_DIAGONAL_OWN) status = SPW_ALLOC(&T->inverse, T->n);
    if (status) goto fail;
    bad = count_rows(A, diagonal, T);
    if (bad < T->n) {
        count_before(A, bad, &at);
        status =
            has_diagonal(A, bad, at)
                ? spw_error(SPW_ERR_ARG,
                            "the diagonal entry of row %" PRId32 " is %g, which has no inverse",
                            bad, A->val[at])
                : spw_error(SPW_ERR_ARG, "row %" PRId32 " has no diagonal entry", bad);
        goto fail;
    }
    spw_running_sum(T->row_ptr + 1, T->n);
    T->nnz = T->row_ptr[T->n];
    status = SPW_ALLOC(&T->col_idx, T->nnz);
    if (!status) status = SPW_ALLOC(&T->val, T->nnz);
    if (status) goto fail;
    fill_rows(A, diagonal, T);
    return SPW_OK;
fail:
    spw_triangle_destroy(T);
    return status;
}

/* --- transposed ------------------------------------------------------------------------------------------------ */

/* Threads count the entries of each row of U in a slice of T each, and then know where theirs go. Slices
 * are counters of the size of row_ptr: not more than this, however many threads there are. */
enum { SLICES_MAX = 16 };

typedef struct transposer {
    const spw_triangle *T;
    int n_slices;
    spw_idx *
        next; /* [n_slices][n]  entries of a row of U in each slice, then where the next one goes */
} transposer;

/* Column j of T is this stored row of U. */
static inline spw_idx row_of_column(const spw_triangle *T, spw_idx j) {
    return T->n - 1 - turned(T, j);
}

static void count_columns(const transposer *t, int slice) {
    const spw_triangle *T = t->T;
    spw_idx *const count = t->next + (int64_t)slice * T->n;
    const int64_t begin = spw_part_begin(T->n, slice, t->n_slices),
                  end = spw_part_begin(T->n, slice + 1, t->n_slices);
    for (spw_idx k = 0; k < T->n; k++) count[k] = 0;
    for (spw_idx at = T->row_ptr[begin]; at < T->row_ptr[end]; at++)
        count[row_of_column(T, T->col_idx[at])]++;
}

/* The rows of a slice from the last to the first: that is the order of solution in U. */
static void fill_columns(const transposer *t, int slice, spw_triangle *U) {
    const spw_triangle *T = t->T;
    spw_idx *const next = t->next + (int64_t)slice * T->n;
    const int64_t begin = spw_part_begin(T->n, slice, t->n_slices);
    for (int64_t k = spw_part_begin(T->n, slice + 1, t->n_slices) - 1; k >= begin; k--) {
        const spw_idx i = turned(T, (spw_idx)k);
        for (spw_idx at = T->row_ptr[k]; at < T->row_ptr[k + 1]; at++) {
            const spw_idx j = T->col_idx[at], to = next[row_of_column(T, j)]++;
            U->col_idx[to] = i;
            U->val[to] = T->inverse ? T->val[at] * T->inverse[j] : T->val[at];
        }
    }
}

spw_status spw_triangle_transpose(const spw_triangle *T, spw_triangle *U) {
    transposer t = {.T = T, .n_slices = spw_max_threads()};
    if (t.n_slices > SLICES_MAX) t.n_slices = SLICES_MAX;
    *U = (spw_triangle){
        .n = T->n, .nnz = T->nnz, .half = T->half == SPW_UPPER ? SPW_LOWER : SPW_UPPER};
    spw_status status = SPW_ALLOC(&t.next, (int64_t)t.n_slices * T->n);
    if (!status) status = SPW_ALLOC(&U->row_ptr, (int64_t)U->n + 1);
    if (!status) status = SPW_ALLOC(&U->col_idx, U->nnz);
    if (!status) status = SPW_ALLOC(&U->val, U->nnz);
    if (status) goto end;
#pragma omp parallel for schedule(static)
    for (int slice = 0; slice < t.n_slices; slice++) count_columns(&t, slice);
    U->row_ptr[0] = 0;
#pragma omp parallel for schedule(static)
    for (spw_idx k = 0; k < U->n; k++) {
        spw_idx sum = 0;
        for (int slice = 0; slice < t.n_slices; slice++) sum += t.next[(int64_t)slice * U->n + k];
        U->row_ptr[k + 1] = sum;
    }
    spw_running_sum(U->row_ptr + 1, U->n);
#pragma omp parallel for schedule(static)
    for (spw_idx k = 0; k < U->n; k++) {
        spw_idx to = U->row_ptr[k];
        for (int slice = t.n_slices - 1; slice >= 0; slice--) {
            const spw_idx count = t.next[(int64_t)slice * U->n + k];
            t.next[(int64_t)slice * U->n + k] = to;
            to += count;
        }
    }
#pragma omp parallel for schedule(static)
    for (int slice = 0; slice < t.n_slices; slice++) fill_columns(&t, slice, U);
end:
    spw_free(t.next);
    if (status) spw_triangle_destroy(U);
    return status;
}

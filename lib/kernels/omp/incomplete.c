/* IC(0) and ILU(0) by all threads, in the order in which the triangle is solved: expert/trsv_wait.c. */
#include "kernels/incomplete.h"

#include "base/memory.h"
#include "base/threads.h"
#include "kernels/expert/trsv_rows.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* A pivot below this part of its row is taken for zero. */
static const double TINY = 1e-10;

/* Rows of the same columns are factored together: where a mesh has several unknowns a node, what is read of
 * the rows above serves for all of them. */
enum { GROUP = 4 };
typedef double lanes __attribute__((vector_size(8 * GROUP))); /* an entry of each row */

/* What a thread works with, on cache lines of its own. */
typedef struct room {
    _Alignas(64) lanes
        *row; /* [longest row + 1]  the rows at hand from 1 on; 0 is where they have nothing */
    spw_idx
        *place; /* [widest]  where column first + k is in row, first being the row's; 0 between */
    spw_idx *skip; /* [longest row]  ic0: see first_of */
    spw_idx bad;
    double flop;
} room;

typedef struct factors {
    const spw_csr *A;
    double diagonal; /* factor of the diagonal: 1 + shift */
    spw_triangle *L, *U;
    room *rooms; /* [threads] */
} factors;

static void destroy(room *rooms, int threads) {
    for (int t = 0; t < threads && rooms; t++) {
        spw_free(rooms[t].row);
        spw_free(rooms[t].place);
        spw_free(rooms[t].skip);
    }
    spw_free(rooms);
}

/* Entries of the longest row, and columns from the first to the last entry of the widest. */
static spw_idx longest_row(const spw_csr *A, spw_idx *widest) {
    spw_idx longest = 0, wide = 0;
#pragma omp parallel for schedule(static) reduction(max : longest, wide)
    for (spw_idx i = 0; i < A->n_rows; i++) {
        const spw_idx begin = A->row_ptr[i], length = A->row_ptr[i + 1] - begin;
        const spw_idx width = length ? A->col_idx[begin + length - 1] - A->col_idx[begin] + 1 : 0;
        if (length > longest) longest = length;
        if (width > wide) wide = width;
    }
    *widest = wide;
    return longest;
}

static spw_status create(int threads, const spw_csr *A, room **rooms) {
    spw_idx widest;
    const spw_idx longest = longest_row(A, &widest);
    spw_status status = SPW_ALLOC_ZERO(rooms, threads);
    for (int t = 0; t < threads && !status; t++) {
        room *const r = *rooms + t;
        r->bad = A->n_rows;
        status = SPW_ALLOC_ZERO(&r->row, (int64_t)longest + 1);
        if (!status) status = SPW_ALLOC_ZERO(&r->skip, longest);
        if (!status) status = SPW_ALLOC(&r->place, widest);
    }
    if (status) {
        destroy(*rooms, threads);
        return status;
    }
#pragma omp parallel for schedule(static, 1)
    for (int t = 0; t < threads; t++)
        memset((*rooms)[t].place, 0, sizeof(spw_idx) * (size_t)widest);
    return status;
}

/* Rows of L in the order of its schedule. */
static spw_status factor(factors *f,
                         void (*rows)(const spw_triangle *L, spw_idx begin, spw_idx end,
                                      const void *with),
                         spw_incomplete *result) {
    const int threads = spw_max_threads();
    const spw_status status = create(threads, f->A, &f->rooms);
    if (status) return status;
    spw_trsv_wait(f->L, rows, f);
    *result = (spw_incomplete){.bad = f->A->n_rows};
    for (int t = 0; t < threads; t++) {
        if (f->rooms[t].bad < result->bad) result->bad = f->rooms[t].bad;
        result->flop += f->rooms[t].flop;
    }
    destroy(f->rooms, threads);
    return SPW_OK;
}

/* Row i has this pivot, of which `size` is compared with `whole`. */
static void set_pivot(spw_idx i, double pivot, double size, double whole, double *inverse,
                      room *me) {
    if ((!(size > TINY * whole) || !isfinite(size)) && i < me->bad) me->bad = i;
    inverse[i] = 1 / pivot;
}

/* --- IC(0) -------------------------------------------------------------------------------------------------------- */

/* How many rows from i on, up to GROUP, have the columns of the row before them, and that row. */
static int ic0_group_of(const spw_triangle *L, spw_idx i, spw_idx end) {
    const spw_idx *const col_idx = L->col_idx, *const row_ptr = L->row_ptr;
    int n = 1;
    for (; n < GROUP && i + n < end; n++) {
        const spw_idx begin = row_ptr[i + n], length = row_ptr[i + n] - row_ptr[i + n - 1];
        if (row_ptr[i + n + 1] - begin != length + 1 || col_idx[begin + length] != i + n - 1 ||
            memcmp(col_idx + begin - length, col_idx + begin, (size_t)length * sizeof *col_idx))
            break;
    }
    return n;
}

/* The entry of row j from which on its columns are not before `column`: there row i has nothing. From one row
 * to the next that is the same place more often than not, so *skip tells where it was. */
static inline spw_idx first_of(const spw_triangle *L, spw_idx j, spw_idx column, spw_idx *skip) {
    const spw_idx begin = L->row_ptr[j], end = L->row_ptr[j + 1];
    spw_idx at = *skip < end - begin ? begin + *skip : end;
    while (at > begin && L->col_idx[at - 1] >= column) at--;
    while (at < end && L->col_idx[at] < column) at++;
    *skip = at - begin;
    return at;
}

/* Rows i .. i+n-1. row[p + 1] is l_ij / l_jj of all, j the column at p. */
static void ic0_group(const factors *f, spw_idx i, int n, room *me) {
    const spw_triangle *const L = f->L;
    const spw_idx *const columns = L->col_idx + L->row_ptr[i + n - 1];
    const spw_idx common = L->row_ptr[i + 1] - L->row_ptr[i];
    const double *a[GROUP];
    double *l[GROUP];
    lanes pivots = {0}, a_jj = {0};
    for (int r = 0; r < n; r++) {
        a[r] = f->A->val + f->A->row_ptr[i + r];
        l[r] = L->val + L->row_ptr[i + r];
        pivots[r] = a_jj[r] = a[r][common + r] * f->diagonal;
    }
    for (spw_idx p = 0; p < common + n - 1; p++) me->place[columns[p] - columns[0]] = p + 1;
    for (spw_idx p = 0; p < common + n - 1; p++) {
        const spw_idx j = columns[p], last = L->row_ptr[j + 1];
        const int above =
            p < common ? 0 : (int)(p - common) + 1; /* rows that end before column j */
        if (above)
            set_pivot(j, pivots[above - 1], pivots[above - 1], a_jj[above - 1], L->inverse, me);
        lanes sums = {0};
        for (int r = above; r < n; r++) sums[r] = a[r][p];
        spw_idx at = first_of(L, j, columns[0], &me->skip[p]);
        me->flop += (2.0 * (last - at) + 3) * (n - above);
        for (; at < last; at++)
            sums -= me->row[me->place[L->col_idx[at] - columns[0]]] * L->val[at];
        for (int r = above; r < n; r++) l[r][p] = sums[r];
        me->row[p + 1] = sums * L->inverse[j];
        pivots -= sums * me->row[p + 1];
    }
    set_pivot(i + n - 1, pivots[n - 1], pivots[n - 1], a_jj[n - 1], L->inverse, me);
    for (spw_idx p = 0; p < common + n - 1; p++) me->place[columns[p] - columns[0]] = 0;
}

static void ic0_rows(const spw_triangle *L, spw_idx begin, spw_idx end, const void *with) {
    const factors *const f = with;
    room *const me = &f->rooms[spw_thread()];
    for (spw_idx i = begin; i < end && i <= me->bad;) {
        const int n = ic0_group_of(L, i, end);
        ic0_group(f, i, n, me);
        i += n;
    }
}

spw_status spw_ic0_omp(const spw_csr *A, double shift, spw_triangle *L, spw_incomplete *result) {
    assert(A->n_rows == L->n && L->half == SPW_LOWER && L->inverse && L->share_ptr);
    return factor(&(factors){.A = A, .diagonal = 1 + shift, .L = L}, ic0_rows, result);
}

/* --- ILU(0) ------------------------------------------------------------------------------------------------------- */

/* How many rows from i on, up to GROUP, have the same columns. */
static int ilu0_group_of(const spw_csr *A, spw_idx i, spw_idx end) {
    const spw_idx first = A->row_ptr[i], length = A->row_ptr[i + 1] - first;
    int n = 1;
    for (; n < GROUP && i + n < end; n++) {
        const spw_idx begin = A->row_ptr[i + n];
        if (A->row_ptr[i + n + 1] - begin != length ||
            memcmp(A->col_idx + first, A->col_idx + begin, (size_t)length * sizeof *A->col_idx))
            break;
    }
    return n;
}

/* Rows i .. i+n-1 minus multiples of the rows of U above, and of each other. row[p + 1] is entry p of all. */
static void ilu0_group(const factors *f, spw_idx i, int n, room *me) {
    const spw_triangle *const L = f->L, *const U = f->U;
    const spw_idx length = f->A->row_ptr[i + 1] - f->A->row_ptr[i];
    const spw_idx lower = L->row_ptr[i + 1] - L->row_ptr[i];
    const spw_idx *const columns = f->A->col_idx + f->A->row_ptr[i];
    lanes *const row = me->row;
    lanes sizes = {0};
    for (spw_idx p = 0; p < length; p++) {
        row[p + 1] = (lanes){0};
        for (int r = 0; r < n; r++) {
            const double a = f->A->val[f->A->row_ptr[i + r] + p];
            row[p + 1][r] = p == lower + r ? a * f->diagonal : a;
            if (fabs(row[p + 1][r]) > sizes[r]) sizes[r] = fabs(row[p + 1][r]);
        }
        me->place[columns[p] - columns[0]] = p + 1;
    }
    for (spw_idx p = 0; p < lower; p++) {
        const spw_idx k = U->n - 1 - columns[p]; /* as it is stored, the last columns first */
        const lanes multiple = row[p + 1] *= U->inverse[columns[p]];
        spw_idx at = U->row_ptr[k + 1];
        for (; at > U->row_ptr[k] && U->col_idx[at - 1] <= columns[length - 1]; at--)
            row[me->place[U->col_idx[at - 1] - columns[0]]] -= multiple * U->val[at - 1];
        me->flop += (2.0 * (U->row_ptr[k + 1] - at) + 1) * n;
    }
    for (int s = 0; s < n; s++) {
        const spw_idx p = lower + s;
        set_pivot(i + s, row[p + 1][s], fabs(row[p + 1][s]), sizes[s], U->inverse, me);
        lanes multiple = {0};
        for (int r = s + 1; r < n; r++) multiple[r] = row[p + 1][r] *= U->inverse[i + s];
        for (spw_idx q = p + 1; q < length && s + 1 < n; q++)
            row[q + 1] -= multiple * row[q + 1][s];
        me->flop += (2.0 * (length - p - 1) + 1) * (n - s - 1);
    }
    for (int r = 0; r < n; r++) {
        double *l = L->val + L->row_ptr[i + r], *u = U->val + U->row_ptr[U->n - 1 - i - r];
        for (spw_idx p = 0; p < lower + r; p++) *l++ = row[p + 1][r];
        for (spw_idx p = length - 1; p > lower + r; p--) *u++ = row[p + 1][r];
    }
    for (spw_idx p = 0; p < length; p++) me->place[columns[p] - columns[0]] = 0;
}

static void ilu0_rows(const spw_triangle *L, spw_idx begin, spw_idx end, const void *with) {
    (void)L;
    const factors *const f = with;
    room *const me = &f->rooms[spw_thread()];
    for (spw_idx i = begin; i < end && i <= me->bad;) {
        const int n = ilu0_group_of(f->A, i, end);
        ilu0_group(f, i, n, me);
        i += n;
    }
}

spw_status spw_ilu0_omp(const spw_csr *A, double shift, spw_triangle *L, spw_triangle *U,
                        spw_incomplete *result) {
    assert(A->n_rows == L->n && L->half == SPW_LOWER && !L->inverse && L->share_ptr);
    assert(U->n == L->n && U->half == SPW_UPPER && U->inverse);
    return factor(&(factors){.A = A, .diagonal = 1 + shift, .L = L, .U = U}, ilu0_rows, result);
}

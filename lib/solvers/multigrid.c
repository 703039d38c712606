/* Geometric multigrid without matrices: lines of a grid and those beside them. */
#include "solvers/multigrid.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>

enum { MOST_LEVELS = 31, FEW_POINTS = 4096 }; /* of so few points one thread is as fast as all */

typedef struct level {
    spw_idx m;
    int64_t n;
    double *b, *x, *y; /* b and x: of the coarser levels */
} level;

struct spw_multigrid {
    int dim, count;
    double beside; /* minus the value of a neighbour's entry; the diagonal is 2 dim times that */
    double *room, *outside; /* outside: [m] zeros, a line that is not on the grid */
    level level[MOST_LEVELS];
};

/* --- the grid of a matrix ---------------------------------------------------------------------------------------- */

/* Does row i have the entries of a point on a grid of m[0] x m[1] (x m[2]) points? */
static bool row_fits(const spw_csr *A, spw_idx i, int dim, const int64_t m[3], double beside) {
    const int64_t place[3] = {i % m[0], i / m[0] % m[1], i / m[0] / m[1]};
    const int64_t stride[3] = {1, m[0], m[0] * m[1]};
    spw_idx k = A->row_ptr[i];
    const spw_idx end = A->row_ptr[i + 1];
    for (int d = -dim; d <= dim; d++) {
        const int axis = d < 0 ? -d - 1 : d - 1;
        if (d < 0 && place[axis] == 0) continue;
        if (d > 0 && place[axis] == m[axis] - 1) continue;
        const int64_t column = d == 0 ? i : d < 0 ? i - stride[axis] : i + stride[axis];
        const double value = d == 0 ? 2 * dim * beside : -beside;
        if (k == end || A->col_idx[k] != column || A->val[k] != value) return false;
        k++;
    }
    return k == end;
}

/* The first row tells: its neighbours are 1, m[0], and m[0] m[1] rows further. */
static spw_status find_grid(const spw_csr *A, int *dim, int64_t m[3], double *beside) {
    const int64_t n = A->n_rows;
    if (A->n_rows != A->n_cols)
        return spw_error(SPW_ERR_ARG, "multigrid: a %d x %d matrix is not square", A->n_rows,
                         A->n_cols);
    const spw_idx first = n ? A->row_ptr[1] - A->row_ptr[0] : 0;
    const spw_idx *const columns = A->col_idx;
    *dim = first == 4 ? 3 : 2;
    m[0] = first >= 3 && columns[2] > 0 ? columns[2] : first == 1 ? 1 : n;
    m[1] = *dim == 3 ? columns[3] / m[0] : m[0] ? n / m[0] : 0;
    m[2] = *dim == 3 && m[1] > 0 ? n / (m[0] * m[1]) : 1;
    *beside = first ? A->val[0] / (2 * *dim) : 0;
    const bool box = m[0] > 0 && m[1] > 0 && m[0] * m[1] * m[2] == n && *beside > 0;
    const spw_idx rows = box ? A->n_rows : 0;
    spw_idx bad = rows;
#pragma omp parallel for schedule(static) reduction(min : bad)
    for (spw_idx i = 0; i < rows; i++)
        if (!row_fits(A, i, *dim, m, *beside) && i < bad) bad = i;
    if (n && bad == n) return SPW_OK;
    return spw_error(SPW_ERR_ARG,
                     "multigrid: row %d is not one of a grid's Laplacian, as laplace2d:127 or "
                     "laplace3d:63 are",
                     bad);
}

static spw_status check_size(int dim, const int64_t m[3]) {
    if (m[0] == m[1] && (dim == 2 || m[1] == m[2]) && ((m[0] + 1) & m[0]) == 0) return SPW_OK;
    char size[80];
    snprintf(size, sizeof size,
             dim == 2 ? "%" PRId64 " x %" PRId64 : "%" PRId64 " x %" PRId64 " x %" PRId64, m[0],
             m[1], m[2]);
    return spw_error(
        SPW_ERR_ARG,
        "multigrid: the grid has %s points; it takes 2^k - 1 in each direction, all the "
        "same, such as 63 or 127",
        size);
}

spw_status spw_multigrid_create(const spw_csr *A, spw_multigrid **G) {
    int dim;
    int64_t m[3], points = 0;
    double beside;
    *G = NULL;
    spw_status status = find_grid(A, &dim, m, &beside);
    if (!status) status = check_size(dim, m);
    if (!status) status = SPW_ALLOC_ZERO(G, 1);
    if (status) return status;
    spw_multigrid *const g = *G;
    g->dim = dim;
    g->beside = beside;
    for (int64_t k = m[0]; k > 0; k /= 2) {
        level *L = &g->level[g->count++];
        *L = (level){.m = (spw_idx)k, .n = dim == 3 ? k * k * k : k * k};
        points += (g->count == 1 ? 1 : 3) * L->n;
    }
    status = SPW_ALLOC(&g->room, points);
    if (!status) status = SPW_ALLOC_ZERO(&g->outside, m[0]);
    if (status) {
        spw_multigrid_destroy(g);
        *G = NULL;
        return status;
    }
    double *next = g->room;
    for (int l = 0; l < g->count; l++) {
        level *L = &g->level[l];
        double **const vector[] = {&L->y, &L->b, &L->x};
        for (int k = 0; k < (l ? 3 : 1); k++, next += L->n) *vector[k] = next;
    }
    return SPW_OK;
}

void spw_multigrid_destroy(spw_multigrid *G) {
    if (!G) return;
    spw_free(G->room);
    spw_free(G->outside);
    spw_free(G);
}

void spw_multigrid_size(const spw_multigrid *G, int *dim, spw_idx *m, int *levels) {
    *dim = G->dim;
    *m = G->level[0].m;
    *levels = G->count;
}

/* --- relaxation and residual --------------------------------------------------------------------------------------- */

/* A line of x and the four beside it; those outside of the grid are zeros. */
typedef struct lines {
    const double *at, *south, *north, *below, *above;
} lines;

static lines lines_of(const spw_multigrid *G, const level *L, const double *x, int64_t line) {
    const int64_t m = L->m, j = line % m, k = line / m;
    const double *const at = x + line * m;
    const bool deep = G->dim == 3;
    return (lines){at, j > 0 ? at - m : G->outside, j + 1 < m ? at + m : G->outside,
                   deep && k > 0 ? at - m * m : G->outside,
                   deep && k + 1 < m ? at + m * m : G->outside};
}

/* out = keep x + s (b - A x) */
static void smooth(const spw_multigrid *G, const level *L, double keep, double s, const double *b,
                   const double *x, double *out) {
    const int64_t m = L->m;
    const double beside = G->beside, on = 2 * G->dim * beside;
#pragma omp parallel for schedule(static) if (L->n > FEW_POINTS)
    for (int64_t line = 0; line < L->n / m; line++) {
        const lines u = lines_of(G, L, x, line);
        const double *const right = b + line * m;
        double *const to = out + line * m;
        for (int64_t i = 0; i<m; i += m> 1 ? m - 1 : 1) {
            const double sides = (i > 0 ? u.at[i - 1] : 0) + (i + 1 < m ? u.at[i + 1] : 0);
            const double all = sides + u.south[i] + u.north[i] + u.below[i] + u.above[i];
            to[i] = keep * u.at[i] + s * (right[i] - on * u.at[i] + beside * all);
        }
#pragma omp simd
        for (int64_t i = 1; i < m - 1; i++) {
            const double all =
                u.at[i - 1] + u.at[i + 1] + u.south[i] + u.north[i] + u.below[i] + u.above[i];
            to[i] = keep * u.at[i] + s * (right[i] - on * u.at[i] + beside * all);
        }
    }
}

/* --- between two levels --------------------------------------------------------------------------------------------- */

static void restrict_to(const spw_multigrid *G, const level *fine, const level *coarse) {
    const int64_t m = fine->m, half = coarse->m;
    const int reach = G->dim == 3;
#pragma omp parallel for schedule(static) if (fine->n > FEW_POINTS)
    for (int64_t line = 0; line < coarse->n / half; line++) {
        const int64_t j = 2 * (line % half) + 1, k = reach ? 2 * (line / half) + 1 : 0;
        double *const to = coarse->b + line * half;
        for (int64_t i = 0; i < half; i++) to[i] = 0;
        for (int dz = -reach; dz <= reach; dz++)
            for (int dy = -1; dy <= 1; dy++) {
                const double *const from = fine->y + ((k + dz) * m + j + dy) * m;
                const double w = (reach ? 0.5 : 1) * (dy ? 0.5 : 1) * (dz ? 0.5 : 1);
                for (int64_t i = 0; i < half; i++)
                    to[i] += w * (0.5 * (from[2 * i] + from[2 * i + 2]) + from[2 * i + 1]);
            }
    }
}

static void prolong_from(const spw_multigrid *G, const level *coarse, const level *fine,
                         double *x) {
    const int64_t m = fine->m, half = coarse->m;
    const bool deep = G->dim == 3;
#pragma omp parallel for schedule(static) if (fine->n > FEW_POINTS)
    for (int64_t line = 0; line < fine->n / m; line++) {
        const int64_t j = line % m, k = deep ? line / m : 1;
        double *const to = x + line * m;
        for (int64_t K = (k + 1) / 2 - 1; K <= k / 2; K++)
            for (int64_t J = (j + 1) / 2 - 1; J <= j / 2; J++) {
                if (K < 0 || J < 0 || J >= half || (deep && K >= half)) continue;
                const double *const from = coarse->x + (K * half + J) * half;
                const double w = (j % 2 ? 1 : 0.5) * (k % 2 ? 1 : 0.5);
                to[0] += 0.5 * w * from[0];
                for (int64_t i = 0; i < half - 1; i++) {
                    to[2 * i + 1] += w * from[i];
                    to[2 * i + 2] += 0.5 * w * (from[i] + from[i + 1]);
                }
                to[m - 2] += w * from[half - 1];
                to[m - 1] += 0.5 * w * from[half - 1];
            }
    }
}

/* --- the cycle --------------------------------------------------------------------------------------------------------- */

/* Relaxations go from x to y and from y to x. Without a guess the first one writes where the last one ends in x. */
static void cycle(spw_multigrid *G, int l, int before, int after, bool guess, const double *b,
                  double *x) {
    level *const L = &G->level[l];
    const double damped = 1 / ((2 * G->dim + 1) * G->beside);
    const bool odd = (before + after - !guess) % 2;
    double *now = odd && !guess ? L->y : x, *other = now == x ? L->y : x;
    if (L->m == 1) {
        x[0] = b[0] / (2 * G->dim * G->beside);
        return;
    }
    if (!guess) {
#pragma omp parallel for schedule(static) if (L->n > FEW_POINTS)
        for (int64_t i = 0; i < L->n; i++) now[i] = damped * b[i];
    }
    for (int s = guess ? 0 : 1; s < before; s++) {
        smooth(G, L, 1, damped, b, now, other);
        double *const swap = now;
        now = other;
        other = swap;
    }
    const level fine = {L->m, L->n, NULL, NULL, other}, *coarse = L + 1;
    smooth(G, L, 0, 1, b, now, other);
    restrict_to(G, &fine, coarse);
    cycle(G, l + 1, before, after, false, coarse->b, coarse->x);
    prolong_from(G, coarse, &fine, now);
    for (int s = 0; s < after; s++) {
        smooth(G, L, 1, damped, b, now, other);
        double *const swap = now;
        now = other;
        other = swap;
    }
    if (now == x) return;
#pragma omp parallel for schedule(static) if (L->n > FEW_POINTS)
    for (int64_t i = 0; i < L->n; i++) x[i] = now[i];
}

void spw_multigrid_cycle(spw_multigrid *G, int before, int after, bool guess, const double *b,
                         double *x) {
    cycle(G, 0, before, after, guess, b, x);
}

spw_cost spw_multigrid_cost(const spw_multigrid *G, int before, int after, bool guess,
                            double *write_allocate) {
    spw_cost sum = {0};
    const double weights = G->dim == 3 ? 27 : 9;
    *write_allocate = 0;
    for (int l = 0; l + 1 < G->count; l++) {
        const double n = (double)G->level[l].n, coarse = (double)G->level[l + 1].n;
        const bool zero = l > 0 || !guess, copied = !zero && (before + after) % 2;
        const double relaxations = before + after - zero, passes = relaxations + 1;
        sum.load += passes * 16 * n + zero * 8 * n + copied * 8 * n + 16 * n + 8 * coarse;
        sum.store += passes * 8 * n + zero * 8 * n + copied * 8 * n + 8 * n + 8 * coarse;
        sum.flop += passes * (2 * G->dim + 4) * n + zero * n + 4 * weights * coarse;
        *write_allocate += passes * 8 * n + zero * 8 * n + copied * 8 * n + 8 * coarse;
    }
    return sum;
}

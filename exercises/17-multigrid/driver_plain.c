/* Exercise 17: hierarchies, a serial V-cycle point after point, and what the answer's cycle does for convergence. */
#include "problem.h"

#include "base/memory.h"
#include "formats/generate.h"
#include "kit/cases.h"
#include "kit/systems.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the hierarchy --------------------------------------------------------------------------------------------- */

static spw_status add_level(int dim, spw_idx m, int l, hierarchy *H) {
    char name[48];
    spw_csr A;
    level *V = &H->level[l];
    snprintf(name, sizeof name, "laplace%dd:%d", dim, m);
    const spw_status status = spw_csr_generate(name, &A);
    if (status) return status;
    V->G = (grid){dim, m};
    V->scale = 1.0 / (2 * dim + 1);
    V->A = A;
    V->A.row_ptr = H->row_ptr + H->pointers;
    V->A.col_idx = H->col_idx + H->entries;
    V->A.val = H->val + H->entries;
    memcpy(V->A.row_ptr, A.row_ptr, ((size_t)A.n_rows + 1) * sizeof *A.row_ptr);
    memcpy(V->A.col_idx, A.col_idx, (size_t)A.nnz * sizeof *A.col_idx);
    memcpy(V->A.val, A.val, (size_t)A.nnz * sizeof *A.val);
    H->pointers += A.n_rows + 1;
    H->entries += A.nnz;
    H->points += A.n_rows;
    spw_csr_destroy(&A);
    return SPW_OK;
}

spw_status make_hierarchy(int dim, spw_idx m, hierarchy *H) {
    int64_t points = 0;
    *H = (hierarchy){0};
    for (int64_t k = m; k > 0; k /= 2, H->L.count++) points += dim == 3 ? k * k * k : k * k;
    spw_status status = SPW_ALLOC(&H->row_ptr, points + H->L.count);
    if (!status) status = SPW_ALLOC(&H->col_idx, (2 * dim + 1) * points);
    if (!status) status = SPW_ALLOC(&H->val, (2 * dim + 1) * points);
    for (int l = 0; l < H->L.count && !status; l++, m /= 2) status = add_level(dim, m, l, H);
    if (!status) return SPW_OK;
    spw_free(H->row_ptr);
    spw_free(H->col_idx);
    spw_free(H->val);
    *H = (hierarchy){0};
    return status;
}

int64_t level_at(const levels *L, int l) {
    int64_t at = 0;
    for (int k = 0; k < l; k++) at += L->level[k].A.n_rows;
    return at;
}

/* --- one thread, point after point ----------------------------------------------------------------------------- */

double plain_residual(const spw_csr *A, const double *b, const double *x, double *r) {
    double sum = 0;
    spw_system_product(A, x, r);
    for (spw_idx i = 0; i < A->n_rows; i++) {
        r[i] = b[i] - r[i];
        sum += r[i] * r[i];
    }
    return sqrt(sum);
}

static void transfer(grid G, double *coarse, double *fine, bool up) {
    const int64_t m = G.m, half = (m - 1) / 2;
    for (int64_t c = 0; c < (G.dim == 3 ? half * half * half : half * half); c++)
        for (int near = 0; near < (G.dim == 3 ? 27 : 9); near++) {
            const int dx = near % 3 - 1, dy = near / 3 % 3 - 1, dz = G.dim == 3 ? near / 9 - 1 : 0;
            const int64_t i = 2 * (c % half) + 1 + dx, j = 2 * (c / half % half) + 1 + dy;
            const int64_t k = G.dim == 3 ? 2 * (c / half / half) + 1 + dz : 0;
            const double weight = ldexp(1, -abs(dx) - abs(dy) - abs(dz));
            if (up)
                fine[(k * m + j) * m + i] += weight * coarse[c];
            else
                coarse[c] += ldexp(4, -G.dim) * weight * fine[(k * m + j) * m + i];
        }
}

void plain_prolong(grid G, const double *coarse, double *fine) {
    transfer(G, (double *)(uintptr_t)coarse, fine, true);
}

void plain_restrict(grid G, const double *fine, double *coarse) {
    transfer(G, coarse, (double *)(uintptr_t)fine, false);
}

static void plain_relax(const level *V) {
    plain_residual(&V->A, V->b, V->x, V->y);
    for (spw_idx i = 0; i < V->A.n_rows; i++) V->x[i] += V->scale * V->y[i];
}

void plain_cycle(levels *L, int l, int before, int after, int guess) {
    const level *V = &L->level[l], *coarse = V + 1;
    for (spw_idx i = 0; i < V->A.n_rows && !guess; i++) V->x[i] = 0;
    if (l + 1 == L->count) {
        V->x[0] = V->b[0] / V->A.val[0];
        return;
    }
    for (int s = 0; s < before; s++) plain_relax(V);
    plain_residual(&V->A, V->b, V->x, V->y);
    memset(coarse->b, 0, (size_t)coarse->A.n_rows * sizeof *coarse->b);
    plain_restrict(V->G, V->y, coarse->b);
    plain_cycle(L, l + 1, before, after, 0);
    plain_prolong(V->G, coarse->x, V->x);
    for (int s = 0; s < after; s++) plain_relax(V);
}

/* --- how it converges -------------------------------------------------------------------------------------------- */

enum { MOST_CYCLES = 60 };

/* A solver's vectors, and the cycle that it has. */
typedef struct solving {
    hierarchy H;
    __typeof__(v_cycle) *cycle;
    double *room, *b, *x, *r, *z, *p, *q;
} solving;

static spw_status begin(solving *s, int dim, spw_idx m, uint64_t seed) {
    spw_status status = make_hierarchy(dim, m, &s->H);
    const int64_t all = s->H.points, n = all ? s->H.level[0].A.n_rows : 0;
    if (!status) status = SPW_ALLOC_ZERO(&s->room, 3 * all + 6 * n);
    if (status) return status;
    s->H.L.level = s->H.level;
    for (int l = 0; l < s->H.L.count; l++) {
        level *V = &s->H.level[l];
        V->b = s->room + level_at(&s->H.L, l);
        V->x = V->b + all;
        V->y = V->x + all;
    }
    s->b = s->room + 3 * all;
    s->x = s->b + n;
    s->r = s->x + n;
    s->z = s->r + n;
    s->p = s->z + n;
    s->q = s->p + n;
    spw_case_vector(seed, n, s->b);
    return SPW_OK;
}

static void end(solving *s) {
    spw_free(s->room);
    spw_free(s->H.row_ptr);
    spw_free(s->H.col_idx);
    spw_free(s->H.val);
}

/* x = A^-1 b by V(2,1) alone: cycles to 1e-8. */
static int cycles_alone(solving *s) {
    level *V = &s->H.level[0];
    const double enough = 1e-8 * sqrt(spw_system_dot(V->A.n_rows, s->b, s->b));
    int k = 0;
    memcpy(V->b, s->b, (size_t)V->A.n_rows * sizeof *s->b);
    memset(V->x, 0, (size_t)V->A.n_rows * sizeof *V->x);
    while (k < MOST_CYCLES && !(plain_residual(&V->A, s->b, V->x, s->r) <= enough)) {
        s->cycle(&s->H.L, 0, 2, 1, 1);
        k++;
    }
    return k;
}

/* z = r, or by V(1,1) from 0. */
static void precondition(solving *s, bool with) {
    level *V = &s->H.level[0];
    const size_t bytes = (size_t)V->A.n_rows * sizeof *s->r;
    memcpy(with ? V->b : s->z, s->r, bytes);
    if (!with) return;
    s->cycle(&s->H.L, 0, 1, 1, 0);
    memcpy(s->z, V->x, bytes);
}

/* The same by conjugate gradients: iterations to 1e-8. */
static int iterations(solving *s, bool with) {
    const spw_csr *A = &s->H.level[0].A;
    const int64_t n = A->n_rows;
    const double enough = 1e-8 * sqrt(spw_system_dot(n, s->b, s->b));
    int k = 0;
    memset(s->x, 0, (size_t)n * sizeof *s->x);
    memset(s->p, 0, (size_t)n * sizeof *s->p);
    memcpy(s->r, s->b, (size_t)n * sizeof *s->r);
    for (double old = 1; k < 5000 && sqrt(spw_system_dot(n, s->r, s->r)) > enough; k++) {
        precondition(s, with);
        const double rho = spw_system_dot(n, s->r, s->z);
        for (int64_t i = 0; i < n; i++) s->p[i] = s->z[i] + (k ? rho / old : 0) * s->p[i];
        spw_system_product(A, s->p, s->q);
        const double alpha = rho / spw_system_dot(n, s->p, s->q);
        for (int64_t i = 0; i < n; i++) {
            s->x[i] += alpha * s->p[i];
            s->r[i] -= alpha * s->q[i];
        }
        old = rho;
    }
    return k;
}

void tell_convergence(spw_run *run) {
    static const struct {
        int dim;
        spw_idx m;
    } grids[] = {{2, 63}, {2, 127}, {2, 255}, {3, 15}, {3, 31}};
    spw_run_headline(run, "steps to ||b - A x|| <= 1e-8 ||b|| with your cycle");
    spw_run_line(run, "  %-8s %8s %8s %18s %8s", "grid", "points", "V(2,1)", "CG with V(1,1)",
                 "CG");
    for (int k = 0; k < 5; k++) {
        solving s = {.cycle = SPW_AS(v_cycle, spw_run_symbol(run, "v_cycle"))};
        char name[16];
        snprintf(name, sizeof name, "%d^%d", grids[k].m, grids[k].dim);
        if (begin(&s, grids[k].dim, grids[k].m, spw_run_seed(run))) {
            spw_run_line(run, "  %-8s not tried: %s", name, spw_message());
        } else {
            const int alone = cycles_alone(&s), with = iterations(&s, true);
            spw_run_line(run, "  %-8s %8d %8d %18d %8d", name, s.H.level[0].A.n_rows, alone, with,
                         iterations(&s, false));
        }
        end(&s);
    }
}

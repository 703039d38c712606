/* LOBPCG's work on matrices of n rows, wherever they are: what is counted and timed is counted here. */
#include "solvers/lobpcg_state.h"

#include "perf/timer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef spw_lobpcg_state run;

void spw_lobpcg_stop(run *r, spw_stop why, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(r->result->text, sizeof r->result->text, format, list);
    va_end(list);
    r->result->stop = why;
    r->stopped = true;
}

void spw_lobpcg_spent(run *r, spw_lobpcg_phase phase, double load, double store, double flop) {
    if (!r->failed) r->failed = r->place->wait();
    const double now = spw_now();
    r->result->phases[phase].seconds += now - r->mark;
    r->result->phases[phase].calls++;
    r->result->phases[phase].cost.load += load;
    r->result->phases[phase].cost.store += store;
    r->result->phases[phase].cost.flop += flop;
    r->mark = now;
}

void spw_lobpcg_sum(run *r, int count, double *values) {
    if (r->A.is_part) r->place->sum(r->A.op, count, values);
}

/* --- large matrices ------------------------------------------------------------------------------------- */

/* The blocks that have vectors, for the place. Returns how many, and their columns. */
static int gather_blocks(const run *r, int n, double *const V[], const int *count, spw_block *out,
                         int *columns) {
    int found = 0;
    *columns = 0;
    for (int k = 0; k < n; *columns += count[k++])
        if (count[k]) out[found++] = (spw_block){V[k], r->width, count[k]};
    return found;
}

/* Columns of `n` blocks that are not among those in front of them. */
static int distinct_columns(int n, const spw_block *blocks) {
    int columns = 0;
    for (int k = 0; k < n; k++) {
        bool seen = false;
        for (int before = 0; before < k; before++) seen |= blocks[before].at == blocks[k].at;
        columns += seen ? 0 : blocks[k].nv;
    }
    return columns;
}

int spw_tall_gram_blocks(run *r, spw_lobpcg_phase phase, int n_left, double *const left[],
                         const int *left_count, int n_right, double *const right[],
                         const int *right_count, double *C) {
    spw_block all[2 * BLOCKS + 2 * BLOCKS];
    int p, q;
    const int n_x = gather_blocks(r, n_left, left, left_count, all, &p);
    const int n_y = gather_blocks(r, n_right, right, right_count, all + n_x, &q);
    if (!p || !q) return 0;
    if (!r->failed) r->failed = r->place->gram(r->context, r->n, n_x, all, n_y, all + n_x, C);
    if (r->failed) memset(C, 0, sizeof *C * (size_t)p * (size_t)q);
    spw_lobpcg_sum(r, p * q, C);
    const double n = (double)r->n;
    spw_lobpcg_spent(r, phase, 8 * n * distinct_columns(n_x + n_y, all), 0, 2 * n * p * q);
    return q;
}

void spw_tall_gram(run *r, spw_lobpcg_phase phase, int p, double *L, int q, double *R, double *C) {
    spw_tall_gram_blocks(r, phase, 1, &L, &p, 1, &R, &q, C);
}

void spw_tall_combine(run *r, spw_lobpcg_phase phase, double *const in[], const int *in_count,
                      int n_in, const double *C, double *const out[], const int *out_count,
                      int n_out) {
    spw_block from[BLOCKS], to[2];
    int p, q;
    const int n_from = gather_blocks(r, n_in, in, in_count, from, &p);
    const int n_to = gather_blocks(r, n_out, out, out_count, to, &q);
    if (!r->failed) r->failed = r->place->combine(r->context, r->n, n_from, from, C, n_to, to);
    const double n = (double)r->n;
    spw_lobpcg_spent(r, phase, 8 * n * p, 8 * n * q, 2 * n * p * q);
}

void spw_tall_multiply(run *r, spw_lobpcg_phase phase, const spw_lobpcg_matrix *matrix, int nv,
                       const double *from, double *to) {
    const int one_by_one = r->options.one_by_one;
    if (!r->failed)
        r->failed = r->place->multiply(r->context, matrix->op, nv, from, to, r->width, one_by_one);
    const spw_cost c = r->place->cost(matrix->op, nv, one_by_one);
    spw_lobpcg_spent(r, phase, c.load, c.store, c.flop);
}

void spw_tall_multiply_both(run *r, int block) {
    if (!r->count[block]) return;
    spw_tall_multiply(r, SPW_LOBPCG_MULTIPLY, &r->A, r->count[block], r->V[block], r->AV[block]);
    if (r->has_B)
        spw_tall_multiply(r, SPW_LOBPCG_MULTIPLY, &r->B, r->count[block], r->V[block],
                          r->BV[block]);
}

void spw_tall_squares(run *r, spw_lobpcg_phase phase, int nv, double *V, double *square) {
    double G[WIDTH * WIDTH];
    spw_tall_gram(r, phase, nv, V, nv, V, G);
    for (int j = 0; j < nv; j++) square[j] = G[j * nv + j];
}

double *spw_tall_take(run *r, double *V) {
    if (r->place->on_host) return V;
    if (!r->failed) r->failed = r->place->to_host(r->n * r->width, V, r->staging);
    return r->failed ? NULL : r->staging;
}

void spw_tall_give_back(run *r, double *V) {
    if (!r->place->on_host && !r->failed)
        r->failed = r->place->from_host(r->n * r->width, r->staging, V);
}

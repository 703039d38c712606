/* Exercise 22: what its two parts have in common: products of tall blocks, what they must be, and wrong models.
 * WRITE_ALLOCATE: what a driver says of who counts a read of the Y that is written. */
#pragma once

#include "kernels/block.h"
#include "kit/cases.h"
#include "kit/kit.h"
#include "perf/working_set.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct operands {
    int64_t n, ld;
    int p, q;  /* vectors of X and of Y; nv is p */
    bool same; /* gram: Y is X; combine: Y is written over X */
    const double *X, *Y, *C;
    double *out, *both; /* both: X and Y of combine in place, else empty */
    int blocks;         /* and what follows: of the GPU part */
    double *parts, *library;
} operands;

/* "N,P,Q", without Q it is P; or "timed" and "traffic" of the CPU. */
static void take_sizes(spw_trial *t, const char *name, operands *o) {
    enum { TIMED = 16 };
    const int64_t bytes = strcmp(name, "traffic") == 0 ? 16000000 : spw_default_working_set();
    char *at;
    o->n = strtoll(name, &at, 10);
    o->p = *at == ',' ? (int)strtol(at + 1, &at, 10) : 1;
    o->q = *at == ',' ? (int)strtol(at + 1, &at, 10) : o->p;
    if (!isdigit((unsigned char)*name)) {
        o->n = bytes / (8 * TIMED * 2);
        o->p = o->q = TIMED;
    }
    o->same = spw_kit_value(t, "same") != 0;
    spw_kit_quantity(t, ".n", (double)o->n);
    spw_kit_quantity(t, ".p", o->p);
    spw_kit_quantity(t, ".q", o->q);
    spw_kit_quantity(t, ".nv", o->p);
}

/* --- C = XᵀY ---------------------------------------------------------------------------------------------- */

/* Rows lie ld apart, in X and in Y; nothing is behind the last one. */
static void keep_ld(spw_trial *t, operands *o, int64_t ld) {
    const int64_t before = o->n > 0 ? (o->n - 1) * ld : -1;
    o->ld = ld;
    spw_kit_quantity(t, ".of_X", before < 0 ? 0 : (double)(before + o->p));
    spw_kit_quantity(t, ".of_Y", before < 0 || o->same ? 0 : (double)(before + o->q));
}

static const double *Y_of(const operands *o) {
    return o->same ? o->X : o->Y;
}

/* Of many rows by another kernel, with the errors of random signs. */
static void expect_gram(spw_trial *t, const void *at) {
    const operands *o = (const operands *)at;
    const int p = o->p, q = o->q;
    const bool large = o->n > 10000;
    double *C = spw_kit_doubles(t, p * q), *tolerance = spw_kit_doubles(t, p * q);
    double *x = spw_kit_doubles(t, o->n), *y = spw_kit_doubles(t, o->n);
    if (large) spw_gram_omp(o->n, p, o->X, o->ld, q, Y_of(o), o->ld, C);
    for (int a = 0; a < p; a++)
        for (int b = 0; b < q; b++) {
            tolerance[a * q + b] = 1e-12 * (double)o->n;
            for (int64_t i = 0; i < o->n && !large; i++) {
                x[i] = o->X[i * o->ld + a];
                y[i] = Y_of(o)[i * o->ld + b];
            }
            if (!large) C[a * q + b] = spw_dot_expected(o->n, x, y, &tolerance[a * q + b]);
        }
    spw_kit_expect(t, o->out, C, tolerance);
}

static const spw_slip gram_slips[] = {
    {"load 16 n p q - 8 n p - 8 n q",
     "these are the bytes of single dots, one for each element of C, and each of them\n"
     "reads two vectors. One pass serves all of them, and reads a block once"},
    {"load -8 n q", "there are two blocks: Y is loaded as well as X"},
    {"store 8 n q - 8 p q", "what is stored is C, which is small. No block is written"},
    {"store -8 p q", "C has to be stored, too: 8 bytes for each of its elements"},
    {"flop -n p q", "a multiplication and an addition: 2 flops for each row and element of C"},
    {"load 8 n p q - 8 n p - 8 n q", "p + q vectors are loaded, not p times q"},
    {"flop 2 n p + 2 n q - 2 n p q", "each vector of X meets each of Y: p times q dots, not p + q"},
    {"flop 2 n p - 2 n p q",
     "each row takes part in all elements of C, not in one for each vector"},
    {0}};

#define GRAM_BLOCKS SPW_RANDOM(operands, X, "of_X"), SPW_RANDOM(operands, Y, "of_Y")
#define GRAM(parameters_, units_)                                                                  \
    of_gram, sizeof(operands),                                                                     \
        .parameters = parameters_, .prepare = prepare_gram, .units = units_, .call = call_gram,    \
        .expect = expect_gram, .predict = predict_gram,                                            \
        .cost = "load 8 n p + 8 n q; store 8 p q; flop 2 n p q", .slips = gram_slips

/* --- Y = X C ---------------------------------------------------------------------------------------------- */

static void prepare_combine(spw_trial *t, const char *name, void *at) {
    operands *o = (operands *)at;
    take_sizes(t, name, o);
    const double size = (double)o->n * o->p;
    spw_kit_quantity(t, ".apart", o->same ? 0 : size);
    spw_kit_quantity(t, ".in_place", o->same ? size : 0);
    spw_trial_say(t, "n = %lld, %d vectors%s", (long long)o->n, o->p, o->same ? ", Y is X" : "");
}

static void expect_combine(spw_trial *t, const void *at) {
    const operands *o = (const operands *)at;
    const int nv = o->p;
    const double *X = o->same ? spw_kit_start(t, o->both) : o->X;
    double *Y = spw_kit_doubles(t, o->n * nv), *tolerance = spw_kit_doubles(t, o->n * nv);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < o->n; i++)
        for (int b = 0; b < nv; b++) {
            double column[64];
            for (int a = 0; a < nv; a++) column[a] = o->C[a * nv + b];
            Y[i * nv + b] = spw_dot_expected(nv, X + i * nv, column, &tolerance[i * nv + b]);
        }
    spw_kit_expect(t, o->same ? o->both : o->out, Y, tolerance);
}

SPW_CALL(call_combine, combine, const operands *o, o->n, o->p, o->same ? o->both : o->X, o->C,
         o->same ? o->both : o->out)
SPW_PREDICT(predict_combine, combine_cost, const operands *o, o->n, o->p)

static const spw_slip combine_slips[] = {
    {"load -8 nv nv", "C has to be loaded, too: nv nv entries of 8 bytes, once"},
    {"load 8 n nv", WRITE_ALLOCATE},
    {"load 8 n nv nv - 8 n nv",
     "X is counted once for each vector of Y. A row of X is loaded once and makes a\n"
     "whole row of Y"},
    {"store 8 n nv nv - 8 n nv",
     "Y is counted once for each vector of X: its sums stay in registers"},
    {"store -8 n nv", "Y has to be stored: 8 n nv bytes"},
    {"flop -n nv nv", "a multiplication and an addition for each of n nv nv products"},
    {0}};

static const spw_argument of_combine[] = {SPW_INPUT_AS("X", operands, X, "apart"),
                                          SPW_START_AS("X", operands, both, "in_place", ),
                                          SPW_OUTPUT_AS("Y", operands, out, "apart", ),
                                          SPW_RANDOM(operands, C, "nv nv"),
                                          {0}};
static const spw_kit combine_kit = SPW_KIT_OF(
    of_combine, operands, call_combine, expect_combine, .parameters = "@same=0",
    .prepare = prepare_combine, .units = "n nv; n; nv", .predict = predict_combine,
    .cost = "load 8 n nv + 8 nv nv; store 8 n nv; flop 2 n nv nv", .slips = combine_slips);

/* --- a basis ---------------------------------------------------------------------------------------------- */

/* Columns made orthonormal, each twice against all before it. */
static void orthonormal(int64_t n, int nv, double *Q) {
    for (int j = 0; j < nv; j++) {
        long double square = 0;
        for (int k = 0; k < 2 * j; k++) {
            long double dot = 0;
            for (int64_t i = 0; i < n; i++) dot += (long double)Q[i * nv + k % j] * Q[i * nv + j];
            for (int64_t i = 0; i < n; i++)
                Q[i * nv + j] = (double)(Q[i * nv + j] - dot * Q[i * nv + k % j]);
        }
        for (int64_t i = 0; i < n; i++) square += (long double)Q[i * nv + j] * Q[i * nv + j];
        for (int64_t i = 0; i < n; i++) Q[i * nv + j] = (double)(Q[i * nv + j] / sqrtl(square));
    }
}

/* kernels/expert/trsv_rows.h -- the inner loop of the triangular solves: some rows one after the other.
 * Internal.
 *
 * Each addition to a sum waits for the one before. So entries are added to four sums side by side, and to one of
 * them the last one to four, of which the newest has only just been solved. The order is that of the row's entries
 * alone, so that the bits are the same for any number of threads. The lower triangle of fem3:48, 40 entries a row:
 * 10.2 ms with one sum, 5.5 ms with four and prefetch (Intel Xeon, family 6 model 143, 2 vCPU KVM virtual machine,
 * two threads, gcc 12.2, 2026-11-22). */
#pragma once

#include "kernels/expert/arrays.h"
#include "kernels/trsv.h"

enum {
    SPW_TRSV_SUMS =
        4, /* written out below: as an array they take twice the time on rows of three */
    SPW_TRSV_AHEAD = 256 /* entries between a prefetch and its use */
};

static inline void spw_trsv_prefetch(const spw_triangle *T, spw_idx at) {
    spw_prefetch_ahead(T->val + at, SPW_TRSV_AHEAD * (int)sizeof *T->val);
    spw_prefetch_ahead(T->col_idx + at, SPW_TRSV_AHEAD * (int)sizeof *T->col_idx);
}

/* b minus the entries of stored row k times x. */
static inline double spw_trsv_row(const spw_triangle *T, spw_idx k, double b, const double *x) {
    const spw_idx *const c = T->col_idx;
    const double *const val = T->val;
    const spw_idx end = T->row_ptr[k + 1];
    spw_idx at = T->row_ptr[k];
    double sum = b;
    if (end - at > SPW_TRSV_SUMS) {
        double sum1 = 0, sum2 = 0, sum3 = 0;
        for (; end - at > SPW_TRSV_SUMS; at += SPW_TRSV_SUMS) {
            spw_trsv_prefetch(T, at);
            sum -= val[at] * x[c[at]];
            sum1 -= val[at + 1] * x[c[at + 1]];
            sum2 -= val[at + 2] * x[c[at + 2]];
            sum3 -= val[at + 3] * x[c[at + 3]];
        }
        sum = (sum + sum2) + (sum1 + sum3);
    }
    for (; at < end; at++) sum -= val[at] * x[c[at]];
    return sum;
}

/* Stored rows begin .. end-1. */
static inline void spw_trsv_rows(const spw_triangle *T, spw_idx begin, spw_idx end, const double *b,
                                 double *x) {
    const double *const inverse = T->inverse;
    const spw_idx first = T->half == SPW_UPPER ? T->n - 1 : 0;
    const spw_idx step = T->half == SPW_UPPER ? -1 : 1;
    for (spw_idx k = begin; k < end; k++) {
        const spw_idx i = first + step * k;
        const double sum = spw_trsv_row(T, k, b[i], x);
        x[i] = inverse ? sum * inverse[i] : sum;
    }
}

/* Share `part` of `parts` of level l: blocks *begin .. *end-1. */
static inline void spw_trsv_share(const spw_triangle *T, spw_idx l, int part, int parts,
                                  spw_idx *begin, spw_idx *end) {
    const spw_idx *const shares = T->share_ptr + (int64_t)l * T->threads;
    if (parts == T->threads) {
        *begin = shares[part];
        *end = shares[part + 1];
        return;
    }
    const int64_t blocks = shares[T->threads] - shares[0];
    *begin = (spw_idx)(shares[0] + blocks * part / parts);
    *end = (spw_idx)(shares[0] + blocks * (part + 1) / parts);
}

/* Work on stored rows begin .. end-1. */
typedef void (*spw_trsv_work)(const spw_triangle *T, spw_idx begin, spw_idx end, const void *with);

/* Calls rows(T, begin, end, with) for all stored rows, in an order in which they can be solved: by all
 * threads, each of which waits only for what its own rows need. */
void spw_trsv_wait(const spw_triangle *T, spw_trsv_work rows, const void *with);

/* Equal shares of work (kernels/schedule/partition.h), whatever the lengths of the rows.
 *
 * A thread writes y of the rows that *end* in its share. If its share ends inside a row, the sum of the entries in
 * front of the cut is left over for the thread behind; so are its parts of the giants. What is left over is added
 * when all are done, in the order of the threads: atomics would give other bits in every run.
 * Speed of stencil27:90, with even rows, against the plain loop: 1.43 (csr_row.h; one thread, AMD EPYC, family 26 model
 * 2, 2 vCPU KVM virtual machine with other work on it, gcc 12.2, 2026-11-22; medians of 15 by
 * turns). What uneven rows cost: kernels/spmv.h. */
#include "kernels/spmv.h"

#include "base/threads.h"
#include "kernels/expert/csr_row.h"
#include "kernels/schedule/partition.h"

#include <assert.h>

enum { NONE = -1 };

/* Entries of a giant that are done at a time, between rows of the same share: 256 KiB of x, so that it
 * is still in a cache when the rows need it. Half as many cost more in going to and fro. */
enum { SLICE = 32768 };

typedef struct leftover {
    spw_idx row; /* NONE: the share ends between two rows */
    double sum;
    double giants[SPW_GIANTS];
} leftover;

/* Not inlined, as spw_row_dot is into the loop over rows. */
static double long_dot(const spw_csr *A, int64_t begin, int64_t end, const double *x) {
    return spw_row_dot(end - begin, A->val + begin, A->col_idx + begin, x);
}

static int64_t count_slices(const spw_csr_shares *s) {
    int64_t most = 0;
    for (int g = 0; g < s->n_giants; g++) {
        const int64_t length = spw_csr_giant_begin(s, g, 1) - spw_csr_giant_begin(s, g, 0);
        if (length > most) most = length;
    }
    return 1 + most / SLICE;
}

/* Rows begin .. end-1, none of them a giant, the first from `entry` on; returns the entry behind the
 * last. Not inlined, so that what the loop over short rows needs stays in registers. */
static __attribute__((noinline)) spw_idx multiply_rows(const spw_csr *A, spw_idx begin, spw_idx end,
                                                       spw_idx entry, const double *x, double *y) {
    return spw_row_products(begin, end, entry, A->row_ptr, A->val, A->col_idx, x, y);
}

/* The same for rows among which there may be giants: those are left out. */
static spw_idx multiply_between(const spw_csr_shares *s, spw_idx begin, spw_idx end, spw_idx entry,
                                const double *x, double *y) {
    for (int g = 0; g < s->n_giants; g++) {
        const spw_idx giant = s->giants[g];
        if (giant < begin || giant >= end) continue;
        multiply_rows(s->A, begin, giant, entry, x, y);
        begin = giant + 1;
        entry = s->A->row_ptr[begin];
    }
    return multiply_rows(s->A, begin, end, entry, x, y);
}

static void multiply_share(const spw_csr_shares *s, int part, const double *x, double *y,
                           leftover *left) {
    const spw_csr_cut from = spw_csr_share_begin(s, part), to = spw_csr_share_begin(s, part + 1);
    const int slices = (int)count_slices(s);
    spw_idx entry = from.entry;
    for (int g = 0; g < s->n_giants; g++) left->giants[g] = 0;

    for (int slice = 0; slice < slices; slice++) {
        const int64_t rows = to.row - from.row;
        const int64_t first = from.row + spw_part_begin(rows, slice, slices);
        const int64_t last = from.row + spw_part_begin(rows, slice + 1, slices);
        entry = multiply_between(s, (spw_idx)first, (spw_idx)last, entry, x, y);
        for (int g = 0; g < s->n_giants; g++) {
            const int64_t begin = spw_csr_giant_begin(s, g, part);
            const int64_t length = spw_csr_giant_begin(s, g, part + 1) - begin;
            left->giants[g] += long_dot(s->A, begin + spw_part_begin(length, slice, slices),
                                        begin + spw_part_begin(length, slice + 1, slices), x);
        }
    }
    left->row = entry < to.entry ? to.row : NONE;
    left->sum = long_dot(s->A, entry, to.entry, x);
}

void spw_spmv_csr_omp_balanced(const spw_csr *A, const double *x, double *y) {
    assert(A && (x || A->n_cols == 0) && (y || A->n_rows == 0));
    const int parts = spw_max_threads();
    leftover left[parts]; /* on the stack: a kernel has no way to say "no memory" */
    spw_csr_shares shares;
    spw_csr_divide(A, parts, &shares);

#pragma omp parallel for schedule(static, 1)
    for (int part = 0; part < parts; part++) multiply_share(&shares, part, x, y, &left[part]);

    for (int g = 0; g < shares.n_giants; g++) {
        double sum = 0;
        for (int part = 0; part < parts; part++) sum += left[part].giants[g];
        y[shares.giants[g]] = sum;
    }
    for (int part = 0; part < parts; part++)
        if (left[part].row != NONE) y[left[part].row] += left[part].sum;
}

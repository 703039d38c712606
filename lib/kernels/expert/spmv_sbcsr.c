/* A block and its mirror image by one pass. For b = 3 and 4 a register of AVX2 holds a row of the block: its product
 * with x_J, lane by lane, goes into a register that is added up at the row's end, and its product with one element of
 * x_I into y_J. So 9 entries, which count for 18, take 5 loads, 6 multiplications with additions, and 2 stores. Other b
 * take loops over elements; registers of AVX-512 would hold two rows, whose sums must be taken apart again.
 *   - x_J and y_J of three elements are loaded and stored as two and one. Loads and stores with a mask are
 *     fewer, but a load must wait until the store with a mask before it is in the cache: 1.45 times the time.
 *   - y of a row must be 0 before the first block adds to it. A pass of zeros would cost as much as a pass of
 *     y each way: rows are cleared when they are first reached, and stay in a cache until they are done.
 * (Intel Xeon, family 6 model 143, 2 vCPU KVM virtual machine with other work on it, gcc 12.2, 2026-11-21:
 * fem3:40, two threads, seconds of CPU of the slower one, medians of 15.)
 * Gain: CG by this product takes 1/1.55 of the time of SELL-S for fem3:40, 1/1.27 for fem6:24, one thread (best of
 * 60, AMD EPYC, family 26 model 2, 2 vCPU KVM virtual machine with other work on it, 2026-11-22); without blocks,
 * b = 1, it took 1.5 times the time (stencil27:100), so that the format asks for them. */
#include "kernels/spmv_with_dots.h"

#include "kernels/expert/sums.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { AHEAD = 8192 }; /* bytes of val between a prefetch and its use */

#define INLINE static inline __attribute__((always_inline))

/* The address may lie behind the array: by way of an integer. */
INLINE void prefetch(const double *at) {
    __builtin_prefetch((const void *)((uintptr_t)at + AHEAD));
}

/* A block row's blocks: those whose mirror image is not stored are in the middle. */
typedef struct row_blocks {
    int64_t row, begin, inner, outer, end;
} row_blocks;

INLINE row_blocks split(const spw_sbcsr *A, spw_idx part, int64_t I) {
    row_blocks p = {I, A->block_ptr[I], A->block_ptr[I], A->block_ptr[I + 1], A->block_ptr[I + 1]};
    while (p.inner < p.end && A->block_col[p.inner] <= I) p.inner++;
    while (p.outer > p.inner && A->block_col[p.outer - 1] >= A->part_ptr[part + 1]) p.outer--;
    return p;
}

/* Clears y up to the last block row that this one adds to; returns where that ends. */
INLINE int64_t clear_to(const spw_sbcsr *A, const row_blocks *p, int64_t clean, double *y) {
    const int64_t last = p->outer > p->inner ? A->block_col[p->outer - 1] : p->row;
    if (last < clean) return clean;
    memset(y + clean * A->b, 0, sizeof *y * (size_t)((last + 1 - clean) * A->b));
    return last + 1;
}

/* --- b = 3 and 4 in registers ------------------------------------------------------------------------ */

typedef double vector4 __attribute__((vector_size(32)));
typedef double vector4_any __attribute__((vector_size(32), aligned(8), may_alias));
typedef double vector2_any __attribute__((vector_size(16), aligned(8), may_alias));

INLINE vector4 load(int b, const double *at) {
    if (b == 4) return *(const vector4_any *)at;
    return (vector4){at[0], at[1], at[2], 0};
}

INLINE void store(int b, double *at, vector4 v) {
    if (b == 4) {
        *(vector4_any *)at = v;
    } else {
        *(vector2_any *)at = (vector2_any){v[0], v[1]};
        at[2] = v[2];
    }
}

/* own[r] += row r of the block, times x_J, lane by lane. The loads may reach into the next block: what
 * lanes behind b get is never looked at. */
INLINE void once(int b, const double *block, const double *x, vector4 *own) {
    const vector4 x_J = load(b, x);
    prefetch(block);
    for (int r = 0; r < b; r++) own[r] += *(const vector4_any *)(block + r * b) * x_J;
}

/* The same, and y_J += B^T x_I; x_I[r] is element r in all lanes. */
INLINE void twice(int b, const double *block, const double *x, const vector4 *x_I, vector4 *own,
                  double *y) {
    const vector4 x_J = load(b, x);
    vector4 y_J = load(b, y);
    prefetch(block);
    for (int r = 0; r < b; r++) {
        const vector4 row = *(const vector4_any *)(block + r * b);
        own[r] += row * x_J;
        y_J += row * x_I[r];
    }
    store(b, y, y_J);
}

INLINE void row_in_registers(int b, const spw_sbcsr *A, const row_blocks *p, const double *x,
                             double *y) {
    const spw_idx *col = A->block_col;
    vector4 own[4] = {{0}}, x_I[4]; /* [b] */
    for (int r = 0; r < b; r++) {
        const double e = x[p->row * b + r];
        x_I[r] = (vector4){e, e, e, e};
    }
    for (int64_t k = p->begin; k < p->inner; k++)
        once(b, A->val + k * b * b, x + (int64_t)col[k] * b, own);
    for (int64_t k = p->inner; k < p->outer; k++) {
        const int64_t at = (int64_t)col[k] * b;
        twice(b, A->val + k * b * b, x + at, x_I, own, y + at);
    }
    for (int64_t k = p->outer; k < p->end; k++)
        once(b, A->val + k * b * b, x + (int64_t)col[k] * b, own);
    for (int r = 0; r < b; r++)
        y[p->row * b + r] += ((own[r][0] + own[r][1]) + own[r][2]) + (b == 4 ? own[r][3] : 0);
}

/* --- any b -------------------------------------------------------------------------------------------- */

/* A block and, if y_J is there, its mirror image. The copies tell the compiler that y does not overlap x. */
INLINE void block_by_elements(int b, const double *block, const double *x_J, const double *x_I,
                              double *own, double *y_J) {
    double sum[SPW_SBCSR_BLOCK_MAX];
    prefetch(block);
    for (int c = 0; c < b; c++) sum[c] = y_J ? y_J[c] : 0;
    for (int r = 0; r < b; r++)
        for (int c = 0; c < b; c++) {
            own[r] += block[r * b + c] * x_J[c];
            if (y_J) sum[c] += block[r * b + c] * x_I[r];
        }
    for (int c = 0; y_J && c < b; c++) y_J[c] = sum[c];
}

INLINE void row_by_elements(int b, const spw_sbcsr *A, const row_blocks *p, const double *x,
                            double *y) {
    const spw_idx *col = A->block_col;
    double own[SPW_SBCSR_BLOCK_MAX] = {0}, x_I[SPW_SBCSR_BLOCK_MAX];
    for (int r = 0; r < b; r++) x_I[r] = x[p->row * b + r];
    for (int64_t k = p->begin; k < p->inner; k++)
        block_by_elements(b, A->val + k * b * b, x + (int64_t)col[k] * b, x_I, own, NULL);
    for (int64_t k = p->inner; k < p->outer; k++) {
        const int64_t at = (int64_t)col[k] * b;
        block_by_elements(b, A->val + k * b * b, x + at, x_I, own, y + at);
    }
    for (int64_t k = p->outer; k < p->end; k++)
        block_by_elements(b, A->val + k * b * b, x + (int64_t)col[k] * b, x_I, own, NULL);
    for (int r = 0; r < b; r++) y[p->row * b + r] += own[r];
}

/* --- a part ------------------------------------------------------------------------------------------ */

/* Sums with w if it is not NULL: no later row of the part adds to this one. */
static spw_sums multiply_part(const spw_sbcsr *A, spw_idx part, const double *x, const double *w,
                              double *y) {
    spw_sums s = {0, 0};
    int64_t clean = A->part_ptr[part];
    for (int64_t I = clean; I < A->part_ptr[part + 1]; I++) {
        const row_blocks p = split(A, part, I);
        clean = clear_to(A, &p, clean, y);
        switch (A->b) { /* a constant of the compiler for the most common */
        case 2: row_by_elements(2, A, &p, x, y); break;
        case 3: row_in_registers(3, A, &p, x, y); break;
        case 4: row_in_registers(4, A, &p, x, y); break;
        case 6: row_by_elements(6, A, &p, x, y); break;
        default: row_by_elements(A->b, A, &p, x, y); break;
        }
        for (int64_t i = I * A->b; w && i < (I + 1) * A->b; i++) spw_sums_row(&s, w[i], y[i]);
    }
    return s;
}

void spw_spmv_with_dots_sbcsr_omp(const spw_sbcsr *A, const double *x, const double *w, double *y,
                                  double *w_y, double *y_y) {
    assert(A && w_y && y_y && (A->n_rows == 0 || (x && y)));
    spw_sums of_part[A->n_parts];
#pragma omp parallel for schedule(static, 1)
    for (spw_idx part = 0; part < A->n_parts; part++)
        of_part[part] = multiply_part(A, part, x, w, y);
    spw_sums_of(A->n_parts, of_part, w_y, y_y);
}

void spw_spmv_sbcsr_omp(const spw_sbcsr *A, const double *x, double *y) {
    double w_y, y_y;
    spw_spmv_with_dots_sbcsr_omp(A, x, NULL, y, &w_y, &y_y);
}

#include "kernels/spmv.h"

#include <assert.h>
#include <string.h>

/* Of entry k of chunk c, counted from the chunk's first. */
static uint32_t offset_of(const spw_sells *A, int64_t c, int64_t k)
{
    const uint8_t *at = A->offset + 8 * (int64_t)A->offset_ptr[c];
    uint32_t word = 0;
    uint16_t half = 0;
    switch ((spw_offsets)A->kind[c]) {
    case SPW_OFFSETS_RUN: return (uint32_t)(k % A->C);
    case SPW_OFFSETS_SHARED: memcpy(&word, at + 4 * (k % A->C), 4); return word;
    case SPW_OFFSETS_BYTES: return at[k];
    case SPW_OFFSETS_HALVES: memcpy(&half, at + 2 * k, 2); return half;
    case SPW_OFFSETS_WORDS: memcpy(&word, at + 4 * k, 4); return word;
    }
    return 0;
}

void spw_spmv_sells_ref(const spw_sells *A, const double *x, double *y)
{
    assert(A && (x || A->n_cols == 0) && (y || A->n_rows == 0));
    for (int64_t i = 0; i < A->n_rows; i++) {
        const int64_t c = i / A->C, begin = A->chunk_ptr[c], size = A->chunk_ptr[c + 1] - begin;
        double sum = 0;
        for (int64_t k = i % A->C; k < size; k += A->C)
            sum += A->val[begin + k] * x[A->base[(begin + k) / A->C] + offset_of(A, c, k)];
        y[A->perm[i]] = sum;
    }
}

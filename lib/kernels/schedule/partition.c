#include "kernels/schedule/partition.h"

#include "base/threads.h"

#include <assert.h>

/* A stretch of rows with fewer entries than a giant has none in it: most are left out unseen. */
static void find_giants(spw_csr_shares *s, spw_idx begin, spw_idx end) {
    if (begin == end || s->A->row_ptr[end] - s->A->row_ptr[begin] < s->giant_length) return;
    if (end - begin == 1) {
        assert(s->n_giants < SPW_GIANTS);
        s->giants[s->n_giants++] = begin;
        return;
    }
    const spw_idx middle = begin + (end - begin) / 2;
    find_giants(s, begin, middle);
    find_giants(s, middle, end);
}

void spw_csr_divide(const spw_csr *A, int parts, spw_csr_shares *s) {
    assert(parts >= 1);
    const int most = parts < SPW_GIANTS / 4 ? 4 * parts : SPW_GIANTS;
    const spw_idx length = (spw_idx)(((int64_t)A->nnz + most - 1) / most); /* at most `most` rows */
    *s = (spw_csr_shares){
        .A = A,
        .parts = parts,
        .giant_length = length > SPW_GIANT_FROM ? length : SPW_GIANT_FROM,
    };
    find_giants(s, 0, A->n_rows);
}

/* Entries of the giants do not count; their rows do, which is one unit each. */
static int64_t work_before(const spw_csr_shares *s, int64_t row) {
    const spw_idx *row_ptr = s->A->row_ptr;
    int64_t work = row_ptr[row] + row;
    for (int g = 0; g < s->n_giants && s->giants[g] < row; g++)
        work -= row_ptr[s->giants[g] + 1] - row_ptr[s->giants[g]];
    return work;
}

spw_csr_cut spw_csr_share_begin(const spw_csr_shares *s, int part) {
    assert(part >= 0 && part <= s->parts);
    const spw_idx *row_ptr = s->A->row_ptr;
    if (part == s->parts) return (spw_csr_cut){s->A->n_rows, s->A->nnz};
    const int64_t all = work_before(s, s->A->n_rows);
    const int64_t goal = all / s->parts * part + all % s->parts * part / s->parts;

    int64_t low = 0, row = s->A->n_rows; /* the first row with at least the goal in front of it */
    while (low < row) {
        const int64_t middle = low + (row - low) / 2;
        if (work_before(s, middle) < goal)
            low = middle + 1;
        else
            row = middle;
    }
    const int64_t beyond = work_before(s, row) - goal;
    if (beyond > 0) { /* the goal lies inside the row before, which is no giant */
        const int64_t begin = row_ptr[row - 1], end = row_ptr[row], entry = end - beyond + 1;
        if (end - begin >= SPW_SHARE_FROM) {
            if (entry < end) return (spw_csr_cut){(spw_idx)(row - 1), (spw_idx)entry};
        } else if (entry - begin < end - entry) {
            row--;
        }
    }
    return (spw_csr_cut){(spw_idx)row, row_ptr[row]};
}

int64_t spw_cut_at(const spw_idx *ptr, int64_t n, int64_t height, int part, int parts) {
    assert(n >= 0 && height >= 1 && parts >= 1 && part >= 0 && part <= parts);
    if (part == parts) return n;
    const int64_t goal = spw_part_begin(ptr[n] + n * height, part, parts);
    int64_t low = 0, high = n;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (ptr[middle] + middle * height < goal)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t spw_csr_giant_begin(const spw_csr_shares *s, int g, int part) {
    assert(g >= 0 && g < s->n_giants && part >= 0 && part <= s->parts);
    const spw_idx begin = s->A->row_ptr[s->giants[g]], end = s->A->row_ptr[s->giants[g] + 1];
    return begin + spw_part_begin(end - begin, part, s->parts);
}

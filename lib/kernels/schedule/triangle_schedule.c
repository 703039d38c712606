/* The order in which the rows of a triangle are solved: blocks, levels, shares of threads, waits. */
#include "kernels/trsv.h"

#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

/* The stored row of row i. */
static inline spw_idx turned(const spw_triangle *T, spw_idx i) {
    return T->half == SPW_UPPER ? T->n - 1 - i : i;
}

/* --- sizes of blocks --------------------------------------------------------------------------------------- */

/* The model counts bytes. A level costs the two waits around it; a block, that its streams begin anew. */
enum { WAIT_BYTES = 8192, BLOCK_BYTES = 256, ROW_BYTES = 28, ENTRY_BYTES = 12 };

/* Several threads must promise this much of one thread's time, or one thread does all. */
static const double WORTH = 0.9;

typedef struct draft {
    spw_idx block, n_blocks, n_levels;
    double time;    /* modelled, in bytes that one thread moves */
    spw_idx *level; /* [n]  of each stored row */
    spw_idx *owner; /* [n]  thread that solves it; only of the draft that is taken */
    float *work;    /* [n]  of each level, bytes */
    float *largest; /* [n]  block of each level, bytes */
} draft;

static spw_status make_draft(const spw_triangle *T, draft *d) {
    spw_status status = SPW_ALLOC(&d->level, T->n);
    if (!status) status = SPW_ALLOC(&d->work, T->n);
    if (!status) status = SPW_ALLOC(&d->largest, T->n);
    return status;
}

static void destroy_draft(draft *d) {
    spw_free(d->level);
    spw_free(d->owner);
    spw_free(d->work);
    spw_free(d->largest);
}

/* Does stored row k need the row in front of it? */
static inline bool is_chained(const spw_triangle *T, spw_idx k) {
    const spw_idx last = T->row_ptr[k + 1] - 1;
    return last >= T->row_ptr[k] && turned(T, T->col_idx[last]) == k - 1;
}

static inline spw_idx block_end(const spw_triangle *T, spw_idx begin, spw_idx block) {
    if (block >= T->n) return T->n;
    spw_idx end = begin + 1;
    while (end < T->n && end - begin < block && is_chained(T, end)) end++;
    return end;
}

static inline int64_t block_bytes(const spw_triangle *T, spw_idx begin, spw_idx end) {
    return BLOCK_BYTES + ROW_BYTES * (int64_t)(end - begin) +
           ENTRY_BYTES * (int64_t)(T->row_ptr[end] - T->row_ptr[begin]);
}

/* One more than the highest level that the block needs. In a row, those of the block itself come last. */
static spw_idx block_level(const spw_triangle *T, const spw_idx *level, spw_idx begin,
                           spw_idx end) {
    spw_idx highest = -1;
    for (spw_idx k = begin; k < end; k++) {
        spw_idx last = T->row_ptr[k + 1];
        while (last > T->row_ptr[k] && turned(T, T->col_idx[last - 1]) >= begin) last--;
        for (spw_idx at = T->row_ptr[k]; at < last; at++) {
            const spw_idx l = level[turned(T, T->col_idx[at])];
            highest = l > highest ? l : highest;
        }
    }
    return highest + 1;
}

/* Levels, if blocks have up to d->block rows, and the time of it. */
static void find_levels(const spw_triangle *T, int threads, draft *d) {
    d->n_blocks = d->n_levels = 0;
    for (spw_idx begin = 0, end; begin < T->n; begin = end) {
        end = block_end(T, begin, d->block);
        const spw_idx l = block_level(T, d->level, begin, end);
        const float bytes = (float)block_bytes(T, begin, end);
        for (spw_idx k = begin; k < end; k++) d->level[k] = l;
        if (l == d->n_levels) {
            d->work[l] = d->largest[l] = 0;
            d->n_levels++;
        }
        d->work[l] += bytes;
        if (bytes > d->largest[l]) d->largest[l] = bytes;
        d->n_blocks++;
    }
    d->time = 0;
    for (spw_idx l = 0; l < d->n_levels; l++)
        d->time += WAIT_BYTES + fmax(d->work[l] / (double)threads, d->largest[l]);
}

/* The draft of the least time, of those for blocks of these sizes, each found by one thread; or of one block
 * if one thread is better. */
static const spw_idx SIZES[] = {1024, 128, 16, 1};
enum { N_SIZES = sizeof SIZES / sizeof *SIZES };

static draft *choose_block(const spw_triangle *T, int threads, draft *drafts) {
    draft *best = drafts;
#pragma omp parallel for schedule(dynamic, 1)
    for (int s = 0; s < N_SIZES; s++) {
        drafts[s].block = SIZES[s];
        find_levels(T, threads, &drafts[s]);
    }
    for (int s = 1; s < N_SIZES; s++)
        if (drafts[s].time < best->time) best = &drafts[s];
    const double alone = (double)(ROW_BYTES * (int64_t)T->n + ENTRY_BYTES * (int64_t)T->nnz);
    if (best->time < WORTH * alone) return best;
    best->block = T->n;
    find_levels(T, threads, best);
    return best;
}

/* --- blocks, shares, waits ---------------------------------------------------------------------------------- */

/* Blocks in the order of their levels: S->begin, S->end, and share_ptr of whole levels in place of shares. */
static void sort_blocks(const spw_triangle *T, const draft *d, spw_triangle *S) {
    spw_idx *const first = S->share_ptr; /* [n_levels + 1] for now */
    for (spw_idx l = 0; l <= d->n_levels; l++) first[l] = 0;
    for (spw_idx begin = 0; begin < T->n; begin = block_end(T, begin, d->block))
        first[d->level[begin] + 1]++;
    for (spw_idx l = 0; l < d->n_levels; l++) first[l + 1] += first[l];
    for (spw_idx begin = 0, end; begin < T->n; begin = end) {
        end = block_end(T, begin, d->block);
        const spw_idx to = first[d->level[begin]]++;
        S->begin[to] = begin;
        S->end[to] = end;
    }
    for (spw_idx l = d->n_levels; l > 0; l--) first[l] = first[l - 1];
    if (d->n_levels) first[0] = 0;
}

/* Cuts the blocks first .. last-1 of level l into shares of equal work; blocks that touch become one. They
 * go to S->begin[*to] on. */
static void share_level(const spw_triangle *T, draft *d, spw_triangle *S, spw_idx l, spw_idx first,
                        spw_idx last, spw_idx *to) {
    double done = 0;
    int share = 0;
    S->share_ptr[(int64_t)l * S->threads] = *to;
    for (spw_idx block = first; block < last; block++) {
        const spw_idx begin = S->begin[block], end = S->end[block];
        const double bytes = (double)block_bytes(T, begin, end);
        /* A block is that share's in which its middle lies. */
        while (share + 1 < S->threads &&
               (done + bytes / 2) * S->threads > (double)d->work[l] * (share + 1))
            S->share_ptr[(int64_t)l * S->threads + ++share] = *to;
        done += bytes;
        for (spw_idx k = begin; k < end; k++) d->owner[k] = share;
        if (*to > S->share_ptr[(int64_t)l * S->threads + share] && S->end[*to - 1] == begin) {
            S->end[*to - 1] = end;
            continue;
        }
        S->begin[*to] = begin;
        S->end[(*to)++] = end;
    }
    while (share + 1 < S->threads) S->share_ptr[(int64_t)l * S->threads + ++share] = *to;
}

/* Shares stand where the bounds of whole levels stood, which are copied first. */
static spw_status share_levels(const spw_triangle *T, draft *d, spw_triangle *S) {
    spw_idx *bounds, to = 0;
    const spw_status status = SPW_ALLOC(&bounds, (int64_t)d->n_levels + 1);
    if (status) return status;
    for (spw_idx l = 0; l <= d->n_levels; l++) bounds[l] = S->share_ptr[l];
    for (spw_idx l = 0; l < d->n_levels; l++)
        share_level(T, d, S, l, bounds[l], bounds[l + 1], &to);
    S->share_ptr[(int64_t)d->n_levels * S->threads] = to;
    S->n_blocks = to;
    spw_free(bounds);
    return SPW_OK;
}

/* The waits of all shares. Returns whether every row comes after those that it needs. */
static bool find_waits(const spw_triangle *T, const draft *d, spw_triangle *S) {
    bool ordered = true;
#pragma omp parallel for schedule(static) reduction(&& : ordered)
    for (int64_t s = 0; s < (int64_t)S->n_levels * S->threads; s++) {
        const spw_idx l = (spw_idx)(s / S->threads), me = (spw_idx)(s % S->threads);
        spw_idx wait = 0;
        for (spw_idx block = S->share_ptr[s]; block < S->share_ptr[s + 1]; block++)
            for (spw_idx at = T->row_ptr[S->begin[block]]; at < T->row_ptr[S->end[block]]; at++) {
                const spw_idx needed = turned(T, T->col_idx[at]);
                if (needed >= S->begin[block]) continue; /* a row of the block itself */
                if (d->level[needed] >= l) ordered = false;
                if (d->owner[needed] != me && d->level[needed] >= wait) wait = d->level[needed] + 1;
            }
        S->wait_level[s] = wait;
    }
    return ordered;
}

static spw_status make_room(spw_idx n_blocks, spw_triangle *S) {
    spw_status status = SPW_ALLOC(&S->begin, n_blocks);
    if (!status) status = SPW_ALLOC(&S->end, n_blocks);
    if (!status) status = SPW_ALLOC(&S->share_ptr, (int64_t)S->n_levels * S->threads + 1);
    if (!status) status = SPW_ALLOC(&S->wait_level, (int64_t)S->n_levels * S->threads);
    return status;
}

static spw_status make_schedule(const spw_triangle *T, draft *d, spw_triangle *S) {
    S->block = d->block;
    S->n_levels = d->n_levels;
    spw_status status = make_room(d->n_blocks, S);
    if (status) return status;
    sort_blocks(T, d, S);
    status = share_levels(T, d, S);
    if (!status) find_waits(T, d, S);
    return status;
}

/* T gets the schedule of S, which gets T's. */
static void exchange(spw_triangle *T, spw_triangle *S) {
    const spw_triangle old = *T;
    T->threads = S->threads;
    T->block = S->block;
    T->n_blocks = S->n_blocks;
    T->n_levels = S->n_levels;
    T->begin = S->begin;
    T->end = S->end;
    T->share_ptr = S->share_ptr;
    T->wait_level = S->wait_level;
    S->begin = old.begin;
    S->end = old.end;
    S->share_ptr = old.share_ptr;
    S->wait_level = old.wait_level;
}

spw_status spw_triangle_schedule(spw_triangle *T, int threads, spw_idx block) {
    if (threads < 1 || block < 0)
        return spw_error(SPW_ERR_ARG,
                         "a schedule for %d threads, blocks of %" PRId32
                         " rows: there must be 1 thread or more, and 0 rows (chosen) or more",
                         threads, block);
    const bool choose = block == 0 && threads > 1;
    draft drafts[N_SIZES] = {{.block = block ? block : T->n}}, *d = drafts;
    spw_triangle S = {.threads = threads};
    spw_status status = SPW_OK;
    for (int s = 0; s < (choose ? N_SIZES : 1) && !status; s++) status = make_draft(T, &drafts[s]);
    if (!status && choose) d = choose_block(T, threads, drafts);
    if (!status && !choose) find_levels(T, threads, d);
    if (!status) status = SPW_ALLOC(&d->owner, T->n);
    if (!status) status = make_schedule(T, d, &S);
    if (!status) exchange(T, &S);
    spw_triangle_destroy(&S);
    for (int s = 0; s < N_SIZES; s++) destroy_draft(&drafts[s]);
    return status;
}

/* --- that of the other triangle ----------------------------------------------------------------------------- */

/* The blocks of `other` in S, from the last to the first; level and owner of each row. */
static void turn_round(const spw_triangle *other, spw_triangle *S, draft *d) {
    const spw_idx n = other->n;
    spw_idx to = 0;
    for (spw_idx l = 0; l < S->n_levels; l++)
        for (int share = 0; share < S->threads; share++) {
            const spw_idx *const blocks =
                other->share_ptr + (int64_t)(S->n_levels - 1 - l) * S->threads + share;
            S->share_ptr[(int64_t)l * S->threads + share] = to;
            for (spw_idx block = blocks[1]; block > blocks[0]; block--, to++) {
                S->begin[to] = n - other->end[block - 1];
                S->end[to] = n - other->begin[block - 1];
                for (spw_idx k = S->begin[to]; k < S->end[to]; k++) {
                    d->level[k] = l;
                    d->owner[k] = share;
                }
            }
        }
    S->share_ptr[(int64_t)S->n_levels * S->threads] = to;
}

spw_status spw_triangle_schedule_turned(spw_triangle *T, const spw_triangle *other) {
    if (!other->share_ptr || other->n != T->n || other->half == T->half)
        return spw_error(SPW_ERR_ARG, "a schedule to turn round must be of the other triangle of "
                                      "the same matrix");
    draft d = {0};
    spw_triangle S = {.threads = other->threads,
                      .block = other->block,
                      .n_blocks = other->n_blocks,
                      .n_levels = other->n_levels};
    bool ordered = false;
    spw_status status = SPW_ALLOC(&d.level, T->n);
    if (!status) status = SPW_ALLOC(&d.owner, T->n);
    if (!status) status = make_room(S.n_blocks, &S);
    if (!status) {
        turn_round(other, &S, &d);
        ordered = find_waits(T, &d, &S);
    }
    if (ordered) exchange(T, &S);
    spw_triangle_destroy(&S);
    spw_free(d.owner);
    spw_free(d.level);
    return status || ordered ? status : spw_triangle_schedule(T, other->threads, 0);
}

/* formats/csr_from_coo.c -- COO to CSR in two steps that both stay in the cache.
 *
 *   deal   All threads deal the entries into buckets by their row: a bucket is a few neighbouring rows, some 2^14
 *          to 2^15 entries, which fit the cache of one core.
 *   sort   One thread sorts one bucket: a counting sort by row, as in exercise 5, then each row by its columns;
 *          duplicates, neighbours now, are summed.
 * Textbook code counts the entries of every row and scatters them; on entries in random order each store then
 * misses the cache. Here it hits, twice. Every step is stable: entries of one position keep their order, so that
 * the sums, and with them all bits of the result, are the same for any number of threads. A row is sorted by one
 * thread, however long it is.
 * Source: O. Polychroniou, K. A. Ross, SIGMOD 2014, doi:10.1145/2588555.2610522: top digit first, then in the
 * cache. */
#include "formats/csr.h"

#include "base/memory.h"
#include "base/threads.h"

#include <string.h>

enum {
    BUCKET_ENTRIES = 1 << 14, /* on average, at the least, of 16 bytes */
    BUCKETS = 1 << 11,        /* not many more: one cache line each fits in L2 */
    BUCKET_ROWS = 1 << 16,    /* at most */
    SHARE_MIN = 1 << 15,      /* a thread is worth its while from so many entries on */
    INSERTION_MAX = 32        /* so few entries are sorted by insertion */
};

typedef struct entry {
    spw_idx row, col;
    double val;
} entry;

typedef struct sorter {
    const spw_coo *C;
    int shift; /* row i goes to bucket i >> shift */
    int64_t n_buckets;
    entry *entries; /* [nnz]  dealt; in each bucket sorted */
    int64_t *begin; /* [n_buckets+1]  bucket b: entries begin[b] .. begin[b+1]-1 */
    int64_t *
        out; /* [n_buckets+1]  counts without duplicates, then where the bucket begins in the result */
    spw_idx *next; /* [threads][rows of a bucket + 1] */
    entry *spare;  /* [threads][entries of the largest bucket] */
    int64_t largest;
} sorter;

static void choose_buckets(sorter *S) {
    const int64_t n_rows = S->C->n_rows, nnz = S->C->nnz;
    while (n_rows >> S->shift > BUCKETS ||
           (n_rows >> S->shift > 1 && nnz / (n_rows >> S->shift) < BUCKET_ENTRIES))
        S->shift++;
    while (1 << S->shift > BUCKET_ROWS) S->shift--;
    S->n_buckets = n_rows ? ((n_rows - 1) >> S->shift) + 1 : 0;
}

/* Every share of the entries is counted and dealt by one thread, and a bucket holds what share 0 has for it, then
 * share 1, ...: that is stable. */
static spw_status deal(sorter *S) {
    const spw_coo *C = S->C;
    int n_shares = spw_max_threads();
    if (n_shares > 1 + C->nnz / SHARE_MIN) n_shares = (int)(1 + C->nnz / SHARE_MIN);
    spw_idx *at = NULL; /* [n_shares][n_buckets]  counts, then where the share's next entry goes */
    const spw_status status = SPW_ALLOC_ZERO(&at, n_shares * S->n_buckets);
    if (status) return status;

#pragma omp parallel for schedule(static) if (n_shares > 1)
    for (int share = 0; share < n_shares; share++) {
        spw_idx *count = at + share * S->n_buckets;
        const int64_t end = spw_part_begin(C->nnz, share + 1, n_shares);
        for (int64_t k = spw_part_begin(C->nnz, share, n_shares); k < end; k++)
            count[C->row_idx[k] >> S->shift]++;
    }

    spw_idx sum = 0;
    for (int64_t b = 0; b < S->n_buckets; b++) {
        S->begin[b] = sum;
        for (int share = 0; share < n_shares; share++) {
            const spw_idx count = at[share * S->n_buckets + b];
            at[share * S->n_buckets + b] = sum;
            sum += count;
        }
        if (sum - S->begin[b] > S->largest) S->largest = sum - S->begin[b];
    }
    S->begin[S->n_buckets] = sum;

#pragma omp parallel for schedule(static) if (n_shares > 1)
    for (int share = 0; share < n_shares; share++) {
        spw_idx *next = at + share * S->n_buckets;
        const int64_t end = spw_part_begin(C->nnz, share + 1, n_shares);
        for (int64_t k = spw_part_begin(C->nnz, share, n_shares); k < end; k++) {
            const entry e = {C->row_idx[k], C->col_idx[k], C->val[k]};
            S->entries[next[e.row >> S->shift]++] = e;
        }
    }
    spw_free(at);
    return SPW_OK;
}

/* By column, below n_cols. Stable; spare: [n]. */
static void sort_row(entry *entries, int64_t n, spw_idx n_cols, entry *spare) {
    int64_t sorted = 1;
    while (sorted < n && entries[sorted - 1].col <= entries[sorted].col) sorted++;
    if (n <= INSERTION_MAX) {
        for (int64_t k = sorted; k < n; k++) {
            const entry e = entries[k];
            int64_t at = k;
            for (; at > 0 && entries[at - 1].col > e.col; at--) entries[at] = entries[at - 1];
            entries[at] = e;
        }
        return;
    }
    entry *from = entries, *to = spare;
    for (int shift = 0; sorted < n && (int64_t)(n_cols - 1) >> shift > 0; shift += 8) {
        spw_idx next[256 + 1] = {0}; /* a counting sort by eight bits, the last ones first */
        for (int64_t k = 0; k < n; k++) next[(from[k].col >> shift & 255) + 1]++;
        for (int digit = 0; digit < 256; digit++) next[digit + 1] += next[digit];
        for (int64_t k = 0; k < n; k++) to[next[from[k].col >> shift & 255]++] = from[k];
        entry *const swap = from;
        from = to;
        to = swap;
    }
    if (from != entries) memcpy(entries, from, (size_t)n * sizeof *entries);
}

/* Sorts bucket b and sums neighbours of the same position. Returns how many entries are left. */
static int64_t sort_bucket(const sorter *S, int64_t b, spw_idx *next, entry *spare) {
    entry *const entries = S->entries + S->begin[b];
    const int64_t n = S->begin[b + 1] - S->begin[b], rows = (int64_t)1 << S->shift;
    const int64_t first_row = b << S->shift;
    if (n == 0) return 0;
    memcpy(spare, entries, (size_t)n * sizeof *entries);
    memset(next, 0, (size_t)(rows + 1) * sizeof *next);
    for (int64_t k = 0; k < n; k++) next[spare[k].row - first_row + 1]++;
    for (int64_t i = 0; i < rows; i++) next[i + 1] += next[i];
    for (int64_t k = 0; k < n; k++) entries[next[spare[k].row - first_row]++] = spare[k];
    for (int64_t i = 0, begin = 0; i < rows;
         begin = next[i++]) /* next[i] is the end of row i now */
        sort_row(entries + begin, next[i] - begin, S->C->n_cols, spare);

    int64_t last = 0;
    for (int64_t k = 1; k < n; k++) {
        if (entries[k].row == entries[last].row && entries[k].col == entries[last].col)
            entries[last].val += entries[k].val;
        else
            entries[++last] = entries[k];
    }
    return last + 1;
}

static spw_status sort_buckets(sorter *S) {
    const int64_t threads = spw_max_threads(), rows = ((int64_t)1 << S->shift) + 1;
    spw_status status = SPW_ALLOC(&S->next, threads * rows);
    if (!status) status = SPW_ALLOC(&S->spare, threads * S->largest);
    if (status) return status;
#pragma omp parallel for schedule(dynamic) if (S->n_buckets > 1)
    for (int64_t b = 0; b < S->n_buckets; b++)
        S->out[b + 1] =
            sort_bucket(S, b, S->next + spw_thread() * rows, S->spare + spw_thread() * S->largest);
    S->out[0] = 0;
    for (int64_t b = 0; b < S->n_buckets; b++) S->out[b + 1] += S->out[b];
    return SPW_OK;
}

static void write_out(const sorter *S, spw_csr *A) {
#pragma omp parallel for schedule(static)
    for (int64_t b = 0; b < S->n_buckets; b++) {
        const entry *e = S->entries + S->begin[b];
        int64_t row = b << S->shift;
        for (int64_t k = S->out[b]; k < S->out[b + 1]; k++, e++) {
            while (row <= e->row) A->row_ptr[row++] = (spw_idx)k;
            A->col_idx[k] = e->col;
            A->val[k] = e->val;
        }
        while (row < (b + 1) << S->shift && row < A->n_rows)
            A->row_ptr[row++] = (spw_idx)S->out[b + 1];
    }
    A->row_ptr[A->n_rows] = A->nnz;
}

spw_status spw_csr_from_coo(const spw_coo *C, spw_csr *A) {
    *A = (spw_csr){0};
    spw_status status = spw_coo_validate(C);
    if (status) return status;
    sorter S = {.C = C};
    choose_buckets(&S);
    const int64_t bytes = C->nnz * (int64_t)sizeof(entry) +
                          spw_csr_bytes(&(spw_csr){.n_rows = C->n_rows, .nnz = C->nnz});
    status = spw_memory_check("the conversion to CSR", bytes);
    if (!status) status = SPW_ALLOC(&S.entries, C->nnz);
    if (!status) status = SPW_ALLOC(&S.begin, S.n_buckets + 1);
    if (!status) status = SPW_ALLOC(&S.out, S.n_buckets + 1);
    if (!status) status = deal(&S);
    if (!status) status = sort_buckets(&S);
    if (!status) status = spw_csr_create(C->n_rows, C->n_cols, S.out[S.n_buckets], A);
    if (!status) write_out(&S, A);
    spw_free(S.entries);
    spw_free(S.begin);
    spw_free(S.out);
    spw_free(S.next);
    spw_free(S.spare);
    return status;
}

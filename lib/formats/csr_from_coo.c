/* formats/csr_from_coo.c -- COO to CSR by a parallel, stable radix sort.
 *
 * The key of an entry says where it stands in row order: the row in the high bits, the column in the
 * low ones. With 4 columns, entry (5, 2) has the key 101|10.
 *   deal       All threads deal the entries into buckets by the top bits of the key: a bucket is a few
 *              rows, and fits the cache of one core.
 *   deal on    A bucket that is still too large, say a dense row, is dealt again by its next bits.
 *   sort       One thread sorts one bucket by the remaining bits and sums its duplicates.
 *   emit       The sorted buckets are written out as CSR.
 * Textbook code counts the entries of every row and scatters them; on entries in random order each
 * store then misses the cache. Here it hits, twice, and one long row is no burden for one thread.
 * Every step is stable: entries of one position keep their order, so that the sums, and with them all
 * bits of the result, are the same for any number of threads.
 * Source: D. E. Knuth, The Art of Computer Programming, vol. 3, section 5.2.5; the order "top bits
 * first, then in the cache" is that of O. Polychroniou, K. A. Ross, SIGMOD 2014,
 * doi:10.1145/2588555.2610522. */
#include "formats/csr.h"

#include "base/memory.h"
#include "base/threads.h"

#include <string.h>

enum {
    DEAL_BITS = 11,       /* at most 2^11 buckets at a time: one cache line each fits in L2 */
    BUCKET_BITS = 14,     /* buckets of about 2^14 entries, 256 KB */
    BUCKET_MAX = 1 << 18, /* larger ones are dealt again */
    SLICE_MIN = 1 << 15,  /* a thread is worth its while from so many entries on */
    SORT_BITS = 11,       /* digit of the sort within a bucket */
    SORT_BITS_SMALL = 8,  /* the same in buckets of less than 2^11 entries */
    INSERTION_MAX = 48    /* so few entries are sorted by insertion */
};

typedef struct entry {
    uint64_t key;
    double val;
} entry;

typedef struct bucket {
    int64_t begin, n; /* entries begin .. begin+n-1 */
    int bits;         /* only so many low bits of their keys may differ */
    int64_t n_unique; /* what is left when duplicates are summed, at begin .. begin+n_unique-1 */
    int64_t out;      /* n_unique of all buckets before this one */
} bucket;

typedef struct sorter {
    int col_bits;
    int sorted_bits; /* so many low bits ascend already wherever the others are equal */
    entry *entries;
    bucket *buckets; /* not empty, ascending */
    int64_t n_buckets;
} sorter;

/* Bits that the numbers 0 .. n-1 need. */
static int bits_of(int64_t n)
{
    int bits = 0;
    while (n > (int64_t)1 << bits) bits++;
    return bits;
}

static int deal_bits(int64_t n, int key_bits)
{
    int bits = bits_of(n) - BUCKET_BITS;
    if (bits < 0) bits = 0;
    if (bits > DEAL_BITS) bits = DEAL_BITS;
    return bits < key_bits ? bits : key_bits;
}

/* Does the column never descend from one entry to the next? So it is in files that are stored column
 * by column, and when a CSR matrix is transposed. Then only rows have to be sorted. */
static int columns_ascend(const spw_coo *C)
{
    const int parts = spw_max_threads();
    int ascend = 1;
#pragma omp parallel for schedule(static) reduction(&& : ascend)
    for (int part = 0; part < parts; part++) {
        const int64_t end = spw_part_begin(C->nnz, part + 1, parts);
        int64_t k = spw_part_begin(C->nnz, part, parts);
        if (k == 0) k = 1;
        while (k < end && C->col_idx[k - 1] <= C->col_idx[k]) k++;
        if (k < end) ascend = 0;
    }
    return ascend;
}

/* Where a deal takes its entries from: the matrix at first, an earlier deal later. */
typedef struct source {
    const spw_coo *C; /* or NULL, and then */
    const entry *entries;
    int col_bits;
} source;

static inline entry take(source from, int64_t k)
{
    if (!from.C) return from.entries[k];
    const uint64_t row = (uint64_t)from.C->row_idx[k], col = (uint64_t)from.C->col_idx[k];
    return (entry){row << from.col_bits | col, from.C->val[k]};
}

static inline uint64_t take_key(source from, int64_t k)
{
    if (!from.C) return from.entries[k].key;
    return (uint64_t)from.C->row_idx[k] << from.col_bits | (uint64_t)from.C->col_idx[k];
}

/* Deals n entries into 2^digit_bits piles by bits shift .. shift+digit_bits-1 of the key; the bits
 * above must be equal. pile_begin: [2^digit_bits + 1]. Every slice of the source is counted and dealt
 * by one thread, and pile h holds what slice 0 has for it, then slice 1, ...: that is stable. */
static spw_status deal(source from, int64_t n, int shift, int digit_bits, entry *to,
                       int64_t *pile_begin)
{
    const int64_t n_piles = (int64_t)1 << digit_bits;
    const uint64_t mask = (uint64_t)n_piles - 1;
    int n_slices = spw_max_threads();
    if (n_slices > 1 + n / SLICE_MIN) n_slices = (int)(1 + n / SLICE_MIN);

    uint32_t *at = NULL; /* [n_slices][n_piles]  counts, then where the slice's next entry goes */
    const spw_status status = SPW_ALLOC_ZERO(&at, n_slices * n_piles);
    if (status) return status;

#pragma omp parallel for schedule(static) if (n_slices > 1)
    for (int slice = 0; slice < n_slices; slice++) {
        uint32_t *count = at + slice * n_piles;
        const int64_t end = spw_part_begin(n, slice + 1, n_slices);
        for (int64_t k = spw_part_begin(n, slice, n_slices); k < end; k++)
            count[take_key(from, k) >> shift & mask]++;
    }

    uint32_t sum = 0;
    for (int64_t pile = 0; pile < n_piles; pile++) {
        pile_begin[pile] = sum;
        for (int slice = 0; slice < n_slices; slice++) {
            const uint32_t count = at[slice * n_piles + pile];
            at[slice * n_piles + pile] = sum;
            sum += count;
        }
    }
    pile_begin[n_piles] = sum;

#pragma omp parallel for schedule(static) if (n_slices > 1)
    for (int slice = 0; slice < n_slices; slice++) {
        uint32_t *next = at + slice * n_piles;
        const int64_t end = spw_part_begin(n, slice + 1, n_slices);
        for (int64_t k = spw_part_begin(n, slice, n_slices); k < end; k++) {
            const entry e = take(from, k);
            to[next[e.key >> shift & mask]++] = e;
        }
    }
    spw_free(at);
    return SPW_OK;
}

static void append_piles(const int64_t *pile_begin, int digit_bits, int64_t base, int bits,
                         bucket *buckets, int64_t *n_buckets)
{
    for (int64_t pile = 0; pile < (int64_t)1 << digit_bits; pile++) {
        const int64_t n = pile_begin[pile + 1] - pile_begin[pile];
        if (n > 0)
            buckets[(*n_buckets)++] =
                (bucket){.begin = base + pile_begin[pile], .n = n, .bits = bits};
    }
}

static int is_large(const bucket *b)
{
    return b->n > BUCKET_MAX && b->bits > 0;
}

/* Deals the large buckets once more. *again: there were some. */
static spw_status deal_large(sorter *S, int *again)
{
    int64_t n_large = 0, largest = 0;
    for (int64_t b = 0; b < S->n_buckets; b++) {
        if (!is_large(&S->buckets[b])) continue;
        n_large++;
        if (S->buckets[b].n > largest) largest = S->buckets[b].n;
    }
    *again = n_large > 0;
    if (n_large == 0) return SPW_OK;

    int64_t pile_begin[(1 << DEAL_BITS) + 1];
    entry *spare = NULL;
    bucket *buckets = NULL;
    int64_t n_buckets = 0;
    spw_status status = SPW_ALLOC(&spare, largest);
    if (!status) status = SPW_ALLOC(&buckets, S->n_buckets + (n_large << DEAL_BITS));
    for (int64_t b = 0; b < S->n_buckets && !status; b++) {
        const bucket old = S->buckets[b];
        if (!is_large(&old)) {
            buckets[n_buckets++] = old;
            continue;
        }
        entry *const here = S->entries + old.begin;
        const int digit_bits = deal_bits(old.n, old.bits), bits = old.bits - digit_bits;
        status = deal((source){.entries = here}, old.n, bits, digit_bits, spare, pile_begin);
        if (status) break;
#pragma omp parallel for schedule(static)
        for (int64_t k = 0; k < old.n; k++) here[k] = spare[k];
        append_piles(pile_begin, digit_bits, old.begin, bits, buckets, &n_buckets);
    }
    if (!status) {
        spw_free(S->buckets);
        S->buckets = buckets;
        S->n_buckets = n_buckets;
        buckets = NULL;
    }
    spw_free(buckets);
    spw_free(spare);
    return status;
}

static void sort_by_insertion(entry *entries, int64_t n)
{
    for (int64_t k = 1; k < n; k++) {
        const entry e = entries[k];
        int64_t at = k;
        for (; at > 0 && entries[at - 1].key > e.key; at--) entries[at] = entries[at - 1];
        entries[at] = e;
    }
}

/* Sorts by bits low .. high-1 of the key, the least digit first. spare: [n]. */
static void sort_by_digits(entry *entries, int64_t n, int low, int high, entry *spare)
{
    const int digit_max = n < 1 << SORT_BITS ? SORT_BITS_SMALL : SORT_BITS;
    const int passes = (high - low + digit_max - 1) / digit_max;
    entry *from = entries, *to = spare;
    for (int pass = 0; pass < passes; pass++) {
        const int shift = low + (high - low) * pass / passes;
        const int digit_bits = low + (high - low) * (pass + 1) / passes - shift;
        const uint64_t mask = ((uint64_t)1 << digit_bits) - 1;
        uint32_t at[1 << SORT_BITS] = {0};
        for (int64_t k = 0; k < n; k++) at[from[k].key >> shift & mask]++;
        if (at[from[0].key >> shift & mask] == n) continue;
        uint32_t sum = 0;
        for (uint64_t digit = 0; digit <= mask; digit++) {
            const uint32_t count = at[digit];
            at[digit] = sum;
            sum += count;
        }
        for (int64_t k = 0; k < n; k++) to[at[from[k].key >> shift & mask]++] = from[k];
        entry *const swap = from;
        from = to;
        to = swap;
    }
    if (from != entries) memcpy(entries, from, (size_t)n * sizeof *entries);
}

static void sort_bucket(const sorter *S, const bucket *b, entry *spare)
{
    entry *const entries = S->entries + b->begin;
    int64_t k = 1;
    while (k < b->n && entries[k - 1].key <= entries[k].key) k++;
    if (k >= b->n) return;
    if (b->n <= INSERTION_MAX)
        sort_by_insertion(entries, b->n);
    else
        sort_by_digits(entries, b->n, S->sorted_bits, b->bits, spare);
}

/* Sums neighbours of the same position. Returns how many entries are left. */
static int64_t sum_duplicates(entry *entries, int64_t n)
{
    int64_t k = 1;
    while (k < n && entries[k - 1].key != entries[k].key) k++;
    int64_t last = k - 1;
    for (; k < n; k++) {
        if (entries[k].key == entries[last].key)
            entries[last].val += entries[k].val;
        else
            entries[++last] = entries[k];
    }
    return last + 1;
}

static spw_status sort_buckets(sorter *S)
{
    int64_t largest = 0;
    for (int64_t b = 0; b < S->n_buckets; b++)
        if (S->buckets[b].bits > 0 && S->buckets[b].n > largest) largest = S->buckets[b].n;

    entry *spare = NULL; /* [spw_max_threads()][largest] */
    const spw_status status = SPW_ALLOC(&spare, spw_max_threads() * largest);
    if (status) return status;
#pragma omp parallel for schedule(dynamic) if (S->n_buckets > 1)
    for (int64_t b = 0; b < S->n_buckets; b++) {
        bucket *const B = &S->buckets[b];
        sort_bucket(S, B, spare + spw_thread() * largest);
        B->n_unique = sum_duplicates(S->entries + B->begin, B->n);
    }
    spw_free(spare);

    int64_t out = 0;
    for (int64_t b = 0; b < S->n_buckets; b++) {
        S->buckets[b].out = out;
        out += S->buckets[b].n_unique;
    }
    return SPW_OK;
}

/* The bucket that holds entry k of the result. */
static int64_t bucket_of_entry(const sorter *S, int64_t k)
{
    int64_t low = 0, high = S->n_buckets;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (S->buckets[middle].out <= k)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Writes entries begin .. end-1 of the result, and the row_ptr of the rows that start there. Rows are
 * cut among threads by entries: the pages land in the memory of the thread that will multiply them. */
static void emit(const sorter *S, int64_t begin, int64_t end, spw_csr *A)
{
    const uint64_t col_mask = ((uint64_t)1 << S->col_bits) - 1;
    int64_t b = bucket_of_entry(S, begin), row = -1;
    if (begin > 0) {
        const bucket *const before = &S->buckets[bucket_of_entry(S, begin - 1)];
        row = (int64_t)(S->entries[before->begin + begin - 1 - before->out].key >> S->col_bits);
    }
    for (int64_t k = begin; k < end; b++) {
        const bucket *const from = &S->buckets[b];
        const entry *e = S->entries + from->begin + (k - from->out);
        const int64_t stop = from->out + from->n_unique < end ? from->out + from->n_unique : end;
        for (; k < stop; k++, e++) {
            const int64_t next_row = (int64_t)(e->key >> S->col_bits);
            while (row < next_row) A->row_ptr[++row] = (spw_idx)k;
            A->col_idx[k] = (spw_idx)(e->key & col_mask);
            A->val[k] = e->val;
        }
    }
    if (end == A->nnz)
        while (row < A->n_rows) A->row_ptr[++row] = A->nnz;
}

static spw_status emit_all(const sorter *S, int64_t n_rows, int64_t n_cols, spw_csr *A)
{
    int64_t nnz = 0;
    for (int64_t b = 0; b < S->n_buckets; b++) nnz += S->buckets[b].n_unique;
    const spw_status status = spw_csr_create(n_rows, n_cols, nnz, A);
    if (status) return status;
    const int parts = spw_max_threads();
    if (nnz < parts) {
        emit(S, 0, nnz, A);
        return SPW_OK;
    }
#pragma omp parallel for schedule(static)
    for (int part = 0; part < parts; part++)
        emit(S, spw_part_begin(nnz, part, parts), spw_part_begin(nnz, part + 1, parts), A);
    return SPW_OK;
}

spw_status spw_csr_from_coo(const spw_coo *C, spw_csr *A)
{
    *A = (spw_csr){0};
    sorter S = {.col_bits = bits_of(C->n_cols)};
    const int key_bits = bits_of(C->n_rows) + S.col_bits;
    const int digit_bits = deal_bits(C->nnz, key_bits);
    int64_t pile_begin[(1 << DEAL_BITS) + 1];

    spw_status status = spw_coo_validate(C);
    if (status) return status;
    const int64_t bytes = C->nnz * (int64_t)sizeof(entry) +
                          spw_csr_bytes(&(spw_csr){.n_rows = C->n_rows, .nnz = C->nnz});
    status = spw_memory_check("the conversion to CSR", bytes);
    if (!status) status = SPW_ALLOC(&S.entries, C->nnz);
    if (!status) status = SPW_ALLOC(&S.buckets, 1 << digit_bits);
    if (!status)
        status = deal((source){.C = C, .col_bits = S.col_bits}, C->nnz, key_bits - digit_bits,
                      digit_bits, S.entries, pile_begin);
    if (!status) {
        S.sorted_bits = columns_ascend(C) ? S.col_bits : 0;
        append_piles(pile_begin, digit_bits, 0, key_bits - digit_bits, S.buckets, &S.n_buckets);
    }
    for (int again = 1; again && !status;) status = deal_large(&S, &again);
    if (!status) status = sort_buckets(&S);
    if (!status) status = emit_all(&S, C->n_rows, C->n_cols, A);
    spw_free(S.buckets);
    spw_free(S.entries);
    return status;
}

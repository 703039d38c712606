/* Which rows are whose, and how a rank comes by its own. */
#include "distributed/rows.h"

#include "base/memory.h"
#include "formats/generate.h"
#include "formats/matrix_market.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

static spw_status square(int64_t rows, int64_t columns) {
    if (rows == columns) return SPW_OK;
    return spw_error(SPW_ERR_ARG,
                     "the matrix is %" PRId64 " x %" PRId64 ": a solver needs a square one", rows,
                     columns);
}

/* --- generators: each rank makes its own rows -------------------------------------------------------------- */

/* The fewest rows from begin on that are that much work, and then their end. They are in front of `end`. */
static int64_t end_of_work(const char *name, int64_t begin, int64_t end, double work) {
    int64_t last = end - 1, entries;
    while (begin < last) {
        const int64_t middle = begin + (last - begin) / 2;
        spw_generate_entries(name, begin, middle + 1, &entries);
        const double there = (double)(entries + middle + 1 - begin);
        if (there >= work) {
            last = middle;
        } else {
            work -= there;
            begin = middle + 1;
        }
    }
    return begin + 1;
}

/* Each counts in an even share of the rows, and finds the cuts that fall into it. work, cuts: [size+1], zero. */
static spw_status cut(const spw_comm *c, const char *name, int64_t n, double *work, double *cuts) {
    const int64_t begin = n * c->rank / c->size, end = n * (c->rank + 1) / c->size;
    int64_t entries;
    double before = 0, all = 0;
    const spw_status status = spw_generate_entries(name, begin, end, &entries);
    if (status) return status; /* of its name: on all ranks */
    work[c->rank] = (double)(entries + end - begin);
    spw_comm_sum(c, c->size, work);
    for (int r = 0; r < c->size; r++) {
        before += r < c->rank ? work[r] : 0;
        all += work[r];
    }
    for (int r = 1; r < c->size; r++) {
        const double wanted = all * r / c->size - before;
        if (wanted > 0 && wanted <= work[c->rank])
            cuts[r] = (double)end_of_work(name, begin, end, wanted);
    }
    spw_comm_sum(c, c->size, cuts);
    cuts[c->size] = (double)n;
    return SPW_OK;
}

static spw_status generate(const spw_comm *c, const char *name, int64_t *first, spw_csr *mine) {
    int64_t n, columns, entries;
    double *room = NULL, *cuts;
    spw_status status = spw_generate_size(name, &n, &columns, &entries);
    if (!status) status = square(n, columns);
    if (!status) status = SPW_ALLOC_ZERO(&room, 2 * (c->size + 1));
    status = spw_comm_agree(c, status);
    cuts = room + c->size + 1;
    if (!status) status = cut(c, name, n, room, cuts);
    for (int r = 0; r <= c->size && !status; r++) first[r] = (int64_t)cuts[r];
    if (!status) status = spw_csr_generate_rows(name, first[c->rank], first[c->rank + 1], mine);
    spw_free(room);
    return status;
}

/* --- files: rank 0 reads them in blocks, twice: to count entries, and to send each to its owner -------------- */

enum { BINS = 1 << 16 };

typedef struct reading {
    const spw_comm *c;
    const char *name;
    int64_t n, width;     /* rows, and so many are counted in a bin */
    int64_t *first;       /* [size+1] */
    double *bins;         /* [BINS] entries */
    double *known;        /* [2 size+2] what rank 0 tells: where rows and entries of a rank begin */
    int64_t *at;          /* [size+1] where those of a rank begin in a block */
    int64_t *next, *left; /* [size] where the next one goes; how many a rank still gets */
    spw_coo mine;         /* rows counted from the first of this rank */
    double block;         /* bytes of text and entries that rank 0 had at once */
} reading;

static spw_status count(void *context, const spw_coo *block) {
    reading *f = context;
    f->n = block->n_rows;
    f->width = 1 + f->n / BINS;
    for (spw_idx k = 0; k < block->nnz; k++) f->bins[block->row_idx[k] / f->width]++;
    return square(block->n_rows, block->n_cols);
}

/* Parts of equal work, cut between bins. */
static void cut_bins(reading *f) {
    const int size = f->c->size;
    double entries = 0, work = (double)f->n;
    int64_t i = 0;
    for (int b = 0; b < BINS; b++) work += f->bins[b];
    for (int r = 0; r <= size; r++) {
        while (i < f->n && (r == size || entries + (double)i < work * r / size)) {
            entries += f->bins[i / f->width];
            i = i + f->width < f->n ? i + f->width : f->n;
        }
        f->known[r] = (double)i;
        f->known[size + 1 + r] = entries;
    }
}

static int owner_of(const reading *f, int64_t row) {
    int owner = 0;
    for (int end = f->c->size; end - owner > 1;) {
        const int middle = owner + (end - owner) / 2;
        if (f->first[middle] <= row)
            owner = middle;
        else
            end = middle;
    }
    return owner;
}

/* A block of rank 0 goes to its owners. False: there is none any more. */
static bool hand_out(reading *f, const spw_coo *sorted) {
    const spw_comm *c = f->c;
    spw_coo *m = &f->mine;
    for (int r = 0; r <= c->size; r++) f->known[r] = sorted->nnz ? (double)f->at[r] : 0;
    spw_comm_sum(c, c->size + 1, f->known);
    for (int r = 0; r <= c->size; r++) f->at[r] = (int64_t)f->known[r];
    if (f->at[c->size] == 0) return false;
    spw_comm_deal(c, sizeof *m->row_idx, sorted->row_idx, f->at, m->row_idx + m->nnz);
    spw_comm_deal(c, sizeof *m->col_idx, sorted->col_idx, f->at, m->col_idx + m->nnz);
    spw_comm_deal(c, sizeof *m->val, sorted->val, f->at, m->val + m->nnz);
    m->nnz += (spw_idx)(f->at[c->rank + 1] - f->at[c->rank]);
    return true;
}

static spw_status changed(const reading *f) {
    return spw_error(SPW_ERR_FILE, "%s: changed while it was read", f->name);
}

/* By owner, in the order of the file. */
static spw_status sort(void *context, const spw_coo *block) {
    reading *f = context;
    const int size = f->c->size;
    spw_coo sorted = {0};
    int *owner = NULL; /* [nnz] */
    if (block->n_rows != f->n || block->n_cols != f->n) return changed(f);
    spw_status status = SPW_ALLOC(&owner, block->nnz);
    if (!status) status = spw_coo_create(f->n, f->n, block->nnz, &sorted);
    for (int r = 0; r < size; r++) f->next[r] = 0;
    for (spw_idx k = 0; k < block->nnz && !status; k++)
        f->next[owner[k] = owner_of(f, block->row_idx[k])]++;
    f->at[0] = 0;
    for (int r = 0; r < size && !status; r++) {
        f->left[r] -= f->next[r];
        if (f->left[r] < 0) status = changed(f);
        f->at[r + 1] = f->at[r] + f->next[r];
        f->next[r] = f->at[r];
    }
    for (spw_idx k = 0; k < block->nnz && !status; k++) {
        const int64_t to = f->next[owner[k]]++;
        sorted.row_idx[to] = (spw_idx)(block->row_idx[k] - f->first[owner[k]]);
        sorted.col_idx[to] = block->col_idx[k];
        sorted.val[to] = block->val[k];
    }
    f->block = fmax(f->block, SPW_TEXT_BLOCK + 2 * (double)spw_coo_bytes(&sorted) +
                                  (double)sizeof *owner * block->nnz);
    if (sorted.nnz && !status) hand_out(f, &sorted);
    spw_coo_destroy(&sorted);
    spw_free(owner);
    return status;
}

static spw_status read_rows(reading *f) {
    const spw_comm *c = f->c;
    spw_status status = SPW_OK;
    spw_coo none = {0};
    if (c->rank == 0) status = spw_coo_load_blocks(f->name, count, f);
    status = spw_comm_agree(c, status);
    if (status) return status;
    if (c->rank == 0) cut_bins(f);
    spw_comm_sum(c, 2 * c->size + 2, f->known);
    const double *entries = f->known + c->size + 1;
    for (int r = 0; r <= c->size; r++) f->first[r] = (int64_t)f->known[r];
    for (int r = 0; r < c->size; r++) f->left[r] = (int64_t)(entries[r + 1] - entries[r]);
    status = spw_coo_create(f->first[c->rank + 1] - f->first[c->rank], f->first[c->size],
                            f->left[c->rank], &f->mine);
    f->mine.nnz = 0;
    status = spw_comm_agree(c, status);
    if (status) return status;
    if (c->rank == 0) status = spw_coo_load_blocks(f->name, sort, f);
    while (hand_out(f, &none)) {
    }
    for (int r = 0; c->rank == 0 && r < c->size && !status; r++)
        if (f->left[r]) status = changed(f);
    return spw_comm_agree(c, status);
}

static spw_status take_from_file(const spw_comm *c, const char *name, int64_t *first, spw_csr *mine,
                                 double *held) {
    reading f = {.c = c, .name = name, .first = first};
    spw_status status = SPW_ALLOC_ZERO(&f.bins, c->rank ? 0 : BINS);
    if (!status) status = SPW_ALLOC_ZERO(&f.known, 2 * c->size + 2);
    if (!status) status = SPW_ALLOC(&f.at, 3 * c->size + 1);
    status = spw_comm_agree(c, status);
    f.next = f.at + c->size + 1;
    f.left = f.next + c->size;
    if (!status) status = read_rows(&f);
    if (!status) status = spw_csr_from_coo(&f.mine, mine);
    *held = (double)spw_coo_bytes(&f.mine) + fmax(f.block, 28 * (double)f.mine.nnz);
    spw_coo_destroy(&f.mine);
    spw_free(f.bins);
    spw_free(f.known);
    spw_free(f.at);
    return status;
}

spw_status spw_rows_load(const spw_comm *c, const char *name, spw_rows *R, double *held) {
    spw_csr mine = {0};
    int64_t *first = NULL;
    *R = (spw_rows){0};
    *held = 0;
    spw_status status = spw_comm_agree(c, SPW_ALLOC(&first, c->size + 1));
    if (!status)
        status = spw_is_generator(name) ? generate(c, name, first, &mine)
                                        : take_from_file(c, name, first, &mine, held);
    status = spw_comm_agree(c, status);
    if (!status) status = spw_rows_from_csr(c, &mine, first, R);
    *held = fmax(*held, (double)spw_csr_bytes(&mine));
    spw_comm_max(c, 1, held);
    spw_csr_destroy(&mine);
    spw_free(first);
    return status;
}

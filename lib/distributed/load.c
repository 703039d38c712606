/* Which rows are whose, and how a rank comes by its own. */
#include "distributed/rows.h"

#include "base/memory.h"
#include "formats/generate.h"

#include <inttypes.h>
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

/* --- files: rank 0 reads, and deals ------------------------------------------------------------------------- */

static spw_status read(const char *name, int size, spw_csr *A, double *cuts, double *entries) {
    spw_status status = spw_csr_load(name, A);
    if (!status) status = square(A->n_rows, A->n_cols);
    if (status) return status;
    const double work = (double)A->nnz + (double)A->n_rows;
    spw_idx i = 0;
    for (int r = 0; r <= size; r++) {
        while (i < A->n_rows && (double)A->row_ptr[i] + (double)i < work * r / size) i++;
        cuts[r] = r == size ? A->n_rows : i;
        entries[r] = A->row_ptr[(spw_idx)cuts[r]];
    }
    return SPW_OK;
}

/* at: [size+1] where the entries of each rank begin in A. */
static spw_status deal(const spw_comm *c, const spw_csr *A, const int64_t *first, const int64_t *at,
                       spw_csr *mine) {
    const int r = c->rank;
    const int64_t n = first[r + 1] - first[r];
    spw_status status = spw_csr_create(n, first[c->size], at[r + 1] - at[r], mine);
    status = spw_comm_agree(c, status);
    if (status) return status;
    spw_comm_deal(c, sizeof *A->row_ptr, A->row_ptr, first, mine->row_ptr);
    spw_comm_deal(c, sizeof *A->col_idx, A->col_idx, at, mine->col_idx);
    spw_comm_deal(c, sizeof *A->val, A->val, at, mine->val);
    for (int64_t i = 0; i < n; i++) mine->row_ptr[i] -= (spw_idx)at[r];
    mine->row_ptr[n] = mine->nnz;
    return SPW_OK;
}

static spw_status take_from_file(const spw_comm *c, const char *name, int64_t *first, spw_csr *mine,
                                 double *held) {
    const int count = c->size + 1;
    spw_csr A = {0};
    double *known = NULL;
    int64_t *at = NULL;
    spw_status status = SPW_ALLOC_ZERO(&known, 2 * count);
    if (!status) status = SPW_ALLOC(&at, count);
    if (!status && c->rank == 0) status = read(name, c->size, &A, known, known + count);
    status = spw_comm_agree(c, status);
    if (!status) {
        *held = c->rank == 0 ? (double)spw_csr_bytes(&A) : 0;
        spw_comm_sum(c, 2 * count, known);
        for (int r = 0; r < count; r++) {
            first[r] = (int64_t)known[r];
            at[r] = (int64_t)known[count + r];
        }
        status = deal(c, &A, first, at, mine);
    }
    spw_csr_destroy(&A);
    spw_free(known);
    spw_free(at);
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
    *held += (double)spw_csr_bytes(&mine);
    spw_comm_max(c, 1, held);
    spw_csr_destroy(&mine);
    spw_free(first);
    return status;
}

/* Exercise 24, GPU part: cases for a matrix that streams through two buffers of a device, and the share of the copies that
 * must be hidden by the checker's timeline. A case is a matrix, the number of blocks, and the number of vectors. */
#include "streaming_gpu.h"

#include "kit/kit.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 64 };
typedef struct product {
    const spw_csr *A;
    int most, nv, n_blocks;
    block blocks[MOST];
    const double *X;
    double *Y;
} product;

static void *pack(spw_trial *t, const spw_csr *A, const block *b) {
    const spw_idx from = A->row_ptr[b->first_row];
    char *to = (char *)spw_kit_need(t, spw_trial_memory(t, b->bytes, 1));
    spw_idx *row_ptr = (spw_idx *)(to + 12 * b->nz);
    if (b->nz) memcpy(to, A->val + from, 8 * (size_t)b->nz);
    if (b->nz) memcpy(to + 8 * b->nz, A->col_idx + from, 4 * (size_t)b->nz);
    for (spw_idx i = 0; i <= b->n_rows; i++) row_ptr[i] = A->row_ptr[b->first_row + i] - from;
    return to;
}

/* Equal numbers of rows. With X, as A alone is there before it. */
static void make_blocks(spw_trial *t, const void *at, void *array, int64_t n) {
    product *d = (product *)(uintptr_t)at;
    const spw_csr *A = d->A;
    (void)array, (void)n;
    d->n_blocks = d->most < A->n_rows ? d->most : A->n_rows;
    for (int k = 0; k < d->n_blocks; k++) {
        block *b = &d->blocks[k];
        const spw_idx end = (spw_idx)((int64_t)A->n_rows * (k + 1) / d->n_blocks);
        b->first_row = (spw_idx)((int64_t)A->n_rows * k / d->n_blocks);
        b->n_rows = end - b->first_row;
        b->nz = A->row_ptr[end] - A->row_ptr[b->first_row];
        b->bytes = 12 * b->nz + 4 * ((int64_t)b->n_rows + 1);
        b->data = pack(t, A, b);
    }
    spw_kit_quantity(t, ".blocks", d->n_blocks);
}

static void describe(const spw_trial *t, int64_t at, char *text, int size) {
    const product *d = (const product *)spw_kit_arguments(t);
    int k = 0;
    while (d->blocks[k].first_row + d->blocks[k].n_rows <= at / d->nv) k++;
    snprintf(text, (size_t)size, "row %lld, vector %lld; block %d of 0 .. %d",
             (long long)(at / d->nv), (long long)(at % d->nv), k, d->n_blocks - 1);
}

static const spw_argument of_product[] = {SPW_VALUE(product, most, "most"),
                                          SPW_VALUE(product, nv, "nv"),
                                          SPW_HIDDEN(product, A, &spw_kit_csr, NULL),
                                          SPW_FILLED(product, X, "nv n_cols", .fill = make_blocks),
                                          SPW_OUTPUT(product, Y, "nv n_rows", .describe = describe),
                                          {0}};

static void expect(spw_trial *t, const void *at) {
    const product *d = (const product *)at;
    spw_kit_expect_block(t, d->Y, d->nv, d->A, d->X, d->nv, d->nv);
    spw_trial_limit_copies(t, 0, 1 << 30); /* the matrix crosses, and that is the point */
}

SPW_CALL(call, spmm_streamed, const product *d, d->n_blocks, d->n_blocks ? d->blocks : NULL, d->nv,
         d->X, d->Y)
static const spw_kit product_kit = SPW_KIT_OF(
    of_product, product, call, expect, .parameters = "@most=4,nv=1",
    .facts = "{n_rows} x {n_cols}, nz {nz}, blocks {blocks}, nv {nv}",
    .cost = "load 12 nz + 4 (n_rows + blocks) + 8 nv n_cols; store 8 nv n_rows; flop 2 nv nz");

static const char *const cases[] = {"slides@1,1",       "slides@2,1",      "slides@3,2",
                                    "one-by-one@4,1",   "nothing@3,1",     "zeros@2,3",
                                    "mostly-empty@6,2", "prime@9,3",       "rectangular-wide@3,2",
                                    "dense-row@4,3",    "stencil27@12,16", NULL};

static const spw_part parts[] = {
    SPW_PART("spmm_streamed", cases, product_kit, .on_device = true,
             .traffic = "stencil27:10@12,64", .takes_matrix = true, .hidden = 0.8),
};

SPW_DRIVER(parts, .gpu = true)

#include "formats/device_matrix.h"

#include "base/device.h"

#include <stddef.h>

/* A new array of the device with these contents. */
static spw_status put(void **d_out, const void *from, int64_t count, int64_t size) {
    spw_status status = spw_device_alloc(d_out, count, size);
    if (!status) status = spw_device_copy_to(*d_out, from, count * size);
    return status;
}
#define PUT(d_array, array, count)                                                                 \
    put((void **)(d_array), array, (int64_t)(count), (int64_t)sizeof *(array))

spw_status spw_coo_to_device(const spw_coo *A, spw_coo *d_A) {
    spw_coo B = *A;
    B.row_idx = B.col_idx = NULL;
    B.val = NULL;
    spw_status status = PUT(&B.row_idx, A->row_idx, A->nnz);
    if (!status) status = PUT(&B.col_idx, A->col_idx, A->nnz);
    if (!status) status = PUT(&B.val, A->val, A->nnz);
    if (status) spw_coo_device_destroy(&B);
    *d_A = B;
    return status;
}

spw_status spw_csr_to_device(const spw_csr *A, spw_csr *d_A) {
    spw_csr B = *A;
    B.row_ptr = B.col_idx = NULL;
    B.val = NULL;
    spw_status status = PUT(&B.row_ptr, A->row_ptr, (int64_t)A->n_rows + 1);
    if (!status) status = PUT(&B.col_idx, A->col_idx, A->nnz);
    if (!status) status = PUT(&B.val, A->val, A->nnz);
    if (status) spw_csr_device_destroy(&B);
    *d_A = B;
    return status;
}

spw_status spw_ell_to_device(const spw_ell *A, spw_ell *d_A) {
    spw_ell B = *A;
    B.row_len = B.col_idx = NULL;
    B.val = NULL;
    spw_status status = PUT(&B.row_len, A->row_len, A->n_rows);
    if (!status) status = PUT(&B.col_idx, A->col_idx, A->n_stored);
    if (!status) status = PUT(&B.val, A->val, A->n_stored);
    if (status) spw_ell_device_destroy(&B);
    *d_A = B;
    return status;
}

spw_status spw_sell_to_device(const spw_sell *A, spw_sell *d_A) {
    spw_sell B = *A;
    B.chunk_ptr = B.perm = B.row_len = B.col_idx = NULL;
    B.val = NULL;
    spw_status status = PUT(&B.chunk_ptr, A->chunk_ptr, (int64_t)A->n_chunks + 1);
    if (!status) status = PUT(&B.perm, A->perm, A->n_rows);
    if (!status) status = PUT(&B.row_len, A->row_len, A->n_rows);
    if (!status) status = PUT(&B.col_idx, A->col_idx, A->n_stored);
    if (!status) status = PUT(&B.val, A->val, A->n_stored);
    if (status) spw_sell_device_destroy(&B);
    *d_A = B;
    return status;
}

spw_status spw_sellp_to_device(const spw_sellp *A, spw_sellp *d_A) {
    spw_sellp B = *A;
    B.slice_ptr = B.row_len = B.col_idx = NULL;
    B.val = NULL;
    spw_status status = PUT(&B.slice_ptr, A->slice_ptr, (int64_t)A->n_slices + 1);
    if (!status) status = PUT(&B.row_len, A->row_len, A->n_rows);
    if (!status) status = PUT(&B.col_idx, A->col_idx, A->n_stored);
    if (!status) status = PUT(&B.val, A->val, A->n_stored);
    if (status) spw_sellp_device_destroy(&B);
    *d_A = B;
    return status;
}

void spw_coo_device_destroy(spw_coo *d_A) {
    if (!d_A) return;
    spw_device_free(d_A->row_idx);
    spw_device_free(d_A->col_idx);
    spw_device_free(d_A->val);
    *d_A = (spw_coo){0};
}

void spw_csr_device_destroy(spw_csr *d_A) {
    if (!d_A) return;
    spw_device_free(d_A->row_ptr);
    spw_device_free(d_A->col_idx);
    spw_device_free(d_A->val);
    *d_A = (spw_csr){0};
}

void spw_ell_device_destroy(spw_ell *d_A) {
    if (!d_A) return;
    spw_device_free(d_A->row_len);
    spw_device_free(d_A->col_idx);
    spw_device_free(d_A->val);
    *d_A = (spw_ell){0};
}

void spw_sell_device_destroy(spw_sell *d_A) {
    if (!d_A) return;
    spw_device_free(d_A->chunk_ptr);
    spw_device_free(d_A->perm);
    spw_device_free(d_A->row_len);
    spw_device_free(d_A->col_idx);
    spw_device_free(d_A->val);
    *d_A = (spw_sell){0};
}

void spw_sellp_device_destroy(spw_sellp *d_A) {
    if (!d_A) return;
    spw_device_free(d_A->slice_ptr);
    spw_device_free(d_A->row_len);
    spw_device_free(d_A->col_idx);
    spw_device_free(d_A->val);
    *d_A = (spw_sellp){0};
}

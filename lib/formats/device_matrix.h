/* formats/device_matrix.h -- matrices on the device: the same structs, with pointers to its memory.
 *
 *     spw_csr d_A;
 *     spw_status status = spw_csr_to_device(&A, &d_A);      copies all arrays
 *     if (!status) status = spw_spmv_csr_cuda(&d_A, d_x, d_y);
 *     spw_csr_device_destroy(&d_A);                          not spw_csr_destroy: another memory
 * The numbers in the struct are on the host and may be read; the arrays may not.
 *
 * For all: *d_A is overwritten and owns its arrays, A is not kept and must be valid. On failure
 * *d_A is all zero.
 *   SPW_ERR_MEMORY       no room on the device
 *   SPW_ERR_DEVICE       a copy failed
 *   SPW_ERR_UNAVAILABLE  no device
 * destroy frees the arrays and sets *d_A to zero; it takes NULL and a zero struct. */
#pragma once

#include "base/extern_c.h"
#include "base/status.h"
#include "formats/coo.h"
#include "formats/csr.h"
#include "formats/ell.h"
#include "formats/sell.h"
#include "formats/sellp.h"

SPW_C_BEGIN

spw_status spw_coo_to_device(const spw_coo *A, spw_coo *d_A);
spw_status spw_csr_to_device(const spw_csr *A, spw_csr *d_A);
spw_status spw_ell_to_device(const spw_ell *A, spw_ell *d_A);
spw_status spw_sell_to_device(const spw_sell *A, spw_sell *d_A);
spw_status spw_sellp_to_device(const spw_sellp *A, spw_sellp *d_A);

void spw_coo_device_destroy(spw_coo *d_A);
void spw_csr_device_destroy(spw_csr *d_A);
void spw_ell_device_destroy(spw_ell *d_A);
void spw_sell_device_destroy(spw_sell *d_A);
void spw_sellp_device_destroy(spw_sellp *d_A);

SPW_C_END

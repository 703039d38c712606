/* formats/sizes.h -- the check that every format makes before its sizes become 32-bit. */
#pragma once

#include "base/index.h"
#include "base/status.h"

#include <inttypes.h>

/* SPW_ERR_ARG: a size is negative. SPW_ERR_RANGE: one is above SPW_IDX_MAX. */
static inline spw_status spw_check_sizes(int64_t n_rows, int64_t n_cols, int64_t nnz) {
    if (n_rows < 0 || n_cols < 0 || nnz < 0)
        return spw_error(SPW_ERR_ARG,
                         "a matrix of %" PRId64 " x %" PRId64 " with %" PRId64
                         " entries: no size may be negative",
                         n_rows, n_cols, nnz);
    if (n_rows > SPW_IDX_MAX || n_cols > SPW_IDX_MAX || nnz > SPW_IDX_MAX)
        return spw_error(SPW_ERR_RANGE,
                         "a matrix of %" PRId64 " x %" PRId64 " with %" PRId64
                         " entries: no size may exceed %d",
                         n_rows, n_cols, nnz, SPW_IDX_MAX);
    return SPW_OK;
}

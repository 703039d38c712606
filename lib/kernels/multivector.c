#include "kernels/multivector.h"

#include "base/memory.h"
#include "kernels/spmm.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

enum { LINE = 8 /* doubles */ };

/* Y is larger than what the last-level cache of most machines keeps: stream it. */
static const int64_t STREAM_FROM = (int64_t)32 << 20; /* bytes */

static int64_t least_ld(const spw_multivector *B)
{
    return B->layout == SPW_ROW_MAJOR ? B->nv : B->n;
}

/* Doubles from the first to behind the last that may be touched. */
static int64_t extent(const spw_multivector *B)
{
    const int64_t runs = B->layout == SPW_ROW_MAJOR ? B->n : B->nv;
    return runs > 0 && least_ld(B) > 0 ? (runs - 1) * B->ld + least_ld(B) : 0;
}

static bool has_elements(const spw_multivector *B)
{
    return B->n > 0;
}

spw_status spw_multivector_create(spw_idx n, spw_idx nv, spw_major layout, spw_multivector *B)
{
    *B = (spw_multivector){0};
    if (n < 0 || nv < 1)
        return spw_error(SPW_ERR_ARG, "a block of %d vectors of %d elements: at least 1 and 0", nv,
                         n);
    int64_t ld = layout == SPW_ROW_MAJOR ? nv : n;
    if (layout == SPW_ROW_MAJOR && nv >= LINE) ld = (ld + LINE - 1) / LINE * LINE;
    double *val;
    const spw_status status = SPW_ALLOC(&val, ld * (layout == SPW_ROW_MAJOR ? n : nv));
    if (!status) *B = (spw_multivector){n, nv, layout, ld, val};
    return status;
}

void spw_multivector_destroy(spw_multivector *B)
{
    if (!B) return;
    spw_free(B->val);
    *B = (spw_multivector){0};
}

static bool overlap(const spw_multivector *X, const spw_multivector *Y)
{
    const uintptr_t x = (uintptr_t)X->val, y = (uintptr_t)Y->val;
    const uintptr_t x_end = x + (uintptr_t)extent(X) * sizeof(double);
    const uintptr_t y_end = y + (uintptr_t)extent(Y) * sizeof(double);
    return x < y_end && y < x_end;
}

static spw_status check_block(const char *name, const spw_multivector *B)
{
    if (B->nv < 1)
        return spw_error(SPW_ERR_ARG, "%s has nv = %d vectors, must be 1 or more", name, B->nv);
    if (B->n < 0) return spw_error(SPW_ERR_ARG, "%s has n = %d rows, below 0", name, B->n);
    if (B->ld < least_ld(B))
        return spw_error(SPW_ERR_ARG,
                         "%s has leading dimension %" PRId64 ", %s-major needs %" PRId64, name,
                         B->ld, B->layout == SPW_ROW_MAJOR ? "row" : "column", least_ld(B));
    if (has_elements(B) && !B->val) return spw_error(SPW_ERR_ARG, "%s has no array", name);
    return SPW_OK;
}

/* Row-major: the block is rows of nv; column-major: nv rows of n. */
static void copy(const spw_multivector *from, spw_multivector *to)
{
    const bool rows = from->layout == SPW_ROW_MAJOR;
    const int64_t m = rows ? from->n : from->nv, n = rows ? from->nv : from->n;
    if (from->layout != to->layout) {
        spw_transpose_omp_blocked(m, n, from->val, from->ld, to->val, to->ld);
        return;
    }
    for (int64_t i = 0; i < m && n > 0; i++)
        memcpy(to->val + i * to->ld, from->val + i * from->ld, (size_t)n * sizeof(double));
}

spw_status spw_multivector_copy(const spw_multivector *from, spw_multivector *to)
{
    spw_status status = check_block("the block to copy", from);
    if (!status) status = check_block("the copy", to);
    if (!status && (from->n != to->n || from->nv != to->nv))
        status = spw_error(SPW_ERR_ARG, "a block of %d x %d cannot be copied to one of %d x %d",
                           from->n, from->nv, to->n, to->nv);
    if (!status && overlap(from, to))
        status = spw_error(SPW_ERR_ARG, "the block and its copy overlap");
    if (!status) copy(from, to);
    return status;
}

static void set_to_zero(spw_multivector *B)
{
    const bool rows = B->layout == SPW_ROW_MAJOR;
    const int64_t m = rows ? B->n : B->nv, n = rows ? B->nv : B->n;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) B->val[i * B->ld + j] = 0;
}

static spw_status check(spw_idx n_rows, spw_idx n_cols, const spw_multivector *X,
                        const spw_multivector *Y)
{
    spw_status status = check_block("X", X);
    if (!status && X->n != n_cols)
        status = spw_error(SPW_ERR_ARG, "X has %d rows, A has %d columns: they must be equal", X->n,
                           n_cols);
    if (!status && Y->n != n_rows)
        status = spw_error(SPW_ERR_ARG, "Y has %d rows, A has %d rows: they must be equal", Y->n,
                           n_rows);
    if (!status && X->nv != Y->nv)
        status =
            spw_error(SPW_ERR_ARG, "X has %d vectors, Y has %d: they must be equal", X->nv, Y->nv);
    return status;
}

static void multiply(const spw_csr *A, const spw_sellp *S, const spw_multivector *X,
                     spw_multivector *Y)
{
    const bool streams = extent(Y) * (int64_t)sizeof(double) >= STREAM_FROM;
    if (A && streams)
        spw_spmm_csr_omp_stream(A, X->nv, X->val, X->ld, Y->val, Y->ld);
    else if (A)
        spw_spmm_csr_omp_registers(A, X->nv, X->val, X->ld, Y->val, Y->ld);
    else if (streams)
        spw_spmm_sellp_omp_stream(S, X->nv, X->val, X->ld, Y->val, Y->ld);
    else
        spw_spmm_sellp_omp_registers(S, X->nv, X->val, X->ld, Y->val, Y->ld);
}

/* One of A and S is NULL. */
static spw_status spmm(const spw_csr *A, const spw_sellp *S, spw_idx n_rows, spw_idx n_cols,
                       const spw_multivector *X, spw_multivector *Y)
{
    spw_multivector rows_of_X = {0}, rows_of_Y = {0};
    spw_status status = check_block("Y", Y);
    if (status) return status;
    if (overlap(X, Y))
        return spw_error(SPW_ERR_ARG, "Y overlaps X: %d x %d and %d x %d elements", Y->n, Y->nv,
                         X->n, X->nv);
    status = check(n_rows, n_cols, X, Y);
    if (!status && X->layout != SPW_ROW_MAJOR)
        status = spw_multivector_create(X->n, X->nv, SPW_ROW_MAJOR, &rows_of_X);
    if (!status && Y->layout != SPW_ROW_MAJOR)
        status = spw_multivector_create(Y->n, Y->nv, SPW_ROW_MAJOR, &rows_of_Y);
    if (status) {
        set_to_zero(Y);
        goto done;
    }
    if (rows_of_X.val) copy(X, &rows_of_X);
    multiply(A, S, rows_of_X.val ? &rows_of_X : X, rows_of_Y.val ? &rows_of_Y : Y);
    if (rows_of_Y.val) copy(&rows_of_Y, Y);
done:
    spw_multivector_destroy(&rows_of_X);
    spw_multivector_destroy(&rows_of_Y);
    return status;
}

spw_status spw_spmm_csr(const spw_csr *A, const spw_multivector *X, spw_multivector *Y)
{
    return spmm(A, NULL, A->n_rows, A->n_cols, X, Y);
}

spw_status spw_spmm_sellp(const spw_sellp *A, const spw_multivector *X, spw_multivector *Y)
{
    return spmm(NULL, A, A->n_rows, A->n_cols, X, Y);
}

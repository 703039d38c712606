/* formats/matrix_market_write.c -- the writer of the exchange format. */
#include "formats/matrix_market.h"

#include "base/memory.h"
#include "base/number.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static spw_status write_entries(FILE *file, const char *path, const spw_csr *A) {
    char digits[SPW_NUMBER_SIZE];
    fprintf(file, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", A->n_rows,
            A->n_cols, A->nnz);
    for (spw_idx i = 0; i < A->n_rows && !ferror(file); i++) {
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) {
            if (spw_number_write(A->val[k], digits) == 0)
                return spw_error(SPW_ERR_ARG,
                                 "%s: cannot be written: the value of entry (%d, %d) is %f", path,
                                 i + 1, A->col_idx[k] + 1, A->val[k]);
            fprintf(file, "%d %d %s\n", i + 1, A->col_idx[k] + 1, digits);
        }
    }
    /* A full disk may be noticed as late as here. */
    if (fflush(file) != 0 || ferror(file) || fsync(fileno(file)) != 0)
        return spw_error(SPW_ERR_FILE, "%s: cannot be written: %s", path, strerror(errno));
    return SPW_OK;
}

spw_status spw_csr_write_matrix_market(const char *path, const spw_csr *A) {
    static const char suffix[] = ".partial";
    const size_t length = strlen(path);
    char *partial = NULL;
    FILE *file = NULL;
    spw_status status = spw_csr_validate(A);
    if (!status) status = SPW_ALLOC(&partial, length + sizeof suffix);
    if (status) return status;
    memcpy(partial, path, length);
    memcpy(partial + length, suffix, sizeof suffix);

    file = fopen(partial, "w");
    if (!file) {
        status = spw_error(SPW_ERR_FILE, "%s: cannot be created: %s", partial, strerror(errno));
        goto done;
    }
    status = write_entries(file, path, A);
    if (fclose(file) != 0 && !status)
        status = spw_error(SPW_ERR_FILE, "%s: cannot be written: %s", path, strerror(errno));
    if (!status && rename(partial, path) != 0)
        status = spw_error(SPW_ERR_FILE, "%s: cannot be renamed to %s: %s", partial, path,
                           strerror(errno));
    if (status) unlink(partial);
done:
    spw_free(partial);
    return status;
}

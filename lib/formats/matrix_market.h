/* formats/matrix_market.h -- reads and writes the exchange format of sparse matrices.
 *
 *     %%MatrixMarket matrix coordinate real symmetric
 *     % a comment
 *     3 3 4
 *     1 1 2.0
 *     2 1 -1.0
 *     2 2 2.0
 *     3 3 1e-3
 *
 * Read: `coordinate` with the fields real, integer and pattern (every value 1) and the symmetries
 * general, symmetric and skew-symmetric, as text or gzip. The banner's words may be in any case; lines
 * may end in CR LF; blank lines and a missing newline at the end are allowed.
 * Refused, with file, line and reason: array, complex, hermitian and all that is malformed. There is no
 * text for which a wrong matrix is returned. Time and memory are bounded by the size of the text: the
 * counts in the header are compared with it before anything is allocated.
 * Source: R. F. Boisvert, R. Pozo, K. A. Remington, The Matrix Market Exchange Formats, NISTIR 5935,
 * 1996. We deviate: indices are 32-bit, and nan and inf are refused. */
#ifndef SPW_FORMATS_MATRIX_MARKET_H
#define SPW_FORMATS_MATRIX_MARKET_H

#include "base/status.h"
#include "formats/coo.h"
#include "formats/csr.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reads a file, .mtx or .mtx.gz (told apart by the contents, not by the name). Entries off the
 * diagonal of a symmetric matrix are stored twice, of a skew-symmetric one with the sign turned.
 * Duplicates are kept. *A is overwritten and owns its arrays; on failure it is all zero.
 *   SPW_ERR_FILE    cannot be opened or read
 *   SPW_ERR_FORMAT  malformed, or a kind that is not read; the message begins "FILE:LINE: "
 *   SPW_ERR_RANGE   more than SPW_IDX_MAX rows, columns or entries
 *   SPW_ERR_MEMORY  no room */
spw_status spw_coo_read_matrix_market(const char *path, spw_coo *A);

/* The same from memory; name stands for the file in messages. text need not end in NUL. */
spw_status spw_coo_parse_matrix_market(const char *name, const char *text, size_t length, spw_coo *A);

/* Writes A as `coordinate real general` with the shortest digits that read back as the same double.
 * Writes to PATH.partial first and renames it, so that no half-written file is left under the name.
 *   SPW_ERR_FILE  cannot be written (the message has the system's reason) */
spw_status spw_csr_write_matrix_market(const char *path, const spw_csr *A);

#ifdef __cplusplus
}
#endif

#endif

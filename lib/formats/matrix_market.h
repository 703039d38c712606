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
 * may end in CR LF; blank lines and a missing newline at the end are allowed. Comments stand before the
 * line of sizes only. A real value is read as base/number.h says, exactly rounded, with e or, from
 * Fortran, d before the exponent; one too small for a double becomes 0.
 * Refused, with file, line and reason: array, complex, hermitian, skew-symmetric patterns and all that
 * is malformed; nan, inf,
 * values too large for a double and integers that a double cannot hold; entries above the diagonal of a
 * symmetric or skew-symmetric matrix, and on that of a skew-symmetric one. The first wrong line is the
 * one that is named. There is no text for which a wrong matrix is returned.
 * Time and memory are bounded by the size of the text: the counts in the header are compared with it
 * before anything is allocated. And the text is bounded by the counts, so that a file which unpacks
 * to a terabyte is given up early: the header may have 16 MB, the rest 1 MB and 1 KB an entry.
 * Source: R. F. Boisvert, R. Pozo, K. A. Remington, The Matrix Market Exchange Formats, NISTIR 5935,
 * 1996. We deviate: indices are 32-bit, and nan and inf are refused. */
#pragma once

#include "base/extern_c.h"
#include "base/status.h"
#include "formats/coo.h"
#include "formats/csr.h"

#include <stddef.h>

SPW_C_BEGIN

/* Reads a file, .mtx or .mtx.gz (told apart by the contents, not by the name). The entries come in the
 * order of the file; behind them, again in that order, the mirror images of those off the diagonal if
 * the matrix is symmetric, with the sign turned if it is skew-symmetric. Duplicates are kept.
 * Parallel; the result does not depend on the number of threads. *A is overwritten and owns its arrays;
 * on failure it is all zero.
 *   SPW_ERR_FILE    cannot be opened or read, is no regular file
 *   SPW_ERR_FORMAT  malformed, or a kind that is not read; the message begins "FILE:LINE: "
 *   SPW_ERR_RANGE   more than SPW_IDX_MAX rows, columns or entries
 *   SPW_ERR_MEMORY  no room */
spw_status spw_coo_read_matrix_market(const char *path, spw_coo *A);

/* The same from memory; name stands for the file in messages. text need not end in NUL. */
spw_status spw_coo_parse_matrix_market(const char *name, const char *text, size_t length,
                                       spw_coo *A);

/* The same in blocks of SPW_TEXT_BLOCK bytes of text, of which one is held at a time; a line longer than that has its block alone. take
 * gets the entries of a block with their mirror images, as above, and may change their order; it is called once at the
 * least. Where it fails, reading ends with what it returned. Wrong lines are found when their block is read, and the
 * header's numbers are compared with the text at its end.
 *   SPW_ERR_...  those above, and take's */
enum { SPW_TEXT_BLOCK = 1 << 20 };
typedef spw_status spw_take_block(void *context, const spw_coo *block);
spw_status spw_coo_read_blocks(const char *path, spw_take_block *take, void *context);

/* Writes A as `coordinate real general`, row by row, with the fewest digits (15 to 17) that read back as
 * the same double. Writes to PATH.partial first and renames it, so that no half-written file is left
 * under the name, and what was there before is replaced only by a whole file.
 *   SPW_ERR_FILE    cannot be written (the message has the system's reason)
 *   SPW_ERR_ARG     A is not valid, or has a value that is nan or inf
 *   SPW_ERR_MEMORY  no room */
spw_status spw_csr_write_matrix_market(const char *path, const spw_csr *A);

SPW_C_END

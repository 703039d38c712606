/* formats/text_file.h -- the text of a file, plain or gzip, piece by piece.
 *
 *     spw_text_file file;
 *     status = spw_text_open("a.mtx.gz", &file);
 *     while (!status && !file.at_end) status = spw_text_read(&file, buffer, room, &got);
 *     spw_text_close(&file);
 * Piece by piece, so that a reader may stop after a header that promises nonsense, before the rest of
 * the file, which may be a terabyte packed into a megabyte, is looked at. */
#pragma once

#include "base/extern_c.h"
#include "base/status.h"

#include <stdint.h>

SPW_C_BEGIN

typedef struct spw_text_file {
    const char *path;    /* the caller's, for messages */
    int64_t file_bytes;  /* size of the file as it lies on disk */
    int is_gzip, at_end; /* at_end: all text has been delivered, and gzip's check sums are right */
    int64_t n_lines;     /* of gzip: ends of lines delivered so far */
    int64_t taken;       /* bytes of the file that have been read */
    int fd;
    struct spw_inflater *inflater; /* of gzip, else NULL */
} spw_text_file;

/* Opens. gzip is told by its first two bytes, not by the name. *file is overwritten; on failure it is
 * closed already (spw_text_close does no harm). path must outlive it.
 *   SPW_ERR_FILE    no such file, no permission, not a regular file
 *   SPW_ERR_MEMORY  no room */
spw_status spw_text_open(const char *path, spw_text_file *file);

/* Delivers the next *got bytes, 0 .. room. Fewer than room only at the end, which file->at_end tells.
 *   SPW_ERR_FILE    cannot be read
 *   SPW_ERR_FORMAT  the gzip data are damaged, cut short, or followed by something else; the message
 *                   begins "PATH:LINE: "
 *   SPW_ERR_MEMORY  no room */
spw_status spw_text_read(spw_text_file *file, char *buffer, int64_t room, int64_t *got);

/* Takes a file that is closed or all zero. */
void spw_text_close(spw_text_file *file);

SPW_C_END

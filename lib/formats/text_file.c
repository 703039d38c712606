#include "formats/text_file.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { INPUT = 1 << 18, AT_ONCE = 1 << 30 };

typedef struct spw_inflater {
    z_stream stream;
    int member_ended; /* between two members, where the file may end */
    unsigned char input[INPUT];
} spw_inflater;

static spw_status cannot_read(const spw_text_file *file) {
    return spw_error(SPW_ERR_FILE, "%s: cannot be read: %s", file->path, strerror(errno));
}

static spw_status bad_gzip(const spw_text_file *file, const char *reason) {
    return spw_error(SPW_ERR_FORMAT, "%s:%" PRId64 ": %s", file->path, file->n_lines + 1, reason);
}

/* Reads until room is full or the size that the file had when it was opened is reached. */
static spw_status read_bytes(spw_text_file *file, void *buffer, int64_t room, int64_t *got) {
    *got = 0;
    if (room > file->file_bytes - file->taken) room = file->file_bytes - file->taken;
    while (*got < room) {
        const int64_t ask = room - *got < AT_ONCE ? room - *got : AT_ONCE;
        const ssize_t n = read(file->fd, (char *)buffer + *got, (size_t)ask);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return cannot_read(file);
        if (n == 0)
            return spw_error(SPW_ERR_FILE, "%s: became shorter while it was read", file->path);
        *got += n;
        file->taken += n;
    }
    return SPW_OK;
}

static void *zlib_alloc(void *context, unsigned items, unsigned size) {
    void *block;
    (void)context;
    return spw_alloc(&block, items, size) ? NULL : block;
}

static void zlib_free(void *context, void *block) {
    (void)context;
    spw_free(block);
}

static spw_status start_inflater(spw_text_file *file) {
    spw_inflater *inflater;
    const spw_status status = SPW_ALLOC(&inflater, 1);
    if (status) return status;
    inflater->stream = (z_stream){.zalloc = zlib_alloc, .zfree = zlib_free};
    inflater->member_ended = 0;
    if (inflateInit2(&inflater->stream, 15 + 16) != Z_OK) { /* 15: any window, +16: gzip only */
        spw_free(inflater);
        return spw_error(SPW_ERR_MEMORY, "%s: no memory to unpack it", file->path);
    }
    file->inflater = inflater;
    return SPW_OK;
}

spw_status spw_text_open(const char *path, spw_text_file *file) {
    *file = (spw_text_file){.path = path, .fd = -1};
    /* O_NONBLOCK, or the opening of a pipe would wait for its writer. */
    file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file->fd < 0)
        return spw_error(SPW_ERR_FILE, "%s: cannot be opened: %s", path, strerror(errno));

    spw_status status = SPW_OK;
    struct stat info;
    unsigned char magic[2];
    int64_t got = 0;
    if (fstat(file->fd, &info) != 0)
        status = cannot_read(file);
    else if (S_ISDIR(info.st_mode))
        status = spw_error(SPW_ERR_FILE, "%s: is a directory, not a file", path);
    else if (!S_ISREG(info.st_mode))
        status = spw_error(SPW_ERR_FILE, "%s: is not a regular file", path);
    if (status) goto done;

    file->file_bytes = info.st_size;
    file->at_end = file->file_bytes == 0;
    status = read_bytes(file, magic, sizeof magic, &got);
    if (status) goto done;
    if (lseek(file->fd, 0, SEEK_SET) != 0) {
        status = cannot_read(file);
        goto done;
    }
    file->taken = 0;
    file->is_gzip = got == 2 && magic[0] == 0x1f && magic[1] == 0x8b;
    if (file->is_gzip) status = start_inflater(file);
done:
    if (status) spw_text_close(file);
    return status;
}

static int64_t count_lines(const char *text, int64_t length) {
    int64_t n = 0;
    const char *const end = text + length;
    for (const char *at = text; (at = memchr(at, '\n', (size_t)(end - at))); at++) n++;
    return n;
}

/* One call of inflate, for *got bytes of text. A file may hold several members one after the other, as
 * `cat a.gz b.gz` makes it; their texts are joined. */
static spw_status inflate_some(spw_text_file *file, char *buffer, int64_t room, int64_t *got) {
    spw_inflater *const inflater = file->inflater;
    z_stream *const stream = &inflater->stream;
    *got = 0;
    if (stream->avail_in == 0) {
        int64_t n_bytes;
        const spw_status status = read_bytes(file, inflater->input, INPUT, &n_bytes);
        if (status) return status;
        stream->next_in = inflater->input;
        stream->avail_in = (unsigned)n_bytes;
        if (n_bytes == 0 && inflater->member_ended) {
            file->at_end = 1;
            return SPW_OK;
        }
        if (n_bytes == 0)
            return bad_gzip(file, "the gzip data break off here: the file was cut short");
    }
    if (inflater->member_ended) {
        if (stream->next_in[0] != 0x1f)
            return bad_gzip(file,
                            "something that is no gzip data follows the end of the gzip data");
        inflateReset(stream);
        inflater->member_ended = 0;
    }
    if (room > AT_ONCE) room = AT_ONCE;
    stream->next_out = (unsigned char *)buffer;
    stream->avail_out = (unsigned)room;
    const int result = inflate(stream, Z_NO_FLUSH);
    *got = room - stream->avail_out;
    file->n_lines += count_lines(buffer, *got);
    switch (result) {
    case Z_STREAM_END: inflater->member_ended = 1; return SPW_OK;
    case Z_OK:
    case Z_BUF_ERROR: return SPW_OK; /* needs more input or more room */
    case Z_MEM_ERROR: return spw_error(SPW_ERR_MEMORY, "%s: no memory to unpack it", file->path);
    default: return bad_gzip(file, "the gzip data are damaged here");
    }
}

static spw_status read_gzip(spw_text_file *file, char *buffer, int64_t room, int64_t *got) {
    spw_status status = SPW_OK;
    while (*got < room && !file->at_end && !status) {
        int64_t n;
        status = inflate_some(file, buffer + *got, room - *got, &n);
        *got += n;
    }
    return status;
}

spw_status spw_text_read(spw_text_file *file, char *buffer, int64_t room, int64_t *got) {
    *got = 0;
    if (file->is_gzip) return read_gzip(file, buffer, room, got);
    const spw_status status = read_bytes(file, buffer, room, got);
    file->at_end = file->taken == file->file_bytes;
    return status;
}

void spw_text_close(spw_text_file *file) {
    if (file->inflater) {
        inflateEnd(&file->inflater->stream);
        spw_free(file->inflater);
    }
    if (file->path && file->fd >= 0) close(file->fd);
    *file = (spw_text_file){.fd = -1};
}

/* The machine file: one thing a line, its name first, fields parted by tabs.
 *
 *     # spw-machine 1
 *     cpu <tab> AMD EPYC
 *     threads <tab> 2
 *     level <tab> memory <tab> 256000000 <tab> median low high of load, copy, triad, update
 *     ...
 *     check <tab> 16 hexadecimal digits: FNV-1a of all bytes before this line
 * The name of a line says what may follow, so that lines may come in any order. */
#include "perf/machine.h"

#include "base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char HEADER[] = "# spw-machine ", VERSION[] = "1",
                  AGAIN[] = "measure again: make machine";

enum { MAX_LINE = 1024, MAX_FILE = 1 << 18, MAX_FIELDS = 2 + 3 * SPW_MIXES };

/* G. Fowler, L. C. Noll, K.-P. Vo: the FNV-1a hash, continued over length more bytes. */
static const uint64_t FNV_BASIS = UINT64_C(0xcbf29ce484222325);

static uint64_t fnv(uint64_t hash, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* --- writing ------------------------------------------------------------------------------------- */

/* A file and the hash of what has been written to it. */
typedef struct writer {
    FILE *file;
    uint64_t hash;
    bool failed;
} writer;

static void put(writer *w, const char *format, ...) SPW_PRINTF(2, 3);
static void put(writer *w, const char *format, ...) {
    char text[MAX_LINE];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    w->hash = fnv(w->hash, text, strlen(text));
    if (length < 0 || length >= MAX_LINE || fputs(text, w->file) < 0) w->failed = true;
}

static void put_rates(writer *w, const spw_rate rate[SPW_MIXES]) {
    for (int mix = 0; mix < SPW_MIXES; mix++)
        put(w, "\t%.0f\t%.0f\t%.0f", rate[mix].median, rate[mix].low, rate[mix].high);
    put(w, "\n");
}

static void put_machine(writer *w, const spw_machine *m) {
    const spw_topology *t = &m->topology;
    put(w, "%s%s\n", HEADER, VERSION);
    put(w, "cpu\t%s\n", t->cpu);
    put(w, "cores\t%d\n", t->cores);
    put(w, "hardware_threads\t%d\n", t->threads);
    put(w, "numa_nodes\t%d\n", t->numa_nodes);
    put(w, "sockets\t%d\n", t->sockets);
    put(w, "l1\t%" PRId64 "\n", t->l1);
    put(w, "l2\t%" PRId64 "\n", t->l2);
    put(w, "l3\t%" PRId64 "\n", t->l3);
    put(w, "l3_count\t%d\n", t->l3_count);
    put(w, "memory\t%" PRId64 "\n", t->memory);
    put(w, "virtual\t%d\n", t->is_virtual);
    put(w, "date\t%s\n", m->date);
    put(w, "compiler\t%s\n", m->compiler);
    put(w, "threads\t%d\n", m->threads);
    put(w, "quick\t%d\n", m->quick);
    put(w, "waited_percent\t%.0f\n", 100 * m->waited);
    put(w, "peak_one\t%.0f\n", m->peak_one);
    put(w, "peak_all\t%.0f\n", m->peak_all);
    for (int l = 0; l < SPW_LEVELS; l++) {
        if (m->level[l].bytes == 0) continue;
        put(w, "level\t%s\t%" PRId64, spw_level_name((spw_level)l), m->level[l].bytes);
        put_rates(w, m->level[l].rate);
    }
    for (int i = 0; i < m->n_stairs; i++) {
        put(w, "stair\t%" PRId64, m->stair[i].bytes);
        put_rates(w, m->stair[i].rate);
    }
    for (int i = 0; i < m->n_saturation; i++) {
        put(w, "saturation\t%d", m->saturation[i].threads);
        put_rates(w, m->saturation[i].rate);
    }
    put(w, "check\t%016" PRIx64 "\n", w->hash);
}

spw_status spw_machine_save(const spw_machine *m, const char *path) {
    char partial[4096];
    const int length = snprintf(partial, sizeof partial, "%s.partial.%ld", path, (long)getpid());
    if (length >= (int)sizeof partial)
        return spw_error(SPW_ERR_FILE, "cannot write the machine file: its path has %zu characters",
                         strlen(path));

    writer w = {.file = fopen(partial, "w"), .hash = FNV_BASIS};
    if (!w.file) return spw_error(SPW_ERR_FILE, "cannot write %s: %s", path, strerror(errno));
    put_machine(&w, m);
    if (fflush(w.file) || fsync(fileno(w.file))) w.failed = true;
    const int reason = errno;
    if (fclose(w.file)) w.failed = true;
    if (!w.failed && rename(partial, path) == 0) return SPW_OK;

    const spw_status status =
        spw_error(SPW_ERR_FILE, "cannot write %s: %s", path, strerror(w.failed ? reason : errno));
    (void)unlink(partial);
    return status;
}

/* --- reading ------------------------------------------------------------------------------------- */

/* A whole number >= 0 that fills its field. */
static bool number(const char *field, int64_t *value) {
    char *end;
    errno = 0;
    *value = strtoll(field, &end, 10);
    return end != field && *end == 0 && errno == 0 && *value >= 0;
}

static bool small(const char *field, int *value) {
    int64_t large;
    if (!number(field, &large) || large > INT32_MAX) return false;
    *value = (int)large;
    return true;
}

static bool real(const char *field, double *value) {
    int64_t whole;
    if (!number(field, &whole)) return false;
    *value = (double)whole;
    return true;
}

static bool rates(char **field, spw_rate rate[SPW_MIXES]) {
    for (int mix = 0; mix < SPW_MIXES; mix++, field += 3)
        if (!real(field[0], &rate[mix].median) || !real(field[1], &rate[mix].low) ||
            !real(field[2], &rate[mix].high))
            return false;
    return true;
}

static bool text_field(const char *field, char *out, size_t size) {
    return snprintf(out, size, "%s", field) < (int)size;
}

/* Takes one line of n fields, the name first. */
static bool take(spw_machine *m, char **field, int n) {
    spw_topology *t = &m->topology;
    const struct {
        const char *name;
        int *small;
        int64_t *large;
        double *real;
        char *text;
        size_t size;
    } plain[] = {
        {"cpu", .text = t->cpu, .size = sizeof t->cpu},
        {"cores", .small = &t->cores},
        {"hardware_threads", .small = &t->threads},
        {"numa_nodes", .small = &t->numa_nodes},
        {"sockets", .small = &t->sockets},
        {"l1", .large = &t->l1},
        {"l2", .large = &t->l2},
        {"l3", .large = &t->l3},
        {"l3_count", .small = &t->l3_count},
        {"memory", .large = &t->memory},
        {"virtual", .small = &t->is_virtual},
        {"date", .text = m->date, .size = sizeof m->date},
        {"compiler", .text = m->compiler, .size = sizeof m->compiler},
        {"threads", .small = &m->threads},
        {"quick", .small = &m->quick},
        {"waited_percent", .real = &m->waited},
        {"peak_one", .real = &m->peak_one},
        {"peak_all", .real = &m->peak_all},
    };
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        if (strcmp(field[0], plain[i].name) != 0) continue;
        if (n != 2) return false;
        if (plain[i].small) return small(field[1], plain[i].small);
        if (plain[i].large) return number(field[1], plain[i].large);
        if (plain[i].real) return real(field[1], plain[i].real);
        return text_field(field[1], plain[i].text, plain[i].size);
    }
    if (!strcmp(field[0], "level") && n == 3 + 3 * SPW_MIXES) {
        for (int l = 0; l < SPW_LEVELS; l++)
            if (!strcmp(field[1], spw_level_name((spw_level)l)))
                return number(field[2], &m->level[l].bytes) && rates(field + 3, m->level[l].rate);
        return false;
    }
    if (!strcmp(field[0], "stair") && n == 2 + 3 * SPW_MIXES && m->n_stairs < SPW_STAIRS_MAX) {
        const int i = m->n_stairs++;
        return number(field[1], &m->stair[i].bytes) && rates(field + 2, m->stair[i].rate);
    }
    if (!strcmp(field[0], "saturation") && n == 2 + 3 * SPW_MIXES &&
        m->n_saturation < SPW_SATURATION_MAX) {
        const int i = m->n_saturation++;
        return small(field[1], &m->saturation[i].threads) &&
               rates(field + 2, m->saturation[i].rate);
    }
    return false;
}

/* Splits at tabs, in place. */
static int split(char *line, char **field, int most) {
    int n = 0;
    while (n < most) {
        field[n++] = line;
        line = strchr(line, '\t');
        if (!line) return n;
        *line++ = 0;
    }
    return most + 1;
}

static spw_status parse(char *text, size_t length, const char *path, spw_machine *m) {
    if (strncmp(text, HEADER, strlen(HEADER)) != 0)
        return spw_error(SPW_ERR_FORMAT, "%s:1: not a machine file; %s", path, AGAIN);
    const char *version = text + strlen(HEADER);
    const int digits = (int)strcspn(version, "\n");
    if (digits != (int)strlen(VERSION) || strncmp(version, VERSION, (size_t)digits) != 0)
        return spw_error(SPW_ERR_FORMAT, "%s:1: version %.*s, this workbook reads %s; %s", path,
                         digits < 20 ? digits : 20, version, VERSION, AGAIN);

    char *check = length > 0 ? strstr(text, "\ncheck\t") : NULL;
    if (!check)
        return spw_error(SPW_ERR_FORMAT, "%s: cut off, its last line is missing; %s", path, AGAIN);
    char expected[32];
    snprintf(expected, sizeof expected, "check\t%016" PRIx64 "\n",
             fnv(FNV_BASIS, text, (size_t)(++check - text)));
    if (strcmp(check, expected) != 0 || strlen(text) != length)
        return spw_error(SPW_ERR_FORMAT, "%s: damaged, its checksum is wrong; %s", path, AGAIN);

    *check = 0;
    char *line = strchr(text, '\n') + 1;
    for (int at = 2; *line; at++) {
        char *field[MAX_FIELDS + 1], *next = line + strcspn(line, "\n");
        if (*next) *next++ = 0;
        const int n = split(line, field, MAX_FIELDS + 1);
        if (n > MAX_FIELDS + 1 || !take(m, field, n))
            return spw_error(SPW_ERR_FORMAT, "%s:%d: cannot make sense of '%.40s'; %s", path, at,
                             line, AGAIN);
        line = next;
    }
    m->waited /= 100;
    if (m->threads < 1 || m->peak_all <= 0 || m->level[SPW_MEMORY].bytes <= 0)
        return spw_error(SPW_ERR_FORMAT, "%s: incomplete; %s", path, AGAIN);
    return SPW_OK;
}

spw_status spw_machine_load(const char *path, spw_machine *m) {
    spw_status status = SPW_OK;
    *m = (spw_machine){0};
    char *text = NULL;
    FILE *file = fopen(path, "r");
    if (!file)
        return spw_error(SPW_ERR_FILE, "cannot read %s: %s; make machine writes it", path,
                         strerror(errno));
    if ((status = SPW_ALLOC(&text, MAX_FILE + 1))) goto out;
    const size_t length = fread(text, 1, MAX_FILE, file);
    if (ferror(file)) {
        status = spw_error(SPW_ERR_FILE, "cannot read %s: %s", path, strerror(errno));
        goto out;
    }
    text[length] = 0;
    status = parse(text, length, path, m);
out:
    if (status) *m = (spw_machine){0};
    spw_free(text);
    fclose(file);
    return status;
}

/* From places in the program to lines of the source, by addr2line of the binutils (gcc brings them). An
 * inlined function has a line of its own and one of each caller: the innermost outside our headers and
 * the system's is the learner's. */
#define _GNU_SOURCE /* dladdr1 */
#include "simt/state.h"

#include "base/memory.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 256, LINE = 1024 };

static bool is_ours(const char *file) {
    return strstr(file, "simt/include/") || strstr(file, "/include/c++/") ||
           strncmp(file, "/usr/include/", 13) == 0 || strncmp(file, "/usr/lib/", 9) == 0;
}

/* Paths as the learner knows them: what lies below the working directory is named from there. */
static const char *shortened(const char *file, char *cwd, size_t size) {
    if (*cwd == 0 && !realpath(".", cwd)) return file;
    const size_t length = strnlen(cwd, size);
    if (strncmp(file, cwd, length) == 0 && file[length] == '/') file += length + 1;
    while (strncmp(file, "./", 2) == 0) file += 2;
    return file;
}

/* "path/file.cu:12 (discriminator 3)" */
static void parse(char *text, spw_simt_place *place, char *cwd, size_t size) {
    char *colon = strrchr(text, ':');
    if (!colon || colon[1] == '?' || text[0] == '?') return;
    *colon = 0;
    if (is_ours(text)) return;
    place->line = atoi(colon + 1);
    snprintf(place->file, sizeof place->file, "%.255s", shortened(text, cwd, size));
}

/* Lines of `addr2line -a -i -f`: an address "0x...", then function and file:line for each frame. */
static void read_answers(FILE *pipe, const int *which, int n, spw_simt_place *places) {
    char line[LINE], function[LINE] = "", cwd[4096] = "";
    int k = -1;
    bool expects_function = true;
    while (fgets(line, sizeof line, pipe)) {
        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, "0x", 2) == 0) {
            k++;
            expects_function = true;
            continue;
        }
        if (k < 0 || k >= n) continue;
        spw_simt_place *place = &places[which[k]];
        if (expects_function)
            snprintf(function, sizeof function, "%s", line);
        else if (place->line == 0) {
            parse(line, place, cwd, sizeof cwd);
            if (place->line)
                snprintf(place->function, sizeof place->function, "%.*s", SPW_SIMT_NAME - 1,
                         function);
        }
        expects_function = !expects_function;
    }
}

static bool is_safe(const char *path) { return !strpbrk(path, "'\\\n"); }

static void ask(const char *object, const uintptr_t *offsets, const int *which, int n,
                spw_simt_place *places) {
    char command[BATCH * 20 + 5000];
    if (!is_safe(object) || strlen(object) > 4096) return;
    int at = snprintf(command, sizeof command, "addr2line -a -i -f -C -e '%s'", object);
    for (int k = 0; k < n; k++)
        at += snprintf(command + at, sizeof command - (size_t)at, " 0x%lx",
                       (unsigned long)offsets[k]);
    snprintf(command + at, sizeof command - (size_t)at, " 2>/dev/null");
    FILE *pipe = popen(command, "r");
    if (!pipe) return;
    read_answers(pipe, which, n, places);
    pclose(pipe);
}

/* The loaded file that a place is in, and the place within it. */
static bool locate(uintptr_t pc, const char **object, uintptr_t *offset) {
    Dl_info info;
    struct link_map *map = NULL;
    if (!pc || !dladdr1((void *)(pc - 1), &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
        return false;
    *object = map->l_name && *map->l_name ? map->l_name : "/proc/self/exe";
    *offset = pc - 1 - map->l_addr; /* a return address may be on the next line */
    return true;
}

void spw_simt_look_up(const uintptr_t *pcs, spw_simt_place *places, int n) {
    uintptr_t offsets[BATCH];
    int which[BATCH];
    bool *known = NULL;
    if (n == 0 || SPW_ALLOC_ZERO(&known, n)) return;
    for (int k = 0; k < n; k++) places[k] = (spw_simt_place){.line = 0};
    for (int k = 0; k < n; k++) {
        const char *object, *other;
        uintptr_t offset;
        if (known[k] || !locate(pcs[k], &object, &offset)) continue;
        int batch = 0;
        for (int q = k; q < n && batch < BATCH; q++) {
            if (known[q] || !locate(pcs[q], &other, &offset) || strcmp(object, other) != 0)
                continue;
            known[q] = true;
            offsets[batch] = offset;
            which[batch++] = q;
        }
        ask(object, offsets, which, batch, places);
    }
    spw_free(known);
}

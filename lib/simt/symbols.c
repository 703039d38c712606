/* From places in the program to lines of the source, by addr2line of the binutils (gcc brings them). An
 * inlined function has a line of its own and one of each caller: the innermost outside our headers and
 * the system's is the learner's. */
#define _GNU_SOURCE /* dladdr1, pipe2 */
#include "simt/state.h"

#include "base/memory.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BATCH = 150, LINE = 1024 }; /* what is asked fits into a pipe, and so may wait there */
enum { MOST_OPEN = 64 };           /* descriptors of a runner */

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

/* addr2line as a process: addresses go in, what it says of them comes out. */
typedef struct finder {
    char object[4096]; /* "": there is none */
    int to;
    FILE *from; /* NULL: it has ended */
    pid_t pid;
} finder;
static finder kept;

/* The child becomes addr2line with the first address: most are asked for none. */
static void become_finder(const char *object, int in, int out) {
    struct pollfd input = {0, POLLIN, 0};
    const int nothing = open("/dev/null", O_WRONLY);
    if (dup2(in, 0) != 0 || dup2(out, 1) != 1 || dup2(nothing, 2) != 2) _exit(1);
    for (int k = 3; k < MOST_OPEN; k++) close(k);
    if (poll(&input, 1, -1) == 1 && input.revents & POLLIN)
        execlp("addr2line", "addr2line", "-a", "-i", "-f", "-C", "-e", object, (char *)NULL);
    _exit(1);
}

static bool start(finder *f, const char *object) {
    int to[2], from[2];
    if (strlen(object) >= sizeof f->object || pipe2(to, O_CLOEXEC)) return false;
    if (pipe2(from, O_CLOEXEC)) return close(to[0]), close(to[1]), false;
    /* fork without what libraries have asked to be done in a child: clang's OpenMP writes a file then, which is not allowed */
    const pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    if (pid == 0) become_finder(object, to[0], from[1]);
    *f = (finder){.to = to[1], .from = fdopen(from[0], "r"), .pid = pid};
    snprintf(f->object, sizeof f->object, "%s", object);
    close(to[0]);
    close(from[1]);
    return f->from && f->pid > 0;
}

static void end(finder *f) {
    close(f->to);
    if (f->from) fclose(f->from);
    f->from = NULL;
    /* the one that is kept was started before the filter, which has no waiting: it ends with us */
    if (f->pid > 0 && f != &kept) waitpid(f->pid, NULL, 0);
}

/* What it says: an address "0x...", then function and file:line for each frame. Behind the n comes one that is nowhere:
 * two lines more, and all is said. False: it ended before. */
static bool read_answers(FILE *pipe, const int *which, int n, spw_simt_place *places) {
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
        if (k == n && !expects_function) return true;
        spw_simt_place *place = k >= 0 && k < n ? &places[which[k]] : NULL;
        if (place && expects_function)
            snprintf(function, sizeof function, "%s", line);
        else if (place && place->line == 0) {
            parse(line, place, cwd, sizeof cwd);
            if (place->line)
                snprintf(place->function, sizeof place->function, "%.*s", SPW_SIMT_NAME - 1,
                         function);
        }
        expects_function = !expects_function;
    }
    return false;
}

void spw_simt_keep_finder(const char *object) {
    if (!start(&kept, object)) kept.from = NULL;
}

static void ask(const char *object, const uintptr_t *offsets, const int *which, int n,
                spw_simt_place *places) {
    char text[(BATCH + 1) * 20];
    finder once, *f = *kept.object ? &kept : &once;
    int size = 0;
    if (f == &kept ? !f->from || strcmp(f->object, object) != 0 : !start(f, object)) return;
    for (int k = 0; k <= n; k++)
        size += snprintf(text + size, sizeof text - (size_t)size, "0x%lx\n",
                         k < n ? (unsigned long)offsets[k] : -1UL);
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    const bool told = write(f->to, text, (size_t)size) == size;
    signal(SIGPIPE, before);
    if (!told || !read_answers(f->from, which, n, places) || f == &once) end(f);
}

/* The loaded file that a place is in, and the place within it. */
static bool locate(uintptr_t pc, const char **object, uintptr_t *offset) {
    Dl_info info;
    struct link_map *map = NULL;
    if (!pc || !dladdr1((void *)(pc - 1), &info, (void **)&map, RTLD_DL_LINKMAP) || !map ||
        !map->l_name || !*map->l_name)
        return false; /* the program itself has none */
    *object = map->l_name;
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

/* commands/check_cuda.c -- runs a whole CUDA program, with its main, on the checker. lib/commands/check_cuda.sh calls it:
 *
 *   check_cuda ANSWER FOLDER up|down SECONDS DETAIL NAME [ARGUMENT...]
 *
 * ANSWER is the program, built by lib/simt/compile.sh --check; its main is given NAME and the ARGUMENTs. up: the lanes
 * of a warp run upwards, and traffic is counted; down: downwards. SECONDS: of processor time. What was found is left in
 * FOLDER: the file `findings`, its first line how many; `traffic`; `hint`. DETAIL: 0, or KiB of the perfect cache in what
 * is told besides; then ANSWER.registers, if it is there, has lines "REGISTERS KERNEL", as nvcc tells them.
 *
 * Exit status: the program's own where `findings` is there and says 0; any where it says more. */
#include "commands/command.h"
#include "simt/simt.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT = 1 << 20 };

static const char *folder;
static bool counted, detail;

typedef struct program {
    const char *path;
    int argc;
    char **argv;
} program;

static void leave(const char *name, const char *head, int (*print)(char *, size_t)) {
    static char text[TEXT];
    FILE *file = create_file("check_cuda", folder, name);
    if (!file) return;
    print(text, sizeof text);
    fprintf(file, "%s%s", head, text);
    (void)finish_file("check_cuda", file, folder, name);
}

static int print_hint(char *text, size_t size) {
    return snprintf(text, size, "%s", spw_simt_hint());
}

/* Nothing where no kernel touched memory. */
static int print_traffic(char *text, size_t size) {
    int n = spw_simt_print_traffic(text, size);
    if (!n) return 0;
    n += snprintf(text + n, size - (size_t)n, "%s\n", SPW_SIMT_LEGEND);
    if (detail) {
        n += spw_simt_print_detail(text + n, size - (size_t)n);
        n += snprintf(text + n, size - (size_t)n, "\n");
    }
    return n + spw_simt_print_timeline(text + n, size - (size_t)n);
}

/* The program may leave by exit, in any depth. */
static void tell(void) {
    char head[32];
    spw_simt_stop();
    if (counted) leave("traffic", "", print_traffic);
    leave("hint", "", print_hint);
    snprintf(head, sizeof head, "%d\n", spw_simt_finding_count());
    leave("findings", head, spw_simt_print_findings);
}

/* Its constructors and destructors are host code as its main is. */
static void load_and_call(void *argument) {
    const program *p = argument;
    int (*call)(int, char **) = NULL;
    void *answer = dlopen(p->path, RTLD_NOW | RTLD_LOCAL);
    if (!answer) {
        fprintf(stderr, "check_cuda: %s\n", dlerror());
        _exit(5);
    }
    void *symbol = dlsym(answer, "main");
    if (symbol) memcpy(&call, &symbol, sizeof call);
    exit(call ? call(p->argc, p->argv) : 5);
}

static void read_registers(const char *answer) {
    char path[1024], kernel[256];
    int registers;
    snprintf(path, sizeof path, "%s.registers", answer);
    FILE *file = fopen(path, "r");
    if (!file) return;
    while (fscanf(file, "%d %255[^\n]", &registers, kernel) == 2)
        spw_simt_know_registers(kernel, registers);
    fclose(file);
}

int main(int argc, char **argv) {
    if (argc < 7)
        return complain(
            5, "check_cuda", "%s",
            "usage: check_cuda ANSWER FOLDER up|down SECONDS DETAIL NAME [ARGUMENT...]");
    program p = {argv[1], argc - 6, argv + 6};
    folder = argv[2];
    counted = strcmp(argv[3], "up") == 0;
    detail = counted && atol(argv[5]) > 0;
    if (detail) read_registers(argv[1]);
    const spw_simt_options options = {.detail = detail,
                                      .cache_bytes = detail ? atol(argv[5]) << 10 : 0,
                                      .check = true,
                                      .count = counted,
                                      .descending = !counted,
                                      .limit = atof(argv[4])};
    if (spw_simt_begin(&options) || atexit(tell))
        return complain(5, "check_cuda", "%s", spw_message());
    (void)spw_simt_run(load_and_call, &p);
    fflush(NULL); /* what was found stopped it */
    tell();
    _exit(1);
}

/* cell.c: runs a program that sees no files but some, with limits, and as nobody where it is root.
 *
 *     cell [--user N] [--read PATH]... [--write PATH]... [--files BYTES] [--memory BYTES] [--unlocked] -- PROGRAM [WORD]...
 *     cell --version
 *
 * The first line starts PROGRAM as user and group N, under Landlock (judge/cage.h), and ends with whoever started it.
 * --files: the largest file that it may write; --memory: address space of each process; --unlocked: without Landlock.
 * The second one prints the version of the kernel's Landlock, 0 for none. Status 125 if PROGRAM cannot be started so. */
#define _GNU_SOURCE
#include "judge/cage.h"

#include <errno.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST = 256, CANNOT = 125, CLOSE_RANGE = 436 };

static void leave(const char *what) {
    fprintf(stderr, "cell: %s: %s\n", what, strerror(errno));
    _exit(CANNOT);
}

static void limit(int what, const char *to) {
    const rlim_t value = (rlim_t)strtoull(to, NULL, 10);
    if (setrlimit(what, &(struct rlimit){value, value})) leave("a limit");
}

static void become(const char *user) {
    const uid_t id = (uid_t)strtoul(user, NULL, 10);
    if (setgroups(0, NULL) || setresgid(id, id, id) || setresuid(id, id, id)) leave(user);
}

int main(int argc, char **argv) {
    const char *read[MOST] = {NULL}, *write[MOST] = {NULL}, *user = NULL;
    int n_read = 0, n_write = 0, k = 1;
    bool locked = true;
    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return printf("%d\n", spw_cage_version()) < 0;
    for (; k + 1 < argc && strcmp(argv[k], "--") != 0; k++) {
        const char *option = argv[k];
        if (strcmp(option, "--unlocked") == 0) {
            locked = false;
            continue;
        }
        const char *value = argv[++k];
        if (strcmp(option, "--read") == 0 && n_read < MOST - 1)
            read[n_read++] = value;
        else if (strcmp(option, "--write") == 0 && n_write < MOST - 1)
            write[n_write++] = value;
        else if (strcmp(option, "--user") == 0)
            user = value;
        else if (strcmp(option, "--files") == 0)
            limit(RLIMIT_FSIZE, value);
        else if (strcmp(option, "--memory") == 0)
            limit(RLIMIT_AS, value);
        else
            break;
    }
    if (k + 1 >= argc || strcmp(argv[k], "--") != 0) {
        fprintf(stderr, "cell: %s: not understood, or too many\n", argv[k < argc ? k : argc - 1]);
        return CANNOT;
    }
    limit(RLIMIT_CORE, "0");
    if (user) become(user);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    syscall(CLOSE_RANGE, 3, ~0U, 0);
    if (locked && !spw_cage_close(read, write)) leave("Landlock");
    execvp(argv[k + 1], argv + k + 1);
    leave(argv[k + 1]);
}

#define _GNU_SOURCE /* O_PATH */
#include "judge/cage.h"

#ifdef __linux__
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* As in linux/landlock.h, which older systems lack. These numbers are the same on all machines. */
enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446 };
enum { ASK_VERSION = 1, PATH_BENEATH = 1 };
enum {
    EXECUTE = 1,
    WRITE_FILE = 1 << 1,
    READ_FILE = 1 << 2,
    READ_DIR = 1 << 3,
    OF_VERSION_1 = (1 << 13) - 1,
    REFER = 1 << 13,
    TRUNCATE = 1 << 14,
    IOCTL = 1 << 15
};
typedef struct ruleset {
    uint64_t files, net, scope;
} ruleset;
typedef struct __attribute__((packed)) beneath {
    uint64_t files;
    int32_t folder;
} beneath;

int spw_cage_version(void) {
    const long version = syscall(CREATE_RULESET, NULL, (size_t)0, ASK_VERSION);
    return version > 0 ? (int)version : 0;
}

static bool open_up(int rules, const char *path, uint64_t files) {
    struct stat what;
    const int file = open(path, O_PATH | O_CLOEXEC);
    if (file < 0) return true;
    if (!fstat(file, &what) && !S_ISDIR(what.st_mode))
        files &= EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL;
    const beneath rule = {files, file};
    const bool ok = syscall(ADD_RULE, rules, PATH_BENEATH, &rule, 0) == 0;
    close(file);
    return ok;
}

bool spw_cage_close(const char *const *read, const char *const *write) {
    const int version = spw_cage_version();
    if (!version) return false;
    const uint64_t all = OF_VERSION_1 | (version > 1 ? REFER : 0U) | (version > 2 ? TRUNCATE : 0U) |
                         (version > 4 ? IOCTL : 0U);
    const ruleset handled = {all, 3, 3}; /* bind and connect; sockets without a file, signals */
    const size_t size = version > 5   ? sizeof handled
                        : version > 3 ? offsetof(ruleset, scope)
                                      : offsetof(ruleset, net);
    const int rules = (int)syscall(CREATE_RULESET, &handled, size, 0);
    if (rules < 0) return false;
    bool ok = true;
    for (; read && *read && ok; read++) ok = open_up(rules, *read, EXECUTE | READ_FILE | READ_DIR);
    for (; write && *write && ok; write++) ok = open_up(rules, *write, all);
    ok = ok && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !syscall(RESTRICT_SELF, rules, 0);
    close(rules);
    return ok;
}

#else

int spw_cage_version(void) { return 0; }

bool spw_cage_close(const char *const *read, const char *const *write) {
    (void)read, (void)write;
    return false;
}

#endif

/* The system calls of an answer. */
#define _GNU_SOURCE
#include "judge/filter.h"

#include <stdint.h>
#include <stdio.h>
#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of these older headers do not know the numbers. */
#ifdef __x86_64__
static const uint32_t ARCHITECTURE = AUDIT_ARCH_X86_64;
enum { RSEQ = 334, CLONE3 = 435, FACCESSAT2 = 439 };
#else
static const uint32_t ARCHITECTURE = AUDIT_ARCH_AARCH64;
enum { RSEQ = 293, CLONE3 = 435, FACCESSAT2 = 439 };
#endif

static const int allowed[] = {
    SYS_read,
    SYS_write,
    SYS_writev,
    SYS_close,
    SYS_lseek,
    SYS_pread64,
    SYS_fstat,
    SYS_newfstatat,
    SYS_statx,
    SYS_faccessat,
    SYS_readlinkat,
    SYS_getdents64,
    SYS_getcwd,
    SYS_mmap,
    SYS_mprotect,
    SYS_munmap,
    SYS_mremap,
    SYS_madvise,
    SYS_mincore,
    SYS_msync, /* the checker asks whether there is memory */
    SYS_brk,
    SYS_mbind,
    SYS_set_mempolicy,
    SYS_get_mempolicy,
    SYS_futex,
    SYS_set_robust_list,
    SYS_get_robust_list,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_sched_setaffinity,
    SYS_sched_getparam,
    SYS_sched_getscheduler,
    SYS_sched_get_priority_max,
    SYS_sched_get_priority_min,
    SYS_getcpu,
    SYS_membarrier,
    SYS_nanosleep,
    SYS_clock_nanosleep,
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_gettimeofday,
    SYS_times,
    SYS_getrusage,
    SYS_sysinfo,
    SYS_uname,
    SYS_getrandom,
    SYS_getpid,
    SYS_gettid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_sigaltstack,
    SYS_restart_syscall,
    SYS_ppoll,
    SYS_setitimer,
    SYS_exit,
    SYS_exit_group,
    RSEQ,
    FACCESSAT2,
#ifdef __x86_64__
    SYS_stat,
    SYS_lstat,
    SYS_access,
    SYS_readlink,
    SYS_poll,
    SYS_time,
#endif
};

/* They are refused without noise: libraries try them, and go on without. */
static const int failing[] = {
    SYS_ioctl,      SYS_prctl, SYS_mlock, SYS_munlock,
#ifdef __x86_64__
    SYS_arch_prctl,
#endif
};

enum { MOST = 400 };
static struct sock_filter program[MOST];
static unsigned short used;

static void add(unsigned code, uint32_t k, unsigned char yes, unsigned char no) {
    program[used++] = (struct sock_filter){(unsigned short)code, yes, no, k};
}

static void load(size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0); }

static void give(uint32_t value) { add(BPF_RET | BPF_K, value, 0, 0); }

static void simply(int number, uint32_t value) {
    add(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1);
    give(value);
}

/* number is allowed if argument & mask == value; all within 32 bits. */
static void if_argument(int number, int argument, uint32_t mask, uint32_t value) {
    add(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 5);
    load(offsetof(struct seccomp_data, args) + 8 * (size_t)argument);
    add(BPF_ALU | BPF_AND | BPF_K, mask, 0, 0);
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    give(SECCOMP_RET_ALLOW);
    give(SECCOMP_RET_TRAP);
}

/* Up to where the number of a call is at hand. */
static void begin(void) {
    used = 0;
    load(offsetof(struct seccomp_data, arch));
    add(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    give(SECCOMP_RET_KILL_PROCESS);
    load(offsetof(struct seccomp_data, nr));
}

static bool install(void) {
    const struct sock_fprog all = {used, program};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &all) == 0;
}

bool spw_filter_install(void) {
    const uint32_t changing = O_ACCMODE | O_CREAT | O_TRUNC, self = (uint32_t)getpid();
    begin();
    for (size_t k = 0; k < sizeof allowed / sizeof *allowed; k++)
        simply(allowed[k], SECCOMP_RET_ALLOW);
    for (size_t k = 0; k < sizeof failing / sizeof *failing; k++)
        simply(failing[k], SECCOMP_RET_ERRNO | EPERM);
    /* glibc then takes clone, whose flags are seen */
    simply(CLONE3, SECCOMP_RET_ERRNO | ENOSYS);
    if_argument(SYS_clone, 0, CLONE_THREAD, CLONE_THREAD);
    if_argument(SYS_openat, 2, changing, O_RDONLY);
#ifdef __x86_64__
    if_argument(SYS_open, 1, changing, O_RDONLY);
#endif
    if_argument(SYS_tgkill, 0, UINT32_MAX, self);
    if_argument(SYS_kill, 0, UINT32_MAX, self);
    if_argument(SYS_prlimit64, 2, UINT32_MAX, 0);
    if_argument(SYS_seccomp, 0, UINT32_MAX,
                SECCOMP_SET_MODE_FILTER); /* another one can only refuse more */
    give(SECCOMP_RET_TRAP);
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && install();
}

bool spw_filter_shut_files(void) {
    begin();
    simply(SYS_openat, SECCOMP_RET_ERRNO | EACCES);
#ifdef __x86_64__
    simply(SYS_open, SECCOMP_RET_ERRNO | EACCES);
#endif
    give(SECCOMP_RET_ALLOW);
    return install();
}

static const struct {
    int number;
    const char *name;
} names[] = {{SYS_clone, "fork"},
             {SYS_execve, "exec"},
             {SYS_kill, "kill"},
             {SYS_tgkill, "kill"},
             {SYS_getppid, "getppid"},
             {SYS_openat, "open a file for writing"},
             {SYS_unlinkat, "unlink"},
             {SYS_renameat, "rename"},
             {SYS_mkdirat, "mkdir"},
             {SYS_socket, "socket"},
             {SYS_ptrace, "ptrace"},
             {SYS_process_vm_readv, "process_vm_readv"},
             {SYS_process_vm_writev, "process_vm_writev"},
             {SYS_prlimit64, "setrlimit"},
             {SYS_pipe2, "pipe"},
             {SYS_setsid, "setsid"},
#ifdef __x86_64__
             {SYS_fork, "fork"},
             {SYS_vfork, "vfork"},
             {SYS_open, "open a file for writing"},
             {SYS_unlink, "unlink"},
             {SYS_rename, "rename"},
             {SYS_mkdir, "mkdir"},
             {SYS_pipe, "pipe"},
             {SYS_alarm, "alarm"},
#endif
             {SYS_memfd_create, "memfd_create"}};

const char *spw_filter_name(int number) {
    static char text[32];
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (names[k].number == number) return names[k].name;
    snprintf(text, sizeof text, "system call %d", number);
    return text;
}

#else

bool spw_filter_install(void) { return false; }

bool spw_filter_shut_files(void) { return false; }

const char *spw_filter_name(int number) {
    (void)number;
    return "a system call";
}

#endif

#define _GNU_SOURCE /* process_vm_readv */
#include "judge/runner.h"

#include "base/memory.h"
#include "base/threads.h"
#include "judge/cage.h"
#include "judge/filter.h"
#include "judge/mutants.h"
#include "perf/cpu_time.h"
#include "perf/timer.h"
#include "simt/simt.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ORDERS = 3, REPLIES = 4, FIRST_OTHER = 5, MOST_WORDS = 64 << 10 };
enum { CLOSE_RANGE = 436 }; /* a system call that older headers do not know */
enum { STACK = 8 << 20, GUARD = 256 << 20 };
static const rlim_t CHECKER_DATA = 6LL << 30;
static const double LOADING_SECONDS = 5;

typedef enum kind { LOADED, UNLOADABLE, NO_FILTER, DONE, FAULT, REFUSED } kind;

typedef struct reply {
    uint64_t order;
    kind kind;
    int number; /* of a system call */
    spw_fault fault;
    bool failed;
    char text[1024];
} reply; /* less than PIPE_BUF: whole or not at all */

typedef struct order {
    uint64_t number;
    spw_order work;
    void *context;
} order;

/* --- in the runner ---------------------------------------------------------------------------------- */

static uint64_t current; /* order */

static void say(const reply *what) {
    if (write(REPLIES, what, sizeof *what) != (ssize_t)sizeof *what) _exit(1);
}

static void say_kind(kind what, const char *text) {
    reply r = {.order = current, .kind = what};
    snprintf(r.text, sizeof r.text, "%s", text);
    say(&r);
}

static void tell_fault(const spw_fault *fault) {
    reply r = {.order = current, .kind = FAULT, .fault = *fault};
    say(&r);
}

static void on_refused(int number, siginfo_t *info, void *context) {
    (void)number, (void)context;
    reply r = {.order = current, .kind = REFUSED, .number = info->si_syscall};
    say(&r);
    _exit(1);
}

/* Zeroes a block, the pages that it has for itself by giving them back. */
static void forget(const void *block, size_t bytes) {
    char *at = (char *)(uintptr_t)block, *end = at + bytes;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    char *first = (char *)(((uintptr_t)at + page - 1) / page * page);
    char *last = (char *)((uintptr_t)end / page * page);
    if (first >= last || madvise(first, (size_t)(last - first), MADV_DONTNEED)) first = last = end;
    memset(at, 0, (size_t)((first < end ? first : end) - at));
    if (last < end) memset(last, 0, (size_t)(end - last));
}

static bool is_in_array(const spw_trial *t, const void *block) {
    const char *p = (const char *)block;
    for (int k = 0; k < t->n_arrays; k++) {
        const spw_array *a = &t->arrays[k];
        const int64_t bytes = a->count * a->item;
        if (p >= a->data && p < a->data + bytes) return true;
        if (a->pristine && p >= (char *)a->pristine && p < (char *)a->pristine + bytes) return true;
    }
    return false;
}

/* What the desk expects is nothing to be found here. */
static void forget_expectations(const spw_trial *t) {
    for (int k = 0; k < t->n_arrays; k++) {
        const spw_expectation *e = &t->arrays[k].expectation;
        if (!t->arrays[k].has_expectation || e->count < 1) continue;
        if (!is_in_array(t, e->expected))
            forget(e->expected, (size_t)(e->count * t->arrays[k].item));
        if (e->tolerance && !is_in_array(t, e->tolerance))
            forget(e->tolerance, (size_t)e->count * sizeof *e->tolerance);
    }
    for (int m = 0; m < t->n_mistakes; m++)
        for (int k = 0; k < t->n_arrays; k++)
            if (t->arrays[k].data == t->mistakes[m].array && !is_in_array(t, t->mistakes[m].values))
                forget(t->mistakes[m].values,
                       (size_t)(t->arrays[k].expectation.count * t->arrays[k].item));
    for (int h = 0; h < t->n_hidden; h++)
        if (t->hidden[h].size) forget(t->hidden[h].at, t->hidden[h].size);
}

/* Descriptors ORDERS and REPLIES, and one pipe for all that is printed. */
static void keep_pipes(int orders, int replies, int words) {
    const int nothing = open("/dev/null", O_RDONLY);
    const int from[] = {nothing, words, words, orders, replies};
    int high[5];
    for (int k = 0; k < 5; k++) high[k] = fcntl(from[k], F_DUPFD, 64);
    for (int k = 0; k < 5; k++) dup2(high[k], k);
    const int end = (int)sysconf(_SC_OPEN_MAX);
    if (syscall(CLOSE_RANGE, FIRST_OTHER, ~0U, 0))
        for (int k = FIRST_OTHER; k < end; k++) close(k);
    setvbuf(stdout, NULL, _IOLBF, 0);
}

static void limit(int what, rlim_t to) { setrlimit(what, &(struct rlimit){to, to}); }

static int64_t address_space(void) {
    int64_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return 0;
    if (fscanf(file, "%" SCNd64, &pages) != 1) pages = 0;
    fclose(file);
    return pages * (int64_t)sysconf(_SC_PAGESIZE);
}

static void set_limits(int threads, bool on_checker) {
    const int64_t now = address_space();
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, 0); /* of files: pipes have no size */
    limit(RLIMIT_NOFILE, 64);
    if (on_checker) limit(RLIMIT_DATA, CHECKER_DATA); /* it reserves far more than it uses */
    if (now && !on_checker)
        limit(RLIMIT_AS, (rlim_t)(2 * now + (4LL << 30) + threads * (256LL << 20)));
}

/* A desk that OpenMP has bound to a core would hand that down. */
static void set_affinity(void) {
    cpu_set_t all;
    memset(&all, 0xff, sizeof all);
    if (spw_threads_bound()) sched_setaffinity(0, sizeof all, &all);
}

/* The team is there before the answer is, and whatever the libraries need for it has been opened. */
static void start_team(int threads) {
    int here = 0;
    spw_set_threads(threads);
#pragma omp parallel reduction(+ : here)
    here++;
    if (here < 1) _exit(1);
}

/* Pages of its own for what will be written: after a fork huge pages would be split on the first write. */
static void take_pages(const spw_trial *t) {
    for (int k = 0; k < t->n_arrays; k++) {
        const spw_array *a = &t->arrays[k];
        const size_t bytes = (size_t)(a->count * a->item),
                     room = (bytes + SPW_HUGE_PAGE - 1) / SPW_HUGE_PAGE * SPW_HUGE_PAGE;
        if (a->map || (a->role == SPW_INPUT && !a->fresh) || bytes < SPW_HUGE_FROM) continue;
        char *at = (char *)mmap(a->data, room, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        if (at != a->data) _exit(1);
        madvise(at, room, MADV_HUGEPAGE);
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < a->count; i += 512 / a->item) at[i * a->item] = 0;
    }
}

static void obey(spw_trial *t) {
    order o;
    while (read(ORDERS, &o, sizeof o) == (ssize_t)sizeof o) {
        reply done = {.order = o.number, .kind = DONE};
        current = o.number;
        o.work(t, o.context);
        fflush(stdout);
        if (t && t->failed) {
            done.failed = true;
            snprintf(done.text, sizeof done.text, "%s", t->failure);
        }
        say(&done);
    }
}

/* The answer of a stranger sees its own folder, and what programs need: on the checker that has addr2line beside it. */
static bool close_cage(const char *path) {
    char folder[1024];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    const char *const read[] = {
        "/usr",       "/bin",          "/lib", "/lib64", "/etc/ld.so.cache", "/sys/devices/system",
        "/proc/self", "/proc/cpuinfo", folder, NULL};
    const char *const write[] = {"/dev/null", NULL};
    return spw_cage_close(read, write);
}

static void be_runner(const spw_runner *r, const char *path, const int pipes[3]) {
    signal(SIGPIPE, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    keep_pipes(pipes[0], pipes[1], pipes[2]);
    /* what parent and desk share: a page of zeros in its place, so that nobody stumbles */
    mmap(r->j->shared, sizeof *r->j->shared, PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    spw_mutants_leave();
    set_affinity();
    if (r->t) r->t->answer = r->answer;
    if (r->t) forget_expectations(r->t);
    spw_faults_to(tell_fault);
    sigaction(SIGSYS,
              &(struct sigaction){.sa_sigaction = on_refused, .sa_flags = SA_SIGINFO | SA_ONSTACK},
              NULL);
    start_team(r->t ? r->t->threads : 1);
    if (r->t) take_pages(r->t);
    /* the checker reserves room for the stacks of a GPU's threads, and has lines looked up by a program */
    const bool on_checker = r->t && r->t->part->on_device;
    set_limits(r->j->all_threads, on_checker);
    const bool graded = r->j->options.graded, caged = graded && close_cage(path);
    if (on_checker) spw_simt_keep_finder(path);
    /* there files stay open to be read: its own source, for names of arrays */
    if ((on_checker && graded && !caged) || !spw_filter_install()) {
        say_kind(NO_FILTER, "");
        _exit(1);
    }
    if (r->answer && spw_answer_load(path, r->answer)) {
        say_kind(UNLOADABLE, spw_message());
        _exit(1);
    }
    if ((graded || (r->t && r->t->n_arrays)) && !on_checker) {
        /* A thread that ends itself needs this library, which would be loaded then. */
        (void)dlopen("libgcc_s.so.1", RTLD_LAZY);
        if (!spw_filter_shut_files()) _exit(1);
    }
    say_kind(LOADED, "");
    obey(r->t);
    _exit(0);
}

/* --- starting one ------------------------------------------------------------------------------------ */

/* The thread that forks, and what it is asked for. */
static struct {
    bool lives;
    pthread_mutex_t lock;
    pthread_cond_t change;
    const spw_runner *wanted; /* NULL: nothing */
    const char *path;
    const int *pipes;
    pid_t pid;
} forker = {.lock = PTHREAD_MUTEX_INITIALIZER, .change = PTHREAD_COND_INITIALIZER};

static void *fork_on_demand(void *ignored) {
    (void)ignored;
    pthread_mutex_lock(&forker.lock);
    for (;;) {
        while (!forker.wanted) pthread_cond_wait(&forker.change, &forker.lock);
        forker.pid = fork();
        if (forker.pid == 0) be_runner(forker.wanted, forker.path, forker.pipes);
        forker.wanted = NULL;
        pthread_cond_broadcast(&forker.change);
    }
    return NULL;
}

/* A runner's first thread has the stack of this one: as large as usual, and a wide guard below it. */
static bool start_forker(void) {
    pthread_t thread;
    pthread_attr_t attributes;
    if (forker.lives) return true;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    pthread_attr_setguardsize(&attributes, GUARD);
    forker.lives = pthread_create(&thread, &attributes, fork_on_demand, NULL) == 0;
    pthread_attr_destroy(&attributes);
    return forker.lives;
}

static pid_t fork_runner(const spw_runner *r, const char *path, const int pipes[3]) {
    if (r->in_parent) {
        const pid_t pid = fork();
        if (pid == 0) be_runner(r, path, pipes);
        return pid;
    }
    if (!start_forker()) return -1;
    pthread_mutex_lock(&forker.lock);
    forker.path = path;
    forker.pipes = pipes;
    forker.wanted = r;
    pthread_cond_broadcast(&forker.change);
    while (forker.wanted) pthread_cond_wait(&forker.change, &forker.lock);
    pthread_mutex_unlock(&forker.lock);
    return forker.pid;
}

/* --- at the desk -------------------------------------------------------------------------------------- */

static bool ended(const spw_runner *r, spw_ending how) {
    r->j->shared->ending = how;
    return false;
}

static bool trouble(const spw_runner *r, const char *what) {
    r->j->shared->judge_failed = true;
    snprintf(r->j->shared->text, sizeof r->j->shared->text, "%s: %s", what, strerror(errno));
    return false;
}

/* For the terminal: no control characters, which could write over what stands there. */
static void clean(char *text, size_t length) {
    for (size_t k = 0; k < length; k++)
        if (iscntrl((unsigned char)text[k]) && text[k] != '\n' && text[k] != '\t') text[k] = '?';
}

static void clean_text(char *text, size_t size) {
    text[size - 1] = 0;
    clean(text, strlen(text));
}

/* Passes on what was printed, up to a limit. */
static void pass_words(const spw_runner *r) {
    static int64_t passed;
    char words[4096];
    ssize_t n;
    while ((n = read(r->words, words, sizeof words)) > 0) {
        clean(words, (size_t)n);
        if (passed < MOST_WORDS) fwrite(words, 1, (size_t)n, stdout);
        if (passed < MOST_WORDS && passed + n >= MOST_WORDS)
            fputs("\n(and so on: what your code prints is cut here)\n", stdout);
        passed += n;
    }
    fflush(stdout);
}

/* It is gone: how? */
static bool has_died(spw_runner *r, int status) {
    spw_shared *s = r->j->shared;
    spw_process_gone(r->pid);
    r->pid = -1;
    if (!WIFSIGNALED(status)) return ended(r, SPW_EXITED);
    if (WTERMSIG(status) == SIGSYS) { /* it held signals back, as system and popen do */
        snprintf(s->refused, sizeof s->refused, "start another program");
        return ended(r, SPW_REFUSED);
    }
    s->fault.signal = WTERMSIG(status);
    return ended(r, SPW_CRASHED);
}

static void gone(spw_runner *r) {
    if (r->pid > 0) {
        kill(r->pid, SIGKILL);
        waitpid(r->pid, NULL, 0);
        spw_process_gone(r->pid);
    }
    r->pid = -1;
}

/* What it said, if that was not what was waited for. */
static bool said_otherwise(spw_runner *r, reply *got) {
    spw_shared *s = r->j->shared;
    clean_text(got->text, sizeof got->text);
    clean_text(got->fault.array, sizeof got->fault.array);
    gone(r);
    if (got->order == r->order && got->kind == FAULT) {
        s->fault = got->fault;
        return ended(r, SPW_CRASHED);
    }
    if (got->order == r->order && got->kind == REFUSED) {
        snprintf(s->refused, sizeof s->refused, "%s", spw_filter_name(got->number));
        return ended(r, SPW_REFUSED);
    }
    if (got->kind == UNLOADABLE) snprintf(s->text, sizeof s->text, "%s", got->text);
    if (got->kind == UNLOADABLE) return ended(r, SPW_UNLOADABLE);
    return ended(r, got->kind == NO_FILTER && !r->answer ? SPW_NO_RUNNER : SPW_TALKED);
}

/* So much time has passed. Has it worked in half of it, or waited three times as long? A busy machine is no endless loop. */
static bool is_over(const spw_runner *r, double limit) {
    double all, first;
    spw_runner_cpu(r, &all, &first);
    return all - r->cpu > limit / 2 || r->seconds > 3 * limit;
}

/* Waits until it says so, within the limit. */
static bool wait_for(spw_runner *r, kind what, double limit, reply *got) {
    const double since = r->since;
    for (;;) {
        struct pollfd from[2] = {{r->replies, POLLIN, 0}, {r->words, POLLIN, 0}};
        poll(from, 2, 20);
        const ssize_t n = from[0].revents & POLLIN ? read(r->replies, got, sizeof *got) : 0;
        r->seconds = spw_now() - since;
        if (from[1].revents & POLLIN) pass_words(r);
        if (n == (ssize_t)sizeof *got)
            return (got->kind == what && got->order == r->order) || said_otherwise(r, got);
        if (n > 0) gone(r);
        if (n > 0) return ended(r, SPW_TALKED);
        int status;
        if (from[0].revents & POLLIN) continue;
        if (waitpid(r->pid, &status, WNOHANG | WUNTRACED) == r->pid) {
            if (WIFSTOPPED(status)) gone(r);
            if (WIFSTOPPED(status)) return ended(r, SPW_STOPPED);
            const bool last = read(r->replies, got, sizeof *got) == (ssize_t)sizeof *got;
            return last && got->kind != what ? said_otherwise(r, got) : has_died(r, status);
        }
        if (r->seconds > limit && is_over(r, limit)) {
            (void)spw_runner_fetch(r, &r->j->shared->teams, sizeof r->j->shared->teams);
            gone(r);
            return ended(r, SPW_HUNG);
        }
        if ((from[0].revents | from[1].revents) & (POLLHUP | POLLERR)) poll(NULL, 0, 1);
    }
}

static void thaw(spw_runner *r) {
    double first;
    spw_runner_cpu(r, &r->cpu, &first);
    r->since = spw_now();
    kill(r->pid, SIGCONT);
}

/* Stops it and waits until all threads stand. Has it said more than it was asked? */
static bool stop(spw_runner *r) {
    int status;
    char more;
    kill(r->pid, SIGSTOP);
    if (waitpid(r->pid, &status, WUNTRACED) != r->pid) return trouble(r, "a runner is lost");
    if (!WIFSTOPPED(status)) return has_died(r, status);
    if (read(r->replies, &more, 1) != 1) return true;
    gone(r);
    return ended(r, SPW_TALKED);
}

static bool move(spw_runner *r, char *here, char *at, size_t size, bool there) {
    if (!r->pid && here != at) memcpy(here, at, size);
    while (r->pid && size) {
        const struct iovec ours = {here, size}, theirs = {at, size};
        const ssize_t n = there ? process_vm_writev(r->pid, &ours, 1, &theirs, 1, 0)
                                : process_vm_readv(r->pid, &ours, 1, &theirs, 1, 0);
        if (n <= 0 && (errno == EPERM || errno == ENOSYS)) return ended(r, SPW_NO_RUNNER);
        if (n <= 0) return ended(r, SPW_UNREADABLE);
        here += n;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

/* Inputs that it has pages of its own for. */
static bool put_fresh(spw_runner *r) {
    bool ok = true;
    for (int k = 0; r->t && k < r->t->n_arrays && ok; k++) {
        const spw_array *a = &r->t->arrays[k];
        if (a->fresh && !a->map) ok = move(r, a->data, a->data, (size_t)(a->count * a->item), true);
    }
    return ok;
}

bool spw_runner_start(spw_runner *r, spw_judgement *j, spw_trial *t, spw_answer *answer,
                      const char *path) {
    spw_shared *s = j->shared;
    *r = (spw_runner){.j = j,
                      .t = t,
                      .answer = answer,
                      .limit = j->options.limit,
                      .orders = -1,
                      .replies = -1,
                      .words = -1,
                      .in_parent = !t};
    s->ending = SPW_FINISHED;
    s->loading = false;
    if (j->inside) {
        if (answer->object) return true;
        spw_answer_destroy(answer); /* what was read of it before */
        if (!spw_answer_load(path, answer)) return true;
        snprintf(s->text, sizeof s->text, "%s", spw_message());
        return ended(r, SPW_UNLOADABLE);
    }
    int orders[2] = {-1, -1}, replies[2] = {-1, -1}, words[2] = {-1, -1};
    if (pipe(orders) || pipe(replies) || pipe(words)) return trouble(r, "no pipe for a runner");
    const int theirs[3] = {orders[0], replies[1], words[1]};
    signal(SIGPIPE, SIG_IGN);
    fflush(NULL);
    r->pid = fork_runner(r, path, theirs);
    for (int k = 0; k < 3; k++) close(theirs[k]);
    r->orders = orders[1];
    r->replies = replies[0];
    r->words = words[0];
    fcntl(r->replies, F_SETFL, O_NONBLOCK);
    fcntl(r->words, F_SETFL, O_NONBLOCK);
    if (r->pid < 0) return trouble(r, "cannot start a process");
    reply got;
    s->loading = true;
    r->since = spw_now();
    if (!wait_for(r, LOADED, LOADING_SECONDS, &got)) return false;
    s->loading = false;
    return stop(r) && put_fresh(r);
}

bool spw_runner_order(spw_runner *r, spw_order work, void *context) {
    spw_shared *s = r->j->shared;
    if (!r->pid) {
        const double since = s->call_since = spw_now();
        if (r->t) r->t->answer = r->answer;
        work(r->t, context);
        r->seconds = spw_now() - since;
        s->call_since = 0;
        return true;
    }
    const order o = {++r->order, work, context};
    if (write(r->orders, &o, sizeof o) != (ssize_t)sizeof o) return trouble(r, "a runner is lost");
    thaw(r);
    reply got;
    if (!wait_for(r, DONE, r->limit, &got) || !stop(r)) return false;
    pass_words(r);
    clean_text(got.text, sizeof got.text);
    if (got.failed) spw_trial_fail(r->t, "%s", got.text);
    return true;
}

bool spw_runner_fetch(spw_runner *r, void *at, size_t size) {
    return move(r, (char *)at, (char *)at, size, false);
}

bool spw_runner_fetch_to(spw_runner *r, void *to, const void *at, size_t size) {
    return move(r, (char *)to, (char *)(uintptr_t)at, size, false);
}

bool spw_runner_put(spw_runner *r, const void *at, size_t size) {
    char *same = (char *)(uintptr_t)at;
    return move(r, same, same, size, true);
}

bool spw_runner_fetch_text(spw_runner *r, char *text, size_t size) {
    if (!spw_runner_fetch(r, text, size)) return false;
    if (r->pid) clean_text(text, size);
    return true;
}

bool spw_runner_idle(spw_runner *r, double seconds) {
    if (!r->pid) return true;
    thaw(r);
    nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * seconds)}, NULL);
    return stop(r);
}

void spw_runner_cpu(const spw_runner *r, double *all, double *first) {
    char path[64];
    clockid_t clock;
    long long ran = 0;
    *all = spw_clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
    *first = spw_clock_seconds(CLOCK_THREAD_CPUTIME_ID);
    if (!r->pid || clock_getcpuclockid(r->pid, &clock)) return;
    *all = *first = spw_clock_seconds(clock);
    snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", (int)r->pid, (int)r->pid);
    FILE *file = fopen(path, "r");
    if (!file) return;
    if (fscanf(file, "%lld", &ran) == 1) *first = 1e-9 * (double)ran;
    fclose(file);
}

/* As glibc's mallinfo2 has it. */
typedef struct heap {
    size_t arena, free_blocks, small, mapped_blocks, mapped, most, fast, used, free, at_the_end;
} heap;

int64_t spw_heap_in_use(void) {
    static heap (*ask)(void);
    void *symbol = ask ? NULL : dlsym(RTLD_DEFAULT, "mallinfo2");
    if (!ask) memcpy(&ask, &symbol, sizeof ask); /* as in answer.c */
    if (!ask) return 0;
    const heap now = ask();
    return (int64_t)(now.used + now.mapped);
}

static int64_t kept; /* of these by the last call */

/* teams: of j->shared, which is another one there */
static void call_function(spw_trial *t, void *teams) {
    kept = -spw_heap_in_use();
    spw_teams_count((spw_teams *)teams);
    t->part->call(t, spw_trial_symbol(t, t->part->function));
    spw_teams_count(NULL);
    kept += spw_heap_in_use();
}

/* Outputs, one way or the other. */
static bool move_outputs(spw_runner *r, bool there) {
    bool ok = true;
    for (int k = 0; k < r->t->n_arrays && ok; k++) {
        const spw_array *a = &r->t->arrays[k];
        char *at = a->map ? a->body : a->data;
        const size_t bytes = a->map ? a->body_bytes : (size_t)(a->count * a->item);
        if (a->role != SPW_INPUT) ok = move(r, at, at, bytes, there);
    }
    return ok;
}

bool spw_runner_fetch_outputs(spw_runner *r) {
    bool ok = move_outputs(r, false);
    for (int k = 0; k < r->t->n_results && ok; k++)
        ok = spw_runner_fetch(r, r->t->results[k].at, r->t->results[k].size);
    if (ok && r->t->part->derive) r->t->part->derive(r->t);
    return ok;
}

bool spw_runner_call(spw_runner *r, spw_poison poison) {
    spw_teams *teams = &r->j->shared->teams;
    spw_trial_prepare(r->t, poison);
    return move_outputs(r, true) && spw_runner_order(r, call_function, teams) &&
           spw_runner_fetch(r, teams, sizeof *teams) &&
           spw_runner_fetch_to(r, &r->kept, &kept, sizeof kept) && spw_runner_fetch_outputs(r);
}

void spw_runner_end(spw_runner *r) {
    gone(r);
    if (r->words >= 0) pass_words(r);
    const int ours[] = {r->orders, r->replies, r->words};
    for (int k = 0; k < 3; k++)
        if (ours[k] >= 0) close(ours[k]);
    r->orders = r->replies = r->words = -1;
}

static bool comes_up(spw_judgement *j, spw_answer *answer) {
    spw_runner r;
    uint64_t word = 0;
    const bool ok = spw_runner_start(&r, j, NULL, answer, j->options.answer) &&
                    spw_runner_fetch(&r, &word, sizeof word) &&
                    spw_runner_put(&r, &word, sizeof word);
    spw_runner_end(&r);
    return ok;
}

bool spw_runner_try(spw_judgement *j, spw_ending *ending) {
    /* What the kernel refuses is seen in a runner without an answer: what one with it says is testimony. */
    bool ok = j->inside || comes_up(j, NULL);
    const bool refused = !ok && j->shared->ending == SPW_NO_RUNNER;
    if (refused && j->options.graded) {
        j->shared->judge_failed = true;
        snprintf(j->shared->text, sizeof j->shared->text,
                 "The kernel refuses what the answer of a stranger needs: filters of system calls, "
                 "of CUDA\ncode Landlock, or process_vm_readv (kernel.yama.ptrace_scope may be 1, "
                 "not more).");
    } else {
        j->inside = j->inside || refused;
        ok = comes_up(j, &j->answer);
    }
    *ending = j->shared->ending;
    return ok;
}

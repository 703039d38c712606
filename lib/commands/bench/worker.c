#include "commands/bench/worker.h"

#include "perf/timer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static const double START_SECONDS = 60, END_SECONDS = 5;

static void wait_a_little(void) {
    const struct timespec pause = {.tv_nsec = 10000000};
    nanosleep(&pause, NULL);
}

/* --- its end -------------------------------------------------------------------------------------- */

/* Waits for it; *status as of waitpid. false: it still runs. */
static bool has_ended(const worker *w, double seconds, int *status) {
    const double until = spw_now() + seconds;
    for (;;) {
        if (waitpid(w->pid, status, WNOHANG) != 0) return true;
        if (spw_now() >= until) return false;
        wait_a_little();
    }
}

static void close_channel(worker *w) {
    char path[1100];
    for (int r = 0; r < w->ranks; r++) {
        if (w->requests[r] >= 0) close(w->requests[r]);
        snprintf(path, sizeof path, "%s.%d.in", w->channel, r);
        unlink(path);
    }
    if (w->replies >= 0) close(w->replies);
    snprintf(path, sizeof path, "%s.out", w->channel);
    unlink(path);
}

/* mpirun passes SIGTERM on to its ranks; those would outlive a SIGKILL. */
static void end_by_force(const worker *w) {
    int status;
    kill(-w->pid, SIGTERM);
    if (has_ended(w, END_SECONDS, &status)) return;
    kill(-w->pid, SIGKILL);
    (void)has_ended(w, END_SECONDS, &status);
}

/* It is out, and the line says why. */
static worker_answer lose(worker *w, const char *request, const char *why) {
    printf("  %s is left out from here on: %s at '%s'\n", w->name, why, request);
    fflush(stdout);
    w->gone = true;
    close_channel(w);
    return WORKER_GONE;
}

static worker_answer lose_dead(worker *w, const char *request, int status) {
    char why[64];
    if (WIFSIGNALED(status))
        snprintf(why, sizeof why, "it died of signal %d, %s,", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(why, sizeof why, "it ended with status %d", WEXITSTATUS(status));
    return lose(w, request, why);
}

static worker_answer lose_hung(worker *w, const char *request) {
    char why[64];
    snprintf(why, sizeof why, "no answer within %.0f s", w->limit);
    end_by_force(w);
    return lose(w, request, why);
}

void worker_kill(const worker *w) {
    if (w->started && !w->gone) kill(-w->pid, SIGTERM);
}

void worker_end(worker *w) {
    int status;
    if (!w->started || w->gone) return;
    close_channel(w); /* at the end of its requests it ends by itself */
    if (!has_ended(w, END_SECONDS, &status)) end_by_force(w);
    w->gone = true;
}

/* --- its start ------------------------------------------------------------------------------------ */

static int make_channel(worker *w) {
    char path[1100];
    for (int r = 0; r < w->ranks; r++) {
        w->requests[r] = -1;
        snprintf(path, sizeof path, "%s.%d.in", w->channel, r);
        if (mkfifo(path, 0600)) return -1;
    }
    snprintf(path, sizeof path, "%s.out", w->channel);
    if (mkfifo(path, 0600)) return -1;
    w->replies = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    return w->replies < 0 ? -1 : 0;
}

/* One thread a rank. An MPI that is asked to start by root, as in a container, refuses otherwise. */
static int spawn(worker *w, const char *folder, int threads) {
    char command[2048], program[1100], number[2][16];
    snprintf(program, sizeof program, "%s/%s", folder, w->name);
    snprintf(command, sizeof command,
             "export OMP_NUM_THREADS=%d RANKS=%d KMP_BLOCKTIME=1 OMPI_ALLOW_RUN_AS_ROOT=1 "
             "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; exec %s \"$0\" \"$@\" </dev/null >\"$0.log\" 2>&1",
             w->ranks > 1 ? 1 : threads, w->ranks, w->run);
    snprintf(number[0], sizeof number[0], "%d", threads);
    snprintf(number[1], sizeof number[1], "%d", w->ranks);
    char *argv[] = {"sh", "-c", command, program, w->channel, number[0], number[1], NULL};
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    const int error = posix_spawn(&w->pid, "/bin/sh", NULL, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    return error;
}

/* Each rank opens its end when it has started. */
static worker_answer wait_for_ranks(worker *w) {
    const double until = spw_now() + START_SECONDS;
    char path[1100];
    int status;
    for (int r = 0; r < w->ranks; r++) {
        snprintf(path, sizeof path, "%s.%d.in", w->channel, r);
        while ((w->requests[r] = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)) < 0) {
            if (has_ended(w, 0, &status)) return lose_dead(w, "start", status);
            if (spw_now() > until) return lose_hung(w, "start");
            wait_a_little();
        }
        fcntl(w->requests[r], F_SETFL, O_WRONLY);
    }
    return WORKER_OK;
}

int worker_start(worker *w, const char *folder, const char *place, int threads, double limit) {
    char reply[WORKER_LINE];
    if (w->started) return w->gone;
    w->started = true;
    w->gone = true;
    w->limit = limit;
    w->ranks = w->one_a_thread ? threads : 1;
    if (w->ranks > WORKER_RANKS_MAX) w->ranks = WORKER_RANKS_MAX;
    signal(SIGPIPE, SIG_IGN); /* a write to one that has died fails, and that is all */
    snprintf(w->channel, sizeof w->channel, "%s/%s", place, w->name);
    if (make_channel(w) || spawn(w, folder, threads)) {
        printf("  %s is left out: it cannot be started: %s\n", w->name, strerror(errno));
        return 1;
    }
    w->gone = false;
    if (wait_for_ranks(w) != WORKER_OK || worker_ask(w, reply, "hello") != WORKER_OK) return 1;
    printf("  %s\n", reply);
    return 0;
}

/* --- requests ------------------------------------------------------------------------------------- */

/* Takes a whole line out of what has come, if there is one. */
static bool take_line(worker *w, char line[WORKER_LINE]) {
    char *end = memchr(w->line, '\n', w->filled);
    if (!end) return false;
    const size_t length = (size_t)(end - w->line);
    memcpy(line, w->line, length);
    line[length] = '\0';
    w->filled -= length + 1;
    memmove(w->line, end + 1, w->filled);
    return true;
}

static worker_answer wait_for_line(worker *w, const char *request, char line[WORKER_LINE]) {
    const double until = spw_now() + w->limit;
    while (!take_line(w, line)) {
        struct pollfd reply = {.fd = w->replies, .events = POLLIN};
        int status;
        (void)poll(&reply, 1, 100);
        if (reply.revents & POLLIN) {
            const ssize_t n = read(w->replies, w->line + w->filled, sizeof w->line - w->filled);
            if (n > 0) {
                w->filled += (size_t)n;
                continue;
            }
        }
        /* Nobody writes any more: it is about to end. */
        const double patience = reply.revents & POLLHUP ? END_SECONDS : 0;
        if (has_ended(w, patience, &status)) return lose_dead(w, request, status);
        if (spw_now() > until || patience > 0) return lose_hung(w, request);
    }
    return WORKER_OK;
}

worker_answer worker_ask(worker *w, char reply[WORKER_LINE], const char *format, ...) {
    char request[WORKER_LINE], line[WORKER_LINE];
    va_list args;
    *reply = '\0';
    if (w->gone) return WORKER_GONE;
    va_start(args, format);
    vsnprintf(request, sizeof request - 1, format, args);
    va_end(args);
    const size_t length = strlen(request);
    memcpy(line, request, length);
    line[length] = '\n';
    for (int r = 0; r < w->ranks; r++)
        (void)!write(w->requests[r], line, length + 1); /* if it is dead, it will not answer */
    if (wait_for_line(w, request, line) != WORKER_OK) return WORKER_GONE;
    const bool yes = strncmp(line, "ok", 2) == 0, no = strncmp(line, "no ", 3) == 0;
    if (!yes && !no) {
        end_by_force(w);
        return lose(w, request, "an answer that is none");
    }
    snprintf(reply, WORKER_LINE, "%s", line[2] ? line + 3 : "");
    return yes ? WORKER_OK : WORKER_NO;
}

/* Runs work in a child process, watches it, and puts its ending, or that of a runner (runner.h), into words. */
#define _GNU_SOURCE /* the registers in ucontext.h */

#include "perf/timer.h"
#include "judge/explain.h"
#include "judge/judge.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { FAULT_EXIT = 77, SANITIZER_EXIT = 86, ALTERNATE_STACK = 64 << 10 };

/* The handler has no other way to learn where it is. */
static spw_shared *shared;
static void (*tell)(const spw_fault *);
static const spw_trial *watched;

void spw_watch(const spw_trial *t) { watched = t; }

/* Defaults for builds with sanitizers: our own fault handler, and an exit status to know them by. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_abort=0:exitcode=86:detect_leaks="
           "0";
}

const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void) { return "print_stacktrace=0:exitcode=86"; }

const char *__tsan_default_options(void);
const char *__tsan_default_options(void) {
    return "handle_segv=0:exitcode=86:halt_on_error=1:ignore_noninstrumented_modules=1";
}

static int write_flag(const ucontext_t *context) {
#if defined(__linux__) && defined(__x86_64__)
    return (context->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#else
    (void)context;
    return -1;
#endif
}

static const char *stack_pointer(const ucontext_t *context) {
#if defined(__linux__) && defined(__x86_64__)
    return (const char *)context->uc_mcontext.gregs[REG_RSP];
#elif defined(__linux__) && defined(__aarch64__)
    return (const char *)context->uc_mcontext.sp;
#else
    (void)context;
    return NULL;
#endif
}

/* Does an index of the value that arrays of indices hold before a call, or a little more, lead there? */
static bool is_garbage(const char *address) {
    for (int k = 0; watched && k < watched->n_arrays; k++) {
        const spw_array *a = &watched->arrays[k];
        const int64_t index = (address - a->data) / a->item - spw_poison_index();
        if (index >= -1 && index <= a->count) return true;
    }
    return false;
}

static void on_fault(int number, siginfo_t *info, void *context) {
    spw_fault found = {0}, *fault = &found;
    const char *address = (const char *)info->si_addr;
    if (number == SIGSEGV || number == SIGBUS) {
        const spw_array *a = watched ? spw_trial_find(watched, address, &fault->index) : NULL;
        const char *sp = stack_pointer((const ucontext_t *)context);
        fault->is_write = write_flag((const ucontext_t *)context);
        if (a) {
            fault->known = 1;
            fault->is_input = a->role == SPW_INPUT;
            fault->count = a->count;
            memcpy(fault->array, a->name, sizeof fault->array);
        } else {
            /* An address that no pointer can have comes from the kernel as 0; so does one that an instruction for
             * aligned data cannot take. */
            fault->is_unknown = info->si_code == SI_KERNEL;
            fault->is_null = !fault->is_unknown && (uintptr_t)address < 65536;
            fault->is_garbage = !fault->is_unknown && is_garbage(address);
            fault->is_stack = sp && address > sp - (64 << 10) && address < sp + (64 << 10);
        }
    }
    fault->signal = number;
    tell(fault);
    _exit(FAULT_EXIT);
}

static void tell_parent(const spw_fault *fault) { shared->fault = *fault; }

void spw_faults_to(void (*to)(const spw_fault *)) {
    tell = to;
    /* A stack of its own: running out of stack is one of the faults. */
    static char stack[ALTERNATE_STACK];
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t k = 0; k < sizeof signals / sizeof signals[0]; k++)
        sigaction(signals[k], &action, NULL);
}

void spw_process_gone(pid_t pid) {
    char name[64];
    snprintf(name, sizeof name, "/dev/shm/__KMP_REGISTERED_LIB_%d_%d", (int)pid, (int)getuid());
    unlink(name);
}

spw_ending spw_supervise(spw_judgement *j, void (*work)(spw_judgement *)) {
    shared = j->shared;
    shared->call_since = 0;
    shared->finished = false;
    shared->ending = SPW_FINISHED;
    shared->loading = false;
    shared->fault = (spw_fault){0};
    fflush(NULL);
    const pid_t child = fork();
    if (child < 0) {
        shared->judge_failed = true;
        snprintf(shared->text, sizeof shared->text, "cannot start a process: %s", strerror(errno));
        return SPW_FINISHED;
    }
    if (child == 0) {
#ifdef __linux__
        prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
        spw_faults_to(tell_parent);
        work(j);
        shared->finished = true;
        fflush(NULL);
        _exit(0);
    }

    int status = 0;
    bool hung = false;
    while (waitpid(child, &status, WNOHANG) == 0) {
        const double since = shared->call_since;
        if (since > 0 && spw_now() - since > j->options.limit) {
            hung = true;
            kill(child, SIGKILL);
        }
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    spw_process_gone(child);
    if (shared->finished && !hung) return shared->ending;
    if (hung) return SPW_HUNG;
    if (WIFSIGNALED(status)) {
        shared->fault.signal = WTERMSIG(status);
        return SPW_CRASHED;
    }
    if (shared->fault.signal) return SPW_CRASHED;
    return WEXITSTATUS(status) == SANITIZER_EXIT ? SPW_SANITIZER : SPW_EXITED;
}

void spw_call(spw_judgement *j, spw_trial *t, spw_function f) {
    spw_teams_count(&j->shared->teams);
    j->shared->call_since = spw_now();
    t->part->call(t, f);
    j->shared->call_since = 0;
    spw_teams_count(NULL);
    if (t->part->derive) t->part->derive(t);
}

bool spw_all_did_all(const spw_judgement *j, const spw_teams *teams) {
    return teams->regions > 0 && teams->undivided == teams->regions &&
           !spw_answer_divides(j->options.answer);
}

static void explain_fault(const spw_fault *f, char *text, size_t size) {
    const char *did = f->is_write > 0 ? "wrote" : f->is_write == 0 ? "read" : "used";
    if (f->signal == SIGSEGV || f->signal == SIGBUS) {
        if (f->known && f->is_input && f->index >= 0 && f->index < f->count)
            snprintf(text, size, "wrote to %s[%lld]: an input, it must stay as it is", f->array,
                     (long long)f->index);
        else if (f->known && f->index < 0)
            snprintf(text, size, "%s %s[%lld]: before the beginning of %s", did, f->array,
                     (long long)f->index, f->array);
        else if (f->known)
            snprintf(text, size, "%s %s[%lld]: the array has %lld %s", did, f->array,
                     (long long)f->index, (long long)f->count, f->count == 1 ? "entry" : "entries");
        else if (f->is_null)
            snprintf(text, size,
                     "%s through a null pointer: never set, or overwritten beside a\n"
                     "local array that is too small?",
                     did);
        else if (f->is_garbage)
            snprintf(text, size,
                     "used an index that is garbage (%d), made of\n"
                     "what was not written before: the array that it comes from was never set",
                     (int)spw_poison_index());
        else if (f->is_stack)
            snprintf(text, size, "ran out of stack: a large local array, or endless recursion?");
        else if (f->is_write < 0)
            snprintf(text, size, "crashed in one of the threads: out of stack, or a wild pointer?");
        else
            snprintf(text, size,
                     "used a pointer that points nowhere: an index far outside its array, or made "
                     "of\nwhat was not written before, or overwritten beside a local array that is "
                     "too small?%s",
                     f->is_unknown
                         ? "\nOr is it an aligned or a streaming load or store of a vector, at an "
                           "address "
                           "that is no\nmultiple of the vector's size? Arrays begin at any entry."
                         : "");
    } else if (f->signal == SIGFPE) {
        snprintf(text, size, "divided an integer by zero");
    } else if (f->signal == SIGILL) {
        snprintf(text, size,
                 "met an instruction that this processor lacks: build with OPT=-O3? Or a trap: a\n"
                 "compiler puts one where the code can have no meaning");
    } else if (f->signal == SIGABRT) {
        snprintf(text, size, "stopped itself: abort, a failed assert, or free of a damaged block");
    } else {
        snprintf(text, size, "was ended by signal %d (%s)", f->signal, strsignal(f->signal));
    }
}

/* It came to no call at all. */
static void explain_loading(const spw_judgement *j, spw_ending ending, char *text, size_t size) {
    char what[320] = "stopped itself";
    if (ending == SPW_CRASHED) explain_fault(&j->shared->fault, what, sizeof what);
    if (ending == SPW_HUNG) strcpy(what, "did not come to its end");
    if (ending == SPW_EXITED) strcpy(what, "ended the program");
    if (ending == SPW_REFUSED) snprintf(what, sizeof what, "tried to %s", j->shared->refused);
    snprintf(text, size,
             "it %s while it was being loaded.\n"
             "Something in it runs before any of its functions is called: a constructor",
             what);
}

void spw_explain_ending(const spw_judgement *j, spw_ending ending, char *text, size_t size) {
    const spw_part *part = &j->exercise->parts[j->shared->part];
    const char *function =
        j->shared->stage == SPW_MODEL && part->model ? part->model : part->function;
    char what[320];
    if (j->shared->loading && ending != SPW_UNLOADABLE) {
        explain_loading(j, ending, text, size);
        return;
    }
    switch (ending) {
    case SPW_FINISHED: text[0] = 0; break;
    case SPW_HUNG:
        snprintf(text, size, "%s did not return within %.3g s: an endless loop?", function,
                 j->options.limit);
        break;
    case SPW_CRASHED: {
        const spw_fault *f = &j->shared->fault;
        const bool beyond = j->shared->beyond && f->known && f->index >= f->count &&
                            (uint64_t)(f->count - j->shared->beyond_count) <= 1;
        explain_fault(f, what, sizeof what);
        snprintf(text, size, "%s %s%s%s", function, what, beyond ? "\n" : "",
                 beyond ? j->shared->beyond : "");
        break;
    }
    case SPW_EXITED: snprintf(text, size, "%s called exit and ended the program", function); break;
    case SPW_SANITIZER:
        snprintf(text, size, "the sanitizer stopped %s; its words stand above", function);
        break;
    case SPW_REFUSED:
        snprintf(text, size, "%s tried to %s: here it may compute and print, no more", function,
                 j->shared->refused);
        break;
    case SPW_STOPPED:
        snprintf(text, size, "%s stopped itself with a signal, and nobody would wake it", function);
        break;
    case SPW_TALKED:
        snprintf(text, size, "%s wrote to the pipe that the judge is told by when a call is over",
                 function);
        break;
    case SPW_UNREADABLE:
        snprintf(text, size, "%s left its outputs so protected that nobody can read them",
                 function);
        break;
    case SPW_UNLOADABLE:
    case SPW_NO_RUNNER: break; /* text says why */
    }
}

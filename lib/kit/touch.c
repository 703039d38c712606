/* Which thread touches each page of an array first: page protection and the signal that it raises. */
#include "kit/touch.h"

#include "base/memory.h"
#include "base/threads.h"

#include <assert.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A signal handler gets no context, so what it needs is global. Set while a watch is on. */
static spw_touch *watched;
static struct sigaction former;

static int this_task(void)
{
    return (int)syscall(SYS_gettid); /* gettid() itself came to glibc late */
}

static void on_access(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    const char *at = info->si_addr, *begin = (const char *)watched->array;
    if (at < begin || at >= begin + watched->pages * watched->page_size) {
        sigaction(SIGSEGV, &former, NULL); /* a real fault: it is raised again on return */
        return;
    }
    const int64_t page = (at - begin) / watched->page_size;
    int nobody = SPW_TOUCH_NOBODY;
    __atomic_compare_exchange_n(&watched->owner[page], &nobody, this_task(), 0, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    mprotect((char *)watched->array + page * watched->page_size, (size_t)watched->page_size,
             PROT_READ | PROT_WRITE);
}

spw_status spw_touch_create(int64_t pages, int threads, spw_touch *watch)
{
    *watch = (spw_touch){0};
    if (pages < 1 || threads < 1) {
        return spw_error(SPW_ERR_ARG, "cannot watch %lld pages and %d threads", (long long)pages,
                         threads);
    }
    const int64_t page_size = sysconf(_SC_PAGESIZE);
    spw_touch w = {.pages = pages,
                   .page_size = page_size,
                   .n = pages * (page_size / (int64_t)sizeof(double)),
                   .threads = threads};
    spw_status status = SPW_ALLOC(&w.owner, pages);
    if (!status) status = SPW_ALLOC(&w.task, threads);
    if (status) goto done;
    w.array = mmap(NULL, (size_t)(pages * page_size), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (w.array == MAP_FAILED) {
        w.array = NULL;
        status = spw_error(SPW_ERR_MEMORY, "no room for %lld pages", (long long)pages);
    }
done:
    if (status) {
        spw_touch_destroy(&w);
    } else {
        *watch = w;
    }
    return status;
}

void spw_touch_begin(spw_touch *watch)
{
    assert(!watched);
    for (int64_t p = 0; p < watch->pages; p++) watch->owner[p] = SPW_TOUCH_NOBODY;
    for (int i = 0; i < watch->threads; i++) watch->task[i] = 0;
    spw_set_threads(watch->threads);
#pragma omp parallel
    {
        if (spw_thread() < watch->threads) watch->task[spw_thread()] = this_task();
    }
    watched = watch;
    /* On the alternate stack where the thread has one: the former handler may have to report that the
     * stack is full. */
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    action.sa_sigaction = on_access;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &former);
    mprotect(watch->array, (size_t)(watch->pages * watch->page_size), PROT_NONE);
}

void spw_touch_end(spw_touch *watch)
{
    assert(watched == watch);
    mprotect(watch->array, (size_t)(watch->pages * watch->page_size), PROT_READ | PROT_WRITE);
    sigaction(SIGSEGV, &former, NULL);
    watched = NULL;
    for (int64_t p = 0; p < watch->pages; p++) {
        const int task = watch->owner[p];
        if (task == SPW_TOUCH_NOBODY) continue;
        watch->owner[p] = SPW_TOUCH_STRANGER;
        for (int i = 0; i < watch->threads; i++) {
            if (watch->task[i] == task) watch->owner[p] = i;
        }
    }
}

int spw_touch_only_owner(const spw_touch *watch)
{
    int only = SPW_TOUCH_NOBODY;
    for (int64_t p = 0; p < watch->pages; p++) {
        if (watch->owner[p] == SPW_TOUCH_NOBODY) continue;
        if (only != SPW_TOUCH_NOBODY && watch->owner[p] != only) return -1;
        only = watch->owner[p];
    }
    return only >= 0 ? only : -1;
}

void spw_touch_destroy(spw_touch *watch)
{
    if (!watch) return;
    if (watch->array) munmap(watch->array, (size_t)(watch->pages * watch->page_size));
    spw_free(watch->owner);
    spw_free(watch->task);
    *watch = (spw_touch){0};
}

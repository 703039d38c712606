/* Accesses to pages: page protection, and the signal that it raises. */
#include "kit/pages.h"

#include "base/memory.h"
#include "base/threads.h"

#include <assert.h>
#include <math.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A signal handler gets no context, so what it needs is global. Set while a watch is on. */
static spw_pages *watched;
static struct sigaction former;
static int locked;

static int this_task(void) {
    return (int)syscall(SYS_gettid); /* gettid() itself came to glibc late */
}

static void protect(const spw_pages *w, int k, int64_t page, int64_t pages, int how) {
    mprotect((char *)w->vector[k] + page * w->page_size, (size_t)(pages * w->page_size), how);
}

static void open_page(spw_pages *w, int k, int64_t page) {
    const int64_t first = k * w->pages;
    if (w->open[first + page]) return; /* another thread was faster */
    if (w->owner[first + page] == SPW_PAGES_NOBODY) w->owner[first + page] = this_task();
    if (w->open_at_a_time > 0) {
        int64_t *place = &w->queue[k * w->open_at_a_time + w->fetched[k] % w->open_at_a_time];
        if (w->fetched[k] >= w->open_at_a_time) {
            protect(w, k, *place, 1, PROT_NONE);
            w->open[first + *place] = 0;
        }
        *place = page;
    }
    w->fetched[k]++;
    w->open[first + page] = 1;
    protect(w, k, page, 1, PROT_READ | PROT_WRITE);
}

static void on_access(int number, siginfo_t *info, void *context) {
    (void)number, (void)context;
    for (int k = 0; k < watched->vectors; k++) {
        const int64_t at = (const char *)info->si_addr - (const char *)watched->vector[k];
        if (at < 0 || at >= watched->pages * watched->page_size) continue;
        while (__atomic_exchange_n(&locked, 1, __ATOMIC_ACQUIRE)) {
        }
        if (!watched->first) watched->first = this_task();
        watched->several = watched->several || watched->first != this_task();
        open_page(watched, k, at / watched->page_size);
        __atomic_store_n(&locked, 0, __ATOMIC_RELEASE);
        return;
    }
    sigaction(SIGSEGV, &former, NULL); /* a real fault: it is raised again on return */
}

spw_status spw_pages_create(int vectors, int64_t pages, int64_t open_at_a_time, int threads,
                            spw_pages *watch) {
    *watch = (spw_pages){0};
    if (vectors < 1 || vectors > SPW_PAGES_VECTORS)
        return spw_error(SPW_ERR_ARG, "cannot watch %d vectors: 1 to %d", vectors,
                         SPW_PAGES_VECTORS);
    if (pages < 1 || threads < 1 || open_at_a_time < 0)
        return spw_error(SPW_ERR_ARG, "cannot watch %lld pages and %d threads", (long long)pages,
                         threads);
    spw_pages w = {.vectors = vectors,
                   .threads = threads,
                   .pages = pages,
                   .page_size = sysconf(_SC_PAGESIZE),
                   .open_at_a_time = open_at_a_time};
    w.n = pages * (w.page_size / (int64_t)sizeof(double));
    spw_status status = SPW_ALLOC(&w.owner, pages * vectors);
    if (!status) status = SPW_ALLOC(&w.open, pages * vectors);
    if (!status) status = SPW_ALLOC(&w.queue, open_at_a_time * vectors);
    if (!status) status = SPW_ALLOC(&w.task, threads);
    for (int k = 0; k < vectors && !status; k++) {
        void *block = mmap(NULL, (size_t)(pages * w.page_size), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (block == MAP_FAILED)
            status = spw_error(SPW_ERR_MEMORY, "no room for %d vectors of %lld pages", vectors,
                               (long long)pages);
        else
            w.vector[k] = (double *)block;
    }
    if (status)
        spw_pages_destroy(&w);
    else
        *watch = w;
    return status;
}

void spw_pages_begin(spw_pages *watch) {
    assert(!watched);
    for (int64_t p = 0; p < watch->pages * watch->vectors; p++) {
        watch->owner[p] = SPW_PAGES_NOBODY;
        watch->open[p] = 0;
    }
    for (int i = 0; i < watch->threads; i++) watch->task[i] = 0;
    watch->first = 0;
    watch->several = false;
    watch->threads_before = spw_max_threads();
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
    for (int k = 0; k < watch->vectors; k++) {
        watch->fetched[k] = 0;
        protect(watch, k, 0, watch->pages, PROT_NONE);
    }
}

void spw_pages_end(spw_pages *watch) {
    assert(watched == watch);
    for (int k = 0; k < watch->vectors; k++) {
        protect(watch, k, 0, watch->pages, PROT_READ | PROT_WRITE);
        watch->passes[k] = 0.5 * round(2.0 * (double)watch->fetched[k] / (double)watch->pages);
    }
    sigaction(SIGSEGV, &former, NULL);
    watched = NULL;
    spw_set_threads(watch->threads_before);
    for (int64_t p = 0; p < watch->pages * watch->vectors; p++) {
        const int task = watch->owner[p];
        if (task == SPW_PAGES_NOBODY) continue;
        watch->owner[p] = SPW_PAGES_STRANGER;
        for (int i = 0; i < watch->threads; i++)
            if (watch->task[i] == task) watch->owner[p] = i;
    }
}

int spw_pages_only_owner(const spw_pages *watch) {
    int only = SPW_PAGES_NOBODY;
    for (int64_t p = 0; p < watch->pages * watch->vectors; p++) {
        if (watch->owner[p] == SPW_PAGES_NOBODY) continue;
        if (only != SPW_PAGES_NOBODY && watch->owner[p] != only) return -1;
        only = watch->owner[p];
    }
    return only >= 0 ? only : -1;
}

enum { PAGES_A_THREAD = 16, MOST_CALLS = 3 };

int64_t spw_pages_shared(int threads) {
    return PAGES_A_THREAD * threads * (int64_t)sysconf(_SC_PAGESIZE) / (int64_t)sizeof(double);
}

spw_status spw_pages_sole_owner(int threads, void (*work)(void *context, double *array),
                                void *context, int *only) {
    spw_pages watch;
    *only = -1;
    const spw_status status =
        spw_pages_create(1, PAGES_A_THREAD * threads, threads, threads, &watch);
    if (status) return status;
    for (int k = 0; k < MOST_CALLS && (k == 0 || *only >= 0); k++) {
        spw_pages_begin(&watch);
        work(context, watch.vector[0]);
        spw_pages_end(&watch);
        *only = watch.several ? -1 : spw_pages_only_owner(&watch);
    }
    spw_pages_destroy(&watch);
    return SPW_OK;
}

void spw_pages_destroy(spw_pages *watch) {
    if (!watch) return;
    for (int k = 0; k < SPW_PAGES_VECTORS; k++)
        if (watch->vector[k]) munmap(watch->vector[k], (size_t)(watch->pages * watch->page_size));
    spw_free(watch->owner);
    spw_free(watch->open);
    spw_free(watch->queue);
    spw_free(watch->task);
    *watch = (spw_pages){0};
}

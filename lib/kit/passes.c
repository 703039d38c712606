/* How often a kernel fetches its vectors: page protection, and a queue of open pages for each vector. */
#include "kit/passes.h"

#include "base/threads.h"

#include <assert.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A signal handler gets no context, so what it needs is global. Set while a watch is on. */
static spw_passes *watched;
static struct sigaction former;
static int64_t page_size;
static int locked; /* a kernel may bring threads of its own */

static void protect(double *vector, int page, int pages, int how)
{
    mprotect((char *)vector + page * page_size, (size_t)(pages * page_size), how);
}

static void open_page(spw_passes *w, int k, int page)
{
    int *open = w->open[k];
    for (int j = 0; j < w->n_open[k]; j++)
        if (open[j] == page) return; /* another thread was faster */
    if (w->n_open[k] == SPW_PASSES_OPEN) {
        protect(w->vector[k], open[0], 1, PROT_NONE);
        for (int j = 1; j < SPW_PASSES_OPEN; j++) open[j - 1] = open[j];
        w->n_open[k]--;
    }
    open[w->n_open[k]++] = page;
    w->fetched[k]++;
    protect(w->vector[k], page, 1, PROT_READ | PROT_WRITE);
}

static void on_access(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    for (int k = 0; k < watched->vectors; k++) {
        const int64_t at = (const char *)info->si_addr - (const char *)watched->vector[k];
        if (at < 0 || at >= SPW_PASSES_PAGES * page_size) continue;
        while (__atomic_exchange_n(&locked, 1, __ATOMIC_ACQUIRE)) {
        }
        open_page(watched, k, (int)(at / page_size));
        __atomic_store_n(&locked, 0, __ATOMIC_RELEASE);
        return;
    }
    sigaction(SIGSEGV, &former, NULL); /* a real fault: it is raised again on return */
}

spw_status spw_passes_create(int vectors, spw_passes *watch)
{
    *watch = (spw_passes){0};
    if (vectors < 1 || vectors > SPW_PASSES_VECTORS)
        return spw_error(SPW_ERR_ARG, "cannot watch %d vectors: 1 to %d", vectors,
                         SPW_PASSES_VECTORS);
    page_size = sysconf(_SC_PAGESIZE);
    spw_passes w = {.vectors = vectors,
                    .n = SPW_PASSES_PAGES * (page_size / (int64_t)sizeof(double))};
    for (int k = 0; k < vectors; k++) {
        void *block = mmap(NULL, (size_t)(SPW_PASSES_PAGES * page_size), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (block == MAP_FAILED) {
            spw_passes_destroy(&w);
            return spw_error(SPW_ERR_MEMORY, "no room for %d vectors of %d pages", vectors,
                             SPW_PASSES_PAGES);
        }
        w.vector[k] = (double *)block;
    }
    *watch = w;
    return SPW_OK;
}

void spw_passes_begin(spw_passes *watch)
{
    assert(!watched);
    watch->threads_before = spw_max_threads();
    spw_set_threads(1);
    watched = watch;
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    action.sa_sigaction = on_access;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &former);
    for (int k = 0; k < watch->vectors; k++) {
        watch->n_open[k] = 0;
        watch->fetched[k] = 0;
        protect(watch->vector[k], 0, SPW_PASSES_PAGES, PROT_NONE);
    }
}

void spw_passes_end(spw_passes *watch)
{
    assert(watched == watch);
    for (int k = 0; k < watch->vectors; k++) {
        protect(watch->vector[k], 0, SPW_PASSES_PAGES, PROT_READ | PROT_WRITE);
        watch->passes[k] = 0.5 * round(2.0 * (double)watch->fetched[k] / SPW_PASSES_PAGES);
    }
    sigaction(SIGSEGV, &former, NULL);
    watched = NULL;
    spw_set_threads(watch->threads_before);
}

void spw_passes_destroy(spw_passes *watch)
{
    if (!watch) return;
    for (int k = 0; k < SPW_PASSES_VECTORS; k++)
        if (watch->vector[k]) munmap(watch->vector[k], (size_t)(SPW_PASSES_PAGES * page_size));
    *watch = (spw_passes){0};
}

#include "simt/fiber.h"

#include "base/memory.h"

#include <stdint.h>
#include <sys/mman.h>

/* The guard is a whole 64 KiB so that it works with pages of any size up to that. */
enum { GUARD = 64 << 10, COLOURS = 32, COLOUR = 128 };

/* There only where AddressSanitizer is. */
extern void __asan_unpoison_memory_region(const volatile void *start, size_t size)
    __attribute__((weak));

void spw_fiber_forget_frames(void *stack, size_t size) {
    if (__asan_unpoison_memory_region) __asan_unpoison_memory_region(stack, size);
}

bool spw_fiber_pool_has(spw_fiber_pool *pool, int count) {
    while (pool->n_free < count) {
        if (pool->made == pool->most) return false;
        spw_fiber *f = &pool->fibers[pool->made];
        f->stack = pool->memory + (size_t)pool->made * (pool->stack + GUARD) + GUARD;
        if (mprotect(f->stack, pool->stack, PROT_READ | PROT_WRITE)) return false;
        if (pool->portable && spw_fiber_portable_create(f)) return false;
        pool->made++;
        spw_fiber_give(pool, f);
    }
    return true;
}

spw_status spw_fiber_pool_create(int most, size_t stack, bool portable, spw_fiber_pool *pool) {
    *pool = (spw_fiber_pool){
        .portable = portable || !spw_fiber_has_switch, .stack = stack, .most = most};
    spw_status status = SPW_ALLOC_ZERO(&pool->fibers, most);
    if (status) return status;
    pool->size = (size_t)most * (stack + GUARD);
    pool->memory =
        mmap(NULL, pool->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pool->memory != MAP_FAILED) return SPW_OK;
    pool->memory = NULL;
    spw_fiber_pool_destroy(pool);
    return spw_error(SPW_ERR_MEMORY, "no room for the stacks of %d threads", most);
}

void spw_fiber_pool_destroy(spw_fiber_pool *pool) {
    if (pool->portable)
        for (int k = 0; k < pool->made; k++) spw_fiber_portable_destroy(&pool->fibers[k]);
    if (pool->memory) munmap(pool->memory, pool->size);
    spw_free(pool->fibers);
    *pool = (spw_fiber_pool){0};
}

spw_fiber *spw_fiber_take(spw_fiber_pool *pool, void (*entry)(void *), void *argument) {
    spw_fiber *f = pool->free;
    pool->free = f->next;
    pool->n_free--;
    f->entry = entry;
    f->argument = argument;
    spw_fiber_forget_frames(f->stack,
                            pool->stack); /* a thread may have left from the middle of some */
    /* Tops at different places of a page: else all stacks would fight for the same lines of the cache. */
    char *top = f->stack + pool->stack - (f - pool->fibers) % COLOURS * COLOUR;
    if (pool->portable)
        spw_fiber_portable_prepare(f, top);
    else
        spw_fiber_switch_prepare(f, top);
    return f;
}

void spw_fiber_give(spw_fiber_pool *pool, spw_fiber *fiber) {
    fiber->next = pool->free;
    pool->free = fiber;
    pool->n_free++;
}

void spw_fiber_give_all(spw_fiber_pool *pool) {
    pool->free = NULL;
    pool->n_free = 0;
    for (int k = pool->made - 1; k >= 0; k--) {
        spw_fiber_forget_frames(pool->fibers[k].stack, pool->stack);
        spw_fiber_give(pool, &pool->fibers[k]);
    }
}

void spw_fiber_switch(const spw_fiber_pool *pool, spw_fiber *from, spw_fiber *to) {
    if (pool->portable)
        spw_fiber_portable_jump(from, to);
    else
        spw_fiber_switch_jump(from, to);
}

bool spw_fiber_is_guard(const spw_fiber_pool *pool, const void *address) {
    const uintptr_t offset = (uintptr_t)address - (uintptr_t)pool->memory;
    return pool->memory && offset < pool->size && offset % (pool->stack + GUARD) < GUARD;
}

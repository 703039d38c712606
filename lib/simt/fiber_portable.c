/* Fibers by ucontext: works on any POSIX system, and asks the kernel for the signal mask each time. */
#include "simt/fiber.h"

#include "base/memory.h"

#include <stdint.h>
#include <ucontext.h>

spw_status spw_fiber_portable_create(spw_fiber *fiber) {
    return spw_alloc_zero(&fiber->place, 1, sizeof(ucontext_t));
}

void spw_fiber_portable_destroy(spw_fiber *fiber) {
    spw_free(fiber->place);
    fiber->place = NULL;
}

/* makecontext passes ints only: a pointer comes in two halves. */
static void first(unsigned high, unsigned low) {
    spw_fiber *f = (spw_fiber *)((uintptr_t)high << 16 << 16 | low);
    f->entry(f->argument);
}

void spw_fiber_portable_prepare(spw_fiber *fiber, char *top) {
    ucontext_t *context = fiber->place;
    getcontext(context);
    context->uc_stack.ss_sp = fiber->stack;
    context->uc_stack.ss_size = (size_t)(top - fiber->stack);
    context->uc_link = NULL;
    makecontext(context, (void (*)(void))first, 2, (unsigned)((uintptr_t)fiber >> 16 >> 16),
                (unsigned)(uintptr_t)fiber);
}

void spw_fiber_portable_jump(spw_fiber *from, spw_fiber *to) {
    swapcontext(from->place, to->place);
}

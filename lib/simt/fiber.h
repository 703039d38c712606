/* simt/fiber.h -- threads that are switched by hand: each has a stack, none runs unless switched to.
 *
 * The switch is some twenty instructions for x86-64 and aarch64 (fiber_switch.c); elsewhere, and on
 * request, ucontext does it (fiber_portable.c), at ten times the price. */
#pragma once

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct spw_fiber {
    void *place; /* its stack pointer, or a ucontext_t: where it goes on */
    char *stack; /* lowest byte; NULL for the program's own stack */
    void (*entry)(void *);
    void *argument;
    struct spw_fiber *next; /* in the list of free ones */
} spw_fiber;

typedef struct spw_fiber_pool {
    bool portable;
    size_t stack; /* bytes of each */
    char *memory; /* all stacks, each above a page that cannot be touched */
    size_t size;
    spw_fiber *fibers; /* [most] */
    spw_fiber *free;
    int made, most, n_free;
} spw_fiber_pool;

/* Room for `most` stacks of so many bytes, a multiple of 64 KiB; memory is taken when they are touched. SPW_ERR_MEMORY: no
 * room. */
spw_status spw_fiber_pool_create(int most, size_t stack, bool portable, spw_fiber_pool *pool);
void spw_fiber_pool_destroy(spw_fiber_pool *pool);
/* Makes stacks until so many are free: before they are taken. false: no room. */
bool spw_fiber_pool_has(spw_fiber_pool *pool, int count);

/* A fiber that will call entry(argument), which must not return but switch away for good. */
spw_fiber *spw_fiber_take(spw_fiber_pool *pool, void (*entry)(void *), void *argument);
void spw_fiber_give(spw_fiber_pool *pool, spw_fiber *fiber);
/* All are free again, wherever they stand. */
void spw_fiber_give_all(spw_fiber_pool *pool);

/* Goes on in `to`; returns when somebody switches to `from`. */
void spw_fiber_switch(const spw_fiber_pool *pool, spw_fiber *from, spw_fiber *to);

/* Frames on this stack were left without a return: tells AddressSanitizer, if it is there. */
void spw_fiber_forget_frames(void *stack, size_t size);

/* Is this the page below one of the stacks? */
bool spw_fiber_is_guard(const spw_fiber_pool *pool, const void *address);

/* The two ways. usable stack: [stack, top). */
extern const bool spw_fiber_has_switch;
void spw_fiber_switch_prepare(spw_fiber *fiber, char *top);
void spw_fiber_switch_jump(spw_fiber *from, spw_fiber *to);
spw_status spw_fiber_portable_create(spw_fiber *fiber);
void spw_fiber_portable_destroy(spw_fiber *fiber);
void spw_fiber_portable_prepare(spw_fiber *fiber, char *top);
void spw_fiber_portable_jump(spw_fiber *from, spw_fiber *to);

/* The hand-written switch: saves what a called function must keep, swaps the stack pointers, restores.
 *
 * A new fiber's stack is laid out as if it had been switched away from at `first`, with its entry and
 * argument in two of the saved registers. The end is pop and jmp, not ret: the processor predicts a ret
 * by the calls that it has seen, and would be wrong every time. */
#include "simt/fiber.h"

#include <stdint.h>

void spw_fiber_swap_stacks(void **save, void *load); /* in assembly below */
void spw_fiber_first(void);

#if defined __x86_64__

const bool spw_fiber_has_switch = true;

__asm__(".text\n"
        ".globl spw_fiber_swap_stacks\n"
        ".hidden spw_fiber_swap_stacks\n"
        ".type spw_fiber_swap_stacks, @function\n"
        "spw_fiber_swap_stacks:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq  %rsp, (%rdi)\n"
        "    movq  %rsi, %rsp\n"
        "    popq  %r15\n"
        "    popq  %r14\n"
        "    popq  %r13\n"
        "    popq  %r12\n"
        "    popq  %rbx\n"
        "    popq  %rbp\n"
        "    popq  %rcx\n"
        "    jmpq  *%rcx\n"
        ".size spw_fiber_swap_stacks, .-spw_fiber_swap_stacks\n"
        ".globl spw_fiber_first\n"
        ".hidden spw_fiber_first\n"
        ".type spw_fiber_first, @function\n"
        "spw_fiber_first:\n"
        "    movq  %r12, %rdi\n"
        "    jmpq  *%rbx\n"
        ".size spw_fiber_first, .-spw_fiber_first\n");

enum { SAVED = 7, ARGUMENT = 3, ENTRY = 4, RESUME = 6 };

void spw_fiber_switch_prepare(spw_fiber *fiber, char *top) {
    /* A function expects its stack 8 above a multiple of 16, below its return address. */
    uintptr_t *sp = (uintptr_t *)((uintptr_t)top & ~(uintptr_t)63) - 1;
    *sp = 0; /* nobody to return to */
    sp -= SAVED;
    for (int k = 0; k < SAVED; k++) sp[k] = 0;
    sp[ARGUMENT] = (uintptr_t)fiber->argument;
    sp[ENTRY] = (uintptr_t)fiber->entry;
    sp[RESUME] = (uintptr_t)spw_fiber_first;
    fiber->place = sp;
}

void spw_fiber_switch_jump(spw_fiber *from, spw_fiber *to) {
    spw_fiber_swap_stacks(&from->place, to->place);
}

#elif defined __aarch64__

const bool spw_fiber_has_switch = true;

__asm__(".text\n"
        ".globl spw_fiber_swap_stacks\n"
        ".hidden spw_fiber_swap_stacks\n"
        ".type spw_fiber_swap_stacks, %function\n"
        "spw_fiber_swap_stacks:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp, #0]\n"
        "    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n"
        "    stp x29, x30, [sp, #80]\n"
        "    stp d8,  d9,  [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n"
        "    str x9, [x0]\n"
        "    mov sp, x1\n"
        "    ldp x19, x20, [sp, #0]\n"
        "    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n"
        "    ldp x29, x30, [sp, #80]\n"
        "    ldp d8,  d9,  [sp, #96]\n"
        "    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    br  x30\n"
        ".size spw_fiber_swap_stacks, .-spw_fiber_swap_stacks\n"
        ".globl spw_fiber_first\n"
        ".hidden spw_fiber_first\n"
        ".type spw_fiber_first, %function\n"
        "spw_fiber_first:\n"
        "    mov x0, x19\n"
        "    mov x29, #0\n"
        "    mov x30, #0\n"
        "    br  x20\n"
        ".size spw_fiber_first, .-spw_fiber_first\n");

enum { SAVED = 20, ARGUMENT = 0, ENTRY = 1, RESUME = 11 };

void spw_fiber_switch_prepare(spw_fiber *fiber, char *top) {
    uintptr_t *sp = (uintptr_t *)((uintptr_t)top & ~(uintptr_t)63) - SAVED;
    for (int k = 0; k < SAVED; k++) sp[k] = 0;
    sp[ARGUMENT] = (uintptr_t)fiber->argument;
    sp[ENTRY] = (uintptr_t)fiber->entry;
    sp[RESUME] = (uintptr_t)spw_fiber_first;
    fiber->place = sp;
}

void spw_fiber_switch_jump(spw_fiber *from, spw_fiber *to) {
    spw_fiber_swap_stacks(&from->place, to->place);
}

#else /* another processor: the portable way does it */

const bool spw_fiber_has_switch = false;

void spw_fiber_switch_prepare(spw_fiber *fiber, char *top) {
    spw_fiber_portable_prepare(fiber, top);
}

void spw_fiber_switch_jump(spw_fiber *from, spw_fiber *to) { spw_fiber_portable_jump(from, to); }

#endif

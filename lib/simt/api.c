/* Error codes as CUDA has them; and what stops a kernel from inside: assert, __trap, and calls of what is not here. */
#include "simt/state.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

int spw_simt_error(int code) {
    if (code && spw_simt_now) spw_simt_now->last_error = code;
    return code;
}

/* An error of a kernel stays for ever, others until they are asked for. */
int spw_simt_last_error(int clear) {
    spw_simt_state *s = spw_simt_now;
    if (!s) return 0;
    const int code = s->last_error;
    if (clear) s->last_error = s->sticky_error;
    return code;
}

/* --- a kernel that stops -------------------------------------------------------------------------- */

/* Only the answer's threads come here; host code goes on, with CUDA's code in the places that have one. */
static void stop(const char *text, uintptr_t pc) {
    spw_simt_state *s = spw_simt_now;
    if (!s || !s->in_run) return;
    spw_simt_find(s, SPW_SIMT_CRASH, pc, NULL, -1, "%.600s", text);
    if (s->lane) spw_simt_leave_launch(CUDA_LAUNCH_FAILURE);
}

void spw_simt_unsupported(const char *text) { stop(text, CALLER); }

void spw_simt_trap(void) { stop("Stopped by __trap().", CALLER); }

/* assert calls it by this name; the program's comes before the C library's. */
void __assert_fail(const char *expression, const char *file, unsigned line, const char *function) {
    const spw_simt_state *s = spw_simt_now;
    if (s && s->lane) {
        char text[SPW_SIMT_TEXT], who[160];
        spw_simt_who(s, who, sizeof who, s->lane->index);
        snprintf(text, sizeof text, "%s: assert(%.200s) does not hold.", who, expression);
        stop(text, CALLER);
    }
    fprintf(stderr, "%s:%u: %s: assert(%s) does not hold.\n", file, line, function, expression);
    abort();
}

/* Error codes, streams and events as CUDA has them, everything taking effect at once; and what stops a kernel from
 * inside: assert, __trap, and calls of what is not here. */
#include "simt/state.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MAX_HANDLES = 64 };

/* A handle is a pointer into this list; a destroyed one stays recognisable. */
static struct handle {
    int kind; /* 's', 'e', 0: free or destroyed */
    bool recorded;
    double time;
} handles[MAX_HANDLES];

int spw_simt_error(int code)
{
    if (code && spw_simt_now) spw_simt_now->last_error = code;
    return code;
}

/* An error of a kernel stays for ever, others until they are asked for. */
int spw_simt_last_error(int clear)
{
    spw_simt_state *s = spw_simt_now;
    if (!s) return 0;
    const int code = s->last_error;
    if (clear) s->last_error = s->sticky_error;
    return code;
}

int spw_simt_synchronize(void)
{
    spw_simt_state *s = spw_simt_now;
    if (!s) return 0;
    if (s->options.asynchronous)
        spw_simt_find(
            s, SPW_SIMT_CALL, CALLER, NULL, -1,
            "Here the host waits until the device has done everything. Kernels run in the order\n"
            "in which they were launched: nobody has to wait.");
    return spw_simt_error(s->sticky_error);
}

int spw_simt_handle_create(void **handle, int kind)
{
    for (int k = 0; k < MAX_HANDLES; k++) {
        if (handles[k].kind) continue;
        handles[k] = (struct handle){.kind = kind};
        *handle = &handles[k];
        return 0;
    }
    return spw_simt_error(CUDA_MEMORY);
}

int spw_simt_handle_check(void *handle, int kind)
{
    struct handle *h = handle;
    if (!handle && kind == 's') return 0; /* the default stream */
    /* 1 and 2 are cudaStreamLegacy and cudaStreamPerThread */
    if (kind == 's' && ((uintptr_t)handle == 1 || (uintptr_t)handle == 2)) return 0;
    if (h >= handles && h < handles + MAX_HANDLES && h->kind == kind) return 0;
    if (spw_simt_now)
        spw_simt_find(spw_simt_now, SPW_SIMT_CALL, CALLER, NULL, -1,
                      "This %s was not created, or is destroyed.",
                      kind == 's' ? "stream" : "event");
    return spw_simt_error(CUDA_INVALID_HANDLE);
}

int spw_simt_handle_destroy(void *handle, int kind)
{
    const int code =
        handle ? spw_simt_handle_check(handle, kind) : spw_simt_error(CUDA_INVALID_HANDLE);
    if (!code) ((struct handle *)handle)->kind = 0;
    return code;
}

int spw_simt_event_record(void *event, void *stream)
{
    struct timespec now;
    int code = spw_simt_handle_check(stream, 's');
    if (!code)
        code = event ? spw_simt_handle_check(event, 'e') : spw_simt_error(CUDA_INVALID_HANDLE);
    if (code) return code;
    clock_gettime(CLOCK_MONOTONIC, &now);
    ((struct handle *)event)->time = (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
    ((struct handle *)event)->recorded = true;
    return 0;
}

int spw_simt_event_elapsed(float *ms, void *start, void *stop)
{
    const struct handle *a = start, *b = stop;
    if (!start || !stop) return spw_simt_error(CUDA_INVALID_HANDLE);
    int code = spw_simt_handle_check(start, 'e');
    if (!code) code = spw_simt_handle_check(stop, 'e');
    if (code) return code;
    if (!a->recorded || !b->recorded) return spw_simt_error(CUDA_INVALID_HANDLE);
    *ms = (float)(b->time - a->time);
    return 0;
}

/* --- a kernel that stops -------------------------------------------------------------------------- */

/* Only the answer's threads come here; host code goes on, with CUDA's code in the places that have one. */
static void stop(const char *text, uintptr_t pc)
{
    spw_simt_state *s = spw_simt_now;
    if (!s || !s->in_run) return;
    spw_simt_find(s, SPW_SIMT_CRASH, pc, NULL, -1, "%.600s", text);
    if (s->lane) spw_simt_leave_launch(CUDA_LAUNCH_FAILURE);
}

void spw_simt_unsupported(const char *text)
{
    stop(text, CALLER);
}

void spw_simt_trap(void)
{
    stop("Stopped by __trap().", CALLER);
}

/* assert calls it by this name; the program's comes before the C library's. */
void __assert_fail(const char *expression, const char *file, unsigned line, const char *function)
{
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

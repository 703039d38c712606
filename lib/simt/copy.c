/* cudaMemcpy and cudaMemset: which end is where, does it fit, and what becomes initialised by it. */
#include "simt/state.h"

#include <stdio.h>
#include <string.h>

int spw_simt_refuse(spw_simt_state *s, spw_simt_kind kind, const spw_simt_array *a, int code,
                    const char *text) {
    spw_simt_find(s, kind, s->call_pc, a, -1, "%s", text);
    s->in_call = NULL;
    return spw_simt_error(code);
}

/* One end of a copy: its array, if it is the device's; false if it does not fit into it. */
static bool end_of_copy(spw_simt_state *s, const char *call, const char *which, const void *p,
                        size_t bytes, spw_simt_array **array, char *text) {
    spw_simt_array *a = *array = spw_simt_find_device(s, p);
    if (!a) return true;
    const size_t offset = (size_t)((const char *)p - a->start);
    if (a->freed) {
        snprintf(text, SPW_SIMT_TEXT, "%s: the %s is %.60s, which was freed.", call, which,
                 a->name);
        return false;
    }
    if (offset <= a->size && bytes <= a->size - offset) return true;
    if (offset > a->size)
        snprintf(text, SPW_SIMT_TEXT, "%s: the %s lies outside %.60s (%zu bytes).", call, which,
                 a->name, a->size);
    else
        snprintf(text, SPW_SIMT_TEXT, "%s of %zu bytes: the %s %.60s has %zu bytes%s.%s", call,
                 bytes, which, a->name, a->size - offset, offset ? " from there" : "",
                 a->element > 1 && bytes == a->size / a->element
                     ? "\nThe size is in bytes: count * sizeof(type)."
                     : "");
    return false;
}

static bool on_device(const spw_simt_array *a) { return a && a->space != SPW_SIMT_PINNED; }

static bool on_host(const spw_simt_array *a) {
    return !a || a->space == SPW_SIMT_PINNED || a->space == SPW_SIMT_MANAGED;
}

static void copy_shadow(spw_simt_array *to, size_t at, const spw_simt_array *from, size_t from_at,
                        size_t bytes) {
    if (!to || !to->written) return;
    if (from && from->written)
        memcpy(to->written + at, from->written + from_at, bytes);
    else
        memset(to->written + at, 1, bytes);
}

/* Touches every page, under the name of the call, so that a fault is explained as the call's. */
static void copy_bytes(spw_simt_state *s, void *to, const void *from, size_t bytes,
                       const spw_simt_array *a, const spw_simt_array *b) {
    if (a) spw_simt_unlock(a, true);
    if (b) spw_simt_unlock(b, true);
    s->in_call = "cudaMemcpy";
    memmove(to, from, bytes);
    s->in_call = NULL;
    if (a) spw_simt_unlock(a, false);
    if (b) spw_simt_unlock(b, false);
}

/* One more copy between host and device: is it one too many, or too much by now? Then the text says so, and what
 * was refused takes nothing from those that follow. */
static bool too_much(spw_simt_state *s, const spw_simt_array *a, const spw_simt_array *b,
                     size_t bytes, char *text) {
    const spw_simt_options *o = &s->options;
    const char *way = on_device(b) ? "to the host" : "to the device";
    const char *name = on_device(b) ? b->name : a->name;
    if (o->most_copied && s->n_copied + (int64_t)bytes > o->most_copied) {
        snprintf(
            text, SPW_SIMT_TEXT,
            "cudaMemcpy takes %zu bytes of %.60s %s, %lld by now. All that this call may copy\n"
            "between host and device is %lld bytes: small things. What is tall stays on\n"
            "the device, and a kernel makes of it what the host wants to know.",
            bytes, name, way, (long long)(s->n_copied + (int64_t)bytes), (long long)o->most_copied);
        return true;
    }
    s->n_copied += (int64_t)bytes;
    if (++s->n_copies == o->most_copies + 1 && o->most_copies) {
        snprintf(text, SPW_SIMT_TEXT,
                 "cudaMemcpy takes %.60s %s: copy number %d between host and device in\n"
                 "this call, %d are enough. Each is a way of its own, and takes as long for eight\n"
                 "bytes as for eight thousand: what travels together goes in one array.",
                 name, way, s->n_copies, o->most_copies);
        return true;
    }
    return false;
}

static void note_copy(spw_simt_state *s, const char *to, const char *from, size_t bytes,
                      spw_simt_array *a, spw_simt_array *b) {
    bool asynchronous;
    const int queue = spw_simt_next_queue(s, &asynchronous);
    const char *name = asynchronous ? "cudaMemcpyAsync" : "cudaMemcpy";
    if (!a && !b) return;
    spw_simt_ordered_next(s, queue);
    if (b)
        spw_simt_ordered_uses(s, b, (size_t)(from - b->start), (size_t)(from - b->start) + bytes,
                              false, name);
    if (a)
        spw_simt_ordered_uses(s, a, (size_t)(to - a->start), (size_t)(to - a->start) + bytes, true,
                              name);
    if (asynchronous && !(a && b) && !s->hint[0])
        snprintf(s->hint, sizeof s->hint,
                 "cudaMemcpyAsync of memory that is not pinned: the call may return when the copy "
                 "is done.");
    /* From or to memory that is not pinned it has arrived when the call returns, or the host may do with its own what it will. */
    if (!asynchronous || !a) spw_simt_ordered_host(s->ordered, queue, -1);
}

/* The name of a __device__ variable stands for an address of the host in host code. */
const char *spw_simt_name_taken(const spw_simt_array *a, char *text) {
    if (!a || a->space != SPACE_SECTION || a->addressed) return NULL;
    snprintf(text, SPW_SIMT_TEXT,
             "%.60s is __%s__: in host code its name is no address of the device.\n"
             "cudaMemcpyToSymbol and cudaMemcpyFromSymbol copy by the name; cudaGetSymbolAddress\n"
             "gives the address; a kernel needs none: it knows the name.",
             a->name, a->constant ? "constant" : "device");
    return text;
}

void *spw_simt_symbol(const void *symbol) {
    spw_simt_array *a = spw_simt_now ? spw_simt_find_device(spw_simt_now, symbol) : NULL;
    if (a) a->addressed = true;
    return (void *)(uintptr_t)symbol;
}

void spw_simt_argument(const void *pointer) {
    spw_simt_state *s = spw_simt_now;
    char text[SPW_SIMT_TEXT];
    if (!s || !s->in_run || !spw_simt_in_section(pointer)) return;
    const spw_simt_array *a = spw_simt_find_device(s, pointer);
    if (spw_simt_name_taken(a, text)) s->argument = a;
}

static int copy(void *to, const void *from, size_t bytes, int kind, bool by_name) {
    static const char *const directions[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice",
                                             "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice"};
    spw_simt_state *s = spw_simt_now;
    spw_simt_array *a, *b;
    char text[SPW_SIMT_TEXT];
    if (s->sticky_error) return spw_simt_error(s->sticky_error);
    if (bytes == 0) return 0;
    if (!end_of_copy(s, "cudaMemcpy", "destination", to, bytes, &a, text))
        return spw_simt_refuse(s, SPW_SIMT_CALL, a, CUDA_INVALID_VALUE, text);
    if (!end_of_copy(s, "cudaMemcpy", "source", from, bytes, &b, text))
        return spw_simt_refuse(s, SPW_SIMT_CALL, b, CUDA_INVALID_VALUE, text);
    if (!by_name && (spw_simt_name_taken(a, text) || spw_simt_name_taken(b, text)))
        return spw_simt_refuse(s, SPW_SIMT_CALL, NULL, CUDA_INVALID_VALUE, text);
    if (!to || !from) {
        snprintf(text, sizeof text, "cudaMemcpy: the %s is NULL.", to ? "source" : "destination");
        return spw_simt_refuse(s, SPW_SIMT_CALL, NULL, CUDA_INVALID_VALUE, text);
    }
    if (kind < 0 || kind > 4)
        return spw_simt_refuse(s, SPW_SIMT_CALL, NULL, CUDA_INVALID_DIRECTION,
                               "cudaMemcpy: this direction is none.");
    if (kind < 4) {
        const bool to_device = kind == 1 || kind == 3, from_device = kind >= 2;
        const char *wrong = !(to_device ? on_device(a) : on_host(a))     ? "destination"
                            : !(from_device ? on_device(b) : on_host(b)) ? "source"
                                                                         : NULL;
        if (wrong) {
            const spw_simt_array *w = wrong[0] == 'd' ? a : b;
            snprintf(text, sizeof text,
                     "cudaMemcpy with %s: the %s is %s%.60s.\nThe order is (to, from, bytes, "
                     "direction).",
                     directions[kind], wrong, on_device(w) ? "device memory, " : "host memory",
                     on_device(w) ? w->name : "");
            return spw_simt_refuse(s, SPW_SIMT_CALL, w, CUDA_INVALID_VALUE, text);
        }
    }
    if (s->options.asynchronous && on_host(a) && on_device(b)) {
        snprintf(
            text, sizeof text,
            "cudaMemcpy takes %.60s to the host, which waits for it until all launches before\n"
            "are done; and the device has nothing to do until the host launches again. These\n"
            "numbers stay on the device: a kernel computes what is made of them.",
            b->name);
        return spw_simt_refuse(s, SPW_SIMT_CALL, b, CUDA_INVALID_VALUE, text);
    }
    if (on_device(a) != on_device(b) && too_much(s, a, b, bytes, text))
        return spw_simt_refuse(s, SPW_SIMT_CALL, on_device(b) ? b : a, CUDA_INVALID_VALUE, text);
    note_copy(s, to, from, bytes, a, b);
    copy_bytes(s, to, from, bytes, a, b);
    copy_shadow(a, a ? (size_t)((char *)to - a->start) : 0, b,
                b ? (size_t)((const char *)from - b->start) : 0, bytes);
    /* From or to memory that is not pinned, a call that need not wait does all the same. */
    if (on_device(a) != on_device(b))
        spw_simt_take_time(s, on_device(a) ? SPW_SIMT_TO_DEVICE : SPW_SIMT_TO_HOST, (int64_t)bytes,
                           !(on_device(a) ? b : a));
    else if (on_device(a))
        spw_simt_take_time(s, SPW_SIMT_KERNELS, 2 * (int64_t)bytes, false);
    return 0;
}

int spw_simt_memcpy(void *to, const void *from, size_t bytes, int kind) {
    spw_simt_now->call_pc = CALLER;
    return copy(to, from, bytes, kind, false);
}

int spw_simt_copy_symbol(void *to, const void *from, size_t bytes, int kind) {
    spw_simt_now->call_pc = CALLER;
    return copy(to, from, bytes, kind, true);
}

int spw_simt_memset(void *to, int value, size_t bytes) {
    spw_simt_state *s = spw_simt_now;
    spw_simt_array *a;
    char text[SPW_SIMT_TEXT];
    s->call_pc = CALLER;
    if (s->sticky_error) return spw_simt_error(s->sticky_error);
    if (bytes == 0) return 0;
    if (!end_of_copy(s, "cudaMemset", "destination", to, bytes, &a, text))
        return spw_simt_refuse(s, SPW_SIMT_CALL, a, CUDA_INVALID_VALUE, text);
    if (spw_simt_name_taken(a, text))
        return spw_simt_refuse(s, SPW_SIMT_CALL, NULL, CUDA_INVALID_VALUE, text);
    if (!a)
        return spw_simt_refuse(s, to ? SPW_SIMT_HOST_POINTER : SPW_SIMT_CALL, NULL,
                               CUDA_INVALID_VALUE,
                               to ? "cudaMemset of host memory: it wants a device array."
                                  : "cudaMemset: the destination is NULL.");
    bool asynchronous;
    spw_simt_ordered_next(s, spw_simt_next_queue(s, &asynchronous));
    spw_simt_ordered_uses(s, a, (size_t)((char *)to - a->start),
                          (size_t)((char *)to - a->start) + bytes, true, "cudaMemset");
    spw_simt_unlock(a, true);
    memset(to, value, bytes);
    spw_simt_unlock(a, false);
    copy_shadow(a, (size_t)((char *)to - a->start), NULL, 0, bytes);
    spw_simt_take_time(s, SPW_SIMT_KERNELS, (int64_t)bytes, false);
    return 0;
}

/* What orders the device's work and the host: streams, events, and who waits for what, as vector clocks. Everything takes
 * effect at once here, so a copy that nobody waited for has arrived, and two streams never meet; on a GPU it has not, and
 * they may. Each copy and each launch is one operation of its stream, which uses a range of bytes of some arrays; two
 * uses of the same bytes, of which one writes, need an order. The range of a kernel is from the first byte that it
 * used to the last. */
#include "simt/state.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

enum { QUEUES = SPW_SIMT_HANDLES + 2, LEGACY = 0, MOST_USES = 64 };

typedef struct use {
    spw_simt_array *array;
    int queue;
    uint32_t number; /* of the operation in its queue */
    size_t low, high;
    bool writes;
    char what[SPW_SIMT_NAME + 16];
    uintptr_t pc; /* of a call; a launch has a line */
    int line;
} use;

struct spw_simt_ordered {
    uint32_t clock[QUEUES][QUEUES]; /* [queue] what is over before its next operation begins */
    uint32_t event[SPW_SIMT_HANDLES][QUEUES]; /* the same, when the event was recorded */
    uint32_t host[QUEUES];                    /* what the host has waited for */
    use uses[MOST_USES];                      /* the last ones that the host has not waited for */
    int n, next;
};

spw_status spw_simt_ordered_create(struct spw_simt_ordered **ordered) {
    return spw_alloc_zero((void **)ordered, 1, sizeof **ordered);
}

void spw_simt_ordered_begin(struct spw_simt_ordered *o) { memset(o, 0, sizeof *o); }

static void join(uint32_t *a, const uint32_t *b) {
    for (int k = 0; k < QUEUES; k++)
        if (b[k] > a[k]) a[k] = b[k];
}

void spw_simt_ordered_stream(struct spw_simt_ordered *o, int queue) {
    memset(o->clock[queue], 0, sizeof o->clock[queue]);
}

/* The default stream waits for those that are not non-blocking, and they for it. */
static void catch_up(struct spw_simt_ordered *o, int queue) {
    join(o->clock[queue], o->host);
    if (queue != LEGACY && spw_simt_queue_blocks(queue)) join(o->clock[queue], o->clock[LEGACY]);
    for (int k = 1; queue == LEGACY && k < QUEUES; k++)
        if (spw_simt_queue_blocks(k)) join(o->clock[LEGACY], o->clock[k]);
}

void spw_simt_ordered_record(struct spw_simt_ordered *o, int event, int queue) {
    catch_up(o, queue);
    memcpy(o->event[event], o->clock[queue], sizeof o->event[event]);
}

void spw_simt_ordered_wait(struct spw_simt_ordered *o, int queue, int event) {
    join(o->clock[queue], o->event[event]);
}

void spw_simt_ordered_host(struct spw_simt_ordered *o, int queue, int event) {
    if (event >= 0) join(o->host, o->event[event]);
    if (queue >= 0) catch_up(o, queue);
    if (queue >= 0) join(o->host, o->clock[queue]);
    for (int k = 0; event < 0 && queue < 0 && k < QUEUES; k++) join(o->host, o->clock[k]);
}

static bool meets(const use *u, const spw_simt_array *a, size_t low, size_t high, bool writes) {
    return u->array == a && (u->writes || writes) && u->low < high && low < u->high;
}

static void report(spw_simt_state *s, const use *mine, const use *other) {
    char there[48] = "{1}";
    if (other->line) snprintf(there, sizeof there, "line %d", other->line);
    spw_simt_finding *f = spw_simt_find(
        s, SPW_SIMT_GLOBAL_RACE, mine->pc, mine->array, mine->line ? mine->line : -1,
        "%s here and %s at %s use the same bytes of %.60s, in two streams, and nothing orders "
        "them. "
        "An event would: cudaEventRecord in the one, cudaStreamWaitEvent in the other.",
        mine->what, other->what, there, mine->array->name);
    spw_simt_place_of(f, 1, other->pc);
    if (!f || !mine->line) return;
    snprintf(f->file, sizeof f->file, "%s", s->launch->file);
    f->line = mine->line;
}

void spw_simt_ordered_uses(spw_simt_state *s, spw_simt_array *a, size_t low, size_t high,
                           bool writes, const char *what) {
    struct spw_simt_ordered *o = s->ordered;
    const int queue = o->next;
    const spw_simt_launch *l = s->launch;
    use u = {a,
             queue,
             o->clock[queue][queue],
             low,
             high,
             writes,
             "",
             l ? 0 : s->call_pc,
             l ? l->line : 0};
    snprintf(u.what, sizeof u.what, "%s%.*s", l ? "kernel " : "", SPW_SIMT_NAME - 1, what);
    int n = 0;
    for (int k = 0; k < o->n; k++) {
        const use *old = &o->uses[k];
        if (o->host[old->queue] >= old->number) continue;
        if (meets(old, a, low, high, writes) && o->clock[queue][old->queue] < old->number)
            report(s, &u, old);
        o->uses[n++] = *old;
    }
    o->n = n;
    if (o->n == MOST_USES) memmove(o->uses, o->uses + 1, (size_t)--o->n * sizeof *o->uses);
    o->uses[o->n++] = u;
}

void spw_simt_ordered_next(spw_simt_state *s, int queue) {
    struct spw_simt_ordered *o = s->ordered;
    catch_up(o, queue);
    o->clock[queue][queue]++;
    o->next = queue;
}

void spw_simt_ordered_launched(spw_simt_state *s) {
    for (int k = 0; k < s->n_arrays; k++) {
        spw_simt_array *a = &s->arrays[k];
        for (int writes = 0; writes < 2; writes++) {
            if (a->used[writes].high)
                spw_simt_ordered_uses(s, a, a->used[writes].low, a->used[writes].high, writes,
                                      s->launch->kernel);
            a->used[writes].low = a->used[writes].high = 0;
        }
    }
}

void spw_simt_ordered_host_access(spw_simt_state *s, uintptr_t pc, spw_simt_array *a, size_t at,
                                  bool writes) {
    const struct spw_simt_ordered *o = s->ordered;
    for (int k = 0; k < o->n; k++) {
        const use *u = &o->uses[k];
        if (!meets(u, a, at, at + 1, writes) || o->host[u->queue] >= u->number) continue;
        char there[48] = "{1}";
        if (u->line) snprintf(there, sizeof there, "line %d", u->line);
        spw_simt_finding *f = spw_simt_find(
            s, SPW_SIMT_GLOBAL_RACE, pc, a, -1,
            "Host code at {0} %s %.60s, which %s at %s may still %s: it returned at once. Wait for "
            "it "
            "first, by cudaDeviceSynchronize, or cudaStreamSynchronize of its stream.",
            writes ? "writes" : "reads", a->name, u->what, there,
            u->writes ? "have to write" : "have to read");
        spw_simt_place_of(f, 1, u->pc);
        return;
    }
}

/* Streams and events: handles, and a timeline of copies and kernels. Everything takes effect at once; what the timeline
 * knows is when it could have: each begins when the host has come to it, its stream has done what was given before, and
 * its engine is free. There are three engines, to the device, from it, and kernels. A copy takes bytes / link, a kernel
 * the bytes of its sectors / memory. No launch, no latency takes any time: the proportions are what is modelled. */
#include "simt/state.h"

#include "base/memory.h"

#include <math.h>
#include <time.h>

enum { MAX_HANDLES = SPW_SIMT_HANDLES };

/* A handle is a pointer into this list; a destroyed one stays recognisable. */
static struct handle {
    int kind; /* 's', 'e', 0: free or destroyed */
    bool recorded, blocking;
    double time; /* of the host's clock, ms */
    double
        when; /* modelled: what was given to the stream is done, what the event waits for has come */
} handles[MAX_HANDLES];

typedef struct op {
    spw_simt_engine engine;
    double start, end;
    void *stream;
    bool host_waited; /* for the device, before */
} op;

struct spw_simt_timeline {
    double host, legacy, per_thread; /* when the host is free; the default streams */
    double engine[SPW_SIMT_ENGINES];
    void *stream; /* of the call that comes next */
    bool asynchronous;
    op *ops;
    size_t n, room;
};

/* --- handles -------------------------------------------------------------------------------------- */

int spw_simt_handle_create(void **handle, int kind, int blocking) {
    for (int k = 0; k < MAX_HANDLES; k++) {
        if (handles[k].kind) continue;
        handles[k] = (struct handle){.kind = kind, .blocking = blocking};
        *handle = &handles[k];
        if (kind == 's' && spw_simt_now)
            spw_simt_ordered_stream(spw_simt_now->ordered, spw_simt_queue_of(*handle));
        return 0;
    }
    return spw_simt_error(CUDA_MEMORY);
}

/* cudaStreamLegacy and cudaStreamPerThread are 1 and 2. */
static bool is_legacy(const void *stream) { return (uintptr_t)stream <= 1; }

int spw_simt_handle_check(void *handle, int kind) {
    struct handle *h = handle;
    if (kind == 's' && (uintptr_t)handle <= 2) return 0;
    if (h >= handles && h < handles + MAX_HANDLES && h->kind == kind) return 0;
    if (spw_simt_now)
        spw_simt_find(spw_simt_now, SPW_SIMT_CALL, CALLER, NULL, -1,
                      "This %s was not created, or is destroyed.",
                      kind == 's' ? "stream" : "event");
    return spw_simt_error(CUDA_INVALID_HANDLE);
}

int spw_simt_handle_destroy(void *handle, int kind) {
    const int code =
        handle ? spw_simt_handle_check(handle, kind) : spw_simt_error(CUDA_INVALID_HANDLE);
    if (!code) ((struct handle *)handle)->kind = 0;
    return code;
}

bool spw_simt_queue_blocks(int queue) {
    return queue == 1 || (handles[queue - 2].kind == 's' && handles[queue - 2].blocking);
}

int spw_simt_queue_of(const void *stream) {
    if (is_legacy(stream)) return 0;
    return (uintptr_t)stream == 2 ? 1 : 2 + (int)((const struct handle *)stream - handles);
}

int spw_simt_next_queue(const spw_simt_state *s, bool *asynchronous) {
    *asynchronous = s->timeline->asynchronous;
    return spw_simt_queue_of(s->timeline->stream);
}

/* --- time ----------------------------------------------------------------------------------------- */

static double *last_of(struct spw_simt_timeline *t, void *stream) {
    return is_legacy(stream)        ? &t->legacy
           : (uintptr_t)stream == 2 ? &t->per_thread
                                    : &((struct handle *)stream)->when;
}

/* When all that was given before is done; the legacy stream and those that are not non-blocking wait for each other. */
static double done(struct spw_simt_timeline *t, void *stream) {
    double when = *last_of(t, stream);
    if (!is_legacy(stream))
        return (uintptr_t)stream == 2 || ((struct handle *)stream)->blocking ? fmax(when, t->legacy)
                                                                             : when;
    when = fmax(when, t->per_thread);
    for (int k = 0; k < MAX_HANDLES; k++)
        if (handles[k].kind == 's' && handles[k].blocking) when = fmax(when, handles[k].when);
    return when;
}

static double all_done(const struct spw_simt_timeline *t) {
    double when = t->host;
    for (int k = 0; k < SPW_SIMT_ENGINES; k++) when = fmax(when, t->engine[k]);
    return when;
}

spw_status spw_simt_timeline_create(struct spw_simt_timeline **timeline) {
    return spw_alloc_zero((void **)timeline, 1, sizeof **timeline);
}

void spw_simt_timeline_destroy(struct spw_simt_timeline *t) {
    if (t) spw_free(t->ops);
    spw_free(t);
}

void spw_simt_timeline_begin(struct spw_simt_timeline *t) {
    op *const ops = t->ops;
    const size_t room = t->room;
    *t = (struct spw_simt_timeline){.ops = ops, .room = room};
    for (int k = 0; k < MAX_HANDLES; k++) handles[k].when = 0;
}

void spw_simt_on_stream(void *stream, int asynchronous) {
    if (!spw_simt_now) return;
    spw_simt_now->timeline->stream = stream;
    spw_simt_now->timeline->asynchronous = asynchronous;
}

void spw_simt_take_time(spw_simt_state *s, spw_simt_engine engine, int64_t bytes, bool host_waits) {
    struct spw_simt_timeline *t = s->timeline;
    const double link = s->options.link > 0 ? s->options.link : SPW_SIMT_LINK,
                 memory = s->options.memory > 0 ? s->options.memory : SPW_SIMT_MEMORY;
    void *ops = t->ops;
    const double start = fmax(t->host, fmax(done(t, t->stream), t->engine[engine]));
    const double end = start + (double)bytes * 1e-9 / (engine == SPW_SIMT_KERNELS ? memory : link);
    *last_of(t, t->stream) = t->engine[engine] = end;
    spw_simt_grow(&ops, &t->room, t->n + 1, sizeof *t->ops);
    t->ops = ops;
    t->ops[t->n++] = (op){engine, start, end, t->stream, t->host > 0};
    if (host_waits || !t->asynchronous) t->host = end;
    spw_simt_on_stream(NULL, 0);
}

/* --- events and waiting --------------------------------------------------------------------------- */

int spw_simt_event_record(void *event, void *stream) {
    struct timespec now;
    struct handle *e = event;
    int code = spw_simt_handle_check(stream, 's');
    if (!code)
        code = event ? spw_simt_handle_check(event, 'e') : spw_simt_error(CUDA_INVALID_HANDLE);
    if (code) return code;
    clock_gettime(CLOCK_MONOTONIC, &now);
    e->time = (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
    e->recorded = true;
    if (!spw_simt_now) return 0;
    e->when = done(spw_simt_now->timeline, stream);
    spw_simt_ordered_record(spw_simt_now->ordered, (int)(e - handles), spw_simt_queue_of(stream));
    return 0;
}

int spw_simt_event_elapsed(float *ms, void *start, void *stop) {
    const struct handle *a = start, *b = stop;
    if (!start || !stop) return spw_simt_error(CUDA_INVALID_HANDLE);
    int code = spw_simt_handle_check(start, 'e');
    if (!code) code = spw_simt_handle_check(stop, 'e');
    if (code) return code;
    if (!a->recorded || !b->recorded) return spw_simt_error(CUDA_INVALID_HANDLE);
    *ms = (float)(b->time - a->time);
    return 0;
}

int spw_simt_stream_wait(void *stream, void *event) {
    int code = spw_simt_handle_check(stream, 's');
    if (!code) code = spw_simt_handle_check(event, 'e');
    if (code || !spw_simt_now) return code;
    double *last = last_of(spw_simt_now->timeline, stream);
    *last = fmax(*last, ((struct handle *)event)->when);
    spw_simt_ordered_wait(spw_simt_now->ordered, spw_simt_queue_of(stream),
                          (int)((struct handle *)event - handles));
    return 0;
}

/* The host waits: for a stream, for an event, for all (kind 'd'). */
int spw_simt_synchronize(void *what, int kind) {
    spw_simt_state *s = spw_simt_now;
    const int code = kind == 'd' ? 0 : spw_simt_handle_check(what, kind);
    if (code || !s) return code;
    struct spw_simt_timeline *t = s->timeline;
    const double when = kind == 'd'   ? all_done(t)
                        : kind == 's' ? done(t, what)
                                      : ((const struct handle *)what)->when;
    t->host = fmax(t->host, when);
    spw_simt_ordered_host(s->ordered, kind == 's' ? spw_simt_queue_of(what) : -1,
                          kind == 'e' ? (int)((const struct handle *)what - handles) : -1);
    if (s->options.asynchronous)
        spw_simt_find(
            s, SPW_SIMT_CALL, CALLER, NULL, -1,
            "Here the host waits until the device has done everything. Kernels run in the order\n"
            "in which they were launched: nobody has to wait.");
    return spw_simt_error(s->sticky_error);
}

/* --- what is told --------------------------------------------------------------------------------- */

spw_simt_timeline_sum spw_simt_timeline(void) {
    const struct spw_simt_timeline *t = spw_simt_now->timeline;
    spw_simt_timeline_sum sum = {.total = 0};
    for (size_t k = 0; k < t->n; k++) {
        const double took = t->ops[k].end - t->ops[k].start;
        sum.busy[t->ops[k].engine] += took;
        sum.n[t->ops[k].engine]++;
        sum.total = fmax(sum.total, t->ops[k].end);
        sum.host_waits = sum.host_waits || t->ops[k].host_waited;
        sum.by_default = sum.by_default || is_legacy(t->ops[k].stream);
        size_t o = k; /* less 1: the one before it in its stream */
        while (o > 0 && t->ops[o - 1].stream != t->ops[k].stream) o--;
        sum.one_stream = sum.one_stream || (o > 0 && t->ops[o - 1].engine != t->ops[k].engine);
    }
    for (int e = 0; e < SPW_SIMT_ENGINES; e++) {
        sum.serial += sum.busy[e];
        sum.bound = fmax(sum.bound, sum.busy[e]);
    }
    return sum;
}

/* # where the engine is busy for most of the column's time, - for some of it */
static void draw(const struct spw_simt_timeline *t, spw_simt_engine engine, double total,
                 char *line, int width) {
    for (int k = 0; k < width; k++) {
        const double from = total * k / width, to = total * (k + 1) / width;
        double busy = 0;
        for (size_t o = 0; o < t->n; o++)
            if (t->ops[o].engine == engine)
                busy += fmax(0, fmin(to, t->ops[o].end) - fmax(from, t->ops[o].start));
        line[k] = busy > 0.5 * (to - from) ? '#' : busy > 0 ? '-' : '.';
    }
    line[width] = 0;
}

int spw_simt_print_timeline(char *text, size_t size) {
    enum { WIDTH = 48 };
    static const char *const names[] = {"to the device", "to the host", "kernels"};
    const spw_simt_options *o = &spw_simt_now->options;
    const spw_simt_timeline_sum sum = spw_simt_timeline();
    spw_simt_sheet p = {text, size, 0};
    char line[WIDTH + 1];
    if (sum.total <= 0) return 0;
    spw_simt_put(&p, "Timeline (modelled): copies at %g GB/s each way, kernels at %g GB/s\n",
                 o->link > 0 ? o->link : SPW_SIMT_LINK,
                 o->memory > 0 ? o->memory : SPW_SIMT_MEMORY);
    for (int e = 0; e < SPW_SIMT_ENGINES; e++) {
        if (!sum.n[e]) continue;
        draw(spw_simt_now->timeline, (spw_simt_engine)e, sum.total, line, WIDTH);
        spw_simt_put(&p, "%-13s |%s| %3.0f %% busy\n", names[e], line,
                     100 * sum.busy[e] / sum.total);
    }
    if (sum.serial > sum.bound)
        spw_simt_put(
            &p, "Hidden: %.0f %% of what could be. The busiest alone takes %.0f %% of it.\n",
            100 * (sum.serial - sum.total) / (sum.serial - sum.bound), 100 * sum.bound / sum.total);
    if (sum.host_waits)
        spw_simt_put(&p,
                     "The host waited for the device in between: an event lets a stream wait.\n");
    return p.length;
}

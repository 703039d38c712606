/* The accesses of the answer, as the functions named __tsan_... and __ubsan_... tell them, which gcc calls just before
 * an access; there is no sanitizer. See races.h. */
#define _GNU_SOURCE
#include "judge/races/runtime.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

spw_races *races;

void clocks_join(clocks *into, const clocks *from) {
    for (int k = 0; k < SPW_RACES_THREADS; k++)
        if (from->of[k] > into->of[k]) into->of[k] = from->of[k];
}

/* --- where in the program --------------------------------------------------------------------------- */

extern const char __ehdr_start __attribute__((visibility("hidden"))); /* of this object: ld */

enum { DEEPEST = 64 };
static uint32_t calls[SPW_RACES_THREADS][DEEPEST];
static int depth[SPW_RACES_THREADS];

static uint32_t place_of(const void *at) {
    return (uint32_t)((uintptr_t)at - (uintptr_t)&__ehdr_start);
}

static uint32_t caller(int thread) {
    const int d = depth[thread];
    return d > 0 && d <= DEEPEST ? calls[thread][d - 1] : 0;
}

void accesses_begin(void) { memset(depth, 0, sizeof depth); }

/* --- who touched what ------------------------------------------------------------------------------ */

enum { READERS = 4, CELLS = 1024, PAGES = 1 << 14, SYNCS = 1 << 12 };
enum { BYTES = 1, WORDS = 2 }; /* kinds of pages: accesses below 4 bytes have cells of their own */
static const int64_t MOST_WITHOUT_A_SWITCH =
    1 << 20; /* then who waits for a variable lets others run */

typedef struct touch {
    uint32_t place,
        caller;    /* in this object: the access, and the call of the function that it is in */
    uint32_t when; /* by the clock of the thread; 0: nobody yet */
    uint8_t thread, atomic;
} touch;

typedef struct cell {
    touch write, read[READERS];
} cell;

typedef struct page {
    uint64_t key;
    struct page *next;
    cell cells[CELLS];
} page;

static page *pages[PAGES], *last;

static page *page_of(uint64_t key, bool make) {
    if (last && last->key == key) return last;
    page **p = &pages[(key ^ key >> 14) % PAGES];
    while (*p && (*p)->key != key) p = &(*p)->next;
    if (!*p && make) {
        *p = calloc(1, sizeof **p);
        if (*p) (*p)->key = key;
    }
    if (*p) last = *p;
    return *p;
}

static void forget(uint64_t kind, uintptr_t unit, uintptr_t end) {
    while (unit < end) {
        const uintptr_t stop = (unit / CELLS + 1) * CELLS < end ? (unit / CELLS + 1) * CELLS : end;
        page *p = page_of(unit / CELLS | kind << 60, false);
        if (p) memset(&p->cells[unit % CELLS], 0, (stop - unit) * sizeof(cell));
        unit = stop;
    }
}

/* A block that was allocated just now: what was there before is another story. */
static void *fresh(void *block, size_t size) {
    if (!in_region || !block) return block;
    forget(WORDS, (uintptr_t)block / 4, ((uintptr_t)block + size + 3) / 4);
    forget(BYTES, (uintptr_t)block, (uintptr_t)block + size);
    return block;
}

static bool in_order(const touch *t) { return t->when <= running_clocks()->of[t->thread]; }

static spw_racer racer(const touch *t, bool writes) {
    return (spw_racer){t->place, t->caller, t->thread, writes, t->atomic};
}

static void report(const touch *earlier, bool wrote, const touch *now, bool writes,
                   const void *address, size_t size) {
    races->found = SPW_RACES_RACE;
    races->who[0] = racer(earlier, wrote);
    races->who[1] = racer(now, writes);
    races->address = address;
    races->size = size;
}

static void remember_read(cell *c, const touch *now) {
    int slot = -1;
    for (int k = 0; k < READERS && slot < 0; k++)
        if (!c->read[k].when || c->read[k].thread == now->thread || in_order(&c->read[k])) slot = k;
    c->read[slot < 0 ? now->thread % READERS : slot] = *now;
}

static void touched(uint64_t kind, uintptr_t unit, touch now, bool writes, const void *address,
                    size_t size) {
    page *p = page_of(unit / CELLS | kind << 60, true);
    if (!p) return;
    cell *c = &p->cells[unit % CELLS];
    const touch *w = &c->write;
    if (w->when && !in_order(w) && !(w->atomic && now.atomic)) {
        report(w, true, &now, writes, address, size);
        return;
    }
    for (int k = 0; k < READERS && writes; k++) {
        const touch *r = &c->read[k];
        if (!r->when || in_order(r) || (r->atomic && now.atomic)) continue;
        report(r, false, &now, true, address, size);
        return;
    }
    if (writes)
        c->write = now;
    else
        remember_read(c, &now);
}

static void on_access(const void *address, size_t size, bool writes, bool atomic,
                      const void *place) {
    static int64_t since;
    if (!in_region || !races) return;
    if (++since >= MOST_WITHOUT_A_SWITCH || atomic) {
        since = 0;
        let_others_run();
    }
    if (races->found || !size || on_own_stack(address) || --races->most < 0) return;
    const int me = running();
    const touch now = {place_of(place), caller(me), running_clocks()->of[me], (uint8_t)me, atomic};
    const uintptr_t a = (uintptr_t)address;
    if (size < 4)
        touched(BYTES, a, now, writes, address, size);
    else
        for (uintptr_t unit = a / 4; unit <= (a + size - 4) / 4 && !races->found; unit++)
            touched(WORDS, unit, now, writes, address, size);
}

/* --- locks and atomic variables -------------------------------------------------------------------- */

typedef struct sync {
    const void *address;
    struct sync *next;
    clocks clocks;
} sync;
static sync *syncs[SYNCS];

clocks *clocks_at(const void *address) {
    static clocks no_memory; /* more order than there is: races are missed, none made up */
    sync **s = &syncs[(uintptr_t)address / 4 % SYNCS];
    while (*s && (*s)->address != address) s = &(*s)->next;
    if (!*s) {
        *s = calloc(1, sizeof **s);
        if (*s) (*s)->address = address;
    }
    return *s ? &(*s)->clocks : &no_memory;
}

void acquire(const void *address) {
    if (in_region) clocks_join(running_clocks(), clocks_at(address));
}

void release(const void *address) {
    if (!in_region) return;
    clocks_join(clocks_at(address), running_clocks());
    running_clocks()->of[running()]++;
}

/* --- what gcc calls: the types are those that gcc knows -------------------------------------------- */

#define CALLER __builtin_extract_return_addr(__builtin_return_address(0))

/* clang-format off */
#define READ_AND_WRITE(size)                                                                       \
    void __tsan_read##size(void *p) { on_access(p, size, false, false, CALLER); }                  \
    void __tsan_write##size(void *p) { on_access(p, size, true, false, CALLER); }                  \
    void __tsan_unaligned_read##size(void *p) { on_access(p, size, false, false, CALLER); }        \
    void __tsan_unaligned_write##size(void *p) { on_access(p, size, true, false, CALLER); }
READ_AND_WRITE(1)
READ_AND_WRITE(2)
READ_AND_WRITE(4)
READ_AND_WRITE(8)
READ_AND_WRITE(16)

void __tsan_read_range(void *p, long size) { on_access(p, (size_t)size, false, false, CALLER); }
void __tsan_write_range(void *p, long size) { on_access(p, (size_t)size, true, false, CALLER); }
void __tsan_init(void) {}
void __tsan_func_entry(void *from)
{
    if (!in_region) return;
    const int me = running(), d = depth[me]++;
    if (d >= 0 && d < DEEPEST) calls[me][d] = place_of(from);
}
void __tsan_func_exit(void) { if (in_region) depth[running()]--; }

/* memory orders: 0 relaxed, 1 consume, 2 acquire, 3 release, 4 both, 5 sequential */
static void before_atomic(const void *p, size_t size, bool writes, int order, const void *place)
{
    on_access(p, size, writes, true, place);
    if (order != 0 && order != 3) acquire(p);
    if (writes && order >= 3) release(p);
}

#define UPDATE(type, size, name, does)                                                             \
    type __tsan_atomic##size##_##name(type *p, type v, int order)                                  \
    {                                                                                              \
        before_atomic(p, sizeof *p, true, order, CALLER);                                          \
        const type old = *p;                                                                       \
        *p = (type)(does);                                                                         \
        return old;                                                                                \
    }
#define ATOMICS(type, size)                                                                        \
    type __tsan_atomic##size##_load(const type *p, int order)                                      \
    {                                                                                              \
        before_atomic(p, sizeof *p, false, order, CALLER);                                         \
        return *p;                                                                                 \
    }                                                                                              \
    void __tsan_atomic##size##_store(type *p, type v, int order)                                   \
    {                                                                                              \
        before_atomic(p, sizeof *p, true, order == 5 ? 3 : order, CALLER);                         \
        *p = v;                                                                                    \
    }                                                                                              \
    UPDATE(type, size, exchange, v)                                                                \
    UPDATE(type, size, fetch_add, old + v)                                                         \
    UPDATE(type, size, fetch_sub, old - v)                                                         \
    UPDATE(type, size, fetch_and, old & v)                                                         \
    UPDATE(type, size, fetch_or, old | v)                                                          \
    UPDATE(type, size, fetch_xor, old ^ v)                                                         \
    UPDATE(type, size, fetch_nand, ~(old & v))                                                     \
    type __tsan_atomic##size##_compare_exchange_val(type *p, type expected, type v, int order,     \
                                                    int failed)                                    \
    {                                                                                              \
        (void)failed;                                                                              \
        before_atomic(p, sizeof *p, true, order, CALLER);                                          \
        const type old = *p;                                                                       \
        if (old == expected) *p = v;                                                               \
        return old;                                                                                \
    }                                                                                              \
    int __tsan_atomic##size##_compare_exchange_strong(type *p, type *expected, type v, int order,  \
                                                      int failed)                                  \
    {                                                                                              \
        const type wanted = *expected;                                                             \
        *expected = __tsan_atomic##size##_compare_exchange_val(p, wanted, v, order, failed);       \
        return *expected == wanted;                                                                \
    }                                                                                              \
    int __tsan_atomic##size##_compare_exchange_weak(type *p, type *expected, type v, int order,    \
                                                    int failed)                                    \
    {                                                                                              \
        return __tsan_atomic##size##_compare_exchange_strong(p, expected, v, order, failed);       \
    }
ATOMICS(uint8_t, 8)
ATOMICS(uint16_t, 16)
ATOMICS(uint32_t, 32)
ATOMICS(uint64_t, 64)

void __tsan_atomic_signal_fence(int order) { (void)order; }
/* clang-format on */
void __tsan_atomic_thread_fence(int order) {
    static const char all; /* one order of all fences */
    (void)order;
    let_others_run();
    acquire(&all);
    release(&all);
}

/* --- an index outside of an array whose length is declared ----------------------------------------- */

struct type_descriptor {
    uint16_t kind, info;
    char name[];
};
struct out_of_bounds {
    struct {
        const char *file;
        uint32_t line, column;
    } at;
    const struct type_descriptor *array, *index;
};

void __ubsan_handle_out_of_bounds(const struct out_of_bounds *where, uintptr_t index) {
    if (!races || races->found) return;
    races->found = SPW_RACES_BOUNDS;
    snprintf(races->file, sizeof races->file, "%s", where->at.file);
    snprintf(races->type, sizeof races->type, "%s", where->array->name);
    races->line = (int)where->at.line;
    races->index = (int64_t)(where->index->info >> 1 == 5 ? (uintptr_t)(int32_t)index : index);
}

/* --- functions that the answer calls, and that touch memory: it calls them by these names (races.sh) ---- */

void *spw_races_memcpy(void *to, const void *from, size_t size) {
    on_access(from, size, false, false, CALLER);
    on_access(to, size, true, false, CALLER);
    return memcpy(to, from, size);
}

void *spw_races_memmove(void *to, const void *from, size_t size) {
    on_access(from, size, false, false, CALLER);
    on_access(to, size, true, false, CALLER);
    return memmove(to, from, size);
}

void *spw_races_memset(void *to, int byte, size_t size) {
    on_access(to, size, true, false, CALLER);
    return memset(to, byte, size);
}

void *spw_races_malloc(size_t size) { return fresh(malloc(size), size); }

void *spw_races_calloc(size_t count, size_t size) {
    return fresh(calloc(count, size), count * size);
}

void *spw_races_realloc(void *block, size_t size) { return fresh(realloc(block, size), size); }

void *spw_races_aligned_alloc(size_t alignment, size_t size) {
    return fresh(aligned_alloc(alignment, size), size);
}

int spw_races_posix_memalign(void **block, size_t alignment, size_t size) {
    const int status = posix_memalign(block, alignment, size);
    if (!status) fresh(*block, size);
    return status;
}

spw_status spw_races_spw_alloc(void **block, int64_t count, int64_t size) {
    const spw_status status = spw_alloc(block, count, size);
    if (!status) fresh(*block, (size_t)(count * size));
    return status;
}

spw_status spw_races_spw_alloc_zero(void **block, int64_t count, int64_t size) {
    const spw_status status = spw_alloc_zero(block, count, size);
    if (!status) fresh(*block, (size_t)(count * size));
    return status;
}

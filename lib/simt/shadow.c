/* Uninitialised reads and races: a shadow of every byte, and of every eight where the first access has them (of every
 * four, two or one, once something so small was accessed there).
 *
 * A word remembers who stored to it last, plainly and atomically, and who read it last, with the block's and the warp's
 * count of barriers at that time. Two accesses of one block are in order if a barrier of both lies between them: the
 * block's count grew, or the two are of one warp and the warp's count grew. Others are in order by what publish.c
 * knows of fences and atomics. Accesses of which none writes, or of which both are atomic, need no order; volatile ones count
 * as atomic in global memory. Threads run in turn here, so this finds the race and not luck.
 *
 * Two kinds are in doubt for a while. A plain read beside atomics is none if the same thread then compares and swaps
 * there: the loop of CUDA's guide. Two stores are a hint if the second stores what stood there. */
#include "simt/state.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum {
    NOBODY = 0xffff,
    WIDE = 8,
    UNIT = 4,
    POPULATE_WRITE = 23 /* MADV_POPULATE_WRITE, which headers before glibc 2.35 lack */
};

/* A finding that may be none. */
typedef struct spw_simt_doubt {
    spw_simt_array *array;
    size_t offset, size;
    uint32_t block;
    uint16_t thread;
    uintptr_t pc, other_pc;
    char text[SPW_SIMT_TEXT];
    char old[16]; /* what stood there; of the last one, the store that is to be settled */
} spw_simt_doubt;

spw_status spw_simt_doubts_create(spw_simt_state *s) {
    return SPW_ALLOC_ZERO(&s->doubt, MAX_DOUBTS + 1);
}

static void *map(size_t size) {
    void *p = spw_simt_map(size);
    if (!p) spw_simt_out_of_memory();
    return p;
}

static bool is_shared(const spw_simt_array *a) {
    return a->space == SPACE_SHARED || a->space == SPACE_DYNAMIC;
}

static size_t size_of_shadow(const spw_simt_array *a) {
    return a->space == SPACE_DYNAMIC ? MAX_SHARED : a->size;
}

static void make_words(spw_simt_array *a, size_t unit) {
    a->unit = unit;
    a->words_size = (size_of_shadow(a) / unit + 2) * sizeof *a->words;
    a->words = map(a->words_size);
    /* Only advice: a fault for each page would take longer than the checks themselves. */
    madvise(a->words, a->words_size,
            a->words_size < SPW_HUGE_PAGE ? POPULATE_WRITE : MADV_HUGEPAGE);
}

static void make_shadow(spw_simt_array *a, size_t unit) {
    make_words(a, unit);
    if (!is_shared(a)) return;
    a->shadow_size = size_of_shadow(a);
    a->written = map(a->shadow_size);
}

/* Bytes of one word may belong to different threads: from here on each has a word of its own. */
static void refine(spw_simt_array *a, size_t unit) {
    spw_simt_word *const old = a->words;
    const size_t old_size = a->words_size, times = a->unit / unit;
    const size_t n = size_of_shadow(a) / a->unit + 1;
    make_words(a, unit);
    for (size_t k = 0; k < n; k++)
        if (old[k].plain.block || old[k].atomic.block || old[k].read.block)
            for (size_t q = 0; q < times && k * times + q < size_of_shadow(a) / unit + 2; q++)
                a->words[k * times + q] = old[k];
    munmap(old, old_size);
}

void spw_simt_shadow_launch(spw_simt_state *s) {
    const spw_simt_index g = s->launch->grid;
    spw_simt_releases_launch(s, (int64_t)g.x * g.y * g.z);
    s->not_plain[0] = s->not_plain[1] = NULL;
    s->n_doubts = 0;
    s->doubt[MAX_DOUBTS].array = NULL;
}

/* --- words ---------------------------------------------------------------------------------------- */

static const char *did(const spw_simt_word *w, const spw_simt_mark *m) {
    return m == &w->read            ? "read"
           : m->way >= WAY_ATOMIC   ? "updated atomically"
           : m->way == WAY_VOLATILE ? "wrote (volatile)"
                                    : "wrote";
}

static const char *cure_of(spw_simt_state *s, const spw_simt_array *a, const spw_simt_mark *m,
                           bool stores, spw_simt_manner manner) {
    const char *lacks = spw_simt_what_order_lacks(s, m);
    if (lacks) return lacks;
    const bool same_warp = m->block == s->now.number && m->thread / WARP == s->lane->number / WARP;
    if (m->block != s->now.number && m->way == WAY_ATOMIC_BLOCK && manner.way >= WAY_ATOMIC)
        return "An atomic that ends in _block is one for the threads of its block only.";
    if (m->block != s->now.number && manner.way == WAY_ATOMIC_BLOCK && m->way >= WAY_ATOMIC)
        return "An atomic that ends in _block is one for the threads of its block only.";
    if (m->block != s->now.number && stores && (manner.way >= WAY_ATOMIC) != (m->way >= WAY_ATOMIC))
        return "Blocks have no order: one may add before the other has set the entry. Set it "
               "before the "
               "launch, by cudaMemset.";
    if (m->block != s->now.number && (s->not_plain[1] || (s->not_plain[0] && s->not_plain[0] != a)))
        return "Blocks have no order: give each entry to one thread, or use an atomic. If a flag "
               "or a "
               "counter says that it is ready, a __threadfence() is missing: in the writer before "
               "it, in the reader behind it.";
    if (m->block != s->now.number)
        return "Blocks have no order: give each entry to one thread, or use an atomic.";
    if (!is_shared(a))
        return "Nothing orders the two: give each entry to one thread (does a loop go on by the "
               "number of threads?), use an atomic where several add to it, or __syncthreads() "
               "where "
               "one needs what another has left.";
    if (!same_warp)
        return "No barrier lies between the two: __syncthreads() is missing, or an index is wrong.";
    return "No barrier lies between the two: __syncthreads() is missing, or an index is wrong. "
           "(Where "
           "a block is one warp, or only lanes of one warp share, __syncwarp() would do; a shuffle "
           "is no barrier.)";
}

static void tell(spw_simt_state *s, const spw_simt_doubt *d) {
    const size_t element = d->array->element ? d->array->element : d->size;
    spw_simt_finding *f =
        spw_simt_find(s, is_shared(d->array) ? SPW_SIMT_SHARED_RACE : SPW_SIMT_GLOBAL_RACE, d->pc,
                      d->array, (int64_t)(d->offset / element), "%s", d->text);
    spw_simt_place_of(f, 1, d->other_pc);
}

/* What the running lane does at pc, against what m did. */
static spw_simt_doubt describe(spw_simt_state *s, spw_simt_array *a, uintptr_t pc, size_t offset,
                               size_t size, spw_simt_access access, spw_simt_manner manner,
                               const spw_simt_word *w, const spw_simt_mark *m) {
    char me[128], other[128];
    const size_t element = a->element ? a->element : size;
    const spw_simt_index index = spw_simt_thread_at(s, m->thread);
    spw_simt_who(s, me, sizeof me, s->lane->index);
    if (m->block == s->now.number) {
        const spw_simt_index mine = s->lane->index;
        if (mine.y || mine.z || index.y || index.z)
            snprintf(other, sizeof other, "thread (%u, %u, %u)", index.x, index.y, index.z);
        else
            snprintf(other, sizeof other, "thread %u", index.x);
    } else {
        snprintf(other, sizeof other, "thread %u of block %u", m->thread,
                 spw_simt_block_number(s, m->block));
    }
    spw_simt_doubt d = {.array = a,
                        .offset = offset,
                        .size = size,
                        .block = s->now.number,
                        .thread = s->lane->number,
                        .pc = pc,
                        .other_pc = spw_simt_site_pc(s, m->site)};
    const bool stores = access != SPW_SIMT_LOAD && m != &w->read;
    snprintf(d.text, sizeof d.text,
             "%s of kernel %.60s %s %s[%zu] at {0},\nwhich %s %s at {1}.\n%s", me,
             s->launch->kernel,
             access == SPW_SIMT_LOAD    ? "reads"
             : access == SPW_SIMT_STORE ? "writes"
                                        : "atomically updates",
             a->name, offset / element, other, did(w, m), cure_of(s, a, m, stores, manner));
    return d;
}

static void report_uninitialised(spw_simt_state *s, spw_simt_array *a, uintptr_t pc, size_t offset,
                                 size_t size) {
    char who[128];
    const bool shared = is_shared(a);
    const size_t element = a->element ? a->element : size;
    spw_simt_find(
        s, SPW_SIMT_UNINITIALISED, pc, a, (int64_t)(offset / element),
        "%s of kernel %.60s reads %s[%zu] at {0},\nwhich nobody has written%s",
        spw_simt_who(s, who, sizeof who, s->lane->index), s->launch->kernel, a->name,
        offset / element,
        shared ? " so far in this block: it holds garbage.\n"
                 "Either nothing is stored there, or a __syncthreads() is missing behind the store."
               : ": it holds garbage.\nFill it by cudaMemcpy or cudaMemset, or write it first.");
}

/* --- doubts --------------------------------------------------------------------------------------- */

/* Memory is as the store before left it: each access settles the one before. */
static void shadow_settle(spw_simt_state *s) {
    spw_simt_doubt *d = &s->doubt[MAX_DOUBTS];
    if (!d->array) return;
    const size_t element = d->array->element ? d->array->element : d->size;
    if (memcmp(d->old, d->array->start + d->offset, d->size) != 0)
        tell(s, d);
    else if (!s->hint[0])
        snprintf(s->hint, sizeof s->hint,
                 "several threads store the same value to %.60s[%zu]: one would do", d->array->name,
                 d->offset / element);
    d->array = NULL;
}

void spw_simt_shadow_insist(spw_simt_state *s) {
    spw_simt_doubt *d = &s->doubt[MAX_DOUBTS];
    if (d->array) tell(s, d);
    d->array = NULL;
}

void spw_simt_shadow_end(spw_simt_state *s) {
    shadow_settle(s);
    for (int k = 0; k < s->n_doubts; k++)
        if (s->doubt[k].array) tell(s, &s->doubt[k]);
    s->n_doubts = 0;
}

/* It compares and swaps there, so that what it read before was a guess. */
static void forget_doubts(spw_simt_state *s, const spw_simt_array *a, size_t offset) {
    for (int k = 0; k < s->n_doubts; k++)
        if (s->doubt[k].array == a && s->doubt[k].offset == offset &&
            s->doubt[k].block == s->now.number && s->doubt[k].thread == s->lane->number)
            s->doubt[k].array = NULL;
    while (s->n_doubts > 0 && !s->doubt[s->n_doubts - 1].array) s->n_doubts--;
}

/* --- order ---------------------------------------------------------------------------------------- */

/* Its site is looked up by who keeps it. */
static spw_simt_mark mark_now(const spw_simt_state *s, spw_simt_way way) {
    return (spw_simt_mark){.block = s->now.number,
                           .epoch = (uint32_t)s->now.epoch << 16 | s->lane->epoch,
                           .time = s->sync_time,
                           .thread = s->lane->number,
                           .way = (uint8_t)way};
}

/* Is what that thread did certainly before what the running lane does now? */
static bool is_before(spw_simt_state *s, const spw_simt_array *a, const spw_simt_mark *m) {
    if (m->block < s->first_block) return true; /* nobody, or another launch */
    if (m->block != s->now.number) return is_shared(a) || spw_simt_is_published(s, m);
    if (m->thread == s->lane->number) return true;
    if (m->epoch >> 16 != s->now.epoch) return true;
    if (m->thread / WARP == s->lane->number / WARP && (m->epoch & 0xffff) < s->lane->epoch)
        return true;
    return spw_simt_is_published(s, m);
}

typedef struct access_now {
    spw_simt_array *a;
    spw_simt_word *w;
    uintptr_t pc;
    size_t offset, size;
    spw_simt_access access;
    spw_simt_manner manner;
} access_now;

static void race(spw_simt_state *s, const access_now *n, const spw_simt_mark *m) {
    const spw_simt_doubt d =
        describe(s, n->a, n->pc, n->offset, n->size, n->access, n->manner, n->w, m);
    const bool guesses = n->access == SPW_SIMT_LOAD && m->way >= WAY_ATOMIC;
    const bool stores =
        n->access == SPW_SIMT_STORE &&
        (m == &n->w->plain || (m == &n->w->atomic && n->manner.way == WAY_VOLATILE));
    if (stores && n->size <= sizeof d.old) {
        s->doubt[MAX_DOUBTS] = d;
        memcpy(s->doubt[MAX_DOUBTS].old, n->a->start + n->offset, n->size);
    } else if (guesses && s->n_doubts < MAX_DOUBTS) {
        s->doubt[s->n_doubts++] = d;
    } else {
        tell(s, &d);
    }
}

static void read_word(spw_simt_state *s, const access_now *n) {
    spw_simt_word *w = n->w;
    const bool is_volatile = n->manner.way == WAY_VOLATILE && !is_shared(n->a);
    if (!is_before(s, n->a, &w->plain))
        race(s, n, &w->plain);
    else if (is_volatile ? spw_simt_what_order_lacks(s, &w->atomic) != NULL
                         : !is_before(s, n->a, &w->atomic))
        race(s, n, &w->atomic);
    const spw_simt_mark now = mark_now(s, n->manner.way), *r = &w->read;
    if (is_volatile && r->block >= s->first_block && r->way != WAY_VOLATILE) return;
    /* The first reading block stays: any write of a second block is a race with the one or the other. */
    if (r->block >= s->first_block && r->block != s->now.number) return;
    if (r->block == s->now.number && r->epoch == now.epoch && r->thread != now.thread) {
        w->other = now.thread;
        return;
    }
    if (r->block == s->now.number && r->epoch == now.epoch && r->time == now.time) return;
    /* A reader since the same barrier of the block must not be forgotten: it may be of another warp. */
    const bool recent = r->block == s->now.number && r->epoch >> 16 == s->now.epoch;
    w->other = recent && r->thread != now.thread ? r->thread : NOBODY;
    w->read = now;
    w->read.site = spw_simt_site(s, n->pc);
}

/* Atomics need no order among each other, but for those that are atomic in their block only. Volatile stores do, unless
 * they publish something beside an atomic (the end of a lock) or answer what was published there. */
static bool both_atomic(spw_simt_state *s, const access_now *n, const spw_simt_mark *m) {
    const bool scoped = n->manner.way == WAY_ATOMIC_BLOCK || m->way == WAY_ATOMIC_BLOCK;
    if (m->block != s->now.number && scoped) return false;
    if (n->manner.way >= WAY_ATOMIC) return true;
    if (n->manner.way != WAY_VOLATILE || is_shared(n->a)) return false;
    return m->way >= WAY_ATOMIC ? s->lane->fence[0].time > 0
                                : spw_simt_has_seen(s, n->a->start + n->offset, m);
}

static void write_word(spw_simt_state *s, const access_now *n) {
    spw_simt_word *w = n->w;
    const bool quiet =
        n->manner.way != WAY_PLAIN && !is_shared(n->a) && w->read.way == WAY_VOLATILE;
    spw_simt_mark other = w->read;
    other.thread = w->other;
    if (!is_before(s, n->a, &w->plain))
        race(s, n, &w->plain);
    else if (!both_atomic(s, n, &w->atomic) && !is_before(s, n->a, &w->atomic))
        race(s, n, &w->atomic);
    else if (!quiet && !is_before(s, n->a, &w->read))
        race(s, n, &w->read);
    else if (!quiet && w->read.block == s->now.number && w->other != NOBODY &&
             !is_before(s, n->a, &other))
        race(s, n, &other);
    spw_simt_mark now = mark_now(s, n->manner.way);
    now.site = spw_simt_site(s, n->pc);
    if (n->manner.way >= WAY_ATOMIC || (n->manner.way == WAY_VOLATILE && !is_shared(n->a)))
        w->atomic = now;
    else
        w->plain = now;
    if (n->manner.compares && w->read.block == s->now.number && w->read.thread == now.thread)
        w->read = (spw_simt_mark){.block = 0};
}

static void keep_order(spw_simt_state *s, const void *address, spw_simt_access access,
                       spw_simt_manner manner) {
    if (manner.way == WAY_PLAIN) return;
    const bool wide = manner.way != WAY_ATOMIC_BLOCK;
    if (access != SPW_SIMT_STORE) spw_simt_acquire(s, address, wide, manner.compares);
    if (access != SPW_SIMT_LOAD) spw_simt_release(s, address, wide);
}

static inline bool is_written(const uint8_t *written, size_t size) {
    uint32_t four;
    if (size % sizeof four) return !memchr(written, 0, size);
    for (size_t k = 0; k < size; k += sizeof four) {
        memcpy(&four, written + k, sizeof four);
        if (four != 0x01010101) return false;
    }
    return true;
}

void spw_simt_shadow_access(spw_simt_state *s, spw_simt_array *a, uintptr_t pc, size_t offset,
                            size_t size, spw_simt_access access, spw_simt_manner manner) {
    shadow_settle(s);
    const bool eights = (offset | size) % WIDE == 0;
    if (!a->words) make_shadow(a, eights ? WIDE : UNIT);
    const bool reads = access != SPW_SIMT_STORE && !manner.exchanges;
    if (reads && a->written && !is_written(a->written + offset, size))
        report_uninitialised(s, a, pc, offset, size);
    if (access != SPW_SIMT_LOAD && a->written) memset(a->written + offset, 1, size);
    if (access == SPW_SIMT_ATOMIC) keep_order(s, a->start + offset, SPW_SIMT_LOAD, manner);
    if (manner.compares) forget_doubts(s, a, offset);
    if (size < a->unit || (a->unit == WIDE && !eights)) refine(a, size < UNIT ? size : UNIT);
    const size_t unit = a->unit;
    for (size_t word = offset / unit; word <= (offset + size - 1) / unit; word++) {
        const access_now now = {a, &a->words[word], pc, offset, size, access, manner};
        if (access == SPW_SIMT_LOAD)
            read_word(s, &now);
        else
            write_word(s, &now);
    }
    keep_order(s, a->start + offset, access == SPW_SIMT_ATOMIC ? SPW_SIMT_STORE : access, manner);
    if (manner.way != WAY_PLAIN && s->not_plain[0] != a) {
        s->not_plain[1] = s->not_plain[0];
        s->not_plain[0] = a;
    }
}

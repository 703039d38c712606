/* Which writes of other threads are certainly over: publication through atomics and volatile variables.
 *
 * A thread that has passed a __threadfence and then updates a variable atomically, or stores to a volatile one,
 * leaves a release there: its own writes before the fence are in order for whoever reads the variable afterwards, by
 * an atomic or a volatile load; so are the writes that a barrier had put before the fence. What it knew itself of others goes
 * along. A __threadfence_block, and an atomic that ends in _block, do so for the threads of the block alone. That is publication for each datum by its time, the happens-before of HiRace (J. Jacobson et al., SC24) with one
 * release for each block and variable; where several threads of a block released there, their order is not kept.
 * Who takes a lock, by a compare-and-swap, knows what is over behind a fence of its own or a barrier. */
#include "simt/trace.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { ANY = 0xffff, MOST_TRANSITIVE = 256 };

typedef struct release {
    uint32_t block;
    struct {
        uint32_t time, epoch;
    } until[2];      /* for the threads of its block, and for all */
    uint16_t thread; /* ANY: several of the block */
} release;

/* A variable through which threads publish. */
typedef struct variable {
    release *list; /* [n], one for each block */
    size_t n, room;
    uint32_t block, epoch;              /* the block that read it last, and when it did first */
    uint32_t readers[MAX_THREADS / 32]; /* of that block */
} variable;

/* What the running block knows of another, or of itself, and from where. */
typedef struct knowledge {
    release of;
    uint32_t variable; /* its number + 1; 0: nothing is known */
    uint32_t block;    /* the block that knows it */
    uint32_t time;     /* since when; of a compare-and-swap only, else 0 */
    uint16_t thread;   /* of that */
} knowledge;

struct spw_simt_releases {
    spw_simt_table addresses;
    variable *variables;
    size_t variables_room;
    knowledge *known; /* [blocks of the launch] */
    size_t known_room;
    uint32_t *acquired; /* numbers of blocks of which the running one knows something */
    size_t n_acquired, acquired_room;
    uint32_t knower; /* the block that these are of */
};

spw_status spw_simt_releases_create(struct spw_simt_releases **releases) {
    return SPW_ALLOC_ZERO(releases, 1);
}

static void forget(struct spw_simt_releases *o) {
    for (uint32_t k = 0; k < o->addresses.n; k++) spw_free(o->variables[k].list);
    spw_simt_table_destroy(&o->addresses);
    memset(&o->addresses, 0, sizeof o->addresses);
}

void spw_simt_releases_destroy(struct spw_simt_releases *o) {
    if (!o) return;
    forget(o);
    spw_free(o->variables);
    spw_free(o->known);
    spw_free(o->acquired);
    spw_free(o);
}

/* The end of a launch is a barrier of all. */
void spw_simt_releases_launch(spw_simt_state *s, int64_t blocks) {
    struct spw_simt_releases *o = s->releases;
    void *known = o->known;
    forget(o);
    spw_simt_grow(&known, &o->known_room, (size_t)blocks, sizeof *o->known);
    o->known = known;
    memset(o->known, 0, (size_t)blocks * sizeof *o->known);
    o->n_acquired = 0;
    s->sync_time = 1;
}

static variable *variable_at(spw_simt_state *s, const void *address) {
    const uint32_t k = spw_simt_table_find(&s->releases->addresses, (uintptr_t)address, 0);
    return k == UINT32_MAX ? NULL : &s->releases->variables[k];
}

static variable *make_variable(spw_simt_state *s, const void *address) {
    struct spw_simt_releases *o = s->releases;
    const uint32_t before = o->addresses.n;
    const uint32_t k = spw_simt_table_number(&o->addresses, (uintptr_t)address, 0);
    if (k == before) {
        void *variables = o->variables;
        spw_simt_grow(&variables, &o->variables_room, k + 1, sizeof *o->variables);
        o->variables = variables;
        o->variables[k] = (variable){.n = 0};
    }
    return &o->variables[k];
}

static void put(variable *v, const release *r) {
    for (size_t k = v->n; k-- > 0;) { /* the running block's is the last */
        release *old = &v->list[k];
        if (old->block != r->block) continue;
        if (old->thread != r->thread) old->thread = ANY;
        for (int wide = 0; wide < 2; wide++)
            if (r->until[wide].time > old->until[wide].time) old->until[wide] = r->until[wide];
        return;
    }
    void *list = v->list;
    spw_simt_grow(&list, &v->room, v->n + 1, sizeof *v->list);
    v->list = list;
    v->list[v->n++] = *r;
}

void spw_simt_fence(int wide) {
    spw_simt_state *s = spw_simt_now;
    if (!s || !s->lane || !s->options.check) return;
    s->sync_time++;
    for (int k = 0; k <= (wide != 0); k++) {
        s->lane->fence[k].time = s->sync_time;
        s->lane->fence[k].epoch = (uint32_t)s->now.epoch << 16 | s->lane->epoch;
    }
}

static knowledge *known_of(spw_simt_state *s, uint32_t block) {
    knowledge *k = &s->releases->known[block - s->first_block];
    return k->variable && k->block == s->now.number ? k : NULL;
}

void spw_simt_release(spw_simt_state *s, const void *address, bool wide) {
    struct spw_simt_releases *o = s->releases;
    const spw_simt_lane_state *lane = s->lane;
    if (!lane->fence[0].time) return;
    variable *v = make_variable(s, address);
    release r = {.block = s->now.number, .thread = lane->number};
    for (int k = 0; k <= wide; k++) {
        r.until[k].time = lane->fence[k].time;
        r.until[k].epoch = lane->fence[k].epoch;
    }
    put(v, &r);
    if (!wide || o->knower != s->now.number || o->n_acquired > MOST_TRANSITIVE) return;
    for (size_t k = 0; k < o->n_acquired; k++) {
        const knowledge *of = known_of(s, o->acquired[k]);
        if (of && of->of.block != s->now.number) put(v, &of->of);
    }
}

void spw_simt_acquire(spw_simt_state *s, const void *address, bool wide, bool swaps) {
    struct spw_simt_releases *o = s->releases;
    variable *v = variable_at(s, address);
    if (!v) return;
    const uint32_t number = (uint32_t)(v - o->variables), me = s->lane->number;
    if (o->knower != s->now.number) o->n_acquired = 0;
    o->knower = s->now.number;
    const bool fresh = v->block != s->now.number;
    if (fresh) {
        v->block = s->now.number;
        v->epoch = (uint32_t)s->now.epoch << 16 | s->lane->epoch;
        memset(v->readers, 0, sizeof v->readers);
    }
    v->readers[me / 32] |= 1u << me % 32;
    /* Other blocks run before or after this one: what they left there is read once. */
    for (size_t k = 0; k < v->n; k++) {
        if (!(fresh && wide) && v->list[k].block != s->now.number) continue;
        knowledge *of = &o->known[v->list[k].block - s->first_block];
        if (!(of->variable && of->block == s->now.number)) {
            void *acquired = o->acquired;
            spw_simt_grow(&acquired, &o->acquired_room, o->n_acquired + 1, sizeof *o->acquired);
            o->acquired = acquired;
            o->acquired[o->n_acquired++] = v->list[k].block;
        } else if (of->of.until[0].time > v->list[k].until[0].time) {
            continue;
        }
        *of = (knowledge){v->list[k], number + 1, s->now.number, swaps ? s->sync_time : 0,
                          (uint16_t)me};
    }
}

/* Does the running lane know, by a variable that it read or that was read before its last barrier, that it is over? */
static bool is_known(spw_simt_state *s, const spw_simt_mark *m, bool wide, bool fenced) {
    const knowledge *of = known_of(s, m->block);
    if (!of || m->time >= of->of.until[wide].time) return false;
    const variable *v = &s->releases->variables[of->variable - 1];
    const uint32_t me = s->lane->number, epoch = of->of.until[wide].epoch;
    const bool waited = v->epoch >> 16 != s->now.epoch;
    if (!(v->readers[me / 32] >> me % 32 & 1) && !waited) return false;
    if (fenced && of->time && of->thread == me && !waited && s->lane->fence[wide].time <= of->time)
        return false;
    return of->of.thread == ANY || of->of.thread == m->thread || m->epoch >> 16 < epoch >> 16 ||
           (of->of.thread / WARP == m->thread / WARP && m->epoch < epoch);
}

bool spw_simt_is_published(spw_simt_state *s, const spw_simt_mark *m) {
    return is_known(s, m, m->block != s->now.number, true);
}

const char *spw_simt_what_order_lacks(spw_simt_state *s, const spw_simt_mark *m) {
    const bool wide = m->block != s->now.number;
    if (m->block < s->first_block || is_known(s, m, wide, true)) return NULL;
    if (is_known(s, m, wide, false))
        return wide && s->lane->fence[0].time > s->lane->fence[1].time
                   ? "Behind the atomicCAS there is a __threadfence_block(), which orders for the "
                     "threads "
                     "of the block only: it takes __threadfence()."
                   : "A __threadfence() is missing behind the atomicCAS that takes the lock: what "
                     "follows "
                     "may be done before it.";
    if (wide && is_known(s, m, false, false))
        return "A __threadfence_block() orders for the threads of its own block only: what other "
               "blocks "
               "are to see wants __threadfence().";
    return NULL;
}

bool spw_simt_has_seen(spw_simt_state *s, const void *address, const spw_simt_mark *m) {
    const variable *v = variable_at(s, address);
    const uint32_t me = s->lane->number;
    if (!v || v->block != s->now.number || !(v->readers[me / 32] >> me % 32 & 1)) return false;
    for (size_t k = 0; k < v->n; k++)
        if (v->list[k].block == m->block)
            return v->list[k].thread == ANY || v->list[k].thread == m->thread;
    return false;
}

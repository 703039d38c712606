/* Which writes of other threads are certainly over: publication through atomics and volatile variables.
 *
 * A thread that has passed a __threadfence and then updates a variable atomically, or stores to a volatile one,
 * leaves a release there: its own writes before the fence are in order for whoever reads the variable afterwards, by
 * an atomic or a volatile load; so are the writes that a barrier had put before the fence. What it knew itself of others goes
 * along. That is publication for each datum by its time, the happens-before of HiRace (J. Jacobson et al., SC24) with one
 * release for each block and variable; where several threads of a block released there, their order is not kept. */
#include "simt/trace.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { ANY = 0xffff, MOST_TRANSITIVE = 256 };

typedef struct release {
    uint32_t block, epoch, time;
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

spw_status spw_simt_releases_create(struct spw_simt_releases **releases)
{
    return SPW_ALLOC_ZERO(releases, 1);
}

static void forget(struct spw_simt_releases *o)
{
    for (uint32_t k = 0; k < o->addresses.n; k++) spw_free(o->variables[k].list);
    spw_simt_table_destroy(&o->addresses);
    memset(&o->addresses, 0, sizeof o->addresses);
}

void spw_simt_releases_destroy(struct spw_simt_releases *o)
{
    if (!o) return;
    forget(o);
    spw_free(o->variables);
    spw_free(o->known);
    spw_free(o->acquired);
    spw_free(o);
}

/* The end of a launch is a barrier of all. */
void spw_simt_releases_launch(spw_simt_state *s, int64_t blocks)
{
    struct spw_simt_releases *o = s->releases;
    void *known = o->known;
    forget(o);
    spw_simt_grow(&known, &o->known_room, (size_t)blocks, sizeof *o->known);
    o->known = known;
    memset(o->known, 0, (size_t)blocks * sizeof *o->known);
    o->n_acquired = 0;
    s->sync_time = 1;
}

static variable *variable_at(spw_simt_state *s, const void *address, bool create)
{
    struct spw_simt_releases *o = s->releases;
    if (!create && o->addresses.n == 0) return NULL;
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

static void put(variable *v, const release *r)
{
    for (size_t k = 0; k < v->n; k++) {
        release *old = &v->list[k];
        if (old->block != r->block) continue;
        if (old->thread != r->thread) old->thread = ANY;
        if (r->time > old->time) {
            old->time = r->time;
            old->epoch = r->epoch;
        }
        return;
    }
    void *list = v->list;
    spw_simt_grow(&list, &v->room, v->n + 1, sizeof *v->list);
    v->list = list;
    v->list[v->n++] = *r;
}

void spw_simt_fence(void)
{
    spw_simt_state *s = spw_simt_now;
    if (!s || !s->lane || !s->options.check) return;
    s->lane->fenced = ++s->sync_time;
    s->lane->fence_epoch = (uint32_t)s->epoch << 16 | s->lane->epoch;
}

static knowledge *known_of(spw_simt_state *s, uint32_t block)
{
    knowledge *k = &s->releases->known[block - s->first_block];
    return k->variable && k->block == s->block ? k : NULL;
}

void spw_simt_release(spw_simt_state *s, const void *address)
{
    struct spw_simt_releases *o = s->releases;
    if (!s->lane->fenced) return;
    variable *v = variable_at(s, address, true);
    put(v, &(release){s->block, s->lane->fence_epoch, s->lane->fenced, s->lane->number});
    if (o->knower != s->block || o->n_acquired > MOST_TRANSITIVE) return;
    for (size_t k = 0; k < o->n_acquired; k++) {
        const knowledge *of = known_of(s, o->acquired[k]);
        if (of && of->of.block != s->block) put(v, &of->of);
    }
}

void spw_simt_acquire(spw_simt_state *s, const void *address)
{
    struct spw_simt_releases *o = s->releases;
    variable *v = variable_at(s, address, false);
    if (!v) return;
    const uint32_t number = (uint32_t)(v - o->variables), me = s->lane->number;
    if (o->knower != s->block) o->n_acquired = 0;
    o->knower = s->block;
    const bool fresh = v->block != s->block;
    if (fresh) {
        v->block = s->block;
        v->epoch = (uint32_t)s->epoch << 16 | s->lane->epoch;
        memset(v->readers, 0, sizeof v->readers);
    }
    v->readers[me / 32] |= 1u << me % 32;
    /* Other blocks run before or after this one: what they left there is read once. */
    for (size_t k = 0; k < v->n; k++) {
        if (!fresh && v->list[k].block != s->block) continue;
        knowledge *of = &o->known[v->list[k].block - s->first_block];
        if (!(of->variable && of->block == s->block)) {
            void *acquired = o->acquired;
            spw_simt_grow(&acquired, &o->acquired_room, o->n_acquired + 1, sizeof *o->acquired);
            o->acquired = acquired;
            o->acquired[o->n_acquired++] = v->list[k].block;
        } else if (of->of.time > v->list[k].time) {
            continue;
        }
        *of = (knowledge){v->list[k], number + 1, s->block};
    }
}

/* Does the running lane know, by a variable that it read or that was read before its last barrier, that it is over? */
bool spw_simt_is_published(spw_simt_state *s, const spw_simt_mark *m)
{
    const knowledge *of = known_of(s, m->block);
    if (!of || m->time >= of->of.time) return false;
    const variable *v = &s->releases->variables[of->variable - 1];
    const uint32_t me = s->lane->number;
    if (!(v->readers[me / 32] >> me % 32 & 1) && v->epoch >> 16 == s->epoch) return false;
    return of->of.thread == ANY || of->of.thread == m->thread ||
           m->epoch >> 16 < of->of.epoch >> 16 ||
           (of->of.thread / WARP == m->thread / WARP && m->epoch < of->of.epoch);
}

/* Uninitialised reads and races: a shadow of every byte and of every four bytes.
 *
 * A word remembers who wrote it last and who read it last, with the block's and the warp's count of
 * barriers at that time. Two accesses of one block are in order if a barrier of both lies between them:
 * the block's count grew, or the two are of one warp and the warp's count grew. Two blocks of a launch are
 * in order only if one published (wrote, then __threadfence, then an atomic) and the other asked (an
 * atomic) before it read: the pattern of "the last block sums up". Accesses of which none writes, or of
 * which both are atomic, need no order. Threads run in turn here, so this finds the race and not luck. */
#include "simt/state.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

enum { NOBODY = 0xffff, FENCED = 1, PUBLISHED = 2 };

static void *map(size_t size)
{
    void *p = spw_simt_map(size);
    if (!p) spw_simt_out_of_memory();
    return p;
}

static void make_shadow(spw_simt_array *a)
{
    const bool shared = a->space == SPACE_SHARED || a->space == SPACE_DYNAMIC;
    const size_t size = a->space == SPACE_DYNAMIC ? MAX_SHARED : a->size;
    a->words_size = (size / 4 + 2) * sizeof *a->words;
    a->words = map(a->words_size);
    if (!shared) return;
    a->shadow_size = size;
    a->written = map(size);
}

void spw_simt_shadow_launch(spw_simt_state *s)
{
    const spw_simt_index g = s->launch->grid;
    const size_t blocks = (size_t)g.x * g.y * g.z;
    void *published = s->published;
    if (blocks > s->published_size) {
        spw_simt_grow(&published, &s->published_size, blocks, 1);
        s->published = published;
    }
    memset(s->published, 0, blocks);
}

void spw_simt_fence(void)
{
    spw_simt_state *s = spw_simt_now;
    if (s && s->lane && s->options.check) s->published[s->block - s->first_block] |= FENCED;
}

/* --- words ---------------------------------------------------------------------------------------- */

static const char *did(bool writes, bool atomic)
{
    return atomic ? "updated atomically" : writes ? "wrote" : "read";
}

static void report_race(spw_simt_state *s, spw_simt_array *a, uintptr_t pc, size_t offset,
                        size_t size, spw_simt_access access, uint32_t block, uint16_t thread,
                        uint32_t site, const char *earlier)
{
    char me[128], other[128];
    const bool shared = a->space == SPACE_SHARED || a->space == SPACE_DYNAMIC;
    const size_t element = a->element ? a->element : size;
    spw_simt_index index = spw_simt_thread_at(s, thread);
    spw_simt_who(s, me, sizeof me, s->lane->index);
    if (block == s->block) {
        const spw_simt_index mine = s->lane->index;
        if (mine.y || mine.z || index.y || index.z)
            snprintf(other, sizeof other, "thread (%u, %u, %u)", index.x, index.y, index.z);
        else
            snprintf(other, sizeof other, "thread %u", index.x);
    } else {
        snprintf(other, sizeof other, "thread %u of block %u", thread, block - s->first_block);
    }
    const bool same_warp = block == s->block && thread / WARP == s->lane->number / WARP;
    const char *cure =
        block != s->block ? "Blocks have no order: give each entry to one thread, or use an atomic."
        : !shared    ? "No barrier lies between the two: __syncthreads() is missing, or an atomic."
        : !same_warp ? "No barrier lies between the two: __syncthreads() is missing."
        : s->n_warps == 1 ? "No barrier lies between the two: lanes of a warp need a __syncwarp() "
                            "(a shuffle is none)."
                          : "No barrier lies between the two: __syncthreads() is missing "
                            "(__syncwarp() would do where "
                            "only lanes of one warp share; a shuffle is no barrier).";
    spw_simt_finding *f = spw_simt_find(
        s, shared ? SPW_SIMT_SHARED_RACE : SPW_SIMT_GLOBAL_RACE, pc, a, (int64_t)(offset / element),
        "%s of kernel %.60s %s %s[%zu] at {0},\nwhich %s %s at {1}.\n%s", me, s->launch->kernel,
        access == SPW_SIMT_LOAD    ? "reads"
        : access == SPW_SIMT_STORE ? "writes"
                                   : "atomically updates",
        a->name, offset / element, other, earlier, cure);
    spw_simt_place_of(f, 1, spw_simt_site_pc(s, site));
}

static void report_uninitialised(spw_simt_state *s, spw_simt_array *a, uintptr_t pc, size_t offset,
                                 size_t size)
{
    char who[128];
    const bool shared = a->space == SPACE_SHARED || a->space == SPACE_DYNAMIC;
    const size_t element = a->element ? a->element : size;
    spw_simt_find(
        s, SPW_SIMT_UNINITIALISED, pc, a, (int64_t)(offset / element),
        "%s of kernel %.60s reads %s[%zu] at {0},\nwhich nobody has written%s",
        spw_simt_who(s, who, sizeof who, s->lane->index), s->launch->kernel, a->name,
        offset / element,
        shared ? " so far in this block: is a barrier missing?"
               : ": it holds garbage.\nFill it by cudaMemcpy or cudaMemset, or write it first.");
}

/* --- order ---------------------------------------------------------------------------------------- */

static uint32_t epoch_now(const spw_simt_state *s)
{
    return (uint32_t)s->epoch << 16 | s->lane->epoch;
}

/* Is what that thread did, at that epoch, certainly before what the running lane does now? */
static bool is_before(const spw_simt_state *s, const spw_simt_array *a, uint32_t block,
                      uint16_t thread, uint32_t epoch)
{
    if (block < s->first_block) return true; /* nobody, or another launch */
    if (block != s->block && (a->space == SPACE_SHARED || a->space == SPACE_DYNAMIC)) return true;
    if (block != s->block)
        return s->published[block - s->first_block] & PUBLISHED &&
               s->published[s->block - s->first_block] & PUBLISHED;
    if (thread == s->lane->number) return true;
    if (epoch >> 16 != s->epoch) return true;
    return thread / WARP == s->lane->number / WARP && (epoch & 0xffff) < s->lane->epoch;
}

static void read_word(spw_simt_state *s, spw_simt_array *a, spw_simt_word *w, uintptr_t pc,
                      size_t offset, size_t size)
{
    if (!is_before(s, a, w->w_block, w->w_thread, w->w_epoch))
        report_race(s, a, pc, offset, size, SPW_SIMT_LOAD, w->w_block, w->w_thread, w->w_site,
                    did(true, w->w_atomic));
    const uint32_t now = epoch_now(s);
    /* The first reading block stays: any write of a second block is a race with the one or the other. */
    if (w->r_block >= s->first_block && w->r_block != s->block) return;
    if (w->r_block == s->block && w->r_epoch == now && w->r_thread != s->lane->number) {
        w->r_other = s->lane->number;
        return;
    }
    if (w->r_block == s->block && w->r_epoch == now) return;
    /* A reader since the same barrier of the block must not be forgotten: it may be of another warp. */
    const bool recent = w->r_block == s->block && w->r_epoch >> 16 == s->epoch;
    w->r_other = recent && w->r_thread != s->lane->number ? w->r_thread : NOBODY;
    w->r_block = s->block;
    w->r_thread = s->lane->number;
    w->r_epoch = now;
    w->r_site = spw_simt_site(s, pc);
}

static void write_word(spw_simt_state *s, spw_simt_array *a, spw_simt_word *w, uintptr_t pc,
                       size_t offset, size_t size, bool atomic)
{
    const spw_simt_access access = atomic ? SPW_SIMT_ATOMIC : SPW_SIMT_STORE;
    if (!(atomic && w->w_atomic) && !is_before(s, a, w->w_block, w->w_thread, w->w_epoch))
        report_race(s, a, pc, offset, size, access, w->w_block, w->w_thread, w->w_site,
                    did(true, w->w_atomic));
    else if (!is_before(s, a, w->r_block, w->r_thread, w->r_epoch))
        report_race(s, a, pc, offset, size, access, w->r_block, w->r_thread, w->r_site,
                    did(false, false));
    else if (w->r_block == s->block && w->r_other != NOBODY &&
             !is_before(s, a, w->r_block, w->r_other, w->r_epoch))
        report_race(s, a, pc, offset, size, access, w->r_block, w->r_other, w->r_site,
                    did(false, false));
    if (w->w_block != s->block || w->w_thread != s->lane->number || w->w_epoch != epoch_now(s) ||
        w->w_atomic != atomic)
        w->w_site = spw_simt_site(s, pc);
    w->w_block = s->block;
    w->w_thread = s->lane->number;
    w->w_epoch = epoch_now(s);
    w->w_atomic = atomic;
}

void spw_simt_shadow_access(spw_simt_state *s, spw_simt_array *a, uintptr_t pc, size_t offset,
                            size_t size, spw_simt_access access)
{
    if (!a->words) make_shadow(a);
    if (access != SPW_SIMT_STORE && a->written && memchr(a->written + offset, 0, size))
        report_uninitialised(s, a, pc, offset, size);
    if (access != SPW_SIMT_LOAD && a->written) memset(a->written + offset, 1, size);
    if (access == SPW_SIMT_ATOMIC && s->published[s->block - s->first_block] & FENCED)
        s->published[s->block - s->first_block] |= PUBLISHED;
    /* Bytes of one word may belong to different threads. */
    if (size < 4) return;
    /* One word of a double tells as much as both. */
    for (size_t word = offset / 4; word <= (offset + size - 1) / 4; word += size >= 8 ? 2 : 1) {
        if (access == SPW_SIMT_LOAD)
            read_word(s, a, &a->words[word], pc, offset, size);
        else
            write_word(s, a, &a->words[word], pc, offset, size, access == SPW_SIMT_ATOMIC);
    }
}

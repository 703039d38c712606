/* Check TRAFFIC: what the checker counted, against the bounds of the part, and against ways around them: no kernel,
 * hardly a thread, arrays of one's own. */
#include "judge/sectors.h"

#include "simt/simt.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of a warp's 32 lanes, and of the blocks that are at work. */
enum { FEWEST_LANES = 4, WARP = 32, FEWEST_BLOCKS = 3 };
static const double LARGE_SHARE = 0.25; /* of all sectors: launches or arrays that count */
static const double SMALL_SHARE = 0.05;

static const char *const verbs[] = {"loads of", "stores to", "atomics on"};

static const spw_array *array_named(const spw_trial *t, const char *name) {
    for (int k = 0; k < t->n_arrays; k++)
        if (strcmp(t->arrays[k].name, name) == 0) return &t->arrays[k];
    return NULL;
}

/* The counts of one array, all lines together; line and kernel are those of most sectors. */
static spw_simt_row sum_of(const char *array, spw_access access) {
    spw_simt_row sum = {.requests = 0};
    int64_t most = -1;
    for (int k = 0; k < spw_simt_row_count(); k++) {
        const spw_simt_row *r = spw_simt_row_at(k);
        if (r->shared || (int)r->access != (int)access || strcmp(r->array, array) != 0) continue;
        sum.requests += r->requests;
        sum.sectors += r->sectors;
        sum.lanes += r->lanes;
        sum.most += r->most;
        if (r->size > sum.size) sum.size = r->size;
        if (r->sectors > most) {
            most = r->sectors;
            sum.line = r->line;
        }
    }
    return sum;
}

static void judge_bound(const spw_sector_bound *b, const spw_array *a, const spw_simt_row *row,
                        char *why, size_t size) {
    const double each = (double)row->sectors / (double)row->requests;
    const double held = a ? (double)(a->count * a->item) / 32 : 0;
    const double times = held > 0 ? (double)row->sectors / held : 0;
    /* a lane that loads a double2 may take twice the sectors of one that loads a double */
    const double wide = a && row->size > a->item ? (double)row->size / (double)a->item : 1;
    const char *hint = b->hint ? b->hint : "", *nl = b->hint ? "\n" : "";
    if (b->per_request > 0 && each > wide * b->per_request)
        snprintf(why, size, "line %d: %s %s take %.1f sectors a request, at most %.1f%s%s",
                 row->line, verbs[b->access], b->array, each, wide * b->per_request, nl, hint);
    else if (b->times_size > 0 && times > b->times_size)
        snprintf(why, size, "line %d: %s %s move %.1f times what it holds, at most %.1f times%s%s",
                 row->line, verbs[b->access], b->array, times, b->times_size, nl, hint);
    else if (b->per_block > 0 && row->most > b->per_block)
        snprintf(why, size, "line %d: a block makes %lld requests of %s %s, at most %lld%s%s",
                 row->line, (long long)row->most, verbs[b->access], b->array,
                 (long long)b->per_block, nl, hint);
}

/* A bound on an array that no kernel touches would be kept by doing nothing. What may be left out are atomics, and
 * loads of a result: to bound those is to forbid them. */
static void judge_bounds(const spw_trial *t, bool own_case, char *why, size_t size) {
    for (const spw_sector_bound *b = t->part->bounds; b && b->array && !why[0]; b++) {
        const spw_simt_row row = sum_of(b->array, b->access);
        const spw_array *a = array_named(t, b->array);
        if (b->of_case && !own_case) continue;
        if (row.requests > 0)
            judge_bound(b, a, &row, why, size);
        else if (a && a->count > 0 && b->access != SPW_ATOMICS &&
                 a->role != (b->access == SPW_LOADS ? SPW_OUTPUT : SPW_INPUT))
            snprintf(why, size,
                     "no kernel %s %s. The work is done by kernels, on the arrays that %s gets:\n"
                     "neither by the host nor on copies",
                     b->access == SPW_LOADS ? "loads" : "stores to", b->array, t->part->function);
    }
}

/* Arrays that the answer allocated are held to the loosest of the bounds, and are not where the work is done: the host
 * can read some of them. */
static void judge_own_arrays(const spw_trial *t, int64_t all, char *why, size_t size) {
    double each = 0;
    int64_t per_block = 0, own = 0, most = 0;
    const char *largest = "";
    for (const spw_sector_bound *b = t->part->bounds; b && b->array; b++) {
        if (b->access != SPW_ATOMICS && b->per_request > each) each = b->per_request;
        if (b->access == SPW_ATOMICS && b->per_block > per_block) per_block = b->per_block;
    }
    for (int k = 0; k < spw_simt_row_count() && !why[0]; k++) {
        const spw_simt_row *r = spw_simt_row_at(k);
        if (r->shared || array_named(t, r->array) || !r->requests) continue;
        const double wide = r->size > 8 ? r->size / 8.0 : 1;
        const double got = (double)r->sectors / (double)r->requests;
        own += r->sectors;
        if (r->sectors > most) largest = r->array, most = r->sectors;
        if (r->access == SPW_SIMT_ATOMIC && per_block > 0 && r->most > per_block)
            snprintf(why, size,
                     "line %d: a block makes %lld requests of atomics on %.60s, an array of your "
                     "own,\nat most %lld: add up the block's threads first",
                     r->line, (long long)r->most, r->array, (long long)per_block);
        else if (r->access != SPW_SIMT_ATOMIC && each > 0 && got > wide * each &&
                 (double)r->sectors > SMALL_SHARE * (double)all)
            snprintf(why, size,
                     "line %d: %s %.60s, an array of your own, take %.1f sectors a request,\n"
                     "at most %.1f: neighbouring lanes use neighbouring entries",
                     r->line, verbs[r->access], r->array, got, wide * each);
    }
    if (!why[0] && t->part->bounds && (double)own > LARGE_SHARE * (double)all &&
        own >= SPW_SIMT_FEW_THREADS)
        snprintf(why, size,
                 "%.0f %% of all sectors are moved in arrays of your own (%.60s): the work is done "
                 "on\nthe arrays that %s gets, by its kernels",
                 100.0 * (double)own / (double)all, largest, t->part->function);
}

/* Too few threads are the cause of what else is found. */
static void judge_launch(const spw_trial *t, int64_t all, char *why, size_t size) {
    const spw_simt_launched *l = spw_simt_thin();
    const bool thin = !t->part->in_steps && (double)l->sectors > LARGE_SHARE * (double)all &&
                      l->sectors >= SPW_SIMT_FEW_THREADS;
    if (thin && l->threads < WARP)
        snprintf(why, size,
                 "line %d: %.60s is launched with %lld thread%s a block. A warp has 32 lanes, and "
                 "those\nthat have no thread do nothing: blocks are of 32 threads or a multiple",
                 l->line, l->kernel, (long long)l->threads, l->threads == 1 ? "" : "s");
    else if (thin && l->blocks * l->threads < SPW_SIMT_FEW_THREADS)
        snprintf(why, size,
                 "line %d: %.60s is launched with %lld threads in all, <<<%lld, %lld>>>. One "
                 "multiprocessor\nhas room for 2048, and a GPU has a hundred of them: they would "
                 "be idle",
                 l->line, l->kernel, (long long)(l->blocks * l->threads), (long long)l->blocks,
                 (long long)l->threads);
    else if (thin)
        snprintf(why, size,
                 "line %d: %.60s is launched with %lld block%s. A block runs on one "
                 "multiprocessor, and\na GPU has a hundred of them: the others would be idle",
                 l->line, l->kernel, (long long)l->blocks, l->blocks == 1 ? "" : "s");
}

/* Sectors a request say nothing of how many lanes and blocks are at work. */
static void judge_lanes(const spw_trial *t, int64_t all, char *why, size_t size) {
    for (const spw_sector_bound *b = t->part->bounds; b && b->array && !why[0]; b++) {
        const spw_simt_row row = sum_of(b->array, b->access);
        const bool counts = (double)row.sectors > SMALL_SHARE * (double)all;
        if (b->access == SPW_ATOMICS || !counts) continue;
        if (row.most * FEWEST_BLOCKS > row.requests)
            snprintf(
                why, size,
                "line %d: one block makes %lld of the %lld requests of %s %s: the other blocks "
                "have\nlittle to do, and so have the multiprocessors that they run on",
                row.line, (long long)row.most, (long long)row.requests, verbs[b->access], b->array);
        else if (row.lanes < FEWEST_LANES * row.requests)
            snprintf(why, size,
                     "line %d: of the 32 lanes of a warp %.1f are at work in %s %s, on average",
                     row.line, (double)row.lanes / (double)row.requests, verbs[b->access],
                     b->array);
    }
}

void spw_judge_sectors(const spw_trial *t, bool own_case, char *why, size_t size) {
    const bool whole = own_case && t->part->bounds; /* else arrays alone are looked at */
    int64_t all = 0;
    for (int k = 0; k < spw_simt_row_count(); k++)
        if (!spw_simt_row_at(k)->shared) all += spw_simt_row_at(k)->sectors;
    why[0] = 0;
    if (whole) judge_launch(t, all, why, size);
    if (!why[0]) judge_bounds(t, own_case, why, size);
    if (!why[0]) judge_own_arrays(t, all, why, size);
    if (!why[0] && whole) judge_lanes(t, all, why, size);
}

void spw_judge_timeline(const spw_part *part, char *why, size_t size) {
    const spw_simt_timeline_sum sum = spw_simt_timeline();
    const double could = sum.serial - sum.bound,
                 hidden = could > 0 ? (sum.serial - sum.total) / could : 0;
    if (!sum.n[SPW_SIMT_TO_DEVICE] || !sum.n[SPW_SIMT_KERNELS])
        snprintf(why, size, "no %s: nothing can be hidden",
                 sum.n[SPW_SIMT_KERNELS] ? "copy to the device" : "kernel");
    else if (hidden < part->hidden)
        snprintf(why, size,
                 "%.0f %% is hidden of what copies and kernels could hide of each other, at "
                 "least %.0f %%.\n"
                 "In the timeline one engine stands still while the other works. %s",
                 fmax(0, 100 * hidden), 100 * part->hidden,
                 sum.host_waits   ? "The host lets it\nwait: it waits for the device in between"
                 : sum.one_stream ? "A stream does:\nit has copies and kernels, and does one after "
                                    "the other"
                 : sum.by_default
                     ? "A stream does:\nthe default one waits for all others, and they "
                       "for it"
                     : "An event does:\na copy has to wait for the kernel that used its "
                       "buffer, not for the one after it.\nAre there two buffers, and "
                       "does each have its own events?");
}

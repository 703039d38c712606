/* A launch: checks what CUDA would refuse, then runs the blocks in turn. And what kernels ask about
 * themselves: indices, shared memory. */
#include "simt/state.h"

#include <stdio.h>
#include <string.h>

/* --- indices -------------------------------------------------------------------------------------- */

spw_simt_index spw_simt_thread_index(void) {
    const spw_simt_state *s = spw_simt_now;
    return s && s->lane ? s->lane->index : (spw_simt_index){0, 0, 0};
}

spw_simt_index spw_simt_block_index(void) { return spw_simt_now->now.index; }

spw_simt_index spw_simt_block_size(void) {
    const spw_simt_launch *l = spw_simt_now->launch;
    return l ? l->block : (spw_simt_index){1, 1, 1};
}

spw_simt_index spw_simt_grid_size(void) {
    const spw_simt_launch *l = spw_simt_now->launch;
    return l ? l->grid : (spw_simt_index){1, 1, 1};
}

int spw_simt_lane(void) {
    const spw_simt_state *s = spw_simt_now;
    return s->lane ? s->lane->number % WARP : 0;
}

/* --- shared memory -------------------------------------------------------------------------------- */

enum { STATIC_LIMIT = 48 << 10, BEHIND = 4096 };

void *spw_simt_dynamic_shared(void) { return spw_simt_now ? spw_simt_now->shared[0].start : NULL; }

void spw_simt_dynamic_array(const char *name, size_t element) {
    spw_simt_state *s = spw_simt_now;
    if (!s || !s->lane) return;
    snprintf(s->shared[0].name, SPW_SIMT_NAME, "%s", name);
    s->shared[0].element = element > 1 ? element : 0; /* bytes are only a way to reserve room */
}

/* A new block finds rubbish there. */
static void poison_shared(spw_simt_state *s, spw_simt_array *a) {
    if (a->block == s->now.number) return;
    a->block = s->now.number;
    memset(a->start, SPW_SIMT_POISON, a->size);
    if (a->written) memset(a->written, 0, a->size);
}

/* The entry of a shared array, poisoned if it is new to this block; NULL: known, or no room. */
static spw_simt_array *announce(spw_simt_state *s, char *array, size_t size, size_t element,
                                const char *name) {
    int k = 1;
    while (k < s->n_shared && s->shared[k].start != array) k++;
    spw_simt_array *a = &s->shared[k];
    if (k == (int)(sizeof s->shared / sizeof *s->shared)) return NULL;
    if (k == s->n_shared || a->size != size) {
        if (k == s->n_shared)
            s->n_shared++;
        else
            spw_simt_forget_shadow(a);
        *a = (spw_simt_array){
            .space = SPACE_SHARED, .start = array, .size = size, .element = element};
        snprintf(a->name, sizeof a->name, "%s", name);
        if (!s->shared_low || s->shared_low > a->start) s->shared_low = a->start;
        if (s->shared_high < a->start + size) s->shared_high = a->start + size;
    }
    if (a->block == s->now.number) return NULL;
    poison_shared(s, a);
    return a;
}

void spw_simt_shared_array(const volatile void *array, size_t size, size_t element,
                           const char *name) {
    spw_simt_state *s = spw_simt_now;
    if (!s || !s->lane) return;
    const spw_simt_array *a = announce(s, (char *)(uintptr_t)array, size, element, name);
    if (!a) return;
    s->now.static_shared += size;
    if (s->now.static_shared > STATIC_LIMIT)
        spw_simt_find(s, SPW_SIMT_LAUNCH, CALLER, a, -1,
                      "Kernel %.60s declares %zu bytes of __shared__ arrays;\nat most %d can be "
                      "declared. More must be "
                      "dynamic (extern __shared__).",
                      s->launch->kernel, s->now.static_shared, STATIC_LIMIT);
}

/* Of the answers that are loaded: older than any state. */
static struct {
    char *array;
    size_t size, element;
    const char *name;
} of_files[32];
enum { MOST_OF_FILES = sizeof of_files / sizeof *of_files };

void spw_simt_file_shared(const volatile void *array, size_t size, size_t element,
                          const char *name) {
    for (int k = 0; k < MOST_OF_FILES; k++) {
        if (of_files[k].array) continue;
        of_files[k].array = (char *)(uintptr_t)array;
        of_files[k].size = size;
        of_files[k].element = element;
        of_files[k].name = name;
        return;
    }
}

void spw_simt_file_shared_gone(const volatile void *array) {
    for (int k = 0; k < MOST_OF_FILES; k++)
        if (of_files[k].array == array) of_files[k].array = NULL;
}

/* Each block has its own. Which of them the kernel uses is not known, so they do not count for its size. */
static void announce_files(spw_simt_state *s) {
    for (int k = 0; k < MOST_OF_FILES; k++)
        if (of_files[k].array)
            (void)announce(s, of_files[k].array, of_files[k].size, of_files[k].element,
                           of_files[k].name);
}

spw_simt_array *spw_simt_find_shared(spw_simt_state *s, const void *address) {
    const char *p = address;
    spw_simt_array *best = NULL;
    if (p >= s->shared[0].pages && p < s->shared[0].pages + s->shared[0].pages_size)
        return &s->shared[0];
    const uintptr_t at = (uintptr_t)p;
    if (at < (uintptr_t)s->shared_low || at >= (uintptr_t)s->shared_high + BEHIND) return NULL;
    for (int k = 1; k < s->n_shared; k++) {
        spw_simt_array *a = &s->shared[k];
        if (a->block != s->now.number) continue; /* another kernel's */
        if (p >= a->start && p < a->start + a->size) return a;
        if (p >= a->start && (!best || a->start > best->start)) best = a;
    }
    return best;
}

int spw_simt_allow_shared(const void *kernel, size_t bytes) {
    spw_simt_state *s = spw_simt_now;
    const int room = sizeof s->allowed_shared / sizeof *s->allowed_shared;
    if (bytes > MAX_SHARED) return spw_simt_error(CUDA_INVALID_VALUE);
    int k = 0;
    while (k < s->n_allowed_shared && s->allowed_shared[k].kernel != kernel) k++;
    if (k == room) return spw_simt_error(CUDA_INVALID_VALUE);
    if (k == s->n_allowed_shared) s->n_allowed_shared++;
    s->allowed_shared[k].kernel = kernel;
    s->allowed_shared[k].bytes = bytes;
    return 0;
}

/* --- the launch ----------------------------------------------------------------------------------- */

static int64_t volume(spw_simt_index v) { return (int64_t)v.x * v.y * v.z; }

/* "32 x 64", "256" */
static const char *shape(spw_simt_index v, char *text, size_t size) {
    if (v.z > 1)
        snprintf(text, size, "%u x %u x %u", v.x, v.y, v.z);
    else if (v.y > 1)
        snprintf(text, size, "%u x %u", v.x, v.y);
    else
        snprintf(text, size, "%u", v.x);
    return text;
}

/* What CUDA would not launch; NULL if it would. */
static const char *objection(const spw_simt_launch *l, char *text, size_t size) {
    char grid[64], block[64];
    const int64_t threads = volume(l->block);
    shape(l->grid, grid, sizeof grid);
    shape(l->block, block, sizeof block);
    if (volume(l->grid) == 0)
        snprintf(text, size,
                 "the grid has no blocks. Where there is nothing to do (n = 0), return\nbefore the "
                 "launch.");
    else if (threads == 0)
        snprintf(text, size, "its blocks have no threads.");
    else if ((int)l->block.x < 0 || (int)l->grid.x < 0)
        snprintf(text, size, "a negative size was given: blocks %d, threads %d.", (int)l->grid.x,
                 (int)l->block.x);
    else if (threads > MAX_THREADS)
        snprintf(text, size, "a block of %s%lld threads is asked for; at most 1024 are possible.",
                 l->block.y * l->block.z > 1 ? strcat(block, " = ") : "", (long long)threads);
    else if (l->block.z > 64)
        snprintf(text, size, "a block may be at most 64 threads deep in z, not %u.", l->block.z);
    else if (l->grid.y > 65535 || l->grid.z > 65535)
        snprintf(text, size, "a grid of %s: y and z may be at most 65535.", grid);
    else
        return NULL;
    return text;
}

static size_t shared_limit(const spw_simt_state *s) {
    size_t limit = STATIC_LIMIT;
    /* The kernel's address is not known here; the most that was asked for any kernel will do. */
    for (int k = 0; k < s->n_allowed_shared; k++)
        if (s->allowed_shared[k].bytes > limit) limit = s->allowed_shared[k].bytes;
    return limit;
}

static bool may_launch(spw_simt_state *s, const spw_simt_launch *l) {
    char text[SPW_SIMT_TEXT];
    const char *why = objection(l, text, sizeof text);
    int error = CUDA_INVALID_CONFIGURATION;
    if (!why && s->argument) {
        why = spw_simt_name_taken(s->argument, text);
        error = CUDA_INVALID_VALUE;
    }
    s->argument = NULL;
    if (!why && l->shared > shared_limit(s)) {
        snprintf(text, sizeof text,
                 "%zu bytes of dynamic shared memory are asked for; %zu are possible\n"
                 "(more, up to %d, after cudaFuncSetAttribute).",
                 l->shared, shared_limit(s), MAX_SHARED);
        why = text;
        error = CUDA_INVALID_VALUE;
    }
    if (!why && !spw_fiber_pool_has(&s->pool, (int)volume(l->block))) {
        why = "there is no memory for the stacks of its threads.";
        error = CUDA_MEMORY;
    }
    if (!why) return true;
    spw_simt_finding *f = spw_simt_find(s, SPW_SIMT_LAUNCH, 0, NULL, l->line,
                                        "Kernel %.60s was not launched: %s", l->kernel, why);
    if (f) {
        snprintf(f->file, sizeof f->file, "%s", l->file);
        snprintf(f->kernel, sizeof f->kernel, "%s", l->kernel);
        f->line = l->line;
        f->index = -1;
    }
    s->last_error = error;
    return false;
}

void spw_simt_number_lanes(spw_simt_state *s) {
    s->n_lanes = (int)volume(s->launch->block);
    for (int k = 0; k < s->n_lanes; k++) {
        s->now.lanes[k].number = (uint16_t)k;
        s->now.lanes[k].index = spw_simt_thread_at(s, k);
    }
}

/* False: it is put aside, or the launch is over. */
static bool finish_block(spw_simt_state *s) {
    if (!spw_simt_run_block(s, false)) {
        if (spw_simt_put_aside(s)) return false;
        spw_simt_run_block(s, true);
    }
    spw_simt_end_outside(s);
    if (s->abandoned) return false;
    if (s->options.count) spw_simt_count_block(s);
    return true;
}

/* Blocks that waited for one that has come since. last: there is none to come, and they wait for each other. */
static void resume(spw_simt_state *s, bool last) {
    const uint32_t newest = s->now.number;
    for (int in_vain = 0; s->n_aside > in_vain && !s->abandoned;) {
        spw_simt_take_back(s);
        in_vain = finish_block(s) || last ? 0 : in_vain + 1;
    }
    s->now.number = newest;
}

static void run_blocks(spw_simt_state *s, const spw_simt_launch *l) {
    const int64_t blocks = volume(l->grid);
    s->first_block = s->now.number + 1;
    s->turns_at = (uint32_t)blocks;
    spw_simt_number_lanes(s);
    s->shared[0].size = l->shared;
    s->shared[0].block = 0;
    if (s->options.check) spw_simt_shadow_launch(s);
    for (int64_t b = 0; b < blocks; b++) {
        s->now.number++;
        s->now.static_shared = 0;
        const uint32_t k = spw_simt_block_number(s, s->now.number);
        s->now.index =
            (spw_simt_index){k % l->grid.x, k / l->grid.x % l->grid.y, k / l->grid.x / l->grid.y};
        poison_shared(s, &s->shared[0]);
        announce_files(s);
        spw_simt_begin_block(s);
        if (finish_block(s))
            resume(s, false);
        else if (s->turns_at == blocks)
            s->turns_at = (uint32_t)b + 1;
        if (s->abandoned) return;
    }
    resume(s, true);
    if (s->options.count && s->cache) spw_simt_cache_launch_ends(s);
}

const spw_simt_launched *spw_simt_thin(void) { return &spw_simt_now->thin; }

static void note_thin(spw_simt_state *s, const spw_simt_launch *l, int64_t sectors) {
    const int64_t blocks = volume(l->grid), threads = volume(l->block);
    if (blocks >= SPW_SIMT_FEW_BLOCKS && threads >= WARP &&
        blocks * threads >= SPW_SIMT_FEW_THREADS)
        return;
    s->thin.sectors += sectors;
    if (sectors <= s->thin.most) return;
    s->thin.line = l->line;
    s->thin.blocks = blocks;
    s->thin.threads = threads;
    s->thin.most = sectors;
    snprintf(s->thin.kernel, sizeof s->thin.kernel, "%s", l->kernel);
}

int spw_simt_multiprocessors(void) {
    return spw_simt_now && spw_simt_now->options.multiprocessors
               ? spw_simt_now->options.multiprocessors
               : 132;
}

void spw_simt_launch_kernel(const spw_simt_launch *launch) {
    spw_simt_state *s = spw_simt_now;
    if (!s || !s->in_run || s->sticky_error) return;
    if (s->lane) {
        spw_simt_find(s, SPW_SIMT_LAUNCH, CALLER, NULL, -1,
                      "A kernel launches a kernel: that is not possible here.");
        return;
    }
    if (!may_launch(s, launch)) return;
    s->launch = launch;
    s->abandoned = false;
    spw_simt_unlock_all(s, true);
    const int64_t before = s->n_sectors;
    spw_simt_ordered_next(s, spw_simt_queue_of(launch->stream));
    run_blocks(s, launch);
    spw_simt_ordered_launched(s);
    note_thin(s, launch, s->n_sectors - before);
    spw_simt_note_shape(s, launch);
    spw_simt_on_stream(launch->stream, 1);
    spw_simt_take_time(s, SPW_SIMT_KERNELS, SECTOR * (s->n_sectors - before), false);
    if (s->options.check) spw_simt_shadow_end(s);
    spw_simt_drop_aside(s);
    if (s->abandoned) spw_fiber_give_all(&s->pool);
    if (s->leaves_run) spw_simt_leave_run();
    spw_simt_unlock_all(s, false);
    s->launch = NULL;
}

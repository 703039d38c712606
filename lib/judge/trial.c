#include "judge/trial.h"

#include "base/memory.h"
#include "base/random.h"
#include "judge/explain.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { GUARD = 1 << 20, SLACK_BYTE = 0xA5 };

/* --- what drivers call --------------------------------------------------------------------------- */

bool spw_trial_checks(const spw_trial *t) { return t->checks; }

uint64_t spw_trial_seed(const spw_trial *t) { return t->seed; }

int spw_trial_threads(const spw_trial *t) { return t->threads; }

void *spw_trial_device(const spw_trial *t, const void *array) {
    for (int k = 0; k < t->n_arrays; k++)
        if (array && t->arrays[k].data == array) return t->arrays[k].device;
    return NULL;
}

spw_function spw_trial_symbol(const spw_trial *t, const char *name) {
    return t->symbol(t->answer, name);
}

static bool keep_block(spw_trial *t, void *block) {
    if (t->n_blocks == SPW_MAX_BLOCKS) {
        spw_free(block);
        spw_error(SPW_ERR_ARG, "a driver asks for more than %d blocks in one case", SPW_MAX_BLOCKS);
        return false;
    }
    t->blocks[t->n_blocks++] = block;
    return true;
}

void *spw_trial_memory(spw_trial *t, int64_t count, int64_t size) {
    void *block;
    if (spw_alloc_zero(&block, count, size)) return NULL;
    return keep_block(t, block) ? block : NULL;
}

void *spw_trial_keep(spw_trial *t, void *block) {
    return block && keep_block(t, block) ? block : NULL;
}

void *spw_trial_data(const spw_trial *t) { return t->n_blocks ? t->blocks[0] : NULL; }

/* Gives the array its pages. The bytes are not initialised (zero when guarded). */
static bool give_room(spw_array *a, spw_layout layout) {
    const size_t bytes = (size_t)(a->count * a->item);
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (layout == SPW_PLAIN) return !spw_alloc((void **)&a->data, a->count, a->item);

    a->body_bytes = (bytes + page - 1) / page * page;
    a->map_bytes = a->body_bytes + 2 * (size_t)GUARD;
    void *map =
        mmap(NULL, a->map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) {
        spw_error(SPW_ERR_MEMORY, "no memory for the array %s, %zu bytes", a->name, a->map_bytes);
        return false;
    }
    a->map = map;
    a->body = a->map + GUARD;
    if (a->body_bytes && mprotect(a->body, a->body_bytes, PROT_READ | PROT_WRITE)) {
        spw_error(SPW_ERR_MEMORY, "no memory for the array %s, %zu bytes", a->name, bytes);
        return false;
    }
    a->data = layout == SPW_LEFT ? a->body : a->body + (a->body_bytes - bytes);
    return true;
}

static spw_array *add_array(spw_trial *t, spw_role role, const char *name, spw_type type,
                            int64_t count, int64_t item) {
    if (t->n_arrays == SPW_MAX_ARRAYS) {
        spw_error(SPW_ERR_ARG, "a driver declares more than %d arrays in one case", SPW_MAX_ARRAYS);
        return NULL;
    }
    spw_array *a = &t->arrays[t->n_arrays++];
    *a = (spw_array){.role = role, .type = type, .count = count, .item = item};
    snprintf(a->name, sizeof a->name, "%s", name);
    return a;
}

static int64_t size_of(spw_type type) {
    return type == SPW_DOUBLE  ? (int64_t)sizeof(double)
           : type == SPW_FLOAT ? (int64_t)sizeof(float)
                               : (int64_t)sizeof(spw_idx);
}

void *spw_trial_input(spw_trial *t, const char *name, spw_type type, int64_t count) {
    spw_array *a = add_array(t, SPW_INPUT, name, type, count, size_of(type));
    return a && give_room(a, t->layout) ? a->data : NULL;
}

void *spw_trial_adopt(spw_trial *t, const char *name, spw_type type, int64_t count, void *block) {
    spw_array *a = add_array(t, SPW_INPUT, name, type, count, size_of(type));
    if (a && t->layout == SPW_PLAIN) return a->data = block;
    const bool room = a && give_room(a, t->layout);
    if (room && count > 0) memcpy(a->data, block, (size_t)(a->count * a->item));
    spw_free(block);
    return room ? a->data : NULL;
}

static void draw_numbers(const spw_array *a, uint64_t seed) {
    double *x = (double *)a->data;
    for (const char *c = a->name; *c; c++) seed = seed * 31 + (unsigned char)*c;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < a->count; i++) {
        const double u = spw_random_double(seed, (uint64_t)i); /* 53 bits: distinct in practice */
        x[i] = (spw_random_u64(~seed, (uint64_t)i) & 1) ? 0.5 + u : -0.5 - u;
    }
}

double *spw_trial_random(spw_trial *t, const char *name, int64_t count) {
    double *x = (double *)spw_trial_input(t, name, SPW_DOUBLE, count);
    if (!x) return NULL;
    t->arrays[t->n_arrays - 1].fresh = true;
    draw_numbers(&t->arrays[t->n_arrays - 1], t->seed);
    return x;
}

void *spw_trial_struct(spw_trial *t, const char *name, const void *value, int64_t size) {
    spw_array *a = add_array(t, SPW_INPUT, name, SPW_INDEX, 1, (size + 7) / 8 * 8);
    if (!a || !give_room(a, t->layout)) return NULL;
    return memcpy(a->data, value, (size_t)size);
}

const spw_csr *spw_trial_csr(spw_trial *t, spw_csr *A) {
    spw_csr guarded = *A;
    *A = (spw_csr){0};
    guarded.row_ptr = (spw_idx *)spw_trial_adopt(t, "row_ptr", SPW_INDEX,
                                                 (int64_t)guarded.n_rows + 1, guarded.row_ptr);
    guarded.col_idx =
        (spw_idx *)spw_trial_adopt(t, "col_idx", SPW_INDEX, guarded.nnz, guarded.col_idx);
    guarded.val = (double *)spw_trial_adopt(t, "val", SPW_DOUBLE, guarded.nnz, guarded.val);
    if (!guarded.row_ptr || !guarded.col_idx || !guarded.val) return NULL;
    return (const spw_csr *)spw_trial_struct(t, "the matrix struct", &guarded, sizeof guarded);
}

void *spw_trial_output(spw_trial *t, const char *name, spw_type type, int64_t count) {
    spw_array *a = add_array(t, SPW_OUTPUT, name, type, count, size_of(type));
    return a && give_room(a, t->layout) ? a->data : NULL;
}

void *spw_trial_inout(spw_trial *t, const char *name, spw_type type, int64_t count,
                      const void *initial) {
    spw_array *a = add_array(t, SPW_INOUT, name, type, count, size_of(type));
    if (!a || !give_room(a, t->layout)) return NULL;
    a->pristine = spw_trial_memory(t, count, a->item);
    if (!a->pristine) return NULL;
    if (count > 0) memcpy(a->pristine, initial, (size_t)(count * a->item));
    return a->data;
}

void spw_trial_say(spw_trial *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(t->facts, sizeof t->facts, format, args);
    va_end(args);
}

void spw_trial_note(spw_trial *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(t->note, sizeof t->note, format, args);
    va_end(args);
}

void spw_trial_beyond(spw_trial *t, int64_t count, const char *text) {
    t->beyond = text;
    t->beyond_count = count;
}

void spw_trial_limit_copies(spw_trial *t, int copies, int64_t bytes) {
    t->most_copies = copies;
    t->most_copied = bytes;
}

void spw_trial_unit(spw_trial *t, const char *name, double value) {
    if (t->n_units == SPW_MAX_UNITS) return;
    snprintf(t->unit_names[t->n_units], sizeof t->unit_names[0], "%s", name);
    t->unit_values[t->n_units++] = value;
}

void spw_trial_expect(spw_trial *t, const void *array, spw_expectation expectation) {
    for (int k = 0; k < t->n_arrays; k++)
        if (t->arrays[k].data == array && t->arrays[k].role != SPW_INPUT) {
            t->arrays[k].expectation = expectation;
            t->arrays[k].has_expectation = true;
        }
}

void spw_trial_mistake(spw_trial *t, const void *array, const void *values, const char *text) {
    if (t->n_mistakes < SPW_MAX_MISTAKES && values)
        t->mistakes[t->n_mistakes++] = (spw_mistake){array, values, text};
}

void spw_trial_result(spw_trial *t, void *at, int64_t size) {
    assert(t->n_results < SPW_MAX_RESULTS);
    t->results[t->n_results].at = at;
    t->results[t->n_results++].size = (size_t)size;
}

void spw_trial_hide(spw_trial *t, void *at, int64_t size) {
    assert(t->n_hidden < SPW_MAX_RESULTS);
    t->hidden[t->n_hidden].at = at;
    t->hidden[t->n_hidden++].size = (size_t)size;
}

bool spw_trial_fail(spw_trial *t, const char *format, ...) {
    va_list args;
    if (t->failed) return false;
    va_start(args, format);
    vsnprintf(t->failure, sizeof t->failure, format, args);
    va_end(args);
    t->failed = true;
    return false;
}

/* --- what the judge calls ------------------------------------------------------------------------ */

spw_status spw_trial_begin(spw_trial *t, const char *case_name) {
    return t->part->setup(t, case_name);
}

void spw_trial_prepare(spw_trial *t, spw_poison poison) {
    t->failed = false;
    for (int k = 0; k < t->n_arrays; k++) {
        spw_array *a = &t->arrays[k];
        if (a->role == SPW_INPUT) {
            if (a->map && a->body_bytes) mprotect(a->body, a->body_bytes, PROT_READ);
            continue;
        }
        if (a->map) {
            const size_t bytes = (size_t)(a->count * a->item), before = (size_t)(a->data - a->body);
            memset(a->body, SLACK_BYTE, before);
            memset(a->data + bytes, SLACK_BYTE, a->body_bytes - before - bytes);
        }
        if (a->role == SPW_INOUT) {
            if (a->count) memcpy(a->data, a->pristine, (size_t)(a->count * a->item));
        } else {
#pragma omp parallel for schedule(static)
            for (int64_t i = 0; i < a->count; i++) spw_poison_entry(a, i, poison);
        }
    }
}

void spw_trial_trade(spw_trial *t, void *array) {
    for (int k = 0; k < t->n_arrays; k++)
        if (t->arrays[k].data == array && t->arrays[k].type == SPW_DOUBLE)
            t->arrays[k].trades = true;
}

bool spw_trial_refresh(spw_trial *t, uint64_t draw) {
    bool any = false;
    for (int k = 0; k < t->n_arrays; k++)
        if (t->arrays[k].fresh) {
            draw_numbers(&t->arrays[k], spw_random_u64(t->seed, draw));
            any = true;
        }
    return any;
}

void spw_trial_rival(spw_trial *t, const spw_rival *rival) {
    if (rival->call)
        rival->call(t);
    else
        t->part->call(t, rival->function);
}

int64_t spw_trial_bytes(const spw_trial *t) {
    int64_t bytes = 0;
    for (int k = 0; k < t->n_arrays; k++) bytes += t->arrays[k].count * t->arrays[k].item;
    return bytes;
}

bool spw_trial_slack_intact(const spw_trial *t, char *text, size_t size) {
    for (int k = 0; k < t->n_arrays; k++) {
        const spw_array *a = &t->arrays[k];
        if (!a->map || a->role == SPW_INPUT) continue;
        const char *end = a->data + a->count * a->item, *body_end = a->body + a->body_bytes;
        for (const char *p = a->data - 1; p >= a->body; p--)
            if ((unsigned char)*p != SLACK_BYTE) {
                snprintf(text, size, "wrote %s[%lld]: before the beginning of %s", a->name,
                         -(long long)((a->data - p + a->item - 1) / a->item), a->name);
                return false;
            }
        for (const char *p = end; p < body_end; p++)
            if ((unsigned char)*p != SLACK_BYTE) {
                snprintf(text, size, "wrote %s[%lld]: the array has %lld %s", a->name,
                         (long long)((p - a->data) / a->item), (long long)a->count,
                         a->count == 1 ? "entry" : "entries");
                return false;
            }
    }
    return true;
}

const spw_array *spw_trial_find(const spw_trial *t, const void *address, int64_t *index) {
    const char *p = (const char *)address;
    for (int k = 0; k < t->n_arrays; k++) {
        const spw_array *a = &t->arrays[k];
        if (!a->map || p < a->map || p >= a->map + a->map_bytes) continue;
        *index = p >= a->data ? (p - a->data) / a->item : -((a->data - p + a->item - 1) / a->item);
        return a;
    }
    return NULL;
}

uint64_t spw_trial_fingerprint(const spw_trial *t) {
    uint64_t h = UINT64_C(14695981039346656037);
    for (int k = 0; k < t->n_arrays; k++) {
        const spw_array *a = &t->arrays[k];
        if (!a->has_expectation) continue;
        for (int64_t i = 0; i < a->expectation.count * a->item; i++)
            h = (h ^ (unsigned char)a->data[i]) * UINT64_C(1099511628211);
    }
    return h;
}

bool spw_trial_compare(spw_trial *t, spw_poison poison, char *text, size_t size) {
    for (int k = 0; k < t->n_arrays; k++)
        if (t->arrays[k].has_expectation && !spw_explain(t, &t->arrays[k], poison, text, size))
            return false;
    if (t->failed) snprintf(text, size, "%s", t->failure);
    return !t->failed;
}

bool spw_trial_is_right(spw_trial *t, spw_poison poison, char *text, size_t size) {
    if (!spw_trial_compare(t, poison, text, size)) return false;
    if (t->part->claim) t->part->claim(t);
    if (t->failed) snprintf(text, size, "%s", t->failure);
    return !t->failed;
}

void spw_trial_end(spw_trial *t) {
    for (int k = 0; k < t->n_arrays; k++) {
        if (t->arrays[k].map)
            munmap(t->arrays[k].map, t->arrays[k].map_bytes);
        else
            spw_free(t->arrays[k].data);
    }
    for (int k = 0; k < t->n_blocks; k++) spw_free(t->blocks[k]);
    t->n_arrays = t->n_blocks = t->n_mistakes = t->n_units = t->n_results = 0;
    t->facts[0] = 0;
}

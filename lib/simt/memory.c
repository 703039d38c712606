/* Device memory: arrays between pages that cannot be touched, themselves out of reach while host code
 * runs. An array ends at the end of a page (rounded to 256 bytes, the alignment of cudaMalloc), so that
 * even the fast build sees most accesses behind it. Addresses are never used twice: a freed array is
 * recognised for ever. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "simt/state.h"

#include "base/memory.h"

#include <ctype.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SLOT = 64 << 10, ALIGNMENT = 256 };
static const size_t arena_sizes[] = {(size_t)256 << 30, (size_t)32 << 30, (size_t)4 << 30,
                                     (size_t)1 << 30};

/* Variables with __device__ and __constant__, and the sections that they lie in. Answers are loaded before a run and during one, so this list, which
 * their constructors write, is older than any state. */
static struct {
    char *start;
    size_t size;
} sections[16];
static struct variable {
    char *start;
    size_t size, element;
    const char *name;
    int space;
} variables[256];
enum {
    MAX_SECTIONS = sizeof sections / sizeof *sections,
    MAX_VARIABLES = sizeof variables / sizeof *variables
};

/* Each file of a program says the same of it. */
void spw_simt_device_section(void *start, void *stop) {
    for (int k = 0; k < MAX_SECTIONS && start != stop; k++) {
        if (sections[k].size && sections[k].start == start) return;
        if (sections[k].size) continue;
        sections[k].start = start;
        sections[k].size = (size_t)((char *)stop - (char *)start);
        return;
    }
}

void spw_simt_section_gone(void *start) {
    for (int k = 0; k < MAX_SECTIONS; k++)
        if (sections[k].start == start) sections[k].size = 0;
}

void spw_simt_file_variable(const volatile void *variable, size_t size, size_t element,
                            const char *name, int space) {
    for (int k = 0; k < MAX_VARIABLES; k++) {
        if (variables[k].start) continue;
        variables[k] = (struct variable){(char *)(uintptr_t)variable, size, element, name, space};
        return;
    }
}

void spw_simt_file_variable_gone(const volatile void *variable) {
    for (int k = 0; k < MAX_VARIABLES; k++)
        if (variables[k].start == variable) variables[k].start = NULL;
}

static void *reserve(size_t size) {
    void *p = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

void *spw_simt_map(size_t size) {
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

spw_status spw_simt_memory_create(spw_simt_state *s) {
    for (size_t k = 0; k < sizeof arena_sizes / sizeof *arena_sizes && !s->arena; k++) {
        s->arena_size = arena_sizes[k];
        s->arena = reserve(s->arena_size);
    }
    if (s->arena) s->slots = spw_simt_map(s->arena_size / SLOT * sizeof *s->slots);
    spw_simt_array *dynamic = &s->shared[0];
    *dynamic = (spw_simt_array){.space = SPACE_DYNAMIC, .name = "shared"};
    s->n_shared = 1;
    if (s->slots) dynamic->start = spw_simt_map(MAX_SHARED + SLOT);
    if (!dynamic->start) return spw_error(SPW_ERR_MEMORY, "no address space for device memory");
    dynamic->pages = dynamic->start;
    dynamic->pages_size = MAX_SHARED + SLOT;
    s->arena_used = SLOT;
    return SPW_OK;
}

void spw_simt_forget_shadow(spw_simt_array *a) {
    if (a->written) munmap(a->written, a->shadow_size);
    if (a->words) munmap(a->words, a->words_size);
    a->written = NULL;
    a->words = NULL;
}

void spw_simt_memory_destroy(spw_simt_state *s) {
    for (int k = 0; k < s->n_arrays; k++) spw_simt_forget_shadow(&s->arrays[k]);
    for (int k = 0; k < s->n_shared; k++) spw_simt_forget_shadow(&s->shared[k]);
    if (s->shared[0].pages) munmap(s->shared[0].pages, s->shared[0].pages_size);
    if (s->slots) munmap(s->slots, s->arena_size / SLOT * sizeof *s->slots);
    if (s->arena) munmap(s->arena, s->arena_size);
}

/* --- which array ---------------------------------------------------------------------------------- */

/* The variable around an address of a section, or the nearest one; NULL: the section has none that is known by name. */
static const struct variable *variable_near(const char *section, size_t size, const char *address) {
    const struct variable *best = NULL;
    int64_t least = INT64_MAX;
    for (int k = 0; k < MAX_VARIABLES; k++) {
        const struct variable *v = &variables[k];
        if (!v->start || (uintptr_t)v->start - (uintptr_t)section >= size) continue;
        const int64_t behind = address - (v->start + v->size) + 1, before = v->start - address;
        const int64_t distance = behind > before ? behind : before;
        if (distance < least) best = v, least = distance;
    }
    return best;
}

static spw_simt_array *find_section(spw_simt_state *s, const void *address) {
    for (int k = 0; k < MAX_SECTIONS; k++) {
        if ((uintptr_t)address - (uintptr_t)sections[k].start >= sections[k].size) continue;
        const struct variable *v = variable_near(sections[k].start, sections[k].size, address);
        char *const start = v ? v->start : sections[k].start;
        for (int q = 0; q < s->n_arrays; q++)
            if (s->arrays[q].start == start) return &s->arrays[q];
        if (s->n_arrays == MAX_ARRAYS) return NULL;
        spw_simt_array *a = &s->arrays[s->n_arrays++];
        const bool managed = v && v->space == SPW_SIMT_MANAGED;
        *a = (spw_simt_array){.space = managed ? SPW_SIMT_MANAGED : SPACE_SECTION, .start = start};
        a->size = v ? v->size : sections[k].size;
        a->element = v ? v->element : 0;
        a->constant = v && v->space == SPW_SIMT_CONSTANT;
        snprintf(a->name, sizeof a->name, "%s", v ? v->name : "__device__ variables");
        return a;
    }
    return NULL;
}

bool spw_simt_is_variable(const char *name) {
    for (int k = 0; k < MAX_VARIABLES; k++)
        if (variables[k].start && strcmp(variables[k].name, name) == 0) return true;
    return false;
}

bool spw_simt_in_section(const void *address) {
    for (int k = 0; k < MAX_SECTIONS; k++)
        if ((uintptr_t)address - (uintptr_t)sections[k].start < sections[k].size) return true;
    return false;
}

/* Far behind all arrays: an unsigned index below zero, else the nearest array. */
static spw_simt_array *find_far(spw_simt_state *s, const char *address) {
    for (int k = 0; k < s->n_arrays; k++) {
        const spw_simt_array *a = &s->arrays[k];
        const int64_t element = a->element ? (int64_t)a->element : 8;
        const int64_t index = (address - a->start) / element;
        if (index < (int64_t)1 << 32 && index >= ((int64_t)1 << 32) - 65536) return &s->arrays[k];
    }
    return s->n_arrays ? &s->arrays[s->n_arrays - 1] : NULL;
}

/* The array that owns the address or the space around it. */
spw_simt_array *spw_simt_find_device(spw_simt_state *s, const void *address) {
    const uintptr_t offset = (uintptr_t)address - (uintptr_t)s->arena;
    if (offset < s->arena_used) {
        const uint32_t number = s->slots[offset / SLOT];
        return number ? &s->arrays[number - 1] : NULL;
    }
    if (offset < s->arena_size) return find_far(s, address);
    return find_section(s, address);
}

spw_simt_array *spw_simt_array_number(spw_simt_state *s, uint32_t number) {
    return number < MAX_ARRAYS ? &s->arrays[number] : &s->shared[number - MAX_ARRAYS];
}

uint32_t spw_simt_number_of_array(const spw_simt_state *s, const spw_simt_array *a) {
    if (a >= s->shared && a < s->shared + s->n_shared)
        return MAX_ARRAYS + (uint32_t)(a - s->shared);
    return (uint32_t)(a - s->arrays);
}

/* --- protection ----------------------------------------------------------------------------------- */

static bool is_locked_kind(const spw_simt_array *a) {
    return a->space == SPW_SIMT_DEVICE && !a->freed && a->size;
}

void spw_simt_unlock(const spw_simt_array *a, bool unlocked) {
    if (is_locked_kind(a))
        mprotect(a->pages, a->pages_size, unlocked ? PROT_READ | PROT_WRITE : PROT_NONE);
}

void spw_simt_unlock_all(spw_simt_state *s, bool unlocked) {
    for (int k = 0; k < s->n_arrays; k++) spw_simt_unlock(&s->arrays[k], unlocked);
}

/* --- allocation ----------------------------------------------------------------------------------- */

/* "(void **)&A->d_x, n * 8" -> "d_x": the last word of the first argument. */
static void name_from(const char *site, char *name) {
    int depth = 0;
    const char *end = site, *word;
    for (; *end && !(*end == ',' && depth == 0); end++) depth += (*end == '(') - (*end == ')');
    while (end > site && strchr(" )]", end[-1])) {
        end--;
        if (*end == ']')
            while (end > site && *end != '[') end--;
    }
    for (word = end; word > site && (isalnum((unsigned char)word[-1]) || strchr("_.", word[-1]));)
        word--;
    snprintf(name, SPW_SIMT_NAME, "%.*s", (int)(end - word), word);
    if (!*name) snprintf(name, SPW_SIMT_NAME, "an array");
}

static size_t rounded(size_t size, size_t to) { return (size + to - 1) / to * to; }

/* NULL without room. */
static spw_simt_array *allocate(spw_simt_state *s, size_t bytes, size_t element, int space) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (s->n_arrays == MAX_ARRAYS || bytes > s->arena_size) return NULL;
    if (spw_memory_check("device memory", (int64_t)bytes)) return NULL;
    const size_t inner = rounded(bytes ? bytes : 1, ALIGNMENT);
    const size_t pages = rounded(inner, page), slots = rounded(pages, SLOT) + SLOT;
    if (slots > s->arena_size - s->arena_used) return NULL;
    spw_simt_array *a = &s->arrays[s->n_arrays++];
    /* One more slot stays empty behind it, and knows which array it is behind. */
    *a = (spw_simt_array){.space = space, .size = bytes, .element = element};
    a->pages = s->arena + s->arena_used;
    a->pages_size = pages;
    a->start = a->pages + pages - inner;
    const size_t first = s->arena_used / SLOT;
    for (size_t k = 0; k < slots / SLOT; k++) s->slots[first + k] = (uint32_t)s->n_arrays;
    s->arena_used += slots;
    if (mprotect(a->pages, pages, PROT_READ | PROT_WRITE)) return NULL;
    memset(a->pages, SPW_SIMT_POISON, pages);
    if (space == SPW_SIMT_DEVICE) {
        a->shadow_size = bytes ? bytes : 1;
        a->written = spw_simt_map(a->shadow_size);
        if (!a->written) return NULL;
    }
    spw_simt_unlock(a, false);
    return a;
}

int spw_simt_malloc(void **pointer, size_t bytes, size_t element, int space, const char *site,
                    const char *file, int line) {
    spw_simt_state *s = spw_simt_now;
    *pointer = NULL;
    if (!s) return CUDA_INVALID_VALUE;
    if (bytes == 0) return spw_simt_error(0); /* as CUDA: success and NULL */
    spw_simt_array *a = allocate(s, bytes, element, space);
    if (!a) return spw_simt_error(CUDA_MEMORY);
    name_from(site, a->name);
    snprintf(a->file, sizeof a->file, "%s", file ? file : "");
    a->line = line;
    *pointer = a->start;
    return 0;
}

static void give_back(spw_simt_array *a) {
    a->freed = true;
    mprotect(a->pages, a->pages_size, PROT_NONE);
    madvise(a->pages, a->pages_size, MADV_DONTNEED);
    spw_simt_forget_shadow(a);
}

/* What the program has allocated; the judge's arrays have no line. */
int spw_simt_reset_device(void) {
    spw_simt_state *s = spw_simt_now;
    for (int k = 0; s && k < s->n_arrays; k++)
        if (!s->arrays[k].freed && s->arrays[k].line) give_back(&s->arrays[k]);
    return 0;
}

int spw_simt_free(void *pointer, int space) {
    spw_simt_state *s = spw_simt_now;
    if (!pointer) return 0;
    char text[SPW_SIMT_TEXT];
    s->call_pc = CALLER;
    const char *call = space == SPW_SIMT_PINNED ? "cudaFreeHost" : "cudaFree";
    spw_simt_array *a = spw_simt_find_device(s, pointer);
    if (!a || pointer != a->start || !a->pages) {
        snprintf(text, sizeof text, "%s of a pointer that %s did not give.", call,
                 space == SPW_SIMT_PINNED ? "cudaMallocHost" : "cudaMalloc");
        return spw_simt_refuse(s, SPW_SIMT_CALL, a, CUDA_INVALID_VALUE, text);
    }
    if (a->freed) {
        snprintf(text, sizeof text, "%s of %.60s, which was freed before.", call, a->name);
        return spw_simt_refuse(s, SPW_SIMT_FREED, a, CUDA_INVALID_VALUE, text);
    }
    if ((a->space == SPW_SIMT_PINNED) != (space == SPW_SIMT_PINNED)) {
        snprintf(text, sizeof text,
                 "%s of %.60s: memory of cudaMallocHost is freed by cudaFreeHost,\nof cudaMalloc "
                 "by cudaFree.",
                 call, a->name);
        return spw_simt_refuse(s, SPW_SIMT_CALL, a, CUDA_INVALID_VALUE, text);
    }
    spw_simt_ordered_host(s->ordered, -1, -1); /* it waits for all */
    give_back(a);
    return 0;
}

int spw_simt_memory_info(size_t *available, size_t *total) {
    const int64_t left = spw_memory_available();
    if (available) *available = left < (int64_t)16 << 30 ? (size_t)left : (size_t)16 << 30;
    if (total) *total = (size_t)16 << 30;
    return 0;
}

/* --- what is never freed ---------------------------------------------------------------------------- */

struct kept {
    uintptr_t start, size;
    bool found;
};

/* It reads all variables there are, what a sanitizer has put between them, too. */
__attribute__((no_sanitize("address"))) static int look_for(struct dl_phdr_info *info, size_t size,
                                                            void *argument) {
    struct kept *kept = argument;
    (void)size;
    for (int k = 0; k < info->dlpi_phnum && !kept->found; k++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[k];
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_W)) continue;
        const uintptr_t from = (info->dlpi_addr + p->p_vaddr + 7) / 8 * 8;
        for (uintptr_t at = from; at + 8 <= info->dlpi_addr + p->p_vaddr + p->p_memsz; at += 8)
            if (*(const uintptr_t *)at - kept->start < kept->size) {
                kept->found = true;
                break;
            }
    }
    return kept->found;
}

/* What a static or global variable points to is kept for the next call; the rest is lost. */
void spw_simt_tell_leaks(spw_simt_state *s) {
    for (int k = 0; k < s->n_arrays && !s->hint[0]; k++) {
        const spw_simt_array *a = &s->arrays[k];
        struct kept kept = {(uintptr_t)a->start, a->size, false};
        if (a->freed || !a->line) continue;
        dl_iterate_phdr(look_for, &kept);
        if (!kept.found)
            snprintf(s->hint, sizeof s->hint,
                     "%.60s, allocated in line %d, is never freed: %s returns its %zu bytes",
                     a->name, a->line, a->space == SPW_SIMT_PINNED ? "cudaFreeHost" : "cudaFree",
                     a->size);
    }
}

/* --- the judge's own arrays ----------------------------------------------------------------------- */

static spw_status own(const char *name, int64_t count, int64_t size, void *pointer,
                      spw_simt_array **out) {
    *out = NULL;
    memcpy(pointer, &(void *){NULL}, sizeof(void *));
    if (!spw_simt_now) return spw_error(SPW_ERR_ARG, "no run of the checker is under way");
    if (count < 0 || size < 1 || count > INT64_MAX / size)
        return spw_error(SPW_ERR_ARG, "%s cannot have %lld entries", name, (long long)count);
    spw_simt_array *a =
        allocate(spw_simt_now, (size_t)(count * size), (size_t)size, SPW_SIMT_DEVICE);
    if (!a) return spw_error(SPW_ERR_MEMORY, "no device memory for %s", name);
    snprintf(a->name, sizeof a->name, "%s", name);
    memcpy(pointer, &a->start, sizeof(void *));
    *out = a;
    return SPW_OK;
}

spw_status spw_simt_copy_in(const char *name, const void *from, int64_t count, int64_t size,
                            void *pointer) {
    spw_simt_array *a;
    const spw_status status = own(name, count, size, pointer, &a);
    if (status || count == 0) return status;
    spw_simt_unlock(a, true);
    memcpy(a->start, from, a->size);
    spw_simt_unlock(a, false);
    memset(a->written, 1, a->size);
    return SPW_OK;
}

spw_status spw_simt_room(const char *name, int64_t count, int64_t size, void *pointer) {
    spw_simt_array *a;
    return own(name, count, size, pointer, &a);
}

spw_status spw_simt_copy_out(void *to, const void *device, int64_t bytes) {
    spw_simt_array *a = spw_simt_now ? spw_simt_find_device(spw_simt_now, device) : NULL;
    const size_t offset = a ? (size_t)((const char *)device - a->start) : 0;
    if (!a || a->freed || bytes < 0 || offset > a->size || (size_t)bytes > a->size - offset)
        return spw_error(SPW_ERR_ARG, "%lld bytes from there are not all device memory",
                         (long long)bytes);
    spw_simt_unlock(a, true);
    memcpy(to, device, (size_t)bytes);
    spw_simt_unlock(a, false);
    return SPW_OK;
}

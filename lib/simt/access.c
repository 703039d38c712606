/* One access of a kernel, as the check build announces it just before it happens: where does it go, and
 * may it? The functions named __tsan_... are what gcc's -fsanitize=thread calls; there is no sanitizer. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "simt/state.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* --- words ---------------------------------------------------------------------------------------- */

static const char *verb(spw_simt_access access) {
    return access == SPW_SIMT_LOAD    ? "reads"
           : access == SPW_SIMT_STORE ? "writes"
                                      : "atomically updates";
}

/* Who, in which kernel: the first line of most findings. */
static const char *subject(const spw_simt_state *s, char *text, size_t size) {
    char who[128];
    spw_simt_who(s, who, sizeof who, s->lane->index);
    snprintf(text, size, "%s of kernel %.60s", who, s->launch->kernel);
    return text;
}

/* Once one has left an array, others of the block that leave it are counted. The first is told, and what the others
 * have in common: one that is one past the end made another mistake than forty. */
static void note_outside(spw_simt_state *s, const spw_simt_array *a, int64_t index,
                         spw_simt_raw_finding *first) {
    const spw_simt_launch *l = s->launch;
    if (first) {
        s->outside.finding = first;
        s->outside.threads = 0;
        s->outside.low = s->outside.high = index;
        s->outside.own_number = s->outside.next_number = a->space <= SPW_SIMT_MANAGED;
    }
    if (!s->outside.finding || s->outside.finding->array != a) return;
    s->outside.threads++;
    if (index < s->outside.low) s->outside.low = index;
    if (index > s->outside.high) s->outside.high = index;
    const int64_t own = (int64_t)s->now.index.x * l->block.x + s->lane->index.x;
    const bool in_line = l->block.y == 1 && l->block.z == 1; /* else others have this number, too */
    if (index != own || !in_line) s->outside.own_number = false;
    if (index != own + 1 || !in_line) s->outside.next_number = false;
}

void spw_simt_end_outside(spw_simt_state *s) {
    spw_simt_raw_finding *f = s->outside.finding;
    if (!f) return;
    const spw_simt_array *a = (const spw_simt_array *)f->array;
    const spw_simt_launch *l = s->launch;
    const long long low = s->outside.low, high = s->outside.high;
    const int64_t threads = (int64_t)l->grid.x * l->block.x,
                  count = (int64_t)(a->size / (a->element ? a->element : 1));
    char *text = f->finding.text + strlen(f->finding.text);
    const size_t room = sizeof f->finding.text - strlen(f->finding.text);
    s->outside.finding = NULL;
    s->abandoned = true;
    s->n_doubts = 0;
    if (high >= ((int64_t)1 << 32) - 65536 && high < (int64_t)1 << 32)
        snprintf(text, room, "\nThat is an unsigned index that went below zero.");
    else if (low < 0)
        snprintf(text, room, "\nThe index is negative.");
    else if (a->space == SPACE_DYNAMIC && a->size > 0)
        snprintf(text, room,
                 "\nThe launch gives %zu bytes of shared memory: kernel<<<grid, block, bytes>>> "
                 "counts bytes, entries times sizeof. If these are enough, the index is wrong.",
                 a->size);
    else if (s->outside.own_number && s->outside.threads > 1)
        snprintf(text, room,
                 "\nThe index is the thread's own number, and the grid has more threads than the "
                 "array has entries: the kernel needs a bounds check, if (i < n), by the n of this "
                 "array, or another index is meant. %d threads of the block go outside, to entry "
                 "%lld.",
                 s->outside.threads, high);
    else if (s->outside.threads > 1 && high > low)
        snprintf(
            text, room,
            "\n%d threads of the block go outside, to entries %lld .. %lld: the kernel needs a "
            "bounds check, if (i < n), by the n of this array, or the index is wrong.",
            s->outside.threads, low, high);
    else if (low == count && a->element)
        snprintf(text, room, "\nThat is one past the end: < or <= ?%s",
                 s->outside.own_number && threads == count + 1
                     ? " Or is there no bounds check, if (i < n)?"
                 : s->outside.next_number
                     ? " Or does the thread want its neighbour's entry, i + 1, which the last has "
                       "not?"
                     : "");
}

/* leaves: the lane alone can be stopped. */
static void report_outside(spw_simt_state *s, const spw_simt_array *a, uintptr_t pc,
                           const char *address, size_t size, spw_simt_access access, bool leaves) {
    char who[256];
    const int64_t offset = address - a->start, element = (int64_t)(a->element ? a->element : size);
    const int64_t index = offset >= 0 ? offset / element : -((-offset + element - 1) / element);
    spw_simt_finding *f = NULL;
    if (a->space == SPACE_DYNAMIC && a->size == 0)
        spw_simt_find(s, SPW_SIMT_OUTSIDE, pc, a, index,
                      "%s\n%s dynamic shared memory, but the launch gives none:\nkernel<<<grid, "
                      "block, bytes>>>.",
                      subject(s, who, sizeof who), verb(access));
    else
        f = spw_simt_find(s, SPW_SIMT_OUTSIDE, pc, a, index,
                          "%s\n%s %s[%lld] at {0}; it has %lld entr%s of %lld bytes.",
                          subject(s, who, sizeof who), verb(access), a->name, (long long)index,
                          (long long)((int64_t)a->size / element),
                          (int64_t)a->size / element == 1 ? "y" : "ies", (long long)element);
    note_outside(s, a, index, (spw_simt_raw_finding *)f);
    s->sticky_error = s->last_error = CUDA_ILLEGAL_ADDRESS;
    if (leaves && s->outside.finding) spw_simt_leave_lane(s);
    spw_simt_end_outside(s);
    spw_simt_leave_launch(CUDA_ILLEGAL_ADDRESS);
}

/* --- what lies at an address that is no device memory --------------------------------------------- */

enum region { REGION_OTHER, REGION_CONSTANT, REGION_GLOBAL };

struct search {
    uintptr_t address;
    enum region region;
};

static int look_into(struct dl_phdr_info *info, size_t size, void *argument) {
    struct search *search = argument;
    (void)size;
    for (int k = 0; k < info->dlpi_phnum; k++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[k];
        if (p->p_type != PT_LOAD || search->address - (info->dlpi_addr + p->p_vaddr) >= p->p_memsz)
            continue;
        search->region = p->p_flags & PF_W ? REGION_GLOBAL : REGION_CONSTANT;
    }
    return search->region != REGION_OTHER;
}

static bool is_mapped(const void *address) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    return msync((void *)((uintptr_t)address / page * page), page, MS_ASYNC) == 0;
}

static void report_host(spw_simt_state *s, uintptr_t pc, const void *address,
                        spw_simt_access access) {
    char who[256];
    struct search search = {.address = (uintptr_t)address};
    dl_iterate_phdr(look_into, &search);
    /* Constants of the program, such as the initial values of a kernel's own array. Virtual tables too. */
    if (search.region == REGION_CONSTANT && access == SPW_SIMT_LOAD) return;
    if (search.region == REGION_GLOBAL)
        spw_simt_find(s, SPW_SIMT_HOST_POINTER, pc, NULL, -1,
                      "%s\n%s a variable of the host program at {0}.\nA variable for kernels is "
                      "declared with __device__.",
                      subject(s, who, sizeof who), verb(access));
    else if (!is_mapped(address))
        spw_simt_find(s, SPW_SIMT_OUTSIDE, pc, NULL, -1,
                      "%s\n%s address %p at {0}, where there is no memory: an index far outside of "
                      "an array, or a pointer that was never set.",
                      subject(s, who, sizeof who), verb(access), address);
    else
        spw_simt_find(s, SPW_SIMT_HOST_POINTER, pc, NULL, -1,
                      "%s\n%s host memory at {0}: the pointer is the host's.\n"
                      "Kernels need memory of cudaMalloc, filled by cudaMemcpy.",
                      subject(s, who, sizeof who), verb(access));
    spw_simt_leave_launch(CUDA_ILLEGAL_ADDRESS);
}

static void report_null(spw_simt_state *s, uintptr_t pc, uintptr_t address, size_t size,
                        spw_simt_access access) {
    char who[256];
    spw_simt_find(s, SPW_SIMT_NULL, pc, NULL, (int64_t)(address / size),
                  "%s\n%s entry %lld of a NULL pointer at {0}.\n"
                  "Was its cudaMalloc forgotten, did it fail, was the pointer never passed? Or has "
                  "the array no\nentries: then a bounds check, if (i < n), is missing.",
                  subject(s, who, sizeof who), verb(access), (long long)(address / size));
    spw_simt_leave_launch(CUDA_ILLEGAL_ADDRESS);
}

static void report_freed(spw_simt_state *s, const spw_simt_array *a, uintptr_t pc,
                         spw_simt_access access) {
    char who[256];
    spw_simt_find(s, SPW_SIMT_FREED, pc, a, -1, "%s\n%s %s at {0}, which was freed before.",
                  subject(s, who, sizeof who), verb(access), a->name);
    spw_simt_leave_launch(CUDA_ILLEGAL_ADDRESS);
}

static void report_constant(spw_simt_state *s, const spw_simt_array *a, uintptr_t pc,
                            spw_simt_access access) {
    char who[256];
    spw_simt_find(
        s, SPW_SIMT_OUTSIDE, pc, a, -1,
        "%s\n%s %.60s at {0}, which is __constant__: kernels read it, and the host fills it "
        "by cudaMemcpyToSymbol. What kernels write to is __device__.",
        subject(s, who, sizeof who), verb(access), a->name);
    spw_simt_leave_launch(CUDA_ILLEGAL_ADDRESS);
}

static void check_alignment(spw_simt_state *s, const spw_simt_array *a, uintptr_t pc,
                            const void *address, size_t size, spw_simt_access access) {
    char who[256];
    if (size < 2 || size > 16 || (size & (size - 1)) || (uintptr_t)address % size == 0) return;
    spw_simt_find(s, SPW_SIMT_MISALIGNED, pc, a, -1,
                  "%s\n%s %zu bytes at once at {0}, from byte %lld of %s:\n"
                  "that is no multiple of %zu.%s",
                  subject(s, who, sizeof who), verb(access), size,
                  (long long)((const char *)address - a->start), a->name, size,
                  size == 16 ? " A double2 must begin at an even entry." : "");
    spw_simt_leave_launch(CUDA_MISALIGNED);
}

/* --- one access ----------------------------------------------------------------------------------- */

static bool is_own_memory(const spw_simt_state *s, const void *address) {
    const char *p = address, *arguments = s->launch->arguments;
    return (uintptr_t)(p - s->pool.memory) < s->pool.size ||
           (uintptr_t)(p - arguments) < s->launch->size;
}

static void access_memory(spw_simt_state *s, uintptr_t pc, const void *address, size_t size,
                          spw_simt_access access, spw_simt_manner manner) {
    const char *p = address;
    if (is_own_memory(s, p)) return;
    bool shared = false;
    spw_simt_array *a = spw_simt_find_device(s, p);
    if (!a) {
        a = spw_simt_find_shared(s, p);
        shared = a != NULL;
    }
    if (!a) {
        if ((uintptr_t)p < 1 << 20) report_null(s, pc, (uintptr_t)p, size, access);
        report_host(s, pc, p, access);
        return;
    }
    if (a->freed) report_freed(s, a, pc, access);
    if (a->constant && access != SPW_SIMT_LOAD) report_constant(s, a, pc, access);
    const size_t offset = (size_t)(p - a->start);
    check_alignment(s, a, pc, p, size, access);
    if (offset >= a->size || size > a->size - offset)
        report_outside(s, a, pc, p, size, access, true);
    if (!shared) {
        const int writes = access != SPW_SIMT_LOAD;
        if (!a->used[writes].high || offset < a->used[writes].low) a->used[writes].low = offset;
        if (offset + size > a->used[writes].high) a->used[writes].high = offset + size;
    }
    if (access == SPW_SIMT_STORE) s->lane->spins = 0, s->progress++;
    if (s->options.check) spw_simt_shadow_access(s, a, pc, offset, size, access, manner);
    if (s->options.count) spw_simt_log_access(s, pc, (uintptr_t)p, size, access, shared);
}

/* Host code, where it was compiled with the kernels. */
static void host_access(spw_simt_state *s, uintptr_t pc, const char *p, spw_simt_access access) {
    const bool in_arena = (uintptr_t)p - (uintptr_t)s->arena < s->arena_used;
    if (!in_arena && !spw_simt_in_section(p)) return;
    spw_simt_array *a = spw_simt_find_device(s, p);
    if (!a || p < a->start || p >= a->start + a->size) return;
    if (a->space == SPW_SIMT_PINNED || a->space == SPW_SIMT_MANAGED)
        spw_simt_ordered_host_access(s, pc, a, (size_t)(p - a->start), access != SPW_SIMT_LOAD);
    if (a->space != SPACE_SECTION) return;
    spw_simt_find(s, SPW_SIMT_DEVICE_POINTER, pc, a, -1,
                  "Host code at {0} %s %.60s, which is __%s__: its value is on the device. "
                  "cudaMemcpyFromSymbol brings it here, cudaMemcpyToSymbol takes one there.",
                  verb(access), a->name, a->constant ? "constant" : "device");
}

static inline void on_access_of(uintptr_t pc, const void *address, size_t size,
                                spw_simt_access access, spw_simt_manner manner) {
    spw_simt_state *s = spw_simt_now;
    if (!s) return;
    if (s->lane) s->last_pc = pc;
    if (s->lane && manner.way != WAY_PLAIN && access != SPW_SIMT_STORE) spw_simt_spin(s);
    if (!(s->options.check || s->options.count)) return;
    if (!s->lane) {
        if (s->in_run) host_access(s, pc, address, access);
        return;
    }
    access_memory(s, pc, address, size, access, manner);
}

static inline void on_access(uintptr_t pc, const void *address, size_t size,
                             spw_simt_access access) {
    on_access_of(pc, address, size, access, (spw_simt_manner){.way = WAY_PLAIN});
}

static inline void on_volatile(uintptr_t pc, const void *address, size_t size,
                               spw_simt_access access) {
    on_access_of(pc, address, size, access, (spw_simt_manner){.way = WAY_VOLATILE});
}

void spw_simt_atomic(const void *address, size_t size, const void *pc, int how) {
    on_access_of((uintptr_t)pc, address, size, SPW_SIMT_ATOMIC,
                 (spw_simt_manner){.way = how & SPW_SIMT_IN_BLOCK ? WAY_ATOMIC_BLOCK : WAY_ATOMIC,
                                   .compares = how & SPW_SIMT_COMPARES,
                                   .exchanges = how & SPW_SIMT_EXCHANGES});
}

/* --- what gcc calls: the types are those that gcc knows ------------------------------------------- */

/* clang-format off */
#define READ_AND_WRITE(suffix, size)                                                               \
    void __tsan_read##suffix(void *p);                                                             \
    void __tsan_write##suffix(void *p);                                                            \
    void __tsan_unaligned_read##suffix(void *p);                                                   \
    void __tsan_unaligned_write##suffix(void *p);                                                  \
    void __tsan_volatile_read##suffix(void *p);                                                    \
    void __tsan_volatile_write##suffix(void *p);                                                   \
    void __tsan_read##suffix(void *p) { on_access(CALLER, p, size, SPW_SIMT_LOAD); }               \
    void __tsan_write##suffix(void *p) { on_access(CALLER, p, size, SPW_SIMT_STORE); }             \
    void __tsan_unaligned_read##suffix(void *p) { on_access(CALLER, p, size, SPW_SIMT_LOAD); }     \
    void __tsan_unaligned_write##suffix(void *p) { on_access(CALLER, p, size, SPW_SIMT_STORE); }   \
    void __tsan_volatile_read##suffix(void *p) { on_volatile(CALLER, p, size, SPW_SIMT_LOAD); }    \
    void __tsan_volatile_write##suffix(void *p) { on_volatile(CALLER, p, size, SPW_SIMT_STORE); }
/* clang-format on */

READ_AND_WRITE(1, 1)
READ_AND_WRITE(2, 2)
READ_AND_WRITE(4, 4)
READ_AND_WRITE(8, 8)
READ_AND_WRITE(16, 16)

/* gcc announces as a range what it knows not to be aligned: of an array whose entries are no smaller, it is one access. */
static bool is_misaligned_entry(const char *p, size_t size) {
    if (!spw_simt_now || size > 16 || size & (size - 1) || (uintptr_t)p % size == 0) return false;
    const spw_simt_array *a = spw_simt_find_device(spw_simt_now, p);
    return a && a->element && a->element % size == 0;
}

/* A struct copied as a whole. Loads of a GPU take at most 16 bytes. */
static void in_pieces(uintptr_t pc, char *p, size_t size, spw_simt_access access) {
    if (is_misaligned_entry(p, size)) {
        on_access(pc, p, size, access);
        return;
    }
    while (size) {
        size_t piece = 16;
        while (piece > size || (uintptr_t)p % piece) piece /= 2;
        on_access(pc, p, piece, access);
        p += piece;
        size -= piece;
        if (size && spw_simt_now) spw_simt_shadow_insist(spw_simt_now);
    }
}

void __tsan_read_range(void *p, long size);
void __tsan_write_range(void *p, long size);
void __tsan_vptr_read(void *p);
void __tsan_vptr_update(void *p, void *value);
void __tsan_init(void);

void __tsan_read_range(void *p, long size) { in_pieces(CALLER, p, (size_t)size, SPW_SIMT_LOAD); }

void __tsan_write_range(void *p, long size) { in_pieces(CALLER, p, (size_t)size, SPW_SIMT_STORE); }

void *spw_simt_moves(void *to, const void *from, size_t size) {
    in_pieces(CALLER, (char *)(uintptr_t)from, size, SPW_SIMT_LOAD);
    in_pieces(CALLER, to, size, SPW_SIMT_STORE);
    return memmove(to, from, size);
}

void *spw_simt_sets(void *to, int value, size_t size) {
    in_pieces(CALLER, to, size, SPW_SIMT_STORE);
    return memset(to, value, size);
}

void __tsan_vptr_read(void *p) { (void)p; }

void __tsan_vptr_update(void *p, void *value) {
    (void)p;
    (void)value;
}

void __tsan_init(void) {}

/* --- what the processor noticed ------------------------------------------------------------------- */

static void explain_host_fault(spw_simt_state *s, uintptr_t pc, const char *p, int is_write) {
    const spw_simt_array *a = spw_simt_find_device(s, p);
    const char *does = is_write == 1 ? "writes" : is_write == 0 ? "reads" : "uses";
    if (s->in_call) {
        spw_simt_find(s, SPW_SIMT_CALL, pc, NULL, -1,
                      "%s at {0}: the host pointer cannot be %s for so many bytes.", s->in_call,
                      is_write == 1 ? "written" : "read");
        return;
    }
    if (a && a->freed) {
        spw_simt_find(s, SPW_SIMT_FREED, pc, a, -1,
                      "Host code at {0} %s %.60s, which was freed before.", does, a->name);
        return;
    }
    if (a) {
        const int64_t element = (int64_t)(a->element ? a->element : 1), offset = p - a->start;
        spw_simt_find(s, SPW_SIMT_DEVICE_POINTER, pc, a, offset / element,
                      "Host code at {0} %s %.60s[%lld],\nwhich is device memory: copy it with "
                      "cudaMemcpy first.",
                      does, a->name, (long long)(offset / element));
        return;
    }
    spw_simt_find(s, SPW_SIMT_CRASH, pc, NULL, -1,
                  "Host code at {0} %s address %p, where there is no memory.", does,
                  (const void *)p);
}

void spw_simt_explain_fault(spw_simt_state *s, uintptr_t pc, const void *address, int is_write) {
    const spw_simt_access access = is_write == 1 ? SPW_SIMT_STORE : SPW_SIMT_LOAD;
    const char *p = address;
    char who[256];
    if (!s->lane) {
        explain_host_fault(s, pc, p, is_write);
        return;
    }
    if (spw_fiber_is_guard(&s->pool, p)) {
        spw_simt_find(s, SPW_SIMT_STACK, pc, NULL, -1,
                      "%s\nneeds more than the 64 KiB of stack that a thread has here, at {0}:\n"
                      "a recursion without end, or a large local array?",
                      subject(s, who, sizeof who));
        return;
    }
    /* The same words as in the check build, but the element's size can only be guessed. */
    spw_simt_array *a = spw_simt_find_device(s, p);
    if (a && a->freed) report_freed(s, a, pc, access);
    if (a) report_outside(s, a, pc, p, a->element ? a->element : 8, access, false);
    if ((uintptr_t)p < 1 << 20) report_null(s, pc, (uintptr_t)p, 8, access);
    spw_simt_find(s, SPW_SIMT_OUTSIDE, pc, NULL, -1,
                  "%s\n%s address %p at {0}, where there is no memory.",
                  subject(s, who, sizeof who), verb(access), (const void *)p);
}

/* An index is outside of an array of a known size. */
void __ubsan_handle_out_of_bounds(void *data, void *index);
void __ubsan_handle_out_of_bounds(void *data, void *index) {
    spw_simt_out_of_bounds(CALLER, data, index);
}

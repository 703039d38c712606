/* The calls that gcc makes of target constructs, on copies. */
#define _GNU_SOURCE
#include "driver_offload.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* libgomp's kinds of maps and its number for "the host", gomp-constants.h. */
enum {
    TO = 1,
    FROM = 2,
    TOFROM = 3,
    FIRSTPRIVATE = 12,
    FIRSTPRIVATE_INT = 13,
    NOT_MAPPED = 15, /* a pointer that no clause names, or a section of no elements */
    ALWAYS = 16,     /* added to the first three */
    POINTER = 4,     /* these two: the variable that holds a mapped address; */
    ATTACH = 80,     /* of no interest where no region uses it */
    IMPLICIT = 0x60, /* added: no clause names it */
    DELETE = 7,      /* of `target exit data`: map(delete : ...), map(release : ...) */
    RELEASE = 23,
    HOST = -2
};
enum { MAX_COPIES = 64, MAX_OPEN = 8, MARGIN = 4096, RUBBISH = 0x5A };

typedef struct copy {
    char *host, *block; /* block: with a margin on either side */
    size_t size;
    int users;
} copy;

static struct {
    pthread_mutex_t lock;
    bool on, reached;
    void (*meanwhile)(void);
    spw_offload count;
    copy copies[MAX_COPIES];
    struct {
        void **addresses;
        size_t *sizes;
        unsigned short *kinds;
        size_t n;
        bool away;
    } open[MAX_OPEN]; /* target data regions */
    int n_open;
} device = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* What would have been called. A function pointer is no object: hence the copy. */
static void next(const char *name, void *function) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) abort(); /* whoever calls it was linked with it */
    memcpy(function, &found, sizeof found);
}

static void trouble(const char *text) {
    if (!device.count.trouble[0])
        snprintf(device.count.trouble, sizeof device.count.trouble, "%s", text);
}

static copy *find(const void *address, size_t size) {
    const char *const a = (const char *)address;
    for (int k = 0; k < MAX_COPIES; k++) {
        copy *c = &device.copies[k];
        if (!c->block || a + size <= c->host || a >= c->host + c->size) continue;
        if (a >= c->host && a + size <= c->host + c->size) return c;
        trouble("a map clause names more of an array than is on the device already: the same\n"
                "array must be mapped with the same bounds");
        return c;
    }
    return NULL;
}

static copy *make(void *address, size_t size) {
    for (int k = 0; k < MAX_COPIES; k++) {
        copy *c = &device.copies[k];
        if (c->block) continue;
        char *block = (char *)malloc(size + 2 * MARGIN);
        if (!block) break;
        memset(block, RUBBISH, size + 2 * MARGIN);
        *c = (copy){(char *)address, block, size, 0};
        return c;
    }
    trouble("the judge has no room for another mapped array");
    return NULL;
}

static char *there(const copy *c, const void *address) {
    return c->block + MARGIN + ((const char *)address - c->host);
}

static void copy_to(const copy *c, const void *address, size_t size) {
    memcpy(there(c, address), address, size);
    device.count.to += (int64_t)size;
}

static void copy_from(const copy *c, void *address, size_t size) {
    memcpy(address, there(c, address), size);
    device.count.from += (int64_t)size;
}

static bool is_section(int kind) {
    return (kind & ~(TOFROM | ALWAYS)) == 0;
}

static const char NO_CLAUSE[] =
    "a target region uses an array that is declared outside of it, and no map clause names\n"
    "it: all threads share that one array. If each is to have its own, declare it in the loop";

/* The address that the region is given in the place of this one. */
static void *enter(void *address, size_t size, int kind) {
    if (kind == FIRSTPRIVATE || kind == FIRSTPRIVATE_INT) return address;
    copy *c = find(address, size ? size : 1);
    if (kind == NOT_MAPPED) {
        if (!c)
            trouble("a target region uses a pointer that no map clause names, or a section of no\n"
                    "elements: on a device it points to nothing");
        return c ? there(c, address) : address;
    }
    if (!is_section(kind)) {
        trouble((kind & IMPLICIT) == IMPLICIT ? NO_CLAUSE
                                              : "a map clause of a kind that the judge cannot "
                                                "follow: copy the pointers of S into\n"
                                                "variables, and map these");
        return address;
    }
    const bool first = !c;
    if (first) c = make(address, size);
    if (!c) return address;
    c->users++;
    if (kind & TO && (first || kind & ALWAYS)) copy_to(c, address, size);
    return there(c, address);
}

static void leave(void *address, size_t size, int kind) {
    const bool forgets = kind == DELETE || kind == RELEASE;
    if (!is_section(kind) && !forgets) return;
    copy *c = find(address, size ? size : 1);
    if (!c) return;
    c->users = kind == DELETE ? 0 : c->users - 1;
    if (!forgets && kind & FROM && (c->users == 0 || kind & ALWAYS)) copy_from(c, address, size);
    if (c->users > 0) return;
    free(c->block);
    *c = (copy){0};
}

void GOMP_target_ext(int number, void (*region)(void *), size_t n, void **addresses, size_t *sizes,
                     unsigned short *kinds, unsigned flags, void **depend, void **arguments) {
    __typeof__(GOMP_target_ext) *target;
    device.reached = true;
    next("GOMP_target_ext", &target);
    if (!device.on || number == HOST) {
        if (device.on) device.count.on_host++;
        for (size_t k = 0; device.on && k < n; k++)
            if ((kinds[k] & IMPLICIT) == IMPLICIT && is_section(kinds[k] & ~IMPLICIT & 0xFF))
                trouble(NO_CLAUSE);
        target(number, region, n, addresses, sizes, kinds, flags, depend, arguments);
        return;
    }
    void **const moved = (void **)calloc(n + 1, sizeof *moved);
    if (!moved) abort();
    pthread_mutex_lock(&device.lock);
    device.count.regions++;
    for (size_t k = 0; k < n; k++) moved[k] = enter(addresses[k], sizes[k], kinds[k] & 0xFF);
    const bool runs = !device.count.trouble[0];
    pthread_mutex_unlock(&device.lock);
    if (runs && device.meanwhile) device.meanwhile();
    if (runs) target(HOST, region, n, moved, sizes, kinds, flags, depend, arguments);
    pthread_mutex_lock(&device.lock);
    for (size_t k = 0; k < n; k++) leave(addresses[k], sizes[k], kinds[k] & 0xFF);
    pthread_mutex_unlock(&device.lock);
    free(moved);
}

void GOMP_target_data_ext(int number, size_t n, void **addresses, size_t *sizes,
                          unsigned short *kinds) {
    __typeof__(GOMP_target_data_ext) *target;
    if (!device.on) {
        next("GOMP_target_data_ext", &target);
        target(number, n, addresses, sizes, kinds);
        return;
    }
    pthread_mutex_lock(&device.lock);
    if (device.n_open == MAX_OPEN) abort();
    const int at = device.n_open++;
    device.open[at].n = n;
    device.open[at].away = number != HOST;
    device.open[at].addresses = addresses;
    device.open[at].sizes = sizes;
    device.open[at].kinds = kinds;
    if (number != HOST)
        for (size_t k = 0; k < n; k++) {
            const int kind = kinds[k] & 0xFF;
            if (kind != POINTER && kind != ATTACH) (void)enter(addresses[k], sizes[k], kind);
        }
    pthread_mutex_unlock(&device.lock);
}

void GOMP_target_end_data(void) {
    __typeof__(GOMP_target_end_data) *target;
    if (!device.on) {
        next("GOMP_target_end_data", &target);
        target();
        return;
    }
    pthread_mutex_lock(&device.lock);
    const int at = --device.n_open;
    for (size_t k = 0; device.open[at].away && k < device.open[at].n; k++)
        leave(device.open[at].addresses[k], device.open[at].sizes[k],
              device.open[at].kinds[k] & 0xFF);
    pthread_mutex_unlock(&device.lock);
}

void GOMP_target_update_ext(int number, size_t n, void **addresses, size_t *sizes,
                            unsigned short *kinds, unsigned flags, void **depend) {
    __typeof__(GOMP_target_update_ext) *target;
    if (!device.on) {
        next("GOMP_target_update_ext", &target);
        target(number, n, addresses, sizes, kinds, flags, depend);
        return;
    }
    pthread_mutex_lock(&device.lock);
    for (size_t k = 0; number != HOST && k < n; k++) {
        copy *c = sizes[k] ? find(addresses[k], sizes[k]) : NULL;
        if (c && kinds[k] & TO) copy_to(c, addresses[k], sizes[k]);
        if (c && kinds[k] & FROM) copy_from(c, addresses[k], sizes[k]);
    }
    pthread_mutex_unlock(&device.lock);
}

/* `target enter data` maps alloc or to, `target exit data` from, release or delete. */
void GOMP_target_enter_exit_data(int number, size_t n, void **addresses, size_t *sizes,
                                 unsigned short *kinds, unsigned flags, void **depend) {
    __typeof__(GOMP_target_enter_exit_data) *target;
    if (!device.on) {
        next("GOMP_target_enter_exit_data", &target);
        target(number, n, addresses, sizes, kinds, flags, depend);
        return;
    }
    pthread_mutex_lock(&device.lock);
    for (size_t k = 0; number != HOST && k < n; k++) {
        const int kind = kinds[k] & 0xFF;
        if (kind == POINTER || kind == ATTACH) continue;
        if (is_section(kind) && !(kind & FROM))
            (void)enter(addresses[k], sizes[k], kind);
        else
            leave(addresses[k], sizes[k], kind);
    }
    pthread_mutex_unlock(&device.lock);
}

/* Does a region of this very compiler come here? */
bool spw_offload_begin(void (*meanwhile)(void)) {
    int here = 0;
    device.reached = false;
#pragma omp target map(tofrom : here) if (here)
    here = 1;
    if (here != 1 || !device.reached) return false;
    device.count = (spw_offload){0};
    device.meanwhile = meanwhile;
    device.on = true;
    return true;
}

void spw_offload_resident(const void *address, int64_t bytes, const void *contents) {
    copy *c = bytes > 0 ? make((void *)(uintptr_t)address, (size_t)bytes) : NULL;
    if (!c) return;
    c->users = 1;
    memcpy(there(c, address), contents, (size_t)bytes);
}

void spw_offload_end(spw_offload *watch) {
    for (int k = 0; k < MAX_COPIES; k++) {
        free(device.copies[k].block);
        device.copies[k] = (copy){0};
    }
    device.on = false;
    device.n_open = 0;
    *watch = device.count;
}

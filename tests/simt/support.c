#include "support.h"
#include "test.h"

#include <dlfcn.h>
#include <libgen.h>
#include <unistd.h>

static void die(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why ? why : "?");
    exit(1);
}

void kernel_path(const char *name, const char *build, char *path, size_t size) {
    char self[3072];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n < 0) die("/proc/self/exe", "cannot be read");
    self[n] = 0;
    snprintf(path, size, "%s/kernels/%s.%s.so", dirname(self), name, build);
}

spw_any_function kernel_function(const char *name, const char *build, const char *function) {
    char path[4096];
    kernel_path(name, build, path, sizeof path);
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!object) die(path, dlerror());
    void *symbol = dlsym(object, function);
    if (!symbol) die(function, dlerror());
    spw_any_function f;
    memcpy(&f, &symbol, sizeof f);
    return f;
}

void begin_checker(spw_simt_options options) {
    static bool began;
    if (!began) atexit(spw_simt_end);
    began = true;
    spw_simt_end(); /* of the test before */
    if (spw_simt_begin(&options)) die("spw_simt_begin", spw_message());
}

void run_right(void (*call)(void *argument), void *argument) {
    const bool ended = spw_simt_run(call, argument);
    if (spw_simt_finding_count()) print_findings();
    assert_int_equal(spw_simt_finding_count(), 0);
    assert_true(ended);
}

spw_simt_row traffic_of(const char *array, spw_simt_access access) {
    spw_simt_row sum = {.requests = 0};
    const int n = spw_simt_row_count();
    for (int k = 0; k < n; k++) {
        const spw_simt_row *r = spw_simt_row_at(k);
        if (strcmp(r->array, array) != 0 || r->access != access) continue;
        sum.requests += r->requests;
        sum.sectors += r->sectors;
        sum.bytes += r->bytes;
        sum.wavefronts += r->wavefronts;
        sum.ideal += r->ideal;
        sum.misses += r->misses;
        sum.once += r->once;
        sum.needed += r->needed;
        sum.lanes += r->lanes;
        sum.line = r->line;
        sum.shared = r->shared;
        sum.size = r->size;
    }
    return sum;
}

int64_t all_sectors(void) {
    int64_t sum = 0;
    for (int k = 0, n = spw_simt_row_count(); k < n; k++) sum += spw_simt_row_at(k)->sectors;
    return sum;
}

int64_t all_bytes(void) {
    int64_t sum = 0;
    for (int k = 0, n = spw_simt_row_count(); k < n; k++)
        if (!spw_simt_row_at(k)->shared) sum += spw_simt_row_at(k)->bytes;
    return sum;
}

const spw_simt_finding *finding_of(spw_simt_kind kind) {
    for (int k = 0, n = spw_simt_finding_count(); k < n; k++)
        if (spw_simt_finding_at(k)->kind == kind) return spw_simt_finding_at(k);
    return NULL;
}

void print_findings(void) {
    static char text[1 << 16];
    spw_simt_print_findings(text, sizeof text);
    fputs(text, stderr);
}

const char *printed(int (*print)(char *text, size_t size), size_t columns) {
    static char text[8192];
    const int length = print(text, sizeof text);
    assert_int_equal(length, strlen(text));
    assert_int_equal(print(NULL, 0), length);
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
        if (strcspn(line, "\n") > columns) fail_msg("too wide: %s", line);
    return text;
}

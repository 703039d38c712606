#include "support.h"

#include <dlfcn.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
    spw_simt_end(); /* of a test that failed */
    if (spw_simt_begin(&options)) die("spw_simt_begin", spw_message());
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

/* --- matrices ------------------------------------------------------------------------------------- */

static void *room(int64_t count, size_t size) {
    void *p = calloc((size_t)count + 1, size);
    if (!p) die("matrix", "no memory");
    return p;
}

spw_csr stencil27(int nx, int ny, int nz) {
    const int64_t nnz = (int64_t)(3 * nx - 2) * (3 * ny - 2) * (3 * nz - 2);
    spw_csr A = {.n_rows = nx * ny * nz, .n_cols = nx * ny * nz, .nnz = (spw_idx)nnz};
    A.row_ptr = room(A.n_rows + 1, sizeof *A.row_ptr);
    A.col_idx = room(nnz, sizeof *A.col_idx);
    A.val = room(nnz, sizeof *A.val);
    int k = 0, i = 0;
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++) {
                for (int c = z - 1; c <= z + 1; c++)
                    for (int b = y - 1; b <= y + 1; b++)
                        for (int a = x - 1; a <= x + 1; a++) {
                            if (a < 0 || a >= nx || b < 0 || b >= ny || c < 0 || c >= nz) continue;
                            A.col_idx[k] = (c * ny + b) * nx + a;
                            A.val[k] = k + 1;
                            k++;
                        }
                A.row_ptr[++i] = k;
            }
    return A;
}

ell_matrix ell_of(const spw_csr *A) {
    ell_matrix E = {.n = A->n_rows};
    for (int i = 0; i < A->n_rows; i++)
        if (A->row_ptr[i + 1] - A->row_ptr[i] > E.width)
            E.width = A->row_ptr[i + 1] - A->row_ptr[i];
    E.col = room((int64_t)E.n * E.width, sizeof *E.col);
    E.val = room((int64_t)E.n * E.width, sizeof *E.val);
    for (int i = 0; i < E.n; i++) {
        const int length = A->row_ptr[i + 1] - A->row_ptr[i];
        for (int k = 0; k < E.width; k++) {
            const int from = A->row_ptr[i] + (k < length ? k : length - 1);
            E.col[k * E.n + i] = k < length ? A->col_idx[from] : i;
            E.val[k * E.n + i] = k < length ? A->val[from] : 0;
        }
    }
    return E;
}

void multiply(const spw_csr *A, const double *x, double *y) {
    for (int i = 0; i < A->n_rows; i++) {
        y[i] = 0;
        for (int k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            y[i] += A->val[k] * x[A->col_idx[k]];
    }
}

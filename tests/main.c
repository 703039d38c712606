/* The tests of a program, and its main. Threads sleep while they wait: a solver has thousands of short parallel
 * regions; where other programs use the cores too, threads that spin at each of them take a hundred times as long.
 * OpenMP reads the wish only when a program starts: so it starts once more. */
#include "test.h"

#include "formats/generate.h"
#include "kit/cases.h"

#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 100 };
static struct {
    int line;
    struct CMUnitTest test;
} listed[MOST];
static size_t n_listed;
int thread_counts[4] = {1, 3, 7}, all_threads;

static void **rooms;
static size_t n_rooms;

void *zeroed(int64_t count, size_t size) {
    rooms = realloc(rooms, (n_rooms + 1) * sizeof *rooms);
    assert_non_null(rooms);
    void *room = rooms[n_rooms] = calloc((size_t)(count ? count : 1), size);
    assert_non_null(room);
    n_rooms++;
    return room;
}

double *zeros(int64_t count) { return (double *)zeroed(count, sizeof(double)); }

spw_csr generated(const char *name) {
    spw_csr A;
    if (spw_csr_load(name, &A)) fail_msg("%s", spw_message());
    return A;
}

spw_csr case_of(const char *name, uint64_t seed) {
    spw_csr A;
    if (spw_csr_named(name, seed, &A)) fail_msg("%s", spw_message());
    return A;
}

spw_csr matrix_of(spw_idx n_rows, spw_idx n_cols, const double *numbers) {
    spw_csr A;
    assert_ok(spw_csr_create(n_rows, n_cols, (int64_t)n_rows * n_cols, &A));
    A.nnz = 0;
    for (spw_idx i = 0; i < n_rows; i++) {
        A.row_ptr[i] = A.nnz;
        for (spw_idx j = 0; j < n_cols; j++) {
            A.col_idx[A.nnz] = j;
            A.val[A.nnz] = numbers[i * n_cols + j];
            A.nnz += A.val[A.nnz] != 0;
        }
    }
    A.row_ptr[n_rows] = A.nnz;
    return A;
}

double a_ij(const spw_csr *A, spw_idx i, spw_idx j) {
    const spw_idx k = spw_csr_entry(A, i, j);
    return k < 0 ? 0 : A->val[k];
}

void assert_positive_definite(const spw_csr *A) {
    const int64_t n = A->n_rows;
    double *L = zeros(n * n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            double sum = a_ij(A, (spw_idx)i, (spw_idx)j);
            for (int64_t k = 0; k < j; k++) sum -= L[i * n + k] * L[j * n + k];
            if (i == j && !(sum > 0)) fail_msg("pivot %" PRId64 " is %g", i, sum);
            L[i * n + j] = i == j ? sqrt(sum) : sum / L[j * n + j];
        }
}

bool with_threads(int threads, int most) {
    if (threads <= most) spw_set_threads(threads);
    return threads <= most;
}

bool with_count(int t) { return t < 4 && with_threads(thread_counts[t], thread_counts[t]); }

void assert_near(int64_t n, const double *got, const double *expected, double bound) {
    for (int64_t i = 0; i < n; i++)
        if (!(fabs(got[i] - expected[i]) <= bound))
            fail_msg("element %" PRId64 " is %.17g, not %.17g", i, got[i], expected[i]);
}

void assert_no_csr(const spw_csr *A) {
    assert_true(A->n_rows == 0 && A->n_cols == 0 && A->nnz == 0);
    assert_true(!A->row_ptr && !A->col_idx && !A->val);
}

void assert_no_coo(const spw_coo *A) {
    assert_true(A->n_rows == 0 && A->n_cols == 0 && A->nnz == 0);
    assert_true(!A->row_idx && !A->col_idx && !A->val);
}

void assert_same_csr(const spw_csr *A, const spw_csr *B) {
    assert_int_equal(A->n_rows, B->n_rows);
    assert_int_equal(A->n_cols, B->n_cols);
    assert_int_equal(A->nnz, B->nnz);
    assert_memory_equal(A->row_ptr, B->row_ptr, sizeof(spw_idx) * ((size_t)A->n_rows + 1));
    if (!A->nnz) return;
    assert_memory_equal(A->col_idx, B->col_idx, sizeof(spw_idx) * (size_t)A->nnz);
    assert_memory_equal(A->val, B->val, sizeof(double) * (size_t)A->nnz);
}

static char folder[64];

const char *own_folder(void) {
    if (!*folder) {
        const char *base = getenv("TMPDIR");
        snprintf(folder, sizeof folder, "%s/spw-test-XXXXXX", base && *base ? base : "/tmp");
        assert_true(mkdtemp(folder) && chmod(folder, 0755) == 0);
    }
    return folder;
}

char *own_path(const char *name) {
    static char paths[8][512];
    static int next;
    next = (next + 1) % 8;
    snprintf(paths[next], sizeof paths[next], "%s/%s", own_folder(), name);
    return paths[next];
}

char *put_file(const char *name, const void *bytes, size_t length) {
    char *path = own_path(name);
    for (char *at = strchr(path + strlen(folder) + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = 0;
        mkdir(path, 0755);
        *at = '/';
    }
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
    return path;
}

char *put_text(const char *name, const char *text) { return put_file(name, text, strlen(text)); }

char *text_of_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("%s is missing", path);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *length = (size_t)ftell(file);
    rewind(file);
    char *bytes = zeroed((int64_t)*length + 1, 1);
    assert_int_equal(fread(bytes, 1, *length, file), *length);
    fclose(file);
    return bytes;
}

static int leave(void **state) {
    (void)state;
    spw_memory_fail_after(-1);
    spw_set_threads(all_threads);
    while (n_rooms) free(rooms[--n_rooms]);
    free(rooms);
    rooms = NULL;
    return 0;
}

int empty_folder(void **state) {
    char command[100];
    leave(state);
    if (!*folder) return 0;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    *folder = 0;
    return system(command);
}

void add_test(int line, struct CMUnitTest test) {
    if (n_listed == MOST) abort();
    size_t k = n_listed++;
    for (; k > 0 && listed[k - 1].line > line; k--) listed[k] = listed[k - 1];
    listed[k].line = line;
    listed[k].test = test;
}

int run_all(CMFixtureFunction set_up, CMFixtureFunction tear_down) {
    struct CMUnitTest tests[MOST];
    all_threads = thread_counts[3] = spw_max_threads();
    for (size_t k = 0; k < n_listed; k++) {
        tests[k] = listed[k].test;
        if (!tests[k].teardown_func) tests[k].teardown_func = leave;
    }
    const int failed = _cmocka_run_group_tests("tests", tests, n_listed, set_up, tear_down);
    return failed + empty_folder(NULL);
}

__attribute__((weak)) int main(int argc, char **argv) {
    (void)argc;
    if (!getenv("OMP_WAIT_POLICY") && !setenv("OMP_WAIT_POLICY", "passive", 1))
        execv("/proc/self/exe", argv); /* where that cannot be, it goes on as it is, only slower */
    return run_all(NULL, NULL);
}

/* Real matrices: every file of $SHARED_MATRICES (default ../shared/matrices) is read and compared with
 * the table in that folder's README.md, one test a file. Without the folder there is nothing to compare
 * with, and the only test is skipped.
 *
 * The table:  | name | file | group | rows | cols | stored | nnz | symmetry | field | SPD | row
 * min/avg/max | notes | ...  where stored counts the file's lines of entries, and nnz the entries after
 * mirroring with duplicates merged. Notes with "reject" mark what must be refused: complex and dense
 * matrices, and one that holds inf. */
#include "formats/csr.h"
#include "formats/matrix_market.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { ROWS_MAX = 1000, CELLS = 12 };

typedef struct row {
    char name[100], path[1024];
    long n_rows, n_cols, stored, nnz, shortest, longest;
    int general, refused;
} row;

static row rows[ROWS_MAX];
static struct CMUnitTest tests[ROWS_MAX + 1];
static size_t n_rows;
static const char *folder;

/* Cuts the line at its bars. Returns the number of cells found, at most CELLS. */
static int split(char *line, char *cells[CELLS]) {
    int n = 0;
    if (*line != '|') return 0;
    for (char *at = line + 1; n < CELLS; at++) {
        at += strspn(at, " ");
        char *const bar = strchr(at, '|');
        if (!bar) break;
        *bar = '\0';
        for (char *end = bar; end > at && end[-1] == ' '; end--) end[-1] = '\0';
        cells[n++] = at;
        at = bar;
    }
    return n;
}

static void take_row(char *line) {
    char *cells[CELLS];
    if (split(line, cells) < CELLS || !strstr(cells[1], ".mtx") || n_rows == ROWS_MAX) return;
    row *const R = &rows[n_rows];
    snprintf(R->name, sizeof R->name, "%s_is_read_as_its_table_says", cells[0]);
    snprintf(R->path, sizeof R->path, "%s/%s", folder, cells[1]);
    R->n_rows = strtol(cells[3], NULL, 10);
    R->n_cols = strtol(cells[4], NULL, 10);
    R->stored = strtol(cells[5], NULL, 10);
    R->nnz = strtol(cells[6], NULL, 10);
    R->general = strcmp(cells[7], "general") == 0;
    if (sscanf(cells[10], "%ld/%*f/%ld", &R->shortest, &R->longest) != 2)
        R->shortest = R->longest = -1;
    R->refused = strstr(cells[11], "reject") != NULL;
    if (R->refused) snprintf(R->name, sizeof R->name, "%s_is_refused", cells[0]);
    n_rows++;
}

static int read_table(void) {
    char path[1024], line[4096];
    snprintf(path, sizeof path, "%s/README.md", folder);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    while (fgets(line, sizeof line, file)) take_row(line);
    fclose(file);
    return 1;
}

static void is_refused(void **state) {
    const row *R = *state;
    char begin[1100];
    spw_coo C;
    assert_int_equal(spw_coo_read_matrix_market(R->path, &C), SPW_ERR_FORMAT);
    snprintf(begin, sizeof begin, "%s:", R->path);
    assert_int_equal(strncmp(spw_message(), begin, strlen(begin)), 0);
    assert_true(strstr(spw_message(), "complex") || strstr(spw_message(), "dense") ||
                strstr(spw_message(), "expected a finite number"));
    assert_null(C.val);
}

static void is_read(void **state) {
    const row *R = *state;
    spw_coo C;
    spw_csr A;
    if (spw_coo_read_matrix_market(R->path, &C)) fail_msg("%s", spw_message());
    long stored = 0, shortest = R->longest, longest = 0;
    for (spw_idx k = 0; k < C.nnz; k++) stored += R->general || C.row_idx[k] >= C.col_idx[k];
    assert_int_equal(stored, R->stored);
    if (spw_csr_from_coo(&C, &A)) fail_msg("%s", spw_message());
    assert_int_equal(A.n_rows, R->n_rows);
    assert_int_equal(A.n_cols, R->n_cols);
    assert_int_equal(A.nnz, R->nnz);
    for (spw_idx i = 0; i < A.n_rows; i++) {
        const long length = A.row_ptr[i + 1] - A.row_ptr[i];
        if (length < shortest) shortest = length;
        if (length > longest) longest = length;
    }
    assert_int_equal(shortest, R->shortest);
    assert_int_equal(longest, R->longest);
    spw_csr_destroy(&A);
    spw_coo_destroy(&C);
}

static void the_table_lists_every_file(void **state) {
    (void)state;
    DIR *dir = folder ? opendir(folder) : NULL;
    if (!dir) {
        print_message("skipped: no folder %s; set SHARED_MATRICES\n", folder);
        skip();
    }
    size_t n_files = 0;
    for (struct dirent *entry; (entry = readdir(dir));)
        n_files += strstr(entry->d_name, ".mtx") != NULL;
    closedir(dir);
    assert_int_equal(n_files, n_rows);
}

int main(void) {
    folder = getenv("SHARED_MATRICES");
    if (!folder || !*folder) folder = "../shared/matrices";
    tests[0] = (struct CMUnitTest)cmocka_unit_test(the_table_lists_every_file);
    if (read_table())
        for (size_t i = 0; i < n_rows; i++)
            tests[i + 1] = (struct CMUnitTest){.name = rows[i].name,
                                               .test_func = rows[i].refused ? is_refused : is_read,
                                               .initial_state = &rows[i]};
    return _cmocka_run_group_tests("collection", tests, n_rows + 1, NULL, NULL);
}

/* Real matrices: every file of the collection is read and compared with its table, one test a file. Without the
 * folder there is nothing to compare with, and the only test is skipped. */
#include "collection.h"
#include "formats/csr.h"
#include "formats/matrix_market.h"

#include <dirent.h>

static void is_refused(void **state) {
    const collected *R = *state;
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
    const collected *R = *state;
    OWN(spw_coo) C;
    OWN(spw_csr) A;
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
}

static int n_rows;

static void the_table_lists_every_file(void **state) {
    (void)state;
    DIR *dir = n_rows ? opendir(collection_folder()) : NULL;
    if (!dir) skip(); /* said where the table was read */
    int n_files = 0;
    for (struct dirent *entry; (entry = readdir(dir));)
        n_files += strstr(entry->d_name, ".mtx") != NULL;
    closedir(dir);
    assert_int_equal(n_files, n_rows);
}

int main(void) {
    static struct CMUnitTest tests[COLLECTED_MAX + 1];
    static char names[COLLECTED_MAX][100];
    const collected *rows;
    tests[0] = (struct CMUnitTest)cmocka_unit_test(the_table_lists_every_file);
    n_rows = collection(&rows);
    for (int i = 0; i < n_rows; i++) {
        snprintf(names[i], sizeof names[i], "%s_is_%s", rows[i].name,
                 rows[i].refused ? "refused" : "read_as_its_table_says");
        tests[i + 1] = (struct CMUnitTest){.name = names[i],
                                           .test_func = rows[i].refused ? is_refused : is_read,
                                           .initial_state = (void *)(uintptr_t)&rows[i]};
    }
    return _cmocka_run_group_tests("collection", tests, (size_t)n_rows + 1, NULL, NULL);
}

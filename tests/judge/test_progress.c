/* The progress file: never worse for trying again, never lost. */
#include "judge/progress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/spw-progress-XXXXXX", path[64], text[4096];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return 1;
    snprintf(path, sizeof path, "%s/progress.tsv", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static const char *contents(void)
{
    FILE *file = fopen(path, "r");
    if (!file) return NULL;
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

static void write_file(const char *what)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(what, file);
    fclose(file);
}

static void an_entry_is_kept_in_order_of_the_exercises(void **state)
{
    (void)state;
    unlink(path);
    assert_int_equal(spw_progress_save(path, 6, false, SPW_PASS, 87.34, true), SPW_OK);
    assert_int_equal(spw_progress_save(path, 1, false, SPW_SLOW, 40, false), SPW_OK);
    const char *t = contents();
    assert_true(strncmp(t, "# spw-progress 1\n1\tslow\t40.0\t0\t0\t", 33) == 0);
    assert_non_null(strstr(t, "\n6\tpass\t87.3\t1\t0\t2"));
}

static void a_gpu_part_has_an_entry_of_its_own(void **state)
{
    (void)state;
    unlink(path);
    assert_int_equal(spw_progress_save(path, 6, true, SPW_PASS, 70, false), SPW_OK);
    assert_int_equal(spw_progress_save(path, 6, false, SPW_SLOW, 40, false), SPW_OK);
    assert_non_null(strstr(contents(), "\n6\tslow\t40.0\t"));
    assert_non_null(strstr(contents(), "\n6-gpu\tpass\t70.0\t"));
}

static void an_entry_never_gets_worse(void **state)
{
    (void)state;
    unlink(path);
    assert_int_equal(spw_progress_save(path, 6, false, SPW_PASS, 80, true), SPW_OK);
    assert_int_equal(spw_progress_save(path, 6, false, SPW_WRONG, 0, false), SPW_OK);
    assert_int_equal(spw_progress_save(path, 6, false, SPW_PASS, 70, false), SPW_OK);
    assert_non_null(strstr(contents(), "\n6\tpass\t80.0\t1\t"));
    assert_int_equal(spw_progress_save(path, 6, false, SPW_PASS, 90, false), SPW_OK);
    assert_non_null(strstr(contents(), "\n6\tpass\t90.0\t1\t"));
}

static void a_damaged_file_or_another_version_is_left_as_it_is(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "# spw-progress 0\n6 pass\n", "hello\n", "# spw-progress 1\n6\tpass\tmany\n",
        "# spw-progress 1\n6\tgreat\t1\t0\t0\t2026-01-01\n", "# spw-progress 12\n"};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        write_file(bad[k]);
        assert_int_equal(spw_progress_save(path, 6, false, SPW_PASS, 80, false), SPW_ERR_FORMAT);
        assert_non_null(strstr(spw_message(), "progress.tsv:"));
        assert_string_equal(contents(), bad[k]);
    }
}

static void a_file_that_cannot_be_written_is_said_and_the_old_one_stays(void **state)
{
    (void)state;
    char partial[80];
    unlink(path);
    assert_int_equal(spw_progress_save(path, 6, false, SPW_PASS, 80, false), SPW_OK);
    char before[4096];
    snprintf(before, sizeof before, "%s", contents());
    /* A folder of the partial file's name: nobody can write there, root neither. */
    snprintf(partial, sizeof partial, "%s.partial", path);
    assert_int_equal(mkdir(partial, 0700), 0);
    assert_int_equal(spw_progress_save(path, 6, false, SPW_PASS, 90, false), SPW_ERR_FILE);
    assert_non_null(strstr(spw_message(), "cannot write"));
    assert_string_equal(contents(), before);
    assert_int_equal(rmdir(partial), 0);
    assert_int_equal(spw_progress_save("/nowhere/at/all.tsv", 6, false, SPW_PASS, 1, false),
                     SPW_ERR_FILE);
}

static void a_full_disk_is_said_and_leaves_no_half_file(void **state)
{
    (void)state;
    char partial[80];
    if (access("/dev/full", W_OK) != 0) {
        print_message("skipped: this system has no /dev/full\n");
        skip();
    }
    unlink(path);
    assert_int_equal(spw_progress_save(path, 6, false, SPW_PASS, 80, false), SPW_OK);
    char before[4096];
    snprintf(before, sizeof before, "%s", contents());
    snprintf(partial, sizeof partial, "%s.partial", path);
    assert_int_equal(symlink("/dev/full", partial), 0);
    assert_int_equal(spw_progress_save(path, 6, false, SPW_PASS, 90, false), SPW_ERR_FILE);
    assert_non_null(strstr(spw_message(), "No space left"));
    assert_string_equal(contents(), before);
    assert_int_not_equal(access(partial, F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_entry_is_kept_in_order_of_the_exercises),
        cmocka_unit_test(a_gpu_part_has_an_entry_of_its_own),
        cmocka_unit_test(an_entry_never_gets_worse),
        cmocka_unit_test(a_damaged_file_or_another_version_is_left_as_it_is),
        cmocka_unit_test(a_file_that_cannot_be_written_is_said_and_the_old_one_stays),
        cmocka_unit_test(a_full_disk_is_said_and_leaves_no_half_file),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

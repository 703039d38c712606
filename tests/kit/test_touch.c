/* Who touches a page first: seen on any machine, with one NUMA node too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "base/threads.h"
#include "kit/touch.h"

enum { THREADS = 3, PAGES = 30 };

static void a_serial_loop_shows_one_owner(void **state)
{
    (void)state;
    spw_touch watch;
    assert_int_equal(spw_touch_create(PAGES, THREADS, &watch), SPW_OK);
    spw_touch_begin(&watch);
    for (int64_t i = 0; i < watch.n; i++) watch.array[i] = 1;
    spw_touch_end(&watch);
    assert_int_equal(spw_touch_only_owner(&watch), 0);
    for (int p = 0; p < PAGES; p++) assert_int_equal(watch.owner[p], 0);
    spw_touch_destroy(&watch);
}

static void a_static_loop_shows_each_thread_its_part(void **state)
{
    (void)state;
#ifndef _OPENMP
    print_message("skipped: built without OpenMP, there is one thread\n");
    skip();
#endif
    spw_touch watch;
    assert_int_equal(spw_touch_create(PAGES, THREADS, &watch), SPW_OK);
    for (int round = 0; round < 3; round++) { /* the numbers stay from one region to the next */
        spw_touch_begin(&watch);
#pragma omp parallel for schedule(static) num_threads(THREADS)
        for (int64_t i = 0; i < watch.n; i++) watch.array[i] = 1;
        spw_touch_end(&watch);
        assert_int_equal(spw_touch_only_owner(&watch), -1);
        for (int p = 0; p < PAGES; p++) assert_int_equal(watch.owner[p], p / (PAGES / THREADS));
    }
    spw_touch_destroy(&watch);
}

static void the_first_access_counts_and_reading_is_one(void **state)
{
    (void)state;
    spw_touch watch;
    assert_int_equal(spw_touch_create(4, 1, &watch), SPW_OK);
    const int64_t page = watch.n / 4;
    watch.array[2 * page] = 5; /* before the watch: does not count, and is kept */
    spw_touch_begin(&watch);
    const volatile double *array = watch.array;
    assert_true(array[2 * page] == 5);
    watch.array[0] = array[2 * page];
    spw_touch_end(&watch);
    assert_int_equal(watch.owner[0], 0);
    assert_int_equal(watch.owner[1], SPW_TOUCH_NOBODY);
    assert_int_equal(watch.owner[2], 0);
    assert_int_equal(watch.owner[3], SPW_TOUCH_NOBODY);
    assert_int_equal(spw_touch_only_owner(&watch), 0);
    spw_touch_destroy(&watch);
}

static sigjmp_buf escape;

static void on_fault(int number)
{
    siglongjmp(escape, number);
}

static void a_fault_elsewhere_reaches_the_handler_that_was_there(void **state)
{
    (void)state;
    struct sigaction mine = {.sa_handler = on_fault}, before, after;
    sigaction(SIGSEGV, &mine, &before);
    void *forbidden = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(forbidden != MAP_FAILED);
    spw_touch watch;
    assert_int_equal(spw_touch_create(4, 1, &watch), SPW_OK);
    spw_touch_begin(&watch);
    volatile int caught = sigsetjmp(escape, 1);
    if (!caught) *(volatile double *)forbidden = 1;
    spw_touch_end(&watch);
    sigaction(SIGSEGV, &before, &after);
    assert_int_equal(caught, SIGSEGV);
    assert_ptr_equal(after.sa_handler, on_fault);
    spw_touch_destroy(&watch);
    munmap(forbidden, 4096);
}

static void bad_arguments_and_lack_of_memory_leave_nothing(void **state)
{
    (void)state;
    spw_touch watch;
    assert_int_equal(spw_touch_create(0, 1, &watch), SPW_ERR_ARG);
    assert_int_equal(spw_touch_create(1, 0, &watch), SPW_ERR_ARG);
    for (int n = 0; n < 2; n++) {
        spw_memory_fail_after(n);
        assert_int_equal(spw_touch_create(4, 2, &watch), SPW_ERR_MEMORY);
        spw_memory_fail_after(-1);
        assert_null(watch.array);
        assert_null(watch.owner);
    }
    spw_touch_destroy(&watch);
    spw_touch_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_serial_loop_shows_one_owner),
        cmocka_unit_test(a_static_loop_shows_each_thread_its_part),
        cmocka_unit_test(the_first_access_counts_and_reading_is_one),
        cmocka_unit_test(a_fault_elsewhere_reaches_the_handler_that_was_there),
        cmocka_unit_test(bad_arguments_and_lack_of_memory_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* How often a kernel fetches its vectors: loops in a row, one loop, blocks, threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <sys/mman.h>

#include "base/threads.h"
#include "kit/passes.h"

/* A volatile pointer: what is written here is done, and nothing is merged. */
static double read_all(const volatile double *v, int64_t begin, int64_t end)
{
    double sum = 0;
    for (int64_t i = begin; i < end; i++) sum += v[i];
    return sum;
}

static void assert_passes(const spw_passes *watch, int vector, double expected)
{
    assert_true(watch->passes[vector] >= expected && watch->passes[vector] <= expected);
}

static void a_vector_that_nobody_touches_was_not_fetched(void **state)
{
    (void)state;
    spw_passes watch;
    assert_int_equal(spw_passes_create(2, &watch), SPW_OK);
    for (int64_t i = 0; i < watch.n; i++) watch.vector[1][i] = 1;
    spw_passes_begin(&watch);
    const double sum = read_all(watch.vector[1], 0, watch.n);
    spw_passes_end(&watch);
    assert_int_equal((int64_t)sum, watch.n); /* what was there before is still there */
    assert_passes(&watch, 0, 0);
    assert_passes(&watch, 1, 1);
    spw_passes_destroy(&watch);
}

static void each_loop_is_a_pass_and_half_a_loop_is_half_of_one(void **state)
{
    (void)state;
    spw_passes watch;
    assert_int_equal(spw_passes_create(3, &watch), SPW_OK);
    spw_passes_begin(&watch);
    for (int64_t i = 0; i < watch.n; i++) watch.vector[2][i] = 7;
    for (int k = 0; k < 3; k++) read_all(watch.vector[0], 0, watch.n);
    read_all(watch.vector[1], 0, watch.n / 2);
    spw_passes_end(&watch);
    assert_passes(&watch, 0, 3);
    assert_passes(&watch, 1, 0.5);
    assert_passes(&watch, 2, 1);
    for (int64_t i = 0; i < watch.n; i++) assert_int_equal((int)watch.vector[2][i], 7);
    spw_passes_destroy(&watch);
}

static void blocks_that_fit_the_open_pages_are_one_pass(void **state)
{
    (void)state;
    spw_passes watch;
    assert_int_equal(spw_passes_create(1, &watch), SPW_OK);
    const int64_t page = watch.n / SPW_PASSES_PAGES;
    spw_passes_begin(&watch);
    for (int64_t at = 0; at < watch.n; at += 8 * page)
        for (int k = 0; k < 5; k++) read_all(watch.vector[0], at, at + 8 * page);
    spw_passes_end(&watch);
    assert_passes(&watch, 0, 1);
    spw_passes_begin(&watch); /* a block of more pages than are open at a time */
    for (int64_t at = 0; at < watch.n; at += 32 * page)
        for (int k = 0; k < 2; k++) read_all(watch.vector[0], at, at + 32 * page);
    spw_passes_end(&watch);
    assert_passes(&watch, 0, 2);
    spw_passes_destroy(&watch);
}

static void a_watch_runs_on_one_thread_and_gives_them_back(void **state)
{
    (void)state;
    spw_passes watch;
    assert_int_equal(spw_passes_create(1, &watch), SPW_OK);
    spw_set_threads(3);
    spw_passes_begin(&watch);
    const int inside = spw_max_threads();
    spw_passes_end(&watch);
    assert_int_equal(inside, 1);
#ifdef _OPENMP
    assert_int_equal(spw_max_threads(), 3);
#endif
    spw_passes_destroy(&watch);
}

static void threads_of_the_kernels_own_are_counted_too(void **state)
{
    (void)state;
    spw_passes watch;
    assert_int_equal(spw_passes_create(1, &watch), SPW_OK);
    double *v = watch.vector[0];
    spw_passes_begin(&watch);
#pragma omp parallel for schedule(static) num_threads(3)
    for (int64_t i = 0; i < watch.n; i++) v[i] = 1;
    spw_passes_end(&watch);
    assert_passes(&watch, 0, 1);
    spw_passes_destroy(&watch);
}

static volatile sig_atomic_t strangers;
static char *foreign;

static void on_stranger(int number)
{
    (void)number;
    strangers++;
    mprotect(foreign, 4096, PROT_READ | PROT_WRITE);
}

static void other_faults_reach_the_handler_that_was_there(void **state)
{
    (void)state;
    spw_passes watch;
    assert_int_equal(spw_passes_create(1, &watch), SPW_OK);
    foreign = mmap(NULL, 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(foreign != MAP_FAILED);
    struct sigaction before;
    assert_int_equal(sigaction(SIGSEGV, &(struct sigaction){.sa_handler = on_stranger}, &before),
                     0);
    strangers = 0;
    spw_passes_begin(&watch);
    *(volatile char *)foreign = 1;
    spw_passes_end(&watch);
    sigaction(SIGSEGV, &before, NULL);
    assert_int_equal(strangers, 1);
    munmap(foreign, 65536);
    spw_passes_destroy(&watch);
}

static void a_number_of_vectors_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    spw_passes watch;
    assert_int_equal(spw_passes_create(0, &watch), SPW_ERR_ARG);
    assert_null(watch.vector[0]);
    assert_int_equal(spw_passes_create(SPW_PASSES_VECTORS + 1, &watch), SPW_ERR_ARG);
    assert_string_equal(spw_message(), "cannot watch 9 vectors: 1 to 8");
    spw_passes_destroy(&watch);
    spw_passes_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_vector_that_nobody_touches_was_not_fetched),
        cmocka_unit_test(each_loop_is_a_pass_and_half_a_loop_is_half_of_one),
        cmocka_unit_test(blocks_that_fit_the_open_pages_are_one_pass),
        cmocka_unit_test(a_watch_runs_on_one_thread_and_gives_them_back),
        cmocka_unit_test(threads_of_the_kernels_own_are_counted_too),
        cmocka_unit_test(other_faults_reach_the_handler_that_was_there),
        cmocka_unit_test(a_number_of_vectors_that_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Who touches a page first, and how often vectors are fetched: loops in a row, one loop, blocks, threads. */

#include <signal.h>
#include <sys/mman.h>

#include "kit/pages.h"
#include "test.h"

/* A volatile pointer: what is written here is done, and nothing is merged. */
static double read_all(const volatile double *v, int64_t begin, int64_t end) {
    double sum = 0;
    for (int64_t i = begin; i < end; i++) sum += v[i];
    return sum;
}

static spw_pages of_passes(int vectors) {
    spw_pages watch;
    assert_ok(spw_pages_create(vectors, SPW_PAGES_OF_PASSES, SPW_PAGES_IN_CACHE, 1, &watch));
    return watch;
}

static void assert_passes(const spw_pages *watch, int vector, double expected) {
    assert_true(watch->passes[vector] >= expected && watch->passes[vector] <= expected);
}

TEST(a_vector_that_nobody_touches_was_not_fetched) {
    OWN(spw_pages) watch = of_passes(2);
    for (int64_t i = 0; i < watch.n; i++) watch.vector[1][i] = 1;
    spw_pages_begin(&watch);
    const double sum = read_all(watch.vector[1], 0, watch.n);
    spw_pages_end(&watch);
    assert_int_equal((int64_t)sum, watch.n); /* what was there before is still there */
    assert_passes(&watch, 0, 0);
    assert_passes(&watch, 1, 1);
}

TEST(each_loop_is_a_pass_and_half_a_loop_is_half_of_one) {
    OWN(spw_pages) watch = of_passes(3);
    spw_pages_begin(&watch);
    for (int64_t i = 0; i < watch.n; i++) watch.vector[2][i] = 7;
    for (int k = 0; k < 3; k++) read_all(watch.vector[0], 0, watch.n);
    read_all(watch.vector[1], 0, watch.n / 2);
    spw_pages_end(&watch);
    assert_passes(&watch, 0, 3);
    assert_passes(&watch, 1, 0.5);
    assert_passes(&watch, 2, 1);
    for (int64_t i = 0; i < watch.n; i++) assert_int_equal((int)watch.vector[2][i], 7);
}

TEST(blocks_that_fit_the_open_pages_are_one_pass) {
    OWN(spw_pages) watch = of_passes(1);
    const int64_t page = watch.n / SPW_PAGES_OF_PASSES;
    spw_pages_begin(&watch);
    for (int64_t at = 0; at < watch.n; at += 8 * page)
        for (int k = 0; k < 5; k++) read_all(watch.vector[0], at, at + 8 * page);
    spw_pages_end(&watch);
    assert_passes(&watch, 0, 1);
    spw_pages_begin(&watch); /* a block of more pages than are open at a time */
    for (int64_t at = 0; at < watch.n; at += 32 * page)
        for (int k = 0; k < 2; k++) read_all(watch.vector[0], at, at + 32 * page);
    spw_pages_end(&watch);
    assert_passes(&watch, 0, 2);
}

TEST(a_watch_runs_on_one_thread_and_gives_them_back) {
    OWN(spw_pages) watch = of_passes(1);
    spw_set_threads(3);
    spw_pages_begin(&watch);
    const int inside = spw_max_threads();
    spw_pages_end(&watch);
    assert_int_equal(inside, 1);
#ifdef _OPENMP
    assert_int_equal(spw_max_threads(), 3);
#endif
}

TEST(threads_of_the_kernels_own_are_counted_too) {
    OWN(spw_pages) watch = of_passes(1);
    double *v = watch.vector[0];
    spw_pages_begin(&watch);
#pragma omp parallel for schedule(static) num_threads(3)
    for (int64_t i = 0; i < watch.n; i++) v[i] = 1;
    spw_pages_end(&watch);
    assert_passes(&watch, 0, 1);
}

static volatile sig_atomic_t strangers;
static char *foreign;

static void on_stranger(int number) {
    (void)number;
    strangers++;
    mprotect(foreign, 4096, PROT_READ | PROT_WRITE);
}

TEST(other_faults_reach_the_handler_that_was_there) {
    OWN(spw_pages) watch = of_passes(1);
    foreign = mmap(NULL, 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(foreign != MAP_FAILED);
    struct sigaction before;
    assert_int_equal(sigaction(SIGSEGV, &(struct sigaction){.sa_handler = on_stranger}, &before),
                     0);
    strangers = 0;
    spw_pages_begin(&watch);
    *(volatile char *)foreign = 1;
    spw_pages_end(&watch);
    sigaction(SIGSEGV, &before, NULL);
    assert_int_equal(strangers, 1);
    munmap(foreign, 65536);
}

TEST(a_number_of_vectors_that_does_not_fit_is_refused) {
    OWN(spw_pages) watch;
    assert_int_equal(spw_pages_create(0, SPW_PAGES_OF_PASSES, SPW_PAGES_IN_CACHE, 1, &watch),
                     SPW_ERR_ARG);
    assert_null(watch.vector[0]);
    assert_message(spw_pages_create(SPW_PAGES_VECTORS + 1, 4, 0, 1, &watch), SPW_ERR_ARG,
                   "cannot watch 9 vectors: 1 to 8");
    spw_pages_destroy(NULL);
}

enum { THREADS = 3, PAGES = 30 };

TEST(a_serial_loop_shows_one_owner) {
    OWN(spw_pages) watch;
    assert_ok(spw_pages_create(1, PAGES, 0, THREADS, &watch));
    spw_pages_begin(&watch);
    for (int64_t i = 0; i < watch.n; i++) watch.vector[0][i] = 1;
    spw_pages_end(&watch);
    assert_int_equal(spw_pages_only_owner(&watch), 0);
    for (int p = 0; p < PAGES; p++) assert_int_equal(watch.owner[p], 0);
}

TEST(a_static_loop_shows_each_thread_its_part) {
#ifndef _OPENMP
    print_message("skipped: built without OpenMP, there is one thread\n");
    skip();
#endif
    OWN(spw_pages) watch;
    assert_ok(spw_pages_create(1, PAGES, 0, THREADS, &watch));
    for (int round = 0; round < 3; round++) { /* the numbers stay from one region to the next */
        spw_pages_begin(&watch);
#pragma omp parallel for schedule(static) num_threads(THREADS)
        for (int64_t i = 0; i < watch.n; i++) watch.vector[0][i] = 1;
        spw_pages_end(&watch);
        assert_int_equal(spw_pages_only_owner(&watch), -1);
        for (int p = 0; p < PAGES; p++) assert_int_equal(watch.owner[p], p / (PAGES / THREADS));
    }
}

TEST(the_first_access_counts_and_reading_is_one) {
    OWN(spw_pages) watch;
    assert_ok(spw_pages_create(1, 4, 0, 1, &watch));
    const int64_t page = watch.n / 4;
    watch.vector[0][2 * page] = 5; /* before the watch: does not count, and is kept */
    spw_pages_begin(&watch);
    const volatile double *array = watch.vector[0];
    assert_true(array[2 * page] == 5);
    watch.vector[0][0] = array[2 * page];
    spw_pages_end(&watch);
    assert_int_equal(watch.owner[0], 0);
    assert_int_equal(watch.owner[1], SPW_PAGES_NOBODY);
    assert_int_equal(watch.owner[2], 0);
    assert_int_equal(watch.owner[3], SPW_PAGES_NOBODY);
    assert_int_equal(spw_pages_only_owner(&watch), 0);
}

static sigjmp_buf escape;

static void on_fault(int number) { siglongjmp(escape, number); }

TEST(a_fault_elsewhere_reaches_the_handler_that_was_there) {
    struct sigaction mine = {.sa_handler = on_fault}, before, after;
    sigaction(SIGSEGV, &mine, &before);
    void *forbidden = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(forbidden != MAP_FAILED);
    OWN(spw_pages) watch;
    assert_ok(spw_pages_create(1, 4, 0, 1, &watch));
    spw_pages_begin(&watch);
    volatile int caught = sigsetjmp(escape, 1);
    if (!caught) *(volatile double *)forbidden = 1;
    spw_pages_end(&watch);
    sigaction(SIGSEGV, &before, &after);
    assert_int_equal(caught, SIGSEGV);
    assert_ptr_equal(after.sa_handler, on_fault);
    munmap(forbidden, 4096);
}

TEST(bad_arguments_and_lack_of_memory_leave_nothing) {
    OWN(spw_pages) watch;
    assert_int_equal(spw_pages_create(1, 0, 0, 1, &watch), SPW_ERR_ARG);
    assert_int_equal(spw_pages_create(1, 1, 0, 0, &watch), SPW_ERR_ARG);
    for (int n = 0; n < 4; n++) {
        spw_memory_fail_after(n);
        assert_int_equal(spw_pages_create(2, 4, 1, 2, &watch), SPW_ERR_MEMORY);
        spw_memory_fail_after(-1);
        assert_null(watch.vector[0]);
        assert_null(watch.owner);
    }
    spw_pages_destroy(NULL);
}

static void fill_alone(void *context, double *array) {
    ++*(int *)context;
    for (int64_t i = 0; i < spw_pages_shared(2); i++) array[i] = 1;
}

static void fill_together(void *context, double *array) {
    ++*(int *)context;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < spw_pages_shared(2); i++) array[i] = 1;
}

static void fill_by_turns(void *context, double *array) {
    ++*(int *)context;
#pragma omp parallel for schedule(static, 1)
    for (int64_t i = 0; i < spw_pages_shared(2); i++) array[i] = 1;
}

static void fill_each(void *context, double *array) {
    ++*(int *)context;
#pragma omp parallel
    for (int64_t i = 0; i < spw_pages_shared(2); i++)
        __atomic_store_n((int64_t *)(void *)&array[i], 1, __ATOMIC_RELAXED);
}

/* Once the thread that was ahead of the others on each page was taken for the sole owner. */
TEST(threads_that_take_turns_are_several) {
    if (spw_max_threads() < 2) skip();
    int calls = 0, only = 7;
    assert_ok(spw_pages_sole_owner(2, fill_by_turns, &calls, &only));
    assert_int_equal(only, -1);
    assert_ok(spw_pages_sole_owner(2, fill_each, &calls, &only));
    assert_int_equal(only, -1);
}

TEST(a_sole_owner_is_found_in_three_calls_and_none_in_one) {
    int calls = 0, only = 7;
    assert_ok(spw_pages_sole_owner(2, fill_alone, &calls, &only));
    assert_int_equal(only, 0);
    assert_int_equal(calls, 3);
    if (spw_max_threads() < 2) skip();
    calls = 0;
    assert_ok(spw_pages_sole_owner(2, fill_together, &calls, &only));
    assert_int_equal(only, -1);
    assert_int_equal(calls, 1);
}

/* Once a driver without memory took thread 0 for the sole owner of what nobody had written. */
TEST(without_memory_nobody_is_the_sole_owner) {
    int calls = 0, only = 0;
    spw_memory_fail_after(0);
    assert_int_equal(spw_pages_sole_owner(2, fill_alone, &calls, &only), SPW_ERR_MEMORY);
    spw_memory_fail_after(-1);
    assert_int_equal(only, -1);
    assert_int_equal(calls, 0);
}

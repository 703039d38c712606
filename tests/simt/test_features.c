/* What exercises use of CUDA works, in both builds, both schedules, with both kinds of fibers, and without
 * a false alarm. */

#include "support.h"
#include "test.h"

typedef struct job {
    spw_any_function f;
    int result;
} job;

static void call(void *argument) {
    job *j = argument;
    j->result = ((int (*)(void))j->f)();
}

static void try_all_ways(const char *kernels, const char *launcher) {
    for (int way = 0; way < 8; way++) {
        const bool check = way & 1;
        job j = {kernel_function(kernels, check ? "check" : "fast", launcher), -1};
        begin_checker((spw_simt_options){
            .check = check, .count = check, .descending = way & 2, .portable_fibers = way & 4});
        run_right(call, &j);
        if (j.result) fail_msg("%s, way %d: line %d of %s.cu", launcher, way, j.result, kernels);
    }
}

#define WORKS(kernels, name)                                                                       \
    TEST(name##_works) { try_all_ways(#kernels, "launch_" #name); }
WORKS(features, dot)
WORKS(features, dynamic)
WORKS(features, votes)
WORKS(features, tiles)
WORKS(features, groups)
WORKS(features, symbols)
WORKS(features, host)
WORKS(features, last_block)
WORKS(features, struct)
WORKS(idioms, deduced)
WORKS(idioms, file_shared)
WORKS(idioms, packed)
WORKS(idioms, intrinsics)
WORKS(idioms, pitched)
WORKS(idioms, orders)
WORKS(idioms, exchange)
WORKS(idioms, own_bytes)
WORKS(idioms, meets)
WORKS(idioms, small)
WORKS(idioms, waits)
WORKS(idioms, many_wait)
WORKS(idioms, managed_variable)
WORKS(idioms, streams)

static void expect_finding(const char *launcher, spw_simt_kind kind, const char *words) {
    for (int descending = 0; descending < 2; descending++) {
        job j = {kernel_function("idioms", "check", launcher), -1};
        begin_checker((spw_simt_options){.check = true, .descending = descending});
        assert_true(spw_simt_run(call, &j));
        const spw_simt_finding *f = finding_of(kind);
        if (!f || !strstr(f->text, words)) {
            print_findings();
            fail_msg("%s: no finding of kind %d with \"%s\"", launcher, (int)kind, words);
        }
        assert_true(f->line > 0);
    }
}

TEST(blocks_that_take_turns_through_a_volatile_variable_come_to_an_end) {
    for (int descending = 0; descending < 2; descending++) {
        job j = {kernel_function("idioms", "check", "launch_turns"), -1};
        begin_checker((spw_simt_options){.check = true, .count = true, .descending = descending});
        run_right(call, &j);
        assert_int_equal(j.result, 0);
    }
}

TEST(memory_that_is_never_freed_is_told_and_no_mistake) {
    const struct {
        const char *launcher, *words;
    } cases[] = {{"launch_leak", "x, allocated in line"}, {"launch_keeps", ""}};
    for (int k = 0; k < 2; k++) {
        job j = {kernel_function("idioms", "check", cases[k].launcher), -1};
        begin_checker((spw_simt_options){.check = true});
        run_right(call, &j);
        assert_says(spw_simt_hint(), cases[k].words);
        assert_true(!*cases[k].words == !*spw_simt_hint());
    }
}

TEST(what_stops_a_kernel_from_inside_is_told_with_its_line) {
    expect_finding("launch_assert", SPW_SIMT_CRASH,
                   "of block 0: assert(threadIdx.x < 16) does not hold.");
    expect_finding("launch_grid_sync", SPW_SIMT_CRASH, "in the checker, where blocks run");
}

TEST(the_name_of_a_device_variable_is_no_pointer_in_host_code) {
    expect_finding("launch_copies_to_a_name", SPW_SIMT_CALL, "in host code its");
    expect_finding("launch_with_a_name", SPW_SIMT_LAUNCH,
                   "was not launched: on_device is __device__");
}

TEST(what_only_looks_ordered_is_a_race) {
    expect_finding("launch_lost_update", SPW_SIMT_GLOBAL_RACE, "__threadfence() is missing: in");
    expect_finding("launch_zeroes_itself", SPW_SIMT_GLOBAL_RACE, "may add before");
    expect_finding("launch_bytes", SPW_SIMT_GLOBAL_RACE, "Nothing orders the two");
    expect_finding("launch_block_scope", SPW_SIMT_GLOBAL_RACE, "that ends in _block");
    expect_finding("launch_narrow_fence", SPW_SIMT_GLOBAL_RACE, "__threadfence_block() orders");
    expect_finding("launch_lock_without_fence", SPW_SIMT_GLOBAL_RACE, "behind the atomicCAS");
    expect_finding("launch_volatile_stores", SPW_SIMT_GLOBAL_RACE, "wrote (volatile)");
}

TEST(a_race_on_a_shared_array_of_the_file_is_found_with_its_name) {
    expect_finding("launch_file_race", SPW_SIMT_SHARED_RACE, "of_file[");
}

TEST(calls_out_of_order_are_errors_and_no_crash) {
    double *pointer;
    spw_simt_end();
    assert_int_equal(spw_simt_room("x", 1, 8, &pointer), SPW_ERR_ARG);
    assert_null(pointer);
    assert_int_equal(spw_simt_set(&(spw_simt_options){0}), SPW_ERR_ARG);
    begin_checker((spw_simt_options){0});
    assert_int_equal(spw_simt_begin(&(spw_simt_options){0}), SPW_ERR_ARG);
    assert_int_equal(spw_simt_set(&(spw_simt_options){.limit = -1}), SPW_ERR_ARG);
    assert_int_equal(spw_simt_room("x", -1, 8, &pointer), SPW_ERR_ARG);
    assert_ok(spw_simt_room("x", 4, 8, &pointer));
    double y[5];
    assert_int_equal(spw_simt_copy_out(y, pointer, 5 * 8), SPW_ERR_ARG);
    assert_ok(spw_simt_copy_out(y, pointer, 4 * 8));
    assert_int_equal(spw_simt_copy_out(y, y, 8), SPW_ERR_ARG);
    spw_simt_end();
    spw_simt_end();
}

TEST(without_memory_begin_fails_and_leaves_nothing) {
    spw_status status = SPW_ERR_MEMORY;
    int n = 0;
    for (; status && n < 100; n++) {
        spw_simt_end();
        spw_memory_fail_after(n / 2);
        status = spw_simt_begin(&(spw_simt_options){.portable_fibers = n % 2, .detail = true});
        spw_memory_fail_after(-1);
        if (status) assert_int_equal(status, SPW_ERR_MEMORY);
    }
    spw_simt_end();
    assert_ok(status);
    assert_true(n > 5);
}

TEST(set_changes_the_schedule_and_keeps_device_memory) {
    const double x[3] = {1, 2, 3};
    double y[3] = {0}, *d_x;
    begin_checker((spw_simt_options){0});
    assert_ok(spw_simt_copy_in("x", x, 3, 8, &d_x));
    job j = {kernel_function("features", "fast", "launch_votes"), -1};
    for (int way = 0; way < 4; way++) {
        assert_ok(
            spw_simt_set(&(spw_simt_options){.descending = way & 1, .portable_fibers = way & 2}));
        assert_true(spw_simt_run(call, &j));
        assert_int_equal(j.result, 0);
    }
    assert_ok(spw_simt_copy_out(y, d_x, sizeof y));
    assert_true(y[0] == 1 && y[2] == 3);
}

/* What exercises use of CUDA works, in both builds, both schedules, with both kinds of fibers, and without
 * a false alarm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "support.h"

typedef struct job {
    spw_any_function f;
    int result;
} job;

static void call(void *argument)
{
    job *j = argument;
    j->result = ((int (*)(void))j->f)();
}

static void try_all_ways(const char *launcher)
{
    for (int way = 0; way < 8; way++) {
        const bool check = way & 1;
        job j = {kernel_function("features", check ? "check" : "fast", launcher), -1};
        begin_checker((spw_simt_options){
            .check = check, .count = check, .descending = way & 2, .portable_fibers = way & 4});
        const bool ended = spw_simt_run(call, &j);
        if (!ended || j.result || spw_simt_finding_count()) {
            print_message("%s, way %d: line %d of features.cu\n", launcher, way, j.result);
            print_findings();
        }
        assert_true(ended);
        assert_int_equal(j.result, 0);
        assert_int_equal(spw_simt_finding_count(), 0);
        spw_simt_end();
    }
}

#define WORKS(name)                                                                                \
    static void name##_works(void **state)                                                         \
    {                                                                                              \
        (void)state;                                                                               \
        try_all_ways("launch_" #name);                                                             \
    }
WORKS(dot)
WORKS(dynamic)
WORKS(votes)
WORKS(tiles)
WORKS(symbols)
WORKS(host)
WORKS(last_block)
WORKS(struct)

static void calls_out_of_order_are_errors_and_no_crash(void **state)
{
    (void)state;
    double *pointer;
    assert_int_equal(spw_simt_room("x", 1, 8, &pointer), SPW_ERR_ARG);
    assert_null(pointer);
    assert_int_equal(spw_simt_set(&(spw_simt_options){0}), SPW_ERR_ARG);
    begin_checker((spw_simt_options){0});
    assert_int_equal(spw_simt_begin(&(spw_simt_options){0}), SPW_ERR_ARG);
    assert_int_equal(spw_simt_set(&(spw_simt_options){.limit = -1}), SPW_ERR_ARG);
    assert_int_equal(spw_simt_room("x", -1, 8, &pointer), SPW_ERR_ARG);
    assert_int_equal(spw_simt_room("x", 4, 8, &pointer), SPW_OK);
    double y[5];
    assert_int_equal(spw_simt_copy_out(y, pointer, 5 * 8), SPW_ERR_ARG);
    assert_int_equal(spw_simt_copy_out(y, pointer, 4 * 8), SPW_OK);
    assert_int_equal(spw_simt_copy_out(y, y, 8), SPW_ERR_ARG);
    spw_simt_end();
    spw_simt_end();
}

static void without_memory_begin_fails_and_leaves_nothing(void **state)
{
    (void)state;
    spw_status status = SPW_ERR_MEMORY;
    int n = 0;
    for (; status && n < 100; n++) {
        spw_memory_fail_after(n);
        status = spw_simt_begin(&(spw_simt_options){.portable_fibers = n % 2, .l2_bytes = 1 << 20});
        spw_memory_fail_after(-1);
        if (status) assert_int_equal(status, SPW_ERR_MEMORY);
        spw_simt_end();
    }
    assert_int_equal(status, SPW_OK);
    assert_true(n > 5);
}

static void set_changes_the_schedule_and_keeps_device_memory(void **state)
{
    (void)state;
    const double x[3] = {1, 2, 3};
    double y[3] = {0}, *d_x;
    begin_checker((spw_simt_options){0});
    assert_int_equal(spw_simt_copy_in("x", x, 3, 8, &d_x), SPW_OK);
    job j = {kernel_function("features", "fast", "launch_votes"), -1};
    for (int way = 0; way < 4; way++) {
        assert_int_equal(
            spw_simt_set(&(spw_simt_options){.descending = way & 1, .portable_fibers = way & 2}),
            SPW_OK);
        assert_true(spw_simt_run(call, &j));
        assert_int_equal(j.result, 0);
    }
    assert_int_equal(spw_simt_copy_out(y, d_x, sizeof y), SPW_OK);
    assert_true(y[0] == 1 && y[2] == 3);
    spw_simt_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dot_works),
        cmocka_unit_test(dynamic_works),
        cmocka_unit_test(votes_works),
        cmocka_unit_test(tiles_works),
        cmocka_unit_test(symbols_works),
        cmocka_unit_test(host_works),
        cmocka_unit_test(last_block_works),
        cmocka_unit_test(struct_works),
        cmocka_unit_test(calls_out_of_order_are_errors_and_no_crash),
        cmocka_unit_test(without_memory_begin_fails_and_leaves_nothing),
        cmocka_unit_test(set_changes_the_schedule_and_keeps_device_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The timeline of copies and kernels: the same work in seven orders, against the formulas for them. */

#include "support.h"
#include "test.h"

enum { PIECES = 8, LENGTH = 1024 };

static void call(void *function) {
    spw_any_function f;
    memcpy(&f, function, sizeof f);
    f();
}

/* Seconds of a copy, copies; of a kernel, which reads a piece and writes one. */
static spw_simt_timeline_sum run(const char *order, double copy, double kernel) {
    const double gb = LENGTH * 8e-9;
    begin_checker((spw_simt_options){
        .check = true, .count = true, .link = gb / copy, .memory = 2 * gb / kernel});
    spw_any_function f = kernel_function("streams", "check", order);
    assert_true(spw_simt_run(call, &f));
    const spw_simt_timeline_sum sum = spw_simt_timeline();
    assert_int_equal(sum.n[SPW_SIMT_TO_DEVICE], PIECES);
    assert_int_equal(sum.n[SPW_SIMT_KERNELS], PIECES);
    assert_int_equal(sum.n[SPW_SIMT_TO_HOST], 0);
    assert_true(fabs(sum.serial - PIECES * (copy + kernel)) < 1e-9);
    assert_true(fabs(sum.bound - PIECES * fmax(copy, kernel)) < 1e-9);
    return sum;
}

static void expect(const char *order, double copy, double kernel, double total) {
    const double got = run(order, copy, kernel).total;
    if (fabs(got - total) > 1e-9) fail_msg("%s: %g s, expected %g", order, got, total);
}

static const double times[][2] = {{1, 1}, {5, 2}, {1, 2}};
#define EACH(k) for (int k = 0; k < 3; k++)

TEST(what_overlaps_takes_all_of_the_busier_and_one_of_the_other) {
    EACH(k) {
        const double c = times[k][0], t = times[k][1], total = PIECES * fmax(c, t) + fmin(c, t);
        expect("two_buffers_and_events", c, t, total);
        expect("a_stream_a_buffer", c, t, total);
    }
}

TEST(one_stream_one_buffer_or_a_host_that_waits_hides_nothing) {
    EACH(k) {
        const double c = times[k][0], t = times[k][1], total = PIECES * (c + t);
        expect("the_default_stream", c, t, total);
        expect("kernels_in_the_default_stream", c, t, total);
        expect("one_buffer", c, t, total);
        expect("the_host_waits_for_each", c, t, total);
    }
}

/* The host waits for each copy, and gives the next when it is done; kernels go on meanwhile. */
TEST(a_copy_from_pageable_memory_holds_up_the_host_alone) {
    (void)run("from_pageable_memory", 1, 1);
    assert_says(spw_simt_hint(), "not pinned");
    (void)run("two_buffers_and_events", 1, 1);
    assert_string_equal(spw_simt_hint(), "");
    expect("from_pageable_memory", 1, 1, PIECES + 1);
    expect("from_pageable_memory", 5, 2, 5 * PIECES + 2);
}

TEST(the_picture_has_a_row_for_each_engine_that_works) {
    (void)run("two_buffers_and_events", 1e-6, 1e-6);
    const char *text = printed(spw_simt_print_timeline, 77);
    assert_says(text, "Timeline (modelled)");
    assert_says(text, "to the device |");
    assert_says(text, "kernels       |");
    assert_null(strstr(text, "to the host"));
    assert_says(text, "Hidden: 88 % of what could be. The busiest alone takes 89 % of it.");
    assert_null(strstr(text, "The host waited"));
    (void)run("the_host_waits_for_each", 1e-6, 1e-6);
    assert_says(printed(spw_simt_print_timeline, 77), "The host waited");
}

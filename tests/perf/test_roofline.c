/* The roofline: one roof and one ceiling, then several of each. */

#include "perf/roofline.h"
#include "test.h"

/* A vector update with 10^7 entries on a machine with 192 Gflop/s and 40 GB/s. */
static const spw_cost update = {.load = 16e7, .store = 8e7, .flop = 2e7};

static void near(double got, double expected) {
    assert_true(got >= expected * (1 - 1e-12) && got <= expected * (1 + 1e-12));
}

TEST(time_is_that_of_the_slower_resource) {
    near(spw_roofline_time(update, 40e9, 192e9), 6e-3);
    near(spw_roofline_time(update, 40e12, 192e9), 2e7 / 192e9);
    near(spw_roofline_time((spw_cost){.flop = 3e9}, 40e9, 192e9), 1 / 64.0);
}

TEST(performance_and_time_agree) {
    const double performance = spw_roofline_performance(spw_cost_intensity(update), 40e9, 192e9);
    near(update.flop / performance, spw_roofline_time(update, 40e9, 192e9));
}

TEST(roof_and_ceiling_meet_at_the_knee) {
    near(spw_roofline_performance(4.8, 40e9, 192e9), 192e9);
    near(spw_roofline_performance(2.4, 40e9, 192e9), 96e9);
    near(spw_roofline_performance(100, 40e9, 192e9), 192e9);
    assert_true(spw_roofline_performance(0, 40e9, 192e9) == 0);
}

TEST(the_least_of_all_limits_counts_wherever_it_stands) {
    const double none[] = {1e12, 1e12, 1e12};
    for (int k = 0; k < 3; k++) {
        double ceiling[] = {7e9, 7e9, 7e9}, bandwidth[] = {1e12, 1e12, 1e12};
        const double intensity[] = {0.5, 0.25, 0.125};
        ceiling[k] = 3e9;
        near(spw_roofline_bound(3, ceiling, 3, bandwidth, intensity), 3e9);
        bandwidth[k] = 1e9; /* now the path with its own intensity is the least */
        near(spw_roofline_bound(3, ceiling, 3, bandwidth, intensity), intensity[k] * 1e9);
        near(spw_roofline_bound(3, none, 3, bandwidth, intensity), intensity[k] * 1e9);
    }
}

TEST(either_kind_of_limit_may_be_missing) {
    const double ceiling[] = {5e9}, bandwidth[] = {8e9}, intensity[] = {0.25};
    near(spw_roofline_bound(1, ceiling, 0, NULL, NULL), 5e9);
    near(spw_roofline_bound(0, NULL, 1, bandwidth, intensity), 2e9);
}

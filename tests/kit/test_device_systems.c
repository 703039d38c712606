/* kit/device_systems.h: the shares of a sum, against sets that are listed by hand. */
#include "kit/device_systems.h"
#include "test.h"

enum { N = 600 };

static double ones[N], numbers[N];

static int fill(void **state) {
    (void)state;
    for (int i = 0; i < N; i++) {
        ones[i] = 1;
        numbers[i] = i;
    }
    return 0;
}

static double share(const double *x, spw_taken of, int64_t count) {
    return spw_taken_sum(N, x, NULL, of, count);
}

/* 600 elements are two blocks of 256 and 88 of a third. */
TEST(shares_have_the_elements_of_their_threads) {
    assert_true(share(ones, NULL, 0) == 600);
    assert_true(share(ones, spw_taken_none, 600) == 0);
    assert_true(share(numbers, spw_taken_thread_0, 0) == 0 + 256 + 512);
    assert_true(share(ones, spw_taken_lane_0, 0) == 19);
    assert_true(share(numbers, spw_taken_lane_0, 0) == 32 * (18 * 19 / 2));
    assert_true(share(ones, spw_taken_warp_0, 0) == 3 * 32);
    assert_true(share(ones, spw_taken_half, 0) == 2 * 128 + 88);
    assert_true(share(numbers, spw_taken_once, 256) == 255 * 256 / 2);
    assert_true(share(ones, spw_taken_once, 1024) == 600);
}

TEST(products_are_summed_as_well) {
    const double x[3] = {1e16, 1, -1e16}, y[3] = {1, 3, 1};
    assert_true(spw_taken_sum(3, x, y, NULL, 0) == 3);
    assert_true(spw_taken_sum(0, x, y, NULL, 0) == 0);
    assert_true(spw_taken_sum(3, x, y, spw_taken_once, 1) == 1e16);
}

int main(void) { return run_all(fill, NULL); }

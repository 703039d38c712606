/* kernels/double_double.h against known digits: what a double loses is in lo. */
#include "kernels/double_double.h"
#include "test.h"

TEST(sums_and_products_are_exact) {
    spw_dd s = spw_dd_two_sum(1, 0x1p-80);
    assert_true(s.hi == 1 && s.lo == 0x1p-80);
    s = spw_dd_two_sum(0x1p-80, 1);
    assert_true(s.hi == 1 && s.lo == 0x1p-80);
    s = spw_dd_two_product(1 + 0x1p-40, 1 - 0x1p-40);
    assert_true(s.hi == 1 && s.lo == -0x1p-80);
    s = spw_dd_add((spw_dd){1, 0x1p-80}, (spw_dd){-1, 0x1p-81});
    assert_true(s.hi == 0x1p-80 + 0x1p-81 && s.lo == 0);
}

TEST(quotients_and_roots_undo_products) {
    const spw_dd third = spw_dd_divide((spw_dd){1, 0}, (spw_dd){3, 0});
    assert_true(third.hi == 1.0 / 3);
    /* 1/3 = hi + lo up to 2^-107: three times it is 1 to 105 bits */
    const spw_dd one = spw_dd_multiply(third, (spw_dd){3, 0});
    assert_true(fabs(one.hi - 1 + one.lo) < 0x1p-103);
    const spw_dd root = spw_dd_sqrt((spw_dd){2, 0}), two = spw_dd_multiply(root, root);
    assert_true(root.hi == sqrt(2.0) && root.lo != 0);
    assert_true(fabs(two.hi - 2 + two.lo) < 0x1p-102);
    assert_true(spw_dd_sqrt((spw_dd){0, 0}).hi == 0);
}

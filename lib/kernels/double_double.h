/* kernels/double_double.h -- numbers of 106 bits as the sum of two doubles, for sums that must not lose.
 *
 * value = hi + lo, |lo| at most half a unit in the last place of hi: relative precision 2^-104, 5e-32; the
 * range is that of double. A file that includes this must be compiled with -ffp-contract=off (the
 * Makefile names them): a compiler that merges the product and the sum of two lines into one fused
 * operation takes away the very error that these lines are after.
 * Source: T. J. Dekker, Numer. Math. 18(3), 224-242, 1971, doi:10.1007/BF01397083; products by fma:
 * M. Joldes, J.-M. Muller, V. Popescu, ACM Trans. Math. Softw. 44(2), 15res, 2017, doi:10.1145/3121432. */
#pragma once

#include <math.h>

typedef struct spw_dd {
    double hi, lo;
} spw_dd;

/* a + b exactly, for |a| >= |b| or a = 0. */
static inline spw_dd spw_dd_quick_sum(double a, double b) {
    const double s = a + b;
    return (spw_dd){s, b - (s - a)};
}

/* a + b exactly. */
static inline spw_dd spw_dd_two_sum(double a, double b) {
    const double s = a + b, part = s - a;
    return (spw_dd){s, (a - (s - part)) + (b - part)};
}

/* a b exactly. */
static inline spw_dd spw_dd_two_product(double a, double b) {
    const double p = a * b;
    return (spw_dd){p, fma(a, b, -p)};
}

static inline spw_dd spw_dd_add(spw_dd a, spw_dd b) {
    const spw_dd hi = spw_dd_two_sum(a.hi, b.hi), lo = spw_dd_two_sum(a.lo, b.lo);
    const spw_dd once = spw_dd_quick_sum(hi.hi, hi.lo + lo.hi);
    return spw_dd_quick_sum(once.hi, once.lo + lo.lo);
}

static inline spw_dd spw_dd_negative(spw_dd a) { return (spw_dd){-a.hi, -a.lo}; }

static inline spw_dd spw_dd_multiply(spw_dd a, spw_dd b) {
    const spw_dd p = spw_dd_two_product(a.hi, b.hi);
    return spw_dd_quick_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

/* a / b, b not zero: two steps of long division and a correction. */
static inline spw_dd spw_dd_divide(spw_dd a, spw_dd b) {
    const double first = a.hi / b.hi;
    const spw_dd rest = spw_dd_add(a, spw_dd_negative(spw_dd_multiply(b, (spw_dd){first, 0})));
    const double second = rest.hi / b.hi;
    const spw_dd left = spw_dd_add(rest, spw_dd_negative(spw_dd_multiply(b, (spw_dd){second, 0})));
    return spw_dd_add(spw_dd_quick_sum(first, second), (spw_dd){left.hi / b.hi, 0});
}

/* The square root of a >= 0: one Newton step from that of hi. */
static inline spw_dd spw_dd_sqrt(spw_dd a) {
    if (!(a.hi > 0)) return (spw_dd){0, 0};
    const double root = sqrt(a.hi);
    const spw_dd rest = spw_dd_add(a, spw_dd_negative(spw_dd_two_product(root, root)));
    return spw_dd_quick_sum(root, rest.hi / (2 * root));
}

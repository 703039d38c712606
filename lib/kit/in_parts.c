/* Sums in parts, and what went wrong with them. */
#include "kit/in_parts.h"

#include "judge/explain.h"
#include "kit/device_systems.h"

#include <assert.h>
#include <float.h>
#include <math.h>

enum { BLOCK = 256, LARGE = 1000000 };

void spw_in_parts_sum(spw_trial *t, spw_in_parts *p, const char *name, int64_t n, const double *x,
                      const double *y, double extra) {
    assert(p->count < SPW_IN_PARTS_MOST);
    double *terms = spw_kit_doubles(t, n), size = 0;
    for (int64_t i = 0; i < n; i++) {
        terms[i] = x[i] * y[i];
        size += fabs(terms[i]);
    }
    const int k = p->count++;
    p->n = n;
    p->sum[k].name = name;
    p->sum[k].terms = terms;
    p->sum[k].value = spw_taken_sum(n, terms, NULL, NULL, 0);
    p->sum[k].slack = (double)(n + 2) * DBL_EPSILON * size + extra;
}

static const struct {
    spw_taken of;
    const char *text;
} mistakes[] = {
    {spw_taken_once,
     "These are the first 256 * blocks elements: a thread takes first, first + stride, ..."},
    {spw_taken_thread_0,
     "These are the numbers of thread 0 of each block: block_sum has to add up all 256"},
    {spw_taken_lane_0,
     "These are the numbers of lane 0 of each warp: its other 31 lanes are missing"},
    {spw_taken_warp_0,
     "This is the first warp of each block: the sums of the other 7 have to reach thread\n"
     "0 through shared memory"},
    {spw_taken_half, "This is the first half of each block's threads"},
};

static bool near(const spw_in_parts *p, int k, double got, double value, double times) {
    return fabs(got - value) <= times * p->sum[k].slack;
}

static const char *why(const spw_in_parts *p, int k, double got) {
    double alternate = 0;
    for (int b = 0; b < p->blocks; b++) alternate += p->parts[p->count * b + k];
    if (got == 0) return "Nothing was added up";
    if (near(p, k, got, p->blocks * p->sum[k].value, p->blocks))
        return "Each block has left the sum of all rows, not of its own";
    if (p->count > 1 && near(p, 1 - k, got, p->sum[1 - k].value, 1))
        return "That is the other sum: the first lies in parts[0 .. blocks-1], the second behind";
    if (p->count > 1 && near(p, k, alternate, p->sum[k].value, 1))
        return "The two sums of a block lie side by side: the second is at blocks + blockIdx.x";
    for (size_t m = 0; p->n <= LARGE && m < sizeof mistakes / sizeof mistakes[0]; m++)
        if (near(p, k, got,
                 spw_taken_sum(p->n, p->sum[k].terms, NULL, mistakes[m].of,
                               (int64_t)p->blocks * BLOCK),
                 1))
            return mistakes[m].text;
    return "Each thread adds up its elements, block_sum those of the block, thread 0 stores";
}

void spw_in_parts_check(spw_trial *t, const spw_in_parts *p) {
    long double sum[SPW_IN_PARTS_MOST] = {0};
    for (int b = 0; b < p->count * p->blocks; b++) {
        sum[b / p->blocks] += p->parts[b];
        if (isfinite(p->parts[b]) && p->parts[b] != spw_poison_double(b)) continue;
        spw_trial_fail(t, "parts[%d] is %g: every block leaves %s, one that had no element %s%s", b,
                       p->parts[b], p->count > 1 ? "two sums" : "its sum",
                       p->count > 1 ? "two zeros" : "a 0",
                       isfinite(p->parts[b]) ? ".\nIt was never written" : "");
        return;
    }
    for (int k = 0; k < p->count; k++)
        if (!near(p, k, (double)sum[k], p->sum[k].value, 1))
            spw_trial_fail(t, "the %d parts of %s add up to %.15g, expected %.15g\n%s", p->blocks,
                           p->sum[k].name, (double)sum[k], p->sum[k].value,
                           why(p, k, (double)sum[k]));
}

/* perf/cost.h -- what one call of a kernel must move and compute, at the least.
 *
 * A model counts the bytes that have to cross the memory interface when every array is moved once and
 * nothing stays in a cache from the call before. The write-allocate read of a store (the line is
 * fetched before it is overwritten) is not in it: it depends on the kind of store. Where it is shown
 * it is shown apart. */
#pragma once

typedef struct spw_cost {
    double load;  /* bytes read */
    double store; /* bytes written */
    double flop;  /* additions and multiplications */
} spw_cost;

static inline spw_cost spw_cost_sum(spw_cost a, spw_cost b) {
    const spw_cost sum = {a.load + b.load, a.store + b.store, a.flop + b.flop};
    return sum;
}

static inline spw_cost spw_cost_times(double k, spw_cost c) {
    const spw_cost product = {k * c.load, k * c.store, k * c.flop};
    return product;
}

/* load + store, in bytes. */
static inline double spw_cost_bytes(spw_cost c) { return c.load + c.store; }

/* Arithmetic intensity in flop/byte; 0 where nothing is moved. */
static inline double spw_cost_intensity(spw_cost c) {
    return spw_cost_bytes(c) > 0 ? c.flop / spw_cost_bytes(c) : 0;
}

/* kit/models.h -- puts into words what is wrong with a learner's model, for explain_model of a driver.
 *
 *     const spw_known_cost known[] = {
 *         {-8 * n, 0, 0, "two arrays are loaded, b and c, 8 bytes each"},
 *         {0, 0, -n, "a multiplication and an addition: 2 flops"},
 *     };
 *     if (!spw_known_cost_tell(known, sizeof known / sizeof known[0], got, truth, 0.5, text, size))
 *         spw_swapped_cost_tell(got, truth, text, size); */
#ifndef SPW_KIT_MODELS_H
#define SPW_KIT_MODELS_H

#include "perf/cost.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A difference from the truth, got - truth, in bytes and flop, and the sentence on what it comes from. */
typedef struct spw_known_cost {
    double load, store, flop;
    const char *text;
} spw_known_cost;

/* Writes into text [size] the sentence of the first known difference that fits: those of load, store and
 * flop, each without its sign, add up to at most slack. True if there is one; else text stays. */
bool spw_known_cost_tell(const spw_known_cost *known, size_t count, spw_cost got, spw_cost truth,
                         double slack, char *text, int size);

/* The same for loads that were given as stores, and stores as loads. */
bool spw_swapped_cost_tell(spw_cost got, spw_cost truth, char *text, int size);

#ifdef __cplusplus
}
#endif

#endif

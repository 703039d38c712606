/* Wrong models in words. */
#include "kit/models.h"

#include <math.h>
#include <stdio.h>

bool spw_known_cost_tell(const spw_known_cost *known, size_t count, spw_cost got, spw_cost truth,
                         double slack, char *text, int size)
{
    const spw_cost d = {got.load - truth.load, got.store - truth.store, got.flop - truth.flop};
    for (size_t k = 0; k < count; k++) {
        if (!(fabs(d.load - known[k].load) + fabs(d.store - known[k].store) +
                  fabs(d.flop - known[k].flop) <=
              slack))
            continue;
        snprintf(text, (size_t)size, "%s", known[k].text);
        return true;
    }
    return false;
}

bool spw_swapped_cost_tell(spw_cost got, spw_cost truth, char *text, int size)
{
    if (got.load != truth.store || got.store != truth.load) return false;
    snprintf(text, (size_t)size, "loads and stores have changed places");
    return true;
}

/* The roofline with several ceilings and several roofs. */
#include "perf/roofline.h"

#include <assert.h>
#include <math.h>

double spw_roofline_bound(int n_ceilings, const double *ceiling, int n_paths,
                          const double *bandwidth, const double *intensity) {
    assert(n_ceilings >= 0 && n_paths >= 0 && n_ceilings + n_paths > 0);
    double least = INFINITY;
    for (int i = 0; i < n_ceilings; i++)
        if (ceiling[i] < least) least = ceiling[i];
    for (int j = 0; j < n_paths; j++)
        if (intensity[j] * bandwidth[j] < least) least = intensity[j] * bandwidth[j];
    return least;
}

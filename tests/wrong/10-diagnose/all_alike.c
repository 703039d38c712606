/* expect CORRECT: deviation: alpha is not 4. this is what moment has */
#include "diagnose.h"

diagnosis diagnose_moment(void)
{
    return (diagnosis){.because = EXTRA_TRAFFIC, .alpha = 4};
}

diagnosis diagnose_deviation(void)
{
    return (diagnosis){.because = EXTRA_TRAFFIC, .alpha = 4};
}

diagnosis diagnose_roots(void)
{
    return (diagnosis){.because = EXTRA_TRAFFIC, .alpha = 4};
}

diagnosis diagnose_norm(void)
{
    return (diagnosis){.because = EXTRA_TRAFFIC, .alpha = 4};
}

diagnosis diagnose_tour(void)
{
    return (diagnosis){.because = EXTRA_TRAFFIC, .alpha = 4};
}

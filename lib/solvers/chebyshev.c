#include "solvers/chebyshev.h"

#include "base/memory.h"

#include <math.h>
#include <stddef.h>

enum { POWERS = 8 };

/* Step k = 1 .. degree of the scaled recurrence; *sigma is that of the step before. */
static spw_three_terms step_of(int k, double c, double e, double sigma_1, double *sigma)
{
    if (k == 1) {
        *sigma = sigma_1;
        return (spw_three_terms){sigma_1 / e, -sigma_1 / e * c, 0};
    }
    const double old = *sigma;
    *sigma = 1 / (2 / sigma_1 - old);
    return (spw_three_terms){2 * *sigma / e, -2 * *sigma / e * c, -old * *sigma};
}

static spw_status check(int degree, double low, double high, double at, int powers)
{
    if (degree < 1 || powers < 0)
        return spw_error(SPW_ERR_ARG,
                         "a filter of degree %d with %d powers at a time: neither may be less than "
                         "1 and 0",
                         degree, powers);
    if (isfinite(low) && isfinite(high) && isfinite(at) && low < high && (at < low || at > high))
        return SPW_OK;
    return spw_error(
        SPW_ERR_ARG,
        "a filter on [%g, %g] that is 1 at %g: the point must be outside of an interval "
        "that is not empty",
        low, high, at);
}

spw_status spw_chebyshev_filter(const spw_powers *P, int degree, double low, double high, double at,
                                int powers, const double *x, double *y)
{
    const double c = (low + high) / 2, e = (high - low) / 2, sigma_1 = e / (at - c);
    double *room[3] = {NULL}, sigma = 0;
    double **v = NULL;
    spw_three_terms *steps = NULL;
    spw_status status = check(degree, low, high, at, powers);
    if (status) return status;
    if (powers == 0) powers = POWERS;
    if (powers > degree) powers = degree;
    for (int k = 0; k < 3 && !status; k++) status = SPW_ALLOC(&room[k], P->A.n_rows);
    if (!status) status = SPW_ALLOC(&v, (int64_t)powers + 2);
    if (!status) status = SPW_ALLOC(&steps, powers);
    if (status) goto end;

    spw_powers_to_levels(P, x, room[1]);
    for (int done = 0; done < degree;) {
        const int p = degree - done < powers ? degree - done : powers;
        for (int k = 0; k < p; k++) steps[k] = step_of(done + k + 1, c, e, sigma_1, &sigma);
        for (int k = 0; k < p + 2; k++) v[k] = room[(done + k) % 3]; /* v[k] is step done + k - 1 */
        spw_powers_recur(P, p, steps, v);
        done += p;
    }
    spw_powers_from_levels(P, room[(degree + 1) % 3], y);
end:
    spw_free(steps);
    spw_free(v);
    for (int k = 0; k < 3; k++) spw_free(room[k]);
    return status;
}

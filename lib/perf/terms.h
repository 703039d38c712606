/* perf/terms.h -- costs and counts as texts of terms: numbers, and quantities that have a name.
 *
 *     terms    term, or several with + or - between them        12 nz + 4 (n_rows + 1)
 *     term     factors side by side, which are multiplied; / before a factor divides by it
 *     factor   a number, a name of letters, digits and _, or terms in parentheses
 *     cost     load terms; store terms; flop terms              any of them, in any order; the others are 0 */
#pragma once

#include "base/extern_c.h"
#include "perf/cost.h"

#include <stdbool.h>
#include <stddef.h>

SPW_C_BEGIN

/* What names stand for: value(context, name, length), which does not return for an unknown name. */
typedef struct spw_quantities {
    double (*value)(const void *context, const char *name, size_t length);
    const void *context;
} spw_quantities;

/* What the terms at *text come to; *text moves to the ; or the 0 behind them. A text that is none is a mistake of a
 * driver: it aborts, with the text. */
double spw_terms_value(const char **text, spw_quantities q);
spw_cost spw_terms_cost(const char *text, spw_quantities q);

/* Does a wrong model fit the difference of a spw_slip, kit/kit.h? */
bool spw_terms_fit(const char *difference, spw_quantities q, spw_cost got, spw_cost truth);

SPW_C_END

/* wrong.c -- a peer whose last row is off by one part in 10^12, or, of a solution, in 10^3.
 * needs: nothing
 * build: $CC -std=gnu11 -O1 -lm
 */
#include "fake.h"

static void misbehave(product *m)
{
    m->y[m->n_rows - 1] *= 1 + (m->iterations > 0 ? 1e-3 : 1e-12);
}

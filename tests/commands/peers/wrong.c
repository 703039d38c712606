/* wrong.c -- a peer whose last row is off by one part in 10^12, or, of a solution, by a factor of 2.
 * needs: nothing
 * build: $CC -std=gnu11 -O1 -lm
 */
#include "fake.h"

static void misbehave(product *m) { m->y[m->n - 1] *= m->iterations > 0 ? 2 : 1 + 1e-12; }

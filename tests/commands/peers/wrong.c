/* wrong.c -- a peer whose last row is off by one part in 10^12.
 * needs: nothing
 * build: $CC -std=gnu11 -O1
 */
#include "fake.h"

static void misbehave(product *m)
{
    m->y[m->n_rows - 1] *= 1 + 1e-12;
}

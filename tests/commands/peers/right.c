/* right.c -- a peer as it should be.
 * needs: nothing
 * build: $CC -std=gnu11 -O1 -lm
 * run:   env FAKE=$RANKS
 */
#include "fake.h"

static void misbehave(product *m) { (void)m; }

/* dies.c -- a peer that is right once, and then calls abort().
 * needs: nothing
 * build: $CC -std=gnu11 -O1 -lm
 */
#include "fake.h"

static void misbehave(product *m) {
    if (m->calls > 1) abort();
}

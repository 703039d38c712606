/* hangs.c -- a peer that is right once, and then never comes back.
 * needs: nothing
 * build: $CC -std=gnu11 -O1 -lm
 */
#include "fake.h"

static void misbehave(product *m) {
    const struct timespec pause = {.tv_sec = 60}; /* 30 times what it is waited for */
    if (m->calls > 1) nanosleep(&pause, NULL);
}

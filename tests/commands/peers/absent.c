/* absent.c -- a peer whose library is not installed.
 * needs: libabsent-dev
 * build: $CC -std=gnu11 -O1 -labsent
 */
#include <absent/absent.h>

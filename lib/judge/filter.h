/* judge/filter.h -- what an answer may ask of the kernel: memory, threads, clocks, and writing to what is open. Not:
 * another process, another's memory, a file to be written, a socket; and, once it is loaded, no file at all: the
 * solution is one. */
#pragma once

#include <stdbool.h>

/* From here on, for all threads of this process, any other call raises SIGSYS. False: this kernel has no such filters. */
bool spw_filter_install(void);

/* After it: no file can be opened any more, which fails as if it were forbidden (EACCES). */
bool spw_filter_shut_files(void);

/* "fork", of the number that SIGSYS brings; of one that has no name here "system call 310". Valid until the next call. */
const char *spw_filter_name(int number);

/* What the tests of the checker share: the kernels' shared objects, and rows of the traffic table. */
#pragma once

#include "simt/simt.h"

#include "formats/csr.h"

/* Where tests/simt/kernels/NAME.cu is, built for the checker: build "fast" or "check". */
void kernel_path(const char *name, const char *build, char *path, size_t size);

/* A function of tests/simt/kernels/NAME.cu, build "fast" or "check". Prints and exits if there is none. */
typedef void (*spw_any_function)(void);
spw_any_function kernel_function(const char *name, const char *build, const char *function);

/* begin, or the test's end; what began before it ends, the last at the program's end. */
void begin_checker(spw_simt_options options);

/* The call comes to its end, and nothing is found. */
void run_right(void (*call)(void *argument), void *argument);

/* Sums of the rows of one array and kind of access; requests 0 if there is none. */
spw_simt_row traffic_of(const char *array, spw_simt_access access);
int64_t all_sectors(void);
int64_t all_bytes(void);

/* The first finding of a kind, NULL without. */
const spw_simt_finding *finding_of(spw_simt_kind kind);
void print_findings(void);

/* What a report prints, which is as long as it says and has at most so many columns. */
const char *printed(int (*print)(char *text, size_t size), size_t columns);

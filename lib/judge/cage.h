/* judge/cage.h -- from here on a process reaches no files but these, by Landlock (Linux 5.13): also what it starts, and
 * whatever becomes of it. Where the kernel can, it may open no TCP connection either, and signal nobody outside. */
#pragma once

#include <stdbool.h>

/* The version of this kernel's Landlock; 0: it has none, or keeps it switched off. */
int spw_cage_version(void);

/* Files, or folders with all below them, up to NULL: to be read and executed, and to be written as well. Those that are
 * not there are left out. False: there is no cage. */
bool spw_cage_close(const char *const *read, const char *const *write);

/* commands/command.h -- what the programs of this folder have in common. */
#ifndef SPW_COMMANDS_COMMAND_H
#define SPW_COMMANDS_COMMAND_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* "PROGRAM: cannot write build/plots/x.tsv: No space left on device" from errno, to stderr. 1. */
int cannot(const char *program, const char *do_what, const char *path);

/* A whole number from 1 to most. False: it is none, *count is as before. */
bool read_count(const char *text, long most, int *count);

/* Without what would end a string of gnuplot's: quotes, backslashes. At most size - 1 characters. */
void copy_plain(char *to, size_t size, const char *from);

/* "|######......|": share 0 .. 1 of width characters. text: room for them and three more; it is returned. */
const char *bar(double share, int width, char *text);

/* Progress on stderr: on a terminal a line that is written again, every half second after the first;
 * else one every ten seconds. */
typedef struct ticker {
    double next; /* seconds at which the next line is due */
    bool terminal, open;
} ticker;

ticker ticker_begin(void);

/* "    12 s   iteration 400   residual 1.00e-03", if it is due. What stands behind the seconds is given. */
void ticker_tell(ticker *t, double seconds, const char *format, ...) SPW_PRINTF(3, 4);

/* Removes the line from the terminal. */
void ticker_end(ticker *t);

#endif

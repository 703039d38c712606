/* commands/command.h -- what the programs of this folder have in common. */
#pragma once

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* "PROGRAM: cannot write build/plots/x.tsv: No space left on device" from errno, to stderr. 1. */
int cannot(const char *program, const char *do_what, const char *path);

/* "PROGRAM: what went wrong" to stderr. Returns status. */
int complain(int status, const char *program, const char *format, ...) SPW_PRINTF(3, 4);

typedef enum option_kind { OPTION_FLAG, OPTION_TEXT, OPTION_COUNT, OPTION_TOLERANCE } option_kind;

/* A row of a table of options; the functions below make one. */
typedef struct command_option {
    const char *name; /* "--threads" */
    option_kind kind;
    void *where;          /* its value goes there; as it was, where the option is not given */
    const char *variable; /* of make, by which a wrong number is told: "THREADS" */
    long most;            /* of a count */
} command_option;

/* 1 where it is given. All others have a value behind them, which is not empty. */
command_option flag_option(const char *name, int *where);
command_option text_option(const char *name, const char **where);
command_option count_option(const char *name, int *where, const char *variable, long most);
command_option tolerance_option(const char *name, double *where, const char *variable);

/* All of argv into where it belongs. False after one line on stderr: no such option, with those that there
 * are; a value that is missing; a number that is none. */
bool read_options(const char *program, const command_option *options, size_t n, int argc,
                  char **argv);

/* "2026-11-23", of the local time. */
const char *today(char date[16]);

/* Without what would end a string of gnuplot's: quotes, backslashes. At most size - 1 characters. */
void copy_plain(char *to, size_t size, const char *from);

/* All of a text file, with a NUL behind it. spw_free(*text), whatever is returned. */
spw_status read_text(const char *path, char **text, int64_t *length);

/* Makes the folder and those above it. False after one line on stderr. */
bool make_folder(const char *program, const char *path);

/* FOLDER/NAME, to be written; the folder is made. NULL after one line on stderr. */
FILE *create_file(const char *program, const char *folder, const char *name);

/* Closes; 0, or 1 after one line on stderr. */
int finish_file(const char *program, FILE *file, const char *folder, const char *name);

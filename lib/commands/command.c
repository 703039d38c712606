#include "commands/command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cannot(const char *program, const char *do_what, const char *path)
{
    fprintf(stderr, "%s: cannot %s %s: %s\n", program, do_what, path, strerror(errno));
    return 1;
}

bool read_count(const char *text, long most, int *count)
{
    char *end;
    errno = 0;
    const long value = strtol(text, &end, 10);
    if (errno || end == text || *end || value < 1 || value > most) return false;
    *count = (int)value;
    return true;
}

void copy_plain(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from);
    for (char *c = to; *c; c++)
        if (*c == '"' || *c == '\\' || (unsigned char)*c < ' ') *c = ' ';
}

const char *bar(double share, int width, char *text)
{
    for (int k = 0; k < width; k++) text[1 + k] = k + 0.5 < share * width ? '#' : '.';
    text[0] = text[width + 1] = '|';
    text[width + 2] = 0;
    return text;
}

ticker ticker_begin(void)
{
    const bool terminal = isatty(STDERR_FILENO);
    return (ticker){.terminal = terminal, .next = terminal ? 1 : 10};
}

void ticker_tell(ticker *t, double seconds, const char *format, ...)
{
    va_list args;
    if (seconds < t->next) return;
    fprintf(stderr, "%s  %6.0f s   ", t->terminal ? "\r" : "", seconds);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputs(t->terminal ? "   " : "\n", stderr);
    t->open = t->terminal;
    t->next = seconds + (t->terminal ? 0.5 : 10);
}

void ticker_end(ticker *t)
{
    if (t->open) fprintf(stderr, "\r%70s\r", "");
    t->open = false;
}

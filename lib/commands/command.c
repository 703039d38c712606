#include "commands/command.h"

#include "base/memory.h"
#include "base/number.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int cannot(const char *program, const char *do_what, const char *path) {
    fprintf(stderr, "%s: cannot %s %s: %s\n", program, do_what, path, strerror(errno));
    return 1;
}

int complain(int status, const char *program, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s: ", program);
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
    return status;
}

/* --- options ---------------------------------------------------------------------------------------------- */

/* A whole number from 1 to most. False: it is none, *count is as before. */
static bool read_count(const char *text, long most, int *count) {
    char *end;
    errno = 0;
    const long value = strtol(text, &end, 10);
    if (errno || end == text || *end || value < 1 || value > most) return false;
    *count = (int)value;
    return true;
}

/* A number between 0 and 1. */
static bool read_tolerance(const char *text, double *tolerance) {
    double value;
    const char *at = text;
    if (spw_number_read(&at, text + strlen(text), &value) || *at) return false;
    if (!(value > 0 && value < 1)) return false;
    *tolerance = value;
    return true;
}

command_option flag_option(const char *name, int *where) {
    return (command_option){.name = name, .kind = OPTION_FLAG, .where = where};
}

command_option text_option(const char *name, const char **where) {
    return (command_option){.name = name, .kind = OPTION_TEXT, .where = where};
}

command_option count_option(const char *name, int *where, const char *variable, long most) {
    return (command_option){name, OPTION_COUNT, where, variable, most};
}

command_option tolerance_option(const char *name, double *where, const char *variable) {
    return (command_option){name, OPTION_TOLERANCE, where, variable, 0};
}

static bool refuse(const char *program, const command_option *options, size_t n, const char *name) {
    fprintf(stderr, "%s: '%s' is no option; known are", program, name);
    for (size_t k = 0; k < n; k++) fprintf(stderr, " %s", options[k].name);
    fprintf(stderr, "\n");
    return false;
}

static bool take_value(const char *program, const command_option *o, const char *value) {
    switch (o->kind) {
    case OPTION_COUNT:
        if (read_count(value, o->most, o->where)) return true;
        return complain(false, program, "%s is '%s', must be a whole number from 1 to %ld",
                        o->variable, value, o->most);
    case OPTION_TOLERANCE:
        if (read_tolerance(value, o->where)) return true;
        return complain(false, program,
                        "%s is '%s', must be a number between 0 and 1, such as 1e-8", o->variable,
                        value);
    default: *(const char **)o->where = value; return true;
    }
}

bool read_options(const char *program, const command_option *options, size_t n, int argc,
                  char **argv) {
    for (int i = 1; i < argc; i++) {
        const command_option *o = options, *const end = options + n;
        while (o < end && strcmp(argv[i], o->name)) o++;
        if (o == end) return refuse(program, options, n, argv[i]);
        if (o->kind == OPTION_FLAG) {
            *(int *)o->where = 1;
            continue;
        }
        if (i + 1 == argc || !*argv[i + 1])
            return complain(false, program, "%s needs a value", o->name);
        if (!take_value(program, o, argv[++i])) return false;
    }
    return true;
}

/* --- files ------------------------------------------------------------------------------------------------ */

const char *today(char date[16]) {
    const time_t now = time(NULL);
    strftime(date, 16, "%Y-%m-%d", localtime(&now));
    return date;
}

void copy_plain(char *to, size_t size, const char *from) {
    snprintf(to, size, "%s", from);
    for (char *c = to; *c; c++)
        if (*c == '"' || *c == '\\' || (unsigned char)*c < ' ') *c = ' ';
}

spw_status read_text(const char *path, char **text, int64_t *length) {
    struct stat about;
    *text = NULL;
    FILE *file = fopen(path, "r");
    if (!file || fstat(fileno(file), &about)) {
        if (file) fclose(file);
        return spw_error(SPW_ERR_FILE, "%s: %s", path, strerror(errno));
    }
    spw_status status = S_ISREG(about.st_mode)
                            ? SPW_ALLOC(text, about.st_size + 1)
                            : spw_error(SPW_ERR_FILE, "%s: not a plain file", path);
    if (!status) {
        *length = (int64_t)fread(*text, 1, (size_t)about.st_size, file);
        (*text)[*length] = '\0';
        if (ferror(file)) status = spw_error(SPW_ERR_FILE, "%s: cannot be read", path);
    }
    fclose(file);
    return status;
}

bool make_folder(const char *program, const char *path) {
    char part[1024];
    snprintf(part, sizeof part, "%s", path);
    for (char *slash = strchr(part + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash) *slash = 0;
        if (mkdir(part, 0777) && errno != EEXIST) return !cannot(program, "make the folder", part);
        if (!slash) return true;
        *slash = '/';
    }
}

FILE *create_file(const char *program, const char *folder, const char *name) {
    char path[1024];
    if (!make_folder(program, folder)) return NULL;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (!file) cannot(program, "write", path);
    return file;
}

int finish_file(const char *program, FILE *file, const char *folder, const char *name) {
    char path[1024];
    const bool failed = ferror(file) != 0;
    if (!fclose(file) && !failed) return 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return cannot(program, "write", path);
}

#include "judge/answer.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* PATH.so with another ending. */
static void sibling(const char *path, const char *ending, char *out, size_t size) {
    const size_t length = strlen(path);
    snprintf(out, size, "%.*s.%s", (int)(length > 3 ? length - 3 : length), path, ending);
}

spw_status spw_answer_sibling(const char *path, const char *ending, FILE **file) {
    char name[1024];
    sibling(path, ending, name, sizeof name);
    *file = fopen(name, "r");
    return *file ? SPW_OK : spw_error(SPW_ERR_FILE, "cannot read %s: %s", name, strerror(errno));
}

/* The contents of a sibling, as far as they fit; "" where there is none. */
static void read_sibling(const char *path, const char *ending, char *text, size_t size) {
    FILE *file;
    if (size) text[0] = 0;
    if (!size || spw_answer_sibling(path, ending, &file)) return;
    text[fread(text, 1, size - 1, file)] = 0;
    fclose(file);
}

int spw_answer_refused(const char *path, char *words, size_t size) {
    int status = 0;
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    if (fscanf(file, "%1d", &status) != 1) status = 0;
    fclose(file);
    if (status) read_sibling(path, "compiler", words, size);
    return status;
}

void spw_answer_checksum(const char *path, char *sum, size_t size) {
    read_sibling(path, "sha256", sum, size);
    sum[strcspn(sum, " \n")] = 0;
}

/* Of several definitions, in branches of #if, one that is written is enough. */
static void read_functions(FILE *file, spw_answer *answer) {
    char name[sizeof answer->functions->name], state[16];
    int line, k;
    while (fscanf(file, "%255s %d %15s", name, &line, state) == 3) {
        if (strcmp(state, "refused") == 0) continue;
        for (k = 0; k < answer->n_functions && strcmp(answer->functions[k].name, name) != 0; k++) {
        }
        if (k == answer->n_functions) {
            void *more = realloc(answer->functions, (size_t)(k + 1) * sizeof *answer->functions);
            if (!more) return;
            answer->functions = (spw_defined *)more;
            answer->functions[answer->n_functions++] = (spw_defined){.line = line};
            memcpy(answer->functions[k].name, name, sizeof name);
        }
        answer->functions[k].written |= strcmp(state, "written") == 0;
    }
}

spw_status spw_answer_read(const char *path, spw_answer *answer) {
    *answer = (spw_answer){.path = path};
    FILE *file;
    if (spw_answer_refused(path, NULL, 0)) return spw_error(SPW_ERR_FORMAT, "it does not compile");
    const spw_status status = spw_answer_sibling(path, "functions", &file);
    if (status) return status;
    read_functions(file, answer);
    fclose(file);
    return SPW_OK;
}

spw_status spw_answer_load(const char *path, spw_answer *answer) {
    const spw_status status = spw_answer_read(path, answer);
    if (status) return status;
    answer->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (answer->object) return SPW_OK;
    const char *reason = dlerror();
    const char *symbol = reason ? strstr(reason, "undefined symbol: ") : NULL;
    if (symbol)
        return spw_error(SPW_ERR_FORMAT, "it calls %s, which is defined nowhere",
                         symbol + strlen("undefined symbol: "));
    return spw_error(SPW_ERR_FORMAT, "cannot load it: %s", reason ? reason : "unknown reason");
}

void spw_answer_destroy(spw_answer *answer) {
    if (answer->object) dlclose(answer->object);
    free(answer->functions);
    *answer = (spw_answer){.object = NULL};
}

bool spw_is_listed(const char *name, const char *const *list) {
    for (; list && *list; list++)
        if (strcmp(name, *list) == 0) return true;
    return false;
}

bool spw_answer_divides(const char *path) {
    static const char *const counted[] = {"GOMP_parallel",
                                          "GOMP_parallel_loop_nonmonotonic_dynamic",
                                          "GOMP_loop_nonmonotonic_dynamic_start",
                                          "GOMP_loop_nonmonotonic_dynamic_next",
                                          "GOMP_loop_end",
                                          "GOMP_loop_end_nowait",
                                          "GOMP_barrier",
                                          "GOMP_atomic_start",
                                          "GOMP_atomic_end",
                                          "GOMP_critical_start",
                                          "GOMP_critical_end",
                                          "GOMP_critical_name_start",
                                          "GOMP_critical_name_end",
                                          NULL};
    char name[256];
    FILE *file;
    bool other = false;
    if (spw_answer_sibling(path, "undefined", &file)) return true;
    while (!other && fscanf(file, "%255s", name) == 1)
        other = strncmp(name, "GOMP_", 5) == 0 && !spw_is_listed(name, counted);
    fclose(file);
    return other;
}

static bool is_left_out(const spw_answer *answer, const char *name) {
    const size_t length = strlen(name);
    for (const char *c = answer->without; c; c = strchr(c, ',') ? strchr(c, ',') + 1 : NULL)
        if (strncmp(c, name, length) == 0 && (c[length] == ',' || !c[length])) return true;
    return false;
}

bool spw_answer_calls(const char *path, const char *function) {
    char name[256];
    FILE *file;
    bool found = false;
    if (spw_answer_sibling(path, "undefined", &file)) return false;
    while (!found && fscanf(file, "%255s", name) == 1) found = strcmp(name, function) == 0;
    fclose(file);
    return found;
}

bool spw_answer_has_other_threads(const char *path) {
    static const char *const begins[] = {"GOMP_parallel_", "GOMP_teams_reg", "__kmpc_",
                                         "pthread_create", "thrd_create",    "_ZNSt6thread"};
    char name[256];
    FILE *file;
    bool other = false;
    if (spw_answer_sibling(path, "undefined", &file)) return true;
    while (!other && fscanf(file, "%255s", name) == 1)
        for (size_t k = 0; k < sizeof begins / sizeof *begins && !other; k++)
            other = strncmp(name, begins[k], strlen(begins[k])) == 0 &&
                    strcmp(name, "GOMP_parallel_loop_nonmonotonic_dynamic") != 0;
    fclose(file);
    return other;
}

bool spw_answer_has(const spw_answer *answer, const char *name) {
    char symbol[256];
    FILE *file;
    bool found = false;
    for (int k = 0; k < answer->n_functions; k++)
        if (strcmp(answer->functions[k].name, name) == 0)
            return answer->functions[k].written && !is_left_out(answer, name);
    if (spw_answer_sibling(answer->path, "defined", &file)) return false;
    while (!found && fscanf(file, "%255s", symbol) == 1) found = strcmp(symbol, name) == 0;
    fclose(file);
    return found;
}

spw_function spw_answer_function(const spw_answer *answer, const char *name) {
    for (int k = 0; k < answer->n_functions; k++)
        if (strcmp(answer->functions[k].name, name) == 0 && !answer->functions[k].written)
            return NULL;
    if (!answer->object) return NULL;
    spw_function f;
    void *symbol = dlsym(answer->object, name);
    memcpy(&f, &symbol, sizeof f); /* ISO C has no cast from object to function pointer */
    return f;
}

int spw_answer_line(const spw_answer *answer, const char *name) {
    for (int k = 0; k < answer->n_functions; k++)
        if (strcmp(answer->functions[k].name, name) == 0) return answer->functions[k].line;
    return 0;
}

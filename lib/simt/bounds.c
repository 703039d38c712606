/* Arrays of a known size that no other check sees: a thread's own, and those inside of a struct. gcc's -fsanitize=bounds asks
 * before each entry is used, and calls this where it is outside. */
#include "simt/state.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What gcc passes. */
struct spw_simt_type {
    uint16_t kind, info; /* an integer: its sign in bit 0, then the logarithm of its bits */
    char name[];         /* "'int [8]'" */
};
struct spw_simt_bounds {
    const char *file;
    uint32_t line, column;
    const struct spw_simt_type *array, *index;
};

/* The name before the brackets at that place of the source; "" if it cannot be read. */
static void name_at(const struct spw_simt_bounds *b, char *name, size_t size) {
    char line[512] = "";
    FILE *file = fopen(b->file, "r");
    name[0] = 0;
    for (uint32_t k = 0; file && k < b->line; k++)
        if (!fgets(line, sizeof line, file)) break;
    if (file) fclose(file);
    if (b->column < 1 || b->column > strlen(line)) return;
    const char *end = line + b->column - 1;
    int depth = 0;
    for (; end > line; end--) { /* back over the brackets that the place is at or behind */
        depth += (*end == ']') - (*end == '[');
        if (depth <= 0 && *end != '[') break;
    }
    while (end > line && isspace((unsigned char)*end)) end--;
    const char *word = end + 1;
    while (word > line && (isalnum((unsigned char)word[-1]) || word[-1] == '_')) word--;
    snprintf(name, size, "%.*s", (int)(end + 1 - word), word);
}

void spw_simt_out_of_bounds(uintptr_t pc, const void *data, const void *index) {
    spw_simt_state *s = spw_simt_now;
    const struct spw_simt_bounds *b = data;
    char name[SPW_SIMT_NAME], who[256] = "Host code";
    if (!s || !s->in_run) return;
    name_at(b, name, sizeof name);
    /* shared arrays and variables of the device are known as a whole: some go through a table as through one row */
    for (int k = 0; k < s->n_shared; k++)
        if (strcmp(s->shared[k].name, name) == 0) return;
    if (spw_simt_is_variable(name)) return;
    const int bits = 1 << (b->index->info >> 1);
    int64_t value = (int64_t)(intptr_t)index;
    if (b->index->info & 1 && bits < 64)
        value = (int64_t)((uint64_t)value << (64 - bits)) >> (64 - bits);
    if (s->lane) {
        char thread[128];
        spw_simt_who(s, thread, sizeof thread, s->lane->index);
        snprintf(who, sizeof who, "%s of kernel %.60s", thread, s->launch->kernel);
    }
    const char *bracket = strchr(b->array->name, '[');
    const long long n = bracket ? atoll(bracket + 1) : 0;
    spw_simt_find(s, SPW_SIMT_OUTSIDE, pc, NULL, value,
                  "%s uses entry %lld of %s at {0}, an array of %lld entries.%s", who,
                  (long long)value, name[0] ? name : "an array", n,
                  value == n  ? " That is one past the end: < or <= ?"
                  : value < 0 ? " The index is negative."
                              : "");
    if (s->lane) spw_simt_leave_launch(CUDA_ILLEGAL_ADDRESS);
    spw_simt_leave_run();
}

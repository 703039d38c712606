/* kit/table.h -- models on paper: a function that is asked with each row of a table, for a number.
 *
 *     typedef struct link { double T_t, T_c; const char *what; } link;
 *     static const link links[] = {{8, 2, "slow link"}, ...};
 *     static double right_time(const link *r) { return fmax(r->T_t, r->T_c); }
 *     SPW_TABLE(time, "T", "{rows} links", links, link, right_time, 1e-12, stream_time, (r->T_t, r->T_c),
 *               "%s: T_t = %g, T_c = %g", r->what, r->T_t, r->T_c)
 *     static const spw_part parts[] = {SPW_PART("stream_time", cases, time_kit, )};
 * The function's header says what it takes. Each number is compared give or take so much of itself. */
#pragma once

#include "base/extern_c.h"
#include "kit/kit.h"

SPW_C_BEGIN

typedef struct spw_table {
    const void *rows;
    int64_t size, count; /* of a row; of rows */
    double tolerance;
    double (*right)(const void *row), (*ask)(const void *row, spw_function f);
    void (*describe)(const void *row, char *text, int size);
} spw_table;

typedef struct spw_table_asked {
    const spw_table *table;
    double *numbers;
} spw_table_asked;

#define SPW_TABLE(name_, of, facts_, rows_, row, right_, tolerance_, function, arguments_, ...)    \
    static double name_##_ask(const void *at, spw_function f) {                                    \
        const row *r = at;                                                                         \
        return SPW_AS(function, f) arguments_;                                                     \
    }                                                                                              \
    static double name_##_right(const void *at) { return right_((const row *)at); }                \
    static void name_##_describe(const void *at, char *text, int size) {                           \
        const row *r = at;                                                                         \
        snprintf(text, (size_t)size, __VA_ARGS__);                                                 \
    }                                                                                              \
    static const spw_table name_##_table = {                                                       \
        rows_,       sizeof(row),     sizeof(rows_) / sizeof(row), tolerance_, name_##_right,      \
        name_##_ask, name_##_describe};                                                            \
    static const spw_argument name_##_arguments[] = {                                              \
        SPW_OUTPUT_AS(of, spw_table_asked, numbers, "rows", .describe = spw_table_describe), {0}}; \
    static const spw_kit name_##_kit =                                                             \
        SPW_KIT_OF(name_##_arguments, spw_table_asked, spw_table_call, spw_table_expect,           \
                   .prepare = spw_table_prepare, .facts = facts_, .table = &name_##_table);

void spw_table_prepare(spw_trial *t, const char *name, void *at);
void spw_table_call(const void *at, spw_function f);
void spw_table_expect(spw_trial *t, const void *at);
void spw_table_describe(const spw_trial *t, int64_t i, char *text, int size);

SPW_C_END

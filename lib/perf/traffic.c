/* Parsers of likwid-perfctr's CSV and cachegrind's output file. */
#include "perf/traffic.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One line of a text that is not changed. */
typedef struct line {
    const char *text;
    int length;
} line;

static bool next_line(const char **at, line *l)
{
    if (!**at) return false;
    l->text = *at;
    const int whole = (int)strcspn(*at, "\n");
    l->length = whole > 0 && l->text[whole - 1] == '\r' ? whole - 1 : whole;
    *at += whole + ((*at)[whole] == '\n');
    return true;
}

static bool starts_with(line l, const char *text)
{
    const int length = (int)strlen(text);
    return l.length >= length && strncmp(l.text, text, (size_t)length) == 0;
}

static bool contains(line l, const char *text)
{
    const int length = (int)strlen(text);
    for (int i = 0; i + length <= l.length; i++)
        if (strncmp(l.text + i, text, (size_t)length) == 0) return true;
    return false;
}

/* --- likwid -------------------------------------------------------------------------------------- */

/* The sum of the numbers behind the name; a dash stands for a counter that was not there. */
static bool sum_of_fields(line l, double *sum)
{
    int fields = 0;
    const char *at = memchr(l.text, ',', (size_t)l.length), *end = l.text + l.length;
    *sum = 0;
    while (at && at < end) {
        char *behind;
        const double value = strtod(++at, &behind);
        if (behind > at && behind <= end && value >= 0 && value < 1e15) {
            *sum += value;
            fields++;
        }
        at = memchr(at, ',', (size_t)(end - at));
    }
    return fields > 0;
}

/* Does this table hold the metrics, one column a hardware thread, of our region? */
static bool is_metric_table(line l, const char *region)
{
    char start[160];
    if (contains(l, " Metric STAT,") || !contains(l, " Metric,")) return false;
    if (!region) return starts_with(l, "TABLE,Group ");
    snprintf(start, sizeof start, "TABLE,Region %s,Group ", region);
    return starts_with(l, start);
}

/* The first line in which likwid complains, in its own words. */
static spw_status unavailable(const char *csv)
{
    line l;
    for (const char *at = csv; next_line(&at, &l);)
        if (starts_with(l, "ERROR") || contains(l, "Unsupported Processor") ||
            contains(l, "not supported") || contains(l, "No permission") ||
            contains(l, "Cannot access") || contains(l, "cannot be accessed"))
            return spw_error(SPW_ERR_UNAVAILABLE, "likwid-perfctr cannot count here: %.*s",
                             l.length < 200 ? l.length : 200, l.text);
    return SPW_OK;
}

spw_status spw_traffic_from_likwid(const char *csv, const char *region, spw_counted *t)
{
    *t = (spw_counted){.read = -1, .written = -1, .total = -1};
    bool ours = false, found = false;
    line l;
    for (const char *at = csv; next_line(&at, &l);) {
        double gigabytes;
        if (starts_with(l, "TABLE,") || starts_with(l, "STRUCT,")) {
            ours = is_metric_table(l, region);
            found = found || ours;
        }
        if (!ours || !contains(l, "data volume") || !sum_of_fields(l, &gigabytes)) continue;
        /* The names differ from CPU to CPU: write, writeback and evict are the same thing. */
        if (starts_with(l, "Memory read ") || starts_with(l, "Memory load "))
            t->read = gigabytes * 1e9;
        else if (starts_with(l, "Memory write") || starts_with(l, "Memory evict "))
            t->written = gigabytes * 1e9;
        else if (starts_with(l, "Memory data volume"))
            t->total = gigabytes * 1e9;
    }
    if (t->total < 0 && t->read >= 0 && t->written >= 0) t->total = t->read + t->written;
    if (t->total >= 0) return SPW_OK;

    *t = (spw_counted){0};
    const spw_status status = unavailable(csv);
    if (status) return status;
    if (!found)
        return spw_error(SPW_ERR_FORMAT, "likwid-perfctr printed no metrics of %s%s",
                         region ? "region " : "the run", region ? region : "");
    return spw_error(SPW_ERR_FORMAT, "likwid-perfctr's metrics have no memory data volume");
}

/* --- cachegrind ---------------------------------------------------------------------------------- */

/* Number of the word in a line of words parted by blanks, from 0; -1: not there. */
static int index_of(line l, const char *word)
{
    const int length = (int)strlen(word);
    int index = 0;
    for (int at = 0; at < l.length;) {
        while (at < l.length && l.text[at] == ' ') at++;
        const int begin = at;
        while (at < l.length && l.text[at] != ' ') at++;
        if (at - begin == length && !strncmp(l.text + begin, word, (size_t)length)) return index;
        if (at > begin) index++;
    }
    return -1;
}

static bool number_at(line l, int index, double *value)
{
    const char *at = l.text, *end = l.text + l.length;
    for (int i = 0; at < end; i++) {
        char *behind;
        const unsigned long long number = strtoull(at, &behind, 10);
        if (behind == at || behind > end) return false;
        if (i == index) {
            *value = (double)number;
            return true;
        }
        at = behind;
    }
    return false;
}

static line behind(line l, const char *prefix)
{
    const int length = (int)strlen(prefix);
    return (line){l.text + length, l.length - length};
}

spw_status spw_traffic_from_cachegrind(const char *text, spw_simulated *t)
{
    static const char cache[] = "desc: LL cache:", events[] = "events:", summary[] = "summary:";
    int reads = -1, writes = -1;
    bool summed = false;
    double read_misses = 0, write_misses = 0;
    line l;
    *t = (spw_simulated){0};
    for (const char *at = text; next_line(&at, &l);) {
        if (starts_with(l, cache)) {
            if (sscanf(l.text + strlen(cache), "%lf B, %d B,", &t->cache_size, &t->line) != 2)
                t->line = 0;
        } else if (starts_with(l, events)) {
            reads = index_of(behind(l, events), "DLmr");
            writes = index_of(behind(l, events), "DLmw");
        } else if (starts_with(l, summary) && reads >= 0 && writes >= 0) {
            summed = number_at(behind(l, summary), reads, &read_misses) &&
                     number_at(behind(l, summary), writes, &write_misses);
        }
    }
    const char *missing = t->line <= 0 ? "the size of the last-level cache"
                          : reads < 0 || writes < 0
                              ? "the misses of the last level (--cache-sim=yes)"
                          : !summed ? "the summary, its last line: was it interrupted?"
                                    : NULL;
    if (missing) {
        *t = (spw_simulated){0};
        return spw_error(SPW_ERR_FORMAT, "cachegrind's file lacks %s", missing);
    }
    t->read = read_misses * t->line;
    t->write = write_misses * t->line;
    return SPW_OK;
}

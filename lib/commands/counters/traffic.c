/* Parsers of likwid-perfctr's CSV, cachegrind's output file and ncu's CSV. */
#include "commands/counters/traffic.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One line of a text that is not changed. */
typedef struct line {
    const char *text;
    int length;
} line;

static bool next_line(const char **at, line *l) {
    if (!**at) return false;
    l->text = *at;
    const int whole = (int)strcspn(*at, "\n");
    l->length = whole > 0 && l->text[whole - 1] == '\r' ? whole - 1 : whole;
    *at += whole + ((*at)[whole] == '\n');
    return true;
}

static bool starts_with(line l, const char *text) {
    const int length = (int)strlen(text);
    return l.length >= length && strncmp(l.text, text, (size_t)length) == 0;
}

static bool contains(line l, const char *text) {
    const int length = (int)strlen(text);
    for (int i = 0; i + length <= l.length; i++)
        if (strncmp(l.text + i, text, (size_t)length) == 0) return true;
    return false;
}

/* --- likwid -------------------------------------------------------------------------------------- */

/* The sum of the numbers behind the name; a dash stands for a counter that was not there. */
static bool sum_of_fields(line l, double *sum) {
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
static bool is_metric_table(line l, const char *region) {
    char start[160];
    if (contains(l, " Metric STAT,") || !contains(l, " Metric,")) return false;
    if (!region) return starts_with(l, "TABLE,Group ");
    snprintf(start, sizeof start, "TABLE,Region %s,Group ", region);
    return starts_with(l, start);
}

/* The first line in which likwid complains, in its own words. */
static spw_status unavailable(const char *csv) {
    line l;
    for (const char *at = csv; next_line(&at, &l);)
        if (starts_with(l, "ERROR") || contains(l, "Unsupported Processor") ||
            contains(l, "not supported") || contains(l, "No permission") ||
            contains(l, "Cannot access") || contains(l, "cannot be accessed"))
            return spw_error(SPW_ERR_UNAVAILABLE, "likwid-perfctr cannot count here: %.*s",
                             l.length < 200 ? l.length : 200, l.text);
    return SPW_OK;
}

spw_status spw_traffic_from_likwid(const char *csv, const char *region, spw_counted *t) {
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
static int index_of(line l, const char *word) {
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

static bool number_at(line l, int index, double *value) {
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

static line behind(line l, const char *prefix) {
    const int length = (int)strlen(prefix);
    return (line){l.text + length, l.length - length};
}

spw_status spw_traffic_from_cachegrind(const char *text, spw_simulated *t) {
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

/* --- ncu ----------------------------------------------------------------------------------------- */

#define LSU(kind, op) "l1tex__t_" kind "_pipe_lsu_mem_global_op_" op ".sum"

/* Two metrics may make up one figure. */
static const struct {
    const char *name;
    size_t offset; /* in spw_profiled */
} metrics[] = {
    {LSU("requests", "ld"), offsetof(spw_profiled, load_requests)},
    {LSU("sectors", "ld"), offsetof(spw_profiled, load_sectors)},
    {LSU("requests", "st"), offsetof(spw_profiled, store_requests)},
    {LSU("sectors", "st"), offsetof(spw_profiled, store_sectors)},
    {LSU("requests", "atom"), offsetof(spw_profiled, atomic_requests)},
    {LSU("requests", "red"), offsetof(spw_profiled, atomic_requests)},
    {LSU("sectors", "atom"), offsetof(spw_profiled, atomic_sectors)},
    {LSU("sectors", "red"), offsetof(spw_profiled, atomic_sectors)},
    {"lts__t_sectors.sum", offsetof(spw_profiled, l2_sectors)},
    {"dram__bytes_read.sum", offsetof(spw_profiled, dram_read)},
    {"dram__bytes_write.sum", offsetof(spw_profiled, dram_written)},
};
enum { N_METRICS = sizeof metrics / sizeof metrics[0], FIELD = 512 };

const char *spw_traffic_ncu_metrics(void) {
    static char all[1024];
    int used = 0;
    for (int m = 0; m < N_METRICS; m++)
        used +=
            snprintf(all + used, sizeof all - (size_t)used, "%s%s", m ? "," : "", metrics[m].name);
    return all;
}

/* The next field of a line of CSV, in quotes or not, into text[FIELD]; "" in quotes is a quote. */
static bool next_field(line *l, char *text) {
    int at = 0, length = 0;
    if (l->length <= 0) return false;
    const bool quoted = l->text[0] == '"';
    for (at = quoted; at < l->length; at++) {
        const char c = l->text[at];
        if (quoted && c == '"') {
            if (at + 1 >= l->length || l->text[at + 1] != '"') break;
            at++;
        } else if (!quoted && c == ',') {
            break;
        }
        if (length < FIELD - 1) text[length++] = c;
    }
    text[length] = 0;
    at += quoted;                               /* the closing quote */
    at += at < l->length && l->text[at] == ','; /* the comma behind it */
    l->text += at;
    l->length -= at;
    return true;
}

/* "1,234.5" with the unit "Kbyte" is 1234500; -1: no number. */
static double ncu_number(const char *text, const char *unit) {
    char digits[64];
    size_t n = 0;
    for (; *text && n < sizeof digits - 1; text++)
        if (*text != ',') digits[n++] = *text;
    digits[n] = 0;
    char *end;
    const double value = strtod(digits, &end);
    if (end == digits || *end || !(value >= 0)) return -1;
    const double scale = strncmp(unit, "Kbyte", 5) == 0   ? 1e3
                         : strncmp(unit, "Mbyte", 5) == 0 ? 1e6
                         : strncmp(unit, "Gbyte", 5) == 0 ? 1e9
                                                          : 1;
    return value * scale;
}

/* Where the columns are that we need. */
typedef struct columns {
    int id, kernel, metric, unit, value;
} columns;

static bool read_header(line l, columns *c) {
    char field[FIELD];
    *c = (columns){-1, -1, -1, -1, -1};
    for (int k = 0; next_field(&l, field); k++) {
        if (strcmp(field, "ID") == 0) c->id = k;
        if (strcmp(field, "Kernel Name") == 0) c->kernel = k;
        if (strcmp(field, "Metric Name") == 0) c->metric = k;
        if (strcmp(field, "Metric Unit") == 0) c->unit = k;
        if (strcmp(field, "Metric Value") == 0) c->value = k;
    }
    return c->id >= 0 && c->kernel >= 0 && c->metric >= 0 && c->unit >= 0 && c->value >= 0;
}

typedef struct launch_row {
    char id[32], kernel[SPW_PROFILED_NAME], metric[FIELD], unit[32];
    double value;
} launch_row;

static void keep(char *to, size_t size, const char *field) {
    snprintf(to, size, "%.*s", (int)size - 1, field);
}

static bool read_row(line l, const columns *c, launch_row *row) {
    char field[FIELD], value[FIELD] = "";
    *row = (launch_row){.value = -1};
    for (int k = 0; next_field(&l, field); k++) {
        if (k == c->id) keep(row->id, sizeof row->id, field);
        if (k == c->kernel) {
            field[strcspn(field, "<(")] = 0;
            keep(row->kernel, sizeof row->kernel, field);
        }
        if (k == c->metric) keep(row->metric, sizeof row->metric, field);
        if (k == c->unit) keep(row->unit, sizeof row->unit, field);
        if (k == c->value) keep(value, sizeof value, field);
    }
    row->value = ncu_number(value, row->unit);
    return row->id[0] && row->kernel[0] && row->metric[0];
}

/* The entry of that kernel, made if there is none; NULL: no room. */
static spw_profiled *entry_of(const char *kernel, spw_profiled *kernels, int max, int *n) {
    for (int k = 0; k < *n; k++)
        if (strcmp(kernels[k].kernel, kernel) == 0) return &kernels[k];
    if (*n == max) return NULL;
    spw_profiled *p = &kernels[(*n)++];
    *p = (spw_profiled){.launches = 0};
    keep(p->kernel, sizeof p->kernel, kernel);
    for (int m = 0; m < N_METRICS; m++) *(double *)((char *)p + metrics[m].offset) = -1;
    return p;
}

static void add_metric(spw_profiled *p, const launch_row *row) {
    for (int m = 0; m < N_METRICS; m++) {
        double *figure = (double *)((char *)p + metrics[m].offset);
        if (strcmp(row->metric, metrics[m].name) != 0 || row->value < 0) continue;
        *figure = (*figure < 0 ? 0 : *figure) + row->value;
    }
}

/* What ncu complains of, in its own words. */
static spw_status ncu_failure(const char *csv) {
    line l;
    for (const char *at = csv; next_line(&at, &l);)
        if (starts_with(l, "==ERROR==") || contains(l, "No kernels were profiled"))
            return spw_error(SPW_ERR_UNAVAILABLE, "ncu cannot count here: %.*s",
                             l.length < 200 ? l.length : 200, l.text);
    return spw_error(SPW_ERR_FORMAT, "ncu printed no table of metrics");
}

spw_status spw_traffic_from_ncu(const char *csv, spw_profiled *kernels, int max, int *n) {
    columns c;
    launch_row row;
    char last[sizeof row.id] = "";
    bool header = false;
    line l;
    *n = 0;
    for (const char *at = csv; next_line(&at, &l);) {
        if (!header) {
            header = starts_with(l, "\"ID\",") && read_header(l, &c);
            continue;
        }
        if (!starts_with(l, "\"") || !read_row(l, &c, &row)) continue;
        spw_profiled *p = entry_of(row.kernel, kernels, max, n);
        if (!p) return spw_error(SPW_ERR_FORMAT, "ncu saw more than %d kernels", max);
        if (strcmp(last, row.id) != 0) p->launches++;
        keep(last, sizeof last, row.id);
        add_metric(p, &row);
    }
    return *n > 0 ? SPW_OK : ncu_failure(csv);
}

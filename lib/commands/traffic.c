/* commands/traffic.c -- prints counted traffic beside the model's. lib/commands/traffic.sh runs it, as the
 * last step of `make traffic-N`:
 *
 *   traffic likwid MODEL FUNCTION CALLS CSV...
 *   traffic cachegrind MODEL FUNCTION FEW FILE MANY FILE
 *
 * MODEL is what a judge printed under --traffic: lines of a name and a value, "function" first. CSV are
 * outputs of `likwid-perfctr -m -O`, several where a CPU needs several groups to see all its channels.
 * FEW and MANY are numbers of calls and FILE what cachegrind wrote then: the difference is what the
 * calls cost, without start-up and set-up. Exit status: 0, 1 with one line of what went wrong, or 3
 * where likwid cannot count on this machine. */
#include "base/memory.h"
#include "perf/cost.h"
#include "commands/command.h"
#include "commands/counters/traffic.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNAVAILABLE = 3 };

typedef struct model {
    char function[64], name[64]; /* name: the case */
    double working_set;
    spw_cost cost;
} model;

/* The model of one function in the judge's output. */
static int read_model(const char *path, const char *function, model *m) {
    char line[512], word[64];
    int ours = 0, numbers = 0;
    FILE *file = fopen(path, "r");
    if (!file) return cannot("traffic", "read", path);
    *m = (model){0};
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "function %63s", word) == 1) ours = strcmp(word, function) == 0;
        if (!ours) continue;
        (void)sscanf(line, "function %63s", m->function);
        (void)sscanf(line, "case %63[^\n]", m->name);
        numbers += sscanf(line, "working_set_bytes %lf", &m->working_set) == 1;
        numbers += sscanf(line, "model_load_bytes %lf", &m->cost.load) == 1;
        numbers += sscanf(line, "model_store_bytes %lf", &m->cost.store) == 1;
    }
    fclose(file);
    return numbers == 3 ? 0 : complain(1, "traffic", "the judge told no model of %s", function);
}

static void print_row(const char *what, double measured, double expected) {
    printf("   %-28s %10.3f MB %10.3f MB", what, measured * 1e-6, expected * 1e-6);
    if (expected > 0) printf(" %8.2f", measured / expected);
    printf("\n");
}

static void print_head(const model *m, const char *how) {
    printf(" %s, case %s, working set %.1f MB\n   %s\n", m->function, m->name,
           m->working_set * 1e-6, how);
    printf("   %-28s %13s %13s %8s\n", "a call", "measured", "model", "ratio");
}

static int within(double value, double expected, double share) {
    return fabs(value - expected) <= share * expected;
}

static void explain_surplus(double measured, double expected) {
    if (within(measured, expected, 0.05))
        printf("   What the model says is what moves.\n");
    else if (measured > expected)
        printf("   More than the model by %.1f %%: data that is fetched again after the cache has "
               "lost\n"
               "   it, or lines of which only a part is used.\n",
               100 * (measured / expected - 1));
    else
        printf("   Less than the model by %.1f %%: some of the data was still in the cache.\n",
               100 * (1 - measured / expected));
}

/* --- likwid -------------------------------------------------------------------------------------- */

static int show_likwid(const model *m, double calls, int n_files, char **files) {
    spw_counted sum = {0};
    for (int i = 0; i < n_files; i++) {
        char *text = read_whole("traffic", files[i]);
        spw_counted t;
        if (!text) return 1;
        const spw_status status = spw_traffic_from_likwid(text, "kernel", &t);
        spw_free(text);
        if (status) {
            return complain(status == SPW_ERR_UNAVAILABLE ? UNAVAILABLE : 1, "traffic", "%s",
                            spw_message());
        }
        sum.total += t.total / calls;
        sum.read = t.read < 0 || sum.read < 0 ? -1 : sum.read + t.read / calls;
        sum.written = t.written < 0 || sum.written < 0 ? -1 : sum.written + t.written / calls;
    }
    char how[160];
    snprintf(how, sizeof how, "counted by the memory controllers (likwid-perfctr) over %.0f calls",
             calls);
    print_head(m, how);
    if (sum.read >= 0) print_row("read", sum.read, m->cost.load);
    if (sum.written >= 0) print_row("written", sum.written, m->cost.store);
    const double bytes = spw_cost_bytes(m->cost);
    print_row("together", sum.total, bytes);
    if (m->cost.store > 0 && within(sum.total, bytes + m->cost.store, 0.05))
        printf(
            "   The surplus is the write-allocate: each line is read before it is overwritten.\n");
    else
        explain_surplus(sum.total, bytes);
    return 0;
}

/* --- cachegrind ---------------------------------------------------------------------------------- */

static int read_simulated(const char *path, spw_simulated *t) {
    char *text = read_whole("traffic", path);
    if (!text) return 1;
    const spw_status status = spw_traffic_from_cachegrind(text, t);
    spw_free(text);
    return status ? complain(1, "traffic", "%s", spw_message()) : 0;
}

static int show_cachegrind(const model *m, double few, const char *file_few, double many,
                           const char *file_many) {
    spw_simulated a, b;
    if (read_simulated(file_few, &a) || read_simulated(file_many, &b)) return 1;
    const double read = (b.read - a.read) / (many - few);
    const double write = (b.write - a.write) / (many - few);
    char how[160];
    snprintf(how, sizeof how, "simulated by cachegrind: one thread, last-level cache of %.3g MiB",
             a.cache_size / (1 << 20));
    print_head(m, how);
    print_row("lines fetched by reads", read, m->cost.load);
    print_row("lines fetched by writes", write, m->cost.store);
    const double bytes = spw_cost_bytes(m->cost);
    print_row("together", read + write, bytes);
    if (m->cost.store > 0)
        printf("   A line that is written is fetched first: the write-allocate. What is written "
               "back later\n"
               "   (%.3f MB by the model) cachegrind does not count.\n",
               m->cost.store * 1e-6);
    explain_surplus(read + write, bytes);
    return 0;
}

static double count_of(const char *text) {
    char *end;
    const double count = strtod(text, &end);
    return end != text && *end == 0 && count >= 0 && count < 1e9 ? count : -1;
}

int main(int argc, char **argv) {
    const int likwid = argc >= 6 && strcmp(argv[1], "likwid") == 0;
    const int cachegrind = argc == 8 && strcmp(argv[1], "cachegrind") == 0;
    if (!likwid && !cachegrind)
        return complain(1, "traffic", "%s",
                        "usage: traffic likwid MODEL FUNCTION CALLS CSV... | "
                        "traffic cachegrind MODEL FUNCTION FEW FILE MANY FILE");
    model m;
    if (read_model(argv[2], argv[3], &m)) return 1;
    const double calls = count_of(argv[4]);
    if (likwid) {
        if (calls < 1) return complain(1, "traffic", "'%s' is no number of calls", argv[4]);
        return show_likwid(&m, calls, argc - 5, argv + 5);
    }
    const double many = count_of(argv[6]);
    if (calls < 0 || many <= calls)
        return complain(1, "traffic", "'%s' is no larger number of calls", argv[6]);
    return show_cachegrind(&m, calls, argv[5], many, argv[7]);
}

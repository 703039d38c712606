#include "commands/bench/report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void set_text(char text[BENCH_TEXT], const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(text, BENCH_TEXT, format, args);
    va_end(args);
}

static bool reached(const result *r) {
    const double figure = r->share > 0 ? r->share : r->value;
    return r->at_most ? figure <= r->goal : figure >= r->goal;
}

static void print_goal(const bench *b, const result *r) {
    if (r->goal <= 0 || b->quick) return;
    const char *bound = r->at_most ? "at most " : "";
    if (r->share > 0)
        printf("  goal %s%2.0f %%", bound, 100 * r->goal);
    else
        printf("  goal %s%.0f", bound, r->goal);
    printf(" %s", reached(r) ? "yes" : "NO");
}

void report(bench *b, result r) {
    printf("  %-43s %7.*f %-5s", r.kernel, r.value < 10 ? 3 : 1, r.value, r.unit);
    if (r.is_roof) printf("  roof");
    if (r.share > 0) printf(" %4.0f %% [%3.0f..%3.0f]", 100 * r.share, 100 * r.low, 100 * r.high);
    if (r.note && *r.note) printf("  %s", r.note);
    print_goal(b, &r);
    printf("\n");
    fflush(stdout);
    keep_result(b, r);
}

/* As long as the program runs. */
static const char *kept(const char *text) {
    const char *copy = text ? strdup(text) : NULL;
    return copy ? copy : "";
}

void keep_result(bench *b, result r) {
    if (b->n_results == BENCH_RESULTS_MAX) return;
    r.group = kept(r.group);
    r.subject = kept(r.subject);
    r.kernel = kept(r.kernel);
    r.note = kept(r.note);
    b->results[b->n_results++] = r;
}

void summarise(const bench *b) {
    int goals = 0, met = 0;
    for (int k = 0; k < b->n_results; k++) {
        if (b->results[k].goal <= 0) continue;
        goals++;
        met += reached(&b->results[k]);
    }
    if (goals == 0 || b->quick) return;
    printf("\n%d of %d goals reached%s\n", met, goals, met < goals ? "; missed:" : "");
    for (int k = 0; k < b->n_results; k++) {
        const result *r = &b->results[k];
        if (r->goal <= 0 || reached(r)) continue;
        printf("  %s, %s: %s", r->group, r->subject, r->kernel);
        if (r->share > 0)
            printf(", %.0f of %s%.0f %%\n", 100 * r->share, r->at_most ? "at most " : "",
                   100 * r->goal);
        else
            printf(", %.3g of %s%.3g %s\n", r->value, r->at_most ? "at most " : "", r->goal,
                   r->unit);
    }
}

int check_out(const bench *b) {
    char partial[4096];
    snprintf(partial, sizeof partial, "%s.partial", b->out);
    FILE *file = fopen(partial, "w");
    if (!file) return fail("%s: %s", partial, strerror(errno));
    fclose(file);
    remove(partial);
    return 0;
}

int write_results(const bench *b, const spw_topology *machine) {
    char partial[4096], date[16];
    snprintf(partial, sizeof partial, "%s.partial", b->out);
    FILE *file = fopen(partial, "w");
    if (!file) return fail("%s: %s", partial, strerror(errno));
    fprintf(file, "date\tmachine\tthreads\tgroup\tsubject\tkernel\tvalue\tunit\tbytes\tshare\tlow\t"
                  "high\tgoal\treached\tnote\n");
    for (int k = 0; k < b->n_results; k++) {
        const result *r = &b->results[k];
        fprintf(file,
                "%s\t%s\t%d\t%s\t%s\t%s%s\t%.4g\t%s\t%.0f\t%.4f\t%.4f\t%.4f\t%s%.4g\t%s\t%s\n",
                today(date), machine->cpu, b->threads, r->group, r->subject,
                r->is_roof ? "roof: " : "", r->kernel, r->value, r->unit, r->bytes, r->share,
                r->low, r->high, r->at_most ? "<" : "", r->goal,
                r->goal <= 0 || b->quick ? "-"
                : reached(r)             ? "yes"
                                         : "no",
                r->note);
    }
    const bool bad = ferror(file);
    if (fclose(file) || bad || rename(partial, b->out)) {
        const int error = errno;
        remove(partial);
        return fail("%s: %s", b->out, strerror(error));
    }
    printf("\nKept in %s\n", b->out);
    return 0;
}

/* What the judge prints. 80 columns; colour, where there is any, never says more than the words. */
#include "judge/record.h"

#include "perf/roofline.h"

#include <dirent.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *colour(const char *verdict) {
    const char *no = getenv("NO_COLOR");
    if ((no && *no) || !isatty(STDOUT_FILENO)) return NULL;
    if (strcmp(verdict, "ok") == 0) return "\033[32m";
    return strcmp(verdict, "FAIL") == 0 ? "\033[31m" : "\033[33m";
}

bool spw_is_learners(const spw_judgement *j) {
    return j->options.source && strncmp(j->options.source, "exercises/", 10) == 0;
}

/* Where to edit first: the first function that is not written. Of one that fails its failure tells. */
void spw_report_title(const spw_judgement *j) {
    char right[128] = "";
    int line = 0, columns = 0;
    const spw_exercise *exercise = j->exercise;
    for (int p = 0; p < exercise->n_parts; p++) {
        const char *const names[2] = {exercise->parts[p].model, exercise->parts[p].function};
        for (int m = 0; m < 2; m++) {
            const int at = names[m] ? spw_answer_line(&j->answer, names[m]) : 0;
            const bool open = at && !spw_answer_has(&j->answer, names[m]);
            if (open && (!line || at < line)) line = at;
        }
    }
    if (j->options.source)
        snprintf(right, sizeof right, "%s%s", spw_is_learners(j) ? "edit: " : "",
                 j->options.source);
    if (j->options.source && line) spw_append(right, sizeof right, ":%d", line);
    for (const char *c = j->title; *c; c++) columns += (*c & 0xC0) != 0x80; /* UTF-8 */
    const int gap = 79 - columns - (int)strlen(right);
    if (!right[0])
        printf("%s\n", j->title);
    else if (gap > 0)
        printf("%s%*s%s\n", j->title, gap, "", right);
    else
        printf("%s\n  %s\n", j->title, right);
}

void spw_report_place(const spw_judgement *j, const char *function) {
    const int line = function ? spw_answer_line(&j->answer, function) : 0;
    if (spw_is_learners(j) && line)
        spw_report_text("   edit:  %s:%d, %s\n", j->options.source, line, function);
}

void spw_report_line(const char *check, const char *verdict, const char *format, ...) {
    const char *on = colour(verdict);
    char text[SPW_TEXT * 2];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    printf(" %-8s %s%-6s%s %s\n", check, on ? on : "", verdict, on ? "\033[0m" : "", text);
    fflush(stdout);
    spw_record_check(check, verdict, text);
}

void spw_report_text(const char *format, ...) {
    char text[SPW_TEXT * 2];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fputs(text, stdout);
    spw_record_text(text);
}

void spw_report_indented(const char *lines) {
    spw_record_text(lines);
    while (*lines) {
        const size_t length = strcspn(lines, "\n");
        printf("   %.*s\n", (int)length, lines);
        lines += length + (lines[length] == '\n');
    }
}

static const char *seconds(double t, char *out, size_t size) {
    if (t >= 1)
        snprintf(out, size, "%.2f s ", t);
    else if (t >= 1e-3)
        snprintf(out, size, "%.*f ms", t >= 0.1 ? 0 : t >= 0.01 ? 1 : 2, t * 1e3);
    else
        snprintf(out, size, "%.1f µs", t * 1e6);
    return out;
}

/* Shares below 10 % have a digit more: of "5 % [5..6], goal 5 %" nobody can say which side it is on. */
static int digits(double share) { return share < 0.0995; }

static void row(const char *label, double time, spw_cost cost, double share, const char *rest) {
    char t[32];
    const double work = cost.flop > 0 ? cost.flop : spw_cost_bytes(cost);
    const int width = time < 1e-3 ? 11 : 10; /* bytes: µ has two */
    printf("   %-18s %*s %8.2f %s", label, width, seconds(time, t, sizeof t), work / time * 1e-9,
           cost.flop > 0 ? "Gflop/s" : "GB/s   ");
    if (share > 0) printf("  %4.*f %%", digits(share), 100 * share);
    printf("%s%s\n", *rest ? " " : "", rest);
}

void spw_report_speed(const spw_judgement *j, int part) {
    const spw_part_speed *s = &j->shared->speed[part];
    const spw_part *p = &j->exercise->parts[part];
    char rest[64];
    const char *verdict = s->verdict == SPW_PASS ? "ok" : s->verdict == SPW_SLOW ? "FAIL" : "?";
    const bool several = j->exercise->n_parts > 1;
    spw_report_line("FAST", verdict, "%s%s%s%s", several ? p->function : "", several ? ": " : "",
                    s->facts, s->on_gpu ? ", measured on the GPU" : "");

    const double roof = spw_roofline_time(s->cost, s->bandwidth, s->peak);
    const bool memory = spw_cost_bytes(s->cost) / s->bandwidth >= s->cost.flop / s->peak;
    printf("   %-18s %.4g MB, %.3g Mflop, %.3f flop/byte: %s-bound\n", "one call",
           spw_cost_bytes(s->cost) * 1e-6, s->cost.flop * 1e-6, spw_cost_intensity(s->cost),
           memory ? "memory" : "compute");
    printf("   %-18s %.1f GB/s (%s)\n", s->on_gpu ? "this GPU, now" : "this machine, now",
           s->bandwidth * 1e-9, s->probe_text);
    row("roofline", roof, s->cost, 0, "");
    if (s->time[4] > 0) row(p->peer.label, s->time[4], s->cost, s->e_rival[4], "");
    if (s->time[3] > 0) row("library's best", s->time[3], s->cost, s->e_rival[3], "stretch goal");
    row("reference", s->time[1], s->cost, s->e_rival[1], "");
    if (s->time[2] > 0) row(p->baseline.label, s->time[2], s->cost, s->e_rival[2], "");
    snprintf(rest, sizeof rest, "[%.*f..%.*f]  goal %.*f %%", digits(s->e_low), 100 * s->e_low,
             digits(s->e_high), 100 * s->e_high, digits(s->target), 100 * s->target);
    row("yours", s->time[0], s->cost, s->e, rest);

    enum { WIDTH = 60 };
    char bar[WIDTH + 1];
    const int filled = (int)(fmin(s->e, 1) * WIDTH + 0.5),
              goal = (int)(fmin(s->target, 1) * (WIDTH - 1));
    for (int k = 0; k < WIDTH; k++) bar[k] = k == goal ? ':' : k < filled ? '#' : '.';
    bar[WIDTH] = 0;
    printf("   |%s| 100 %%\n", bar);
    if (!s->on_gpu) return;
    char there[32], back[32];
    printf("   %-18s %s there (%.1f GB/s), %s back (%.1f GB/s)\n", "copies, not in it",
           seconds(s->to_device, there, sizeof there), s->bytes_to / s->to_device * 1e-9,
           seconds(s->from_device, back, sizeof back), s->bytes_from / s->from_device * 1e-9);
}

/* What scattered, and what can be seen of the reason. */
static void why_scattered(const spw_part_speed *s) {
    const bool memory = spw_cost_bytes(s->cost) / s->bandwidth >= s->cost.flop / s->peak;
    char probe[64] = "";
    if (memory) snprintf(probe, sizeof probe, ", the probe's %.0f %%", 100 * s->scatter);
    spw_report_text("          Scatter: yours %.0f %%, the reference's %.0f %%%s.\n",
                    100 * s->scatter_of[0], 100 * s->scatter_of[1], probe);
    if (s->on_gpu)
        spw_report_text("          Does another program use this GPU?\n");
    else if (s->others + s->stolen > 0.05)
        spw_report_text(
            "          Other programs took %.0f %% of the processors, the hypervisor %.0f %%.\n",
            100 * s->others, 100 * s->stolen);
    else
        spw_report_text(
            "          No other program took the processors. What it was cannot be seen from\n"
            "          here: a neighbour's use of memory or caches, or the clock frequency?\n");
}

/* Of a part without a verdict. */
static void why_none(const spw_judgement *j, int part) {
    const spw_part_speed *s = &j->shared->speed[part];
    const double taken = 100 * (s->others + s->stolen);
    char theirs[32], plain[32];
    switch (s->reason) {
    case SPW_ABOVE_ROOF:
        spw_report_text(
            " WHY      Faster than the roof beyond the noise: that is a question, not glory.\n"
            "          Do the call's data lie in a cache, which the probe's %.3g MB do not?\n"
            "          Does the model count too much? Is work not done? As long as it is open\n"
            "          there is no verdict.\n",
            1e-6 * s->probe_bytes);
        if (s->e_rival[1] > 1.05)
            spw_report_text(
                "          The reference is above it, too (%.0f %%): a cache is likely.\n",
                100 * s->e_rival[1]);
        break;
    case SPW_BASELINE_WINS:
        spw_report_text(
            " WHY      No verdict: the reference (%s) does not beat here what it should,\n"
            "          \"%s\" (%s): to be near it shows nothing.\n",
            seconds(s->time[1], theirs, sizeof theirs), j->exercise->parts[part].baseline.label,
            seconds(s->time[2], plain, sizeof plain));
        if (taken > 5)
            spw_report_text(
                "          Others took %.0f %% of the processors: at a barrier all threads\n"
                "          wait for the one whose processor is busy.\n",
                taken);
        break;
    case SPW_ONE_THREAD:
        spw_report_text(
            " WHY      No verdict: one thread did the work (%.1f of %d processors were busy),\n"
            "          and others took %.0f %% of the processors, which costs one thread less\n"
            "          than all. Share the work among the threads.\n",
            s->busy, j->all_threads, taken);
        break;
    case SPW_BLOCKS_DISAGREE:
        spw_report_text(
            " WHY      No verdict: slow by its quartile, but beside the reference only in\n"
            "          %d of %d blocks.\n",
            s->slower_in, s->blocks);
        why_scattered(s);
        break;
    case SPW_GOAL_WITHIN:
        spw_report_text(
            " WHY      No verdict: after %d blocks the goal still lies within the interval.\n",
            s->blocks);
        why_scattered(s);
    }
}

/* "1.73 M" */
static const char *number(double n, char *out, size_t size) {
    snprintf(out, size, n < 1e6 ? "%.0f" : "%.3g M", n < 1e6 ? n : n * 1e-6);
    return out;
}

/* How the threads were used, which is counted: judge/teams.h. */
static bool told_by_teams(const spw_judgement *j, const spw_part_speed *s) {
    const spw_teams *teams = &s->teams;
    char n[32];
    if (spw_all_did_all(j, teams)) {
        spw_report_text(
            " WHY      Every thread does all of it: %.1f of %d processors were busy with the\n"
            "          same work. `parallel` alone divides nothing: `parallel for` does.\n",
            s->busy, j->all_threads);
    } else if (teams->regions > 100 && s->time[0] < 50e-6 * (double)teams->regions) {
        spw_report_text(
            " WHY      In one call threads were started and gathered in %s times, each time\n"
            "          for %.2g us: the pragma stands inside a loop. It belongs outside, in\n"
            "          front of the loop over all the work.\n",
            number((double)teams->regions, n, sizeof n), 1e6 * s->time[0] / (double)teams->regions);
    } else if (teams->chunks > 0 && s->time[0] * j->all_threads < 1e-6 * (double)teams->chunks) {
        spw_report_text(
            " WHY      schedule(dynamic) handed the work out in %s pieces of %ld, one each\n"
            "          %.2g ns: the threads wait for the counter. schedule(static) needs none;\n"
            "          schedule(dynamic, 1000) asks it more rarely.\n",
            number((double)teams->chunks, n, sizeof n), teams->chunk,
            1e9 * s->time[0] / (double)teams->chunks);
    } else {
        return false;
    }
    return true;
}

/* Is each thread as fast as additions, or multiply-adds, that wait for each other? */
static bool told_by_chain(const spw_part_speed *s, int flops) {
    const double rate = flops ? s->cost.flop / flops / s->time[0] / s->busy : 0;
    for (int k = 0; k < flops; k++) {
        if (s->chain[k] <= 0 || fabs(rate / s->chain[k] - 1) > 0.2) continue;
        spw_report_text(
            " WHY      Each thread adds %.2f numbers a ns. %s, each waiting for the one\n"
            "          before, come to %.2f here: the sum is one chain of them. Several sums at\n"
            "          a time do not wait: `simd reduction(+ : ...)`.\n",
            rate * 1e-9, k ? "Multiply-adds" : "Additions", s->chain[k] * 1e-9);
        return true;
    }
    return false;
}

static void why_slow(const spw_judgement *j, const spw_part *p, const spw_part_speed *s) {
    const double rate = spw_cost_bytes(s->cost) / s->time[0];
    if (told_by_teams(j, s) || told_by_chain(s, p->sum_of)) return;
    if (s->reason == SPW_ONE_THREAD)
        spw_report_text(
            " WHY      One thread did the work: %.1f of %d processors were busy. ONE core\n"
            "          alone loads %.1f of %.1f GB/s here, so the time says little; but the\n"
            "          exercise asks for all threads.\n",
            s->busy, j->all_threads, s->one_core * 1e-9, s->bandwidth * 1e-9);
    else if (s->one_core > 0 && s->one_thread && s->teams.regions > 0)
        spw_report_text(
            " WHY      One thread had nearly all of the processor time, %.1f of %d processors\n"
            "          were busy: is the work uneven, or were other programs in the way?\n",
            s->busy, j->all_threads);
    else if (s->one_core > 0 && s->one_thread)
        spw_report_text(" WHY      %.1f GB/s is %.0f %% of what ONE core can load here (%.1f).\n"
                        "          One thread did the work: %.1f of %d processors were busy.\n",
                        rate * 1e-9, 100 * rate / s->one_core, s->one_core * 1e-9, s->busy,
                        j->all_threads);
    else if (p->baseline.why && s->time[0] > 0.7 * s->time[2] && s->time[0] < 1.6 * s->time[2])
        spw_report_text(" WHY      \"%s\" beside it takes %.3g ms, yours %.3g.\n          %s\n",
                        p->baseline.label, 1e3 * s->time[2], 1e3 * s->time[0], p->baseline.why);
    else if (s->time[2] > 0 && s->time[0] > 0.85 * s->time[2] && s->busy > 1.35)
        spw_report_text(
            " WHY      It is as slow as the plain loop beside it, yet %.1f of %d processors\n"
            "          were busy: threads wait for each other (atomic, critical), or fight for\n"
            "          cache lines (neighbours written by different threads).\n",
            s->busy, j->all_threads);
    else if (s->cost.flop / s->peak > spw_cost_bytes(s->cost) / s->bandwidth)
        spw_report_text(
            " WHY      %.1f Gflop/s, where arithmetic allows %.1f: it waits for operands. How\n"
            "          many flops does it get from what it loads? Does its inner loop fill\n"
            "          whole vectors?\n",
            s->cost.flop / s->time[0] * 1e-9, s->peak * 1e-9);
    else
        spw_report_text(" WHY      %.1f GB/s by the model. %s\n", rate * 1e-9,
                        p->slow ? p->slow : "Nothing that was measured says why it is not more.");
}

/* From arithmetic, where some fits. */
void spw_report_why(const spw_judgement *j, int part) {
    const spw_part_speed *s = &j->shared->speed[part];
    if (s->verdict == SPW_NO_VERDICT)
        why_none(j, part);
    else if (s->verdict == SPW_SLOW && s->on_gpu)
        spw_report_text(
            " WHY      %.1f GB/s by the model. Does it move more than the model says (see the\n"
            "          table)? Are there enough threads, with enough loads on the way?\n"
            "          Does it wait in its host code?\n",
            spw_cost_bytes(s->cost) / s->time[0] * 1e-9);
    else if (s->verdict == SPW_SLOW)
        why_slow(j, &j->exercise->parts[part], s);
}

/* The number of the next exercise that is there, 0: none. */
static int next_exercise(int number) {
    int next = 0;
    DIR *directory = opendir("exercises");
    if (!directory) return 0;
    for (const struct dirent *d; (d = readdir(directory));) {
        const int n = atoi(d->d_name);
        if (n > number && (!next || n < next)) next = n;
    }
    closedir(directory);
    return next;
}

static bool has_gpu_part(const char *folder) {
    char path[512];
    snprintf(path, sizeof path, "%s/driver_gpu.c", folder);
    return access(path, R_OK) == 0;
}

/* The hints of what failed, while there are some that were not read yet. */
static void next_hint(const spw_judgement *j) {
    const char *function = j->exercise->n_parts > 1 ? spw_record_failed() : NULL;
    FILE *file = j->options.hints ? fopen(j->options.hints, "r") : NULL;
    char name[64];
    int shown, most = 0;
    while (file && fscanf(file, "%63s %d", name, &shown) == 2)
        if ((!function || strcmp(name, function) == 0) && shown > most) most = shown;
    if (file) fclose(file);
    if (most >= 3)
        printf(" NEXT     you have seen all hints: make diff-%s, your file beside the solution\n",
               j->goal);
    else
        printf(" NEXT     make hint-%s%s%s\n", j->goal, function ? " FOR=" : "",
               function ? function : "");
}

/* Is it why a part has no verdict? */
static bool has_reason(const spw_judgement *j, spw_reason reason) {
    for (int p = 0; p < j->exercise->n_parts; p++) {
        const spw_part_speed *s = &j->shared->speed[p];
        if (s->measured && s->verdict == SPW_NO_VERDICT && s->reason == reason) return true;
    }
    return false;
}

void spw_report_next(const spw_judgement *j, spw_verdict verdict) {
    if (j->uncompiled && verdict == SPW_WRONG) {
        printf(" NEXT     mend the first error above; later ones often follow from it\n");
        return;
    }
    if (!spw_is_learners(j)) return;
    const int next = next_exercise(j->number);
    switch (verdict) {
    case SPW_PASS:
        printf(" NEXT     ");
        if (!j->whole) {
            printf("make exercise-%s, now %s\n", j->goal,
                   j->options.case_name          ? "all cases"
                   : j->options.matrix           ? "without MATRIX: that counts"
                   : j->exercise->own_check_name ? "all checks"
                                                 : "timed");
            break;
        }
        if (!j->exercise->gpu && has_gpu_part(j->options.folder))
            printf("make exercise-%d-gpu, its GPU part,\n          ", j->number);
        if (next) printf("make exercise-%d, or ", next);
        printf("the questions in %s/README%s.md\n", j->options.folder,
               j->exercise->gpu ? "_gpu" : "");
        break;
    case SPW_NOT_WRITTEN:
        printf(" NEXT     read %s/README%s.md, edit, then make exercise-%s\n", j->options.folder,
               j->exercise->gpu ? "_gpu" : "", j->goal);
        break;
    case SPW_WRONG:
    case SPW_SLOW: next_hint(j); break;
    case SPW_NO_VERDICT:
        if (has_reason(j, SPW_ONE_THREAD)) {
            next_hint(j);
            break;
        }
        if (has_reason(j, SPW_ABOVE_ROOF)) {
            printf(" NEXT     answer the question above, then make exercise-%s again\n", j->goal);
            break;
        }
        printf(" NEXT     let the machine rest, then make exercise-%s again: nothing is "
               "lost\n",
               j->goal);
        break;
    case SPW_FAULT: break;
    }
}

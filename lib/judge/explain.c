#include "judge/explain.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The output under comparison, seen as doubles whatever its type. */
typedef struct view {
    const spw_array *a;
    const spw_expectation *e;
    double largest; /* of what is expected */
    int threads;
} view;

static double got(view v, int64_t i) { return spw_entry(v.a, v.a->data, i); }

static double expected(view v, int64_t i) { return spw_entry(v.a, v.e->expected, i); }

static double tolerance(view v, int64_t i) { return v.e->tolerance ? v.e->tolerance[i] : 0; }

/* NaN is outside every tolerance. */
static bool near(double x, double y, double tol) { return fabs(x - y) <= tol; }

static bool right(view v, int64_t i) { return near(got(v, i), expected(v, i), tolerance(v, i)); }

static bool untouched(view v, int64_t i) {
    return v.a->role == SPW_OUTPUT && got(v, i) == spw_poison_of(v.a, i);
}

/* --- patterns: each is asked of every wrong entry -------------------------------------------------- */

typedef bool (*pattern)(view v, int64_t i);

static bool added_to(view v, int64_t i) {
    return v.a->role == SPW_OUTPUT &&
           near(got(v, i), spw_poison_of(v.a, i) + expected(v, i), 1e-9 + 4 * tolerance(v, i));
}

static bool twice(view v, int64_t i) {
    return expected(v, i) != 0 && near(got(v, i), 2 * expected(v, i), 4 * tolerance(v, i));
}

/* An index that is twice as large would be a coincidence. */
static bool once_a_thread(view v, int64_t i) {
    return v.threads > 1 && v.a->type == SPW_DOUBLE && expected(v, i) != 0 &&
           near(got(v, i), v.threads * expected(v, i), 4 * v.threads * tolerance(v, i));
}

static bool negative(view v, int64_t i) {
    return expected(v, i) != 0 && near(got(v, i), -expected(v, i), tolerance(v, i));
}

static bool shifted_down(view v, int64_t i) {
    return i > 0 && near(got(v, i), expected(v, i - 1), tolerance(v, i - 1));
}

static bool shifted_up(view v, int64_t i) {
    return i + 1 < v.e->count && near(got(v, i), expected(v, i + 1), tolerance(v, i + 1));
}

/* float has 29 bits fewer than double: an error of 2^29 times the tolerance is the mark of it, where that is a bound of
 * rounding errors. The tolerance of an iterate is not: there 6 digits have to be right. */
static bool single_precision(view v, int64_t i) {
    if (tolerance(v, i) == 0)
        return v.a->type == SPW_DOUBLE && got(v, i) == (double)(float)expected(v, i);
    if (tolerance(v, i) > 0x1p-34 * v.largest && !near(got(v, i), expected(v, i), 1e-6 * v.largest))
        return false;
    return v.a->type == SPW_DOUBLE && near(got(v, i), expected(v, i), 0x1p30 * tolerance(v, i)) &&
           near(got(v, i), expected(v, i), 1e-3 * fabs(expected(v, i)) + 0x1p27 * tolerance(v, i));
}

static bool is_nan(view v, int64_t i) { return isnan(got(v, i)); }

/* min_wrong: with a single wrong entry "shifted" would be a coincidence. */
static const struct {
    pattern holds;
    int64_t min_wrong;
    bool may_miss_edge; /* first or last entry may differ: it has no neighbour */
    const char *text;
} patterns[] = {
    {untouched, 1, false, "was never written"},
    {added_to, 1, false, "was added to, not overwritten: it held garbage before the call"},
    {twice, 2, false, "every value twice as large"},
    {negative, 2, false, "every value has the wrong sign"},
    {single_precision, 1, false, "correct to about 8 digits: float arithmetic?"},
    {shifted_down, 3, true, "shifted by one: each entry holds the result of the one before"},
    {shifted_up, 3, true, "shifted by one: each entry holds the result of the next one"},
};

/* --- words ----------------------------------------------------------------------------------------- */

/* One neighbour's value alone would be a coincidence: where edges may be missed, two have to hold. */
static bool all_wrong_are(view v, pattern holds, bool may_miss_edge) {
    int64_t held = 0;
    for (int64_t i = 0; i < v.e->count; i++) {
        if (right(v, i)) continue;
        if (holds(v, i))
            held++;
        else if (!(may_miss_edge && (i == 0 || i == v.e->count - 1)))
            return false;
    }
    return !may_miss_edge || held >= 2;
}

/* A mistake has rounding errors of its own, also where the right result has none: the largest tolerance
 * of the array stands for all, or 12 digits, where the mistake made the values larger. */
static const char *known_mistake(const spw_trial *t, view v) {
    double largest = 0;
    for (int64_t i = 0; i < v.e->count; i++) largest = fmax(largest, tolerance(v, i));
    for (int m = 0; m < t->n_mistakes; m++) {
        if (t->mistakes[m].array != v.a->data) continue;
        bool same = true;
        for (int64_t i = 0; i < v.e->count && same; i++) {
            const double mistaken = spw_entry(v.a, t->mistakes[m].values, i);
            same = isfinite(mistaken)
                       ? near(got(v, i), mistaken, fmax(4 * largest, 1e-12 * fabs(mistaken)))
                       : got(v, i) == mistaken;
        }
        if (same) return t->mistakes[m].text;
    }
    return NULL;
}

static void append_entry(const spw_trial *t, view v, int64_t i, char *text, size_t size) {
    char special[256] = "";
    const int digits = single_precision(v, i) ? 17 : 6;
    if (v.e->describe) v.e->describe(t, i, special, sizeof special);
    if (v.e->noun && !*v.e->noun) /* a number, not an array: "sum: got ..." */
        spw_append(text, size, "%s: ", v.a->name);
    else if (v.e->noun)
        spw_append(text, size, "%s %" PRId64 ": ", v.e->noun, i);
    else
        spw_append(text, size, "%s[%" PRId64 "]: ", v.a->name, i);
    spw_append(text, size, "got %.*g, expected %.*g", digits, got(v, i), digits, expected(v, i));
    if (special[0]) spw_append(text, size, "  (%s)", special);
}

static void append_halves(char *text, size_t size, const char *wrong, int64_t n_wrong,
                          const char *plural, const char *right_ones, int64_t n_right) {
    spw_append(text, size, "\nthe %s %" PRId64 " %s are wrong, the %s ", wrong, n_wrong, plural,
               right_ones);
    if (n_right == 1)
        spw_append(text, size, "one is right");
    else
        spw_append(text, size, "%" PRId64 " are right", n_right);
}

static void append_extent(view v, int64_t n_wrong, int64_t first, int64_t last, char *text,
                          size_t size) {
    if (v.e->count == 1) return; /* there is nothing to tell apart */
    const char *noun = v.e->noun ? v.e->noun : "entry";
    const char *nouns = v.e->noun ? "" : "entries";
    char plural[40];
    snprintf(plural, sizeof plural, "%s%s", v.e->noun ? v.e->noun : nouns, v.e->noun ? "s" : "");
    if (n_wrong == v.e->count && n_wrong > 1)
        spw_append(text, size, "\nall %" PRId64 " %s are wrong", n_wrong, plural);
    else if (n_wrong == 1)
        spw_append(text, size, "\nit is the only wrong %s of %" PRId64, noun, v.e->count);
    else if (n_wrong == last - first + 1 && last == v.e->count - 1)
        append_halves(text, size, "last", n_wrong, plural, "first", first);
    else if (n_wrong == last - first + 1 && first == 0)
        append_halves(text, size, "first", n_wrong, plural, "last", v.e->count - n_wrong);
    else
        spw_append(text, size, "\n%" PRId64 " of %" PRId64 " %s are wrong", n_wrong, v.e->count,
                   plural);
}

bool spw_explain(spw_trial *t, const spw_array *a, spw_poison poison, char *text, size_t size) {
    view v = {a, &a->expectation, 0, t->threads};
    int64_t first = -1, last = -1, n_wrong = 0;
    for (int64_t i = 0; i < v.e->count; i++)
        if (!right(v, i)) {
            if (first < 0) first = i;
            last = i;
            n_wrong++;
        }
    if (!n_wrong) return true;
    for (int64_t i = 0; i < v.e->count; i++) v.largest = fmax(v.largest, fabs(expected(v, i)));

    text[0] = 0;
    append_entry(t, v, first, text, size);

    t->sentence = (int)strlen(text);
    t->certain = true;
    t->algebra = false;
    const char *mistake = known_mistake(t, v);
    if (poison == SPW_POISON_NAN && is_nan(v, first)) {
        spw_append(text, size,
                   "\n%s[%" PRId64 "] is NaN: it was read before it was written, and held NaN",
                   a->name, first);
    } else if (mistake) {
        spw_append(text, size, "\n%s", mistake);
    } else if (all_wrong_are(v, once_a_thread, false)) {
        spw_append(text, size, "\nexactly %d times the value, and there are %d threads", v.threads,
                   v.threads);
    } else {
        size_t p = 0;
        const size_t n_patterns = sizeof patterns / sizeof patterns[0];
        while (p < n_patterns && !(n_wrong >= patterns[p].min_wrong &&
                                   all_wrong_are(v, patterns[p].holds, patterns[p].may_miss_edge)))
            p++;
        if (p == n_patterns && untouched(v, first)) p = 0;
        if (p < 2)
            spw_append(text, size, "\n%s[%" PRId64 "] %s", a->name, first, patterns[p].text);
        else if (p < n_patterns)
            spw_append(text, size, "\n%s", patterns[p].text);
        t->algebra = p >= 2 && p < n_patterns;
        t->certain = p == 1;
    }
    t->sentence_end = (int)strlen(text);
    append_extent(v, n_wrong, first, last, text, size);
    return false;
}

void spw_explain_difference(const spw_trial *t, double difference, const char *unit, char *text,
                            size_t size) {
    const double d = fabs(difference);
    const char *way = difference > 0 ? "larger" : "smaller";
    for (int u = 0; u < t->n_units; u++) {
        const double k = t->unit_values[u] > 0 ? d / t->unit_values[u] : 0;
        if (k >= 1 && k <= 64 && k == floor(k) && t->unit_values[u] > 1) {
            snprintf(text, size, "%s by %.0f %s", way, k, t->unit_names[u]);
            return;
        }
    }
    snprintf(text, size, "%s by %.12g %s", way, d, unit);
}

void spw_explain_sentence(char *text, size_t size, const char *lead, const char *sentence) {
    enum { WIDTH = 77 };
    size_t used = strlen(text);
    if (used + strlen(lead) + strlen(sentence) + 2 > size) return;
    char *line = text + used + 1;
    sprintf(text + used, "\n%s%s", lead, sentence);
    while (strlen(line) > WIDTH) {
        char *space = line + WIDTH;
        while (space > line && *space != ' ') space--;
        if (space == line) return;
        *space = '\n';
        line = space + 1;
    }
}

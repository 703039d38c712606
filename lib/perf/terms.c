/* Costs and counts as texts of terms. */
#include "perf/terms.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    const char *whole, *at;
    spw_quantities q;
} reader;

static _Noreturn void refuse(const reader *r) {
    fprintf(stderr, "these are no terms of a cost: \"%s\", at \"%s\"\n", r->whole, r->at);
    abort();
}

static char next(reader *r) {
    while (*r->at == ' ') r->at++;
    return *r->at;
}

static bool begins_factor(char c) { return isalnum((unsigned char)c) || c == '_' || c == '('; }

static double sum(reader *r);

static double factor(reader *r) {
    const char c = next(r);
    if (c == '(') {
        r->at++;
        const double value = sum(r);
        if (next(r) != ')') refuse(r);
        r->at++;
        return value;
    }
    if (isdigit((unsigned char)c)) {
        char *end;
        const double value = strtod(r->at, &end);
        r->at = end;
        return value;
    }
    size_t length = 0;
    while (isalnum((unsigned char)r->at[length]) || r->at[length] == '_') length++;
    if (!length) refuse(r);
    r->at += length;
    return r->q.value(r->q.context, r->at - length, length);
}

static double product(reader *r) {
    double value = factor(r);
    for (;;) {
        if (begins_factor(next(r))) {
            value *= factor(r);
        } else if (*r->at == '/') {
            r->at++;
            value /= factor(r);
        } else {
            return value;
        }
    }
}

static double sum(reader *r) {
    double sign = 1, value = 0;
    if (next(r) == '-') sign = -1, r->at++;
    for (;;) {
        value += sign * product(r);
        if (next(r) != '+' && *r->at != '-') return value;
        sign = *r->at++ == '-' ? -1 : 1;
    }
}

double spw_terms_value(const char **text, spw_quantities q) {
    reader r = {*text, *text, q};
    const double value = sum(&r);
    if (next(&r) && *r.at != ';') refuse(&r);
    *text = r.at;
    return value;
}

/* others: what those are that the text does not name */
static spw_cost cost_of(const char *text, spw_quantities q, double others) {
    spw_cost cost = {others, others, others};
    const struct {
        const char *word;
        double *value;
    } kinds[] = {{"load ", &cost.load}, {"store ", &cost.store}, {"flop ", &cost.flop}};
    reader r = {text, text, q};
    while (next(&r)) {
        int k = 0;
        while (k < 3 && strncmp(r.at, kinds[k].word, strlen(kinds[k].word)) != 0) k++;
        if (k == 3) refuse(&r);
        r.at += strlen(kinds[k].word);
        *kinds[k].value = spw_terms_value(&r.at, q);
        if (*r.at == ';') r.at++;
    }
    return cost;
}

spw_cost spw_terms_cost(const char *text, spw_quantities q) { return cost_of(text, q, 0); }

static const double SLACK = 0.5; /* bytes, or flop */

bool spw_terms_fit(const char *difference, spw_quantities q, spw_cost got, spw_cost truth) {
    if (*difference != '=' && *difference != '>') {
        const spw_cost d = cost_of(difference, q, 0);
        return fabs(got.load - truth.load - d.load) + fabs(got.store - truth.store - d.store) +
                   fabs(got.flop - truth.flop - d.flop) <=
               SLACK;
    }
    const spw_cost said = cost_of(difference + 1, q, NAN);
    const double all[3][3] = {{got.load, said.load, truth.load},
                              {got.store, said.store, truth.store},
                              {got.flop, said.flop, truth.flop}};
    bool wrong = false;
    for (int k = 0; k < 3; k++) {
        if (isnan(all[k][1])) continue;
        const double more = all[k][0] - all[k][1];
        wrong = wrong || fabs(all[k][0] - all[k][2]) > SLACK;
        if (*difference == '=' ? !(fabs(more) <= SLACK) : !(more > SLACK)) return false;
    }
    return wrong;
}

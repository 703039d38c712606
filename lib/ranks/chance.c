/* Receives from any rank, where several have sent a message that fits: with an order a run makes the choice that the
 * standard leaves open (MPI 3.1, 3.5) when nothing else moves, so that all that may come are there. */
#include "ranks/state.h"

#include <stdio.h>
#include <string.h>

enum { TOLD = 6, CONTESTS = 64 };

/* A receive that took one of several messages, and another, whose buffer got one of those that were left. */
static struct contest {
    site first, second; /* second.call is NULL: none yet */
    const char *data, *other;
    int rank, from;
    bool asked; /* one of both has a status, and so knows whose message it has */
} contests[CONTESTS];
static int n_contests;
static char choices[TOLD * 512], doubt[1024];

void spw_ranks_forget_chances(void) {
    n_contests = 0;
    choices[0] = doubt[0] = '\0';
}

const char *spw_ranks_choices(void) { return choices; }

const char *spw_ranks_doubt(void) {
    int k = 0;
    while (k < n_contests && (contests[k].asked || !contests[k].second.call)) k++;
    if (k == n_contests) return "";
    const struct contest *c = &contests[k];
    const char *first = spw_ranks_where(c->first), *second = spw_ranks_where(c->second);
    const bool same = strcmp(first, second) == 0;
    snprintf(doubt, sizeof doubt,
             "Which %s%s%s%s of rank %d gets the message of rank %d is left to chance, and no "
             "status tells it the sender: right only where either may have it.",
             same ? "buffer of " : "of ", first, same ? "" : " and ", same ? "" : second, c->rank,
             c->from);
    return doubt;
}

bool spw_ranks_bound(const request *send, const request *receive) {
    if (receive->peer == MPI_ANY_SOURCE) return false;
    const rank *at = &E->ranks[receive->owner];
    for (const request *r = at->posted; r && r != receive; r = r->next)
        if (spw_ranks_matches(r, send)) return false;
    for (const request *s = at->unmet; s && s != send; s = s->next)
        if (s->owner == send->owner && spw_ranks_matches(receive, s)) return false;
    return true;
}

/* Marks the messages that it may take: of each sender the first that fits, if no receive before it fits that. */
static int mark_offers(const rank *to, const request *receive) {
    int n = 0;
    E->marks++;
    for (request *s = to->unmet; s; s = s->next) {
        rank *from = &E->ranks[s->owner];
        if (from->mark == E->marks || !spw_ranks_matches(receive, s)) continue;
        const request *r = to->posted;
        while (r && r != receive && !spw_ranks_matches(r, s)) r = r->next;
        from->mark = E->marks;
        from->offer = r && r != receive ? NULL : s;
        n += from->offer != NULL;
    }
    return n;
}

static request *offer_of(int k) { return E->ranks[k].mark == E->marks ? E->ranks[k].offer : NULL; }

static request *offered(int number) {
    int k = 0;
    while (!offer_of(k) || number--) k++;
    return offer_of(k);
}

/* By the order of the run, one of them. */
static request *pick(const rank *to, const request *receive, site where) {
    const int n = mark_offers(to, receive), order = E->options.order;
    if (n > E->most_senders) E->most_senders = n;
    if (n < 2) return n ? offered(0) : NULL;
    const int turn = E->choices++;
    const int k = order == 1 ? 0 : order == 2 ? n - 1 : (turn + order - 2) % n;
    request *s = offered(k);
    if (turn < TOLD)
        spw_append(choices, sizeof choices,
                   "   %s of rank %d got the message of rank %d; rank %d had one%s\n",
                   spw_ranks_where(where), to->number, s->owner, offered(k ? 0 : 1)->owner,
                   n > 2 ? ", and others" : "");
    return s;
}

const request *spw_ranks_pick(const rank *to, const request *wanted) {
    return pick(to, wanted, to->last);
}

/* The messages that r leaves, if what they hold differs, keep in mind that r might have taken them. */
static void contest(const request *r, const request *taken) {
    if (n_contests == CONTESTS) return;
    contests[n_contests++] =
        (struct contest){.first = r->posted, .data = r->data, .rank = r->owner};
    for (int k = 0; k < E->n; k++) {
        request *s = offer_of(k);
        if (s && (s->bytes != taken->bytes || s->sum != taken->sum)) s->contest = n_contests;
    }
}

static void unlink_from(request **queue, const request *q) {
    while (*queue != q) queue = &(*queue)->next;
    *queue = q->next;
}

static void pair(rank *at, request *s, request *r) {
    struct contest *c = s->contest ? &contests[s->contest - 1] : NULL;
    if (c && r->data != c->data) {
        c->second = r->posted;
        c->other = r->data;
        c->from = s->owner;
    }
    unlink_from(&at->unmet, s);
    unlink_from(&at->posted, r);
    spw_ranks_match(s, r);
}

/* After a choice, receives from one rank that stood behind it have none. */
static void pair_bound(rank *at) {
    for (request *r = at->posted, *next; r; r = next) {
        next = r->next;
        request *s = at->unmet;
        while (s && !spw_ranks_matches(r, s)) s = s->next;
        if (!s || !spw_ranks_bound(s, r)) continue;
        pair(at, s, r);
        next = at->posted;
    }
}

static bool choose_at(rank *at) {
    for (request *r = at->posted; r; r = r->next) {
        const int before = E->choices;
        request *s = r->peer == MPI_ANY_SOURCE ? pick(at, r, r->posted) : NULL;
        if (!s) continue;
        if (E->choices > before) contest(r, s);
        pair(at, s, r);
        pair_bound(at);
        return true;
    }
    if (!at->probing || at->chosen || at->probe_from != MPI_ANY_SOURCE) return false;
    const request wanted = {.comm = at->probe_comm, .tag = at->probe_tag, .peer = MPI_ANY_SOURCE};
    at->chosen = mark_offers(at, &wanted) > 0;
    if (at->chosen) spw_ranks_wake(at->number);
    return at->chosen;
}

bool spw_ranks_choose(void) {
    for (int k = 0; k < E->n; k++)
        if (choose_at(&E->ranks[k])) return true;
    return false;
}

void spw_ranks_took(const request *receive, bool asked) {
    for (int k = 0; asked && k < n_contests; k++) {
        struct contest *c = &contests[k];
        if (c->rank == receive->owner && (c->data == receive->data || c->other == receive->data))
            c->asked = true;
    }
}

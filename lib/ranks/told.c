/* What is found, in words: the findings of a run, and why no rank can go on. */
#include "ranks/state.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 16384, MOST = 10, SHOWN = 6 };

static char text[TEXT];
static int length, count;

void spw_ranks_tell_nothing(void) {
    length = count = 0;
    text[0] = '\0';
}

int spw_ranks_finding_count(void) { return count; }
const char *spw_ranks_findings(void) { return text; }

static void add(const char *format, va_list values) {
    if (length >= TEXT - 1) return;
    const int n = vsnprintf(text + length, (size_t)(TEXT - length), format, values);
    length = n < TEXT - length ? length + n : TEXT - 1;
}

static void say(const char *format, ...) SPW_PRINTF(1, 2);
static void say(const char *format, ...) {
    va_list values;
    va_start(values, format);
    add(format, values);
    va_end(values);
}

void spw_ranks_find(const char *format, ...) {
    va_list values;
    if (count++ >= MOST) return;
    va_start(values, format);
    add(format, values);
    va_end(values);
    say("\n");
}

void spw_ranks_fail(const char *format, ...) {
    va_list values;
    count++;
    va_start(values, format);
    add(format, values);
    va_end(values);
    say("\n");
    spw_ranks_stop();
}

const char *spw_ranks_where(site s) {
    static char room[8][160];
    static int turn;
    char *into = room[turn = (turn + 1) % 8];
    const char *slash = s.file ? strrchr(s.file, '/') : NULL;
    if (!s.call) return "its first call";
    snprintf(into, sizeof room[0], "%s (%s:%d)", s.call, slash ? slash + 1 : s.file, s.line);
    return into;
}

/* --- deadlock ------------------------------------------------------------------------------------------ */

/* Whom r waits for: a rank, or -1: several, or nobody in particular. */
static int waits_for(const rank *r) {
    if (r->state == ENDED) return -1;
    if (r->in_meeting) {
        const meeting *m = r->in_meeting;
        for (int k = 0; k < m->comm->n; k++)
            if (!m->parts[k].here) return m->comm->world[k];
        return -1;
    }
    if (r->probing) return r->probe_from >= 0 ? r->probe_from : -1;
    const request *q = r->for_request;
    if (!q) return -1;
    if (q->kind == COLLECTIVE) {
        for (int k = 0; k < q->comm->n; k++)
            if (!q->meeting->parts[k].here) return q->comm->world[k];
        return -1;
    }
    return q->peer >= 0 ? q->peer : -1;
}

static const char *peer_name(int peer, char *room, size_t size) {
    if (peer == MPI_ANY_SOURCE)
        snprintf(room, size, "any rank");
    else
        snprintf(room, size, "rank %d", peer);
    return room;
}

static const char *tag_name(int tag, char *room, size_t size) {
    if (tag == MPI_ANY_TAG)
        snprintf(room, size, "any tag");
    else
        snprintf(room, size, "tag %d", tag);
    return room;
}

/* Of a receive: a send to the same rank that nearly fits; of a send: a receive. */
static void say_nearest(const rank *r, const request *q) {
    const bool sends = q->kind == SEND;
    if (q->peer < 0 && sends) return;
    const request *near = sends ? E->ranks[q->peer].posted : r->unmet;
    for (; near; near = near->next) {
        const request *send = sends ? q : near, *receive = sends ? near : q;
        if (receive->peer >= 0 && receive->peer != send->owner) continue;
        if (near->comm != q->comm)
            say("      there is one of another communicator: %s of rank %d\n",
                spw_ranks_where(near->posted), near->owner);
        else
            say("      there is one of tag %d: %s of rank %d\n", near->tag,
                spw_ranks_where(near->posted), near->owner);
        return;
    }
    if (q->peer < 0) return;
    const rank *other = &E->ranks[q->peer];
    if (other->state == ENDED)
        say("      rank %d has ended\n", q->peer);
    else if (other->in_meeting && other->in_meeting->kind == FINALIZE)
        say("      rank %d is in MPI_Finalize\n", q->peer);
}

static void say_request(const rank *r, const request *q) {
    char peer[32], tag[32];
    peer_name(q->peer, peer, sizeof peer);
    tag_name(q->tag, tag, sizeof tag);
    if (q->kind == SEND)
        say("   rank %d waits in %s until %s receives %zu bytes of %s%s%s\n", r->number,
            spw_ranks_where(r->last), peer, q->bytes, tag, q->blocking ? "" : ", sent by ",
            q->blocking ? "" : spw_ranks_where(q->posted));
    else
        say("   rank %d waits in %s for a message of %s from %s%s%s\n", r->number,
            spw_ranks_where(r->last), tag, peer, q->blocking ? "" : ", posted by ",
            q->blocking ? "" : spw_ranks_where(q->posted));
    say_nearest(r, q);
}

static void say_missing(const rank *r, const meeting *m) {
    int shown = 0;
    say("   rank %d waits in %s for", r->number, spw_ranks_where(r->last));
    for (int k = 0; k < m->comm->n; k++) {
        if (m->parts[k].here || shown++ >= SHOWN) continue;
        const rank *other = &E->ranks[m->comm->world[k]];
        say("%s rank %d%s", shown > 1 ? "," : "", other->number,
            other->state == ENDED ? ", which has ended" : "");
    }
    say("%s\n", shown > SHOWN ? " and others" : "");
}

static void say_rank(const rank *r) {
    char peer[32], tag[32];
    if (r->state == READY)
        say("   rank %d tests again and again in %s\n", r->number, spw_ranks_where(r->last));
    else if (r->in_meeting)
        say_missing(r, r->in_meeting);
    else if (r->probing)
        say("   rank %d waits in %s for a message of %s from %s\n", r->number,
            spw_ranks_where(r->last), tag_name(r->probe_tag, tag, sizeof tag),
            peer_name(r->probe_from, peer, sizeof peer));
    else if (r->for_request && r->for_request->kind == COLLECTIVE)
        say_missing(r, r->for_request->meeting);
    else if (r->for_request)
        say_request(r, r->for_request);
}

/* Follows who waits for whom from a rank until one comes again. */
static void say_circle(int start) {
    static int seen[SPW_RANKS_MOST];
    bool sends = true;
    int r = start;
    for (int k = 0; k < E->n; k++) seen[k] = 0;
    for (int step = 1; r >= 0 && !seen[r]; step++) {
        seen[r] = step;
        r = waits_for(&E->ranks[r]);
    }
    if (r < 0) return;
    const int first = r;
    say("   In a circle: rank %d", first);
    do {
        const request *q = E->ranks[r].for_request;
        sends = sends && q && q->kind == SEND;
        r = waits_for(&E->ranks[r]);
        if (seen[r] - seen[first] < SHOWN) say(" waits for %d", r);
    } while (r != first);
    say("\n");
    if (sends && waits_for(&E->ranks[first]) == first)
        say("   It sends to itself, and has posted no receive that fits.\n");
    else if (sends)
        say("   All of them send first. It works while messages are small enough for MPI\n"
            "   to keep a copy of them; the standard does not promise that.\n");
}

void spw_ranks_find_deadlock(void) {
    int waiting = 0, first = -1;
    count++;
    say("Deadlock: no rank can go on.\n");
    for (int k = 0; k < E->n; k++) {
        if (E->ranks[k].state == ENDED) continue;
        if (first < 0) first = k;
        if (waiting++ < SHOWN) say_rank(&E->ranks[k]);
    }
    if (waiting > SHOWN) say("   and %d more\n", waiting - SHOWN);
    if (first >= 0) say_circle(first);
}

/* Messages between two ranks: posted, matched, waited for. */
#include "ranks/state.h"

#include "base/memory.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_TAG = 32767, FIRST_HANDLE = 100001 };

/* --- requests ------------------------------------------------------------------------------------------ */

static void grow(void) {
    const int more = E->room_requests ? 2 * E->room_requests : 256;
    request **all = spw_ranks_room((size_t)more, sizeof *all);
    if (E->n_requests) memcpy(all, E->requests, (size_t)E->n_requests * sizeof *all);
    spw_free(E->requests);
    E->requests = all;
    E->room_requests = more;
}

request *spw_ranks_new_request(request_kind what) {
    request *q = E->free_requests;
    if (q) {
        E->free_requests = q->next;
    } else {
        if (E->n_requests == E->room_requests) grow();
        q = spw_ranks_room(1, sizeof *q);
        q->handle = FIRST_HANDLE + 2 * E->n_requests;
        E->requests[E->n_requests++] = q;
    }
    const MPI_Request handle = q->handle;
    *q = (request){.handle = handle, .kind = what, .owner = E->now->number, .posted = E->now->last};
    return q;
}

static void free_request(request *q) {
    spw_free(q->stash);
    spw_free(q->before);
    *q = (request){.handle = q->handle, .kind = NOTHING, .next = E->free_requests};
    E->free_requests = q;
}

static request *find(const rank *r, MPI_Request handle) {
    const int k = (handle - FIRST_HANDLE) / 2;
    const bool known = handle >= FIRST_HANDLE && handle % 2 && k < E->n_requests;
    request *q = known ? E->requests[k] : NULL;
    if (!q || q->kind == NOTHING || q->owner != r->number)
        spw_ranks_fail("rank %d: the request of %s is none: not set, or waited for before",
                       r->number, spw_ranks_where(r->last));
    return q;
}

/* Does the new one touch memory that an active request has in use? Two sends may read the same. */
static void check_overlap(const rank *r, const request *q) {
    if (!q->bytes) return;
    for (const request *a = r->active; a; a = a->next_active) {
        if (!a->bytes || a->kind == COLLECTIVE || (a->kind == SEND && q->kind == SEND)) continue;
        if (a->data < q->data + q->bytes && q->data < a->data + a->bytes)
            spw_ranks_fail("rank %d: the buffer of %s is in use by %s, which was not waited for",
                           r->number, spw_ranks_where(q->posted), spw_ranks_where(a->posted));
    }
}

void spw_ranks_activate(request *q) {
    rank *r = E->now;
    q->active = true;
    q->next_active = r->active;
    r->active = q;
}

void spw_ranks_end_request(request *q) {
    request **at = &E->ranks[q->owner].active;
    while (*at && *at != q) at = &(*at)->next_active;
    if (*at) *at = q->next_active;
    q->active = q->done = false;
    q->with = NULL;
    spw_free(q->stash);
    spw_free(q->before);
    q->stash = q->before = NULL;
    if (!q->persistent || q->released) free_request(q);
}

/* --- what buffers hold ----------------------------------------------------------------------------------- */

static uint64_t checksum(const char *data, size_t bytes) {
    uint64_t sum = bytes, word = 0;
    size_t k = 0;
    for (; k + 8 <= bytes; k += 8) {
        memcpy(&word, data + k, 8);
        sum = (sum ^ word) * 0x9E3779B97F4A7C15u;
        sum ^= sum >> 29;
    }
    for (; k < bytes; k++) sum = (sum ^ (unsigned char)data[k]) * 0x100000001B3u;
    return sum;
}

/* A quiet NaN that carries a line. */
static const uint64_t unread = 0x7FF8535057000000u, of_line = 0xFFFFFF;

int spw_ranks_unread_line(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits & ~of_line & ~(1ull << 63)) == unread ? (int)(bits & of_line) : 0;
}

static void poison(request *q) {
    const uint64_t bits = unread | ((uint64_t)q->posted.line & of_line);
    q->before = spw_ranks_room(1, q->bytes);
    memcpy(q->before, q->data, q->bytes);
    memset(q->data, POISON, q->bytes);
    if (strcmp(q->type->name, "MPI_DOUBLE") != 0) return;
    for (size_t k = 0; k + 8 <= q->bytes; k += 8) memcpy(q->data + k, &bits, 8);
}

static void check_poisoned(const request *q) {
    const uint64_t bits = unread | ((uint64_t)q->posted.line & of_line);
    const bool doubles = strcmp(q->type->name, "MPI_DOUBLE") == 0;
    char expected[8];
    memset(expected, POISON, sizeof expected);
    if (doubles) memcpy(expected, &bits, sizeof expected);
    for (size_t k = 0; k < q->bytes; k++)
        if (q->data[k] != expected[k % 8])
            spw_ranks_fail(
                "rank %d: the buffer of %s was written before its wait (%s): element %zu", q->owner,
                spw_ranks_where(q->posted), spw_ranks_where(E->ranks[q->owner].last),
                k / (size_t)q->type->size);
}

/* --- matching ------------------------------------------------------------------------------------------ */

bool spw_ranks_matches(const request *receive, const request *send) {
    return receive->comm == send->comm &&
           (receive->peer == MPI_ANY_SOURCE || receive->peer == send->owner) &&
           (receive->tag == MPI_ANY_TAG || receive->tag == send->tag);
}

static void check_pair(const request *s, const request *r) {
    if (s->type != r->type && s->bytes && r->bytes)
        spw_ranks_fail("%s of rank %d sends %s, %s of rank %d receives %s",
                       spw_ranks_where(s->posted), s->owner, s->type->name,
                       spw_ranks_where(r->posted), r->owner, r->type->name);
    if (s->bytes > r->bytes)
        spw_ranks_fail("truncated: %s of rank %d sends %zu bytes, %s of rank %d has room for %zu",
                       spw_ranks_where(s->posted), s->owner, s->bytes, spw_ranks_where(r->posted),
                       r->owner, r->bytes);
}

static double later(double a, double b) { return a > b ? a : b; }

void spw_ranks_match(request *s, request *r) {
    const spw_cluster *c = &E->options.cluster;
    rank *from = &E->ranks[s->owner], *to = &E->ranks[r->owner];
    check_pair(s, r);
    const double seconds = (double)s->bytes / c->bandwidth;
    from->link_out = later(later(s->at, r->at), from->link_out) + seconds;
    to->link_in = later(from->link_out + c->latency, to->link_in + seconds);
    s->arrival = from->link_out;
    r->arrival = to->link_in;
    r->from = s->comm->number[s->owner];
    r->got_tag = s->tag;
    r->got = s->bytes;
    s->with = r;
    r->with = s;
    s->done = r->done = true;
    spw_ranks_wake(s->owner);
    spw_ranks_wake(r->owner);
}

/* The first of the queue that fits is taken off it; else q goes to the end of the other. */
static void post(request *q) {
    rank *me = E->now;
    const bool sends = q->kind == SEND;
    me->clock += E->options.cluster.overhead;
    q->at = me->clock;
    q->contest = 0;
    spw_ranks_activate(q);
    if (q->peer == MPI_PROC_NULL) {
        q->done = true;
        q->from = MPI_PROC_NULL;
        q->got_tag = MPI_ANY_TAG;
        q->got = 0;
        q->arrival = q->at;
        return;
    }
    rank *at = &E->ranks[sends ? q->peer : q->owner];
    if (sends) {
        q->sum = checksum(q->data, q->bytes);
        me->messages++;
        me->bytes += (int64_t)q->bytes;
    } else if (!q->blocking && q->bytes) {
        poison(q);
    }
    if (!sends && q->peer == MPI_ANY_SOURCE) E->from_any++;
    for (request **k = sends ? &at->posted : &at->unmet; *k; k = &(*k)->next) {
        request *other = *k, *send = sends ? q : other, *receive = sends ? other : q;
        if (!spw_ranks_matches(receive, send)) continue;
        if (E->options.order && !spw_ranks_bound(send, receive)) break;
        *k = other->next;
        spw_ranks_match(send, receive);
        return;
    }
    request **end = sends ? &at->unmet : &at->posted;
    while (*end) end = &(*end)->next;
    q->next = NULL;
    *end = q;
    if (sends) spw_ranks_wake(q->peer); /* it may be probing */
}

/* --- waiting ------------------------------------------------------------------------------------------- */

static void hand_over(request *r) {
    if (!r->blocking && r->bytes) {
        check_poisoned(r);
        memcpy(r->data, r->before, r->bytes);
    }
    if (r->got) memcpy(r->data, r->stash ? r->stash : r->with->data, r->got);
    if (r->with) r->with->with = NULL;
}

static void check_sent(const request *s) {
    if (checksum(s->data, s->bytes) != s->sum)
        spw_ranks_fail("rank %d: the buffer of %s was changed before its wait", s->owner,
                       spw_ranks_where(s->posted));
}

static void end_send(request *s) {
    request *r = s->with;
    check_sent(s);
    if (!r) return;
    if (s->bytes) {
        r->stash = spw_ranks_room(1, s->bytes);
        memcpy(r->stash, s->data, s->bytes);
    }
    r->with = NULL;
}

static void set_status(MPI_Status *status, int from, int tag, size_t bytes) {
    if (status)
        *status = (MPI_Status){.MPI_SOURCE = from, .MPI_TAG = tag, .spw_bytes = (long long)bytes};
}

/* q is done: its effects, its status, its end. */
static void complete(request *q, MPI_Status *status) {
    rank *me = E->now;
    if (q->kind == RECEIVE) {
        set_status(status, q->from, q->got_tag, q->got);
        if (q->with) check_sent(q->with);
        spw_ranks_took(q, status);
        hand_over(q);
    } else {
        set_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
        if (q->kind == SEND && q->peer != MPI_PROC_NULL) end_send(q);
        if (q->kind == COLLECTIVE) spw_ranks_finish_meeting(q);
    }
    me->clock = later(me->clock, q->arrival) + E->options.cluster.overhead;
    spw_ranks_end_request(q);
}

static bool is_done(const request *q) { return q->kind == COLLECTIVE ? q->meeting->done : q->done; }

static void wait_for(request *q) {
    rank *me = E->now;
    while (!is_done(q)) {
        me->for_request = q;
        spw_ranks_wait();
    }
    me->for_request = NULL;
}

/* NULL: there is nothing to wait for; its status is set, and the handle is as MPI leaves it. */
static request *active_request(MPI_Request *handle, MPI_Status *status) {
    rank *me = spw_ranks_me();
    request *q = *handle == MPI_REQUEST_NULL ? NULL : find(me, *handle);
    if (q && q->active) return q;
    set_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
    return NULL;
}

static void finish(MPI_Request *handle, request *q, MPI_Status *status) {
    if (!q->persistent) *handle = MPI_REQUEST_NULL;
    complete(q, status);
}

int spw_MPI_Wait(MPI_Request *handle, MPI_Status *status) {
    request *q = active_request(handle, status);
    if (!q) return MPI_SUCCESS;
    wait_for(q);
    finish(handle, q, status);
    return MPI_SUCCESS;
}

int spw_MPI_Waitall(int n, MPI_Request *handles, MPI_Status *statuses) {
    for (int k = 0; k < n; k++) spw_MPI_Wait(&handles[k], statuses ? &statuses[k] : NULL);
    return MPI_SUCCESS;
}

/* The first that is done; n: none yet, -1: none is active. *open: one that is not done. */
static int first_done(int n, MPI_Request *handles, request **open) {
    int found = -1;
    for (int k = 0; k < n; k++) {
        request *q = active_request(&handles[k], NULL);
        if (!q) continue;
        if (is_done(q)) return k;
        *open = q;
        found = n;
    }
    return found;
}

int spw_MPI_Waitany(int n, MPI_Request *handles, int *index, MPI_Status *status) {
    request *open = NULL;
    int k;
    while ((k = first_done(n, handles, &open)) == n) {
        E->now->for_request = open;
        spw_ranks_wait();
    }
    E->now->for_request = NULL;
    *index = k < 0 ? MPI_UNDEFINED : k;
    if (k < 0)
        set_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
    else
        finish(&handles[k], find(E->now, handles[k]), status);
    return MPI_SUCCESS;
}

int spw_MPI_Waitsome(int n, MPI_Request *handles, int *n_done, int *indices, MPI_Status *statuses) {
    int first, done = 0;
    spw_MPI_Waitany(n, handles, &first, statuses);
    if (first == MPI_UNDEFINED) {
        *n_done = MPI_UNDEFINED;
        return MPI_SUCCESS;
    }
    indices[done++] = first;
    for (int k = 0; k < n; k++) {
        request *q = active_request(&handles[k], NULL);
        if (!q || !is_done(q)) continue;
        finish(&handles[k], q, statuses ? &statuses[done] : NULL);
        indices[done++] = k;
    }
    *n_done = done;
    return MPI_SUCCESS;
}

int spw_MPI_Testall(int n, MPI_Request *handles, int *flag, MPI_Status *statuses) {
    *flag = 1;
    for (int k = 0; k < n && *flag; k++) {
        const request *q = active_request(&handles[k], NULL);
        *flag = !q || is_done(q);
    }
    if (*flag) return spw_MPI_Waitall(n, handles, statuses);
    spw_ranks_yield();
    return MPI_SUCCESS;
}

int spw_MPI_Test(MPI_Request *handle, int *flag, MPI_Status *status) {
    return spw_MPI_Testall(1, handle, flag, status);
}

/* --- posting ------------------------------------------------------------------------------------------- */

typedef struct envelope {
    const void *data;
    int count;
    MPI_Datatype type;
    int peer, tag;
    MPI_Comm comm;
} envelope;

static void check_envelope(const rank *r, request_kind what, const envelope *m,
                           const communicator *c) {
    const char *where = spw_ranks_where(r->last);
    const bool any = what == RECEIVE;
    if (m->count < 0) spw_ranks_fail("rank %d: %s has a count of %d", r->number, where, m->count);
    if (!m->data && m->count > 0)
        spw_ranks_fail("rank %d: %s has NULL as its buffer", r->number, where);
    if ((m->peer < 0 || m->peer >= c->n) && m->peer != MPI_PROC_NULL &&
        !(any && m->peer == MPI_ANY_SOURCE))
        spw_ranks_fail("rank %d: %s names rank %d; there are 0 to %d", r->number, where, m->peer,
                       c->n - 1);
    if (m->tag < 0 && !(any && m->tag == MPI_ANY_TAG))
        spw_ranks_fail("rank %d: %s has the tag %d", r->number, where, m->tag);
    if (m->tag > MOST_TAG && !E->large_tag)
        spw_ranks_find("rank %d: %s has the tag %d; 0 to %d work everywhere", r->number, where,
                       m->tag, MOST_TAG);
    E->large_tag = E->large_tag || m->tag > MOST_TAG;
}

static request *make(request_kind what, const envelope *m, bool blocking) {
    rank *me = spw_ranks_me();
    communicator *c = spw_ranks_comm(m->comm);
    const datatype *type = spw_ranks_type(m->type);
    check_envelope(me, what, m, c);
    request *q = spw_ranks_new_request(what);
    q->comm = c;
    q->peer = m->peer < 0 ? m->peer : c->world[m->peer];
    q->tag = m->tag;
    q->data = (char *)m->data;
    q->type = type;
    q->bytes = m->peer == MPI_PROC_NULL ? 0 : spw_ranks_bytes(m->count, type);
    q->blocking = blocking;
    return q;
}

static request *start(request_kind what, const envelope *m, bool blocking) {
    request *q = make(what, m, blocking);
    check_overlap(E->now, q);
    post(q);
    return q;
}

static int at_once(request_kind what, const envelope *m, MPI_Status *status) {
    request *q = start(what, m, true);
    wait_for(q);
    complete(q, status);
    return MPI_SUCCESS;
}

int spw_MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    return at_once(SEND, &(envelope){data, count, type, to, tag, comm}, NULL);
}

int spw_MPI_Ssend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    return spw_MPI_Send(data, count, type, to, tag, comm);
}

int spw_MPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                 MPI_Status *status) {
    return at_once(RECEIVE, &(envelope){data, count, type, from, tag, comm}, status);
}

int spw_MPI_Sendrecv(const void *out, int n_out, MPI_Datatype type_out, int to, int tag_out,
                     void *in, int n_in, MPI_Datatype type_in, int from, int tag_in, MPI_Comm comm,
                     MPI_Status *status) {
    request *receive = start(RECEIVE, &(envelope){in, n_in, type_in, from, tag_in, comm}, true);
    request *send = start(SEND, &(envelope){out, n_out, type_out, to, tag_out, comm}, true);
    wait_for(send);
    wait_for(receive);
    complete(send, NULL);
    complete(receive, status);
    return MPI_SUCCESS;
}

int spw_MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request *handle) {
    *handle = start(SEND, &(envelope){data, count, type, to, tag, comm}, false)->handle;
    return MPI_SUCCESS;
}

int spw_MPI_Issend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                   MPI_Request *handle) {
    return spw_MPI_Isend(data, count, type, to, tag, comm, handle);
}

int spw_MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                  MPI_Request *handle) {
    *handle = start(RECEIVE, &(envelope){data, count, type, from, tag, comm}, false)->handle;
    return MPI_SUCCESS;
}

static int make_persistent(request_kind what, const envelope *m, MPI_Request *handle) {
    request *q = make(what, m, false);
    q->persistent = true;
    *handle = q->handle;
    return MPI_SUCCESS;
}

int spw_MPI_Send_init(const void *data, int count, MPI_Datatype type, int to, int tag,
                      MPI_Comm comm, MPI_Request *handle) {
    return make_persistent(SEND, &(envelope){data, count, type, to, tag, comm}, handle);
}

int spw_MPI_Recv_init(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                      MPI_Request *handle) {
    return make_persistent(RECEIVE, &(envelope){data, count, type, from, tag, comm}, handle);
}

int spw_MPI_Start(MPI_Request *handle) {
    rank *me = spw_ranks_me();
    request *q = find(me, *handle);
    if (!q->persistent || q->active)
        spw_ranks_fail("rank %d: %s starts a request that %s", me->number,
                       spw_ranks_where(me->last),
                       q->active ? "was not waited for" : "is not persistent");
    q->posted = me->last;
    check_overlap(me, q);
    post(q);
    return MPI_SUCCESS;
}

int spw_MPI_Startall(int n, MPI_Request *handles) {
    for (int k = 0; k < n; k++) spw_MPI_Start(&handles[k]);
    return MPI_SUCCESS;
}

/* An active one goes on, and nobody can wait for it any more: its data must stay until it is certain to be there. */
int spw_MPI_Request_free(MPI_Request *handle) {
    rank *me = spw_ranks_me();
    request *q = find(me, *handle);
    if (q->active && q->kind == RECEIVE)
        spw_ranks_fail("rank %d: %s frees %s: nobody can know any more when its data are there",
                       me->number, spw_ranks_where(me->last), spw_ranks_where(q->posted));
    *handle = MPI_REQUEST_NULL;
    q->released = true;
    if (!q->active) free_request(q);
    return MPI_SUCCESS;
}

void spw_ranks_check_left(rank *r) {
    for (const request *q = r->active; q; q = q->next_active)
        if (!q->released)
            spw_ranks_find("rank %d: %s was never waited for", r->number,
                           spw_ranks_where(q->posted));
    for (int k = 0; k < E->n_requests; k++) {
        const request *q = E->requests[k];
        if (q->kind != NOTHING && q->owner == r->number && q->persistent && !q->active)
            spw_ranks_find("rank %d: the request of %s was never freed (MPI_Request_free)",
                           r->number, spw_ranks_where(q->posted));
    }
}

/* --- probing ------------------------------------------------------------------------------------------- */

static const request *probe(int from, int tag, communicator *c) {
    const request wanted = {
        .kind = RECEIVE, .comm = c, .tag = tag, .peer = from < 0 ? from : c->world[from]};
    const request *s = E->now->unmet;
    if (from == MPI_ANY_SOURCE) E->from_any++;
    if (E->options.order) return spw_ranks_pick(E->now, &wanted);
    while (s && !spw_ranks_matches(&wanted, s)) s = s->next;
    return s;
}

static void check_probe(int from, int tag, MPI_Comm comm) {
    check_envelope(spw_ranks_me(), RECEIVE, &(envelope){NULL, 0, MPI_BYTE, from, tag, comm},
                   spw_ranks_comm(comm));
}

int spw_MPI_Iprobe(int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status) {
    check_probe(from, tag, comm);
    communicator *c = spw_ranks_comm(comm);
    const request *s = from == MPI_PROC_NULL ? NULL : probe(from, tag, c);
    *flag = s || from == MPI_PROC_NULL;
    if (from == MPI_PROC_NULL)
        set_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
    else if (s)
        set_status(status, c->number[s->owner], s->tag, s->bytes);
    else
        spw_ranks_yield();
    return MPI_SUCCESS;
}

int spw_MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status *status) {
    rank *me = spw_ranks_me();
    check_probe(from, tag, comm);
    communicator *c = spw_ranks_comm(comm);
    int flag = 0;
    const bool chooses = E->options.order && from == MPI_ANY_SOURCE;
    while (from != MPI_PROC_NULL && !(chooses ? me->chosen : probe(from, tag, c) != NULL)) {
        me->probing = true;
        me->probe_from = from < 0 ? from : c->world[from];
        me->probe_tag = tag;
        me->probe_comm = c;
        spw_ranks_wait();
    }
    me->probing = me->chosen = false;
    return spw_MPI_Iprobe(from, tag, comm, &flag, status);
}

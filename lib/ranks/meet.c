/* Collectives: the ranks of a communicator meet, the last one works for all, each goes on with its result. */
#include "ranks/state.h"

#include "base/memory.h"

#include <string.h>

static const char *const order_matters =
    "the ranks of a communicator must call the same collectives in the same order";

static bool reduces(collective_kind k) { return k >= REDUCE && k <= EXSCAN; }
static bool moves(collective_kind k) { return k == BCAST || (k >= GATHER && k <= NEIGHBOURS); }
static bool has_root(collective_kind k) {
    return k == BCAST || k == REDUCE || k == GATHER || k == SCATTER;
}

/* --- who meets ----------------------------------------------------------------------------------------- */

static void check_alike(const meeting *m, const part *first, const part *mine) {
    const char *here = spw_ranks_where(mine->where), *there = spw_ranks_where(first->where);
    const int me = E->now->number, other = m->comm->world[first - m->parts];
    /* A blocking one does not match one that is not (MPI 3.1, 5.12), nor MPI_Allgather MPI_Allgatherv. */
    if (strcmp(mine->where.call, first->where.call) != 0)
        spw_ranks_fail("rank %d is in %s, rank %d in %s: %s", me, here, other, there,
                       order_matters);
    if (has_root(m->kind) && first->root != mine->root)
        spw_ranks_fail("the root of %s is %d on rank %d; of %s it is %d on rank %d", here,
                       mine->root, me, there, first->root, other);
    if (!reduces(m->kind)) return;
    if (first->op != mine->op)
        spw_ranks_fail("%s of rank %d has another operation than %s of rank %d", here, me, there,
                       other);
    if (first->type_in != mine->type_in)
        spw_ranks_fail("%s of rank %d has %s, %s of rank %d has %s", here, me, mine->type_in->name,
                       there, other, first->type_in->name);
    if (first->n_in != mine->n_in)
        spw_ranks_fail("%s of rank %d has %d elements, %s of rank %d has %d", here, me, mine->n_in,
                       there, other, first->n_in);
}

static meeting *enter(communicator *c, collective_kind kind, int number) {
    const int sequence = c->entered[number]++;
    meeting **at = &c->meetings;
    while (*at && (*at)->sequence != sequence) at = &(*at)->next;
    if (*at) return *at;
    meeting *m = spw_ranks_room(1, sizeof *m);
    *m = (meeting){.comm = c, .sequence = sequence, .kind = kind, .next = NULL};
    m->parts = spw_ranks_room((size_t)c->n, sizeof *m->parts);
    return *at = m;
}

/* --- blocks: what goes from whom to whom ---------------------------------------------------------------- */

static int count_in(const part *p, int k) { return p->ns_in ? p->ns_in[k] : p->n_in; }
static int count_out(const part *p, int k) { return p->ns_out ? p->ns_out[k] : p->n_out; }
static size_t offset_in(const part *p, int k) {
    return spw_ranks_bytes(p->first_in ? p->first_in[k] : k * p->n_in, p->type_in);
}
static size_t offset_out(const part *p, int k) {
    return spw_ranks_bytes(p->first_out ? p->first_out[k] : k * p->n_out, p->type_out);
}

/* Blocks that number r gets. */
static int blocks_of(const meeting *m, int r) {
    const int root = m->parts[r].root;
    switch (m->kind) {
    case BCAST: return r != root;
    case GATHER: return r == root ? m->comm->n : 0;
    case SCATTER: return 1;
    case NEIGHBOURS: return m->comm->n_from[r];
    default: return m->comm->n;
    }
}

/* The k-th of them: from number *s, of whose blocks it is the one that is returned. */
static int block(const meeting *m, int r, int k, int *s) {
    const communicator *c = m->comm;
    *s = m->kind == BCAST || m->kind == SCATTER ? m->parts[r].root
         : m->kind == NEIGHBOURS                ? c->graph_from[r][k]
                                                : k;
    if (m->kind == SCATTER || m->kind == ALLTOALL) return r;
    if (m->kind != NEIGHBOURS) return 0;
    int same = 0; /* blocks from the same rank before it */
    for (int i = 0; i < k; i++) same += c->graph_from[r][i] == *s;
    for (int i = 0; i < c->n_to[*s]; i++)
        if (c->graph_to[*s][i] == r && !same--) return i;
    spw_ranks_fail("the graph: rank %d receives from rank %d, which does not send to it",
                   c->world[r], c->world[*s]);
}

/* Is the block where it belongs already? */
static bool in_place(const meeting *m, int r, int s) {
    const part *p = &m->parts[r];
    return r == s && ((m->kind == GATHER && p->in == MPI_IN_PLACE) ||
                      (m->kind == SCATTER && p->out == MPI_IN_PLACE));
}

static size_t check_block(const meeting *m, int r, int k) {
    int s;
    const int j = block(m, r, k, &s);
    const part *from = &m->parts[s], *to = &m->parts[r];
    if (in_place(m, r, s)) return 0;
    const size_t sent = spw_ranks_bytes(count_in(from, j), from->type_in);
    const size_t room = spw_ranks_bytes(count_out(to, m->kind == SCATTER ? 0 : k), to->type_out);
    if (from->type_in != to->type_out && sent && room)
        spw_ranks_fail("%s: rank %d sends %s, rank %d receives %s", spw_ranks_where(to->where),
                       m->comm->world[s], from->type_in->name, m->comm->world[r],
                       to->type_out->name);
    if (sent != room)
        spw_ranks_fail("%s: rank %d sends %zu bytes to rank %d, which expects %zu",
                       spw_ranks_where(to->where), m->comm->world[s], sent, m->comm->world[r],
                       room);
    return sent;
}

static void pack(meeting *m, int r) {
    part *to = &m->parts[r];
    const int n = blocks_of(m, r);
    size_t bytes = 0;
    for (int k = 0; k < n; k++) bytes += check_block(m, r, k);
    if (!bytes) return;
    char *at = to->result = spw_ranks_room(1, bytes);
    for (int k = 0; k < n; k++) {
        int s;
        const int j = block(m, r, k, &s);
        const part *from = &m->parts[s];
        if (in_place(m, r, s)) continue;
        const size_t size = spw_ranks_bytes(count_in(from, j), from->type_in);
        const size_t first =
            m->kind == BCAST || m->kind == GATHER || m->kind == ALLGATHER ? 0 : offset_in(from, j);
        if (size) memcpy(at, from->in + first, size);
        at += size;
    }
}

static void unpack(const meeting *m, int r) {
    const part *to = &m->parts[r];
    const int n = blocks_of(m, r);
    const char *at = to->result;
    for (int k = 0; k < n; k++) {
        int s;
        (void)block(m, r, k, &s);
        if (in_place(m, r, s)) continue;
        const size_t size = spw_ranks_bytes(count_out(to, k), to->type_out);
        const bool alone = m->kind == BCAST || m->kind == SCATTER;
        if (size) memcpy(to->out + (alone ? 0 : offset_out(to, k)), at, size);
        at += size;
    }
}

/* --- reductions ------------------------------------------------------------------------------------------ */

/* In the order of the ranks, so that all of them get the same bits. */
static void reduce(meeting *m) {
    const part *first = &m->parts[0];
    const size_t bytes = spw_ranks_bytes(first->n_in, first->type_in);
    char *sum = m->shared = spw_ranks_room(1, bytes);
    if (bytes) memcpy(sum, first->in, bytes);
    for (int k = 0; k < m->comm->n; k++) {
        part *p = &m->parts[k];
        if (m->kind == EXSCAN && k > 0) {
            p->result = spw_ranks_room(1, bytes);
            memcpy(p->result, sum, bytes);
        }
        if (k > 0 && bytes && !spw_ranks_combine(p->op, p->type_in, sum, p->in, (size_t)p->n_in))
            spw_ranks_fail("%s: this operation is none for %s", spw_ranks_where(p->where),
                           p->type_in->name);
        if (m->kind == SCAN) {
            p->result = spw_ranks_room(1, bytes);
            memcpy(p->result, sum, bytes);
        }
        if (m->kind == ALLREDUCE || (m->kind == REDUCE && k == p->root)) p->result = sum;
    }
}

/* --- communicators --------------------------------------------------------------------------------------- */

static void split(meeting *m) {
    const int n = m->comm->n;
    int *world = spw_ranks_room((size_t)n, sizeof *world);
    for (int k = 0; k < n; k++) {
        part *p = &m->parts[k];
        int count = 0;
        if (p->made || p->colour == MPI_UNDEFINED) continue;
        for (int i = 0; i < n; i++) {
            if (m->parts[i].colour != p->colour) continue;
            int at = count++; /* behind all with a key that is not larger */
            for (; at > 0 && m->parts[m->comm->number[world[at - 1]]].key > m->parts[i].key; at--)
                world[at] = world[at - 1];
            world[at] = m->comm->world[i];
        }
        communicator *c = spw_ranks_make_comm(count, world);
        for (int i = 0; i < count; i++) m->parts[m->comm->number[world[i]]].made = c;
    }
    spw_free(world);
}

static int *copied(int n, const int *from) {
    int *to = spw_ranks_room((size_t)n, sizeof *to);
    if (n) memcpy(to, from, (size_t)n * sizeof *to);
    return to;
}

static void make_graph(meeting *m) {
    const int n = m->comm->n;
    communicator *c = spw_ranks_make_comm(n, m->comm->world);
    c->graph_from = spw_ranks_room((size_t)n, sizeof *c->graph_from);
    c->graph_to = spw_ranks_room((size_t)n, sizeof *c->graph_to);
    c->n_from = spw_ranks_room((size_t)n, sizeof *c->n_from);
    c->n_to = spw_ranks_room((size_t)n, sizeof *c->n_to);
    for (int k = 0; k < n; k++) {
        part *p = &m->parts[k];
        c->n_from[k] = p->n_in;
        c->graph_from[k] = copied(p->n_in, p->ns_in);
        c->n_to[k] = p->n_out;
        c->graph_to[k] = copied(p->n_out, p->ns_out);
        p->made = c;
    }
}

/* --- meeting --------------------------------------------------------------------------------------------- */

/* What a rank of them sends at most, for the clock. */
static double largest(const meeting *m) {
    double most = 0;
    for (int k = 0; k < m->comm->n; k++) {
        const part *p = &m->parts[k];
        double bytes = 0;
        if (!p->type_in) continue;
        const int n = m->kind == NEIGHBOURS ? m->comm->n_to[k] : p->ns_in ? m->comm->n : 1;
        for (int j = 0; j < n; j++) bytes += (double)spw_ranks_bytes(count_in(p, j), p->type_in);
        if (bytes > most) most = bytes;
    }
    return most;
}

static void settle(meeting *m) {
    const spw_cluster *c = &E->options.cluster;
    int stages = 0;
    while (1 << stages < m->comm->n) stages++;
    for (int k = 0; k < m->comm->n; k++)
        if (m->parts[k].at > m->at) m->at = m->parts[k].at;
    if (m->kind != FINALIZE)
        m->at += stages * (c->latency + 2 * c->overhead + largest(m) / c->bandwidth);
    if (reduces(m->kind))
        reduce(m);
    else if (moves(m->kind))
        for (int k = 0; k < m->comm->n; k++) pack(m, k);
    else if (m->kind == DUP || m->kind == SPLIT)
        split(m);
    else if (m->kind == GRAPH)
        make_graph(m);
    m->done = true;
    if (m->kind <= NEIGHBOURS) E->collectives++;
    for (int k = 0; k < m->comm->n; k++) spw_ranks_wake(m->comm->world[k]);
}

static void free_meeting(meeting *m) {
    for (int k = 0; k < m->comm->n; k++)
        if (m->parts[k].result != m->shared) spw_free(m->parts[k].result);
    spw_free(m->shared);
    spw_free(m->parts);
    spw_free(m);
}

void spw_ranks_free_meetings(communicator *c) {
    for (meeting *m = c->meetings, *next; m; m = next) {
        next = m->next;
        free_meeting(m);
    }
}

/* Rank r has its result, and goes on. The last one takes the meeting away. */
static communicator *leave(meeting *m) {
    const int r = m->comm->number[E->now->number];
    const part *p = &m->parts[r];
    communicator *made = p->made;
    const size_t bytes = reduces(m->kind) ? spw_ranks_bytes(p->n_in, p->type_in) : 0;
    for (size_t k = 0; p->poisoned && k < bytes; k++)
        if ((unsigned char)p->out[k] != POISON)
            spw_ranks_fail("rank %d: the result of %s was written before its wait", E->now->number,
                           spw_ranks_where(p->where));
    if (p->result && bytes) memcpy(p->out, p->result, bytes);
    if (p->result && moves(m->kind)) unpack(m, r);
    if (++m->left < m->comm->n) return made;
    meeting **at = &m->comm->meetings;
    while (*at != m) at = &(*at)->next;
    *at = m->next;
    free_meeting(m);
    return made;
}

meeting *spw_ranks_meet(communicator *c, collective_kind kind, const part *mine, bool blocking) {
    rank *me = E->now;
    const int number = c->number[me->number];
    meeting *m = enter(c, kind, number);
    part *p = &m->parts[number];
    *p = *mine;
    p->where = me->last;
    p->at = me->clock;
    if (has_root(kind) && (p->root < 0 || p->root >= c->n))
        spw_ranks_fail("rank %d: the root of %s is %d; there are 0 to %d", me->number,
                       spw_ranks_where(me->last), p->root, c->n - 1);
    for (int k = 0; k < c->n; k++)
        if (m->parts[k].here) {
            check_alike(m, &m->parts[k], p);
            break;
        }
    p->here = true;
    if (++m->arrived == c->n) settle(m);
    if (!blocking) {
        p->poisoned = reduces(kind) && p->in != p->out;
        if (p->poisoned) memset(p->out, POISON, spw_ranks_bytes(p->n_in, p->type_in));
        return m;
    }
    while (!m->done) {
        me->in_meeting = m;
        spw_ranks_wait();
    }
    me->in_meeting = NULL;
    if (m->at > me->clock) me->clock = m->at;
    return m;
}

void spw_ranks_finish_meeting(request *q) {
    q->arrival = q->meeting->at;
    (void)leave(q->meeting);
}

/* --- the calls ------------------------------------------------------------------------------------------- */

/* With in place, what is sent lies where the result goes. */
static int go(MPI_Comm comm, collective_kind kind, part *p, MPI_Request *handle) {
    communicator *c = spw_ranks_comm(comm);
    const bool is_there = kind != REDUCE || p->root == c->number[E->now->number];
    if (reduces(kind) && is_there && p->n_in > 0 && p->in == p->out)
        spw_ranks_fail("rank %d: %s takes its operands from where the result goes: two buffers, or "
                       "MPI_IN_PLACE for the first",
                       E->now->number, spw_ranks_where(E->now->last));
    if (reduces(kind) && p->in == MPI_IN_PLACE) p->in = p->out;
    if (kind == ALLGATHER && p->in == MPI_IN_PLACE) {
        const int number = c->number[E->now->number];
        p->in = p->out + offset_out(p, number);
        p->n_in = count_out(p, number);
        p->type_in = p->type_out;
    }
    if (kind == ALLTOALL && p->in == MPI_IN_PLACE)
        spw_ranks_fail("rank %d: MPI_IN_PLACE in %s is not in the workbook's MPI", E->now->number,
                       spw_ranks_where(E->now->last));
    if (p->n_in < 0 || p->n_out < 0)
        spw_ranks_fail("rank %d: a count of %s is negative", E->now->number,
                       spw_ranks_where(E->now->last));
    meeting *m = spw_ranks_meet(c, kind, p, !handle);
    if (!handle) {
        (void)leave(m);
        return MPI_SUCCESS;
    }
    request *q = spw_ranks_new_request(COLLECTIVE);
    q->comm = c;
    q->meeting = m;
    spw_ranks_activate(q);
    *handle = q->handle;
    return MPI_SUCCESS;
}

static part reduction(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op,
                      int root) {
    (void)spw_ranks_me();
    const datatype *t = spw_ranks_type(type);
    return (part){.in = in, .out = out, .n_in = count, .type_in = t, .op = op, .root = root};
}

static part transfer(const void *in, int n_in, MPI_Datatype type_in, void *out, int n_out,
                     MPI_Datatype type_out, int root) {
    (void)spw_ranks_me();
    const bool sends = in != MPI_IN_PLACE, receives = out != MPI_IN_PLACE;
    const datatype *from = spw_ranks_type(sends ? type_in : type_out);
    return (part){.in = in,
                  .out = out,
                  .n_in = sends ? n_in : 0,
                  .n_out = n_out,
                  .type_in = from,
                  .type_out = receives ? spw_ranks_type(type_out) : from,
                  .root = root};
}

int spw_MPI_Barrier(MPI_Comm comm) { return go(comm, BARRIER, &(part){0}, NULL); }

int spw_MPI_Ibarrier(MPI_Comm comm, MPI_Request *handle) {
    return go(comm, BARRIER, &(part){0}, handle);
}

int spw_MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    part p = transfer(data, count, type, data, count, type, root);
    return go(comm, BCAST, &p, NULL);
}

int spw_MPI_Reduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root,
                   MPI_Comm comm) {
    part p = reduction(in, out, count, type, op, root);
    return go(comm, REDUCE, &p, NULL);
}

int spw_MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op,
                      MPI_Comm comm) {
    part p = reduction(in, out, count, type, op, 0);
    return go(comm, ALLREDUCE, &p, NULL);
}

int spw_MPI_Iallreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm, MPI_Request *handle) {
    part p = reduction(in, out, count, type, op, 0);
    return go(comm, ALLREDUCE, &p, handle);
}

int spw_MPI_Scan(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op,
                 MPI_Comm comm) {
    part p = reduction(in, out, count, type, op, 0);
    return go(comm, SCAN, &p, NULL);
}

int spw_MPI_Exscan(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm) {
    part p = reduction(in, out, count, type, op, 0);
    return go(comm, EXSCAN, &p, NULL);
}

int spw_MPI_Gather(const void *in, int n_in, MPI_Datatype type_in, void *out, int n_out,
                   MPI_Datatype type_out, int root, MPI_Comm comm) {
    return spw_MPI_Gatherv(in, n_in, type_in, out, &n_out, NULL, type_out, root, comm);
}

/* first_out NULL: n_out is one number. What a root alone gives is not looked at on the others. */
int spw_MPI_Gatherv(const void *in, int n_in, MPI_Datatype type_in, void *out, const int *n_out,
                    const int *first_out, MPI_Datatype type_out, int root, MPI_Comm comm) {
    communicator *c = spw_ranks_comm(comm);
    const bool here = c->number[E->now->number] == root;
    part p = transfer(in, n_in, type_in, here ? out : NULL, here && !first_out ? *n_out : 0,
                      here ? type_out : type_in, root);
    if (here && first_out) p.ns_out = n_out, p.first_out = first_out;
    return go(comm, GATHER, &p, NULL);
}

int spw_MPI_Allgather(const void *in, int n_in, MPI_Datatype type_in, void *out, int n_out,
                      MPI_Datatype type_out, MPI_Comm comm) {
    part p = transfer(in, n_in, type_in, out, n_out, type_out, 0);
    return go(comm, ALLGATHER, &p, NULL);
}

int spw_MPI_Allgatherv(const void *in, int n_in, MPI_Datatype type_in, void *out, const int *n_out,
                       const int *first_out, MPI_Datatype type_out, MPI_Comm comm) {
    part p = transfer(in, n_in, type_in, out, 0, type_out, 0);
    p.ns_out = n_out;
    p.first_out = first_out;
    return go(comm, ALLGATHER, &p, NULL);
}

int spw_MPI_Scatter(const void *in, int n_in, MPI_Datatype type_in, void *out, int n_out,
                    MPI_Datatype type_out, int root, MPI_Comm comm) {
    return spw_MPI_Scatterv(in, &n_in, NULL, type_in, out, n_out, type_out, root, comm);
}

int spw_MPI_Scatterv(const void *in, const int *n_in, const int *first_in, MPI_Datatype type_in,
                     void *out, int n_out, MPI_Datatype type_out, int root, MPI_Comm comm) {
    communicator *c = spw_ranks_comm(comm);
    const bool here = c->number[E->now->number] == root;
    part p = transfer(here ? in : NULL, here && !first_in ? *n_in : 0, here ? type_in : type_out,
                      out, n_out, type_out, root);
    if (here && first_in) p.ns_in = n_in, p.first_in = first_in;
    return go(comm, SCATTER, &p, NULL);
}

int spw_MPI_Alltoall(const void *in, int n_in, MPI_Datatype type_in, void *out, int n_out,
                     MPI_Datatype type_out, MPI_Comm comm) {
    part p = transfer(in, n_in, type_in, out, n_out, type_out, 0);
    return go(comm, ALLTOALL, &p, NULL);
}

int spw_MPI_Alltoallv(const void *in, const int *n_in, const int *first_in, MPI_Datatype type_in,
                      void *out, const int *n_out, const int *first_out, MPI_Datatype type_out,
                      MPI_Comm comm) {
    part p = transfer(in, 0, type_in, out, 0, type_out, 0);
    p.ns_in = n_in, p.first_in = first_in, p.ns_out = n_out, p.first_out = first_out;
    return go(comm, ALLTOALL, &p, NULL);
}

int spw_MPI_Neighbor_alltoallv(const void *in, const int *n_in, const int *first_in,
                               MPI_Datatype type_in, void *out, const int *n_out,
                               const int *first_out, MPI_Datatype type_out, MPI_Comm comm) {
    part p = transfer(in, 0, type_in, out, 0, type_out, 0);
    if (!spw_ranks_comm(comm)->graph_from)
        spw_ranks_fail("rank %d: the communicator of %s is no graph", E->now->number,
                       spw_ranks_where(E->now->last));
    p.ns_in = n_in, p.first_in = first_in, p.ns_out = n_out, p.first_out = first_out;
    return go(comm, NEIGHBOURS, &p, NULL);
}

static int make(MPI_Comm comm, collective_kind kind, const part *p, MPI_Comm *made) {
    const communicator *c = leave(spw_ranks_meet(spw_ranks_comm(comm), kind, p, true));
    *made = c ? c->handle : MPI_COMM_NULL;
    return MPI_SUCCESS;
}

int spw_MPI_Comm_dup(MPI_Comm comm, MPI_Comm *copy) { return make(comm, DUP, &(part){0}, copy); }

int spw_MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm *made) {
    if (colour < 0 && colour != MPI_UNDEFINED)
        spw_ranks_fail("rank %d: %s has colour %d: from 0, or MPI_UNDEFINED", E->now->number,
                       spw_ranks_where(E->now->last), colour);
    return make(comm, SPLIT, &(part){.colour = colour, .key = key}, made);
}

int spw_MPI_Dist_graph_create_adjacent(MPI_Comm comm, int n_from, const int *from,
                                       const int *from_weights, int n_to, const int *to,
                                       const int *to_weights, MPI_Info info, int reorder,
                                       MPI_Comm *graph) {
    (void)from_weights, (void)to_weights, (void)info, (void)reorder;
    const part p = {.n_in = n_from, .ns_in = from, .n_out = n_to, .ns_out = to};
    return make(comm, GRAPH, &p, graph);
}

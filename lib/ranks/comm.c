/* Handles: communicators, datatypes, operations; and the calls that ask for nothing but them. */
#include "ranks/state.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

/* --- datatypes and operations -------------------------------------------------------------------------- */

typedef struct double_int {
    double value;
    int index;
} double_int;

#define TYPE(name, c_type, element_) [name - MPI_DATATYPE_NULL] = {#name, sizeof(c_type), element_}
static const datatype types[] = {
    TYPE(MPI_CHAR, char, SIGNED),
    TYPE(MPI_SIGNED_CHAR, signed char, SIGNED),
    TYPE(MPI_UNSIGNED_CHAR, unsigned char, UNSIGNED),
    TYPE(MPI_BYTE, char, UNSIGNED),
    TYPE(MPI_SHORT, short, SIGNED),
    TYPE(MPI_UNSIGNED_SHORT, unsigned short, UNSIGNED),
    TYPE(MPI_INT, int, SIGNED),
    TYPE(MPI_UNSIGNED, unsigned, UNSIGNED),
    TYPE(MPI_LONG, long, SIGNED),
    TYPE(MPI_UNSIGNED_LONG, unsigned long, UNSIGNED),
    TYPE(MPI_LONG_LONG, long long, SIGNED),
    TYPE(MPI_UNSIGNED_LONG_LONG, unsigned long long, UNSIGNED),
    TYPE(MPI_FLOAT, float, REAL),
    TYPE(MPI_DOUBLE, double, REAL),
    TYPE(MPI_C_BOOL, bool, UNSIGNED),
    TYPE(MPI_INT8_T, int8_t, SIGNED),
    TYPE(MPI_UINT8_T, uint8_t, UNSIGNED),
    TYPE(MPI_INT16_T, int16_t, SIGNED),
    TYPE(MPI_UINT16_T, uint16_t, UNSIGNED),
    TYPE(MPI_INT32_T, int32_t, SIGNED),
    TYPE(MPI_UINT32_T, uint32_t, UNSIGNED),
    TYPE(MPI_INT64_T, int64_t, SIGNED),
    TYPE(MPI_UINT64_T, uint64_t, UNSIGNED),
    TYPE(MPI_2INT, int[2], PAIR),
    TYPE(MPI_DOUBLE_INT, double_int, PAIR),
};

const datatype *spw_ranks_type(MPI_Datatype type) {
    const int k = type - MPI_DATATYPE_NULL, n = (int)(sizeof types / sizeof types[0]);
    if (k < 1 || k >= n)
        spw_ranks_fail("rank %d: the datatype of %s is none", E->now->number,
                       spw_ranks_where(E->now->last));
    return &types[k];
}

size_t spw_ranks_bytes(int count, const datatype *type) {
    return (size_t)count * (size_t)type->size;
}

/* One element, whatever its type. */
typedef struct value {
    double real;
    int64_t whole; /* or the bits of an unsigned one */
} value;

static value load(const datatype *t, const char *from) {
    value v = {0, 0};
    float f;
    if (t->element == REAL) {
        if (t->size == (int)sizeof f)
            memcpy(&f, from, sizeof f), v.real = (double)f;
        else
            memcpy(&v.real, from, sizeof v.real);
        return v;
    }
    memcpy(&v.whole, from,
           (size_t)t->size); /* of a little-endian machine, as all that are supported */
    const int shift = 64 - 8 * t->size;
    if (t->element == SIGNED) v.whole = (int64_t)((uint64_t)v.whole << shift) >> shift;
    return v;
}

static void store(const datatype *t, char *to, value v) {
    const float f = (float)v.real;
    if (t->element != REAL)
        memcpy(to, &v.whole, (size_t)t->size);
    else if (t->size == (int)sizeof f)
        memcpy(to, &f, sizeof f);
    else
        memcpy(to, &v.real, sizeof v.real);
}

static value combine_real(MPI_Op op, value a, value b) {
    switch (op) {
    case MPI_SUM: a.real += b.real; break;
    case MPI_PROD: a.real *= b.real; break;
    case MPI_MAX: a.real = b.real > a.real ? b.real : a.real; break;
    default: a.real = b.real < a.real ? b.real : a.real;
    }
    return a;
}

static value combine_whole(MPI_Op op, bool is_signed, value a, value b) {
    const uint64_t x = (uint64_t)a.whole, y = (uint64_t)b.whole;
    const bool less = is_signed ? b.whole < a.whole : y < x;
    uint64_t z = x;
    switch (op) {
    case MPI_SUM: z = x + y; break;
    case MPI_PROD: z = x * y; break;
    case MPI_MAX: z = less ? x : y; break;
    case MPI_MIN: z = less ? y : x; break;
    case MPI_LAND: z = x && y; break;
    case MPI_LOR: z = x || y; break;
    case MPI_LXOR: z = !x != !y; break;
    case MPI_BAND: z = x & y; break;
    case MPI_BOR: z = x | y; break;
    default: z = x ^ y;
    }
    a.whole = (int64_t)z;
    return a;
}

/* MAXLOC and MINLOC: the value, and the lowest index that has it. */
static void combine_pair(MPI_Op op, const datatype *t, char *to, const char *with) {
    const bool reals = t->size != (int)sizeof(int[2]);
    double a, b;
    int ints_a[2], ints_b[2];
    double_int real_a, real_b;
    if (reals) {
        memcpy(&real_a, to, sizeof real_a);
        memcpy(&real_b, with, sizeof real_b);
        a = real_a.value, b = real_b.value;
        ints_a[1] = real_a.index, ints_b[1] = real_b.index;
    } else {
        memcpy(ints_a, to, sizeof ints_a);
        memcpy(ints_b, with, sizeof ints_b);
        a = ints_a[0], b = ints_b[0];
    }
    const bool further = op == MPI_MAXLOC ? b > a : b < a;
    if (further || (!(a < b) && !(a > b) && ints_b[1] < ints_a[1]))
        memcpy(to, with, (size_t)t->size);
}

bool spw_ranks_combine(MPI_Op op, const datatype *t, char *to, const char *with, size_t count) {
    const bool locates = op == MPI_MAXLOC || op == MPI_MINLOC,
               counts = op >= MPI_LAND && op <= MPI_BXOR;
    if (op <= MPI_OP_NULL || op > MPI_MINLOC || locates != (t->element == PAIR) ||
        (t->element == REAL && counts))
        return false;
    for (size_t k = 0; k < count; k++, to += t->size, with += t->size) {
        if (t->element == PAIR) {
            combine_pair(op, t, to, with);
            continue;
        }
        const value a = load(t, to), b = load(t, with);
        store(t, to,
              t->element == REAL ? combine_real(op, a, b)
                                 : combine_whole(op, t->element == SIGNED, a, b));
    }
    return true;
}

int spw_MPI_Type_size(MPI_Datatype type, int *size) {
    *size = spw_ranks_type(type)->size;
    return MPI_SUCCESS;
}

int spw_MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count) {
    const long long size = spw_ranks_type(type)->size;
    *count = status->spw_bytes % size ? MPI_UNDEFINED : (int)(status->spw_bytes / size);
    return MPI_SUCCESS;
}

/* --- communicators ------------------------------------------------------------------------------------- */

communicator *spw_ranks_make_comm(int n, const int *world) {
    communicator *c = spw_ranks_room(1, sizeof *c);
    communicator **all = spw_ranks_room((size_t)E->n_comms + 1, sizeof *all);
    if (E->n_comms) memcpy(all, E->comms, (size_t)E->n_comms * sizeof *all);
    spw_free(E->comms);
    E->comms = all;
    c->handle = MPI_COMM_WORLD + E->n_comms;
    c->made = E->now->last;
    c->n = n;
    E->comms[E->n_comms++] = c;
    c->world = spw_ranks_room((size_t)n, sizeof *c->world);
    c->number = spw_ranks_room((size_t)E->n, sizeof *c->number);
    c->entered = spw_ranks_room((size_t)n, sizeof *c->entered);
    c->freed = spw_ranks_room((size_t)n, sizeof *c->freed);
    for (int k = 0; k < E->n; k++) c->number[k] = -1;
    for (int k = 0; k < n; k++) {
        c->world[k] = world ? world[k] : k;
        c->number[c->world[k]] = k;
    }
    return c;
}

void spw_ranks_destroy_comm(communicator *c) {
    spw_ranks_free_meetings(c);
    for (int k = 0; k < c->n && c->graph_from; k++) {
        spw_free(c->graph_from[k]);
        spw_free(c->graph_to[k]);
    }
    spw_free(c->graph_from);
    spw_free(c->graph_to);
    spw_free(c->n_from);
    spw_free(c->n_to);
    spw_free(c->world);
    spw_free(c->number);
    spw_free(c->entered);
    spw_free(c->freed);
    spw_free(c);
}

/* MPI_COMM_WORLD is there from the first call on. MPI_COMM_SELF of each rank is made when it is asked for. */
communicator *spw_ranks_comm(MPI_Comm handle) {
    rank *me = spw_ranks_me();
    if (!E->n_comms) {
        spw_ranks_make_comm(E->n, NULL);
        spw_ranks_make_comm(E->n, NULL); /* in the place of SELF: nobody gets it */
    }
    const int k = handle - MPI_COMM_WORLD;
    communicator *c = k >= 0 && k < E->n_comms ? E->comms[k] : NULL;
    if (handle == MPI_COMM_SELF) {
        c = NULL;
        for (int i = 2; i < E->n_comms && !c; i++)
            if (E->comms[i]->n == 1 && E->comms[i]->world[0] == me->number &&
                !E->comms[i]->made.call)
                c = E->comms[i];
        if (!c) {
            c = spw_ranks_make_comm(1, &me->number);
            c->made = (site){NULL, 0, NULL};
        }
        return c;
    }
    if (!c || c->number[me->number] < 0 || c->freed[c->number[me->number]])
        spw_ranks_fail("rank %d: the communicator of %s is none%s", me->number,
                       spw_ranks_where(me->last),
                       handle == MPI_COMM_NULL ? " (MPI_COMM_NULL)"
                       : c                     ? ": freed, or of others"
                                               : "");
    return c;
}

int spw_MPI_Comm_rank(MPI_Comm comm, int *number) {
    *number = spw_ranks_comm(comm)->number[E->now->number];
    return MPI_SUCCESS;
}

int spw_MPI_Comm_size(MPI_Comm comm, int *size) {
    *size = spw_ranks_comm(comm)->n;
    return MPI_SUCCESS;
}

int spw_MPI_Comm_free(MPI_Comm *comm) {
    rank *me = spw_ranks_me();
    communicator *c = spw_ranks_comm(*comm);
    if (c == E->comms[0])
        spw_ranks_fail("rank %d: %s frees MPI_COMM_WORLD", me->number, spw_ranks_where(me->last));
    c->freed[c->number[me->number]] = true;
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

/* What goes wrong ends the run here in any case. */
int spw_MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler) {
    (void)spw_ranks_comm(comm);
    (void)handler;
    return MPI_SUCCESS;
}

/* --- beginning and end --------------------------------------------------------------------------------- */

int spw_MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    rank *me = E->now;
    (void)argc;
    (void)argv;
    if (me->initialised)
        spw_ranks_fail("rank %d: %s is the second", me->number, spw_ranks_where(me->last));
    me->initialised = true;
    if (provided)
        *provided = required < MPI_THREAD_FUNNELED ? MPI_THREAD_SINGLE : MPI_THREAD_FUNNELED;
    return MPI_SUCCESS;
}

int spw_MPI_Init(int *argc, char ***argv) {
    return spw_MPI_Init_thread(argc, argv, MPI_THREAD_SINGLE, NULL);
}

int spw_MPI_Initialized(int *flag) {
    *flag = E->now->initialised;
    return MPI_SUCCESS;
}

int spw_MPI_Finalized(int *flag) {
    *flag = E->now->finalised;
    return MPI_SUCCESS;
}

int spw_MPI_Finalize(void) {
    rank *me = spw_ranks_me();
    const part mine = {0};
    spw_ranks_check_left(me);
    (void)spw_ranks_meet(spw_ranks_comm(MPI_COMM_WORLD), FINALIZE, &mine, true);
    for (int k = 2; k < E->n_comms; k++) {
        const communicator *c = E->comms[k];
        const int number = c->number[me->number];
        if (c->made.call && number >= 0 && !c->freed[number])
            spw_ranks_find("rank %d: the communicator of %s was never freed (MPI_Comm_free)",
                           me->number, spw_ranks_where(c->made));
    }
    me->finalised = true;
    me->final = me->last;
    return MPI_SUCCESS;
}

int spw_MPI_Abort(MPI_Comm comm, int code) {
    (void)spw_ranks_comm(comm);
    E->aborted = 1;
    E->abort_code = code;
    spw_ranks_find("rank %d ended all by %s with %d", E->now->number, spw_ranks_where(E->now->last),
                   code);
    spw_ranks_stop();
}

double spw_MPI_Wtime(void) { return E->now->clock; }
double spw_MPI_Wtick(void) { return 1e-9; }

int spw_MPI_Get_processor_name(char *name, int *length) {
    *length = snprintf(name, MPI_MAX_PROCESSOR_NAME, "rank-%d", E->now->number);
    return MPI_SUCCESS;
}

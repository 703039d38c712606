/* Ranks in one process: driver_ranks.h. */
#include "driver_ranks.h"

#include "base/memory.h"
#include "judge/explain.h"
#include "kit/systems.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { STACK = 1 << 20, BEHIND = 0x5B };

static crew *now; /* whose ranks run */

/* --- room ------------------------------------------------------------------------------------------ */

/* Filled with garbage where values are checked. NULL: none, and that is the trouble. */
static void *room(crew *C, int rank, const char *name, int64_t count, size_t size) {
    const size_t bytes = (size_t)count * size, page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t open = (bytes + page - 1) / page * page;
    block b = {.name = name, .rank = rank};
    if (C->n_blocks == C->room_blocks) {
        C->room_blocks = 2 * C->room_blocks + 64;
        C->blocks = realloc(C->blocks, (size_t)C->room_blocks * sizeof *C->blocks);
        if (!C->blocks) abort();
    }
    if (C->of[0].computes) {
        b.size = open + 2 * page;
        void *all = mmap(NULL, b.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        b.at = all == MAP_FAILED ? NULL : all;
    } else {
        b.at = calloc(bytes + 1, 1);
    }
    if (!b.at) {
        crew_trouble(C, "rank %d: there is no room for %lld entries of %s", rank, (long long)count,
                     name);
        return NULL;
    }
    b.end = b.at + (b.size ? open : bytes);
    if (b.size) memset(b.at, BEHIND, open + page);
    if (b.size) mprotect(b.end + page, page, PROT_NONE);
    C->blocks[C->n_blocks++] = b;
    return b.end - bytes;
}

static void check_ends(crew *C) {
    const int64_t page = sysconf(_SC_PAGESIZE);
    for (int k = 0; k < C->n_blocks; k++)
        for (int64_t i = 0; C->blocks[k].size && i < page; i++)
            if (C->blocks[k].end[i] != BEHIND) {
                crew_trouble(C, "rank %d: the array %s was written behind its end",
                             C->blocks[k].rank, C->blocks[k].name);
                return;
            }
}

/* What is there before a plan. */
static bool make_rooms(crew *C) {
    for (int r = 0; r < C->P; r++) {
        member *m = &C->of[r];
        halo *h = &m->h;
        m->R = (rows){.rank = r,
                      .ranks = C->P,
                      .first = C->first,
                      .n = (spw_idx)(C->first[r + 1] - C->first[r]),
                      .n_ghosts = m->part.n_ghosts,
                      .ghosts = m->part.ghosts};
        h->n_to = h->n_from = -1;
        h->to = room(C, r, "to", C->P, sizeof *h->to);
        h->from = room(C, r, "from", C->P, sizeof *h->from);
        h->to_ptr = room(C, r, "to_ptr", C->P + 1, sizeof *h->to_ptr);
        h->from_ptr = room(C, r, "from_ptr", C->P + 1, sizeof *h->from_ptr);
        h->requests = room(C, r, "requests", 2 * C->P, sizeof *h->requests);
        m->x = room(C, r, "x", (int64_t)m->R.n + m->R.n_ghosts, sizeof *m->x);
        m->y = room(C, r, "y", m->R.n, sizeof *m->y);
        if (C->trouble[0]) return false;
    }
    return true;
}

void crew_close(crew *C) {
    for (int k = 0; k < C->n_blocks; k++)
        if (C->blocks[k].size)
            munmap(C->blocks[k].at, C->blocks[k].size);
        else
            free(C->blocks[k].at);
    for (int r = 0; C->of && r < C->P; r++) spw_rows_destroy(&C->of[r].part);
    free(C->blocks);
    spw_free(C->first);
    spw_free(C->of);
    C->blocks = NULL, C->first = NULL, C->of = NULL, C->n_blocks = 0;
}

/* --- who sends what -------------------------------------------------------------------------------- */

static bool give_room(crew *C, int rank, halo *h, int64_t entries) {
    h->to_rows = room(C, rank, "to_rows", entries, sizeof *h->to_rows);
    h->buffer = room(C, rank, "buffer", entries, sizeof *h->buffer);
    return h->to_rows && h->buffer;
}

/* Ghost after ghost, receiver after receiver. Without `fills` the lists are counted alone. */
static void go_round(crew *C, bool fills) {
    for (int r = 0; r < C->P; r++) {
        halo *mine = &C->of[r].h;
        int owner = -1;
        for (spw_idx g = 0; g < C->of[r].R.n_ghosts; g++) {
            const int64_t column = C->of[r].R.ghosts[g];
            const int before = owner;
            while (owner < 0 || column >= C->first[owner + 1]) owner++;
            halo *h = &C->of[owner].h;
            if (owner != before) {
                mine->from[mine->n_from++] = owner;
                h->to[h->n_to++] = r;
                h->to_ptr[h->n_to] = h->to_ptr[h->n_to - 1];
            }
            mine->from_ptr[mine->n_from] = g + 1;
            if (fills) h->to_rows[h->to_ptr[h->n_to]] = (spw_idx)(column - C->first[owner]);
            h->to_ptr[h->n_to]++;
        }
    }
}

void crew_plan(crew *C) {
    for (int pass = 0; pass < 2; pass++) {
        for (int r = 0; r < C->P; r++) {
            halo *h = &C->of[r].h;
            if (pass && !give_room(C, r, h, h->to_ptr[h->n_to])) return;
            h->n_to = h->n_from = 0;
            h->to_ptr[0] = h->from_ptr[0] = 0;
        }
        go_round(C, pass);
    }
    C->least = (exchange){0};
    for (int r = 0; r < C->P; r++) {
        C->least.messages += C->of[r].h.n_from;
        C->least.bytes += 8 * (int64_t)C->of[r].R.n_ghosts;
    }
}

/* --- crews ----------------------------------------------------------------------------------------- */

static spw_status enlist(int P, bool computes, crew *C) {
    *C = (crew){.P = P};
    spw_status status = SPW_ALLOC_ZERO(&C->first, P + 1);
    if (!status) status = SPW_ALLOC_ZERO(&C->of, P);
    for (int r = 0; !status && r < P; r++) C->of[r].computes = computes;
    return status;
}

spw_status crew_of_matrix(const spw_csr *A, int P, bool unequal, crew *C) {
    spw_status status = enlist(P, true, C);
    for (int64_t r = 0; !status && r <= P; r++)
        C->first[r] =
            unequal ? A->n_rows * r * (r + 1) / ((int64_t)P * (P + 1)) : A->n_rows * r / P;
    for (int r = 0; !status && r < P; r++) {
        const spw_csr mine = spw_rows_of(A, C->first[r], C->first[r + 1]);
        status = spw_rows_split(&(spw_comm){r, P}, &mine, C->first, &C->of[r].part);
    }
    return !status && !make_rooms(C) ? spw_error(SPW_ERR_MEMORY, "%s", C->trouble) : status;
}

/* Along one direction, box c of `grid`: the box at -1, 0 or 1 beside it has these of its points next to it. False: there
 * is none. */
static bool side(int c, int step, int grid, int edge, int *begin, int *end) {
    *begin = step < 0 ? edge - 1 : 0;
    *end = step > 0 ? 1 : edge;
    return c + step >= 0 && c + step < grid;
}

/* For each neighbour in the order of ranks: its points beside box c. ghosts: NULL, or where they are written. */
static exchange look_around(const int edge[3], const int grid[3], const int c[3], int64_t *ghosts) {
    const int64_t points = (int64_t)edge[0] * edge[1] * edge[2];
    exchange e = {0};
    int64_t n = 0;
    for (int k = 0; k < 27; k++) {
        const int step[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        int from[3], to[3];
        bool there = k != 13;
        for (int d = 0; d < 3; d++)
            there = side(c[d], step[d], grid[d], edge[d], &from[d], &to[d]) && there;
        if (!there) continue;
        const int64_t rank =
            c[0] + step[0] + (int64_t)grid[0] * (c[1] + step[1] + grid[1] * (c[2] + step[2]));
        e.messages++;
        e.bytes += 8 * (int64_t)(to[0] - from[0]) * (to[1] - from[1]) * (to[2] - from[2]);
        for (int z = from[2]; ghosts && z < to[2]; z++)
            for (int y = from[1]; y < to[1]; y++)
                for (int x = from[0]; x < to[0]; x++)
                    ghosts[n++] = rank * points + x + (int64_t)edge[0] * (y + edge[1] * z);
    }
    return e;
}

static void coordinates(int rank, const int grid[3], int c[3]) {
    c[0] = rank % grid[0], c[1] = rank / grid[0] % grid[1], c[2] = rank / grid[0] / grid[1];
}

exchange boxes_exchange(const int edge[3], const int grid[3]) {
    exchange all = {0};
    int c[3];
    for (int r = 0; r < grid[0] * grid[1] * grid[2]; r++) {
        coordinates(r, grid, c);
        const exchange e = look_around(edge, grid, c, NULL);
        all.messages += e.messages;
        all.bytes += e.bytes;
        if (e.messages > all.most_messages) all.most_messages = e.messages;
        if (e.bytes > all.most_bytes) all.most_bytes = e.bytes;
    }
    return all;
}

/* Bytes as exercises count them, 27 points: own entries and ghosts apart; five loops over vectors of Jacobi's CG. */
static void charge(const int edge[3], const int grid[3], const int c[3], double bandwidth,
                   member *m) {
    double n = 1, inside = 1, own = 1, all = 1, ghosts = (double)m->part.n_ghosts;
    for (int d = 0; d < 3; d++) {
        const int sides = (c[d] > 0) + (c[d] + 1 < grid[d]);
        n *= edge[d];
        inside *= edge[d] > sides ? edge[d] - sides : 0;
        own *= 3 * edge[d] - 2;
        all *= 3 * edge[d] - 2 + sides;
    }
    m->t_local = (12 * own + 28 * n) / bandwidth;
    m->t_ghosts = (12 * (all - own) + 24 * (n - inside) + 8 * ghosts) / bandwidth;
    m->t_vectors = 112 * n / bandwidth;
}

spw_status crew_of_boxes(const int edge[3], const int grid[3], const spw_cluster *c, crew *C) {
    spw_status status = enlist(grid[0] * grid[1] * grid[2], false, C);
    for (int r = 0; !status && r < C->P; r++) {
        member *m = &C->of[r];
        int at[3];
        coordinates(r, grid, at);
        m->part.n_ghosts = (spw_idx)(look_around(edge, grid, at, NULL).bytes / 8);
        status = SPW_ALLOC(&m->part.ghosts, m->part.n_ghosts);
        if (!status) (void)look_around(edge, grid, at, m->part.ghosts);
        charge(edge, grid, at, c->memory_bandwidth, m);
        C->first[r + 1] = C->first[r] + (int64_t)edge[0] * edge[1] * edge[2];
    }
    return !status && !make_rooms(C) ? spw_error(SPW_ERR_MEMORY, "%s", C->trouble) : status;
}

/* --- what the answer calls ------------------------------------------------------------------------- */

void halo_room(halo *h, spw_idx entries) {
    member *m = (member *)((char *)h - offsetof(member, h));
    if (entries < 0 || entries > (int64_t)m->R.n * now->P)
        crew_trouble(
            now,
            "rank %d: halo_room of %d entries, and it has %d rows for %d ranks: were all of\n"
            "to_ptr set, from to_ptr[0] = 0 on?",
            m->R.rank, entries, m->R.n, now->P);
    else if (h->to_rows)
        crew_trouble(now, "rank %d calls halo_room a second time", m->R.rank);
    m->room = entries;
    if (now->trouble[0] || !give_room(now, m->R.rank, h, entries)) exit(1);
}

void multiply_local(const rows *R, const double *x, double *y) {
    const member *m = (const member *)R;
    if (m->computes) spw_system_product(&m->part.local, x, y);
    spw_ranks_charge(m->t_local);
}

void multiply_ghosts(const rows *R, const double *x, double *y) {
    const member *m = (const member *)R;
    const spw_csr *A = &m->part.ghost;
    for (spw_idx i = 0; i < A->n_rows && m->computes; i++)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            y[i] += A->val[k] * x[R->n + A->col_idx[k]];
    spw_ranks_charge(m->t_ghosts);
}

bool crew_run(crew *C, void (*body)(int, void *), void *argument, const spw_cluster *c,
              bool descending, spw_ranks_result *result) {
    spw_ranks_options options = {.ranks = C->P, .descending = descending, .stack = STACK};
    if (c) options.cluster = *c;
    now = C;
    if (C->trouble[0]) return false;
    if (spw_ranks_run(&options, body, argument, result))
        crew_trouble(C, "%s", spw_message());
    else if (!C->trouble[0] && spw_ranks_finding_count()) {
        char line[512];
        const char *at = spw_ranks_findings();
        for (size_t length; *at; at += length + (at[length] == '\n')) {
            at += strspn(at, " ");
            length = strcspn(at, "\n");
            snprintf(line, sizeof line, "%.*s", (int)length, at);
            spw_explain_sentence(C->trouble, sizeof C->trouble, "", line);
        }
        if (C->trouble[0] == '\n') memmove(C->trouble, C->trouble + 1, strlen(C->trouble));
    }
    check_ends(C);
    return !C->trouble[0];
}

/* simt/state.h -- what the files of the checker share. Users see simt/simt.h only.
 *
 * There is one state, because what an answer calls (threadIdx, the compiler's callbacks) has no
 * argument that could carry it. */
#pragma once

#include "simt/fiber.h"
#include "simt/shim.h"
#include "simt/simt.h"

#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>

enum {
    WARP = 32,
    MAX_THREADS = 1024,
    SECTOR = 32,
    MAX_ARRAYS = 512,
    MAX_FINDINGS = 32,
    SPW_SIMT_HANDLES = 64, /* streams and events */
    MAX_SHARED = 227 << 10
};

/* The numbers that CUDA gives these errors. */
enum {
    CUDA_INVALID_VALUE = 1,
    CUDA_MEMORY = 2,
    CUDA_INVALID_CONFIGURATION = 9,
    CUDA_INVALID_DIRECTION = 21,
    CUDA_INVALID_HANDLE = 400,
    CUDA_ILLEGAL_ADDRESS = 700,
    CUDA_TIMEOUT = 702,
    CUDA_MISALIGNED = 716,
    CUDA_LAUNCH_FAILURE = 719
};

/* What stands in new device and shared memory: finite, neither zero nor plausible: -4.3e42 as a double. */
enum { SPW_SIMT_POISON = 0xC8 };

/* --- memory --------------------------------------------------------------------------------------- */

/* Behind SPW_SIMT_DEVICE, _PINNED and _MANAGED come the kinds that cudaMalloc does not make. */
enum { SPACE_SECTION = SPW_SIMT_CONSTANT + 1, SPACE_SHARED, SPACE_DYNAMIC };

/* Who, when and where. */
typedef struct spw_simt_mark {
    uint32_t block;  /* serial number; 0: nobody */
    uint32_t epoch;  /* barriers of the block << 16 | barriers of the warp */
    uint32_t time;   /* fences of the launch before it */
    uint32_t site;   /* in the program */
    uint16_t thread; /* in its block */
    uint8_t way;     /* spw_simt_way */
} spw_simt_mark;

typedef enum spw_simt_way { WAY_PLAIN, WAY_VOLATILE, WAY_ATOMIC, WAY_ATOMIC_BLOCK } spw_simt_way;

/* Who touched a unit of an array last, eight bytes or fewer; a few fields of a vector clock. See shadow.c. */
typedef struct spw_simt_word {
    spw_simt_mark plain, atomic; /* the last stores, atomics being `atomic` with volatile ones */
    spw_simt_mark read;
    uint16_t other; /* another reader of the same epoch, or NOBODY */
} spw_simt_word;

typedef struct spw_simt_array {
    char name[SPW_SIMT_NAME];
    char file[256];
    int line;
    int space;
    bool freed, constant; /* constant: kernels may not write to it */
    bool addressed;       /* a variable, and the host asked for its address */
    char *start;
    size_t size, element; /* bytes; element 0: unknown */
    char *pages;          /* what is mapped */
    size_t pages_size;
    uint8_t *written;     /* [size] 1: was written; NULL: all of it counts as written */
    spw_simt_word *words; /* [size / unit + 2], made at the first access */
    size_t unit;          /* bytes of a word: 8, or 4, 2 or 1 where so few were accessed */
    size_t shadow_size, words_size; /* bytes mapped for the two */
    uint32_t block;                 /* shared memory: the block that it was poisoned for */
    struct {
        size_t low, high;
    } used[2]; /* bytes that the running kernel has read, has written */
} spw_simt_array;

/* --- threads -------------------------------------------------------------------------------------- */

typedef enum lane_state {
    LANE_READY,
    LANE_AT_BARRIER,
    LANE_MEETS,
    LANE_ASKS,
    LANE_GAVE_WAY, /* waits in a loop for what others store */
    LANE_DONE
} lane_state;
typedef enum spw_meeting { MEET_SYNC, MEET_SHUFFLE, MEET_BALLOT, MEET_MATCH } spw_meeting;

/* One access or one basic block on a lane's way. */
typedef struct spw_simt_event {
    uint64_t address;
    uint32_t id; /* site of an access, or node */
    uint16_t size;
    uint8_t access; /* spw_simt_access, or EVENT_NODE */
    uint8_t shared;
} spw_simt_event;
enum { EVENT_NODE = 3 };

typedef struct spw_simt_lane_state {
    lane_state state;
    spw_meeting meeting;
    uint32_t mask; /* of the meeting */
    int source;    /* of the shuffle */
    int predicate;
    uint64_t bits; /* brought to the meeting, then taken away */
    uintptr_t pc;  /* where it waits */
    unsigned call; /* its number in the source, 0: none */
    spw_fiber *fiber;
    spw_simt_index index;
    uint16_t number; /* in the block */
    uint16_t epoch;  /* barriers of its warp so far */
    struct {
        uint32_t time, epoch;
    } fence[2];     /* its last ones, by the launch's count: any, and one for all blocks; 0: none */
    uint32_t spins; /* atomics and volatile loads since it stored something */
    uint32_t context; /* call path, see trace.c */
    uint32_t node;    /* last basic block */
    spw_simt_event *trace;
    size_t n_trace, trace_room;
} spw_simt_lane_state;

/* Lanes that gave the same mask to the same function and wait for the others of the mask. */
typedef struct spw_simt_gathering {
    uint32_t mask, arrived;
    spw_meeting what;
    unsigned call; /* of the first that came */
    uintptr_t pc;
} spw_simt_gathering;

/* Bit k of a mask is lane k. */
typedef struct spw_simt_warp {
    uint32_t exists, ready, at_barrier, asks_active, gave_way, done;
    int n_gatherings;
    spw_simt_gathering gatherings[WARP];
} spw_simt_warp;

/* --- findings, places, counts --------------------------------------------------------------------- */

enum { MAX_PLACES = 5 };

typedef struct spw_simt_raw_finding {
    spw_simt_finding finding;  /* text with {0} .. {4} for places */
    uintptr_t pcs[MAX_PLACES]; /* [0] is where it happened; 0: file and line are known */
    bool same_line_is_fine;    /* dropped if places 0 and 1 are the same line */
    bool is_told;              /* the text is final */
    const void *array;
} spw_simt_raw_finding;

/* A place in the program that accesses memory, and what the requests from there came to, by array. */
typedef struct spw_simt_count {
    uint32_t site, array, kernel;
    uint8_t access, shared;
    uint16_t size;
    int64_t requests, lanes, sectors, bytes, wavefronts, ideal;
    int64_t misses, once, needed; /* see spw_simt_row */
    int worst;                    /* passes that a group of lanes took over the banks */
    int64_t block, of_block,
        most; /* the last block seen, its requests, and the most of any block */
} spw_simt_count;

typedef struct spw_simt_place {
    char file[256];
    char function[SPW_SIMT_NAME];
    int line;
} spw_simt_place;

/* What is a block's own, whether it runs or was put aside. */
typedef struct spw_simt_block {
    spw_simt_lane_state *lanes; /* [MAX_THREADS] */
    spw_simt_warp warps[MAX_THREADS / WARP];
    int n_done, n_at_barrier;
    uint32_t number; /* over all launches */
    uint16_t epoch;  /* barriers so far */
    spw_simt_index index;
    size_t static_shared;
    size_t n_events; /* in its traces */
} spw_simt_block;

/* bounds.c: what gcc passes where an index is outside */
void spw_simt_out_of_bounds(uintptr_t pc, const void *data, const void *index);

typedef struct spw_simt_graph spw_simt_graph; /* trace.c */
typedef struct spw_simt_cache spw_simt_cache; /* cache.c */

typedef struct spw_simt_state {
    spw_simt_options options;
    /* where the program is */
    spw_simt_lane_state *lane; /* the one that runs, NULL: host code or the runtime */
    const spw_simt_launch *launch;
    bool in_run;
    const char *in_call; /* the runtime works for this call of the host: "cudaMemcpy" */
    uintptr_t call_pc;
    uintptr_t last_pc; /* of the last access that was announced */
    sigjmp_buf leave_run;
    bool abandoned;     /* the launch is over before its end */
    bool leaves_run;    /* and the run too */
    volatile bool late; /* the time is up: the scheduler ends the launch */
    struct {
        spw_simt_raw_finding *finding; /* of the first; NULL: nobody has left an array */
        int threads;                   /* of the block, that left the same array */
        int64_t low, high;             /* entries that they named */
        bool own_number;               /* each named its own number */
        bool next_number;              /* each named that of the thread behind it */
    } outside;
    int patience; /* milliseconds that a good moment to stop is waited for */
    int last_error, sticky_error;
    int n_copies; /* between host and device, in this run */
    int64_t n_copied;

    /* device memory */
    char *arena; /* address space only; pages come and go with the arrays */
    size_t arena_size, arena_used;
    uint32_t *slots;        /* [arena_size / SLOT] array number + 1 of each 64 KiB */
    spw_simt_array *arrays; /* [MAX_ARRAYS] */
    int n_arrays;
    spw_simt_array shared[64]; /* of the answer that runs; [0] is the dynamic one */
    int n_shared;
    char *shared_low, *shared_high; /* around all static ones */
    struct {
        const void *kernel;
        size_t bytes;
    } allowed_shared[32];
    int n_allowed_shared;

    /* the block that runs */
    spw_fiber_pool pool;
    spw_fiber main_fiber;
    spw_simt_block now;
    int n_lanes, n_warps;
    uint32_t first_block, turns_at; /* of this launch; after so many blocks downwards, upwards */
    int64_t progress;               /* stores, and lanes that ended: not waiting */
    struct spw_simt_aside **aside;  /* [MOST_ASIDE] blocks that wait for others, see aside.c */
    int n_aside;
    struct spw_simt_ordered *ordered;   /* ordered.c */
    int barrier_count;                  /* threads with a non-zero predicate at the last barrier */
    bool count_is_cut;                  /* a block had too many */
    struct spw_simt_releases *releases; /* publish.c */
    uint32_t sync_time;                 /* fences of this launch, from 1 */
    struct spw_simt_doubt *doubt;       /* [MAX_DOUBTS] races that may be none, see shadow.c */
    int n_doubts;
    const spw_simt_array *argument;     /* of the next launch: a variable, by its name */
    const spw_simt_array *not_plain[2]; /* of this launch's atomics and volatile accesses */
    char hint[256];                     /* what is no mistake, and worth a word; "" */

    /* results */
    spw_simt_raw_finding *findings; /* [MAX_FINDINGS] */
    int n_findings;
    bool resolved;
    spw_simt_graph *graph;
    spw_simt_cache *cache;
    spw_simt_row *rows;
    int n_rows;
    bool rows_are_built;
    int64_t n_sectors; /* of global memory, in this run */
    spw_simt_launched thin;

    struct spw_simt_timeline *timeline;
    spw_simt_line *lines;
    int n_lines;
    spw_simt_shape shapes[64];
    int n_shapes;

    /* signals */
    bool catching;
    char *signal_stack;
    stack_t old_stack;
    struct sigaction old_actions[8];
} spw_simt_state;

extern spw_simt_state *spw_simt_now;

/* The caller's place in the program, for functions that an answer calls directly. */
#define CALLER ((uintptr_t)__builtin_return_address(0))

/* run.c: gives up the launch, or the whole run. On a lane's stack they do not return, from the scheduler
 * leave_launch does. (Not declared _Noreturn: AddressSanitizer would then search for the end of a stack
 * that it does not know.) */
void spw_simt_leave_launch(int error);
void spw_simt_leave_run(void);
void spw_simt_end_late_launch(spw_simt_state *s);
void spw_simt_out_of_memory(void);

/* Room for `want` elements in *array, which has room for *room; what is there is kept. */
void spw_simt_grow(void **array, size_t *room, size_t want, size_t size);

/* memory.c */
void *spw_simt_map(size_t size); /* zeroed, costs nothing until it is touched; NULL without room */
spw_status spw_simt_memory_create(spw_simt_state *s);
void spw_simt_memory_destroy(spw_simt_state *s);
void spw_simt_unlock(const spw_simt_array *a, bool unlocked);
void spw_simt_unlock_all(spw_simt_state *s, bool unlocked);
spw_simt_array *spw_simt_find_device(spw_simt_state *s,
                                     const void *address); /* also beside it, also freed */
void spw_simt_tell_leaks(spw_simt_state *s);               /* the end of a run: in its hint */
bool spw_simt_is_variable(const char *name);
bool spw_simt_in_section(const void *address); /* of a __device__ variable */
void spw_simt_forget_shadow(spw_simt_array *a);

/* copy.c: why a variable's name is no address, NULL: it may be one. Notes why the call at call_pc is refused; returns
 * CUDA's code. */
const char *spw_simt_name_taken(const spw_simt_array *a, char *text);
int spw_simt_refuse(spw_simt_state *s, spw_simt_kind kind, const spw_simt_array *a, int code,
                    const char *text);

/* streams.c: an engine is busy for so many bytes, in the stream of the call. */
spw_status spw_simt_timeline_create(struct spw_simt_timeline **timeline);
void spw_simt_timeline_destroy(struct spw_simt_timeline *timeline);
void spw_simt_timeline_begin(struct spw_simt_timeline *timeline);
void spw_simt_take_time(spw_simt_state *s, spw_simt_engine engine, int64_t bytes, bool host_waits);

/* shapes.c */
void spw_simt_note_shape(spw_simt_state *s, const spw_simt_launch *l);

/* schedule.c */
void spw_simt_begin_block(spw_simt_state *s);
/* False: its threads wait for those of another block; patient: that would go on until the time is up. */
bool spw_simt_run_block(spw_simt_state *s, bool patient);
/* The running lane goes no further, the others do. */
void spw_simt_leave_lane(spw_simt_state *s);
void spw_simt_wait(
    spw_simt_state *s); /* the running lane, no longer ready, gives way until it is */
/* True, and a finding, where host code calls what only kernels may. */
bool spw_simt_called_outside(spw_simt_state *s, const char *what, uintptr_t pc);

/* Numbers of the rewriter tell two calls of one line apart, and know copies of one call; without them two places in the
 * program are two calls. */
static inline bool spw_simt_same_call(unsigned a, uintptr_t pc_a, unsigned b, uintptr_t pc_b) {
    return a || b ? a == b : pc_a == pc_b;
}

/* aside.c: one more atomic, or volatile load, of the running lane: it may give way. Then, blocks. */
void spw_simt_spin(spw_simt_state *s);
bool spw_simt_wake(spw_simt_state *s);
bool spw_simt_put_aside(spw_simt_state *s); /* the running one; false: no room */
void spw_simt_take_back(spw_simt_state *s); /* the one that is there for longest */
void spw_simt_drop_aside(spw_simt_state *s);
void spw_simt_number_lanes(spw_simt_state *s); /* launch.c */

/* warp.c */
void spw_simt_lane_left(spw_simt_state *s, int warp); /* may complete what others wait for */
void spw_simt_answer_active(spw_simt_state *s, int warp);
const char *spw_simt_meeting_name(spw_meeting m);

/* launch.c */
spw_simt_array *spw_simt_find_shared(spw_simt_state *s,
                                     const void *address); /* the nearest one below */

/* access.c. Of an atomic: its scope; compares, exchanges: it is a compare-and-swap, an exchange. */
typedef struct spw_simt_manner {
    spw_simt_way way;
    bool compares, exchanges;
} spw_simt_manner;
/* A fault the processor noticed. is_write: -1 unknown. */
void spw_simt_explain_fault(spw_simt_state *s, uintptr_t pc, const void *address, int is_write);
/* At the end of a block: what is to be said of those who left an array, and the launch is over. */
void spw_simt_end_outside(spw_simt_state *s);

/* shadow.c */
void spw_simt_shadow_access(spw_simt_state *s, spw_simt_array *a, uintptr_t pc, size_t offset,
                            size_t size, spw_simt_access access, spw_simt_manner manner);
void spw_simt_shadow_launch(spw_simt_state *s);
/* The same where it is not done before the next access is told: it counts as another value. */
void spw_simt_shadow_insist(spw_simt_state *s);
void spw_simt_shadow_end(spw_simt_state *s); /* of a launch: doubts that remain are findings */
enum { MAX_DOUBTS = 64 };
spw_status spw_simt_doubts_create(spw_simt_state *s);

/* publish.c */
spw_status spw_simt_releases_create(struct spw_simt_releases **releases);
void spw_simt_releases_destroy(struct spw_simt_releases *releases);
void spw_simt_releases_launch(spw_simt_state *s, int64_t blocks);
/* wide: the atomic is one for all blocks. */
void spw_simt_release(spw_simt_state *s, const void *address, bool wide);
void spw_simt_acquire(spw_simt_state *s, const void *address, bool wide, bool swaps);
bool spw_simt_is_published(spw_simt_state *s, const spw_simt_mark *m);
/* Where it is not, though something was read that was published: a sentence; else NULL. */
const char *spw_simt_what_order_lacks(spw_simt_state *s, const spw_simt_mark *m);
/* Has the running lane read what that thread published there? */
bool spw_simt_has_seen(spw_simt_state *s, const void *address, const spw_simt_mark *m);

/* ordered.c. Queues are streams: 0 the default one, 1 that of the thread, then handles; events are numbers of handles. */
spw_status spw_simt_ordered_create(struct spw_simt_ordered **ordered);
void spw_simt_ordered_begin(struct spw_simt_ordered *o);
void spw_simt_ordered_stream(struct spw_simt_ordered *o, int queue); /* a new one */
void spw_simt_ordered_record(struct spw_simt_ordered *o, int event, int queue);
void spw_simt_ordered_wait(struct spw_simt_ordered *o, int queue, int event);
/* The host waits for a stream, or an event, or (both -1) all. */
void spw_simt_ordered_host(struct spw_simt_ordered *o, int queue, int event);
/* The next operation, what it uses, and of a launch all that it has used. */
void spw_simt_ordered_next(spw_simt_state *s, int queue);
void spw_simt_ordered_uses(spw_simt_state *s, spw_simt_array *a, size_t low, size_t high,
                           bool writes, const char *what);
void spw_simt_ordered_launched(spw_simt_state *s);
void spw_simt_ordered_host_access(spw_simt_state *s, uintptr_t pc, spw_simt_array *a, size_t at,
                                  bool writes);
/* streams.c */
bool spw_simt_queue_blocks(int queue);
int spw_simt_queue_of(const void *stream);
int spw_simt_next_queue(const spw_simt_state *s,
                        bool *asynchronous); /* of the call that comes next */

/* trace.c */
spw_status spw_simt_graph_create(spw_simt_graph **graph);
void spw_simt_graph_destroy(spw_simt_graph *graph);
uint32_t spw_simt_site(spw_simt_state *s, uintptr_t pc);
uintptr_t spw_simt_site_pc(const spw_simt_state *s, uint32_t site);
void spw_simt_log_access(spw_simt_state *s, uintptr_t pc, uint64_t address, size_t size,
                         spw_simt_access access, bool shared);

/* traffic.c */
void spw_simt_count_block(spw_simt_state *s);

/* cache.c */
spw_status spw_simt_cache_create(int64_t bytes, int resident, spw_simt_cache **cache);
void spw_simt_cache_destroy(spw_simt_cache *cache);
/* bytes: of each sector, those that the request touches, a bit each. */
void spw_simt_cache_request(spw_simt_state *s, uint32_t count, const uint64_t *sectors,
                            const uint32_t *bytes, int n);
void spw_simt_cache_block_ends(spw_simt_state *s);
void spw_simt_cache_launch_ends(spw_simt_state *s);

/* findings.c: printf style; {0} .. {4} in the text become the lines of pcs. NULL if there is no more
 * room, or if this is known already. */
spw_simt_finding *spw_simt_find(spw_simt_state *s, spw_simt_kind kind, uintptr_t pc,
                                const spw_simt_array *array, int64_t index, const char *format, ...)
    SPW_PRINTF(6, 7);
void spw_simt_place_of(spw_simt_finding *finding, int k, uintptr_t pc); /* {k}; takes NULL */
void spw_simt_only_on_two_lines(spw_simt_finding *finding);             /* takes NULL */
/* "thread 5 of block 3", with all coordinates where there are more than one. */
const char *spw_simt_who(const spw_simt_state *s, char *text, size_t size, spw_simt_index thread);
spw_simt_index spw_simt_thread_at(const spw_simt_state *s, int number);
uint32_t spw_simt_block_number(const spw_simt_state *s, uint32_t serial); /* in the grid */
int spw_simt_graph_counts(const spw_simt_graph *g, const spw_simt_count **counts);
const char *spw_simt_graph_kernel(const spw_simt_graph *g, uint32_t kernel);
void spw_simt_graph_reset(spw_simt_graph *g);
spw_simt_array *spw_simt_array_number(spw_simt_state *s, uint32_t number);
uint32_t spw_simt_number_of_array(const spw_simt_state *s, const spw_simt_array *a);

/* report.c: text that grows in a room of some size; length is what is wanted. */
typedef struct spw_simt_sheet {
    char *text;
    size_t size;
    int length;
} spw_simt_sheet;
void spw_simt_put(spw_simt_sheet *p, const char *format, ...) SPW_PRINTF(2, 3);

/* symbols.c: looks up n places at once. */
void spw_simt_look_up(const uintptr_t *pcs, spw_simt_place *places, int n);

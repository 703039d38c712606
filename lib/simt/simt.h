/* simt/simt.h -- runs CUDA source on the CPU, finds its mistakes and counts its memory traffic.
 *
 *     spmv.cu --g++ -E--> --rewrite--> --g++--> answer.so      (compile.sh; --fast or --check)
 *     judge:  begin, copy arrays in, run(launcher), findings, traffic, end
 *
 * A thread of a kernel is a fiber; blocks run in turn, a warp's lanes ascending or descending. The fast
 * build runs at the speed of -O2 and finds what the scheduler and the page protection see. In the check
 * build every access and every basic block calls back: bounds, uninitialised reads and races are found
 * exactly, and the lanes' traces are merged into requests of a warp, whose 32-byte sectors are counted.
 * All figures are modelled.
 *
 * What it cannot tell: time, registers, spills, latency; weak memory order (everything takes effect at once,
 * the timeline of streams is drawn afterwards); what nvcc would unroll or merge (request counts may differ there,
 * sectors a request should not). A struct's padding may be called uninitialised, a pointer that is so wrong that it
 * meets another array is not noticed, nor what the host's libraries read before it has arrived. A grid that waits for
 * all its blocks by cooperative groups, and kernels that launch kernels, do not run here.
 *
 *     spw_simt_begin(&(spw_simt_options){.check = true, .count = true});
 *     spw_simt_copy_in("x", x, n, 8, &d_x);       spw_simt_room("y", n, 8, &d_y);
 *     spw_simt_run(call_the_launcher, &arguments);
 *     for (int k = 0; k < spw_simt_finding_count(); k++) puts(spw_simt_finding_at(k)->text);
 *     spw_simt_copy_out(y, d_y, n * 8);           spw_simt_end();
 *
 * A program that loads answers is linked with -rdynamic: they take the runtime from it. One OS
 * thread, one run at a time. Call it in a child process: a learner's host code runs here too. Answers stay
 * loaded until spw_simt_end; launches outside spw_simt_run do nothing.
 *
 * The files: rewrite.c (launches into calls), include/ (CUDA's headers), run.c (begin, run, faults), fiber*.c,
 * schedule.c (blocks, barriers), aside.c (who waits in loops), warp.c (lanes that meet), launch.c, memory.c (device
 * arrays), copy.c, api.c (errors), streams.c (streams, events, the timeline), ordered.c (who waits for
 * whom), access.c (one access), bounds.c (arrays of a known size), host_atomics.c, shadow.c (races), publish.c (what orders
 * them), trace.c (what lanes did), order.c (order of a flow graph), traffic.c (merge and count), cache.c (a
 * perfect cache), shapes.c (occupancy), symbols.c (lines), findings.c, report.c, detail.c. Which lanes' accesses form
 * one request is explained in traffic.c. */
#pragma once

#include "base/extern_c.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

SPW_C_BEGIN

typedef struct spw_simt_options {
    bool descending;      /* warps and lanes run from the highest to the lowest */
    bool check;           /* bounds, uninitialised reads, races: needs the check build */
    bool count;           /* memory traffic: needs the check build */
    bool asynchronous;    /* a copy to the host, or waiting for the device, is a mistake */
    int most_copies;      /* between host and device in one run; more are a mistake; 0: any */
    int64_t most_copied;  /* the same for their bytes, all together */
    bool portable_fibers; /* ucontext instead of the hand-written switch; slow, for tests */
    double limit;         /* seconds of processor time that one run may take; 0: 10 */
    bool detail;          /* with count: what simt/detail.c tells, too */
    int64_t cache_bytes;  /* of the perfect cache in it; 0: it holds everything */
    int resident_blocks;  /* blocks whose requests it sees interleaved; 0: 32 */
    int multiprocessors;  /* what the device says it has; 0: 132 */
    double link,
        memory; /* GB/s of the timeline's copies, each way, and of its kernels; 0: those below */
} spw_simt_options;

/* PCIe 5.0 with 16 lanes, and five stacks of HBM3: by data sheets, see exercise 4. */
#define SPW_SIMT_LINK   63.0
#define SPW_SIMT_MEMORY 3350.0

typedef enum spw_simt_kind {
    SPW_SIMT_OUTSIDE,        /* access outside an array */
    SPW_SIMT_FREED,          /* access to, or free of, an array that was freed */
    SPW_SIMT_NULL,           /* NULL pointer in a kernel */
    SPW_SIMT_HOST_POINTER,   /* kernel uses host memory */
    SPW_SIMT_DEVICE_POINTER, /* host uses device memory */
    SPW_SIMT_MISALIGNED,     /* address is no multiple of the size of the access */
    SPW_SIMT_UNINITIALISED,  /* reads what nobody wrote */
    SPW_SIMT_SHARED_RACE,    /* two threads of a block, no barrier between them */
    SPW_SIMT_GLOBAL_RACE,    /* two threads, one writes, neither atomic nor ordered */
    SPW_SIMT_BARRIER,        /* threads wait at different barriers, or for ever */
    SPW_SIMT_LEFT,           /* a thread had left the kernel before a barrier */
    SPW_SIMT_LANE,           /* a shuffle reads from a lane that takes no part */
    SPW_SIMT_LAUNCH,         /* a launch that CUDA refuses */
    SPW_SIMT_CALL,           /* a call of the CUDA run time that it refuses */
    SPW_SIMT_STACK,          /* a thread used more stack than it has */
    SPW_SIMT_TIME,           /* the time limit */
    SPW_SIMT_CRASH,          /* another fatal signal */
    SPW_SIMT_ROOM            /* the checker itself ran out of memory: no fault of the learner */
} spw_simt_kind;

enum { SPW_SIMT_TEXT = 768, SPW_SIMT_NAME = 64 };

typedef struct spw_simt_finding {
    spw_simt_kind kind;
    char text[SPW_SIMT_TEXT]; /* the explanation: lines of at most 76 columns, without a last \n */
    char file[256];           /* where, "" if unknown */
    int line;                 /* 0 if unknown */
    char kernel[SPW_SIMT_NAME]; /* "" outside kernels */
    unsigned block[3], thread[3];
    char array[SPW_SIMT_NAME]; /* the array in question, or "" */
    char array_file[256];      /* where it was allocated or declared, "" if unknown */
    int array_line;
    int64_t index; /* element of the array, in units of the access; -1: none */
    int64_t times; /* how often the same happened at the same place */
} spw_simt_finding;

typedef enum spw_simt_access { SPW_SIMT_LOAD, SPW_SIMT_STORE, SPW_SIMT_ATOMIC } spw_simt_access;

/* What one source line did to one array. Shared memory has wavefronts and no sectors. */
typedef struct spw_simt_row {
    char kernel[SPW_SIMT_NAME];
    char file[256];
    int line, kernel_line; /* the latter: the largest of the kernel's */
    char array[SPW_SIMT_NAME];
    spw_simt_access access;
    bool shared;
    int size;           /* bytes of one lane's access; the largest where they differ */
    int64_t requests;   /* a warp's lanes that access together */
    int64_t most;       /* requests of the block that made most of them */
    int64_t lanes;      /* lanes that took part, of all requests: 32 a request is a full warp */
    int64_t sectors;    /* of 32 bytes that the requests touch */
    int64_t bytes;      /* distinct bytes that they touch: ideal sectors = bytes / 32 */
    int64_t wavefronts; /* passes over the 32 banks of shared memory */
    int64_t ideal; /* sectors of the same bytes lying side by side, or passes without conflicts */
    int worst;     /* passes that so many lanes took as could go together */
    /* Of runs with detail. A launch loads or stores a sector, a byte, once; what it has stored it need not load. */
    int64_t once;   /* sectors */
    int64_t needed; /* bytes: what a model of the kernel counts */
    int64_t misses; /* sectors that go past a perfect cache of the size asked for */
} spw_simt_row;

/* Takes possession of the process: handlers of SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT and SIGVTALRM until spw_simt_end.
 *   SPW_ERR_ARG          a run is under way, or the limit is negative
 *   SPW_ERR_MEMORY       no room
 *   SPW_ERR_UNAVAILABLE  this machine has no such memory protection */
spw_status spw_simt_begin(const spw_simt_options *options);

/* Another schedule or mode from here on; device memory, findings and counts stay. The same errors. */
spw_status spw_simt_set(const spw_simt_options *options);

/* Device arrays for the caller, with a name for the report. SPW_ERR_MEMORY: no room. The second is
 * poisoned and counts as never written. size: bytes of an element. Freed with the run. */
spw_status spw_simt_copy_in(const char *name, const void *from, int64_t count, int64_t size,
                            void *pointer);
spw_status spw_simt_room(const char *name, int64_t count, int64_t size, void *pointer);
/* SPW_ERR_ARG: not (all) device memory. */
spw_status spw_simt_copy_out(void *to, const void *device, int64_t bytes);

/* Calls host(argument), which may launch kernels. False if it did not come to its end: the findings say
 * why, and memory that it held is lost. */
bool spw_simt_run(void (*host)(void *argument), void *argument);

/* Ends a run from inside, in a handler of exit: a program of its own may leave by that. */
void spw_simt_stop(void);

/* Of this run's launches of fewer threads than these, the one whose requests touched most sectors of global memory; and
 * the sectors of them all. */
enum { SPW_SIMT_FEW_BLOCKS = 4, SPW_SIMT_FEW_THREADS = 1024 };
typedef struct spw_simt_launched {
    char kernel[SPW_SIMT_NAME];
    int line;
    int64_t blocks, threads; /* threads a block */
    int64_t most, sectors;
} spw_simt_launched;
const spw_simt_launched *spw_simt_thin(void);

/* In the order in which they came; the same mistake at the same line is one finding. At most 32. Lines
 * are looked up on the first call after a run (one process, addr2line). */
int spw_simt_finding_count(void);
const spw_simt_finding *spw_simt_finding_at(int k);

/* What this run did that is no mistake and worth a word, one sentence; "" where there is nothing. */
const char *spw_simt_hint(void);

/* The run as three engines could have done it, which copy to the device, to the host, and run kernels: each copy takes
 * bytes / link, each kernel 32 bytes a sector / memory (counted runs only), all else nothing. Modelled. */
typedef enum spw_simt_engine {
    SPW_SIMT_TO_DEVICE,
    SPW_SIMT_TO_HOST,
    SPW_SIMT_KERNELS,
    SPW_SIMT_ENGINES
} spw_simt_engine;
typedef struct spw_simt_timeline_sum {
    int n[SPW_SIMT_ENGINES];
    double busy[SPW_SIMT_ENGINES]; /* seconds of the model */
    double total;                  /* when the last is done */
    double serial, bound;          /* one after the other; the busiest engine alone */
    bool host_waits,
        by_default;  /* for the device, in between; the default stream has copies or kernels */
    bool one_stream; /* has copies and kernels */
} spw_simt_timeline_sum;
spw_simt_timeline_sum spw_simt_timeline(void);

/* Kernels in order of the source, in each by line and array. */
int spw_simt_row_count(void);
const spw_simt_row *spw_simt_row_at(int k);

/* Of runs with detail: how full the warps are that come to the basic blocks of a line, of 32 lanes. */
typedef struct spw_simt_line {
    char kernel[SPW_SIMT_NAME];
    char file[256];
    int line;
    int64_t warps, lanes;
} spw_simt_line;
int spw_simt_line_count(void);
const spw_simt_line *spw_simt_line_at(int k);

/* Kernels with the same blocks launched, in order: what of a multiprocessor they fill. */
typedef struct spw_simt_shape {
    char kernel[SPW_SIMT_NAME];
    int64_t launches, blocks; /* blocks of the largest of these launches */
    int threads;              /* a block */
    size_t shared;            /* bytes a block */
    int registers;            /* a thread, 0: not known */
} spw_simt_shape;
int spw_simt_shape_count(void);
const spw_simt_shape *spw_simt_shape_at(int k);

/* Blocks of a shape that one multiprocessor holds (compute capability 9.0), and what the limit is. Where registers are not known
 * they are no limit; *most_registers: up to so many a thread would be none. */
int spw_simt_resident_blocks(const spw_simt_shape *shape, const char **limit, int *most_registers);

/* Lines "NAME REGISTERS", as nvcc -Xptxas -v tells them: for the shapes. */
void spw_simt_know_registers(const char *kernel, int registers);

/* For a process that may soon start no other: addr2line is started now, for this file; no other's lines are told then. */
void spw_simt_keep_finder(const char *object);

/* Forgets findings and counts, keeps device memory and the learned flow graph. */
void spw_simt_reset(void);

/* Frees everything, gives the signals back. */
void spw_simt_end(void);

/* "outside", "shared race", ...; never NULL. */
const char *spw_simt_kind_name(spw_simt_kind kind);

/* The two as text of 80 columns. Return the length that was wanted; size 0 writes nothing. */
int spw_simt_print_findings(char *text, size_t size);
int spw_simt_print_traffic(char *text, size_t size);

int spw_simt_print_timeline(char *text, size_t size);
int spw_simt_print_detail(char *text, size_t size);

/* Of the second's columns. */
#define SPW_SIMT_LEGEND                                                                            \
    "lanes: at work in a request, of a warp's 32. each: sectors (32 bytes) of a\n"                 \
    "request. at least: if the bytes of its lanes lay side by side.\n"

SPW_C_END

/* commands/counters/traffic.h -- reads what other tools counted: the bytes that crossed the memory interface.
 *
 * likwid-perfctr (group MEM) reads the counters of the memory controllers: everything that was read and
 * written, write-allocate and write-back included. With -O it prints CSV; of a region that was marked
 * (perf/markers.h) for instance
 *     TABLE,Region kernel,Group 1 Metric,MEM,10,
 *     Metric,HWThread 0,HWThread 1
 *     Memory read data volume [GBytes],1.2034,0
 *     Memory data volume [GBytes],1.8071,0
 * cachegrind simulates caches and writes a file with, among much else,
 *     desc: LL cache:         1048576 B, 64 B, 16-way associative
 *     events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw
 *     summary: 8230120 1443 ...
 * DLmr and DLmw are reads and writes that missed the last level. Each fetches a line; the write-back of
 * changed lines is not counted.
 * ncu (Nsight Compute) reads the counters of a GPU, launch by launch. With --csv it prints a row for each
 * metric of each launch:
 *     "ID",...,"Kernel Name",...,"Section Name","Metric Name","Metric Unit","Metric Value"
 *     "0",...,"axpby_kernel",...,"lts__t_sectors.sum","sector","7,612"
 * Columns come and go with its versions, so they are looked up by name.
 * Sources: J. Treibig, G. Hager, G. Wellein, ICPPW 2010, doi:10.1109/ICPPW.2010.38;
 * N. Nethercote, J. Seward, PLDI 2007, doi:10.1145/1250734.1250746. */
#pragma once

#include "base/extern_c.h"
#include "base/status.h"

SPW_C_BEGIN

/* Bytes by the counters. read and written are -1 where the CPU's group tells only the total. */
typedef struct spw_counted {
    double read, written, total;
} spw_counted;

/* csv: the whole output of `likwid-perfctr -O`; region: the name of the marked region, NULL for the
 * whole run. The counts of all hardware threads are added up (one of each socket has all of them).
 *   SPW_ERR_FORMAT       no such table, or no memory data volume in it
 *   SPW_ERR_UNAVAILABLE  likwid says that it cannot read counters here; the message says why */
spw_status spw_traffic_from_likwid(const char *csv, const char *region, spw_counted *t);

/* Bytes by cachegrind: lines that were fetched from memory. */
typedef struct spw_simulated {
    double read;       /* because of reads */
    double write;      /* because of writes: the write-allocate */
    double cache_size; /* bytes of the simulated last level */
    int line;          /* bytes of its lines */
} spw_simulated;

/* text: the whole file that cachegrind wrote (cachegrind.out.PID).
 *   SPW_ERR_FORMAT  something is missing: cut off, or no caches were simulated (--cache-sim=yes) */
spw_status spw_traffic_from_cachegrind(const char *text, spw_simulated *t);

/* Launches of one kernel, all together, by a GPU's counters. -1: ncu did not tell. Requests are those of
 * warps to global memory, sectors have 32 bytes. Atomics are those with and those without a result. */
enum { SPW_PROFILED_NAME = 64 };
typedef struct spw_profiled {
    char kernel[SPW_PROFILED_NAME]; /* without template arguments and parameters */
    int launches;
    double load_requests, load_sectors, store_requests, store_sectors;
    double atomic_requests, atomic_sectors;
    double l2_sectors;              /* all that reached the L2 */
    double dram_read, dram_written; /* bytes */
} spw_profiled;

/* The metrics that make them up, as ncu's option --metrics takes them. */
const char *spw_traffic_ncu_metrics(void);

/* csv: the whole output of `ncu --csv --metrics ...`, lines of other programs and all. Writes the kernels
 * in the order of their first launch, *n of them.
 *   SPW_ERR_FORMAT       no such table, no kernel in it, or more than max
 *   SPW_ERR_UNAVAILABLE  ncu says that it cannot read counters here; the message says why */
spw_status spw_traffic_from_ncu(const char *csv, spw_profiled *kernels, int max, int *n);

SPW_C_END

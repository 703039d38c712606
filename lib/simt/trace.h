/* simt/trace.h -- the flow graph that a program shows while it runs, and the lanes' ways through it.
 *
 * A node is a basic block *on a call path*: a __device__ function that is called from both branches of an
 * if is two sets of nodes. Node 0 is the entry of every kernel. Edges are learned as lanes take them. */
#pragma once

#include "simt/order.h"
#include "simt/state.h"

/* A table from pairs of numbers to 0, 1, 2 ... in the order in which they come. Open addressing. */
typedef struct spw_simt_table {
    uint32_t *slots; /* [room] number + 1, 0: empty; room is a power of two */
    size_t room;
    struct {
        uint64_t a, b;
    } * keys; /* [n] */
    size_t keys_room;
    uint32_t n;
} spw_simt_table;

/* The number of a pair; of one that is not there: a new one, or UINT32_MAX. */
uint32_t spw_simt_table_find(const spw_simt_table *t, uint64_t a, uint64_t b);
uint32_t spw_simt_table_number(spw_simt_table *t, uint64_t a, uint64_t b);
void spw_simt_table_destroy(spw_simt_table *t);

/* Warps that came to a node, and their lanes. */
typedef struct spw_simt_visits {
    int64_t warps, lanes;
    uint32_t kernel;
} spw_simt_visits;

enum { MAX_KERNELS = 64, STEPS = 1024 };

/* From one basic block to the next, kept where the last such step is looked up first. */
typedef struct spw_simt_step {
    uintptr_t pc;
    uint32_t from, context, node;
} spw_simt_step;

struct spw_simt_graph {
    spw_simt_step steps[STEPS];
    spw_simt_table sites;    /* (pc, 0) */
    spw_simt_table contexts; /* (parent, pc of the call); 0 is the kernel's own */
    spw_simt_table nodes;    /* (context, pc) */
    spw_simt_table edges;    /* (node, node) */
    spw_simt_order order;
    spw_simt_visits *visits; /* [nodes] */
    size_t visits_room;
    uint32_t kernel;        /* of the launch */
    uint32_t ordered_edges; /* the order holds for so many edges */

    spw_simt_table count_keys; /* (site and access, array and kernel) */
    spw_simt_count *counts;
    size_t counts_room;
    char kernels[MAX_KERNELS][SPW_SIMT_NAME];
    uint32_t n_kernels;
};

/* Brings the order up to date with the edges. */
void spw_simt_graph_order(spw_simt_graph *g);

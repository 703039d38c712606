/* simt/order.h -- a weak topological order of a flow graph: loops as nested brackets.
 *
 *     entry -> a -> b -> c -> b,  c -> d            a (b c) d
 *
 * b is the head of the component (b c): edges back to it come from inside. With positions counted along
 * that line, closing brackets included, "the lowest first" lets lanes of a warp wait for each other where
 * their ways join again.
 * Source: F. Bourdoncle, Efficient chaotic iteration strategies with widenings, LNCS 735, 128-141, 1993,
 * doi:10.1007/BFb0039704, figure 4. Irreducible graphs are fine. */
#pragma once

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct spw_simt_order {
    uint32_t n, n_edges;
    uint32_t *first;     /* [n+1]    edges of node v: to[first[v]] .. to[first[v+1]-1] */
    uint32_t *from, *to; /* [n_edges] */
    uint32_t *position;  /* [n]  along the line */
    uint32_t *end;       /* [n]  of the closing bracket, if v is a head; else 0 */
    uint32_t
        *head; /* [n]  head of the innermost component around v (v itself if it is one), or n */
    uint32_t *outer; /* [n]  for a head: the head of the next component outwards, or n */
    uint32_t filled;
    uint32_t *room[4]; /* [n] work space */
    uint32_t n_stack, clock, line;
} spw_simt_order;

/* begin, each edge, finish. Both overwrite what was there. SPW_ERR_MEMORY: no room. */
spw_status spw_simt_order_begin(spw_simt_order *o, uint32_t n, uint32_t n_edges);
void spw_simt_order_edge(spw_simt_order *o, uint32_t from, uint32_t to);
spw_status spw_simt_order_finish(spw_simt_order *o);
void spw_simt_order_destroy(spw_simt_order *o);

/* Where a lane stands that comes from u and is about to enter v: at v, or, if it comes back to the head
 * of a loop that u is in, at that loop's end. */
uint32_t spw_simt_order_place(const spw_simt_order *o, uint32_t u, uint32_t v);

#include "simt/order.h"

#include "base/memory.h"

#include <string.h>

/* Components are found from their ends: lists grow at their front. next and child, with n for none. */
enum { DEPTH, STACK, NEXT, CHILD };

void spw_simt_order_destroy(spw_simt_order *o) {
    uint32_t *const arrays[] = {o->first, o->from,    o->to,      o->position, o->end,    o->head,
                                o->outer, o->room[0], o->room[1], o->room[2],  o->room[3]};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) spw_free(arrays[k]);
    *o = (spw_simt_order){0};
}

spw_status spw_simt_order_begin(spw_simt_order *o, uint32_t n, uint32_t n_edges) {
    spw_simt_order_destroy(o);
    uint32_t **const arrays[] = {&o->position, &o->end,     &o->head,    &o->outer,
                                 &o->room[0],  &o->room[1], &o->room[2], &o->room[3]};
    spw_status status = SPW_ALLOC_ZERO(&o->first, (int64_t)n + 1);
    if (!status) status = SPW_ALLOC(&o->from, n_edges);
    if (!status) status = SPW_ALLOC(&o->to, n_edges);
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays && !status; k++)
        status = SPW_ALLOC_ZERO(arrays[k], n);
    if (status) {
        spw_simt_order_destroy(o);
        return status;
    }
    o->n = n;
    o->n_edges = n_edges;
    return SPW_OK;
}

void spw_simt_order_edge(spw_simt_order *o, uint32_t from, uint32_t to) {
    o->from[o->filled] = from;
    o->to[o->filled++] = to;
}

/* Sorts the edges by their origin. */
static spw_status group_edges(spw_simt_order *o) {
    uint32_t *to = NULL;
    const spw_status status = SPW_ALLOC(&to, o->n_edges);
    if (status) return status;
    for (uint32_t e = 0; e < o->n_edges; e++) o->first[o->from[e] + 1]++;
    for (uint32_t v = 0; v < o->n; v++) o->first[v + 1] += o->first[v];
    for (uint32_t e = o->n_edges; e-- > 0;) to[--o->first[o->from[e] + 1]] = o->to[e];
    /* first[v+1] has come down to the start of v */
    memmove(o->first, o->first + 1, o->n * sizeof *o->first);
    o->first[o->n] = o->n_edges;
    spw_free(o->to);
    o->to = to;
    return SPW_OK;
}

static uint32_t visit(spw_simt_order *o, uint32_t v, uint32_t *list);

/* The inside of the component of v, as a list. */
static uint32_t component(spw_simt_order *o, uint32_t v) {
    uint32_t list = o->n;
    for (uint32_t e = o->first[v]; e < o->first[v + 1]; e++)
        if (o->room[DEPTH][o->to[e]] == 0) visit(o, o->to[e], &list);
    return list;
}

static uint32_t visit(spw_simt_order *o, uint32_t v, uint32_t *list) {
    uint32_t *const depth = o->room[DEPTH], *const stack = o->room[STACK];
    stack[o->n_stack++] = v;
    uint32_t head = depth[v] = ++o->clock;
    bool loop = false;
    for (uint32_t e = o->first[v]; e < o->first[v + 1]; e++) {
        const uint32_t w = o->to[e];
        const uint32_t least = depth[w] ? depth[w] : visit(o, w, list);
        if (least <= head) {
            head = least;
            loop = true;
        }
    }
    if (head != depth[v]) return head;
    depth[v] = UINT32_MAX;
    uint32_t top = stack[--o->n_stack];
    if (loop) {
        while (top != v) {
            depth[top] = 0;
            top = stack[--o->n_stack];
        }
        o->end[v] = 1; /* a head */
        o->room[CHILD][v] = component(o, v);
    }
    o->room[NEXT][v] = *list;
    *list = v;
    return head;
}

static void number(spw_simt_order *o, uint32_t list, uint32_t head) {
    for (; list < o->n; list = o->room[NEXT][list]) {
        o->position[list] = o->line++;
        o->head[list] = o->end[list] ? list : head;
        o->outer[list] = head;
        if (!o->end[list]) continue;
        number(o, o->room[CHILD][list], list);
        o->end[list] = o->line++;
    }
}

spw_status spw_simt_order_finish(spw_simt_order *o) {
    const spw_status status = group_edges(o);
    if (status) return status;
    uint32_t list = o->n;
    for (uint32_t v = 0; v < o->n; v++)
        if (o->room[DEPTH][v] == 0) visit(o, v, &list);
    number(o, list, o->n);
    return SPW_OK;
}

uint32_t spw_simt_order_place(const spw_simt_order *o, uint32_t u, uint32_t v) {
    if (!o->end[v]) return o->position[v];
    for (uint32_t h = o->head[u]; h < o->n; h = o->outer[h])
        if (h == v) return o->end[v];
    return o->position[v];
}

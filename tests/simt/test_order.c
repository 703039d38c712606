/* The weak topological order of small graphs, among them the one of Bourdoncle's paper. */

#include "simt/order.h"
#include "test.h"

/* The order as text: "0 1 (2 3) 4". */
static const char *ordered(uint32_t n, const uint32_t (*edges)[2], uint32_t n_edges,
                           spw_simt_order *o) {
    static char text[256];
    char piece[64][8] = {{0}};
    assert_ok(spw_simt_order_begin(o, n, n_edges));
    for (uint32_t e = 0; e < n_edges; e++) spw_simt_order_edge(o, edges[e][0], edges[e][1]);
    assert_ok(spw_simt_order_finish(o));
    uint32_t last = 0;
    for (uint32_t v = 0; v < n; v++) {
        snprintf(piece[o->position[v]], 8, o->end[v] ? " (%u" : " %u", v);
        if (o->end[v]) snprintf(piece[o->end[v]], 8, ")");
        if (o->position[v] > last) last = o->position[v];
        if (o->end[v] > last) last = o->end[v];
    }
    text[0] = 0;
    for (uint32_t k = 0; k <= last; k++) strcat(text, piece[k]);
    for (char *t = text; (t = strstr(t, "( "));) memmove(t + 1, t + 2, strlen(t + 1));
    return text + 1;
}

TEST(the_example_of_the_paper) {
    /* 1 2 (3 4 (5 6) 7) 8 there, whose numbers begin with 1. */
    const uint32_t edges[][2] = {{0, 1}, {1, 2}, {1, 7}, {2, 3}, {3, 4}, {3, 6},
                                 {4, 5}, {5, 4}, {5, 6}, {6, 2}, {6, 7}};
    OWN(spw_simt_order) o = {0};
    assert_string_equal(ordered(8, edges, 11, &o), "0 1 (2 3 (4 5) 6) 7");
}

TEST(the_header_s_example) {
    const uint32_t edges[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 2}, {3, 4}};
    OWN(spw_simt_order) o = {0};
    assert_string_equal(ordered(5, edges, 5, &o), "0 1 (2 3) 4");
    /* From inside the loop, its head is its end; from outside it is where it stands. */
    assert_int_equal(spw_simt_order_place(&o, 3, 2), o.end[2]);
    assert_int_equal(spw_simt_order_place(&o, 1, 2), o.position[2]);
    assert_true(o.position[3] < o.end[2] && o.end[2] < o.position[4]);
}

TEST(an_irreducible_loop_has_one_head) {
    const uint32_t edges[][2] = {{0, 1}, {0, 2}, {1, 2}, {2, 1}, {1, 3}, {2, 3}};
    OWN(spw_simt_order) o = {0};
    ordered(4, edges, 6, &o);
    assert_true((o.end[1] != 0) != (o.end[2] != 0));
    assert_true(o.position[3] > o.position[1] && o.position[3] > o.position[2]);
}

TEST(a_loop_on_itself_is_a_component) {
    const uint32_t edges[][2] = {{0, 1}, {1, 1}, {1, 2}};
    OWN(spw_simt_order) o = {0};
    assert_string_equal(ordered(3, edges, 3, &o), "0 (1) 2");
    assert_int_equal(spw_simt_order_place(&o, 1, 1), o.end[1]);
}

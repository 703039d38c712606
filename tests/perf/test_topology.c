/* The topology is that of a machine that can exist. Both ways of reading it are not linked at once, so
 * this tests the one that is. */

#include "perf/topology.h"
#include "test.h"

#include <unistd.h>

TEST(counts_are_those_of_a_machine) {
    const spw_topology t = spw_topology_read();
    assert_true(t.threads >= 1 && t.cores >= 1 && t.sockets >= 1 && t.numa_nodes >= 1);
    assert_true(t.threads >= t.cores);
    assert_true(t.cores >= t.sockets);
    assert_true(t.threads <= sysconf(_SC_NPROCESSORS_CONF));
    assert_true(t.is_virtual == 0 || t.is_virtual == 1);
}

TEST(caches_are_absent_or_plausible) {
    const spw_topology t = spw_topology_read();
    assert_true(t.l1 == 0 || (t.l1 >= 1024 && t.l1 <= 16 << 20));
    assert_true(t.l2 == 0 || t.l2 >= 1024);
    assert_true((t.l3 == 0) == (t.l3_count == 0));
    assert_true(t.l3 >= 0 && t.l3_count >= 0 && t.l3_count <= t.threads);
}

TEST(memory_is_what_the_system_says) {
    const spw_topology t = spw_topology_read();
    assert_true(t.memory == (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE));
}

TEST(the_cpu_has_a_name) {
    const spw_topology t = spw_topology_read();
    assert_true(strlen(t.cpu) > 0 && strlen(t.cpu) < sizeof t.cpu);
    assert_null(strpbrk(t.cpu, "\n\t"));
}

TEST(reading_twice_gives_the_same) {
    const spw_topology first = spw_topology_read(), second = spw_topology_read();
    assert_string_equal(first.cpu, second.cpu);
    assert_int_equal(first.cores, second.cores);
    assert_true(first.l2 == second.l2 && first.l3 == second.l3 && first.memory == second.memory);
}

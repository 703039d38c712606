/* The topology is that of a machine that can exist. Both ways of reading it are not linked at once, so
 * this tests the one that is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/topology.h"

#include <string.h>
#include <unistd.h>

static void counts_are_those_of_a_machine(void **state)
{
    (void)state;
    const spw_topology t = spw_topology_read();
    assert_true(t.threads >= 1 && t.cores >= 1 && t.sockets >= 1 && t.numa_nodes >= 1);
    assert_true(t.threads >= t.cores);
    assert_true(t.cores >= t.sockets);
    assert_true(t.threads <= sysconf(_SC_NPROCESSORS_CONF));
    assert_true(t.is_virtual == 0 || t.is_virtual == 1);
}

static void caches_are_absent_or_plausible(void **state)
{
    (void)state;
    const spw_topology t = spw_topology_read();
    assert_true(t.l1 == 0 || (t.l1 >= 1024 && t.l1 <= 16 << 20));
    assert_true(t.l2 == 0 || t.l2 >= 1024);
    assert_true((t.l3 == 0) == (t.l3_count == 0));
    assert_true(t.l3 >= 0 && t.l3_count >= 0 && t.l3_count <= t.threads);
}

static void memory_is_what_the_system_says(void **state)
{
    (void)state;
    const spw_topology t = spw_topology_read();
    assert_true(t.memory == (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE));
}

static void the_cpu_has_a_name(void **state)
{
    (void)state;
    const spw_topology t = spw_topology_read();
    assert_true(strlen(t.cpu) > 0 && strlen(t.cpu) < sizeof t.cpu);
    assert_null(strpbrk(t.cpu, "\n\t"));
}

static void reading_twice_gives_the_same(void **state)
{
    (void)state;
    const spw_topology first = spw_topology_read(), second = spw_topology_read();
    assert_string_equal(first.cpu, second.cpu);
    assert_int_equal(first.cores, second.cores);
    assert_true(first.l2 == second.l2 && first.l3 == second.l3 && first.memory == second.memory);
}

static void source_is_one_of_the_two(void **state)
{
    (void)state;
    const char *source = spw_topology_source();
    assert_true(!strcmp(source, "hwloc") || !strcmp(source, "none"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_those_of_a_machine),
        cmocka_unit_test(caches_are_absent_or_plausible),
        cmocka_unit_test(memory_is_what_the_system_says),
        cmocka_unit_test(the_cpu_has_a_name),
        cmocka_unit_test(reading_twice_gives_the_same),
        cmocka_unit_test(source_is_one_of_the_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

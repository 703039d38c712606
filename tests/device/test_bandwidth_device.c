/* perf/bandwidth_device.h on the checker, where its times mean nothing: shapes, counts and errors. A second
 * program runs on a GPU. */
#include "perf/bandwidth_device.h"

#include "device/on_device.h"
#include "test.h"

enum { GRAIN_BYTES = 32768 };

static void probes(void *argument) {
    static const int arrays[] = {1, 2, 3, 1}, moved[] = {1, 2, 3, 2};
    checked *c = (checked *)argument;
    for (int mix = SPW_LOAD; mix <= SPW_UPDATE; mix++) {
        OWN(spw_device_probe) p;
        double seconds = -1, a0 = -1;
        CHECK(spw_device_probe_create((spw_mix)mix, arrays[mix] * GRAIN_BYTES + 1, &p) == SPW_OK);
        CHECK(p.n * 8 == 2 * GRAIN_BYTES && p.bytes == arrays[mix] * 2 * GRAIN_BYTES);
        CHECK(p.d_a && !p.d_b == (arrays[mix] < 2) && !p.d_c == (arrays[mix] < 3));
        CHECK(p.kernel && p.sweeps >= 1);
        CHECK(spw_device_probe_traffic(&p) == 8.0 * (double)p.n * moved[mix]);
        CHECK(spw_device_probe_run(&p, &seconds) == SPW_OK && seconds >= 0);
        /* Nothing but zeros is moved: what is written is where it belongs. */
        CHECK(spw_device_copy_from(&a0, p.d_a + p.n - 1, sizeof a0) == SPW_OK && a0 == 0);
        spw_device_probe_destroy(&p);
        CHECK(!p.d_a && !p.from);
    }
    spw_device_probe_destroy(NULL);
    spw_device_probe none;
    CHECK(spw_device_probe_create(SPW_LOAD, -1, &none) == SPW_ERR_ARG && !none.d_a);
    CHECK(spw_device_probe_create(SPW_LOAD, INT64_MAX / 2, &none) == SPW_ERR_MEMORY && !none.d_a);
}

TEST(probes_have_the_size_and_traffic_that_they_say) { RUN_CHECKED(probes); }

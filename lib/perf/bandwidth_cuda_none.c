/* No CUDA in this build. */
#include "perf/bandwidth_device.h"

spw_status spw_device_probe_create(spw_mix mix, int64_t bytes, spw_device_probe *p) {
    (void)mix, (void)bytes;
    *p = (spw_device_probe){0};
    return spw_device_available();
}

spw_status spw_device_probe_run(spw_device_probe *p, double *seconds) {
    (void)p;
    *seconds = 0;
    return spw_device_available();
}

double spw_device_probe_traffic(const spw_device_probe *p) {
    (void)p;
    return 0;
}

void spw_device_probe_destroy(spw_device_probe *p) { (void)p; }

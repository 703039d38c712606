/* The tests of test_bandwidth_device.c on a real GPU; skipped, with the reason, where there is none. */
#include "test_bandwidth_device.c"

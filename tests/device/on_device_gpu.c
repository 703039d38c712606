#include "device/on_device.h"

#include "base/device.h"
#include "test.h"

const char *on_device(void (*body)(void *argument), void *argument) {
    body(argument);
    return spw_device_synchronise() ? spw_message() : NULL;
}

static void there_is_a_device(void **state) {
    (void)state;
    print_message("skipped: %s\n", spw_message());
    skip();
}

int main(void) {
    spw_device_info info;
    const struct CMUnitTest nowhere[] = {cmocka_unit_test(there_is_a_device)};
    if (spw_device_properties(&info)) return cmocka_run_group_tests(nowhere, NULL, NULL);
    return run_all(NULL, NULL);
}

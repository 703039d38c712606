/* tests/device/nowhere.h -- the only test of a program where there is no device. */
#ifndef TESTS_DEVICE_NOWHERE_H
#define TESTS_DEVICE_NOWHERE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char *reason = ""; /* from on_device_name */

static void there_is_a_device(void **state)
{
    (void)state;
    print_message("skipped: %s\n", reason);
    skip();
}

static int run_nowhere(void)
{
    const struct CMUnitTest nowhere[] = {cmocka_unit_test(there_is_a_device)};
    return cmocka_run_group_tests(nowhere, NULL, NULL);
}

#endif

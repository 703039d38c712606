/* base/status.h: one message per thread, always with the values in it. */
#include "base/status.h"
#include "test.h"

TEST(message_is_empty_before_the_first_error) { assert_string_equal(spw_message(), ""); }

TEST(error_returns_its_status_and_keeps_its_message) {
    assert_message(spw_error(SPW_ERR_ARG, "sigma is %d, must be a multiple of C = %d", 3, 2),
                   SPW_ERR_ARG, "sigma is 3, must be a multiple of C = 2");
    spw_error(SPW_ERR_FILE, "second");
    assert_string_equal(spw_message(), "second");
}

TEST(the_last_message_may_be_part_of_the_next) {
    spw_error(SPW_ERR_FILE, "no such file");
    spw_error(SPW_ERR_FILE, "a.mtx: %s", spw_message());
    assert_string_equal(spw_message(), "a.mtx: no such file");
}

TEST(a_long_message_is_cut_at_1023_bytes) {
    char text[3000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    spw_error(SPW_ERR_FORMAT, "%s", text);
    assert_int_equal(strlen(spw_message()), 1023);
}

TEST(every_thread_has_a_message_of_its_own) {
    int wrong = 0;
    spw_error(SPW_ERR_ARG, "thread 0");
#pragma omp parallel num_threads(4) reduction(+ : wrong)
    {
        char expected[32];
        snprintf(expected, sizeof expected, "thread %d", spw_thread());
        spw_error(SPW_ERR_ARG, "thread %d", spw_thread());
#pragma omp barrier
        wrong += strcmp(spw_message(), expected) != 0;
    }
    assert_int_equal(wrong, 0);
    assert_string_equal(spw_message(), "thread 0");
}

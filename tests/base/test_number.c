/* base/number.h: decimal text to double and back, exactly rounded, in no locale. */
#include "base/number.h"
#include "base/random.h"
#include "test.h"

#include <locale.h>

static spw_number read_all(const char *text, double *value, size_t *used) {
    const char *at = text;
    const spw_number result = spw_number_read(&at, text + strlen(text), value);
    *used = (size_t)(at - text);
    return result;
}

TEST(numbers_of_every_shape_are_read) {
    const struct {
        const char *text;
        double value;
    } cases[] = {
        {"0", 0},
        {"1", 1},
        {"+1.5", 1.5},
        {"-2", -2},
        {"1.", 1},
        {".5", 0.5},
        {"-.25", -0.25},
        {"1E+05", 1e5},
        {"1e-5", 1e-5},
        {"1.5d2", 150},
        {"1.5D-2", 0.015},
        {"007", 7},
        {"0.1", 0.1},
        {"123456789012345678", 123456789012345678.0},
        {"9007199254740993", 9007199254740992.0},         /* 2^53 + 1: a tie, to even */
        {"9007199254740995", 9007199254740996.0},         /* 2^53 + 3: the other way */
        {"9007199254740993.0000001", 9007199254740994.0}, /* just above the tie */
        {"1.7976931348623157e308", DBL_MAX},
        {"1.7976931348623158e+308", DBL_MAX},
        {"2.2250738585072014e-308", DBL_MIN},
        {"4.9406564584124654e-324", 4.9406564584124654e-324},
        {"2e-324", 0},
        {"1e-400", 0},
        {"0e999999999999999999999", 0},
        {"0.000000000000000000000000000000000000000000001e45", 1},
        {"1000000000000000000000000000000000000000000000e-45", 1},
        {"1.00000000000000000000000000000000000000000000000000000000001", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = 99;
        size_t used;
        assert_int_equal(read_all(cases[i].text, &value, &used), SPW_NUMBER_OK);
        if (value != cases[i].value) fail_msg("%s became %.17g", cases[i].text, value);
        assert_int_equal(used, strlen(cases[i].text));
    }
}

TEST(the_sign_of_zero_is_kept) {
    double value = 1;
    size_t used;
    assert_int_equal(read_all("-0.0", &value, &used), SPW_NUMBER_OK);
    assert_true(value == 0 && signbit(value));
    assert_int_equal(read_all("-1e-400", &value, &used), SPW_NUMBER_OK);
    assert_true(value == 0 && signbit(value));
}

TEST(what_is_no_number_is_refused_and_nothing_is_changed) {
    const char *const cases[] = {"",    "-",   "+",    ".",        "-.", "e5", ".e5", "1e", "1e+",
                                 "nan", "inf", "-inf", "INFINITY", "x",  " 1", "+-1", "--1"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = 99;
        size_t used;
        assert_int_equal(read_all(cases[i], &value, &used), SPW_NUMBER_NONE);
        assert_int_equal(used, 0);
        assert_true(value == 99);
    }
}

TEST(reading_stops_behind_the_number) {
    const struct {
        const char *text;
        size_t used;
    } cases[] = {{"0x10", 1}, {"1.5.5", 3}, {"1,5", 1}, {"12 34", 2}, {"1e5e5", 3}, {"1-1", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value;
        size_t used;
        assert_int_equal(read_all(cases[i].text, &value, &used), SPW_NUMBER_OK);
        assert_int_equal(used, cases[i].used);
    }
    const char text[] = "123456", *at = text;
    double value;
    assert_int_equal(spw_number_read(&at, text + 3, &value), SPW_NUMBER_OK);
    assert_true(value == 123 && at == text + 3);
}

TEST(too_large_is_told_from_too_long) {
    double value = 99;
    size_t used;
    assert_int_equal(read_all("1e309", &value, &used), SPW_NUMBER_TOO_LARGE);
    assert_int_equal(read_all("-1.8e308", &value, &used), SPW_NUMBER_TOO_LARGE);
    assert_int_equal(read_all("1e99999999999999999999", &value, &used), SPW_NUMBER_TOO_LARGE);

    char text[3000];
    memset(text, '7', sizeof text);
    text[1] = '.';
    text[SPW_NUMBER_LENGTH_MAX] = '\0';
    assert_int_equal(read_all(text, &value, &used), SPW_NUMBER_OK);
    assert_true(value == 7.7777777777777777);
    text[SPW_NUMBER_LENGTH_MAX] = '7';
    text[SPW_NUMBER_LENGTH_MAX + 1] = '\0';
    value = 99;
    assert_int_equal(read_all(text, &value, &used), SPW_NUMBER_TOO_LONG);
    assert_true(value == 99);
}

/* A million zeros behind the point and a large exponent must not make up for each other wrongly. */
TEST(many_zeros_and_a_large_exponent_are_not_mixed_up) {
    enum { ZEROS = 1000000 };
    static char text[ZEROS + 40];
    memset(text, '0', sizeof text);
    text[1] = '.';
    double value = 99;
    size_t used;
    strcpy(text + ZEROS + 2, "e5");
    assert_int_equal(read_all(text, &value, &used), SPW_NUMBER_OK);
    assert_true(value == 0);
    strcpy(text + ZEROS + 2, "1e10000000");
    assert_int_not_equal(read_all(text, &value, &used), SPW_NUMBER_OK);
    strcpy(text + ZEROS + 2, "1e1000001");
    assert_int_equal(read_all(text, &value, &used), SPW_NUMBER_OK);
    assert_true(value == 1);
}

/* strtod of the C library is exactly rounded: the same text must give the same bits. */
TEST(random_numbers_are_rounded_as_strtod_does) {
    for (uint64_t i = 0; i < 200000; i++) {
        char text[64];
        const uint64_t bits = spw_random_u64(1, i);
        double any;
        memcpy(&any, &bits, sizeof any);
        if (!isfinite(any)) continue;
        switch (i % 5) {
        case 0: snprintf(text, sizeof text, "%.17g", any); break;
        case 1: snprintf(text, sizeof text, "%.16e", spw_random_double(2, i)); break;
        case 2:
            snprintf(text, sizeof text, "%llu.%se%d", (unsigned long long)(bits >> i % 60),
                     i % 2 ? "5" : "", (int)(bits % 61) - 30);
            break;
        case 3: /* odd numbers above 2^53, half-way between two doubles */
            snprintf(text, sizeof text, "%llu",
                     (unsigned long long)(((bits >> 11 | UINT64_C(1) << 52) * 2 + 1) << i % 10));
            break;
        default:
            snprintf(text, sizeof text, "%llue%d", (unsigned long long)bits, (int)(bits % 55) - 27);
        }
        double value = 0;
        size_t used;
        assert_int_equal(read_all(text, &value, &used), SPW_NUMBER_OK);
        const double expected = strtod(text, NULL);
        if (memcmp(&value, &expected, sizeof value) != 0 || used != strlen(text))
            fail_msg("%s became %.17g, not %.17g", text, value, expected);
    }
}

TEST(written_numbers_are_short) {
    const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},
                 {-0.0, "-0"},
                 {1, "1"},
                 {0.1, "0.1"},
                 {-26, "-26"},
                 {1e300, "1e+300"},
                 {0.30000000000000004, "0.30000000000000004"},
                 {1.0 / 3, "0.3333333333333333"},
                 {4.9406564584124654e-324, "4.94065645841247e-324"}};
    char text[SPW_NUMBER_SIZE];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(spw_number_write(cases[i].value, text), strlen(cases[i].text));
        assert_string_equal(text, cases[i].text);
    }
}

TEST(written_numbers_read_back_as_the_same_double) {
    for (uint64_t i = 0; i < 20000; i++) {
        const uint64_t bits = spw_random_u64(3, i);
        double value, back = 0;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) continue;
        char text[SPW_NUMBER_SIZE];
        size_t used;
        assert_true(spw_number_write(value, text) > 0);
        assert_int_equal(read_all(text, &back, &used), SPW_NUMBER_OK);
        assert_memory_equal(&back, &value, sizeof value);
    }
}

TEST(nan_and_inf_are_not_written) {
    char text[SPW_NUMBER_SIZE];
    assert_int_equal(spw_number_write((double)NAN, text), 0);
    assert_int_equal(spw_number_write((double)-INFINITY, text), 0);
}

TEST(the_locale_of_the_program_does_not_matter) {
    const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "fr_FR.utf8"};
    size_t i = 0;
    while (i < sizeof names / sizeof *names && !setlocale(LC_ALL, names[i])) i++;
    if (i == sizeof names / sizeof *names) {
        print_message("skipped: no locale with a decimal comma is installed here (de_DE, fr_FR)\n");
        skip();
    }
    char text[SPW_NUMBER_SIZE];
    double value = 0;
    size_t used;
    const int length = spw_number_write(0.5, text);
    const spw_number result = read_all("1.5e-300", &value, &used);
    setlocale(LC_ALL, "C");
    assert_int_equal(length, 3);
    assert_string_equal(text, "0.5");
    assert_int_equal(result, SPW_NUMBER_OK);
    assert_true(value == 1.5e-300);
}

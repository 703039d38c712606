/* base/random.h: number i is a function of the seed and i, and the numbers look random. */
#include "base/random.h"
#include "test.h"

/* The first outputs of SplitMix64 for seed 1234567, as Rosetta Code lists them (task "Pseudo-random
 * numbers/Splitmix64"). */
TEST(the_sequence_is_that_of_splitmix64) {
    const uint64_t expected[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                 UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
                                 UINT64_C(16408922859458223821)};
    for (uint64_t i = 0; i < 5; i++) assert_true(spw_random_u64(1234567, i) == expected[i]);
}

/* The same by stepping a state, which is how SplitMix64 is usually written. */
TEST(any_number_is_reached_directly) {
    uint64_t x = 42;
    for (uint64_t i = 0; i < 10000; i++) {
        x += UINT64_C(0x9E3779B97F4A7C15);
        uint64_t z = x;
        z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
        z ^= z >> 31;
        assert_true(spw_random_u64(42, i) == z);
    }
}

TEST(doubles_are_uniform_in_0_to_1) {
    enum { N = 100000, BINS = 10 };
    int count[BINS] = {0};
    double sum = 0;
    for (uint64_t i = 0; i < N; i++) {
        const double x = spw_random_double(7, i);
        assert_true(x >= 0 && x < 1);
        sum += x;
        count[(int)(x * BINS)]++;
    }
    /* Six standard deviations: sqrt(1/12/N) of the mean, sqrt(N/10 * 9/10) of a bin. */
    assert_true(fabs(sum / N - 0.5) < 6 * sqrt(1.0 / 12 / N));
    for (int b = 0; b < BINS; b++) assert_true(fabs(count[b] - N / 10.0) < 6 * sqrt(N * 0.09));
}

TEST(the_largest_double_is_below_1) {
    assert_true((double)(UINT64_MAX >> 11) * (1.0 / 9007199254740992.0) < 1);
}

TEST(below_reaches_every_number_and_no_other) {
    for (int64_t bound = 1; bound <= 20; bound++) {
        int seen[20] = {0};
        for (uint64_t i = 0; i < 1000; i++) {
            const int64_t x = spw_random_below(3, i, bound);
            assert_true(x >= 0 && x < bound);
            seen[x] = 1;
        }
        for (int64_t x = 0; x < bound; x++) assert_true(seen[x]);
    }
}

TEST(seeds_give_different_sequences) {
    int equal = 0;
    for (uint64_t i = 0; i < 1000; i++) equal += spw_random_u64(1, i) == spw_random_u64(2, i);
    assert_int_equal(equal, 0);
}

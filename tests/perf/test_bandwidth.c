/* The bandwidth kernels compute what they should, and the probe counts its bytes right. How fast they
 * are is not tested here: make bench compares them with likwid-bench. */

#include "perf/bandwidth_kernels.h"
#include "test.h"

enum { GUARD = 8 };
static const double POISON = -7777;

/* Slices of one grain, of an odd number of grains, and of many. */
static const int64_t lengths[] = {SPW_PROBE_GRAIN, 3 * SPW_PROBE_GRAIN, 64 * SPW_PROBE_GRAIN};

typedef struct arrays {
    double *a, *b, *c; /* with GUARD doubles before and after each, still aligned */
} arrays;

static void fill(arrays *x, int64_t n) {
    double **all[] = {&x->a, &x->b, &x->c};
    for (int k = 0; k < 3; k++) {
        assert_ok(SPW_ALLOC(all[k], n + 2 * GUARD));
        for (int64_t i = 0; i < n + 2 * GUARD; i++) (*all[k])[i] = POISON;
        for (int64_t i = 0; i < n; i++) (*all[k])[GUARD + i] = (double)((k + 1) * 1000 + i % 977);
    }
}

static void check_kernel(const spw_probe_kernel *kernel, int64_t n, int64_t sweeps) {
    arrays x, before;
    fill(&x, n);
    fill(&before, n);
    const spw_share share = {
        .a = x.a + GUARD, .b = x.b + GUARD, .c = x.c + GUARD, .s = -3, .n = n, .sweeps = sweeps};
    const double result = kernel->run(&share);
    double sum = 0;
    for (int64_t i = 0; i < n + 2 * GUARD; i++) {
        const double a = before.a[i], b = before.b[i], c = before.c[i];
        double expected = a;
        if (i >= GUARD && i < n + GUARD) {
            sum += a;
            if (kernel->mix == SPW_COPY) expected = b;
            if (kernel->mix == SPW_TRIAD) expected = b - 3 * c;
            if (kernel->mix == SPW_UPDATE) expected = a * pow(-3, (double)sweeps);
            if (kernel->mix == SPW_AXPY) expected = a - 3 * (double)sweeps * b;
        }
        if (x.a[i] != expected)
            fail_msg("%s, n %lld: a[%lld] is %g, expected %g", kernel->name, (long long)n,
                     (long long)i - GUARD, x.a[i], expected);
    }
    if (result != (kernel->mix == SPW_LOAD ? (double)sweeps * sum : 0))
        fail_msg("%s, n %lld: returned %g", kernel->name, (long long)n, result);
    assert_memory_equal(x.b, before.b, (size_t)(n + 2 * GUARD) * sizeof(double));
    assert_memory_equal(x.c, before.c, (size_t)(n + 2 * GUARD) * sizeof(double));
    spw_free(x.a), spw_free(x.b), spw_free(x.c);
    spw_free(before.a), spw_free(before.b), spw_free(before.c);
}

/* Integers: every sum is exact whatever its order. */
TEST(every_kernel_computes_its_loop_and_nothing_beside_it) {
    int n_kernels;
    const spw_probe_kernel *kernels = spw_probe_kernels(&n_kernels);
    for (int k = 0; k < n_kernels; k++)
        for (int l = 0; l < 3; l++)
            for (int64_t sweeps = 1; sweeps <= 3; sweeps++)
                check_kernel(&kernels[k], lengths[l], sweeps);
}

TEST(every_mix_has_kernels_with_names_of_their_own) {
    int n_kernels, per_mix[SPW_AXPY + 1] = {0};
    const spw_probe_kernel *kernels = spw_probe_kernels(&n_kernels);
    for (int k = 0; k < n_kernels; k++) {
        const char *mix = spw_mix_name(kernels[k].mix);
        per_mix[kernels[k].mix]++;
        assert_true(strncmp(kernels[k].name, mix, strlen(mix)) == 0);
        for (int other = 0; other < k; other++) {
            assert_string_not_equal(kernels[k].name, kernels[other].name);
            assert_ptr_not_equal(kernels[k].run, kernels[other].run);
        }
    }
    for (int mix = 0; mix <= SPW_AXPY; mix++) assert_in_range(per_mix[mix], 2, 32);
}

TEST(mix_is_the_one_with_the_nearest_share_of_stores) {
    const struct {
        double load, store;
        spw_mix mix;
    } cases[] = {{8, 0, SPW_LOAD},    {16, 8, SPW_TRIAD}, {8, 8, SPW_COPY}, {100, 8, SPW_LOAD},
                 {24, 8, SPW_TRIAD},  {0, 8, SPW_COPY},   {0, 0, SPW_LOAD}, {51, 10, SPW_LOAD},
                 {49, 10, SPW_TRIAD}, {13, 9, SPW_TRIAD}, {12, 9, SPW_COPY}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(spw_mix_for((spw_cost){cases[i].load, cases[i].store, 1}, false),
                         cases[i].mix);
    assert_int_equal(spw_mix_for((spw_cost){8, 0, 1}, true), SPW_LOAD);
    assert_int_equal(spw_mix_for((spw_cost){16, 8, 1}, true), SPW_AXPY);
    assert_int_equal(spw_mix_for((spw_cost){8, 8, 1}, true), SPW_UPDATE);
}

TEST(probe_counts_its_bytes) {
    const struct {
        spw_mix mix;
        int arrays, moves;
    } mixes[] = {{SPW_LOAD, 1, 1},
                 {SPW_COPY, 2, 2},
                 {SPW_TRIAD, 3, 3},
                 {SPW_UPDATE, 1, 2},
                 {SPW_AXPY, 2, 3}};
    for (int k = 0; k < 5; k++) {
        OWN(spw_probe) p;
        assert_ok(spw_probe_create(mixes[k].mix, 200000, 2, &p));
        assert_int_equal(p.mix, mixes[k].mix);
        assert_int_equal(p.threads, 2);
        assert_int_equal(p.n % SPW_PROBE_GRAIN, 0);
        assert_int_equal(p.bytes, p.n * mixes[k].arrays * 8);
        assert_true(p.bytes <= 200000 && p.bytes > 200000 - 2 * 512 * mixes[k].arrays);
        assert_true(spw_probe_traffic(&p) == 8.0 * (double)p.n * mixes[k].moves);
        assert_int_equal(p.b != NULL, mixes[k].arrays > 1);
        assert_int_equal(p.c != NULL, mixes[k].arrays > 2);

        int n_kernels;
        const spw_probe_kernel *kernels = spw_probe_kernels(&n_kernels);
        assert_in_range(p.variant, 0, n_kernels - 1);
        assert_int_equal(kernels[p.variant].mix, mixes[k].mix);
        assert_string_equal(p.kernel, kernels[p.variant].name);
    }
}

TEST(a_run_covers_the_whole_working_set_each_sweep) {
    const int64_t sizes[] = {1, 8192, 1000000, 40000000};
    for (int k = 0; k < 4; k++)
        for (int threads = 1; threads <= 3; threads++) {
            OWN(spw_probe) p;
            assert_ok(spw_probe_create(SPW_LOAD, sizes[k], threads, &p));
            const double seconds = spw_probe_run(&p);
            assert_true(seconds > 0 && p.busy > 0);
            assert_true(p.sum == (double)p.n * (double)p.sweeps); /* a is all ones */
        }
}

TEST(a_tiny_working_set_is_raised) {
    OWN(spw_probe) p;
    assert_ok(spw_probe_create(SPW_TRIAD, 1, 3, &p));
    assert_int_equal(p.n, 3 * SPW_PROBE_GRAIN);
    assert_int_equal(p.bytes, 3 * 3 * 512);
    assert_true(spw_probe_run(&p) > 0);
}

TEST(copies_arrive) {
    OWN(spw_probe) p;
    assert_ok(spw_probe_create(SPW_COPY, 100000, 2, &p));
    for (int64_t i = 0; i < p.n; i++) p.a[i] = 0;
    for (int64_t i = 0; i < p.n; i++) p.b[i] = (double)i;
    spw_probe_run(&p);
    for (int64_t i = 0; i < p.n; i++) assert_true(p.a[i] == (double)i);
}

TEST(bad_arguments_and_no_memory_leave_nothing) {
    spw_probe p, zero = {0};
    assert_error(spw_probe_create(SPW_LOAD, 1000000, 0, &p), SPW_ERR_ARG, "0 threads");
    assert_memory_equal(&p, &zero, sizeof p);
    for (int allowed = 0; allowed < 3; allowed++) {
        spw_memory_fail_after(allowed);
        const spw_status status = spw_probe_create(SPW_TRIAD, 100000, 1, &p);
        spw_memory_fail_after(-1);
        assert_int_equal(status, SPW_ERR_MEMORY);
        assert_memory_equal(&p, &zero, sizeof p);
    }
    assert_int_equal(spw_probe_create(SPW_LOAD, INT64_C(1) << 50, 1, &p), SPW_ERR_MEMORY);
    assert_memory_equal(&p, &zero, sizeof p);
}

TEST(destroy_takes_null_and_zero) {
    OWN(spw_probe) zero = {0};
    spw_probe_destroy(NULL);
}

TEST(peak_is_that_of_a_computer) {
    const double one = spw_peak_flops(1);
    assert_true(one > 1e7 && one < 1e13);
    assert_true(spw_peak_flops(2) > 1e7);
}

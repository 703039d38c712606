/* base/memory.h: alignment, refusal before the machine is full, and allocations that fail on demand. */
#include "base/memory.h"
#include "test.h"

TEST(small_blocks_are_aligned_to_a_cache_line) {
    for (int64_t n = 1; n < 3000; n += 37) {
        char *block;
        assert_ok(SPW_ALLOC(&block, n));
        assert_int_equal((uintptr_t)block % 64, 0);
        memset(block, 1, (size_t)n);
        spw_free(block);
    }
}

TEST(large_blocks_are_aligned_to_a_huge_page) {
    double *block;
    assert_ok(SPW_ALLOC(&block, (4 << 20) / sizeof *block));
    assert_int_equal((uintptr_t)block % (2 << 20), 0);
    block[0] = block[(4 << 20) / sizeof *block - 1] = 1;
    spw_free(block);
}

TEST(a_block_of_nothing_is_not_null) {
    double *block = NULL;
    assert_ok(SPW_ALLOC(&block, 0));
    assert_non_null(block);
    spw_free(block);
    assert_ok(SPW_ALLOC_ZERO(&block, 0));
    assert_non_null(block);
    spw_free(block);
    spw_free(NULL);
}

TEST(zeroed_blocks_are_zero) {
    unsigned char *block;
    assert_ok(SPW_ALLOC(&block, 1000));
    memset(block, 0xff, 1000);
    spw_free(block);
    assert_ok(SPW_ALLOC_ZERO(&block, 1000));
    for (int i = 0; i < 1000; i++) assert_int_equal(block[i], 0);
    spw_free(block);
}

TEST(bad_counts_are_refused) {
    void *block = &block;
    assert_int_equal(spw_alloc(&block, -1, 8), SPW_ERR_ARG);
    assert_null(block);
    block = &block;
    assert_int_equal(spw_alloc(&block, 1, 0), SPW_ERR_ARG);
    assert_null(block);
}

TEST(products_that_overflow_are_refused) {
    const int64_t counts[] = {INT64_MAX, INT64_MAX / 8, INT64_MAX / 8 + 1, INT64_MAX / 2};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        double *block = (double *)&block;
        assert_int_equal(SPW_ALLOC(&block, counts[i]), SPW_ERR_MEMORY);
        assert_null(block);
    }
}

TEST(more_than_the_machine_has_is_refused_with_both_figures) {
    if (spw_memory_available() == INT64_MAX) {
        print_message("skipped: this system does not say how much memory is free\n");
        skip();
    }
    double *block;
    assert_int_equal(SPW_ALLOC(&block, INT64_C(1) << 50), SPW_ERR_MEMORY);
    assert_null(block);
    assert_says(spw_message(), "needs 9007199.3 GB, this machine has ");
    assert_int_equal(spw_memory_check("fem3:9000", INT64_C(1) << 53), SPW_ERR_MEMORY);
    assert_memory_equal(spw_message(), "fem3:9000 needs 9007199.3 GB, this machine has ", 47);
    assert_ok(spw_memory_check("little", 1000));
}

TEST(allocations_fail_on_demand) {
    void *block;
    for (int64_t n = 0; n < 4; n++) {
        spw_memory_fail_after(n);
        for (int64_t i = 0; i < 8; i++) {
            const spw_status status = spw_alloc(&block, 10, 8);
            assert_int_equal(status, i < n ? SPW_OK : SPW_ERR_MEMORY);
            if (status) assert_null(block);
            spw_free(block);
        }
    }
    spw_memory_fail_after(-1);
    assert_ok(spw_alloc(&block, 10, 8));
    spw_free(block);
}

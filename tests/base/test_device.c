/* base/device.h as this build has it: where there is no device, everything says so and leaves
 * nothing. */
#include "base/device.h"

#include "kernels/cuda.h"
#include "formats/device_matrix.h"
#include "test.h"

TEST(without_a_device_everything_says_so) {
    if (!spw_device_available()) {
        print_message("there is a GPU here\n");
        skip();
    }
    int some;
    void *out = &some;
    spw_device_event *event = (spw_device_event *)&some;
    spw_device_info info;
    memset(&info, 1, sizeof info);
    assert_int_equal(spw_device_available(), SPW_ERR_UNAVAILABLE);
    assert_int_equal(strncmp(spw_message(), "no GPU: ", 8), 0);
    assert_int_equal(spw_device_properties(&info), SPW_ERR_UNAVAILABLE);
    assert_true(info.memory == 0 && info.name[0] == 0);
    assert_int_equal(spw_device_alloc(&out, 1, 8), SPW_ERR_UNAVAILABLE);
    assert_null(out);
    assert_int_equal(spw_device_event_create(&event), SPW_ERR_UNAVAILABLE);
    assert_null(event);
    spw_device_free(NULL);
    spw_device_event_destroy(NULL);
}

TEST(without_a_device_no_matrix_goes_there) {
    if (!spw_device_available()) {
        print_message("there is a GPU here\n");
        skip();
    }
    spw_idx row_ptr[] = {0, 1}, col_idx[] = {0};
    double val[] = {1};
    const spw_csr A = {1, 1, 1, row_ptr, col_idx, val};
    spw_csr d_A, zero;
    memset(&d_A, 1, sizeof d_A);
    memset(&zero, 0, sizeof zero);
    assert_int_equal(spw_csr_to_device(&A, &d_A), SPW_ERR_UNAVAILABLE);
    assert_memory_equal(&d_A, &zero, sizeof zero);
    spw_csr_device_destroy(&d_A);
    spw_csr_device_destroy(NULL);
    assert_int_not_equal(spw_spmv_csr_cuda(&A, NULL, NULL), SPW_OK);
}

/* simt/shim.h -- what the headers under include/ call in the runtime.
 *
 * The learner's .cu file never sees this by name: its cudaMalloc, __syncthreads and so on are small
 * inline functions of include/cuda_runtime.h around these. Plain C, so that no copy of a C++ standard
 * function that was compiled with instrumentation can take the place of one of the runtime's own. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define SPW_SIMT_NOTHROW noexcept
#else
#define SPW_SIMT_NOTHROW
#endif

/* uint3 of CUDA. Twelve bytes come back in registers, so that no memory access is seen. */
typedef struct spw_simt_index {
    unsigned x, y, z;
} spw_simt_index;

/* --- inside a kernel ------------------------------------------------------------------------------ */

/* These do not change while a thread lives: the compiler may call them once. */
#define SPW_SIMT_CONST SPW_SIMT_NOTHROW __attribute__((const))
spw_simt_index spw_simt_thread_index(void) SPW_SIMT_CONST;
spw_simt_index spw_simt_block_index(void) SPW_SIMT_CONST;
spw_simt_index spw_simt_block_size(void) SPW_SIMT_CONST;
spw_simt_index spw_simt_grid_size(void) SPW_SIMT_CONST;
int spw_simt_lane(void) SPW_SIMT_CONST; /* 0 .. 31 */

/* Barriers, shuffles and votes. call: the number that the rewriter gave to this call in the source, 0: none.
 * The block's barrier returns how many threads gave a non-zero predicate. */
int spw_simt_sync_block(int predicate, unsigned call) SPW_SIMT_NOTHROW;
void spw_simt_sync_warp(uint32_t mask) SPW_SIMT_NOTHROW;
void spw_simt_fence(int wide) SPW_SIMT_NOTHROW; /* 0: for the threads of the block only */

/* Lanes of a warp that meet. The bits travel, whatever their type. source: the lane to read from. */
uint64_t spw_simt_shuffle(uint32_t mask, uint64_t bits, int source, unsigned call) SPW_SIMT_NOTHROW;
uint32_t spw_simt_ballot(uint32_t mask, int predicate, unsigned call) SPW_SIMT_NOTHROW;
uint32_t spw_simt_match(uint32_t mask, uint64_t bits, unsigned call) SPW_SIMT_NOTHROW;
uint32_t spw_simt_active_mask(void) SPW_SIMT_NOTHROW;

/* An atomic operation on these bytes comes next, at this place of the kernel. how: which one, of what scope. */
enum { SPW_SIMT_UPDATES = 0, SPW_SIMT_COMPARES = 1, SPW_SIMT_EXCHANGES = 2, SPW_SIMT_IN_BLOCK = 4 };
void spw_simt_atomic(const void *address, size_t size, const void *pc, int how) SPW_SIMT_NOTHROW;

/* memcpy, memmove and memset of the learner's source: the same, and in kernels their accesses are seen. */
void *spw_simt_moves(void *to, const void *from, size_t size) SPW_SIMT_NOTHROW;
void *spw_simt_sets(void *to, int value, size_t size) SPW_SIMT_NOTHROW;

/* The block's `extern __shared__` memory: one address for all kernels. */
void *spw_simt_dynamic_shared(void) SPW_SIMT_CONST;

/* Stands behind each `__shared__ T name[...]`: makes the array known, and poisons it for a new block. */
void spw_simt_shared_array(const volatile void *array, size_t size, size_t element,
                           const char *name) SPW_SIMT_NOTHROW;

/* The same for one that is declared outside of functions: known when the answer is loaded, until it is gone. name stays
 * where it is. */
void spw_simt_file_shared(const volatile void *array, size_t size, size_t element,
                          const char *name) SPW_SIMT_NOTHROW;
void spw_simt_file_shared_gone(const volatile void *array) SPW_SIMT_NOTHROW;

/* Stands behind each `extern __shared__ T name[]`: the name under which findings speak of it. */
void spw_simt_dynamic_array(const char *name, size_t element) SPW_SIMT_NOTHROW;

/* --- launches ------------------------------------------------------------------------------------- */

typedef struct spw_simt_launch {
    const char *kernel; /* as the learner wrote it: "spmv<double>" */
    const char *file;
    int line;
    spw_simt_index grid, block;
    size_t shared; /* bytes of dynamic shared memory */
    void *stream;
    void (*call)(const void *arguments);
    const void *arguments; /* [size] what call unpacks; the kernel may read it freely */
    size_t size;
} spw_simt_launch;

void spw_simt_launch_kernel(const spw_simt_launch *launch);
/* A pointer among the arguments of the launch that comes next. */
void spw_simt_argument(const void *pointer) SPW_SIMT_NOTHROW;

enum { SPW_SIMT_DEVICE, SPW_SIMT_PINNED, SPW_SIMT_MANAGED, SPW_SIMT_CONSTANT };

/* What is called here is not in the checker: a finding that says so, text and all; the launch is over. */
void spw_simt_unsupported(const char *text) SPW_SIMT_NOTHROW;

/* __trap(). */
void spw_simt_trap(void) SPW_SIMT_NOTHROW;

/* Variables with __device__, __constant__ or __managed__ of one answer, and the space around them; called when it is
 * loaded. name stays where it is. */
void spw_simt_device_section(void *start, void *stop);
void spw_simt_section_gone(void *start);
void spw_simt_file_variable(const volatile void *variable, size_t size, size_t element,
                            const char *name, int space) SPW_SIMT_NOTHROW;
void spw_simt_file_variable_gone(const volatile void *variable) SPW_SIMT_NOTHROW;

/* --- the CUDA run time; the numbers returned are CUDA's error codes ------------------------------- */

/* site: the text of the call's arguments, "&d_x, n * sizeof(double)": the array's name is taken from
 * it. element: size of what the pointer points to, 0 if it is void. */
int spw_simt_malloc(void **pointer, size_t bytes, size_t element, int space, const char *site,
                    const char *file, int line) SPW_SIMT_NOTHROW;
int spw_simt_free(void *pointer, int space) SPW_SIMT_NOTHROW;
int spw_simt_reset_device(void) SPW_SIMT_NOTHROW;
int spw_simt_memcpy(void *to, const void *from, size_t bytes, int kind) SPW_SIMT_NOTHROW;
/* By the name of a variable: copies, or its address, which calls may take from then on. */
int spw_simt_copy_symbol(void *to, const void *from, size_t bytes, int kind) SPW_SIMT_NOTHROW;
void *spw_simt_symbol(const void *symbol) SPW_SIMT_NOTHROW;
int spw_simt_memset(void *to, int value, size_t bytes) SPW_SIMT_NOTHROW;
int spw_simt_memory_info(size_t *available, size_t *total) SPW_SIMT_NOTHROW;
int spw_simt_multiprocessors(void) SPW_SIMT_NOTHROW;

int spw_simt_error(int code) SPW_SIMT_NOTHROW; /* remembers a non-zero code; returns it */
int spw_simt_last_error(int clear) SPW_SIMT_NOTHROW;
int spw_simt_allow_shared(const void *kernel, size_t bytes) SPW_SIMT_NOTHROW;

/* 's' stream, 'e' event. A stream that is blocking waits for the default one, and that for it. */
int spw_simt_handle_create(void **handle, int kind, int blocking) SPW_SIMT_NOTHROW;
int spw_simt_handle_destroy(void *handle, int kind) SPW_SIMT_NOTHROW;
int spw_simt_handle_check(void *handle, int kind) SPW_SIMT_NOTHROW;
/* The host waits: for a stream, an event, or everything, 'd'. */
int spw_simt_synchronize(void *what, int kind) SPW_SIMT_NOTHROW;
int spw_simt_stream_wait(void *stream, void *event) SPW_SIMT_NOTHROW;
/* Where the copy, memset or launch that comes next belongs; asynchronous: the host does not wait for it. */
void spw_simt_on_stream(void *stream, int asynchronous) SPW_SIMT_NOTHROW;
int spw_simt_event_record(void *event, void *stream) SPW_SIMT_NOTHROW;
int spw_simt_event_elapsed(float *ms, void *start, void *stop) SPW_SIMT_NOTHROW;

#ifdef __cplusplus
}
#endif

/* kernels/kernels.h -- every kernel has a row in the table of its operation. Tests and bench take them from there:
 *
 *     for (const spw_kernel *k = spw_kernels("spmv_csr"); k->symbol; k++)
 *         ((spw_spmv_csr_fn *)k->function)(&A, x, y);
 *
 * The operations of a device, "spmv_csr_cuda", have tables of their own: their kernels take other arguments and return
 * a status. They are listed in every build; where there is no device their launchers say so.
 *
 * No kernel in this sense, and in no table, is spw_partials_sum_cuda, a single block that adds up a sum's parts: it
 * moves next to nothing, so it has no cost.
 *
 * A new kernel is one file and one row in kernels.c, and is then tested and measured without another line. */
#pragma once

#include "base/extern_c.h"

#include <stdbool.h>

SPW_C_BEGIN

typedef void (*spw_kernel_fn)(void); /* cast to the type of its operation before it is called */

typedef struct spw_kernel {
    const char *operation; /* "spmv_csr" in the row before its kernels, which has nothing else */
    const char *symbol; /* as the linker has it: "spw_spmv_csr_omp_balanced"; NULL ends a table */
    spw_kernel_fn function;
    const char *cost; /* at the least, in terms of perf/terms.h: kernels/costs.h */
    const char *text; /* how, with gain and price, one line */
} spw_kernel;

/* All tables, one behind the other, and a row of zeros. In each the reference comes first, if there is one, then plain
 * loops, then experts'. */
extern const spw_kernel spw_kernel_rows[];

/* The table of that operation; an operation that there is not is a mistake of the program: it aborts. */
const spw_kernel *spw_kernels(const char *operation);

/* By its symbol; NULL if there is none. */
const spw_kernel *spw_kernel_find(const char *symbol);

/* Is it the obvious serial one? */
bool spw_kernel_is_reference(const spw_kernel *k);

SPW_C_END

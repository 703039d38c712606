/* kit/one_pass.h -- a kernel gives the right values, but how? Does it fetch each of its vectors once? A part of its own,
 * with the kit of the kernel:
 *     static const spw_kit update_kit = {arguments, sizeof(vectors), .call = call_update, ...,
 *                                        .one_pass = "r[i] is at hand when it has just changed: add its square there"};
 *     {.function = "update", SPW_ONE_PASS(&update_kit)}
 * Its one case is of 128 pages a vector, or a tridiagonal matrix of so many rows; all arrays of doubles that are as
 * long are watched, kit/pages.h, on one thread. Nothing is compared. */
#pragma once

#include "base/extern_c.h"
#include "kit/kit.h"

SPW_C_BEGIN

#define SPW_ONE_PASS(k)                                                                            \
    .kit = (k), .cases = spw_one_pass_cases, .setup = spw_one_pass_setup,                          \
    .call = spw_one_pass_call, .cost = spw_kit_cost, .predict = spw_kit_predict,                   \
    .explain_model = spw_kit_explain

/* Is the work shared among the threads, in a kernel whose rows do not need each other? Another such part,
 *     .shared = "fours:#/2"       the kit's: the case, # is the number of rows
 *     {.function = "chebyshev", SPW_SHARED(&chebyshev_kit)}
 * All pages of the first output, of 16 pages a thread, are watched for who comes to them. No clock is needed. */
#define SPW_SHARED(k)                                                                              \
    .kit = (k), .cases = spw_shared_cases, .setup = spw_shared_setup, .call = spw_shared_call

extern const char *const spw_shared_cases[];
spw_status spw_shared_setup(spw_trial *t, const char *name);
void spw_shared_call(spw_trial *t, spw_function f);

extern const char *const spw_one_pass_cases[];
spw_status spw_one_pass_setup(spw_trial *t, const char *name);
void spw_one_pass_call(spw_trial *t, spw_function f);

SPW_C_END

/* test.h -- what a unit test begins with: cmocka with the headers that it wants, and TEST, which defines a test and has
 * it run; those of a program run in the order of its lines. tests/main.c has the main of a program that needs no own. */
#pragma once

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/threads.h"
#include "formats/coo.h"
#include "formats/csr.h"

/* 1, 3, 7, and as many as there are; each test begins with all. */
extern int thread_counts[4], all_threads;

/* A variable whose destroy function runs where its scope ends: OWN(spw_csr) A; */
#define OWN(type) __attribute__((cleanup(type##_destroy), unused)) type
/* The same for an spw_trial (judge/trial.h). */
#define TRIAL __attribute__((cleanup(spw_trial_end))) spw_trial

/* Zeros, of the test alone: they are freed behind it. */
void *zeroed(int64_t count, size_t size);
double *zeros(int64_t count);

/* The program's own folder, made when it is asked for and removed behind its last test, or behind a test that has empty_folder;
 * a path in it, of which the last eight stay; a file there, with the folders above it. */
const char *own_folder(void);
char *own_path(const char *name);
char *put_file(const char *name, const void *bytes, size_t length);
char *put_text(const char *name, const char *text);
int empty_folder(void **state);
/* A whole file, with a NUL behind it. */
char *text_of_file(const char *path, size_t *length);

/* The call returns SPW_OK; if not, its message is told. */
#define assert_ok(call)                                                                            \
    do {                                                                                           \
        if (call) fail_msg("%s: %s", #call, spw_message());                                        \
    } while (0)

/* The call returns this status, and the message has these words. */
#define assert_error(call, status, words)                                                          \
    do {                                                                                           \
        assert_int_equal(call, status);                                                            \
        assert_says(spw_message(), words);                                                         \
    } while (0)

/* The call returns this status, and that is the message. */
#define assert_message(call, status, text)                                                         \
    do {                                                                                           \
        assert_int_equal(call, status);                                                            \
        assert_string_equal(spw_message(), text);                                                  \
    } while (0)

/* Lets 0, 1, 2 ... allocations succeed until the call, a status, does; behind each failure `nothing` must hold. How often
 * it failed. Leaks are found by the leak sanitizer. */
#define FAILURES(call, nothing)                                                                    \
    ({                                                                                             \
        int failures_ = 0;                                                                         \
        for (spw_status status_ = SPW_ERR_MEMORY; status_; failures_ += status_ != SPW_OK) {       \
            spw_memory_fail_after(failures_);                                                      \
            status_ = (call);                                                                      \
            spw_memory_fail_after(-1);                                                             \
            if (!status_) break;                                                                   \
            assert_int_equal(status_, SPW_ERR_MEMORY);                                             \
            assert_true(nothing);                                                                  \
            assert_true(failures_ < 200);                                                          \
        }                                                                                          \
        failures_;                                                                                 \
    })
/* For a call that must overwrite what it gives back: FAILURES((SPOIL(A), spw_csr_create(5, 6, 7, &A)), ...). */
#define SPOIL(x) memset(&(x), 0x55, sizeof(x))

/* For a loop over all thread_counts: sets number t, and is false behind the last. For one over 1 .. most: sets `threads`. */
bool with_count(int t);
bool with_threads(int threads, int most);

/* A matrix of formats/generate.h or of a file; one that kit/cases.h names; the n_rows x n_cols numbers that are not 0. They
 * are the test's own. */
spw_csr generated(const char *name);
spw_csr case_of(const char *name, uint64_t seed);
spw_csr matrix_of(spw_idx n_rows, spw_idx n_cols, const double *numbers);

/* The element in row i and column j; 0 where there is no entry. */
double a_ij(const spw_csr *A, spw_idx i, spw_idx j);

/* Of a symmetric matrix of some hundred rows: Cholesky's factorisation of the dense matrix has only positive pivots. */
void assert_positive_definite(const spw_csr *A);

/* The text has these words. */
#define assert_says(text, words)                                                                   \
    do {                                                                                           \
        const char *text_ = (text), *words_ = (words);                                             \
        if (!text_ || !strstr(text_, words_))                                                      \
            fail_msg("'%s' does not say '%s'", text_ ? text_ : "", words_);                        \
    } while (0)

/* None of n differs from what is expected by more than the bound. */
void assert_near(int64_t n, const double *got, const double *expected, double bound);

void assert_no_csr(const spw_csr *A); /* all is 0 */
void assert_no_coo(const spw_coo *A);

/* Every bit is compared, so that the order of summation shows. */
void assert_same_csr(const spw_csr *A, const spw_csr *B);

void add_test(int line, struct CMUnitTest test);

/* The status that main returns. The functions run before the first test and behind the last; NULL: none. */
int run_all(CMFixtureFunction set_up, CMFixtureFunction tear_down);

#define TEST(name) TEST_WITH(name, NULL, NULL)
/* These run before and behind each test; set_up may leave something in *state. */
#define TEST_WITH(name, set_up, tear_down)                                                         \
    static void name(void **state);                                                                \
    __attribute__((constructor)) static void add_##name(void) {                                    \
        add_test(__LINE__,                                                                         \
                 (struct CMUnitTest)cmocka_unit_test_setup_teardown(name, set_up, tear_down));     \
    }                                                                                              \
    static void name(void **state __attribute__((unused)))

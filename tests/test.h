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

/* 1, 3, 7, and as many as there are. */
extern int thread_counts[4], all_threads;

/* A variable whose destroy function runs where its scope ends: OWN(spw_csr) A; */
#define OWN(type) __attribute__((cleanup(type##_destroy))) type

/* Zeros, of the test alone: they are freed behind it. */
void *zeroed(int64_t count, size_t size);
double *zeros(int64_t count);

void add_test(int line, struct CMUnitTest test);

/* The status that main returns. The functions run before the first test and behind the last; NULL: none. */
int run_all(CMFixtureFunction set_up, CMFixtureFunction tear_down);

#define TEST(name) TEST_WITH(name, NULL, NULL)
/* These run before and behind each test; set_up may leave something in *state. */
#define TEST_WITH(name, set_up, tear_down)                                                         \
    static void name(void **state);                                                                \
    __attribute__((constructor)) static void add_##name(void)                                      \
    {                                                                                              \
        add_test(__LINE__,                                                                         \
                 (struct CMUnitTest)cmocka_unit_test_setup_teardown(name, set_up, tear_down));     \
    }                                                                                              \
    static void name(void **state __attribute__((unused)))

/*
 * cmocka.h - as much of cmocka's interface as tests of liblocant use.
 *
 * For builds for another machine (CMAKE_CROSSCOMPILING), whose cmocka is not
 * there to be linked.  Without fixtures of groups and mocks.
 */
#ifndef CROSS_CMOCKA_H
#define CROSS_CMOCKA_H
#include <stddef.h>

typedef void (*CMUnitTestFunction)(void **state);

struct CMUnitTest {
    const char *name;
    CMUnitTestFunction test_func;
    int (*setup_func)(void **state);
    int (*teardown_func)(void **state);
    void *initial_state;
};

/* clang-format off */
#define cmocka_unit_test(function) { #function, function, NULL, NULL, NULL }
/* clang-format on */
/* There are no fixtures: set_up and tear_down are NULL. */
#define cmocka_run_group_tests(tests, set_up, tear_down)                       \
    cross_run((tests), sizeof(tests) / sizeof((tests)[0]))
#define _cmocka_run_group_tests(group, tests, count, set_up, tear_down)        \
    cross_run((tests), (count))

#define assert_true(c)            cross_assert((c) != 0, #c, __FILE__, __LINE__)
#define assert_false(c)           assert_true(!(c))
#define assert_null(p)            assert_true((p) == NULL)
#define assert_non_null(p)        assert_true((p) != NULL)
#define assert_int_equal(a, b)    assert_true((a) == (b))
#define assert_string_equal(a, b) assert_true(cross_same_text((a), (b)))
#define assert_memory_equal(a, b, bytes)                                       \
    assert_true(cross_same_bytes((a), (b), (bytes)))
#define fail() cross_assert(0, "fail()", __FILE__, __LINE__)
#define skip() cross_skip()

/* The number of tests that failed, each named with the place where it did. */
int cross_run(const struct CMUnitTest *tests, size_t count);
void cross_assert(int holds, const char *claim, const char *file, int line);
void cross_skip(void);
int cross_same_text(const char *a, const char *b);
int cross_same_bytes(const void *a, const void *b, size_t bytes);

/* Only tests with such names ("*" any text, "?" any letter). */
void cmocka_set_test_filter(const char *pattern);
void print_message(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
void print_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
#endif

/* cmocka.c - see cmocka.h */
#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cmocka.h"

enum { FAILED = 1, SKIPPED };

static jmp_buf running;
static const char *wanted = "*";

static const char *outcome(const struct CMUnitTest *test)
{
    void *state = test->initial_state;

    switch (setjmp(running)) {
    case FAILED: return "FAILED";
    case SKIPPED: return "SKIPPED";
    default:
        if (test->setup_func != NULL && test->setup_func(&state) != 0)
            return "FAILED";
        test->test_func(&state);
        if (test->teardown_func != NULL)
            test->teardown_func(&state);
        return "OK";
    }
}

int cross_run(const struct CMUnitTest *tests, size_t count)
{
    int failed = 0;

    for (size_t i = 0; i < count; i++) {
        const char *how;

        if (fnmatch(wanted, tests[i].name, 0) != 0)
            continue;
        how = outcome(&tests[i]);
        print_message("%s %s\n", how, tests[i].name);
        failed += strcmp(how, "FAILED") == 0;
    }
    return failed;
}

void cmocka_set_test_filter(const char *pattern)
{
    wanted = pattern;
}

void cross_assert(int holds, const char *claim, const char *file, int line)
{
    if (holds)
        return;
    print_error("%s:%d: %s\n", file, line, claim);
    longjmp(running, FAILED);
}

void cross_skip(void)
{
    longjmp(running, SKIPPED);
}

int cross_same_text(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

int cross_same_bytes(const void *a, const void *b, size_t bytes)
{
    return memcmp(a, b, bytes) == 0;
}

void print_message(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    fflush(stdout);
}

void print_error(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
}

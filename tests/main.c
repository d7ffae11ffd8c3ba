/* main.c - a program of the tests that its file adds (testing.h) */
#include "testing.h"
#include <stdlib.h>

enum { MOST = 64 };

static struct CMUnitTest tests[MOST];
static void (*bodies[MOST])(void);
static size_t count;
static test_fixture set_up_all, tear_down_all;

static void run(void **state)
{
    (*(void (**)(void)) * state)();
}

void test_add(const char *name, void (*body)(void), test_fixture set_up,
              test_fixture tear_down)
{
    if (count == MOST)
        abort();
    bodies[count] = body;
    tests[count] = (struct CMUnitTest){ .name = name,
                                        .test_func = run,
                                        .setup_func = set_up,
                                        .teardown_func = tear_down,
                                        .initial_state = &bodies[count] };
    count++;
}

void test_group(test_fixture set_up, test_fixture tear_down)
{
    set_up_all = set_up;
    tear_down_all = tear_down;
}

/* fontconfig keeps one block of its configuration to the end of the process. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig\n";
}

int main(void)
{
    if (getenv("LOCANT_ONLY") != NULL)
        cmocka_set_test_filter(getenv("LOCANT_ONLY"));
    return _cmocka_run_group_tests("tests", tests, count, set_up_all,
                                   tear_down_all);
}

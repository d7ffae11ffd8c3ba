/* whole_main.c - see whole_main.h */
#include "whole_main.h"
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 96 };

/* Rounds of each judge; 0: not asked. */
static struct whole_rounds rounds;

static void attention(void **state)
{
    whole_judge_attention(*state, rounds.attention);
}

static void doors(void **state)
{
    whole_judge_doors(*state, rounds.doors);
}

static void runs(void **state)
{
    whole_judge_runs(*state, rounds.runs);
}

static int add(struct CMUnitTest *tests, char (*names)[80], int n,
               const struct whole_oracle *o, int judge)
{
    static const char *const claims[] = {
        "attends_as_the_paper_says", "doors_match_the_paper",
        "runs_alike_in_any_company"
    };
    static const CMUnitTestFunction functions[] = { attention, doors, runs };
    struct CMUnitTest test = { .test_func = functions[judge] };

    assert_true(n < MOST);
    snprintf(names[n], sizeof(names[n]), "%s_%s", o->name, claims[judge]);
    test.name = names[n];
    test.initial_state = (void *)(uintptr_t)o;
    tests[n] = test;
    return n + 1;
}

int whole_main(int (*belongs)(const struct whole_oracle *o),
               struct whole_rounds usual)
{
    static struct CMUnitTest tests[MOST];
    static char names[MOST][80];
    int n = 0;

    rounds = usual;
    for (int i = 0; whole_oracles[i] != NULL; i++) {
        const struct whole_oracle *o = whole_oracles[i];

        if (!belongs(o))
            continue;
        n = usual.doors ? add(tests, names, n, o, 1) : n;
        n = usual.attention ? add(tests, names, n, o, 0) : n;
        n = usual.runs ? add(tests, names, n, o, 2) : n;
    }
    if (getenv("LOCANT_ONLY") != NULL)
        cmocka_set_test_filter(getenv("LOCANT_ONLY"));
    return _cmocka_run_group_tests("whole", tests, (size_t)n, NULL, NULL);
}

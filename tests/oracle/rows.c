/* rows.c - see rows.h */
#include "rows.h"
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 256 };

static struct rows_cases cases;

static void done(struct oracle_run *r)
{
    if (!r->row.ok)
        FAIL("%s %s of %s: %s", r->row.op, locant_dtype_name(r->row.dtype),
             r->row.spec, r->row.miss);
}

struct oracle_run rows_run(int usual)
{
    static const struct oracle_memory guarded = { test_guarded,
                                                  test_guarded_free,
                                                  test_guarded_readonly };

    return (struct oracle_run){ .seed = test_seed(),
                                .cases = test_cases(
                                    TEST_SANITIZED ? (usual + 1) / 2 : usual),
                                .memory = &guarded,
                                .done = done };
}

/* Spec i of o and what is asked about it. */
static void each_spec(const struct oracle *o, int usual,
                      void (*check)(struct oracle_run *r,
                                    const struct oracle *o, int i))
{
    struct oracle_run r = rows_run(usual);

    for (int i = 0; o->specs[i].text != NULL; i++)
        check(&r, o, i);
    CHECK(r.rows > 0);
}

static void one_spec(struct oracle_run *r, const struct oracle *o, int i)
{
    oracle_check_doors(r, o, i);
    oracle_check_table(r, o, i);
    oracle_check_rotate(r, o, i);
    oracle_check_bias(r, o, i);
}

static void doors(void **state)
{
    each_spec(*state, cases.doors, one_spec);
}

static void attention(void **state)
{
    each_spec(*state, cases.attend, oracle_check_attend);
}

static void company(void **state)
{
    struct oracle_run r = rows_run(cases.company);

    company_check(&r, *state);
}

static void others(void **state)
{
    struct oracle_run r = rows_run(cases.others);

    (void)state;
    oracle_check_angles(&r);
    oracle_check_resize(&r);
    oracle_check_ids(&r);
}

static const struct {
    const char *name;
    CMUnitTestFunction run;
    size_t wanted;
} claims[] = {
    { "doors_match_the_paper", doors, offsetof(struct rows_cases, doors) },
    { "attends_as_the_paper_says", attention,
      offsetof(struct rows_cases, attend) },
    { "runs_alike_in_any_company", company,
      offsetof(struct rows_cases, company) },
};

int rows_main(int (*belongs)(const struct oracle *o), struct rows_cases usual)
{
    static struct CMUnitTest tests[MOST];
    static char names[MOST][80];
    int n = 0;

    cases = usual;
    for (int i = 0; oracle_all[i] != NULL; i++)
        for (size_t k = 0; belongs(oracle_all[i]) && k < LEN(claims); k++) {
            if (*(int *)((char *)&usual + claims[k].wanted) == 0)
                continue;
            assert_true(n + 1 < MOST);
            snprintf(names[n], sizeof(names[n]), "%s_%s", oracle_all[i]->name,
                     claims[k].name);
            tests[n] =
                (struct CMUnitTest){ .name = names[n],
                                     .test_func = claims[k].run,
                                     .initial_state =
                                         (void *)(uintptr_t)oracle_all[i] };
            n++;
        }
    if (usual.others > 0)
        tests[n++] = (struct CMUnitTest)cmocka_unit_test(others);
    if (getenv("LOCANT_ONLY") != NULL)
        cmocka_set_test_filter(getenv("LOCANT_ONLY"));
    return _cmocka_run_group_tests("oracles", tests, (size_t)n, NULL, NULL);
}

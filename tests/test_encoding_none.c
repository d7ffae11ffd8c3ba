/* test_encoding_none.c - NoPE: nothing happens, at any door. */
#include "oracle/judge.h"
#include <string.h>

static const struct oracle *self(void)
{
    return oracle_of("none");
}

static void registry_row_is_right(void **state)
{
    (void)state;
    judge_row(self());
}

static void closed_doors_are_refused(void **state)
{
    (void)state;
    judge_closed_doors(self());
}

static void has_no_keys_and_no_parameters(void **state)
{
    locant_encoding *e = judge_create("none()");
    const locant_sizes sizes = { .width = 64, .heads = 4 };
    locant_param_info info;
    locant_key_info key;

    (void)state;
    CHECK(strcmp(locant_encoding_spec(e), "none") == 0);
    CHECK(locant_encoding_param(&info, e, 0, &sizes) == 0);
    CHECK(locant_encoding_key(&key, "none", 0) == 0);
    locant_encoding_free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registry_row_is_right),
        cmocka_unit_test(closed_doors_are_refused),
        cmocka_unit_test(has_no_keys_and_no_parameters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

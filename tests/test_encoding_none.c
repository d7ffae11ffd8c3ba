/* test_encoding_none.c - NoPE: nothing happens, at any door. */
#include "oracle/draw.h"
#include <string.h>

TEST(has_no_keys_and_no_parameters)
{
    OWNED(locant_encoding) *e = test_create("none()");
    const locant_sizes sizes = { .width = 64, .heads = 4 };
    locant_param_info info;
    locant_key_info key;

    CHECK(strcmp(locant_encoding_spec(e), "none") == 0);
    CHECK(locant_encoding_param(&info, e, 0, &sizes) == 0);
    CHECK(locant_encoding_key(&key, "none", 0) == 0);
}

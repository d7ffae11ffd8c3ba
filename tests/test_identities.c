/* test_identities.c - what papers prove holds, and what does not is told */
/* needs: lab */
#include "testing.h"
#include "lab/lab.h"
#include "report/words.h"

TEST(all_of_them_hold)
{
    for (int i = 0; i < LCT_IDENTITIES; i++) {
        struct lct_identity one;
        char zh[LCT_WORD_BYTES];

        CHECK_OK(lct_identity(&one, i));
        if (!one.holds)
            FAIL("%s: %g, bound %g", one.name, one.error, one.bound);
        CHECK(one.formula[0] && one.source[0]);
        CHECK(lct_word_zh(zh, sizeof zh, one.name));
    }
}

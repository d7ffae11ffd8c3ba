/* test_identities.c - what papers prove holds, and what does not is told */
/* needs: lab */
#include "testing.h"
#include "locant/figure.h"
#include "measure/identities.h"
#include "report/messages.h"

TEST(all_of_them_hold)
{
    for (int i = 0; i < LCT_IDENTITIES; i++) {
        struct lct_identity one;

        CHECK_OK(lct_identity(&one, i));
        if (!one.holds)
            FAIL("%s: %g, bound %g", one.name, one.error, one.bound);
        CHECK(one.formula[0] && one.source[0]);
        CHECK(locant_chinese(one.name) != NULL);
    }
}

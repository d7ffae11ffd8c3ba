/* rectangle.c - a caller's tensor [B|1, H|1, T|1, S|1], read by tiles */
#include "rectangle.h"
#include <inttypes.h>

locant_status lct_rectangle_check(const struct lct_request *r, const char *name,
                                  const locant_tensor *x, unsigned dtypes)
{
    const int64_t any[4] = { -1, -1, -1, -1 };
    const int64_t sizes[4] = { r->B, r->H, r->T, r->S };

    LCT_TRY(lct_check_view(r->fn, name, x, dtypes, 4, any));
    for (int n = 0; n < 4; n++)
        if (x->shape[n] != 1 && x->shape[n] != sizes[n])
            return locant_fail(LOCANT_ERR_SHAPE,
                               "%s: %s has size %" PRId64
                               " in dimension %d, expected %s%" PRId64,
                               r->fn, name, x->shape[n], n,
                               sizes[n] == 1 ? "" : "1 or ", sizes[n]);
    return LOCANT_OK;
}

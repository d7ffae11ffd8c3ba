/* length_limit.c - refuse positions that an encoding does not have */
#include "length_limit.h"
#include <inttypes.h>

locant_status lct_length_limit_check(const locant_encoding *e, const char *fn,
                                     const int64_t *pos, size_t n,
                                     const locant_tensor *params)
{
    const struct lct_position_hooks *hooks = &e->row->positions;
    int64_t count;

    if (hooks->check != NULL)
        LCT_TRY(hooks->check(e, fn, pos, n, params));
    if (hooks->count == NULL)
        return LOCANT_OK;
    count = hooks->count(e, params);
    for (size_t i = 0; i < n; i++)
        if (pos[i] < 0 || pos[i] >= count)
            return locant_fail(
                LOCANT_ERR_PARAM,
                "%s: position %" PRId64
                " (index %zu) is outside the %s of %s, which has "
                "positions 0 to %" PRId64,
                fn, pos[i], i, hooks->of, e->row->info.name, count - 1);
    return LOCANT_OK;
}

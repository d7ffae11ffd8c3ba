/* rope_grid.c - see rope_grid.h */
#include "rope_grid.h"
#include <inttypes.h>

locant_status lct_grid_schedule(struct lct_schedule **out,
                                const struct lct_schedule_use *u,
                                int64_t multiple, int64_t pairs,
                                enum lct_pairing pairing)
{
    const int axes = lct_own_axes(u->e);

    *out = NULL;
    if (u->dim % multiple != 0 || pairs < 1)
        return locant_fail(
            LOCANT_ERR_SHAPE,
            "%s: heads have %" PRId64 " channels, expected %s%" PRId64
            " for %s",
            u->fn, u->dim, multiple > 1 ? "a multiple of " : "at least ",
            multiple > 1 ? multiple : 2 * (int64_t)axes, u->e->row->info.name);
    *out = lct_schedule_new(pairs, axes, u->dim);
    if (*out == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "%s: no memory for %" PRId64 " frequencies", u->fn,
                           pairs);
    (*out)->pairing = pairing;
    return LOCANT_OK;
}

locant_status lct_grid_positions(const locant_encoding *e, const char *fn,
                                 const int64_t *pos, size_t n,
                                 const locant_tensor *params)
{
    (void)params;
    for (size_t i = 0; i < n; i++)
        if (!lct_is_exact(pos[i]))
            return locant_fail(
                LOCANT_ERR_PARAM,
                "%s: position %" PRId64
                " (index %zu) of %s, expected at most 2^53 in magnitude",
                fn, pos[i], i, e->row->info.name);
    return LOCANT_OK;
}

/*
 * length_limit.h - check positions of encodings that have a table of positions
 */
#ifndef LCT_LENGTH_LIMIT_H
#define LCT_LENGTH_LIMIT_H
#include "encoding.h"
#include <inttypes.h>

/* Refuse positions outside of 0 .. count - 1; 'of' names the table. */
static inline locant_status lct_length_limit_check(const locant_encoding *e,
                                                   const char *fn,
                                                   const int64_t *pos, size_t n,
                                                   int64_t count,
                                                   const char *of)
{
    for (size_t i = 0; i < n; i++)
        if (pos[i] < 0 || pos[i] >= count)
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: position %" PRId64
                               " (index %zu) is outside %s of %s, which has "
                               "positions 0 to %" PRId64,
                               fn, pos[i], i, of, e->row->info.name, count - 1);
    return LOCANT_OK;
}
#endif

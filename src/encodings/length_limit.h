/* length_limit.h - refuse positions that an encoding does not have */
#ifndef LCT_LENGTH_LIMIT_H
#define LCT_LENGTH_LIMIT_H
#include "encoding.h"

/* Check n positions by the hooks positions.check and positions.count. */
locant_status lct_length_limit_check(const locant_encoding *e, const char *fn,
                                     const int64_t *pos, size_t n,
                                     const locant_tensor *params);

/* Does the encoding have one of these hooks? */
static inline bool lct_length_limit_exists(const locant_encoding *e)
{
    return e->row->positions.check != NULL || e->row->positions.count != NULL;
}
#endif

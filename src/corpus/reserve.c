/* reserve.c - grows a list by doubling it */
#include "../core/size.h"
#include "corpus.h"
#include <string.h>

bool lct_reserve(void **at, size_t *room, size_t used, size_t need, size_t item)
{
    size_t want, bytes, more = *room;
    void *grown;

    if (!lct_add(&want, used, need))
        return false;
    if (want <= more)
        return true;
    if (!lct_mul(&more, more, 2) || more < want)
        more = want < 64 ? 64 : want;
    if (!lct_mul(&bytes, more, item))
        return false;
    grown = locant_alloc(bytes);
    if (grown == NULL)
        return false;
    if (used > 0)
        memcpy(grown, *at, used * item);
    locant_release(*at);
    *at = grown;
    *room = more;
    return true;
}

/* lengths.c - the schedules of one call whose documents are not equally long */
#include "lengths.h"
#include "../core/size.h"
#include <string.h>

bool lct_lengths_matter(const locant_encoding *e)
{
    return lct_schedule_length(e, INT64_MAX) != 0 &&
           !(e->row->schedule.by_call != NULL && e->row->schedule.by_call(e));
}

const struct lct_schedule *lct_lengths_find(const struct lct_lengths *l,
                                            int64_t length)
{
    length = lct_schedule_length(l->e, length);
    for (size_t i = 0; i < l->n; i++)
        if (l->of[i]->length == length)
            return l->of[i];
    return NULL;
}

static bool grow(struct lct_lengths *l)
{
    size_t room = l->room == 0 ? 8 : 2 * l->room, bytes;
    const struct lct_schedule **of = NULL;

    if (lct_mul(&bytes, room, sizeof(*of)))
        of = locant_alloc(bytes);
    if (of == NULL)
        return false;
    if (l->n > 0)
        memcpy(of, l->of, l->n * sizeof(*of));
    locant_release(l->of);
    l->of = of;
    l->room = room;
    return true;
}

locant_status lct_lengths_add(struct lct_lengths *l, const char *fn,
                              int64_t length)
{
    if (lct_lengths_find(l, length) != NULL)
        return LOCANT_OK;
    if (l->n == l->room && !grow(l))
        return locant_fail(LOCANT_ERR_NOMEM,
                           "%s: no memory for the frequencies of %zu lengths",
                           fn, l->n + 1);
    LCT_TRY(lct_schedule_of(&l->of[l->n], l->e, fn, l->head_dim, length));
    l->n++;
    return LOCANT_OK;
}

void lct_lengths_done(struct lct_lengths *l)
{
    for (size_t i = 0; i < l->n; i++)
        lct_schedule_done(l->of[i]);
    locant_release(l->of);
    *l = (struct lct_lengths){ .n = 0 };
}

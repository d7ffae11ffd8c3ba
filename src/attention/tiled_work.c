/* tiled_work.c - see tiled_work.h */
#include "tiled_work.h"
#include "content.h"
#include "mask.h"

/* Does tile t of queries see one of the keys of this call? */
static bool sees_keys(const struct lct_plan *p, struct lct_tile t,
                      struct lct_scratch *s)
{
    int64_t k = lct_plan_first_tile(p), end = lct_plan_end_tile(p, t.b);

    while (k < end && !lct_mask_classify(p, &t, k, s))
        k++;
    return k < end;
}

struct lct_tiled_work lct_tiled_load(const struct lct_plan *p, int64_t b,
                                     int64_t h, int64_t first, int64_t most,
                                     int slot)
{
    struct lct_tiled_work w = { .p = p };
    bool needed = !lct_plan_carries_on(p);
    int64_t end = p->q_tiles - first < most ? p->q_tiles : first + most;

    for (int64_t n = first; n < end && !needed; n++)
        needed =
            sees_keys(p, lct_tile_of(p, b, h, n), lct_scratch_of(p, slot, 0));
    if (!needed)
        return w;

    for (; first + w.tiles < end; w.tiles++) {
        struct lct_tile *t = &w.t[w.tiles];
        struct lct_scratch *s = lct_scratch_of(p, slot, w.tiles);

        *t = lct_tile_of(p, b, h, first + w.tiles);
        w.s[w.tiles] = s;
        p->arithmetic->load_queries(p, t, s);
        if (p->request->content != NULL)
            lct_content_open(p, t, s);
    }
    return w;
}

int64_t lct_tiled_oldest(struct lct_tiled_work *w, int64_t tiles)
{
    int64_t k = 0;

    while (k < tiles && !lct_mask_classify(w->p, &w->t[0], k, w->s[0]))
        k++;
    return k;
}

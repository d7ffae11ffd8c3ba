/* mask.c - which keys a query sees, and which tiles are skipped */
#include "mask.h"
#include "content_far.h"
#include <math.h>
#include <string.h>

static bool in_window(const struct lct_plan *p, int64_t q_pos, int64_t k_pos)
{
    int64_t d = lct_distance(q_pos, k_pos);

    return (d < p->request->window) & (d > -p->request->window);
}

bool lct_mask_visible(const struct lct_plan *p, int64_t b, int64_t h, int64_t i,
                      int64_t j)
{
    const struct lct_request *r = p->request;
    const struct lct_tables *tables = p->tables;
    const struct lct_head head = { h, p->H };
    int64_t row = lct_plan_row(p, b);
    int64_t q = row * p->T + i, k = row * p->S + j;
    char masked = 0;

    if (!lct_dense_mask_visible(p, (int64_t[4]){ b, h, i, j }))
        return false;
    if (r->causal && tables->k_pos[k] > tables->q_pos[q])
        return false;
    if (r->window > 0 && !in_window(p, tables->q_pos[q], tables->k_pos[k]))
        return false;
    if (p->documents &&
        (tables->q_docs[q] != tables->k_docs[k] || tables->q_docs[q] < 0))
        return false;
    for (int n = 0; n < r->mask_hooks; n++)
        r->mask_hook[n]->row->mask.hide(&masked, r->mask_hook[n], &head,
                                        tables->q_pos + q, 1, tables->k_pos[k]);
    return !masked;
}

/* ------------------------------------------------------------------ a tile */

/* What two masks together leave visible. */
static enum lct_visibility both(enum lct_visibility a, enum lct_visibility b)
{
    if (a == LCT_VISIBLE_NONE || b == LCT_VISIBLE_NONE)
        return LCT_VISIBLE_NONE;
    return a == LCT_VISIBLE_ALL ? b : LCT_VISIBLE_SOME;
}

static enum lct_visibility
seen_by_documents(const struct lct_plan *p, const struct lct_tile *t, int64_t n)
{
    const struct lct_extent *q, *k;
    int64_t row = lct_plan_row(p, t->b);

    if (!p->documents)
        return LCT_VISIBLE_ALL;
    q = &p->tables->q_doc_extent[row * p->q_tiles + t->i / LCT_TILE];
    k = &p->tables->k_doc_extent[row * p->k_tiles + n];
    if (k->low > q->high || k->high < q->low || k->high < 0)
        return LCT_VISIBLE_NONE;
    return q->low == q->high && k->low == k->high && q->low >= 0
               ? LCT_VISIBLE_ALL
               : LCT_VISIBLE_SOME;
}

/* The causal mask is left to lct_mask_classify(). */
static enum lct_visibility seen_by_window(const struct lct_plan *p,
                                          const struct lct_extent *q,
                                          const struct lct_extent *k)
{
    int64_t low = lct_distance(q->low, k->high);
    int64_t high = lct_distance(q->high, k->low);

    if (p->request->window == 0)
        return LCT_VISIBLE_ALL;
    if (low >= p->request->window || high <= -p->request->window)
        return LCT_VISIBLE_NONE;
    return high < p->request->window &&
                   (p->request->causal || low > -p->request->window)
               ? LCT_VISIBLE_ALL
               : LCT_VISIBLE_SOME;
}

static enum lct_visibility seen_by_hooks(const struct lct_plan *p,
                                         const struct lct_tile *t,
                                         const struct lct_extent *q,
                                         const struct lct_extent *k)
{
    const struct lct_span q_span = { q->low, q->high };
    const struct lct_span k_span = { k->low, k->high };
    const struct lct_head head = { t->h, p->H };
    enum lct_visibility seen = LCT_VISIBLE_ALL;

    for (int n = 0; n < p->request->mask_hooks; n++) {
        const locant_encoding *e = p->request->mask_hook[n];

        seen =
            both(seen, e->row->mask.classify == NULL
                           ? LCT_VISIBLE_SOME
                           : e->row->mask.classify(e, &head, q_span, k_span));
    }
    return seen;
}

/* masked[i] = is key j of the tile masked for query i? */
static void mask_key(char *masked, const struct lct_plan *p,
                     const struct lct_tile *t, int64_t j)
{
    const struct lct_request *r = p->request;
    const struct lct_head head = { t->h, p->H };
    int64_t row = lct_plan_row(p, t->b);
    int64_t q = row * p->T + t->i, k = row * p->S + t->j + j;
    const int64_t *q_pos = p->tables->q_pos + q;
    int64_t k_pos = p->tables->k_pos[k];

    for (int64_t i = 0; i < t->rows; i++)
        masked[i] = r->causal & (k_pos > q_pos[i]);
    if (r->window > 0)
        for (int64_t i = 0; i < t->rows; i++)
            masked[i] |= !in_window(p, q_pos[i], k_pos);
    if (p->documents) {
        const int64_t *q_docs = p->tables->q_docs + q;
        int64_t doc = p->tables->k_docs[k];

        for (int64_t i = 0; i < t->rows; i++)
            masked[i] |= (q_docs[i] != doc) | (q_docs[i] < 0);
    }
    for (int n = 0; n < r->mask_hooks; n++)
        r->mask_hook[n]->row->mask.hide(masked, r->mask_hook[n], &head, q_pos,
                                        (size_t)t->rows, k_pos);
}

/* Fill s->masked; returns how much of the tile it leaves visible. */
static enum lct_visibility map_masked(const struct lct_plan *p,
                                      const struct lct_tile *t,
                                      struct lct_scratch *s)
{
    int64_t count = 0;

    for (int64_t j = 0; j < t->keys; j++)
        mask_key(s->masked + j * (int64_t)t->lanes, p, t, j);
    if (p->request->visible != NULL)
        lct_dense_mask_hide(p, t, s->masked);
    for (int64_t j = 0; j < t->keys; j++) {
        const char *masked = s->masked + j * (int64_t)t->lanes;

        for (int64_t i = 0; i < t->rows; i++)
            count += masked[i];
    }
    return count == 0                   ? LCT_VISIBLE_ALL
           : count == t->keys * t->rows ? LCT_VISIBLE_NONE
                                        : LCT_VISIBLE_SOME;
}

static unsigned relations_of(const struct lct_plan *p,
                             const struct lct_extent *q,
                             const struct lct_extent *k)
{
    const locant_encoding *e = p->request->relations;

    return e == NULL ? 1
                     : e->row->relations.classify_range(
                           e, (struct lct_span){ q->low, q->high },
                           (struct lct_span){ k->low, k->high });
}

static bool classify(const struct lct_plan *p, struct lct_tile *t, int64_t n,
                     struct lct_scratch *s)
{
    int64_t row = lct_plan_row(p, t->b);
    const struct lct_extent *q =
        &p->tables->q_extent[row * p->q_tiles + t->i / LCT_TILE];
    const struct lct_extent *k = &p->tables->k_extent[row * p->k_tiles + n];
    enum lct_visibility seen;

    if (p->request->causal && k->low > q->high)
        return false;
    t->j = n * LCT_TILE;
    t->keys = lct_sizes_in_tile(lct_plan_keys(p, t->b), t->j);
    t->masked = p->request->causal && k->high > q->low;
    t->by_map = false;
    t->relations = relations_of(p, q, k);
    t->first_sees = t->keys;
    if (t->masked && q->consecutive && k->consecutive)
        t->first_sees = q->low - k->low + 1;
    if (p->request->content != NULL && !lct_content_far_classify(p, t, q, k))
        return false;
    t->masked |= t->far_masks;
    if (!p->documents && p->request->mask_hooks == 0 &&
        p->request->window == 0 && p->request->visible == NULL)
        return true;
    seen = both(seen_by_documents(p, t, n), seen_by_hooks(p, t, q, k));
    seen = both(seen, seen_by_window(p, q, k));
    seen = both(seen, lct_dense_mask_classify(p, t));
    if (seen == LCT_VISIBLE_SOME) {
        seen = map_masked(p, t, s);
        t->by_map = seen == LCT_VISIBLE_SOME;
        t->masked = t->by_map || t->far_masks;
        t->first_sees = t->keys;
    }
    return seen != LCT_VISIBLE_NONE;
}

bool lct_mask_classify(const struct lct_plan *p, struct lct_tile *t, int64_t n,
                       struct lct_scratch *s)
{
    if (!classify(p, t, n, s))
        return false;
    t->guarded = t->masked;
    return true;
}

/* There is no branch, so that the compiler can use vectors. */
static void apply_map(const struct lct_tile *t, struct lct_scratch *s)
{
    int64_t n = t->keys * (int64_t)t->lanes;
    const char *masked = s->masked;
    float *to = s->s;

    for (int64_t i = t->rows; i < (int64_t)t->lanes; i++)
        for (int64_t j = 0; j < t->keys; j++)
            s->masked[j * (int64_t)t->lanes + i] = 0;
    for (int64_t at = 0; at < n; at++)
        to[at] = masked[at] ? -INFINITY : to[at];
}

/* The number of n consecutive positions that come before x. */
static int64_t count_before(const int64_t *pos, int64_t n, int64_t x)
{
    return x <= pos[0] ? 0 : x > pos[n - 1] ? n : x - pos[0];
}

void lct_mask_apply(const struct lct_plan *p, const struct lct_tile *t,
                    struct lct_scratch *s)
{
    int64_t row = lct_plan_row(p, t->b), lanes = (int64_t)t->lanes;
    const int64_t *q_pos = p->tables->q_pos + row * p->T + t->i;
    const int64_t *k_pos = p->tables->k_pos + row * p->S + t->j;
    bool consecutive =
        p->tables->q_extent[row * p->q_tiles + t->i / LCT_TILE].consecutive;

    if (t->by_map) {
        apply_map(t, s);
        return;
    }
    for (int64_t j = 0; j < t->keys; j++) {
        float *to = s->s + j * lanes;

        if (consecutive) {
            const int64_t n = count_before(q_pos, t->rows, k_pos[j]);

            for (int64_t i = 0; i < n; i++)
                to[i] = -INFINITY;
        } else {
            for (int64_t i = 0; i < t->rows; i++)
                to[i] = k_pos[j] > q_pos[i] ? -INFINITY : to[i];
        }
    }
}

/* mask.c - which keys a query sees: one pair, and a tile of pairs */
#include "tile.h"
#include <math.h>
#include <string.h>

static bool in_window(const struct lct_problem *p, int64_t q_pos,
                      int64_t k_pos)
{
    int64_t d = lct_distance(q_pos, k_pos);

    return (d < p->window) & (d > -p->window);
}

bool lct_mask_visible(const struct lct_problem *p, int64_t b, int64_t h,
                      int64_t i, int64_t j)
{
    const struct lct_head head = { h, p->H };
    int64_t row = lct_problem_row(p, b);
    int64_t q = row * p->T + i, k = row * p->S + j;
    char hidden = 0;

    if (p->causal && p->k_pos[k] > p->q_pos[q])
        return false;
    if (p->window > 0 && !in_window(p, p->q_pos[q], p->k_pos[k]))
        return false;
    if (p->documents &&
        (p->q_docs[q] != p->k_docs[k] || p->q_docs[q] < 0))
        return false;
    for (int n = 0; n < p->hidings; n++)
        p->hiding[n]->row->mask.hide(&hidden, p->hiding[n], &head,
                                     p->q_pos + q, 1, p->k_pos[k]);
    return !hidden;
}

/* ---------------------------------------------------------- a tile of pairs */

static enum lct_visibility both(enum lct_visibility a, enum lct_visibility b)
{
    if (a == LCT_VISIBLE_NONE || b == LCT_VISIBLE_NONE)
        return LCT_VISIBLE_NONE;
    return a == LCT_VISIBLE_ALL ? b : LCT_VISIBLE_SOME;
}

static enum lct_visibility seen_by_documents(const struct lct_problem *p,
                                             const struct lct_tile *t,
                                             int64_t n)
{
    const struct lct_extent *q, *k;
    int64_t row = lct_problem_row(p, t->b);

    if (!p->documents)
        return LCT_VISIBLE_ALL;
    q = &p->q_doc_extent[row * p->q_tiles + t->i / LCT_TILE];
    k = &p->k_doc_extent[row * p->k_tiles + n];
    if (k->low > q->high || k->high < q->low || k->high < 0)
        return LCT_VISIBLE_NONE;
    return q->low == q->high && k->low == k->high && q->low >= 0
               ? LCT_VISIBLE_ALL
               : LCT_VISIBLE_SOME;
}

/* What a causal mask hides besides is not asked. */
static enum lct_visibility seen_by_window(const struct lct_problem *p,
                                          const struct lct_extent *q,
                                          const struct lct_extent *k)
{
    int64_t low = lct_distance(q->low, k->high);
    int64_t high = lct_distance(q->high, k->low);

    if (p->window == 0)
        return LCT_VISIBLE_ALL;
    if (low >= p->window || high <= -p->window)
        return LCT_VISIBLE_NONE;
    return high < p->window && (p->causal || low > -p->window)
               ? LCT_VISIBLE_ALL
               : LCT_VISIBLE_SOME;
}

/* By the hooks of the encoding. */
static enum lct_visibility seen_by_hooks(const struct lct_problem *p,
                                         const struct lct_tile *t,
                                         const struct lct_extent *q,
                                         const struct lct_extent *k)
{
    const struct lct_head head = { t->h, p->H };
    enum lct_visibility seen = LCT_VISIBLE_ALL;

    for (int n = 0; n < p->hidings; n++) {
        const struct lct_encoding *row = p->hiding[n]->row;

        seen = both(seen, row->mask.classify == NULL
                              ? LCT_VISIBLE_SOME
                              : row->mask.classify(p->hiding[n], &head,
                                          (struct lct_span){ q->low, q->high },
                                          (struct lct_span){ k->low,
                                                             k->high }));
    }
    return seen;
}

/* Fill s->hidden. */
static enum lct_visibility map_hidden(const struct lct_problem *p,
                                      const struct lct_tile *t,
                                      struct lct_scratch *s)
{
    const struct lct_head head = { t->h, p->H };
    int64_t row = lct_problem_row(p, t->b), count = 0;
    int64_t q = row * p->T + t->i, k = row * p->S + t->j;
    const int64_t *q_pos = p->q_pos + q;

    for (int64_t j = 0; j < t->keys; j++, k++) {
        char *hidden = s->hidden + j * (int64_t)t->lanes;
        int64_t k_pos = p->k_pos[k];

        for (int64_t i = 0; i < t->rows; i++)
            hidden[i] = p->causal & (k_pos > q_pos[i]);
        for (int64_t i = 0; p->window > 0 && i < t->rows; i++)
            hidden[i] |= !in_window(p, q_pos[i], k_pos);
        for (int64_t i = 0; p->documents && i < t->rows; i++)
            hidden[i] |= (p->q_docs[q + i] != p->k_docs[k]) |
                         (p->q_docs[q + i] < 0);
        for (int n = 0; n < p->hidings; n++)
            p->hiding[n]->row->mask.hide(hidden, p->hiding[n], &head, q_pos,
                                     (size_t)t->rows, k_pos);
        for (int64_t i = 0; i < t->rows; i++)
            count += hidden[i];
    }
    return count == 0                   ? LCT_VISIBLE_ALL
           : count == t->keys * t->rows ? LCT_VISIBLE_NONE
                                        : LCT_VISIBLE_SOME;
}

bool lct_mask_classify(const struct lct_problem *p, struct lct_tile *t,
                       int64_t n, struct lct_scratch *s)
{
    int64_t row = lct_problem_row(p, t->b);
    const struct lct_extent *q =
        &p->q_extent[row * p->q_tiles + t->i / LCT_TILE];
    const struct lct_extent *k = &p->k_extent[row * p->k_tiles + n];
    enum lct_visibility seen;

    if (p->causal && k->low > q->high)
        return false;
    t->j = n * LCT_TILE;
    t->keys = p->S - t->j < LCT_TILE ? p->S - t->j : LCT_TILE;
    t->partial = p->causal && k->high > q->low;
    t->mapped = false;
    t->sees = t->keys;
    if (t->partial && q->consecutive && k->consecutive)
        t->sees = q->low - k->low + 1;
    if (p->by_terms && !lct_content_classify(p, t, q, k))
        return false;
    t->partial |= t->away;
    if (!p->documents && p->hidings == 0 && p->window == 0)
        return true;
    seen = both(seen_by_documents(p, t, n), seen_by_hooks(p, t, q, k));
    seen = both(seen, seen_by_window(p, q, k));
    if (seen == LCT_VISIBLE_SOME) {
        seen = map_hidden(p, t, s);
        t->mapped = seen == LCT_VISIBLE_SOME;
        t->partial = t->mapped || t->away;
        t->sees = t->keys;
    }
    return seen != LCT_VISIBLE_NONE;
}

/* Without branches, for vectors. */
static void hide_mapped(const struct lct_tile *t, struct lct_scratch *s)
{
    int64_t n = t->keys * (int64_t)t->lanes;
    const char *hidden = s->hidden;
    float *to = s->s;

    for (int64_t i = t->rows; i < (int64_t)t->lanes; i++)
        for (int64_t j = 0; j < t->keys; j++)
            s->hidden[j * (int64_t)t->lanes + i] = 0;
    for (int64_t at = 0; at < n; at++)
        to[at] = hidden[at] ? -INFINITY : to[at];
}

/* How many of n consecutive positions come before x. */
static int64_t before(const int64_t *pos, int64_t n, int64_t x)
{
    return x <= pos[0] ? 0 : x > pos[n - 1] ? n : x - pos[0];
}

void lct_mask_apply(const struct lct_problem *p, const struct lct_tile *t,
                    struct lct_scratch *s)
{
    int64_t row = lct_problem_row(p, t->b), lanes = (int64_t)t->lanes;
    const int64_t *q_pos = p->q_pos + row * p->T + t->i;
    const int64_t *k_pos = p->k_pos + row * p->S + t->j;
    bool consecutive =
        p->q_extent[row * p->q_tiles + t->i / LCT_TILE].consecutive;

    if (t->mapped) {
        hide_mapped(t, s);
        return;
    }
    for (int64_t j = 0; j < t->keys; j++) {
        float *to = s->s + j * lanes;

        if (consecutive) {
            const int64_t n = before(q_pos, t->rows, k_pos[j]);

            for (int64_t i = 0; i < n; i++)
                to[i] = -INFINITY;
        } else {
            for (int64_t i = 0; i < t->rows; i++)
                to[i] = k_pos[j] > q_pos[i] ? -INFINITY : to[i];
        }
    }
}

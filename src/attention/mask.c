/* mask.c - which keys a query sees: one pair, and a tile of pairs */
#include "tile.h"
#include <math.h>

/* Does a hook of the encoding hide the key? */
static bool hook_hides(const struct lct_problem *p, int64_t h, int64_t q_pos,
                       int64_t k_pos)
{
    for (int n = 0; n < p->hidings; n++)
        if (p->hiding[n]->row->hides(p->hiding[n], h, p->H, q_pos, k_pos))
            return true;
    return false;
}

bool lct_visible(const struct lct_problem *p, int64_t b, int64_t h, int64_t i,
                 int64_t j)
{
    int64_t row = lct_position_row(p, b);
    int64_t q = row * p->T + i, k = row * p->S + j;

    if (p->causal && p->k_pos[k] > p->q_pos[q])
        return false;
    if (p->documents &&
        (p->q_docs[q] != p->k_docs[k] || p->q_docs[q] < 0))
        return false;
    return !hook_hides(p, h, p->q_pos[q], p->k_pos[k]);
}

/* How many pairs of a tile may see each other. */
enum seen { NONE, SOME, ALL };

static enum seen seen_by_documents(const struct lct_problem *p,
                                   const struct lct_tile *t, int64_t n)
{
    const struct lct_extent *q, *k;
    int64_t row = lct_position_row(p, t->b);

    if (!p->documents)
        return ALL;
    q = &p->q_doc_extent[row * p->q_tiles + t->i / LCT_TILE];
    k = &p->k_doc_extent[row * p->k_tiles + n];
    if (k->low > q->high || k->high < q->low || k->high < 0)
        return NONE;
    return q->low == q->high && k->low == k->high && q->low >= 0 ? ALL : SOME;
}

/* Fill s->hidden. */
static enum seen map_hidden(const struct lct_problem *p,
                            const struct lct_tile *t, struct lct_scratch *s)
{
    int64_t seen = 0;

    for (int64_t j = 0; j < t->keys; j++) {
        char *hidden = s->hidden + j * (int64_t)t->lanes;

        for (int64_t i = 0; i < t->rows; i++) {
            hidden[i] = !lct_visible(p, t->b, t->h, t->i + i, t->j + j);
            seen += !hidden[i];
        }
    }
    return seen == 0 ? NONE : seen == t->keys * t->rows ? ALL : SOME;
}

bool lct_next_keys(const struct lct_problem *p, struct lct_tile *t, int64_t n,
                   struct lct_scratch *s)
{
    int64_t row = lct_position_row(p, t->b);
    const struct lct_extent *q =
        &p->q_extent[row * p->q_tiles + t->i / LCT_TILE];
    const struct lct_extent *k = &p->k_extent[row * p->k_tiles + n];
    enum seen seen;

    if (p->causal && k->low > q->high)
        return false;
    t->j = n * LCT_TILE;
    t->keys = p->S - t->j < LCT_TILE ? p->S - t->j : LCT_TILE;
    t->partial = p->causal && k->high > q->low;
    t->mapped = false;
    if (!p->documents && p->hidings == 0)
        return true;
    seen = seen_by_documents(p, t, n);
    if (seen == SOME || (seen == ALL && p->hidings > 0)) {
        seen = map_hidden(p, t, s);
        t->mapped = t->partial = seen == SOME;
    }
    return seen != NONE;
}

void lct_hide(const struct lct_problem *p, const struct lct_tile *t,
              struct lct_scratch *s)
{
    int64_t row = lct_position_row(p, t->b), lanes = (int64_t)t->lanes;
    const int64_t *q_pos = p->q_pos + row * p->T + t->i;
    const int64_t *k_pos = p->k_pos + row * p->S + t->j;

    for (int64_t j = 0; t->mapped && j < t->keys; j++)
        for (int64_t i = 0; i < t->rows; i++)
            if (s->hidden[j * lanes + i])
                s->s[j * lanes + i] = -INFINITY;
    for (int64_t j = 0; !t->mapped && j < t->keys; j++)
        for (int64_t i = 0; i < t->rows; i++)
            if (k_pos[j] > q_pos[i])
                s->s[j * lanes + i] = -INFINITY;
}

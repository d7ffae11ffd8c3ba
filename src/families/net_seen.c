/* net_seen.c - what a text sees of images: the states of their tokens */
#include "net_seen.h"
#include "net_math.h"
#include <string.h>

/* Which token of all images row i of r->x is; -1: none. */
static int64_t token_at(const struct lct_net_tokens *t, int64_t i)
{
    return t->seen[i / t->T * t->stride + i % t->T];
}

void lct_net_seen_enter(struct lct_net_run *r, const struct lct_net_tokens *t)
{
    const struct lct_net_math *m = r->n->math;
    const int64_t D = r->n->width;

    for (int64_t i = 0; t->seen != NULL && i < r->cache->B * t->T; i++)
        if (token_at(t, i) >= 0)
            memcpy(lct_net_math_at(m, r->x, i * D),
                   lct_net_math_at(m, r->seen->states, token_at(t, i) * D),
                   (size_t)D * m->item);
}

void lct_net_seen_add(struct lct_net_run *r, const struct lct_net_tokens *t,
                      int64_t layer)
{
    const struct lct_net_math *m = r->n->math;
    const int64_t D = r->n->width;

    if (t->seen == NULL || layer >= r->seen->n_deep)
        return;
    for (int64_t i = 0; i < r->cache->B * t->T; i++)
        if (token_at(t, i) >= 0)
            m->add(lct_net_math_at(m, r->x, i * D),
                   lct_net_math_at(m, r->seen->deep[layer], token_at(t, i) * D),
                   1, D);
}

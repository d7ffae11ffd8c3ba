/* net_seen.c - what a text sees of images: the states of their tokens */
#include "net_seen.h"
#include "net_math.h"
#include <string.h>

void lct_net_seen_put(struct lct_net_run *r, const struct lct_net_tokens *t,
                      int64_t layer)
{
    const struct lct_net_math *m = r->n->math;
    const int64_t D = r->n->width;

    if (t->seen == NULL || layer >= r->seen->n_deep)
        return;
    for (int64_t i = 0; i < r->cache->B * t->T; i++) {
        const int64_t token = t->seen[i / t->T * t->stride + i % t->T];
        void *x = lct_net_math_at(m, r->x, i * D);

        if (token >= 0 && layer < 0)
            memcpy(x, lct_net_math_at(m, r->seen->states, token * D),
                   (size_t)D * m->item);
        else if (token >= 0)
            m->add(x, lct_net_math_at(m, r->seen->deep[layer], token * D), 1,
                   D);
    }
}

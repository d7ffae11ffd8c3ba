/*
 * net_generate.c - choose the next token from logits: the most likely one, or
 * one drawn from the k most likely (Fan et al. 2018, arXiv:1805.04833v1,
 * section 5.4), or from the fewest that have a probability of p together
 * (Holtzman et al. 2020, arXiv:1904.09751v2, section 3.1)
 */
#include "net_generate.h"
#include "net_math.h"
#include <math.h>
#include <stdlib.h>

/* Token and logit, sorted by the latter, then by the former. */
struct candidate {
    double logit;
    int64_t id;
};

_Static_assert(sizeof(struct candidate) == LCT_NET_CANDIDATE, "room of each");

static int by_logit(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    if (x->logit != y->logit)
        return x->logit > y->logit ? -1 : 1;
    return x->id < y->id ? -1 : 1;
}

/* Their number after the cut at probability top_p; logits become weights. */
static int64_t cut(struct candidate *c, int64_t count,
                   const struct lct_net_choice *choice)
{
    const double most = c[0].logit;
    double sum = 0, so_far = 0;

    for (int64_t i = 0; i < count; i++)
        sum += c[i].logit = exp((c[i].logit - most) / choice->temperature);
    for (int64_t i = 0; i < count; i++) {
        so_far += c[i].logit;
        if (so_far >= choice->top_p * sum)
            return i + 1;
    }
    return count;
}

int64_t lct_net_generate_next(const void *logits, const struct lct_net *n,
                              const struct lct_net_choice *choice,
                              locant_random *random, void *room)
{
    struct candidate *c = room;
    int64_t count = n->vocab;
    double sum = 0, at;

    if (choice->temperature == 0)
        return n->math->largest(logits, n->vocab);
    for (int64_t i = 0; i < count; i++)
        c[i] = (struct candidate){ n->math->get(logits, i), i };
    qsort(c, (size_t)count, sizeof(*c), by_logit);
    if (choice->top_k > 0 && choice->top_k < count)
        count = choice->top_k;
    count = cut(c, count, choice);
    for (int64_t i = 0; i < count; i++)
        sum += c[i].logit;
    at = locant_random_uniform(random) * sum;
    for (int64_t i = 0; i < count; i++) {
        at -= c[i].logit;
        if (at < 0)
            return c[i].id;
    }
    return c[count - 1].id;
}

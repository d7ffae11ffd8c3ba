/* pairs_steps.c - steps.c by dot products of bfloat16 */
#include "pairs.h"

void lct_pairs_pair_steps(const struct lct_problem *p, const struct lct_tile *t,
                          const struct lct_bf16_product *x)
{
    struct lct_step e = { 0 };

    while (lct_next_step(t, &e)) {
        struct lct_bf16_product part = *x;

        part.c += e.before * x->c_row + e.lane;
        part.a = (const char *)x->a + (ptrdiff_t)e.before * x->a_row;
        part.b += e.lane;
        part.m = e.keys - e.before;
        part.n -= e.lane;
        if (x->factor != NULL)
            part.factor += e.lane;
        p->kernels->bf16_matmul(&part);
    }
}

/* The second weight of a last word is 0 if that key is hidden. */
void lct_pairs_query_steps(const struct lct_problem *p,
                           const struct lct_tile *t, struct lct_scratch *s,
                           const struct lct_bf16_product *x)
{
    bool guard = t->partial && !lct_pairs_finite(x);
    struct lct_step e = { 0 };

    while (lct_next_step(t, &e)) {
        struct lct_bf16_product part = *x;

        part.c += e.lane * x->c_row;
        part.a = (const char *)x->a + (ptrdiff_t)e.lane * x->a_row;
        part.m = lct_step_rows(t, &e);
        part.k = (e.keys + 1) / 2;
        if (x->rescale != NULL)
            part.rescale += e.lane;
        lct_pairs_multiply(p, &part, guard, (uint32_t *)s->product);
    }
}

/* Lanes of steps begin with a word. */
void lct_pairs_key_steps(const struct lct_problem *p, const struct lct_tile *t,
                         struct lct_scratch *s,
                         const struct lct_bf16_product *x)
{
    bool guard = t->partial && !lct_pairs_finite(x);
    struct lct_step e = { 0 };

    while (lct_next_step(t, &e)) {
        struct lct_bf16_product part = *x;

        part.c += e.before * x->c_row;
        part.a = (const char *)x->a + (ptrdiff_t)e.before * x->a_row +
                 (ptrdiff_t)(e.lane / 2) * x->a_col;
        part.b += e.lane / 2 * x->b_row;
        part.m = e.keys - e.before;
        part.k -= e.lane / 2;
        lct_pairs_multiply(p, &part, guard, (uint32_t *)s->product);
    }
}

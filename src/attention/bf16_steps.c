/* bf16_steps.c - steps.c by dot products of bfloat16 */
#include "bf16.h"

void lct_bf16_pair_steps(const struct lct_problem *p, const struct lct_tile *t,
                         const struct lct_pair_product *x)
{
    struct lct_steps e = { 0 };

    while (lct_steps_next(t, &e)) {
        struct lct_pair_product part = *x;

        part.c += e.before * x->c_row + e.lane;
        part.a = (const char *)x->a + (ptrdiff_t)e.before * x->a_row;
        part.b += e.lane;
        part.m = e.keys - e.before;
        part.n -= e.lane;
        if (x->factor != NULL)
            part.factor += e.lane;
        p->kernels->matmul_pairs(&part);
    }
}

/* The second weight of a last word is 0 if that key is hidden. */
void lct_bf16_query_steps(const struct lct_problem *p, const struct lct_tile *t,
                          struct lct_scratch *s,
                          const struct lct_pair_product *x)
{
    bool guard = t->partial && !lct_bf16_finite(x);
    struct lct_steps e = { 0 };

    while (lct_steps_next(t, &e)) {
        struct lct_pair_product part = *x;

        part.c += e.lane * x->c_row;
        part.a = (const char *)x->a + (ptrdiff_t)e.lane * x->a_row;
        part.m = lct_steps_rows(t, &e);
        part.k = (e.keys + 1) / 2;
        if (x->shrink != NULL)
            part.shrink += e.lane;
        lct_bf16_multiply(p, &part, guard, (uint32_t *)s->product);
    }
}

/* Lanes of steps begin with a word. */
void lct_bf16_key_steps(const struct lct_problem *p, const struct lct_tile *t,
                        struct lct_scratch *s, const struct lct_pair_product *x)
{
    bool guard = t->partial && !lct_bf16_finite(x);
    struct lct_steps e = { 0 };

    while (lct_steps_next(t, &e)) {
        struct lct_pair_product part = *x;

        part.c += e.before * x->c_row;
        part.a = (const char *)x->a + (ptrdiff_t)e.before * x->a_row +
                 (ptrdiff_t)(e.lane / 2) * x->a_col;
        part.b += e.lane / 2 * x->b_row;
        part.m = e.keys - e.before;
        part.k -= e.lane / 2;
        lct_bf16_multiply(p, &part, guard, (uint32_t *)s->product);
    }
}

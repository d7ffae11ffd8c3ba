/*
 * steps.c - what a causal mask leaves of a tile, step by step.
 *
 * Only what is hidden from all queries of a step is left out: weights of 0,
 * whose products would add 0 to a sum, and scores of -infinity.
 */
#include "tile.h"
#include <string.h>

void lct_steps_scores(const struct lct_problem *p, const struct lct_tile *t,
                      const struct lct_product *x)
{
    struct lct_steps e = { 0 };

    while (lct_steps_next(t, &e)) {
        struct lct_product part = *x;

        part.c += e.before * x->c_row + e.lane;
        part.a += e.before * x->a_row;
        part.b += e.lane;
        part.m = e.keys - e.before;
        part.n -= e.lane;
        p->kernels->matmul(&part);
    }
}

/* Must weights of 0 be kept from rows of x->b? */
static bool wants_guard(const struct lct_problem *p, const struct lct_tile *t,
                        const struct lct_product *x)
{
    return t->partial &&
           !p->kernels->all_finite(x->b, x->b_row, x->k, x->n);
}

static void multiply(const struct lct_problem *p, const struct lct_product *x,
                     bool guard)
{
    if (guard)
        lct_multiply_guarded(p->kernels, x);
    else
        p->kernels->matmul(x);
}

void lct_steps_queries(const struct lct_problem *p, const struct lct_tile *t,
                       const struct lct_product *x)
{
    bool guard = wants_guard(p, t, x);
    struct lct_steps e = { 0 };

    while (lct_steps_next(t, &e)) {
        struct lct_product part = *x;

        part.c += e.lane * x->c_row;
        part.a += e.lane;
        part.m = lct_steps_rows(t, &e);
        part.k = e.keys;
        if (x->shrink != NULL)
            part.shrink += e.lane;
        multiply(p, &part, guard);
    }
}

void lct_steps_keys(const struct lct_problem *p, const struct lct_tile *t,
                    const struct lct_product *x)
{
    bool guard = wants_guard(p, t, x);
    struct lct_steps e = { 0 };

    while (lct_steps_next(t, &e)) {
        struct lct_product part = *x;

        part.c += e.before * x->c_row;
        part.a += e.before * x->a_row + e.lane;
        part.b += e.lane * x->b_row;
        part.m = e.keys - e.before;
        part.k -= e.lane;
        multiply(p, &part, guard);
    }
}

/* The columns of the step, x [keys, lanes], below it. */
static void clear_below(float *x, const struct lct_tile *t,
                        const struct lct_steps *e)
{
    for (size_t j = e->keys; j < (size_t)t->keys; j++)
        memset(x + j * t->lanes + e->lane, 0, e->lanes * sizeof(*x));
}

void lct_softmax_update(const struct lct_problem *p, const struct lct_tile *t,
                        struct lct_scratch *s)
{
    struct lct_steps e = { 0 };

    while (lct_steps_next(t, &e)) {
        float *rows = s->rows + e.lane;

        p->kernels->softmax_step(s->s + e.lane, t->lanes, e.keys, e.lanes,
                                 rows, rows + LCT_TILE, rows + 2 * LCT_TILE);
        clear_below(s->s, t, &e);
    }
}

void lct_softmax_recompute_probs(const struct lct_problem *p,
                                 const struct lct_tile *t,
                                 struct lct_scratch *s)
{
    struct lct_steps e = { 0 };

    while (lct_steps_next(t, &e)) {
        p->kernels->softmax_again(s->s + e.lane, t->lanes, e.keys, e.lanes,
                                  s->rows + 3 * LCT_TILE + e.lane);
        clear_below(s->s, t, &e);
    }
}

void lct_softmax_backward(const struct lct_problem *p, const struct lct_tile *t,
                          struct lct_scratch *s)
{
    struct lct_steps e = { 0 };

    while (lct_steps_next(t, &e)) {
        p->kernels->softmax_gradient(s->ds + e.lane, s->s + e.lane, t->lanes,
                                     e.keys, e.lanes,
                                     s->rows + 4 * LCT_TILE + e.lane);
        clear_below(s->ds, t, &e);
    }
}

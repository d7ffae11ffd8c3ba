/* scores.c - one tile of queries against one tile of keys */
#include "../encodings/near_far.h"
#include "tile.h"
#include <string.h>

void lct_scores_of_tile(const struct lct_problem *p, const struct lct_tile *t,
                        struct lct_scratch *s, const float *keys,
                        size_t key_row, float *slope)
{
    if (t->sight != LCT_FAR)
        lct_steps_scores(p, t, &(struct lct_product){
            .c = s->s, .c_row = t->lanes, .a = keys, .a_row = key_row,
            .a_col = 1, .b = s->q_cols, .b_row = t->lanes,
            .m = (size_t)t->keys, .n = t->lanes, .k = (size_t)p->Dq });
    if (t->sight != LCT_NEAR)
        lct_content_far_scores(p, t, s, keys);
    lct_scores_finish(p, t, s, keys, key_row, slope);
}

void lct_scores_finish(const struct lct_problem *p, const struct lct_tile *t,
                       struct lct_scratch *s, const float *keys, size_t key_row,
                       float *slope)
{
    if (p->score != NULL)
        lct_bias_add(p, t, s);
    if (p->by_terms)
        lct_content_scores(p, t, s, keys, key_row);
    if (t->partial)
        lct_mask_apply(p, t, s);
    lct_scores_cap(p, s->s, slope, (size_t)t->keys * t->lanes);
}

void lct_multiply_guarded(const struct lct_kernels *kernels,
                          const struct lct_product *x)
{
    for (size_t i = 0; i < x->m; i++) {
        struct lct_product one = *x;

        one.c += i * x->c_row;
        one.m = one.k = 1;
        one.add = true;
        one.shrink = NULL;
        for (size_t j = 0; x->shrink != NULL && j < x->n; j++)
            one.c[j] *= x->shrink[i];
        if (!x->add)
            memset(one.c, 0, x->n * sizeof(*one.c));
        for (size_t p = 0; p < x->k; p++) {
            one.a = x->a + i * x->a_row + p * x->a_col;
            one.b = x->b + p * x->b_row;
            if (*one.a != 0) /* a NaN coefficient counts */
                kernels->matmul(&one);
        }
    }
}

void lct_multiply(const struct lct_kernels *kernels,
                  const struct lct_product *x, bool guard)
{
    if (!guard || kernels->all_finite(x->b, x->b_row, x->k, x->n))
        kernels->matmul(x);
    else
        lct_multiply_guarded(kernels, x);
}

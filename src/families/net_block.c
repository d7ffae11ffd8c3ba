/* net_block.c - layers: norms, attention, MLP or experts, and their sums */
#include "net_block.h"
#include "net_cross.h"
#include "net_delta.h"
#include "net_experts.h"
#include "net_inputs.h"
#include "net_math.h"
#include "net_mlp.h"
#include "net_norm.h"
#include "net_share.h"
#include "net_streams.h"
#include "net_windows.h"
#include <string.h>

/* before(x), or x itself if there is no norm */
static const void *normed(void *room, const void *x,
                          const struct lct_net_step *s,
                          const struct lct_net_norm *before, int64_t rows)
{
    if (before->kind == LCT_NET_NO_NORM)
        return x;
    lct_net_norm_rows(room, x, rows, s->n->math, before);
    return room;
}

/* y += the experts beside an MLP, which read x before its norm */
static locant_status add_experts(void *y, const void *x,
                                 const struct lct_net_step *s,
                                 const struct lct_net_layer *l, int64_t rows)
{
    const struct lct_net_math *m = s->n->math;
    void *h = lct_net_take(s->room, rows, l->width);
    void *other = lct_net_take(s->room, rows, l->width);

    LCT_NET_GOT(other);
    lct_net_norm_rows(y, y, rows, m, &l->after_dense);
    lct_net_norm_rows(h, x, rows, m, &l->before_experts);
    lct_net_norm_rows(other, x, rows, m, &l->experts->router_norm);
    LCT_TRY(
        lct_net_experts_forward(other, h, other, rows, l->experts, s->room));
    lct_net_norm_rows(other, other, rows, m, &l->after_experts);
    m->add(y, other, 1, rows * l->width);
    return LOCANT_OK;
}

static locant_status mlp(void *y, const void *x, const struct lct_net_step *s,
                         const struct lct_net_layer *l, int64_t rows)
{
    return l->experts != NULL && !s->n->s.beside
               ? lct_net_experts_forward(y, x, x, rows, l->experts, s->room)
               : lct_net_mlp_forward(y, x, rows, &l->mlp, s->room);
}

/* x += scale after(y), where x may first become the norm that y was made of; or
   x = after(x + y) */
static void add_branch(void *x, void *y, const void *base,
                       const struct lct_net_step *s,
                       const struct lct_net_layer *l,
                       const struct lct_net_norm *after, const void *scale,
                       int64_t rows)
{
    const struct lct_net_math *m = s->n->math;
    const int64_t D = l->width, all = rows * D;
    const bool post = s->n->s.residual == LCT_POST_NORM;

    if (!post)
        lct_net_norm_rows(y, y, rows, m, after);
    for (int64_t r = 0; scale != NULL && r < rows; r++)
        m->multiply(lct_net_math_at(m, y, r * D), scale, D);
    if (s->n->s.residual_of_norm && base != x)
        memcpy(x, base, (size_t)all * m->item);
    m->add(x, y, s->n->s.branch_scale, all);
    if (post)
        lct_net_norm_rows(x, x, rows, m, after);
}

/* A state sums up all tokens before: every rank computes all of them, and has
   its own of what comes out. */
static locant_status sum_up(void *y, const void *x,
                            const struct lct_net_step *s,
                            const struct lct_net_layer *l, int64_t i)
{
    const struct lct_net_math *m = s->n->math;
    const int64_t B = s->cache->B, T = s->share->begin[s->share->group->size];
    const size_t row = (size_t)l->width * m->item;
    void *in = lct_net_take(s->room, B * T, l->width);
    void *out = lct_net_take(s->room, B * T, l->width);
    struct lct_net_step all = *s;

    LCT_NET_GOT(out);
    all.T = T;
    all.from = s->cache->length - T;
    LCT_TRY(lct_net_share_rows(in, x, s->share, m, B, l->width));
    LCT_TRY(lct_net_delta_forward(out, in, &all, l->delta, i));
    for (int64_t b = 0; b < B; b++)
        memcpy((char *)y + (size_t)(b * s->T) * row,
               (char *)out + (size_t)(b * T + s->from - all.from) * row,
               (size_t)s->T * row);
    return LOCANT_OK;
}

static locant_status attend(void *y, const void *x,
                            const struct lct_net_step *s,
                            const struct lct_net_layer *l, int64_t i)
{
    if (l->delta != NULL)
        return s->share != NULL ? sum_up(y, x, s, l, i)
                                : lct_net_delta_forward(y, x, s, l->delta, i);
    return l->window != NULL
               ? lct_net_windows_forward(y, x, s, l)
               : lct_net_attention_forward(y, x, s, &l->attention, i);
}

static locant_status sequential(void *x, const struct lct_net_step *s,
                                const struct lct_net_layer *l, int64_t i,
                                int64_t rows, void *h, void *y)
{
    const void *base = normed(h, x, s, &l->before_attn, rows);

    LCT_TRY(attend(y, base, s, l, i));
    add_branch(x, y, base, s, l, &l->after_attn, l->attn_scale, rows);
    if (l->cross != NULL) {
        base = normed(h, x, s, &l->before_cross, rows);
        LCT_TRY(lct_net_cross_forward(y, base, s, l->cross, i));
        add_branch(x, y, base, s, l, &l->after_cross, NULL, rows);
    }
    base = normed(h, x, s, &l->before_mlp, rows);
    LCT_TRY(mlp(y, base, s, l, rows));
    if (l->experts != NULL && s->n->s.beside)
        LCT_TRY(add_experts(y, x, s, l, rows));
    add_branch(x, y, base, s, l, &l->after_mlp, l->mlp_scale, rows);
    if (l->input.gate.w.weight != NULL) {
        LCT_TRY(lct_net_inputs_add(y, x, rows, l, i, s->inputs, s->room));
        s->n->math->add(x, y, 1, rows * l->width);
    }
    if (l->scalar != 1)
        s->n->math->scale(x, l->scalar, rows * l->width);
    return LOCANT_OK;
}

static locant_status parallel(void *x, const struct lct_net_step *s,
                              const struct lct_net_layer *l, int64_t i,
                              int64_t rows, void *h, void *y)
{
    const struct lct_net_math *m = s->n->math;
    const int64_t all = rows * l->width;
    void *other = lct_net_take(s->room, rows, l->width);
    const void *base = normed(h, x, s, &l->before_attn, rows);

    LCT_NET_GOT(other);
    LCT_TRY(lct_net_attention_forward(y, base, s, &l->attention, i));
    if (l->before_mlp.kind != LCT_NET_NO_NORM)
        base = normed(h, x, s, &l->before_mlp, rows);
    LCT_TRY(mlp(other, base, s, l, rows));
    m->add(x, y, s->n->s.branch_scale, all);
    m->add(x, other, s->n->s.branch_scale, all);
    return LOCANT_OK;
}

locant_status lct_net_block_forward(void *x, const struct lct_net_step *s,
                                    const struct lct_net_layer *l, int64_t i)
{
    const int64_t rows = s->cache->B * s->T;
    const size_t mark = s->room->used;
    void *h, *y;

    if (l->streams != NULL)
        return lct_net_streams_forward(x, s, l, i);
    h = lct_net_take(s->room, rows, l->width);
    y = lct_net_take(s->room, rows, l->width);
    LCT_NET_GOT(y);
    LCT_TRY((s->n->s.residual == LCT_PARALLEL ? parallel : sequential)(
        x, s, l, i, rows, h, y));
    lct_net_give_back(s->room, mark);
    return LOCANT_OK;
}

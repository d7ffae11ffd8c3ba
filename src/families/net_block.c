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

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

int64_t lct_net_block_scratch(const struct lct_net *n,
                              const struct lct_net_layer *l, int64_t rows)
{
    int64_t inner = l->delta != NULL
                        ? lct_net_delta_scratch(l->delta, rows, l->width)
                        : lct_net_attention_scratch(&l->attention, rows);

    inner = larger(inner, lct_net_mlp_scratch(&l->mlp, rows));
    if (l->experts != NULL)
        inner =
            larger(inner, lct_net_experts_scratch(l->experts, rows, l->width));
    inner = larger(inner, lct_net_inputs_scratch(n, rows));
    /* two branches, each behind a norm, and what the router of experts reads;
       16 numbers of alignment */
    return 4 * rows * l->width + inner + 16 + lct_net_streams_scratch(n, rows);
}

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
static void add_experts(void *y, const void *x, const struct lct_net_step *s,
                        const struct lct_net_layer *l, int64_t rows,
                        void *scratch)
{
    const struct lct_net_math *m = s->n->math;
    const int64_t all = rows * l->width;
    void *h = lct_net_math_at(m, y, all);
    void *other = lct_net_math_at(m, h, all);

    lct_net_norm_rows(y, y, rows, m, &l->after_dense);
    lct_net_norm_rows(h, x, rows, m, &l->before_experts);
    lct_net_norm_rows(other, x, rows, m, &l->experts->router_norm);
    lct_net_experts_forward(other, h, other, rows, s->n, l->experts, scratch,
                            s->room);
    lct_net_norm_rows(other, other, rows, m, &l->after_experts);
    m->add(y, other, 1, all);
}

static void mlp(void *y, const void *x, const struct lct_net_step *s,
                const struct lct_net_layer *l, int64_t rows, void *scratch)
{
    if (l->experts != NULL && !l->beside)
        lct_net_experts_forward(y, x, x, rows, s->n, l->experts, scratch,
                                s->room);
    else
        lct_net_mlp_forward(y, x, rows, s->n, &l->mlp, scratch, s->room);
}

/* x += scale after(y), where x may first become the norm that y was made of */
static void add_branch(void *x, void *y, const void *base,
                       const struct lct_net_step *s,
                       const struct lct_net_layer *l,
                       const struct lct_net_norm *after, const void *scale,
                       int64_t rows)
{
    const struct lct_net_math *m = s->n->math;
    const int64_t D = l->width, all = rows * D;

    lct_net_norm_rows(y, y, rows, m, after);
    for (int64_t r = 0; scale != NULL && r < rows; r++)
        m->multiply(lct_net_math_at(m, y, r * D), scale, D);
    if (l->residual_of_norm && base != x)
        memcpy(x, base, (size_t)all * m->item);
    m->add(x, y, l->branch_scale, all);
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
    struct lct_net_step all = *s;
    locant_status status;
    void *in, *out;

    all.T = T;
    all.from = s->cache->length - T;
    in = lct_net_zeros(2 * B * T * l->width +
                           lct_net_delta_scratch(l->delta, B * T, l->width),
                       1, m->item);
    if (in == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_model: no memory");
    out = lct_net_math_at(m, in, B * T * l->width);
    status = lct_net_share_rows(in, x, s->share, m, B, l->width);
    if (status == LOCANT_OK)
        lct_net_delta_forward(out, in, &all, l->delta, i,
                              lct_net_math_at(m, out, B * T * l->width));
    for (int64_t b = 0; status == LOCANT_OK && b < B; b++)
        memcpy((char *)y + (size_t)(b * s->T) * row,
               (char *)out + (size_t)(b * T + s->from - all.from) * row,
               (size_t)s->T * row);
    locant_release(in);
    return status;
}

static locant_status attend(void *y, const void *x,
                            const struct lct_net_step *s,
                            const struct lct_net_layer *l, int64_t i,
                            void *scratch)
{
    if (l->delta != NULL && s->share != NULL)
        return sum_up(y, x, s, l, i);
    if (l->delta != NULL) {
        lct_net_delta_forward(y, x, s, l->delta, i, scratch);
        return LOCANT_OK;
    }
    return l->window != NULL
               ? lct_net_windows_forward(y, x, s, l)
               : lct_net_attention_forward(y, x, s, &l->attention, i, scratch);
}

static locant_status sequential(void *x, const struct lct_net_step *s,
                                const struct lct_net_layer *l, int64_t i,
                                int64_t rows, void *h, void *y, void *scratch)
{
    const void *base = normed(h, x, s, &l->before_attn, rows);

    LCT_TRY(attend(y, base, s, l, i, scratch));
    add_branch(x, y, base, s, l, &l->after_attn, l->attn_scale, rows);
    if (l->cross != NULL) {
        base = normed(h, x, s, &l->before_cross, rows);
        LCT_TRY(lct_net_cross_forward(y, base, s, l->cross, i, scratch));
        add_branch(x, y, base, s, l, &l->after_cross, NULL, rows);
    }
    base = normed(h, x, s, &l->before_mlp, rows);
    mlp(y, base, s, l, rows, scratch);
    if (l->experts != NULL && l->beside)
        add_experts(y, x, s, l, rows, scratch);
    add_branch(x, y, base, s, l, &l->after_mlp, l->mlp_scale, rows);
    if (l->input.gate.w.weight != NULL) {
        const struct lct_net_inputs inputs = { s->inputs, i, scratch };

        lct_net_inputs_add(y, x, rows, s->n, &l->input, &inputs, s->room);
        s->n->math->add(x, y, 1, rows * l->width);
    }
    if (l->scalar != 1)
        s->n->math->scale(x, l->scalar, rows * l->width);
    return LOCANT_OK;
}

static locant_status parallel(void *x, const struct lct_net_step *s,
                              const struct lct_net_layer *l, int64_t i,
                              int64_t rows, void *h, void *y, void *scratch)
{
    const struct lct_net_math *m = s->n->math;
    const int64_t all = rows * l->width;
    void *other = lct_net_math_at(m, y, all);
    const void *base = normed(h, x, s, &l->before_attn, rows);

    LCT_TRY(lct_net_attention_forward(y, base, s, &l->attention, i, scratch));
    if (l->before_mlp.kind != LCT_NET_NO_NORM)
        base = normed(h, x, s, &l->before_mlp, rows);
    mlp(other, base, s, l, rows, scratch);
    m->add(x, y, l->branch_scale, all);
    m->add(x, other, l->branch_scale, all);
    return LOCANT_OK;
}

static locant_status post_norm(void *x, const struct lct_net_step *s,
                               const struct lct_net_layer *l, int64_t i,
                               int64_t rows, void *y, void *scratch)
{
    const struct lct_net_math *m = s->n->math;
    const int64_t all = rows * l->width;

    LCT_TRY(lct_net_attention_forward(y, x, s, &l->attention, i, scratch));
    m->add(x, y, 1, all);
    lct_net_norm_rows(x, x, rows, m, &l->after_attn);
    if (l->cross != NULL) {
        LCT_TRY(lct_net_cross_forward(y, x, s, l->cross, i, scratch));
        m->add(x, y, 1, all);
        lct_net_norm_rows(x, x, rows, m, &l->after_cross);
    }
    mlp(y, x, s, l, rows, scratch);
    m->add(x, y, 1, all);
    lct_net_norm_rows(x, x, rows, m, &l->after_mlp);
    return LOCANT_OK;
}

/* Room for what is 8 bytes each must begin at a multiple of 8 bytes. */
static void *aligned(void *x)
{
    return (void *)(((uintptr_t)x + 63) & ~(uintptr_t)63);
}

locant_status lct_net_block_forward(void *x, const struct lct_net_step *s,
                                    const struct lct_net_layer *l, int64_t i,
                                    void *scratch)
{
    const struct lct_net_math *m = s->n->math;
    const int64_t rows = s->cache->B * s->T, all = rows * l->width;
    void *h = scratch;
    void *y = lct_net_math_at(m, h, all);
    void *inner = aligned(lct_net_math_at(m, y, 3 * all));

    if (l->streams != NULL)
        return lct_net_streams_forward(x, s, l, i, scratch);
    switch (l->residual) {
    case LCT_PARALLEL: return parallel(x, s, l, i, rows, h, y, inner);
    case LCT_POST_NORM: return post_norm(x, s, l, i, rows, y, inner);
    default: return sequential(x, s, l, i, rows, h, y, inner);
    }
}

/* net_enter.c - the states that the first layer reads */
#include "net_enter.h"
#include "net_adaptive.h"
#include "net_inputs.h"
#include "net_math.h"
#include "net_norm.h"
#include "net_patches.h"
#include "net_streams.h"
#include <string.h>

/* Add what the input door of the encoding gives at the new slots. */
static locant_status add_positions(struct lct_net_run *r, int64_t T)
{
    const struct lct_net *n = r->n;
    const struct lct_net_cache *c = r->cache;

    for (int64_t b = 0; r->stack->input != NULL && b < c->B; b++) {
        int64_t *first = c->positions + b * c->capacity + r->from;
        locant_tensor at = locant_dense(first, LOCANT_I64, 1, &T);
        locant_tensor x =
            locant_dense(lct_net_math_at(n->math, r->x, b * T * n->width),
                         n->dtype, 2, (int64_t[2]){ T, n->width });

        LCT_TRY(locant_encoding_add(&x, &x, r->stack->input, &at,
                                    r->stack->input_params));
    }
    return LOCANT_OK;
}

void lct_net_enter_positions(struct lct_net_run *r,
                             const struct lct_net_tokens *t)
{
    const struct lct_net_cache *c = r->cache;
    const int64_t pad = r->stack->plan->pad;

    if (r->stack->plan->ids != LCT_IDS_PAD || t->positions != NULL)
        return;
    for (int64_t b = 0; b < c->B; b++) {
        int64_t *at = c->positions + b * c->capacity + c->length - t->T;
        int64_t last = pad;

        for (int64_t i = 0; i < t->T; i++)
            at[i] = t->ids[b * t->stride + i] != pad ? ++last : pad;
    }
}

void lct_net_enter_seen(struct lct_net_run *r, const struct lct_net_tokens *t,
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

static void add_types(struct lct_net_run *r, const struct lct_net_tokens *t)
{
    const struct lct_net *n = r->n;
    const struct lct_net_math *m = n->math;

    for (int64_t i = 0; i < r->cache->B * t->T; i++) {
        const int64_t at = i / t->T * t->stride + i % t->T;
        const int64_t type = t->types != NULL ? t->types[at] : 0;

        m->add(lct_net_math_at(m, r->x, i * n->width),
               lct_net_math_at(m, r->stack->types, type * n->width), 1,
               n->width);
    }
}

/* Inputs of layers, and further streams. */
static locant_status enter_others(struct lct_net_run *r,
                                  const struct lct_net_tokens *t)
{
    const struct lct_net *n = r->n;
    const int64_t each = r->stack->inputs_embed.in;

    for (int64_t b = 0; r->inputs != NULL && b < r->cache->B; b++)
        LCT_TRY(lct_net_inputs_make(
            lct_net_math_at(n->math, r->inputs, b * t->T * each),
            t->ids + b * t->stride,
            lct_net_math_at(n->math, r->x, b * t->T * n->width), t->T,
            &r->room));
    lct_net_streams_enter(r->x, r->cache->B * t->T, &r->room);
    return LOCANT_OK;
}

locant_status lct_net_enter(struct lct_net_run *r,
                            const struct lct_net_tokens *t)
{
    const struct lct_net *n = r->n;
    const struct lct_net_math *m = n->math;
    const int64_t rows = r->cache->B * t->T;
    const bool projected = r->stack->project_in.w.weight != NULL;
    void *x = projected ? r->embed : r->x;

    if (r->stack->patches != NULL)
        return lct_net_patches_enter(r, t);
    for (int64_t i = 0; i < rows; i++) {
        const int64_t id = t->ids[i / t->T * t->stride + i % t->T];

        if (n->adaptive != NULL)
            lct_net_adaptive_embed(lct_net_math_at(m, x, i * n->width), id,
                                   r->embed, &r->room);
        else
            lct_net_matrix_rows(lct_net_math_at(m, x, i * n->embed.in), n,
                                &n->embed, id, 1);
    }
    if (projected)
        lct_net_linear_forward(r->x, x, rows, &r->stack->project_in, &r->room);
    if (r->stack->input_scale != 1)
        m->scale(r->x, r->stack->input_scale, rows * n->width);
    lct_net_enter_seen(r, t, -1);
    if (r->stack->types != NULL)
        add_types(r, t);
    LCT_TRY(add_positions(r, t->T));
    lct_net_norm_rows(r->x, r->x, rows, m, &r->stack->input_norm);
    return enter_others(r, t);
}

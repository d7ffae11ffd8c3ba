/*
 * layer.c - one pre-norm layer and its backward.
 *
 *     mid = x + attention(norm1(x)) Wo
 *     out = mid + gelu(norm2(mid) W1) W2
 *
 * The keys and values of attention are those of memory and segment.
 */
#include "parts.h"
#include <string.h>

/* Sizes of y = x W, W tensor 'which': N rows, but F for keys and values. */
static struct lct_linear sizes_of(const struct lct_model *m,
                                  const struct lct_model_tensor *t,
                                  enum lct_layer_tensor which)
{
    const bool whole = which == LCT_WK || which == LCT_WV;

    return (struct lct_linear){ m->B * (whole ? m->S : m->T), t->shape[0],
                                t->shape[1] };
}

/* y = x W, W tensor 'which' of the layer; or y += x W */
static void project(struct lct_model *m, real *y, const real *x, int64_t layer,
                    enum lct_layer_tensor which, enum lct_store store)
{
    const struct lct_model_tensor *t =
        &m->tensors[1 + layer * LCT_LAYER_TENSORS + which];
    const struct lct_linear s = sizes_of(m, t, which);

    lct_linear_forward(y, x, m->params + t->offset, &s, store);
}

/*
 * forward: y = x W
 * dx = dy W^T, or dx += dy W^T; dW += x^T dy.
 */
static void project_backward(struct lct_model *m, real *dx, const real *dy,
                             const real *x, int64_t layer,
                             enum lct_layer_tensor which, enum lct_store store)
{
    const struct lct_model_tensor *t =
        &m->tensors[1 + layer * LCT_LAYER_TENSORS + which];
    const struct lct_linear s = sizes_of(m, t, which);

    lct_linear_backward_input(dx, dy, m->params + t->offset, &s, store);
    lct_linear_backward_weight(m->grads + t->offset, dy, x, &s);
}

/* d.x += gradient through norm2 of the layer, from d.branch */
static void norm2_backward(struct lct_model *m, int64_t layer)
{
    const struct lct_layer *a = &m->layers[layer];
    const struct lct_norm_saved saved = { a->mid, a->stat2, m->B * m->T,
                                          m->config.width, m->config.norm };

    lct_norm_backward(m->d.x, lct_layer_tensor(m, m->grads, layer, LCT_NORM2),
                      m->d.branch,
                      lct_layer_tensor(m, m->params, layer, LCT_NORM2), &saved,
                      m->sum);
}

/*
 * d.x += gradient through norm1 of the layer, from d.whole_branch; what would
 * reach remembered inputs is dropped.
 */
static void norm1_backward(struct lct_model *m, int64_t layer)
{
    const struct lct_layer *a = &m->layers[layer];
    const int64_t F = m->B * m->S;
    const struct lct_norm_saved saved = { a->whole, a->stat1, F,
                                          m->config.width, m->config.norm };

    if (m->config.memory > 0)
        memset(m->d.whole, 0, (size_t)(F * m->config.width) * sizeof(real));
    lct_norm_backward(m->d.whole,
                      lct_layer_tensor(m, m->grads, layer, LCT_NORM1),
                      m->d.whole_branch,
                      lct_layer_tensor(m, m->params, layer, LCT_NORM1), &saved,
                      m->sum);
    if (m->config.memory > 0)
        lct_memory_add(m, m->d.x, m->d.whole);
}

/* norm1 of memory and segment, and of the segment alone */
static void norm1_forward(struct lct_model *m, int64_t layer)
{
    const struct lct_layer *a = &m->layers[layer];

    if (m->config.memory > 0)
        lct_memory_join(m, layer);
    lct_norm_forward(a->whole_norm, a->stat1, a->whole,
                     lct_layer_tensor(m, m->params, layer, LCT_NORM1),
                     m->B * m->S, m->config.width, m->config.norm);
    if (m->config.memory > 0)
        lct_memory_take(m, a->norm1, a->whole_norm);
}

/*
 * out [N, width] from x [N, width].
 *
 * Saved for backward: every member of struct lct_layer but 'out'.
 */
locant_status lct_layer_forward(struct lct_model *m, int64_t layer)
{
    const struct lct_model_config *c = &m->config;
    struct lct_layer *a = &m->layers[layer];
    const int64_t N = m->B * m->T;
    const size_t stream = (size_t)(N * c->width) * sizeof(real);

    /* 1: mid = x + attention(norm1(x)) Wo */
    norm1_forward(m, layer);
    project(m, a->q, a->norm1, layer, LCT_WQ, LCT_WRITE);
    project(m, a->k, a->whole_norm, layer, LCT_WK, LCT_WRITE);
    project(m, a->v, a->whole_norm, layer, LCT_WV, LCT_WRITE);
    LCT_TRY(lct_heads_forward(m, layer));
    memcpy(a->mid, a->x, stream);
    project(m, a->mid, a->o, layer, LCT_WO, LCT_ADD);

    /* 2: out = mid + gelu(norm2(mid) W1) W2 */
    lct_norm_forward(a->norm2, a->stat2, a->mid,
                     lct_layer_tensor(m, m->params, layer, LCT_NORM2), N,
                     c->width, c->norm);
    project(m, a->h, a->norm2, layer, LCT_W1, LCT_WRITE);
    lct_gelu_forward(a->g, a->h, (size_t)(N * c->ff));
    memcpy(a->out, a->mid, stream);
    project(m, a->out, a->g, layer, LCT_W2, LCT_ADD);
    if (m->config.memory > 0)
        lct_memory_keep(m, layer);
    return LOCANT_OK;
}

/*
 * d.x enters as the gradient of 'out' and leaves as that of 'x': the residual
 * stream carries it on, the branches add to it.
 */
locant_status lct_layer_backward(struct lct_model *m, int64_t layer)
{
    struct lct_layer *a = &m->layers[layer];
    struct lct_flow *d = &m->d;

    /* 2: forward: out = mid + gelu(norm2(mid) W1) W2 */
    project_backward(m, d->h, d->x, a->g, layer, LCT_W2, LCT_WRITE);
    lct_gelu_backward(d->h, a->h, (size_t)(m->B * m->T * m->config.ff));
    project_backward(m, d->branch, d->h, a->norm2, layer, LCT_W1, LCT_WRITE);
    norm2_backward(m, layer);

    /* 1: forward: mid = x + attention(norm1(x)) Wo */
    project_backward(m, d->branch, d->x, a->o, layer, LCT_WO, LCT_WRITE);
    LCT_TRY(lct_heads_backward(m, layer));
    project_backward(m, d->branch, d->q, a->norm1, layer, LCT_WQ, LCT_WRITE);
    if (m->config.memory > 0)
        lct_memory_put(m, d->whole_branch, d->branch);
    project_backward(m, d->whole_branch, d->k, a->whole_norm, layer, LCT_WK,
                     LCT_ADD);
    project_backward(m, d->whole_branch, d->v, a->whole_norm, layer, LCT_WV,
                     LCT_ADD);
    for (int64_t i = 0; m->reads_x && i < m->B * m->S * m->config.width; i++)
        d->whole_branch[i] += d->read[i];
    norm1_backward(m, layer);
    return LOCANT_OK;
}

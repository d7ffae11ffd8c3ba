/*
 * layer.c - one pre-norm layer and its backward.
 *
 *     mid = x + attention(norm1(x)) Wo
 *     out = mid + gelu(norm2(mid) W1) W2
 */
#include "parts.h"
#include <string.h>

/* y [N, out] = x [N, in] W, W tensor 'which' of the layer; or y += x W */
static void project(struct lct_model *m, real *y, const real *x, int64_t layer,
                    enum lct_layer_tensor which, enum lct_store store)
{
    const struct lct_model_tensor *t =
        &m->tensors[1 + layer * LCT_LAYER_TENSORS + which];
    const struct lct_linear s = { m->B * m->T, t->shape[0], t->shape[1] };

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
    const struct lct_linear s = { m->B * m->T, t->shape[0], t->shape[1] };

    lct_linear_backward_input(dx, dy, m->params + t->offset, &s, store);
    lct_linear_backward_weight(m->grads + t->offset, dy, x, &s);
}

/* d.x += gradient through norm 'which' of the layer, from d.branch */
static void norm_backward(struct lct_model *m, const real *x, const real *stat,
                          int64_t layer, enum lct_layer_tensor which)
{
    const struct lct_norm_saved saved = { x, stat, m->B * m->T,
                                          m->config.width, m->config.norm };

    lct_norm_backward(m->d.x, lct_layer_tensor(m, m->grads, layer, which),
                      m->d.branch, lct_layer_tensor(m, m->params, layer, which),
                      &saved, m->sum);
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
    lct_norm_forward(a->norm1, a->stat1, a->x,
                     lct_layer_tensor(m, m->params, layer, LCT_NORM1), N,
                     c->width, c->norm);
    project(m, a->q, a->norm1, layer, LCT_WQ, LCT_WRITE);
    project(m, a->k, a->norm1, layer, LCT_WK, LCT_WRITE);
    project(m, a->v, a->norm1, layer, LCT_WV, LCT_WRITE);
    LCT_TRY(lct_heads_forward(m, a));
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
    norm_backward(m, a->mid, a->stat2, layer, LCT_NORM2);

    /* 1: forward: mid = x + attention(norm1(x)) Wo */
    project_backward(m, d->branch, d->x, a->o, layer, LCT_WO, LCT_WRITE);
    LCT_TRY(lct_heads_backward(m, a));
    project_backward(m, d->branch, d->q, a->norm1, layer, LCT_WQ, LCT_WRITE);
    project_backward(m, d->branch, d->k, a->norm1, layer, LCT_WK, LCT_ADD);
    project_backward(m, d->branch, d->v, a->norm1, layer, LCT_WV, LCT_ADD);
    norm_backward(m, a->x, a->stat1, layer, LCT_NORM1);
    return LOCANT_OK;
}

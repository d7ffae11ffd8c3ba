/*
 * layer.c - one pre-norm layer and its backward.
 *
 *     mid = x + attention(norm1(x)) Wo
 *     out = mid + gelu(norm2(mid) W1) W2
 *
 * Attention has the keys and values of memory and segment.  The work between
 * two calls of attention is done by blocks of rows, each on one thread and in
 * its cache.
 */
#include "parts.h"
#include <string.h>

static const struct lct_model_tensor *
tensor_of(const struct lct_model *m, int64_t layer, enum lct_layer_tensor which)
{
    return &m->tensors[1 + layer * LCT_LAYER_TENSORS + which];
}

/* y = x W of the part's rows, W tensor 'which' of the layer */
static void project(const struct lct_part *p, real *y, const real *x,
                    enum lct_layer_tensor which)
{
    const struct lct_model_tensor *t = tensor_of(p->m, p->layer, which);
    const struct lct_linear s = { p->rows, t->shape[0], t->shape[1] };

    lct_linear_forward(y + p->first * s.out, x + p->first * s.in,
                       p->m->packed + t->offset, &s);
}

/* forward: y = x W;  dx = dy W^T of the part's rows, or += if 'add' */
static void project_backward(const struct lct_part *p, real *dx, const real *dy,
                             enum lct_layer_tensor which, bool add)
{
    const struct lct_model_tensor *t = tensor_of(p->m, p->layer, which);
    const struct lct_linear s = { p->rows, t->shape[0], t->shape[1] };

    lct_linear_backward_input(dx + p->first * s.in, dy + p->first * s.out,
                              p->m->transposed + t->offset, &s, add);
}

/* y = norm(x) of the part's rows */
static void norm(const struct lct_part *p, real *y, real *stat, const real *x,
                 enum lct_layer_tensor which)
{
    const struct lct_model_config *c = &p->m->config;
    const int64_t at = p->first * c->width;

    lct_norm_forward(y + at, stat + 2 * p->first, x + at,
                     p->m->params + tensor_of(p->m, p->layer, which)->offset,
                     p->rows, c->width, c->norm);
}

/* forward: y = norm(x);  dx = more + the gradient, of the part's rows */
static void norm_backward(const struct lct_part *p, real *dx, const real *more,
                          const real *dy, const real *x, const real *stat,
                          enum lct_layer_tensor which)
{
    const struct lct_model_config *c = &p->m->config;
    const int64_t at = p->first * c->width;
    const struct lct_norm_saved saved = { x + at, stat + 2 * p->first, p->rows,
                                          c->width, c->norm };

    lct_norm_backward(
        dx + at, more == NULL ? NULL : more + at, lct_block_sum(p), dy + at,
        p->m->params + tensor_of(p->m, p->layer, which)->offset, &saved);
}

static void norm_weight(struct lct_model *m, int64_t layer, int64_t rows,
                        enum lct_layer_tensor which)
{
    lct_norm_backward_weight(m->grads + tensor_of(m, layer, which)->offset,
                             m->sums, lct_blocks(rows), m->config.width);
}

/* The part's rows of 'y' += those of 'x'. */
static void add(const struct lct_part *p, real *y, const real *x)
{
    const int64_t width = p->m->config.width, at = p->first * width;

    lct_nn()->add(y + at, x + at, 1, (size_t)(p->rows * width));
}

/* ----------------------------------------------------------------- forward */

static void queries(const struct lct_part *p)
{
    const struct lct_layer *a = &p->m->layers[p->layer];

    project(p, a->q, a->norm1, LCT_WQ);
}

/* Rows of memory and segment; without memory this computes queries, too. */
static void keys_and_values(const struct lct_part *p)
{
    const struct lct_layer *a = &p->m->layers[p->layer];

    norm(p, a->whole_norm, a->stat1, a->whole, LCT_NORM1);
    if (p->m->config.memory == 0)
        queries(p);
    project(p, a->k, a->whole_norm, LCT_WK);
    project(p, a->v, a->whole_norm, LCT_WV);
}

static void after_attention(const struct lct_part *p)
{
    const struct lct_layer *a = &p->m->layers[p->layer];
    const int64_t ff = p->m->config.ff, at = p->first * ff;

    project(p, a->mid, a->o, LCT_WO);
    add(p, a->mid, a->x);
    norm(p, a->norm2, a->stat2, a->mid, LCT_NORM2);
    project(p, a->h, a->norm2, LCT_W1);
    lct_gelu_forward(a->g + at, a->h + at, (size_t)(p->rows * ff));
    project(p, a->out, a->g, LCT_W2);
    add(p, a->out, a->mid);
}

/*
 * out [N, width] from x [N, width].
 *
 * Saved for backward: every member of struct lct_layer but 'out'.
 */
locant_status lct_layer_forward(struct lct_model *m, int64_t layer)
{
    const struct lct_layer *a = &m->layers[layer];
    const bool memory = m->config.memory > 0;

    if (memory)
        lct_memory_join(m, layer);
    lct_model_rows(m, layer, m->B * m->S, keys_and_values);
    if (memory) {
        lct_memory_extract(m, a->norm1, a->whole_norm);
        lct_model_rows(m, layer, m->B * m->T, queries);
    }
    LCT_TRY(lct_heads_forward(m, layer));
    lct_model_rows(m, layer, m->B * m->T, after_attention);
    if (memory)
        lct_memory_keep(m, layer);
    return LOCANT_OK;
}

/* ---------------------------------------------------------------- backward */

/*
 * forward: mid = x + o Wo;  out = mid + gelu(norm2(mid) W1) W2
 * Writes d.mid, d.branch (gradient of o) from d.x (gradient of out).
 */
static void before_attention(const struct lct_part *p)
{
    const struct lct_layer *a = &p->m->layers[p->layer];
    const struct lct_flow *d = &p->m->d;
    const int64_t ff = p->m->config.ff, at = p->first * ff;

    project_backward(p, d->h, d->x, LCT_W2, false);
    lct_gelu_backward(d->h + at, a->h + at, (size_t)(p->rows * ff));
    project_backward(p, d->branch, d->h, LCT_W1, false);
    norm_backward(p, d->mid, d->x, d->branch, a->mid, a->stat2, LCT_NORM2);
    project_backward(p, d->branch, d->mid, LCT_WO, false);
}

static void queries_backward(const struct lct_part *p)
{
    const struct lct_flow *d = &p->m->d;

    project_backward(p, d->branch, d->q, LCT_WQ, false);
}

/*
 * forward: k, v (and q, without memory) = norm1(whole) W
 * Writes d.whole, the gradient of whole; without memory d.next, which includes
 * the gradient through the residual stream.
 */
static void whole_backward(const struct lct_part *p)
{
    const struct lct_layer *a = &p->m->layers[p->layer];
    const struct lct_flow *d = &p->m->d;
    const bool memory = p->m->config.memory > 0;

    if (!memory)
        queries_backward(p);
    project_backward(p, d->whole_branch, d->k, LCT_WK, true);
    project_backward(p, d->whole_branch, d->v, LCT_WV, true);
    if (p->m->reads_x)
        add(p, d->whole_branch, d->read);
    norm_backward(p, memory ? d->whole : d->next, memory ? NULL : d->mid,
                  d->whole_branch, a->whole, a->stat1, LCT_NORM1);
}

/* Gradients of remembered inputs are dropped. */
static void through_memory(struct lct_model *m, int64_t layer)
{
    const struct lct_flow *d = &m->d;
    const size_t width = (size_t)m->config.width * sizeof(real);

    lct_model_rows(m, layer, m->B * m->T, queries_backward);
    lct_memory_insert(m, d->whole_branch, d->branch);
    memcpy(d->next, d->mid, (size_t)(m->B * m->T) * width);
}

/*
 * Gradients of the layer's matrices and, in parallel, of its input: no array
 * that one of them reads is written by the other.
 */
static void finish(struct lct_model *m, int64_t layer)
{
    const struct lct_layer *a = &m->layers[layer];
    const struct lct_flow *d = &m->d;
    const struct lct_model_tensor *t = tensor_of(m, layer, 0);
    const int64_t N = m->B * m->T, F = m->B * m->S;
    const struct lct_product_of products[] = {
        { &t[LCT_W1], a->norm2, d->h, N },
        { &t[LCT_W2], a->g, d->x, N },
        { &t[LCT_WO], a->o, d->mid, N },
        { &t[LCT_WQ], a->norm1, d->q, N },
        { &t[LCT_WK], a->whole_norm, d->k, F },
        { &t[LCT_WV], a->whole_norm, d->v, F },
    };

    lct_model_rows_and_weights(m, layer, F, whole_backward, products,
                               (int)(sizeof(products) / sizeof(products[0])));
}

/* d.x: the gradient of 'out' becomes the gradient of 'x'. */
locant_status lct_layer_backward(struct lct_model *m, int64_t layer)
{
    const bool memory = m->config.memory > 0;
    real *entered = m->d.x;

    lct_model_rows(m, layer, m->B * m->T, before_attention);
    norm_weight(m, layer, m->B * m->T, LCT_NORM2);
    LCT_TRY(lct_heads_backward(m, layer));
    if (memory)
        through_memory(m, layer);
    finish(m, layer);
    norm_weight(m, layer, m->B * m->S, LCT_NORM1);
    if (memory)
        lct_memory_add(m, m->d.next, m->d.whole);
    m->d.x = m->d.next;
    m->d.next = entered;
    return LOCANT_OK;
}

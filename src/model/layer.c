/*
 * layer.c - one pre-norm layer and its backward.
 *
 *     mid = x + attention(norm1(x)) Wo
 *     out = mid + gelu(norm2(mid) W1) W2
 *
 * Keys and values come from memory and segment, queries from the segment.  The
 * work between two calls of attention is divided into blocks of rows, so that
 * the activations of a block stay in the cache of its thread.
 */
#include "heads.h"
#include <string.h>

static const struct lct_model_tensor *
tensor_of(const struct lct_model *m, int64_t layer, enum lct_layer_tensor which)
{
    return &m->tensors[1 + layer * LCT_LAYER_TENSORS + which];
}

/* y = x W for the block's rows; W is the layer's tensor 'which'. */
static void project(const struct lct_row_block *b, real *y, const real *x,
                    enum lct_layer_tensor which)
{
    const struct lct_model_tensor *t = tensor_of(b->m, b->layer, which);
    const struct lct_linear s = { b->rows, t->shape[0], t->shape[1] };

    lct_linear_forward(y + b->first * s.out, x + b->first * s.in,
                       b->m->packed + t->offset, &s);
}

/* forward: y = x W;  dx = dy W^T of the block's rows, or += if 'add' */
static void project_backward(const struct lct_row_block *b, real *dx,
                             const real *dy, enum lct_layer_tensor which,
                             bool add)
{
    const struct lct_model_tensor *t = tensor_of(b->m, b->layer, which);
    const struct lct_linear s = { b->rows, t->shape[0], t->shape[1] };

    lct_linear_backward_input(dx + b->first * s.in, dy + b->first * s.out,
                              b->m->transposed + t->offset, &s, add);
}

/* y = norm(x) of the block's rows */
static void norm(const struct lct_row_block *b, real *y, real *stat,
                 const real *x, enum lct_layer_tensor which)
{
    const struct lct_model_config *c = &b->m->config;
    const int64_t at = b->first * c->width;

    lct_norm_forward(y + at, stat + 2 * b->first, x + at,
                     b->m->params + tensor_of(b->m, b->layer, which)->offset,
                     b->rows, c->width, c->norm);
}

/* forward: y = norm(x);  dx = residual + the gradient, of the block's rows */
static void norm_backward(const struct lct_row_block *b, real *dx,
                          const real *residual, const real *dy, const real *x,
                          const real *stat, enum lct_layer_tensor which)
{
    const struct lct_model_config *c = &b->m->config;
    const int64_t at = b->first * c->width;
    const struct lct_norm_saved saved = { x + at, stat + 2 * b->first, b->rows,
                                          c->width, c->norm };

    lct_norm_backward(dx + at, residual == NULL ? NULL : residual + at,
                      lct_row_block_sum(b), dy + at,
                      b->m->params + tensor_of(b->m, b->layer, which)->offset,
                      &saved);
}

static void norm_backward_weight(struct lct_model *m, int64_t layer,
                                 int64_t rows, enum lct_layer_tensor which)
{
    lct_model_add_norm(m, tensor_of(m, layer, which), rows);
}

/* y += x for the block's rows */
static void add(const struct lct_row_block *b, real *y, const real *x)
{
    const int64_t width = b->m->config.width, at = b->first * width;

    lct_nn()->add(y + at, x + at, 1, (size_t)(b->rows * width));
}

/* ----------------------------------------------------------------- forward */

static void compute_queries(const struct lct_row_block *b)
{
    const struct lct_layer *a = &b->m->layers[b->layer];

    project(b, a->q, a->norm1, LCT_WQ);
}

/* For a block of memory and segment; without memory this computes queries,
   too, while norm1 is in cache. */
static void compute_keys_and_values(const struct lct_row_block *b)
{
    const struct lct_layer *a = &b->m->layers[b->layer];

    norm(b, a->joined_norm, a->stat1, a->joined, LCT_NORM1);
    if (b->m->config.memory == 0)
        compute_queries(b);
    project(b, a->k, a->joined_norm, LCT_WK);
    project(b, a->v, a->joined_norm, LCT_WV);
}

static void after_attention(const struct lct_row_block *b)
{
    const struct lct_layer *a = &b->m->layers[b->layer];
    const int64_t ff = b->m->config.ff, at = b->first * ff;

    project(b, a->mid, a->o, LCT_WO);
    add(b, a->mid, a->x);
    norm(b, a->norm2, a->stat2, a->mid, LCT_NORM2);
    project(b, a->h, a->norm2, LCT_W1);
    lct_gelu_forward(a->g + at, a->h + at, (size_t)(b->rows * ff));
    project(b, a->out, a->g, LCT_W2);
    add(b, a->out, a->mid);
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
    lct_model_run_rows(m, layer, m->B * m->S, compute_keys_and_values);
    if (memory) {
        lct_memory_extract(m, a->norm1, a->joined_norm);
        lct_model_run_rows(m, layer, m->B * m->T, compute_queries);
    }
    LCT_TRY(lct_heads_forward(m, layer));
    lct_model_run_rows(m, layer, m->B * m->T, after_attention);
    if (memory)
        lct_memory_keep(m, layer);
    return LOCANT_OK;
}

/* ---------------------------------------------------------------- backward */

/*
 * forward: mid = x + o Wo;  out = mid + gelu(norm2(mid) W1) W2
 * Writes d.mid, d.branch (gradient of o) from d.x (gradient of out).
 */
static void after_attention_backward(const struct lct_row_block *b)
{
    const struct lct_layer *a = &b->m->layers[b->layer];
    const struct lct_activation_gradients *d = &b->m->d;
    const int64_t ff = b->m->config.ff, at = b->first * ff;

    project_backward(b, d->h, d->x, LCT_W2, false);
    lct_gelu_backward(d->h + at, a->h + at, (size_t)(b->rows * ff));
    project_backward(b, d->branch, d->h, LCT_W1, false);
    norm_backward(b, d->mid, d->x, d->branch, a->mid, a->stat2, LCT_NORM2);
    project_backward(b, d->branch, d->mid, LCT_WO, false);
}

static void queries_backward(const struct lct_row_block *b)
{
    const struct lct_activation_gradients *d = &b->m->d;

    project_backward(b, d->branch, d->q, LCT_WQ, false);
}

/*
 * forward: k, v (and q, without memory) = norm1(joined) W
 * Writes d.joined; without memory instead d.next, the whole gradient of x, with
 * that of the residual stream.
 */
static void joined_backward(const struct lct_row_block *b)
{
    const struct lct_layer *a = &b->m->layers[b->layer];
    const struct lct_activation_gradients *d = &b->m->d;
    const bool memory = b->m->config.memory > 0;

    if (!memory)
        queries_backward(b);
    project_backward(b, d->joined_branch, d->k, LCT_WK, true);
    project_backward(b, d->joined_branch, d->v, LCT_WV, true);
    if (b->m->reads_x)
        add(b, d->joined_branch, d->read);
    norm_backward(b, memory ? d->joined : d->next, memory ? NULL : d->mid,
                  d->joined_branch, a->joined, a->stat1, LCT_NORM1);
}

/* With memory: prepare d.joined_branch and d.next for joined_backward() and
   lct_memory_add(). */
static void memory_backward(struct lct_model *m, int64_t layer)
{
    const struct lct_activation_gradients *d = &m->d;
    const size_t width = (size_t)m->config.width * sizeof(real);

    lct_model_run_rows(m, layer, m->B * m->T, queries_backward);
    lct_memory_insert(m, d->joined_branch, d->branch);
    memcpy(d->next, d->mid, (size_t)(m->B * m->T) * width);
}

/* Gradients of the layer's matrices and, in parallel, of its input: neither
   writes what the other reads. */
static void input_and_weights_backward(struct lct_model *m, int64_t layer)
{
    const struct lct_layer *a = &m->layers[layer];
    const struct lct_activation_gradients *d = &m->d;
    const struct lct_model_tensor *t = tensor_of(m, layer, 0);
    const int64_t N = m->B * m->T, F = m->B * m->S;
    const struct lct_weight_gradient gradients[] = {
        { &t[LCT_W1], a->norm2, d->h, N },
        { &t[LCT_W2], a->g, d->x, N },
        { &t[LCT_WO], a->o, d->mid, N },
        { &t[LCT_WQ], a->norm1, d->q, N },
        { &t[LCT_WK], a->joined_norm, d->k, F },
        { &t[LCT_WV], a->joined_norm, d->v, F },
    };

    lct_model_run_rows_and_weights(
        m, layer, F, joined_backward, gradients,
        (int)(sizeof(gradients) / sizeof(gradients[0])));
}

/* forward: out from x;  d.x and d.next are swapped at the end */
locant_status lct_layer_backward(struct lct_model *m, int64_t layer)
{
    const bool memory = m->config.memory > 0;
    real *d_out = m->d.x;

    lct_model_run_rows(m, layer, m->B * m->T, after_attention_backward);
    norm_backward_weight(m, layer, m->B * m->T, LCT_NORM2);
    LCT_TRY(lct_heads_backward(m, layer));
    if (memory)
        memory_backward(m, layer);
    input_and_weights_backward(m, layer);
    norm_backward_weight(m, layer, m->B * m->S, LCT_NORM1);
    if (memory) /* memory is constant: its part of d.joined is dropped */
        lct_memory_add(m, m->d.next, m->d.joined);
    m->d.x = m->d.next;
    m->d.next = d_out;
    return LOCANT_OK;
}

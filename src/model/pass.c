/* pass.c - the whole model, forward and backward */
#include "parts.h"
#include <inttypes.h>
#include <string.h>

static const char fn[] = "lct_model_forward";

/* tokens or targets: each in first .. vocab - 1 */
static locant_status check_tokens(const char *what, const int32_t *ids,
                                  int64_t n, int32_t first, int64_t vocab)
{
    if (ids == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: %s is NULL", fn, what);
    for (int64_t i = 0; i < n; i++)
        if (ids[i] < first || ids[i] >= vocab)
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: %s[%" PRId64 "] is %" PRId32
                               ", expected %" PRId32 " .. %" PRId64,
                               fn, what, i, ids[i], first, vocab - 1);
    return LOCANT_OK;
}

static locant_status check_call(const struct lct_model *m,
                                const int32_t *tokens, const int32_t *targets,
                                int64_t B, int64_t T)
{
    if (T < 1 || T > m->length)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: T is %" PRId64 ", expected 1 .. %" PRId64, fn,
                           T, m->length);
    if (B < 1 || B > m->rows / T)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: B is %" PRId64 ", expected 1 .. %" PRId64
                           " at T = %" PRId64,
                           fn, B, m->rows / T, T);
    if (m->config.memory > 0 && B > m->batch)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: B is %" PRId64 ", expected 1 .. %" PRId64
                           ", the rows of memory",
                           fn, B, m->batch);
    if (m->kept.tokens > 0 && B != m->kept.rows)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: B is %" PRId64 ", but %" PRId64
                           " rows are remembered; lct_model_forget() "
                           "begins anew",
                           fn, B, m->kept.rows);
    LCT_TRY(check_tokens("tokens", tokens, B * T, 0, m->config.vocab));
    return check_tokens("targets", targets, B * T, -1, m->config.vocab);
}

/* The tensors after the last layer: final norm, output. */
static const struct lct_model_tensor *last(const struct lct_model *m, int i)
{
    return &m->tensors[m->encoding_first - 2 + i];
}

/* loss [N] from 'out' of the last layer.  Saved: x, stat, norm, logits. */
static void head_forward(const struct lct_part *p)
{
    struct lct_model *m = p->m;
    const struct lct_model_config *c = &m->config;
    const int64_t at = p->first * c->width, word = p->first * c->vocab;
    const struct lct_linear s = { p->rows, c->width, c->vocab };

    lct_norm_forward(
        m->norm + at, m->stat + 2 * p->first, m->layers[p->layer].out + at,
        m->params + last(m, 0)->offset, p->rows, c->width, c->norm);
    lct_linear_forward(m->logits + word, m->norm + at,
                       m->packed + last(m, 1)->offset, &s);
    lct_loss_forward(m->loss + p->first, m->loss_stat + 2 * p->first,
                     m->logits + word, m->targets + p->first, p->rows,
                     c->vocab);
}

/* forward: loss = cross_entropy(norm(x) Wout); writes d.x of the mean loss */
static void head_backward(const struct lct_part *p)
{
    struct lct_model *m = p->m;
    const struct lct_model_config *c = &m->config;
    const int64_t at = p->first * c->width, word = p->first * c->vocab;
    const struct lct_linear s = { p->rows, c->width, c->vocab };
    const struct lct_norm_saved saved = { m->layers[p->layer].out + at,
                                          m->stat + 2 * p->first, p->rows,
                                          c->width, c->norm };

    lct_loss_backward(m->logits + word, m->loss_stat + 2 * p->first,
                      m->targets + p->first, p->rows, c->vocab,
                      (real)(1.0 / (double)(m->scored > 0 ? m->scored : 1)));
    lct_linear_backward_input(m->d.branch + at, m->logits + word,
                              m->transposed + last(m, 1)->offset, &s, false);
    lct_norm_backward(m->d.x + at, NULL, lct_block_sum(p), m->d.branch + at,
                      m->params + last(m, 0)->offset, &saved);
}

/* The gradients of the head's weights, after head_backward(). */
static void head_weights(struct lct_model *m)
{
    const int64_t N = m->B * m->T;
    const struct lct_product_of output = { last(m, 1), m->norm, m->logits, N };

    lct_norm_backward_weight(m->grads + last(m, 0)->offset, m->sums,
                             lct_blocks(N), m->config.width);
    lct_model_rows_and_weights(m, 0, 0, NULL, &output, 1);
}

static void show_layer(const struct lct_model *m, int64_t layer)
{
    const struct lct_layer *a = &m->layers[layer];
    const struct lct_layer_seen seen = { layer, m->B, m->T, m->S,   a->out,
                                         a->q,  a->k, a->o, a->lse, a->x };

    m->watch(&seen, m->watcher);
}

/* The forward after its arguments were checked; it can still fail. */
static locant_status run(struct lct_model *m, int64_t B, int64_t T)
{
    LCT_TRY(lct_input_positions(m, B, m->kept.tokens + T));
    LCT_TRY(lct_heads_reserve(m, B, T, m->kept.tokens));
    m->B = B;
    m->T = T;
    m->past = m->kept.tokens;
    m->S = m->past + T;
    lct_model_pack(m);
    LCT_TRY(lct_input_forward(m));
    for (int64_t l = 0; l < m->config.layers; l++) {
        LCT_TRY(lct_layer_forward(m, l));
        if (m->watch != NULL)
            show_layer(m, l);
    }
    return LOCANT_OK;
}

static int64_t count_scored(const int32_t *targets, size_t n)
{
    int64_t scored = 0;

    for (size_t i = 0; i < n; i++)
        scored += targets[i] >= 0;
    return scored;
}

locant_status lct_model_forward(struct lct_model *m, const int32_t *tokens,
                                const int32_t *targets, int64_t B, int64_t T,
                                real *loss, double *mean)
{
    const size_t N = (size_t)(B * T);
    locant_status status;
    double sum = 0.0;

    LCT_TRY(check_call(m, tokens, targets, B, T));
    m->ready = m->returned = false;
    memcpy(m->tokens, tokens, N * sizeof(*tokens));
    memcpy(m->targets, targets, N * sizeof(*targets));
    m->scored = count_scored(targets, N);
    status = run(m, B, T);
    if (status != LOCANT_OK) {
        lct_model_forget(m);
        return status;
    }
    m->kept = (struct lct_memory){ B, lct_memory_next(m) };
    lct_model_rows(m, m->config.layers - 1, B * T, head_forward);
    m->ready = true;
    for (size_t i = 0; i < N; i++)
        sum += (double)m->loss[i];
    if (mean != NULL)
        *mean = m->scored > 0 ? sum / (double)m->scored : 0.0;
    if (loss != NULL)
        memcpy(loss, m->loss, N * sizeof(*loss));
    return LOCANT_OK;
}

/* Parameters that are data of the task have no gradient. */
static void drop_given(struct lct_model *m)
{
    for (int i = m->encoding_first; i < m->tensor_count; i++) {
        const struct lct_model_tensor *t = &m->tensors[i];

        if (t->rate == 0)
            memset(m->grads + t->offset, 0, t->size * sizeof(real));
    }
}

/* Overwrites the logits by their gradient, so it needs a forward each time. */
locant_status lct_model_backward(struct lct_model *m)
{
    if (!m->train)
        return locant_fail(LOCANT_ERR_PARAM, "lct_model_backward: the model "
                                             "was made without gradients");
    if (!m->ready)
        return locant_fail(LOCANT_ERR_PARAM, "lct_model_backward: no forward "
                                             "since the last backward");
    LCT_TRY(lct_heads_reserve(m, m->B, m->T, m->past));
    m->ready = m->returned = false;
    lct_model_rows(m, m->config.layers - 1, m->B * m->T, head_backward);
    head_weights(m);
    for (int64_t l = m->config.layers - 1; l >= 0; l--)
        LCT_TRY(lct_layer_backward(m, l));
    LCT_TRY(lct_input_backward(m));
    drop_given(m);
    m->returned = true;
    return LOCANT_OK;
}

/* --------------------------------------------------- results of a pass */

/* Is x[target] the largest, and the first of equal ones? */
static uint8_t is_first_largest(const real *x, int32_t target, int64_t n)
{
    bool best = target >= 0 && x[target] == x[target]; /* no NAN */

    for (int64_t i = 0; i < target; i++)
        best = best && x[i] < x[target];
    for (int64_t i = target + 1; best && i < n; i++)
        best = x[i] <= x[target];
    return best;
}

locant_status lct_model_hits(const struct lct_model *m, uint8_t *hit)
{
    const int64_t N = m->B * m->T, vocab = m->config.vocab;

    if (!m->ready)
        return locant_fail(LOCANT_ERR_PARAM, "lct_model_hits: no forward since "
                                             "the last backward");
    for (int64_t i = 0; i < N; i++)
        hit[i] = is_first_largest(m->logits + i * vocab, m->targets[i], vocab);
    return LOCANT_OK;
}

locant_status lct_model_input_gradient(const struct lct_model *m, real *out)
{
    const size_t n = (size_t)(m->B * m->T * m->config.width);

    if (!m->returned)
        return locant_fail(LOCANT_ERR_PARAM, "lct_model_input_gradient: the "
                                             "last pass was no backward");
    memcpy(out, m->d.x, n * sizeof(*out));
    return LOCANT_OK;
}

void lct_model_watch(struct lct_model *m, lct_layer_watcher watch,
                     void *context)
{
    m->watch = watch;
    m->watcher = context;
}

/* pass.c - the whole model, forward and backward */
#include "heads.h"
#include <inttypes.h>
#include <string.h>

static const char fn[] = "lct_model_forward";

/* Fail unless each of the n ids is in first .. vocab - 1. */
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
    if (m->memory_size.tokens > 0 && B != m->memory_size.rows)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: B is %" PRId64 ", but %" PRId64
                           " rows are remembered; lct_model_clear_memory() "
                           "begins anew",
                           fn, B, m->memory_size.rows);
    if (m->sequences.leaves > 1 && (B != m->leaves || T != m->sequences.chunk))
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: B x T is %" PRId64 " x %" PRId64
                           ", expected the %" PRId64 " leaves of %" PRId64
                           " tokens",
                           fn, B, T, m->leaves, m->sequences.chunk);
    LCT_TRY(check_tokens("tokens", tokens, B * T, 0, m->config.vocab));
    return check_tokens("targets", targets, B * T, -1, m->config.vocab);
}

/* Two tensors follow those of the layers. */
static const struct lct_model_tensor *final_norm(const struct lct_model *m)
{
    return &m->tensors[m->encoding_first - 2];
}

static const struct lct_model_tensor *output_matrix(const struct lct_model *m)
{
    return &m->tensors[m->encoding_first - 1];
}

/*
 * loss [N] from 'out' of the last layer.
 *
 * Saved for backward: out, stat, norm, logits, loss_stat.
 */
static void output_forward(const struct lct_row_block *b)
{
    struct lct_model *m = b->m;
    const struct lct_model_config *c = &m->config;
    const int64_t at = b->first * c->width, logit = b->first * c->vocab;
    const struct lct_linear s = { b->rows, c->width, c->vocab };

    lct_norm_forward(
        m->norm + at, m->stat + 2 * b->first, m->layers[b->layer].out + at,
        m->params + final_norm(m)->offset, b->rows, c->width, c->norm);
    lct_linear_forward(m->logits + logit, m->norm + at,
                       m->packed + output_matrix(m)->offset, &s);
    lct_loss_forward(m->loss + b->first, m->loss_stat + 2 * b->first,
                     m->logits + logit, m->targets + b->first, b->rows,
                     c->vocab);
}

/* forward: loss = cross_entropy(norm(out) Wout)
   Writes d.x, the gradient of 'out' from the mean of the scored losses. */
static void output_backward(const struct lct_row_block *b)
{
    struct lct_model *m = b->m;
    const struct lct_model_config *c = &m->config;
    const int64_t at = b->first * c->width, logit = b->first * c->vocab;
    const struct lct_linear s = { b->rows, c->width, c->vocab };
    const struct lct_norm_saved saved = { m->layers[b->layer].out + at,
                                          m->stat + 2 * b->first, b->rows,
                                          c->width, c->norm };

    lct_loss_backward(m->logits + logit, m->loss_stat + 2 * b->first,
                      m->targets + b->first, b->rows, c->vocab,
                      (real)(1.0 / (double)(m->scored > 0 ? m->scored : 1)));
    lct_linear_backward_input(m->d.branch + at, m->logits + logit,
                              m->transposed + output_matrix(m)->offset, &s,
                              false);
    lct_norm_backward(m->d.x + at, NULL, lct_row_block_sum(b), m->d.branch + at,
                      m->params + final_norm(m)->offset, &saved);
}

/* Gradients of the final norm and of Wout, after output_backward(). */
static void output_backward_weights(struct lct_model *m)
{
    const int64_t N = m->B * m->T;
    const struct lct_weight_gradient output = { output_matrix(m), m->norm,
                                                m->logits, N };

    lct_model_add_norm(m, final_norm(m), N);
    lct_model_run_rows_and_weights(m, 0, 0, NULL, &output, 1);
}

static void call_watch(const struct lct_model *m, int64_t layer)
{
    const struct lct_layer *a = &m->layers[layer];
    const struct lct_layer_state state = { layer, m->B, m->T, m->S,   a->out,
                                           a->q,  a->k, a->o, a->lse, a->x };

    m->watch(&state, m->watch_context);
}

/* The forward up to the last layer, for checked arguments.  It can fail if
   positions pass the encoding's limit or memory is short. */
static locant_status run_layers(struct lct_model *m, int64_t B, int64_t T)
{
    LCT_TRY(lct_input_positions(m, B, m->memory_size.tokens + T));
    LCT_TRY(lct_heads_reserve(m, B, T, m->memory_size.tokens));
    m->B = B;
    m->T = T;
    m->past = m->memory_size.tokens;
    m->S = m->past + T;
    lct_model_pack(m);
    LCT_TRY(lct_input_forward(m));
    for (int64_t l = 0; l < m->config.layers; l++) {
        LCT_TRY(lct_layer_forward(m, l));
        if (m->watch != NULL)
            call_watch(m, l);
    }
    return LOCANT_OK;
}

int64_t lct_model_count_scored(const int32_t *targets, size_t n)
{
    int64_t scored = 0;

    for (size_t i = 0; i < n; i++)
        scored += targets[i] >= 0;
    return scored;
}

/* Sum of the losses of each leaf, and of these. */
static double sum_losses(const struct lct_model *m)
{
    const int64_t leaves = lct_leaves_of_pass(m), n = m->B * m->T / leaves;
    double sum = 0.0;

    for (int64_t l = 0; l < leaves; l++) {
        double of_leaf = 0.0;

        for (int64_t i = l * n; i < (l + 1) * n; i++)
            of_leaf += (double)m->loss[i];
        sum += of_leaf;
    }
    return sum;
}

locant_status lct_model_forward(struct lct_model *m, const int32_t *tokens,
                                const int32_t *targets, int64_t B, int64_t T,
                                real *loss, double *mean)
{
    const size_t N = (size_t)(B * T);
    locant_status status;

    LCT_TRY(check_call(m, tokens, targets, B, T));
    m->has_logits = m->has_input_gradient = false;
    m->sequences.exchanges = 0;
    memcpy(m->tokens, tokens, N * sizeof(*tokens));
    memcpy(m->targets, targets, N * sizeof(*targets));
    m->scored =
        m->batch_scored ? m->batch_scored : lct_model_count_scored(targets, N);
    status = run_layers(m, B, T);
    if (status != LOCANT_OK) {
        lct_model_clear_memory(m);
        return status;
    }
    m->memory_size = (struct lct_memory_size){ B, lct_memory_tokens_after(m) };
    lct_model_run_rows(m, m->config.layers - 1, B * T, output_forward);
    m->has_logits = true;
    if (mean != NULL)
        *mean = m->scored > 0 ? sum_losses(m) / (double)m->scored : 0.0;
    if (loss != NULL)
        memcpy(loss, m->loss, N * sizeof(*loss));
    return LOCANT_OK;
}

void lct_model_set_scored(struct lct_model *m, int64_t scored)
{
    m->batch_scored = scored;
}

/* Parameters that do not learn have no gradient. */
static void clear_fixed_gradients(struct lct_model *m)
{
    for (int i = m->encoding_first; i < m->tensor_count; i++) {
        const struct lct_model_tensor *t = &m->tensors[i];

        for (size_t k = 0; t->rate == 0 && k < (size_t)m->subtrees; k++)
            memset(m->grads + k * m->size + t->offset, 0,
                   t->size * sizeof(real));
    }
}

/* Each backward needs a new forward, since the logits become their gradient. */
locant_status lct_model_backward(struct lct_model *m)
{
    if (!m->train)
        return locant_fail(LOCANT_ERR_PARAM, "lct_model_backward: the model "
                                             "was made without gradients");
    if (!m->has_logits)
        return locant_fail(LOCANT_ERR_PARAM, "lct_model_backward: no forward "
                                             "since the last backward");
    if (m->B % m->leaves != 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "lct_model_backward: the pass had %" PRId64
                           " rows, expected a multiple of %" PRId64 " leaves",
                           m->B, m->leaves);
    LCT_TRY(lct_heads_reserve(m, m->B, m->T, m->past));
    m->has_logits = m->has_input_gradient = false;
    if (lct_has_leaves(m))
        lct_leaves_begin_encoding(m);
    lct_model_run_rows(m, m->config.layers - 1, m->B * m->T, output_backward);
    output_backward_weights(m);
    for (int64_t l = m->config.layers - 1; l >= 0; l--)
        LCT_TRY(lct_layer_backward(m, l));
    LCT_TRY(lct_input_backward(m));
    if (lct_has_leaves(m))
        lct_leaves_add_encoding(m);
    m->sequences.exchanges = 0;
    clear_fixed_gradients(m);
    m->has_input_gradient = true;
    return LOCANT_OK;
}

/* --------------------------------------------------- results of a pass */

/* Is x[target] larger than all before it, and at least all after it?  A NAN
   makes any comparison false. */
static bool is_first_largest(const real *x, int32_t target, int64_t n)
{
    bool largest = target >= 0 && x[target] == x[target];

    for (int64_t i = 0; largest && i < target; i++)
        largest = x[i] < x[target];
    for (int64_t i = target + 1; largest && i < n; i++)
        largest = x[i] <= x[target];
    return largest;
}

locant_status lct_model_hits(const struct lct_model *m, uint8_t *hit)
{
    const int64_t N = m->B * m->T, vocab = m->config.vocab;

    if (!m->has_logits)
        return locant_fail(LOCANT_ERR_PARAM, "lct_model_hits: no forward since "
                                             "the last backward");
    for (int64_t i = 0; i < N; i++)
        hit[i] = is_first_largest(m->logits + i * vocab, m->targets[i], vocab);
    return LOCANT_OK;
}

locant_status lct_model_input_gradient(const struct lct_model *m, real *out)
{
    const size_t n = (size_t)(m->B * m->T * m->config.width);

    if (!m->has_input_gradient)
        return locant_fail(LOCANT_ERR_PARAM, "lct_model_input_gradient: the "
                                             "last pass was no backward");
    memcpy(out, m->d.x, n * sizeof(*out));
    return LOCANT_OK;
}

void lct_model_watch(struct lct_model *m, lct_layer_watcher watch,
                     void *context)
{
    m->watch = watch;
    m->watch_context = context;
}

/* model.c - locant_model: open a checkpoint, compute logits and losses */
#include "model_share.h"
#include "net_losses.h"
#include "net_math.h"
#include "net_patches.h"
#include <inttypes.h>
#include <string.h>

static locant_status open_model(locant_model **out, const char *path,
                                locant_dtype dtype, const char *with,
                                const char *fn)
{
    locant_model *model;
    locant_status status;

    LCT_NOT_NULL(fn, out);
    *out = NULL;
    LCT_NOT_NULL(fn, path);
    if (dtype != LOCANT_F32 && dtype != LOCANT_F64 && dtype != LOCANT_BF16)
        return locant_fail(LOCANT_ERR_DTYPE,
                           "%s: dtype is %s, expected f32, f64 or bf16", fn,
                           locant_dtype_name(dtype));
    model = locant_alloc(sizeof(*model));
    if (model == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", fn);
    status = lct_net_open(&model->net, path, dtype, with);
    if (status != LOCANT_OK) {
        locant_release(model);
        return status;
    }
    *out = model;
    return LOCANT_OK;
}

locant_status locant_model_open(locant_model **out, const char *path,
                                locant_dtype dtype)
{
    return open_model(out, path, dtype, NULL, "locant_model_open");
}

locant_status locant_model_open_with(locant_model **out, const char *path,
                                     locant_dtype dtype, const char *with)
{
    return open_model(out, path, dtype, with, "locant_model_open_with");
}

void locant_model_close(locant_model *model)
{
    if (model == NULL)
        return;
    lct_net_close(model->net);
    locant_release(model);
}

locant_model_info locant_model_info_of(const locant_model *model)
{
    return (locant_model_info){ .model_type = model->net->config.model_type,
                                .layers = model->net->text.n_layers,
                                .width = lct_net_run_width(model->net),
                                .vocab = model->net->vocab };
}

/* ----------------------------------------------------------------- logits */

/* [B, T, vocab], [B, T, width] or [B, classes]; returns the rank. */
static int shape_of(int64_t shape[3], const struct lct_net *n,
                    const struct lct_model_input *in, int flags)
{
    shape[0] = in->B;
    shape[1] = in->T;
    if (n->text.patches != NULL)
        shape[1] = lct_net_patches_states(n, in->height, in->width);
    shape[2] = flags & LOCANT_MODEL_HIDDEN ? lct_net_run_width(n) : n->vocab;
    if (n->s.pool == LCT_POOL_NONE || (flags & LOCANT_MODEL_HIDDEN))
        return 3;
    shape[1] = n->vocab;
    shape[2] = 0;
    return 2;
}

/* The input of logits. */
static locant_status check(struct lct_model_input *in, const char *fn,
                           const struct lct_net *n,
                           const locant_model_input *input, int flags)
{
    LCT_TRY(lct_model_input_check(in, fn, n, input, false));
    return flags & LOCANT_MODEL_HIDDEN ? LOCANT_OK : lct_net_need_head(fn, n);
}

locant_status locant_model_shape(int64_t shape[3], int *rank,
                                 const locant_model *model,
                                 const locant_model_input *input, int flags)
{
    static const char fn[] = "locant_model_shape";
    struct lct_model_input in;

    LCT_NOT_NULL(fn, shape);
    LCT_NOT_NULL(fn, rank);
    LCT_NOT_NULL(fn, model);
    LCT_TRY(check(&in, fn, model->net, input, flags));
    *rank = shape_of(shape, model->net, &in, flags);
    return LOCANT_OK;
}

/* Images go in one step: to their classes, or states. */
static locant_status run_images(void *out, struct lct_net_run *r,
                                const struct lct_model_call *c)
{
    const struct lct_net_tokens all = lct_model_input_part(&c->in, 0, c->in.T);

    LCT_TRY(lct_net_run_step(r, &all));
    if (!(c->flags & LOCANT_MODEL_HIDDEN))
        return lct_net_patches_head(out, r, r->T);
    lct_net_run_states(out, r->x, c->in.B * r->T, r);
    return LOCANT_OK;
}

/* Steps over all tokens, each of whose states or logits go to 'out'. */
static locant_status run_all(void *out, struct lct_net_run *r,
                             const struct lct_model_call *c)
{
    const struct lct_model_input *in = &c->in;
    const struct lct_net *n = r->n;
    const struct lct_net_math *m = n->math;

    for (int64_t t = 0, T; t < in->T; t += T) {
        T = in->T - t < r->most ? in->T - t : r->most;
        const struct lct_net_tokens part = lct_model_input_part(in, t, T);

        LCT_TRY(lct_net_run_step(r, &part));
        for (int64_t b = 0; b < in->B; b++) {
            void *to = lct_net_math_at(m, out, (b * in->T + t) * c->each);
            const void *x = lct_net_math_at(m, r->x, b * T * n->width);

            if (c->flags & LOCANT_MODEL_HIDDEN)
                lct_net_run_states(to, x, T, r);
            else
                lct_net_run_head(to, x, T, r);
        }
    }
    return LOCANT_OK;
}

static locant_status check_seconds(const char *fn, const locant_tensor *seconds,
                                   const struct lct_net *n)
{
    const int64_t count = n->text.n_layers + 2;

    if (seconds == NULL)
        return LOCANT_OK;
    LCT_TRY(
        lct_model_input_array(fn, "seconds", seconds, LOCANT_F64, 1, &count));
    memset(seconds->data, 0, (size_t)count * sizeof(double));
    return LOCANT_OK;
}

/* The arguments of logits. */
static locant_status check_logits(struct lct_model_call *c,
                                  const locant_tensor *out,
                                  const locant_tensor *seconds,
                                  const locant_model *model)
{
    int64_t shape[3];
    int rank;

    LCT_NOT_NULL(c->fn, model);
    c->n = model->net;
    LCT_TRY(check(&c->in, c->fn, c->n, c->input, c->flags));
    rank = shape_of(shape, c->n, &c->in, c->flags);
    c->each = shape[rank - 1];
    if (lct_group_rank(c->group) == 0)
        LCT_TRY(
            lct_model_input_array(c->fn, "out", out, c->n->dtype, rank, shape));
    return check_seconds(c->fn, seconds, c->n);
}

static void *data_of(const locant_tensor *t)
{
    return t != NULL ? t->data : NULL;
}

/* In one process. */
static locant_status logits(void *out, double *seconds,
                            struct lct_model_call *c)
{
    struct lct_net_run run = { 0 };
    struct lct_model_memory memory = { 0 };
    const struct lct_net *n = c->n;
    const double from = lct_net_run_now();
    locant_status status;

    if (c->in.B == 0 || c->in.T == 0)
        return LOCANT_OK;
    status = lct_model_run_begin(&run, &memory, n, &c->in, c->in.T);
    if (status == LOCANT_OK) {
        run.seconds = seconds;
        if (seconds != NULL)
            seconds[n->text.n_layers] = lct_net_run_now() - from;
        status = (n->text.patches != NULL ? run_images : run_all)(out, &run, c);
    }
    lct_model_run_end(&run, &memory);
    return status;
}

locant_status locant_model_logits(locant_tensor *out, locant_tensor *seconds,
                                  const locant_model *model,
                                  const locant_model_input *input, int flags)
{
    static const char fn[] = "locant_model_logits";
    struct lct_model_call c = { .fn = fn, .input = input, .flags = flags };

    LCT_TRY(lct_model_share_group(&c.group, fn, input));
    c.status = check_logits(&c, out, seconds, model);
    if (c.group != NULL)
        return lct_model_share_logits(data_of(out), data_of(seconds), &c);
    LCT_TRY(c.status);
    return logits(out->data, data_of(seconds), &c);
}

/* ----------------------------------------------------------------- losses */

/* A model that sees a token before it is asked for it has no loss. */
static locant_status check_causal(const char *fn, const struct lct_net *n)
{
    if (lct_model_input_pair(n))
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: %s is an encoder-decoder, expected a causal "
                           "model",
                           fn, n->config.model_type);
    for (int64_t l = 0; l < n->text.n_layers; l++) {
        const struct lct_layer_plan *p = n->text.layers[l].attention.plan;

        if (p != NULL && p->mask != LCT_CAUSAL)
            return locant_fail(LOCANT_ERR_UNSUPPORTED,
                               "%s: layer %" PRId64 " of %s sees tokens after "
                               "the query, expected a causal model",
                               fn, l, n->config.file);
    }
    return LOCANT_OK;
}

static locant_status check_losses(struct lct_model_call *c,
                                  const locant_tensor *out,
                                  const locant_model *model)
{
    struct lct_model_input *in = &c->in;
    int64_t shape[2];

    LCT_NOT_NULL(c->fn, model);
    c->n = model->net;
    LCT_TRY(check_causal(c->fn, c->n));
    LCT_TRY(lct_net_need_head(c->fn, c->n));
    LCT_TRY(lct_model_input_check(in, c->fn, c->n, c->input, false));
    shape[0] = in->B;
    shape[1] = in->T > 0 ? in->T - 1 : 0;
    return lct_model_input_array(c->fn, "out", out, LOCANT_F64, 2, shape);
}

locant_status locant_model_losses(locant_tensor *out, const locant_model *model,
                                  const locant_model_input *input)
{
    static const char fn[] = "locant_model_losses";
    struct lct_model_call c = { .fn = fn, .input = input };

    LCT_TRY(lct_model_share_group(&c.group, fn, input));
    c.status = check_losses(&c, out, model);
    if (c.group != NULL)
        return lct_model_share_losses(data_of(out), &c);
    LCT_TRY(c.status);
    if (c.in.B == 0 || c.in.T < 2)
        return LOCANT_OK;
    return lct_net_losses(out->data, c.n, &c.in);
}

/* model_probe.c - locant_model_probe: attention and frequencies of a text */
#include "model_share.h"
#include "../files/document.h"
#include "net_probe.h"
#include <inttypes.h>
#include <string.h>

static const char fn[] = "locant_model_probe";

static locant_status check(struct lct_model_input *in,
                           const locant_model *model,
                           const locant_model_input *input, int64_t layer,
                           int64_t head)
{
    const struct lct_net *n = model->net;
    const struct lct_net_stack *s = &n->text;

    if (s->patches != NULL)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: %s reads images, expected a model of texts, "
                           "whose tokens have distances",
                           fn, n->config.model_type);
    if (layer < -1 || layer >= s->n_layers)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: layer is %" PRId64 ", expected 0 .. %" PRId64
                           ", or -1 for all",
                           fn, layer, s->n_layers - 1);
    if (layer >= 0 && s->layers[layer].delta != NULL)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: layer %" PRId64
                           " has linear attention, which has no weights",
                           fn, layer);
    for (int64_t i = 0; i < s->n_layers; i++)
        if ((layer < 0 || layer == i) && s->layers[i].delta == NULL &&
            (head < -1 || head >= s->layers[i].attention.plan->heads))
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: head is %" PRId64 ", expected 0 .. %" PRId64
                               ", or -1 for all",
                               fn, head,
                               s->layers[i].attention.plan->heads - 1);
    LCT_TRY(lct_model_share_refuse(fn, input));
    LCT_TRY(lct_model_input_check(in, fn, n, input, false));
    if (in->B > 0 && in->T > 1)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_SHAPE,
                       "%s: there are [%" PRId64 ", %" PRId64
                       "] ids, expected texts of two tokens or more",
                       fn, in->B, in->T);
}

static locant_status run_steps(struct lct_net_run *r,
                               const struct lct_model_input *in)
{
    for (int64_t t = 0, T; t < in->T; t += T) {
        T = in->T - t < r->most ? in->T - t : r->most;
        const struct lct_net_tokens part = lct_model_input_part(in, t, T);

        LCT_TRY(lct_net_run_step(r, &part));
    }
    return LOCANT_OK;
}

static locant_status measure(struct lct_net_probe *p, const struct lct_net *n,
                             struct lct_model_input *in, int64_t layer)
{
    struct lct_net_run run = { 0 };
    struct lct_model_memory memory = { 0 };
    locant_status status = lct_net_probe_begin(p, &n->text, in->T, layer);

    if (status != LOCANT_OK)
        return status;
    status = lct_model_run_begin(&run, &memory, n, in, in->T);
    if (status == LOCANT_OK) {
        run.watch = &p->watch;
        status = run_steps(&run, in);
    }
    lct_model_run_end(&run, &memory);
    return status;
}

locant_status locant_model_probe(char **out, size_t *size,
                                 const locant_model *model,
                                 const locant_model_input *input, int64_t layer,
                                 int64_t head)
{
    struct lct_model_input in;
    struct lct_net_probe probe = { 0 };
    locant_status status;

    LCT_NOT_NULL(fn, out);
    *out = NULL;
    LCT_NOT_NULL(fn, model);
    LCT_TRY(check(&in, model, input, layer, head));
    status = measure(&probe, model->net, &in, layer);
    if (status == LOCANT_OK) {
        json_t *json = lct_net_probe_json(&probe, in.T, head);

        if (json != NULL) {
            json_object_set_new(json, "model_type",
                                json_string(model->net->config.model_type));
            json_object_set_new(json, "texts", json_integer((json_int_t)in.B));
        }
        status = lct_document_text(out, size, json, JSON_PRESERVE_ORDER, fn);
    }
    lct_net_probe_end(&probe);
    return status;
}

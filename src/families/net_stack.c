/* net_stack.c - the tensors of a stack of layers */
#include "net_stack.h"
#include "net_attention.h"
#include "net_attention_bind.h"
#include "net_convolution.h"
#include "net_cross.h"
#include "net_delta_bind.h"
#include "net_family_keys.h"
#include "net_inputs.h"
#include "net_math.h"
#include "net_mixture.h"
#include "net_mlp.h"
#include "net_patches.h"
#include "net_streams.h"
#include "net_windows.h"
#include <string.h>

/* ----------------------------------------------------------------- layers */

/* What only some families have: experts beside the MLP, an input of the layer,
   a factor of its output, several streams. */
static locant_status bind_others(struct lct_net_layer *l,
                                 struct lct_net_binder *b, int64_t i)
{
    const struct lct_net_place dense = { LCT_AFTER_DENSE, i, -1 };
    const struct lct_net_place before = { LCT_NORM_EXPERTS, i, -1 };
    const struct lct_net_place after = { LCT_AFTER_EXPERTS, i, -1 };
    const struct lct_net_place scalar = { LCT_LAYER_SCALAR, i, -1 };
    const int64_t D = b->n->width;
    const struct lct_weight *w;
    void *number;

    l->beside = b->s.beside;
    if (l->beside) {
        LCT_TRY(lct_net_bind_norm(&l->after_dense, b, dense, D));
        LCT_TRY(lct_net_bind_norm(&l->before_experts, b, before, D));
        LCT_TRY(lct_net_bind_norm(&l->after_experts, b, after, D));
    }
    l->scalar = 1;
    if (lct_net_names_role(&b->prefix, LCT_LAYER_SCALAR) != NULL) {
        LCT_TRY(lct_net_bind_need(&w, b, scalar, ""));
        LCT_TRY(lct_net_bind_vector(&number, b->n, w, 1, 0));
        l->scalar = b->n->math->get(number, 0);
    }
    LCT_TRY(lct_net_inputs_bind_layer(&l->input, b, i));
    return lct_net_streams_bind_layer(&l->streams, b, i);
}

/* Numbers that multiply a branch, [D]. */
static locant_status bind_scale(void **out, struct lct_net_binder *b,
                                enum lct_net_role role, int64_t i)
{
    const struct lct_net_place at = { role, i, -1 };
    const struct lct_weight *w;

    if (lct_net_names_role(&b->prefix, role) == NULL)
        return LOCANT_OK;
    LCT_TRY(lct_net_bind_need(&w, b, at, ""));
    return lct_net_bind_vector(out, b->n, w, b->n->width, 0);
}

static locant_status bind_attention(struct lct_net_layer *l,
                                    struct lct_net_binder *b,
                                    const struct lct_layer_plan *plan,
                                    int64_t i)
{
    if (plan->attention != LCT_LINEAR_ATTENTION)
        return lct_net_attention_bind(&l->attention, b, plan, i);
    l->attention.plan = plan;
    return lct_net_delta_bind(&l->delta, b, i);
}

static locant_status bind_layer(struct lct_net_layer *l,
                                struct lct_net_binder *b,
                                const struct lct_net_stack *s, int64_t i)
{
    const int64_t D = b->n->width;

    l->residual = b->s.residual;
    l->residual_of_norm = b->s.residual_of_norm;
    l->branch_scale = b->s.branch_scale != 0 ? b->s.branch_scale : 1;
    if (i > 0 || !b->s.no_first_norm)
        LCT_TRY(lct_net_bind_norm(
            &l->before_attn, b, (struct lct_net_place){ LCT_NORM_ATTN, i, -1 },
            D));
    LCT_TRY(lct_net_bind_norm(
        &l->after_attn, b, (struct lct_net_place){ LCT_AFTER_ATTN, i, -1 }, D));
    LCT_TRY(lct_net_bind_norm(
        &l->before_mlp, b, (struct lct_net_place){ LCT_NORM_MLP, i, -1 }, D));
    LCT_TRY(lct_net_bind_norm(
        &l->after_mlp, b, (struct lct_net_place){ LCT_AFTER_MLP, i, -1 }, D));
    LCT_TRY(bind_attention(l, b, &s->plan->layers[i], i));
    LCT_TRY(lct_net_cross_bind(l, b, &s->plan->layers[i], i));
    LCT_TRY(bind_scale(&l->attn_scale, b, LCT_ATTN_SCALE, i));
    LCT_TRY(bind_scale(&l->mlp_scale, b, LCT_MLP_SCALE, i));
    LCT_TRY(bind_others(l, b, i));
    if (lct_net_mixture_in(b, i))
        LCT_TRY(lct_net_mixture_bind(&l->experts, b, i));
    return l->experts != NULL && !l->beside ? LOCANT_OK
                                            : lct_net_mlp_bind(&l->mlp, b, i);
}

/* Each stage of windows is twice as wide as that before. */
static locant_status bind_layer_of_stage(struct lct_net_layer *l,
                                         struct lct_net_binder *b,
                                         const struct lct_net_stack *s,
                                         int64_t i)
{
    LCT_TRY(bind_layer(l, b, s, i));
    l->width = b->n->width;
    if (b->s.window == 0)
        return LOCANT_OK;
    LCT_TRY(lct_net_windows_bind(l, s, b, i));
    if (l->merge != NULL)
        b->n->width *= 2;
    return LOCANT_OK;
}

static locant_status bind_layers(struct lct_net_stack *s,
                                 struct lct_net_binder *b)
{
    const int64_t count = s->plan->n_layers;

    s->layers = lct_net_keep(b->n, (size_t)count * sizeof(*s->layers));
    if (s->layers == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_model: no memory");
    s->n_layers = count;
    for (int64_t i = 0; i < count; i++)
        LCT_TRY(bind_layer_of_stage(&s->layers[i], b, s, i));
    return LOCANT_OK;
}

/* ------------------------------------------------------------------ input */

/* What is added to embeddings: a learned table, or sinusoids. */
static locant_status bind_positions(struct lct_net_stack *s,
                                    struct lct_net_binder *b)
{
    const struct lct_net_place at = { LCT_POSITIONS, -1, -1 };
    const struct lct_weight *w;
    locant_param_info info;
    void *table;

    if (s->plan->input == NULL || strcmp(s->plan->input, "none") == 0)
        return LOCANT_OK;
    /* RoBERTa counts rows of the table: padding has one before position 0. */
    LCT_TRY(locant_encoding_create(
        &s->input, s->plan->ids == LCT_IDS_PAD ? "learned" : s->plan->input));
    if (!locant_encoding_param(&info, s->input, 0, NULL))
        return LOCANT_OK;
    LCT_TRY(lct_net_bind_need(&w, b, at, ".weight"));
    LCT_TRY(lct_net_bind_shape(
        b->n, w, 2,
        (int64_t[2]){ info.shape[0] > 0 ? info.shape[0] : -1, b->n->width }));
    LCT_TRY(lct_net_bind_vector(&table, b->n, w, w->shape[0] * w->shape[1], 0));
    s->input_params[0] = locant_dense(table, b->n->dtype, 2, w->shape);
    return LOCANT_OK;
}

/* Vectors of token types. */
static locant_status bind_types(struct lct_net_stack *s,
                                struct lct_net_binder *b)
{
    const struct lct_net_place at = { LCT_TYPES, -1, -1 };
    const struct lct_weight *w;
    int64_t types = -1;

    LCT_TRY(
        lct_net_family_keys_whole(&types, &b->n->config, "type_vocab_size"));
    if (lct_net_names_role(&b->prefix, LCT_TYPES) == NULL ||
        (types <= 0 && !lct_net_bind_has(b, at)))
        return LOCANT_OK;
    LCT_TRY(lct_net_bind_need(&w, b, at, ".weight"));
    LCT_TRY(lct_net_bind_shape(b->n, w, 2, (int64_t[2]){ types, b->n->width }));
    s->n_types = w->shape[0];
    return lct_net_bind_vector(&s->types, b->n, w, s->n_types * b->n->width, 0);
}

/* Coordinates of a position: those of the layer that has most. */
static int axes_of(const struct lct_tower *t)
{
    int axes = 1;

    for (int64_t i = 0; i < t->n_layers; i++)
        if (t->layers[i].encoding != NULL &&
            locant_encoding_axes(t->layers[i].encoding) > axes)
            axes = locant_encoding_axes(t->layers[i].encoding);
    return axes;
}

locant_status lct_net_stack_bind(struct lct_net_stack *s,
                                 struct lct_net_binder *b)
{
    const struct lct_net_place norm = { LCT_EMBED_NORM, -1, -1 };
    const struct lct_net_place last = { LCT_FINAL_NORM, -1, -1 };

    s->axes = axes_of(s->plan);
    if (b->s.images)
        LCT_TRY(lct_net_patches_bind(&s->patches, b));
    else
        LCT_TRY(bind_positions(s, b));
    LCT_TRY(bind_types(s, b));
    LCT_TRY(lct_net_bind_norm(&s->input_norm, b, norm, b->n->width));
    s->memory = b->s.memory;
    s->by_prompt = b->s.by_prompt;
    LCT_TRY(lct_net_convolution_bind(&s->convolution, b));
    LCT_TRY(bind_layers(s, b));
    return b->s.no_final_norm
               ? LOCANT_OK
               : lct_net_bind_norm(&s->final_norm, b, last, b->n->width);
}

void lct_net_stack_end(struct lct_net_stack *s)
{
    locant_encoding_free(s->input);
    for (int64_t i = 0; i < s->n_layers; i++)
        locant_encoding_free(s->layers[i].attention.own);
}

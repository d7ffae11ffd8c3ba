/* net_stack.c - the tensors of a stack of layers */
#include "net_stack.h"
#include "net_attention.h"
#include "net_attention_bind.h"
#include "net_convolution.h"
#include "net_cross.h"
#include "net_delta.h"
#include "net_inputs.h"
#include "net_family_keys.h"
#include "net_math.h"
#include "net_mixture.h"
#include "net_mlp.h"
#include "net_patches_bind.h"
#include "net_streams.h"
#include "net_windows.h"
#include <math.h>
#include <string.h>

/* ----------------------------------------------------------------- layers */

/* What only some families have: experts beside the MLP, an input of the layer,
   a factor of its output, several streams. */
static locant_status bind_others(struct lct_net_layer *l,
                                 struct lct_net_binder *b)
{
    const int64_t D = b->n->width;
    void *scalar = NULL;

    if (b->n->s.beside) {
        LCT_TRY(lct_net_bind_norm(&l->after_dense, b, LCT_AFTER_DENSE, D));
        LCT_TRY(lct_net_bind_norm(&l->before_experts, b, LCT_NORM_EXPERTS, D));
        LCT_TRY(lct_net_bind_norm(&l->after_experts, b, LCT_AFTER_EXPERTS, D));
    }
    LCT_TRY(lct_net_bind_numbers(&scalar, b, LCT_LAYER_SCALAR, "", 1));
    l->scalar = scalar != NULL ? b->n->math->get(scalar, 0) : 1;
    LCT_TRY(lct_net_inputs_bind_layer(&l->input, b));
    return lct_net_streams_bind_layer(&l->streams, b);
}

static locant_status bind_attention(struct lct_net_layer *l,
                                    struct lct_net_binder *b,
                                    const struct lct_layer_plan *plan)
{
    if (plan->attention != LCT_LINEAR_ATTENTION)
        return lct_net_attention_bind(&l->attention, b, plan);
    l->attention.plan = plan;
    return lct_net_delta_bind(&l->delta, b);
}

static locant_status bind_layer(struct lct_net_layer *l,
                                struct lct_net_binder *b,
                                const struct lct_net_stack *s, int64_t i)
{
    const int64_t D = b->n->width;

    if (i > 0 || !b->n->s.no_first_norm)
        LCT_TRY(lct_net_bind_norm(&l->before_attn, b, LCT_NORM_ATTN, D));
    LCT_TRY(lct_net_bind_norm(&l->after_attn, b, LCT_AFTER_ATTN, D));
    LCT_TRY(lct_net_bind_norm(&l->before_mlp, b, LCT_NORM_MLP, D));
    LCT_TRY(lct_net_bind_norm(&l->after_mlp, b, LCT_AFTER_MLP, D));
    LCT_TRY(bind_attention(l, b, &s->plan->layers[i]));
    LCT_TRY(lct_net_cross_bind(l, b, &s->plan->layers[i]));
    LCT_TRY(lct_net_bind_numbers(&l->attn_scale, b, LCT_ATTN_SCALE, "", D));
    LCT_TRY(lct_net_bind_numbers(&l->mlp_scale, b, LCT_MLP_SCALE, "", D));
    LCT_TRY(bind_others(l, b));
    if (lct_net_mixture_in(&b->n->s, i))
        LCT_TRY(lct_net_mixture_bind(&l->experts, b));
    return l->experts != NULL && !b->n->s.beside ? LOCANT_OK
                                                 : lct_net_mlp_bind(&l->mlp, b);
}

static locant_status bind_layers(struct lct_net_stack *s,
                                 struct lct_net_binder *b)
{
    const int64_t count = s->plan->n_layers;

    s->layers = lct_net_keep(b->n, (size_t)count * sizeof(*s->layers));
    LCT_NET_GOT(s->layers);
    s->n_layers = count;
    for (b->layer = 0; b->layer < count; b->layer++) {
        struct lct_net_layer *l = &s->layers[b->layer];

        l->width = b->n->width;
        LCT_TRY(bind_layer(l, b, s, b->layer));
        LCT_TRY(lct_net_windows_bind(l, s, b));
    }
    return LOCANT_OK;
}

/* ------------------------------------------------------------------ input */

/* What is added to embeddings: a learned table, or sinusoids. */
static locant_status bind_positions(struct lct_net_stack *s,
                                    struct lct_net_binder *b)
{
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
    LCT_TRY(lct_net_bind_need(&w, b, LCT_POSITIONS, ".weight"));
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
    const struct lct_weight *w;
    int64_t types = -1;

    LCT_TRY(
        lct_net_family_keys_whole(&types, &b->n->config, "type_vocab_size"));
    if (!lct_net_bind_knows(b, LCT_TYPES) ||
        (types <= 0 && !lct_net_bind_has(b, LCT_TYPES)))
        return LOCANT_OK;
    LCT_TRY(lct_net_bind_need(&w, b, LCT_TYPES, ".weight"));
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
    s->axes = axes_of(s->plan);
    s->input_scale = b->n->s.scaled_embedding       ? sqrt((double)b->n->width)
                     : b->n->s.embedding_scale != 0 ? b->n->s.embedding_scale
                                                    : s->plan->input_scale;
    if (b->n->s.images)
        LCT_TRY(lct_net_patches_bind(&s->patches, b));
    else
        LCT_TRY(bind_positions(s, b));
    LCT_TRY(bind_types(s, b));
    LCT_TRY(lct_net_bind_norm(&s->input_norm, b, LCT_EMBED_NORM, b->n->width));
    LCT_TRY(lct_net_convolution_bind(&s->convolution, b));
    LCT_TRY(bind_layers(s, b));
    return b->n->s.no_final_norm
               ? LOCANT_OK
               : lct_net_bind_norm(&s->final_norm, b, LCT_FINAL_NORM,
                                   b->n->width);
}

void lct_net_stack_end(struct lct_net_stack *s)
{
    locant_encoding_free(s->input);
    for (int64_t i = 0; i < s->n_layers; i++)
        locant_encoding_free(s->layers[i].attention.own);
}

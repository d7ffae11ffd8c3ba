/* net_whole.c - the tensors of a whole model */
#include "net_whole.h"
#include "net_adaptive.h"
#include "net_family_keys.h"
#include "net_gguf.h"
#include "net_head.h"
#include "net_inputs.h"
#include "net_params.h"
#include "net_sight.h"
#include "net_stack.h"
#include "net_streams.h"
#include "net_windows.h"
#include <math.h>

/* ------------------------------------------------------------------ input */

/* Rows of the embeddings that the configuration states; GGUF states none, and
   -1 in params.json of Meta means those of the tokenizer. */
static locant_status find_vocab(int64_t *out, const struct lct_config *c)
{
    static const char key[] = "vocab_size";
    int64_t value;

    if (c->dialect == LCT_DIALECT_GGUF ||
        (lct_config_is_params(c) &&
         lct_config_integer(&value, c->text, key) == LCT_RIGHT && value == -1))
        return LOCANT_OK;
    return lct_net_family_keys_width(out, c, key);
}

static locant_status bind_input(struct lct_net *n, struct lct_net_binder *b)
{
    const struct lct_net_place embed = { LCT_EMBED, -1, -1 };
    const struct lct_net_place in = { LCT_PROJECT_IN, -1, -1 };
    const struct lct_net_place out = { LCT_PROJECT_OUT, -1, -1 };
    const struct lct_weight *w;
    int64_t rows = -1, inner = -1;

    LCT_TRY(lct_net_bind_need(&w, b, embed, ".weight"));
    LCT_TRY(find_vocab(&rows, &n->config));
    LCT_TRY(
        lct_net_family_keys_width(&inner, &n->config, "word_embed_proj_dim"));
    if (inner < 0 && !lct_net_bind_has(b, in))
        inner = n->width;
    LCT_TRY(lct_net_bind_shape(b->n, w, 2, (int64_t[2]){ rows, inner }));
    LCT_TRY(lct_net_bind_blocks(b->n, w, w->shape[1]));
    n->vocab = w->shape[0];
    n->embed = (struct lct_net_matrix){ .weight = w,
                                        .out = w->shape[0],
                                        .in = w->shape[1],
                                        .row = w->shape[1],
                                        .group = w->shape[0],
                                        .step = w->shape[0] };
    if (lct_net_bind_has(b, in)) {
        LCT_TRY(lct_net_bind_linear(&n->text.project_in, b, in, n->width,
                                    n->embed.in, 0, NULL));
        LCT_TRY(lct_net_bind_linear(&n->text.project_out, b, out, n->embed.in,
                                    n->width, 0, NULL));
    }
    n->text.input_scale = b->s.scaled_embedding ? sqrt((double)n->width)
                          : b->s.embedding_scale != 0
                              ? b->s.embedding_scale
                              : n->text.plan->input_scale;
    LCT_TRY(lct_net_inputs_bind(&n->text, b));
    return lct_net_streams_bind(&n->text, b);
}

/* ------------------------------------------------------------------ stacks */

/* The other stack of an encoder-decoder, whose tensors have names of their
   own; 'b' is that of the decoder. */
static locant_status bind_encoder(struct lct_net *n, struct lct_net_binder b)
{
    if (n->encoder.plan == NULL)
        return LOCANT_OK;
    b.prefix.names = n->family->encoder[b.s.variant];
    if (n->config.dialect == LCT_DIALECT_GGUF) {
        b.prefix.roles = b.prefix.names;
        b.prefix.names = lct_net_gguf_names(n->family->model_type, true);
    }
    n->encoder.input_scale = n->encoder.plan->input_scale;
    n->encoder.n_streams = 1;
    return lct_net_stack_bind(&n->encoder, &b);
}

/* The names that the MLP of some layer has in the file; those of the first
   variant if there is none. */
static void choose_names(struct lct_net_binder *b)
{
    const struct lct_net_family *f = b->n->family;

    for (int v = 0; v < 3 && f->names[v] != NULL; v++) {
        b->prefix.names = f->names[v];
        for (int64_t i = 0; i < b->n->text.plan->n_layers; i++)
            if (lct_net_bind_has(b, (struct lct_net_place){ LCT_UP, i, -1 }))
                return;
    }
    b->prefix.names = f->names[b->s.variant];
}

locant_status lct_net_whole_begin(struct lct_net_binder *b, struct lct_net *n)
{
    *b = (struct lct_net_binder){ .n = n };
    LCT_TRY(lct_net_families_switches(&b->s, n->family, &n->config));
    b->prefix.names = n->family->names[b->s.variant];
    if (n->config.dialect == LCT_DIALECT_GGUF)
        lct_net_gguf_switch(b);
    if (lct_config_is_params(&n->config))
        b->prefix.names = &lct_net_params_names;
    return LOCANT_OK;
}

locant_status lct_net_whole_bind(struct lct_net *n, struct lct_net_binder b,
                                 const char *path)
{
    static const char *const keys[] = { "hidden_size", "n_embd", "d_model" };
    int64_t width = -1;
    const struct lct_weight *w;

    n->lacks = true; /* unless the embeddings are there */
    LCT_TRY(lct_net_names_begin(&b.prefix, n->weights, path));
    n->lacks = false;
    if (b.s.named_by_file)
        choose_names(&b);
    LCT_TRY(lct_net_bind_need(
        &w, &b, (struct lct_net_place){ LCT_EMBED, -1, -1 }, ".weight"));
    if (w->rank == 2)
        n->width = w->shape[1];
    for (size_t i = 0; width < 0 && i < sizeof(keys) / sizeof(keys[0]); i++)
        LCT_TRY(lct_net_family_keys_width(&width, &n->config, keys[i]));
    if (width > 0)
        n->width = width;
    LCT_TRY(lct_net_windows_begin(&b));
    n->pool = b.s.pool;
    LCT_TRY(lct_net_adaptive_bind(n, &b));
    if (n->adaptive != NULL) {
        n->text.input_scale = n->text.plan->input_scale;
        n->text.n_streams = 1;
    } else if (b.s.images)
        n->text.input_scale = n->text.n_streams = 1;
    else
        LCT_TRY(bind_input(n, &b));
    LCT_TRY(lct_net_stack_bind(&n->text, &b));
    LCT_TRY(bind_encoder(n, b));
    LCT_TRY(lct_net_head_bind(n, &b));
    return lct_net_sight_bind(n, path);
}

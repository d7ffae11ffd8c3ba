/* net_whole.c - the tensors of a whole model */
#include "net_whole.h"
#include "net_adaptive.h"
#include "net_family_keys.h"
#include "net_gguf.h"
#include "net_inputs.h"
#include "net_matrix.h"
#include "net_patches.h"
#include "net_sight.h"
#include "net_stack.h"
#include "net_streams.h"
#include "net_windows.h"
#include <math.h>
#include <string.h>

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
    int64_t rows = -1, inner = -1;

    LCT_TRY(find_vocab(&rows, &n->config));
    LCT_TRY(
        lct_net_family_keys_width(&inner, &n->config, "word_embed_proj_dim"));
    if (inner < 0 && !lct_net_bind_has(b, LCT_PROJECT_IN))
        inner = n->width;
    LCT_TRY(lct_net_bind_matrix(&n->embed, b, LCT_EMBED, ".weight", 2,
                                (int64_t[2]){ rows, inner }));
    n->vocab = n->embed.out;
    if (lct_net_bind_has(b, LCT_PROJECT_IN)) {
        LCT_TRY(lct_net_bind_linear(&n->text.project_in, b, LCT_PROJECT_IN,
                                    n->width, n->embed.in));
        LCT_TRY(lct_net_bind_linear(&n->text.project_out, b, LCT_PROJECT_OUT,
                                    n->embed.in, n->width));
    }
    LCT_TRY(lct_net_inputs_bind(&n->text, b));
    return lct_net_streams_bind(&n->text, b);
}

/* ------------------------------------------------------------------- head */

/* What masked language models have before the head. */
static locant_status bind_before_head(struct lct_net *n,
                                      struct lct_net_binder *b)
{
    const char *act = b->n->s.head_act != NULL ? b->n->s.head_act : b->n->s.act;

    if (!lct_net_bind_has(b, LCT_HEAD_DENSE))
        return LOCANT_OK;
    LCT_TRY(lct_net_families_act(&n->head_act, act, &n->config));
    LCT_TRY(lct_net_bind_linear(&n->head_dense, b, LCT_HEAD_DENSE, n->embed.in,
                                n->width));
    return lct_net_bind_norm(&n->head_norm, b, LCT_HEAD_NORM, n->embed.in);
}

/* The file of an encoder, or of a decoder that was saved without its head. */
static locant_status leave_head_out(struct lct_net *n,
                                    const struct lct_net_binder *b)
{
    const bool dense = lct_net_bind_knows(b, LCT_HEAD_DENSE);
    const struct lct_weight *w;
    const char *why;

    if (!dense && !lct_net_bind_knows(b, LCT_HEAD))
        return LOCANT_OK;
    (void)lct_net_bind_need(&w, b, dense ? LCT_HEAD_DENSE : LCT_HEAD,
                            ".weight");
    n->lacks = false; /* states are enough */
    why = locant_last_error();
    n->no_head = lct_net_keep(n, strlen(why) + 1);
    LCT_NET_GOT(n->no_head);
    memcpy(n->no_head, why, strlen(why) + 1);
    return LOCANT_OK;
}

/* The matrix of the embeddings, unless the file has another one. */
static locant_status bind_matrix(struct lct_net *n, struct lct_net_binder *b)
{
    n->logit_scale = b->n->s.logit_scale != 0 ? b->n->s.logit_scale : 1;
    if (b->n->s.logits_over_root)
        n->logit_scale /= sqrt((double)n->width);
    if (n->adaptive != NULL)
        return LOCANT_OK;
    LCT_TRY(bind_before_head(n, b));
    if (b->n->s.headless && n->head_dense.w.weight == NULL &&
        !(n->s.pool != LCT_POOL_NONE && lct_net_bind_has(b, LCT_HEAD)))
        return leave_head_out(n, b);
    if (n->s.pool != LCT_POOL_NONE) {
        LCT_TRY(lct_net_bind_linear(&n->head, b, LCT_HEAD, -1,
                                    lct_net_patches_pooled(n)));
        n->vocab = n->head.w.out;
        return LOCANT_OK;
    }
    if (lct_net_bind_has(b, LCT_HEAD))
        return lct_net_bind_linear(&n->head, b, LCT_HEAD, n->vocab,
                                   n->embed.in);
    if (!b->n->s.tied && n->config.dialect != LCT_DIALECT_GGUF)
        return leave_head_out(n, b);
    n->head.w = n->embed;
    return lct_net_matrix_round(n, &n->head.w);
}

/* The head, and a vector added to logits, whose name is that of no matrix. */
static locant_status bind_head(struct lct_net *n, struct lct_net_binder *b)
{
    const struct lct_weight *w;

    LCT_TRY(bind_matrix(n, b));
    if (n->head.w.weight == NULL)
        return LOCANT_OK;
    LCT_TRY(lct_net_bind_find_bias(&w, b, LCT_HEAD_BIAS, ""));
    return w == NULL ? LOCANT_OK
                     : lct_net_bind_vector(&n->head.bias, n, w, n->vocab, 0);
}

/* ------------------------------------------------------------------ stacks */

/* The other stack of an encoder-decoder, whose tensors have names of their
   own; 'b' is that of the decoder. */
static locant_status bind_encoder(struct lct_net *n, struct lct_net_binder b)
{
    if (n->encoder.plan == NULL)
        return LOCANT_OK;
    b.prefix.names = n->family->encoder[n->s.variant];
    if (n->config.dialect == LCT_DIALECT_GGUF) {
        b.prefix.roles = b.prefix.names;
        b.prefix.names = lct_net_gguf_names(n->family->model_type, true);
    }
    return lct_net_stack_bind(&n->encoder, &b);
}

/* The names that the MLP of some layer has in the file; those of the first
   variant if there is none. */
static void choose_names(struct lct_net_binder *b)
{
    const struct lct_net_family *f = b->n->family;

    for (int v = 0; v < 3 && f->names[v] != NULL; v++) {
        b->prefix.names = f->names[v];
        for (b->layer = 0; b->layer < b->n->text.plan->n_layers; b->layer++)
            if (lct_net_bind_has(b, LCT_UP))
                return;
    }
    b->prefix.names = f->names[b->n->s.variant];
}

locant_status lct_net_whole_begin(struct lct_net_binder *b, struct lct_net *n)
{
    *b = (struct lct_net_binder){ .n = n };
    LCT_TRY(lct_net_families_switches(&b->n->s, n->family, &n->config));
    LCT_TRY(lct_net_families_act(&n->act, n->s.act, &n->config));
    b->prefix.names = n->family->names[b->n->s.variant];
    if (n->config.dialect == LCT_DIALECT_GGUF)
        lct_net_gguf_switch(b);
    if (lct_config_is_params(&n->config))
        b->prefix.names = &lct_net_families_params;
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
    if (n->s.named_by_file)
        choose_names(&b);
    LCT_TRY(lct_net_bind_need(&w, &b, LCT_EMBED, ".weight"));
    if (w->rank == 2)
        n->width = w->shape[1];
    for (size_t i = 0; width < 0 && i < sizeof(keys) / sizeof(keys[0]); i++)
        LCT_TRY(lct_net_family_keys_width(&width, &n->config, keys[i]));
    if (width > 0)
        n->width = width;
    LCT_TRY(lct_net_windows_begin(&b));
    LCT_TRY(lct_net_adaptive_bind(n, &b));
    if (n->adaptive == NULL && !n->s.images)
        LCT_TRY(bind_input(n, &b));
    LCT_TRY(lct_net_stack_bind(&n->text, &b));
    LCT_TRY(bind_encoder(n, b));
    LCT_TRY(bind_head(n, &b));
    return lct_net_sight_bind(n, path);
}

/* net_head.c - the maps from the last states of a model to its logits */
#include "net_head.h"
#include "net_matrix.h"
#include "net_patches.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* What masked language models have before the head. */
static locant_status bind_before_head(struct lct_net *n,
                                      struct lct_net_binder *b)
{
    const struct lct_net_place dense = { LCT_HEAD_DENSE, -1, -1 };
    const struct lct_net_place norm = { LCT_HEAD_NORM, -1, -1 };
    const char *act = b->s.head_act != NULL ? b->s.head_act : b->s.act;

    if (!lct_net_bind_has(b, dense))
        return LOCANT_OK;
    LCT_TRY(lct_net_families_act(&n->head_act, act, &n->config));
    LCT_TRY(lct_net_bind_linear(&n->head_dense, b, dense, n->embed.in, n->width,
                                LCT_BIAS_HEAD, NULL));
    return lct_net_bind_norm(&n->head_norm, b, norm, n->embed.in);
}

/* The file of an encoder, or of a decoder that was saved without its head. */
static locant_status leave_head_out(struct lct_net *n,
                                    const struct lct_net_binder *b)
{
    const enum lct_net_role dense = LCT_HEAD_DENSE;
    static const char text[] = "%s: there is no tensor %s";
    char name[LCT_NET_NAME], *kept;
    size_t room;

    if (!lct_net_names_full(
            name, &b->prefix,
            lct_net_names_role(&b->prefix, dense) != NULL ? dense : LCT_HEAD,
            -1, -1, ".weight"))
        return LOCANT_OK;
    room = sizeof(text) + strlen(b->prefix.file) + strlen(name);
    kept = lct_net_keep(n, room);
    if (kept == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_model: no memory");
    snprintf(kept, room, text, b->prefix.file, name);
    n->no_head = kept;
    return LOCANT_OK;
}

/* The matrix of the embeddings, unless the file has another one. */
static locant_status bind_matrix(struct lct_net *n, struct lct_net_binder *b)
{
    const struct lct_net_place at = { LCT_HEAD, -1, -1 };

    n->logit_scale = b->s.logit_scale != 0 ? b->s.logit_scale : 1;
    if (b->s.logits_over_root)
        n->logit_scale /= sqrt((double)n->width);
    n->logit_cap = b->s.logit_cap;
    if (n->adaptive != NULL)
        return LOCANT_OK;
    LCT_TRY(bind_before_head(n, b));
    if (b->s.headless && n->head_dense.w.weight == NULL &&
        !(n->pool != LCT_POOL_NONE && lct_net_bind_has(b, at)))
        return leave_head_out(n, b);
    if (n->pool != LCT_POOL_NONE) {
        LCT_TRY(lct_net_bind_linear(&n->head, b, at, -1,
                                    lct_net_patches_pooled(n), LCT_BIAS_HEAD,
                                    NULL));
        n->vocab = n->head.w.out;
        return LOCANT_OK;
    }
    if (lct_net_bind_has(b, at))
        return lct_net_bind_linear(&n->head, b, at, n->vocab, n->embed.in,
                                   LCT_BIAS_HEAD, NULL);
    if (!b->s.tied && n->config.dialect != LCT_DIALECT_GGUF)
        return leave_head_out(n, b);
    n->head.w = n->embed;
    return n->round_weights ? lct_net_matrix_round(n, &n->head.w) : LOCANT_OK;
}

/* A vector added to logits, whose name is not that of the matrix. */
static locant_status bind_bias(struct lct_net *n, struct lct_net_binder *b)
{
    const struct lct_net_place at = { LCT_HEAD_BIAS, -1, -1 };
    const struct lct_weight *w = lct_net_bind_find(b, at, "");

    if (n->head.w.weight == NULL)
        return LOCANT_OK;
    if (w == NULL && (b->s.biases & LCT_BIAS_LOGITS) != 0)
        LCT_TRY(lct_net_bind_need(&w, b, at, ""));
    if (w == NULL)
        return LOCANT_OK;
    return lct_net_bind_vector(&n->head.bias, n, w, n->vocab, 0);
}

locant_status lct_net_head_bind(struct lct_net *n, struct lct_net_binder *b)
{
    LCT_TRY(bind_matrix(n, b));
    return bind_bias(n, b);
}

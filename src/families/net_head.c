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
    const char *act = b->s.head_act != NULL ? b->s.head_act : b->s.act;

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
    LCT_NET_GOT(kept);
    snprintf(kept, room, text, b->prefix.file, name);
    n->no_head = kept;
    return LOCANT_OK;
}

/* The matrix of the embeddings, unless the file has another one. */
static locant_status bind_matrix(struct lct_net *n, struct lct_net_binder *b)
{

    n->logit_scale = b->s.logit_scale != 0 ? b->s.logit_scale : 1;
    if (b->s.logits_over_root)
        n->logit_scale /= sqrt((double)n->width);
    n->logit_cap = b->s.logit_cap;
    if (n->adaptive != NULL)
        return LOCANT_OK;
    LCT_TRY(bind_before_head(n, b));
    if (b->s.headless && n->head_dense.w.weight == NULL &&
        !(n->pool != LCT_POOL_NONE && lct_net_bind_has(b, LCT_HEAD)))
        return leave_head_out(n, b);
    if (n->pool != LCT_POOL_NONE) {
        LCT_TRY(lct_net_bind_linear(&n->head, b, LCT_HEAD, -1,
                                    lct_net_patches_pooled(n)));
        n->vocab = n->head.w.out;
        return LOCANT_OK;
    }
    if (lct_net_bind_has(b, LCT_HEAD))
        return lct_net_bind_linear(&n->head, b, LCT_HEAD, n->vocab,
                                   n->embed.in);
    if (!b->s.tied && n->config.dialect != LCT_DIALECT_GGUF)
        return leave_head_out(n, b);
    n->head.w = n->embed;
    return lct_net_matrix_round(n, &n->head.w);
}

/* A vector added to logits, whose name is not that of the matrix. */
static locant_status bind_bias(struct lct_net *n, struct lct_net_binder *b)
{
    const struct lct_weight *w = lct_net_bind_find(b, LCT_HEAD_BIAS, "");

    if (w == NULL || n->head.w.weight == NULL)
        return LOCANT_OK;
    return lct_net_bind_vector(&n->head.bias, n, w, n->vocab, 0);
}

locant_status lct_net_head_bind(struct lct_net *n, struct lct_net_binder *b)
{
    LCT_TRY(bind_matrix(n, b));
    return bind_bias(n, b);
}

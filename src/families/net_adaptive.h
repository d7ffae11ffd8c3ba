/* net_adaptive.h - embeddings and logits by frequency of the tokens
   (Transformer-XL) */
#ifndef LCT_NET_ADAPTIVE_H
#define LCT_NET_ADAPTIVE_H
#include "net_bind.h"
#include "net_linear.h"

/*
 * Tokens cutoff[i] .. cutoff[i + 1] - 1 are cluster i, whose embeddings have a
 * width of their own and a map to that of the model.
 *
 * Source: Baevski and Auli 2019, arXiv:1809.10853v3, section 3; Grave et al.
 * 2017, arXiv:1609.04309v3.
 */
enum { LCT_NET_CLUSTERS = 16 };
struct lct_net_adaptive {
    int n;
    int64_t cutoff[LCT_NET_CLUSTERS + 1];
    struct lct_net_matrix embed[LCT_NET_CLUSTERS]; /* [tokens, width] */
    struct lct_net_linear in[LCT_NET_CLUSTERS];    /* [D, width]; or absent */
    struct lct_net_linear head[LCT_NET_CLUSTERS];  /* [tokens, width] */
    struct lct_net_linear out[LCT_NET_CLUSTERS];   /* [width, D]; or absent */
    struct lct_net_linear clusters;                /* [n - 1, width 0] */
};

/* n->adaptive; nothing for other families.  Errors: FORMAT, NOMEM. */
locant_status lct_net_adaptive_bind(struct lct_net *n,
                                    struct lct_net_binder *b);

/* Numbers of scratch for a row. */
int64_t lct_net_adaptive_scratch(const struct lct_net *n);

/* x [D] = the embedding of a token */
void lct_net_adaptive_embed(void *x, int64_t id, void *scratch,
                            struct lct_net_room *room);

/* out [rows, vocab] = log-probabilities from states x [rows, D] */
void lct_net_adaptive_head(void *out, const void *x, int64_t rows,
                           void *scratch, struct lct_net_room *room);
#endif

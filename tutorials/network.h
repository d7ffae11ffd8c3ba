/* network.h - attention and the plain layers around it, in double. */
#ifndef LOCANT_TUTORIALS_NETWORK_H
#define LOCANT_TUTORIALS_NETWORK_H

#include "locant.h"

/*
 * The output of attention, [B, H, T, D], for q, k and v of doubles.  scale 0
 * means D^(-1/2), and struct_size may be left 0.
 */
locant_tensor attend(locant_attention a);
/* The weights and scores of attention, [B, H, T, S]; a score is -infinity where
   the weight is 0.  v is not used. */
locant_tensor weights(locant_attention a);
locant_tensor scores(locant_attention a);
/*
 * Attention by loops, to compare the library with: out += softmax(q k^T /
 * sqrt(D)) v, all [B, H, T, D], without positions or mask.
 */
void attend_by_loops(locant_tensor out, locant_tensor q, locant_tensor k,
                     locant_tensor v);
/* Its second half: out += w v, w [B, H, T, T]. */
void mix_by_loops(locant_tensor out, locant_tensor v, locant_tensor w);

/* y = x W + b */
struct linear {
    int64_t in, out;
    double *w, *b; /* W [in, out]; b [out], or NULL: none */
};

enum has_bias { NO_BIAS, WITH_BIAS };

/* W and b uniform in +-in^(-1/2), like a new nn.Linear. */
struct linear linear_new(locant_random *r, int64_t in, int64_t out,
                         enum has_bias has_bias);
/* Number of weights and biases. */
int64_t linear_size(const struct linear *l);
/* Applies l to the last axis of x, on the library's threads. */
locant_tensor linear(const struct linear *l, locant_tensor x);
/* (x - mean) / sqrt(variance + 1e-5) for each row of x. */
locant_tensor layer_norm(locant_tensor x);

/* x [B, T, H * D] as [B, H, T, D]: a view, not a copy. */
locant_tensor as_heads(locant_tensor x, int64_t heads);

/* Multi-head attention: W_q, W_k, W_v, W_o around the library's attention. */
struct mha {
    int64_t width, heads;
    struct linear q, k, v, o;
    const char *encoding; /* its spec; NULL: none */
    locant_mask mask;
};

struct mha mha_new(locant_random *r, int64_t width, int64_t heads,
                   enum has_bias has_bias);
/* Number of weights and biases. */
int64_t mha_size(const struct mha *m);
/* Queries from x [B, T, width], keys and values from 'memory' [B, S, width]. */
locant_tensor mha_from(const struct mha *m, locant_tensor x,
                       locant_tensor memory);
/* Self-attention: queries, keys and values from x. */
locant_tensor mha(const struct mha *m, locant_tensor x);
/* Its weights, [B, heads, T, T]. */
locant_tensor mha_weights(const struct mha *m, locant_tensor x);

enum block_kind { ENCODER, DECODER };

/* One Transformer layer: attention, cross-attention in a decoder,
   feed-forward. */
struct block {
    int pre_norm; /* x + f(norm x); else norm(x + f(x)) */
    enum block_kind kind;
    struct mha self, cross;
    struct linear up, down;
};

/* 'ff' is the inner width of the feed-forward part.  'kind' does not set the
   mask. */
struct block block_new(locant_random *r, int64_t width, int64_t heads,
                       int64_t ff, enum block_kind kind);
/* x [B, T, width]; 'memory' [B, S, width] is what a decoder attends to. */
locant_tensor block_run(const struct block *b, locant_tensor x,
                        const locant_tensor *memory);
/* Number of weights and biases, with two per channel for each norm. */
int64_t block_size(const struct block *b);

#endif /* LOCANT_TUTORIALS_NETWORK_H */

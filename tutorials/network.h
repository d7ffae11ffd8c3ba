/* network.h - attention and the plain layers around it, in double. */
#ifndef LOCANT_TUTORIALS_NETWORK_H
#define LOCANT_TUTORIALS_NETWORK_H

#include "locant.h"

/*
 * Solves an attention problem; returns the output [B, H, T, D]. q, k and v are
 * double.  scale 0 means D^(-1/2), and struct_size may be left 0.
 */
locant_tensor attend(locant_attention a);
/* Its weights and its scores (-infinity at weight 0), [B, H, T, S]. */
locant_tensor weights(locant_attention a);
locant_tensor scores(locant_attention a);
/*
 * Attention by loops, to compare the library with: out += softmax(q k^T /
 * sqrt(D)) v, all [B, H, T, D], without positions or mask.
 */
void attend_by_loops(locant_tensor out, locant_tensor q, locant_tensor k,
                     locant_tensor v);
/* The second half of that: out += w v, w [B, H, T, T]. */
void mix_by_loops(locant_tensor out, locant_tensor v, locant_tensor w);

/* y = x W + b, W [in, out] */
struct linear {
    int64_t in, out;
    double *w, *b; /* b NULL: none */
};

/* W and b uniform in +-in^(-1/2), like a new nn.Linear. */
struct linear linear_new(locant_random *r, int64_t in, int64_t out,
                         int has_bias);
/* Number of weights and biases. */
int64_t linear_size(const struct linear *l);
/* Applies l to the last axis of x, on the library's threads. */
locant_tensor linear(const struct linear *l, locant_tensor x);
/* (x - mean) / sqrt(variance + 1e-5) of each row */
locant_tensor layer_norm(locant_tensor x);

/* x [B, T, H * D] as [B, H, T, D]: a view, not a copy. */
locant_tensor as_heads(locant_tensor x, int64_t heads);

/* Multi-head attention: W_q, W_k, W_v, W_o around the library's attention. */
struct mha {
    int64_t width, heads;
    struct linear q, k, v, o;
    const char *encoding; /* NULL: none */
    locant_mask mask;
};

struct mha mha_new(locant_random *r, int64_t width, int64_t heads,
                   int has_bias);
int64_t mha_size(const struct mha *m);
/* Queries from x [B, T, width], keys and values from 'memory' [B, S, width]. */
locant_tensor mha_from(const struct mha *m, locant_tensor x,
                       locant_tensor memory);
/* Self-attention: queries, keys and values from x. */
locant_tensor mha(const struct mha *m, locant_tensor x);
locant_tensor mha_weights(const struct mha *m, locant_tensor x);

/* One Transformer layer: attention, perhaps cross-attention, feed-forward. */
struct block {
    int pre_norm; /* x + f(norm x); else norm(x + f(x)) */
    int crosses;
    struct mha self, cross;
    struct linear up, down;
};

struct block block_new(locant_random *r, int64_t width, int64_t heads,
                       int64_t ff, int crosses);
/* x [B, T, width]; 'memory' is NULL unless the block has cross-attention. */
locant_tensor block_run(const struct block *b, locant_tensor x,
                        const locant_tensor *memory);
/* Number of weights and biases, with two per channel for each norm. */
int64_t block_size(const struct block *b);

#endif /* LOCANT_TUTORIALS_NETWORK_H */

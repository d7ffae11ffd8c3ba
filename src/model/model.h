/*
 * model.h - one generic Transformer: parameters, forward, backward.
 *
 * Pre-norm causal decoder over a small vocabulary:
 *
 *     x = E[token] (+ P[pos] through the input door)
 *     per layer: x += attention(norm(x)) Wo;  x += gelu(norm(x) W1) W2
 *     logits = norm(x) Wout
 *
 * With memory each layer keeps its latest inputs, and the queries of a segment
 * attend to keys and values of memory and segment (Dai et al. 2019,
 * arXiv:1901.02860v3, section 3.2):
 *
 *     z = norm([memory, x]);  attention(q = norm(x) Wq, k = z Wk, v = z Wv)
 *
 * Flat allocations: parameters, gradients, packed weights, activations.
 * Nothing is allocated inside a step.
 */
#ifndef LCT_MODEL_H
#define LCT_MODEL_H
#include "../nn/norm.h"
#include "../nn/real.h"
#include "locant/encoding.h"
#include <stdbool.h>

struct lct_model_config {
    int64_t layers, width, heads, kv_heads, ff, vocab;
    enum lct_norm norm;
    int64_t memory;                  /* tokens each layer remembers */
    const locant_encoding *encoding; /* outlives the model; resolved */
};

/* One parameter tensor in the flat allocation. */
struct lct_model_tensor {
    char name[96]; /* "layer0.wq", "encoding.table", .. */
    int rank;
    int64_t shape[4];
    size_t offset, size; /* in elements */
    bool decay;          /* weight decay: for matrices except embeddings */
    int encoding_param;  /* index of the encoding's parameter, or -1 */
    int layer;           /* layer of an encoding parameter, or -1 */
    double rate;         /* learning rate relative to the run's */
};

struct lct_model;

/*
 * Allocate for at most batch x length tokens, in any shape with that product
 * and a length of at most 'length'; with memory, at most 'batch' rows.  Without
 * 'train' there are no gradients, and all layers share their activations.
 */
locant_status lct_model_create(struct lct_model **out,
                               const struct lct_model_config *config,
                               int64_t batch, int64_t length, bool train);
void lct_model_free(struct lct_model *m);

/*
 * Initial values: shared tensors from 'seed', the encoding's parameters from
 * another stream, so that models that differ only in encoding start from the
 * same shared weights.  N(0, 1/width), projections into the residual stream
 * times 1/sqrt(2 layers), norms 1.  The usual deviation of 0.02 is width^(-1/2)
 * for models some forty times wider; at width 64, fixed positions would become
 * negligible beside tokens after a few steps of Adam.  A learned input table
 * starts at the RMS of the token embedding.
 */
locant_status lct_model_init(struct lct_model *m, uint64_t seed);

const struct lct_model_config *lct_model_config_of(const struct lct_model *m);
size_t lct_model_size(const struct lct_model *m); /* parameters, elements */
real *lct_model_params(struct lct_model *m);      /* [size] */
real *lct_model_grads(struct lct_model *m);       /* [size]; train only */
int lct_model_tensors(const struct lct_model *m,
                      const struct lct_model_tensor **out);

/* Bytes of all allocations. */
size_t lct_model_bytes(const struct lct_model *m);

/*
 * For encodings that draw positions at random (randomized, pose, cape): the
 * next pass draws from this seed, as in training.  Other passes use the
 * positions of evaluation.
 */
void lct_model_draw(struct lct_model *m, uint64_t seed);

/*
 * With memory: a pass continues the rows of the last pass.  Positions of keys
 * are 0, 1, .. from the first remembered token; query i has position tokens +
 * i.  Memory is constant for backward: gradients flow to the weights of keys
 * and values, norms and the encoding's parameters, but not into the memory.  A
 * pass that fails clears the memory.
 */
struct lct_memory {
    int64_t rows, tokens; /* [rows, tokens, width] for each layer */
};
void lct_model_forget(struct lct_model *m);
struct lct_memory lct_model_memory(const struct lct_model *m);
real *lct_model_remembered(struct lct_model *m, int64_t layer);
/*
 * Set the size of the memory after writing to lct_model_remembered().
 * Errors: PARAM (larger than allocated).
 */
locant_status lct_model_remind(struct lct_model *m, struct lct_memory size);

/*
 * tokens [B, T] in 0 .. vocab-1; targets [B, T] (next tokens) too, or -1 at
 * positions that are not scored: their loss is 0 and has no gradient.
 * loss   [B, T]   written unless NULL: -ln p(target), natural logarithm
 * mean   written unless NULL: mean of the scored losses, summed in double; 0
 *        if there are none
 */
locant_status lct_model_forward(struct lct_model *m, const int32_t *tokens,
                                const int32_t *targets, int64_t B, int64_t T,
                                real *loss, double *mean);

/* Add d mean / d parameter of the last forward to the gradients. */
locant_status lct_model_backward(struct lct_model *m);

/*
 * hit [B, T] of the last forward: 1 where the target has the largest logit (of
 * equal logits, the lowest id); else 0, also if the target is not scored or a
 * logit is NAN.
 * Errors: PARAM (no forward, or a backward has overwritten its logits).
 */
locant_status lct_model_hits(const struct lct_model *m, uint8_t *hit);

/*
 * out [B, T, width] = d mean / d input of the first layer in the last backward.
 * The input is the token's embedding plus the table of the input door.
 * Errors: PARAM (the last pass was not a backward).
 */
locant_status lct_model_input_gradient(const struct lct_model *m, real *out);

/*
 * The state of a layer after its forward: B rows of T tokens and S keys, which
 * include remembered tokens.  Valid during the call.
 */
struct lct_layer_seen {
    int64_t layer, B, T, S;
    const real *x;   /* [B, T, width] the residual stream after the layer */
    const real *q;   /* [B, T, heads, head_dim] before any rotation */
    const real *k;   /* [B, S, kv_heads, head_dim] before any rotation */
    const real *o;   /* [B, T, heads, head_dim] attention's output, before Wo */
    const real *lse; /* [B, heads, T] ln of the sum of exponentials of scores */
    const real *input; /* [B, T, width] the residual stream before the layer, of
                          models without memory */
};
typedef void (*lct_layer_watcher)(const struct lct_layer_seen *seen,
                                  void *context);

/* Call 'watch' after each layer of every forward from now on; NULL: stop. */
void lct_model_watch(struct lct_model *m, lct_layer_watcher watch,
                     void *context);

/*
 * weight [heads, n, S] = attention weights of a layer for queries t[0 .. n-1],
 * each in 0 .. T - 1.  Call it within 'watch' for that layer; B must be 1.
 * Takes at most S / head_dim + 1 attention passes of n queries.
 * Errors: SHAPE (B), PARAM (t), NOMEM.
 */
locant_status lct_model_attention_rows(const struct lct_model *m, int64_t layer,
                                       const int64_t *t, int64_t n,
                                       real *weight);

/* Move the encoding's parameters into range, after a step of the optimiser. */
void lct_model_project(struct lct_model *m);
#endif

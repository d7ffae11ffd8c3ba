/*
 * model.h - a Transformer with any encoding: parameters, forward, backward.
 *
 * It is a pre-norm causal decoder over a small vocabulary:
 *
 *     x = E[token] (+ P[pos] if the encoding has an input door)
 *     per layer: x += attention(norm(x)) Wo;  x += gelu(norm(x) W1) W2
 *     logits = norm(x) Wout
 *
 * With memory each layer keeps its latest inputs, and the queries of a segment
 * attend to keys and values of memory and segment (Dai et al. 2019,
 * arXiv:1901.02860v3, section 3.2):
 *
 *     z = norm([memory, x]);  attention(q = norm(x) Wq, k = z Wk, v = z Wv)
 *
 * Parameters, gradients, packed weights and activations have one allocation
 * each.  Nothing is allocated inside a step.
 */
#ifndef LCT_MODEL_H
#define LCT_MODEL_H
#include "../nn/norm.h"
#include "../nn/real.h"
#include "locant/encoding.h"
#include "locant/group.h"
#include <stdbool.h>

/*
 * Leaves of a batch: equal parts of its rows, in order.  A pass has the rows of
 * leaves first .. last - 1 of 'all', a power of two up to LCT_TREE_LEAVES; 0:
 * none.  See lct_model_backward().
 *
 * If of_row > 1, each row of the batch has so many leaves instead, a power of
 * two: equal parts of its tokens, each a multiple of LCT_LEAF_TOKENS.  Leaf j
 * of a row is lct_leaf_chunk() of its chunks.  Every pass of the model then has
 * B = last - first rows, its leaves in order, of T = length / of_row tokens,
 * and the queries of a leaf attend to the whole row.
 */
struct lct_leaves {
    int64_t all, first, last;
    int64_t of_row;            /* 0 or 1: a leaf has whole rows */
    const locant_group *group; /* read if of_row > 1: rank r of P has leaves
                                  [all r/P, all (r+1)/P); NULL: one process has
                                  all */
};

/* Tokens of a leaf are whole tiles of queries of locant_attention. */
enum { LCT_LEAF_TOKENS = 64 };

/*
 * The chunk, of n equal ones of a row, that leaf j of the row has.  Leaves 2i
 * and 2i + 1 are chunks i and n - 1 - i: together they have as much of causal
 * attention as any other such two.
 */
static inline int64_t lct_leaf_chunk(int64_t j, int64_t n)
{
    return j % 2 == 0 ? j / 2 : n - 1 - j / 2;
}

struct lct_model_config {
    int64_t layers, width, heads, kv_heads, ff, vocab;
    enum lct_norm norm;
    int64_t memory;           /* most tokens that a layer remembers */
    struct lct_leaves leaves; /* read with 'train', or of_row > 1 */
    bool in_blocks; /* with of_row > 1: gather a row's tokens chunk by chunk,
                       each a multiple of 1024 tokens; the encoding takes keys
                       in parts (locant_attention_part), and attention learns no
                       parameters */
    const locant_encoding *encoding; /* outlives the model; resolved */
};

/* One parameter tensor in the flat allocation. */
struct lct_model_tensor {
    char name[96]; /* "layer0.wq", "encoding.table", .. */
    int rank;
    int64_t shape[4];
    size_t offset, size; /* in elements */
    bool decay;          /* weight decay: for matrices except embeddings */
    bool hidden;         /* a matrix of attention or of the feed-forward */
    int encoding_param;  /* index of the encoding's parameter, or -1 */
    int layer;           /* layer of an encoding parameter, or -1 */
    double rate;         /* learning rate relative to the run's */
};

struct lct_model;

/*
 * Create a model without values for passes of B rows of T tokens, where B T <=
 * batch * length and T <= length; with memory also B <= batch.  Without 'train'
 * there are no gradients, and all layers share their activations.  If rows have
 * several leaves, 'batch' is the leaves of a pass, and 'length' the tokens of a
 * row.
 */
locant_status lct_model_create(struct lct_model **out,
                               const struct lct_model_config *config,
                               int64_t batch, int64_t length, bool train);
void lct_model_free(struct lct_model *m);

/*
 * Draw the initial values from 'seed'.  The encoding's parameters have random
 * streams of their own, so models that differ only in encoding start from the
 * same other weights.  Matrices are N(0, 1/width), those that write to the
 * residual stream divided by sqrt(2 layers); norms are 1.  A learned input
 * table starts at the RMS of token embeddings.
 *
 * The usual deviation of 0.02 is width^(-1/2) for models some forty times
 * wider; at width 64, fixed positions would become negligible beside tokens
 * after a few steps of Adam.
 */
locant_status lct_model_init(struct lct_model *m, uint64_t seed);

const struct lct_model_config *lct_model_config_of(const struct lct_model *m);
size_t lct_model_size(const struct lct_model *m); /* parameters, elements */
real *lct_model_params(struct lct_model *m);      /* [size] */
real *lct_model_grads(struct lct_model *m); /* [subtrees, size]; train only */
int lct_model_tensors(const struct lct_model *m,
                      const struct lct_model_tensor **out);

/* Bytes of all allocations, with scratch of one thread. */
size_t lct_model_bytes(const struct lct_model *m);

/*
 * Let the next forward draw its positions from 'seed', as in training, if the
 * encoding draws positions (randomized, pose, cape).  Other passes use the
 * positions of evaluation.
 */
void lct_model_draw(struct lct_model *m, uint64_t seed);

/*
 * With memory, row b of a pass continues row b of the last pass.  Keys have the
 * positions 0, 1, .. from the first remembered token; query i has the position
 * 'tokens' + i.  For backward the memory is constant: gradients flow to the
 * weights of keys and values, norms and the encoding's parameters, but not into
 * the memory.  A forward that fails clears the memory.
 */
struct lct_memory_size {
    int64_t rows, tokens; /* the memory of a layer is [rows, tokens, width] */
};
void lct_model_clear_memory(struct lct_model *m);
struct lct_memory_size lct_model_memory_size(const struct lct_model *m);
real *lct_model_layer_memory(struct lct_model *m, int64_t layer);
/*
 * Set the size of the memory; its values are those written to
 * lct_model_layer_memory() of each layer.
 * Errors: PARAM (larger than allocated).
 */
locant_status lct_model_set_memory_size(struct lct_model *m,
                                        struct lct_memory_size size);

/*
 * tokens  [B, T] in 0 .. vocab - 1
 * targets [B, T] the next tokens, or -1 where nothing is scored: the loss is 0
 *         and has no gradient
 * loss    [B, T] written unless NULL: -ln p(target)
 * mean    written unless NULL: mean of the scored losses, summed in double; 0
 *         if there are none.  With leaves the sum is one of sums: those of the
 *         leaves, in order
 */
locant_status lct_model_forward(struct lct_model *m, const int32_t *tokens,
                                const int32_t *targets, int64_t B, int64_t T,
                                real *loss, double *mean);

/*
 * Add the derivatives of the last forward's mean loss to the gradients.
 *
 * With leaves the gradients are those of the passes of each leaf's rows alone,
 * added by the tree of core/tree.h: one array for each subtree that the leaves
 * of the pass fill, in order.  They are one subtree if they are all leaves.
 * Errors: PARAM (no forward since the last backward; leaves that do not divide
 * the rows of the pass).
 */
locant_status lct_model_backward(struct lct_model *m);

/*
 * If rows have several leaves, ranks that share a row exchange keys and values
 * in every layer.  A rank whose pass has failed without a failed exchange calls
 * this, so that no other rank waits for it: it does the exchanges of the pass
 * that are left.
 * Errors: those of the group.
 */
locant_status lct_model_end_exchanges(struct lct_model *m);

/* The subtrees of the leaves of a pass; 1 without leaves. */
int lct_model_subtrees(const struct lct_model *m);

/* The targets that are not -1. */
int64_t lct_model_count_scored(const int32_t *targets, size_t n);

/*
 * If a pass has some of the leaves of a batch only: divide the losses of later
 * passes by 'scored', the scored targets of the whole batch; 0: by those of the
 * pass.
 */
void lct_model_set_scored(struct lct_model *m, int64_t scored);

/*
 * hit [B, T] of the last forward: 1 where the target has the largest logit (of
 * equal logits, the lowest id); else 0, also if the target is not scored or a
 * logit is NAN.
 * Errors: PARAM (no forward, or a backward has overwritten its logits).
 */
locant_status lct_model_hits(const struct lct_model *m, uint8_t *hit);

/*
 * out [B, T, width] = gradient of the mean loss with respect to the input of
 * the first layer: token embeddings plus the input table.
 * Errors: PARAM (the last pass was not a backward).
 */
locant_status lct_model_input_gradient(const struct lct_model *m, real *out);

/*
 * The state of a layer after its forward: B rows of T tokens and S keys, which
 * include remembered tokens.  Valid during the call.
 */
struct lct_layer_state {
    int64_t layer, B, T, S;
    const real *x;   /* [B, T, width] the residual stream after the layer */
    const real *q;   /* [B, T, heads, head_dim] before any rotation */
    const real *k;   /* [B, S, kv_heads, head_dim] before any rotation */
    const real *o;   /* [B, T, heads, head_dim] attention's output, before Wo */
    const real *lse; /* [B, heads, T] ln of the sum of exponentials of scores */
    const real *input; /* [B, T, width] the residual stream before the layer, of
                          models without memory */
};
typedef void (*lct_layer_watcher)(const struct lct_layer_state *seen,
                                  void *context);

/* Call 'watch' after each layer of every later forward; NULL ends that.  Not
   for models whose rows have several leaves. */
void lct_model_watch(struct lct_model *m, lct_layer_watcher watch,
                     void *context);

/*
 * weight [heads, n, S] = attention weights of a layer for the n >= 1 queries
 * t [n], each in 0 .. T - 1.  Call it within 'watch' for that layer; B must be
 * 1.  Takes at most S / head_dim + 2 attention passes of n queries.
 * Errors: SHAPE (B, n), PARAM (t), NOMEM.
 */
locant_status lct_model_attention_rows(const struct lct_model *m, int64_t layer,
                                       const int64_t *t, int64_t n,
                                       real *weight);

/* Move the encoding's parameters into their ranges after an optimiser step. */
void lct_model_project(struct lct_model *m);
#endif

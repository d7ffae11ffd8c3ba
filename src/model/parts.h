/* parts.h - declarations shared by the files of src/model */
#ifndef LCT_MODEL_PARTS_H
#define LCT_MODEL_PARTS_H
#include "../core/error.h"
#include "../core/tree.h"
#include "../nn/nn.h"
#include "locant/attention.h"
#include "model.h"
#include "sequence.h"

/* Parameter tensors of a layer, in the order of the flat allocation. */
/* clang-format off */
enum lct_layer_tensor {
    LCT_NORM1, LCT_WQ, LCT_WK, LCT_WV, LCT_WO, LCT_NORM2, LCT_W1, LCT_W2,
    LCT_LAYER_TENSORS
};
/* clang-format on */

/*
 * Activations of one layer: N = B * T rows of the segment, F = B * S rows of
 * memory and segment together.  Without 'train' all layers share one set, and
 * 'out' is 'x'.
 */
struct lct_layer {
    real *x;      /* [N, width] input: the residual stream */
    real *memory; /* [memory rows, memory tokens, width] remembered inputs */
    real *joined; /* [F, width] memory, then x, of each row of the batch; x
                     without memory */
    real *stat1;  /* [F, 2] mean and 1/deviation */
    real *joined_norm; /* [F, width] norm of joined; norm1 without memory */
    real *norm1;       /* [N, width] the rows of x in joined_norm */
    real *q, *o;       /* [N, heads, head_dim] */
    real *k, *v;       /* [F, kv_heads, head_dim] */
    real *lse;   /* [B, heads, T] ln of the sum of exponentials of scores */
    real *mid;   /* [N, width] x + attention */
    real *stat2; /* [N, 2] */
    real *norm2; /* [N, width] */
    real *h, *g; /* [N, ff] before and after GELU */
    real *out;   /* [N, width] mid + feed-forward */
};

/* Gradients of activations, one set for all layers. */
struct lct_activation_gradients {
    real *x;             /* [N, width] of the residual stream */
    real *mid;           /* [N, width] of mid */
    real *next;          /* [N, width] of the layer's input */
    real *joined;        /* [F, width] of joined; NULL without memory */
    real *branch;        /* [N, width] of a norm's output, or of attention's */
    real *joined_branch; /* [F, width] of joined_norm; branch without memory */
    real *q, *k, *v;     /* shaped as in struct lct_layer */
    real *h;             /* [N, ff] */
    real *table;         /* [table_room, width] of the input table */
    real *read; /* [F, width] of joined_norm, through an encoding that reads
                    it; else NULL */
};

struct lct_model {
    struct lct_model_config config;
    int64_t rows;   /* most tokens of a pass: the largest N */
    int64_t length; /* longest sequence */
    int64_t batch;  /* most rows of memory */
    int64_t room;   /* most tokens of memory and segments: the largest F */
    int64_t head_dim, kv_width;
    bool train;

    struct lct_model_tensor *tensors;
    int tensor_count;
    int encoding_first; /* first tensor of the encoding; no others follow */
    int encoding_count; /* parameters of the encoding */
    locant_tensor *encoding_params; /* [layers, encoding_count] views of the
                                       params that each layer uses */
    locant_tensor *encoding_grads;  /* [leaves, layers, encoding_count] views of
                                       grads, or of leaf_grads */
    size_t size;                    /* of all tensors, in elements */
    real *params;                   /* [size] */
    real *grads;                    /* [subtrees, size] */
    real *packed;                   /* [size] matrices, packed for products */
    real *transposed; /* [size] their transposes, packed; only with 'train' */

    void *activations;
    size_t activation_bytes;
    struct lct_layer *layers;
    struct lct_activation_gradients d;
    real *stat, *norm;         /* final norm: [N, 2], [N, width] */
    real *logits;              /* [N, vocab]; after a backward their gradient */
    real *loss, *loss_stat;    /* [N], [N, 2] */
    int32_t *tokens, *targets; /* [N], of the last forward */
    struct lct_embedding_scratch lists;
    double *sum;  /* [width] scratch */
    double *sums; /* [blocks of F, width] sums over the rows of each block */

    int64_t leaves;   /* of a pass; 1 without leaves */
    int subtrees;     /* that they fill */
    real *leaf_grads; /* [leaves, encoding_size] of the encoding's parameters */
    size_t encoding_size; /* elements of these, the last of all tensors */
    real *leaf_room;      /* [slots, leaf_floats] scratch of trees */
    size_t leaf_floats;
    int slots; /* threads when the model was created */

    bool input_door;        /* the encoding adds a table to the input */
    bool reads_x;           /* the encoding reads the input of attention */
    bool table_learns;      /* the input table has parameters */
    bool chooses_positions; /* the encoding chooses positions for each row */
    bool rows_differ;       /* positions of the rows of a pass differ */
    bool real_positions;    /* positions are real numbers */
    real table_factor;      /* brings a fixed table to the RMS of embeddings */
    real *table;            /* [table_room, width] */
    int64_t table_room;     /* 'length', or 'room' if rows_differ */
    int64_t table_rows;     /* rows that are up to date */
    void *positions;        /* I64 or F64: 0 .. length - 1, or [rows, S] of all
                               leaves of the batch, if they are chosen */
    uint64_t draw_seed;     /* of the positions of the next pass */
    bool draw_positions;    /* draw positions in the next pass */

    void *workspace; /* of attention */
    size_t workspace_bytes;

    struct lct_sequences sequences; /* rows in several leaves */

    struct lct_memory_size memory_size; /* of the memory now */

    int64_t B, T;            /* of the last forward */
    int64_t past;            /* tokens of memory in the last forward */
    int64_t S;               /* past + T */
    int64_t scored;          /* targets that the mean is over */
    int64_t batch_scored;    /* 0: those of the pass that are not -1 */
    bool has_logits;         /* the last pass was a forward */
    bool has_input_gradient; /* the last pass was a backward: d.x is set */

    lct_layer_watcher watch; /* or NULL */
    void *watch_context;
};

/* The sizes that the shapes of the encoding's parameters depend on. */
static inline locant_sizes lct_model_sizes(const struct lct_model *m)
{
    return (locant_sizes){ .width = m->config.width,
                           .heads = m->config.heads,
                           .kv_heads = m->config.kv_heads,
                           .head_dim = m->head_dim };
}

/* One layer's part of encoding_params; NULL if empty. */
static inline locant_tensor *lct_layer_params(const struct lct_model *m,
                                              int64_t layer)
{
    return m->encoding_count == 0
               ? NULL
               : m->encoding_params + layer * m->encoding_count;
}

/* One layer's part of encoding_grads for a leaf; NULL if empty. */
static inline locant_tensor *lct_layer_grads(const struct lct_model *m,
                                             int64_t leaf, int64_t layer)
{
    const int64_t at = leaf * m->config.layers + layer;

    return m->encoding_count == 0 ? NULL
                                  : m->encoding_grads + at * m->encoding_count;
}

static inline bool lct_has_leaves(const struct lct_model *m)
{
    return m->train && m->config.leaves.all > 0;
}

locant_status lct_model_check(const struct lct_model_config *c, int64_t batch,
                              int64_t length);

/* List the parameter tensors with their offsets; set m->size. */
locant_status lct_model_lay_out_params(struct lct_model *m);

/* Allocate and divide the activations. */
locant_status lct_model_lay_out_values(struct lct_model *m);

/* Set fixed positions and the factor of a fixed table. */
locant_status lct_input_prepare(struct lct_model *m);

/* Deviation of the initial weights and of token embeddings: width^(-1/2). */
double lct_initial_deviation(const struct lct_model *m);

/* Scale the initial parameters of a learned input table so that the table has
   the RMS of token embeddings. */
locant_status lct_input_scale_table(struct lct_model *m);
locant_status lct_input_forward(struct lct_model *m);
locant_status lct_input_backward(struct lct_model *m);

/* Fill positions for passes of B rows of S tokens if the encoding chooses them.
   Those of all leaves are drawn together. */
locant_status lct_input_positions(struct lct_model *m, int64_t B, int64_t S);

/* Positions, int64_t or double, from row b of a pass of B rows of S tokens on;
   one row for all unless they differ. */
static inline void *lct_row_positions(const struct lct_model *m, int64_t b,
                                      int64_t B, int64_t S)
{
    const int64_t before = lct_has_leaves(m) && B % m->leaves == 0
                               ? m->config.leaves.first * (B / m->leaves)
                               : 0;

    if (m->sequences.leaves > 1)
        return (int64_t *)m->sequences.positions + b * S;
    return (int64_t *)m->positions +
           (m->chooses_positions ? (before + b) * S : 0);
}

/* Tokens remembered after this pass. */
static inline int64_t lct_memory_tokens_after(const struct lct_model *m)
{
    return m->S < m->config.memory ? m->S : m->config.memory;
}

/* Fill 'joined' from memory and x. */
void lct_memory_join(const struct lct_model *m, int64_t layer);
/* Copy the last lct_memory_tokens_after() tokens of 'joined' to memory. */
void lct_memory_keep(struct lct_model *m, int64_t layer);
/* part [B, T, width] = the segment's tokens of joined [B, S, width] */
void lct_memory_extract(const struct lct_model *m, real *part,
                        const real *joined);
/* joined [B, S, width] = 0 at tokens of memory, part at those of the segment */
void lct_memory_insert(const struct lct_model *m, real *joined,
                       const real *part);
/* part += the segment's tokens of joined */
void lct_memory_add(const struct lct_model *m, real *part, const real *joined);

/* -------------------------------------------- rows divided among threads */

/*
 * Rows of one block, a constant so that sums do not depend on the number of
 * threads.  The activations of a block fit the caches nearest to a core.
 */
enum { LCT_BLOCK = 64 };

static inline int64_t lct_blocks(int64_t rows)
{
    return (rows + LCT_BLOCK - 1) / LCT_BLOCK;
}

/* A block: rows first .. first + rows - 1 in a pass of a layer.  No block has
   rows of two leaves. */
struct lct_row_block {
    struct lct_model *m;
    int64_t layer, first, rows, number;
};
typedef void (*lct_row_block_fn)(const struct lct_row_block *b);

/* Where the block writes a sum [width] over its rows. */
static inline double *lct_row_block_sum(const struct lct_row_block *b)
{
    return b->m->sums + b->number * b->m->config.width;
}

/* forward: y = x W;  the gradient of W is x^T dy, summed over the rows. */
struct lct_weight_gradient {
    const struct lct_model_tensor *w;
    const real *x, *dy;
    int64_t rows;
};

/* ------------------------------------------------------------------- leaves */

locant_status lct_leaves_check(const struct lct_leaves *l, int64_t batch);

/* Allocate what the leaves of a pass need. */
locant_status lct_leaves_create(struct lct_model *m);

/* Leaves of the rows of a pass: 1 if they do not divide B, as in the passes of
   a probe. */
static inline int64_t lct_leaves_of_pass(const struct lct_model *m)
{
    return m->B % m->leaves == 0 ? m->leaves : 1;
}

/* Add tile 'number' of a gradient, with scratch of one thread. */
void lct_leaves_add_tile(struct lct_model *m,
                         const struct lct_weight_gradient *g, int64_t number,
                         real *room);
/* As lct_model_add_norm(). */
void lct_leaves_add_norm(struct lct_model *m, const struct lct_model_tensor *w,
                         int64_t rows);
/* Add the gradient of the embeddings from d.x. */
void lct_leaves_add_embedding(struct lct_model *m);
/* Begin and end the sums of the encoding's gradients, leaf_grads. */
void lct_leaves_begin_encoding(struct lct_model *m);
void lct_leaves_add_encoding(struct lct_model *m);

/* --------------------------------------------------- rows and weights */

/* Run 'work', unless it is NULL, on all blocks of 'rows' rows, and compute n
   gradients of weights in parallel with it. */
void lct_model_run_rows(struct lct_model *m, int64_t layer, int64_t rows,
                        lct_row_block_fn work);
void lct_model_run_rows_and_weights(struct lct_model *m, int64_t layer,
                                    int64_t rows, lct_row_block_fn work,
                                    const struct lct_weight_gradient *gradients,
                                    int n);

/* Add the gradient of a norm's weight w from m->sums over blocks of 'rows'
   rows. */
void lct_model_add_norm(struct lct_model *m, const struct lct_model_tensor *w,
                        int64_t rows);

/* Fill m->packed and m->transposed from the parameters. */
void lct_model_pack(struct lct_model *m);

/* ------------------------------------------------------------------- layers */

/* One layer: out from x. Backward: d.x is the gradient of out before the call,
   that of x after it. */
locant_status lct_layer_forward(struct lct_model *m, int64_t layer);
locant_status lct_layer_backward(struct lct_model *m, int64_t layer);
#endif

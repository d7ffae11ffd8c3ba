/* parts.h - declarations shared by the files of src/model */
#ifndef LCT_MODEL_PARTS_H
#define LCT_MODEL_PARTS_H
#include "../core/error.h"
#include "../nn/nn.h"
#include "locant/attention.h"
#include "model.h"

/* Parameter tensors of a layer, in the order of the flat allocation. */
/* clang-format off */
enum lct_layer_tensor {
    LCT_NORM1, LCT_WQ, LCT_WK, LCT_WV, LCT_WO, LCT_NORM2, LCT_W1, LCT_W2,
    LCT_LAYER_TENSORS
};
/* clang-format on */

/*
 * Activations of one layer, N = B * T rows of the segment, F = B * S rows of
 * memory and segment together.  Without 'train' all layers share one set and
 * 'out' is 'x'.
 */
struct lct_layer {
    real *x;      /* [N, width] input: the residual stream */
    real *memory; /* [kept_rows, kept, width] remembered inputs */
    real *whole;  /* [F, width] memory and x of each row; x without memory */
    real *stat1;  /* [F, 2] */
    real *whole_norm; /* [F, width]; norm1 without memory */
    real *norm1;      /* [N, width] the rows of x in whole_norm */
    real *q;          /* [N, heads, head_dim]; the same for 'o' */
    real *k, *v;      /* [F, kv_heads, head_dim] */
    real *o;
    real *lse;   /* [B, heads, T] */
    real *mid;   /* [N, width] x + attention */
    real *stat2; /* [N, 2] */
    real *norm2; /* [N, width] */
    real *h, *g; /* [N, ff] before and after GELU */
    real *out;   /* [N, width] mid + feed-forward */
};

/* Gradients with respect to activations, one set for all layers. */
struct lct_flow {
    real *x;            /* [N, width] of the residual stream */
    real *mid;          /* [N, width] of mid */
    real *next;         /* [N, width] of the layer's input */
    real *whole;        /* [F, width] of memory and x; none without memory */
    real *branch;       /* [N, width] of a norm's output, or of attention's */
    real *whole_branch; /* [F, width] of whole_norm; branch without memory */
    real *q, *k, *v;
    real *h;     /* [N, ff] */
    real *table; /* [table_room, width] of the input table */
    real *read;  /* [F, width] of whole_norm through an encoding that reads
                     the input of its layer */
};

struct lct_model {
    struct lct_model_config config;
    int64_t rows, length; /* most rows of a pass, longest sequence */
    int64_t batch;        /* rows of memory */
    int64_t room;         /* most rows of memory and segments */
    int64_t head_dim, kv_width;
    bool train;

    struct lct_model_tensor *tensors;
    int tensor_count, encoding_first; /* the encoding's are the last */
    int encoding_count;               /* parameters of the encoding */
    locant_tensor *encoding_params;   /* [layers, count] views of params that
                                         a layer uses, shared or its own */
    locant_tensor *encoding_grads;    /* the same of grads */
    size_t size;
    real *params, *grads;
    real *packed, *transposed; /* [size] matrices packed for products, and their
                                  transposes, the latter only to train */

    void *activations;
    size_t activation_bytes;
    struct lct_layer *layers;
    struct lct_flow d;
    real *stat, *norm;         /* final norm: [N, 2], [N, width] */
    real *logits;              /* [N, vocab]; backward: their gradient */
    real *loss, *loss_stat;    /* [N], [N, 2] */
    int32_t *tokens, *targets; /* [N], of the last forward */
    struct lct_embedding_scratch lists;
    double *sum;  /* [width] */
    double *sums; /* [blocks of F, width] */

    bool input_door, reads_x;
    bool table_learns;      /* the input table has parameters */
    bool chooses_positions; /* the encoding chooses positions for each row */
    bool real_positions;    /* positions are real numbers */
    real table_factor;      /* brings a fixed table to the RMS of embeddings */
    real *table;            /* [table_room, width] */
    int64_t table_room;     /* length, or all rows if chooses_positions */
    int64_t table_rows;     /* rows computed so far */
    void *positions;        /* I64 or F64: 0 .. length - 1, or [B, S] */
    uint64_t draw;          /* seed of the positions of the next pass */
    bool drawing;           /* draw them, as in training */

    void *workspace; /* of attention */
    size_t workspace_bytes;

    struct lct_memory kept; /* remembered now */
    int64_t past;           /* remembered tokens in the last forward */

    int64_t B, T;   /* of the last forward */
    int64_t S;      /* past + T */
    int64_t scored; /* targets that are not -1 */
    bool ready;     /* a forward has run since the last backward */
    bool returned;  /* the last pass was a backward, which set d.x */

    lct_layer_watcher watch; /* or NULL */
    void *watcher;
};

/* What the encoding's parameters depend on. */
static inline locant_sizes lct_model_sizes(const struct lct_model *m)
{
    return (locant_sizes){ .width = m->config.width,
                           .heads = m->config.heads,
                           .kv_heads = m->config.kv_heads,
                           .head_dim = m->head_dim };
}

/* The part of 'views', encoding_params or encoding_grads, of one layer. */
static inline locant_tensor *
lct_layer_views(const struct lct_model *m, locant_tensor *views, int64_t layer)
{
    return m->encoding_count == 0 ? NULL : views + layer * m->encoding_count;
}

locant_status lct_model_check(const struct lct_model_config *c, int64_t batch,
                              int64_t length);

/* Make the list of parameter tensors with their offsets; sets size. */
locant_status lct_model_lay_out_params(struct lct_model *m);

/* Allocate and divide the activations. */
locant_status lct_model_lay_out_values(struct lct_model *m);

/* Set up positions and the factor of a fixed table. */
locant_status lct_input_prepare(struct lct_model *m);

/* Deviation of the initial weights and of token embeddings: width^(-1/2). */
double lct_init_deviation(const struct lct_model *m);

/* Scale a learned input table to the RMS of token embeddings. */
locant_status lct_input_match(struct lct_model *m);
locant_status lct_input_forward(struct lct_model *m);
locant_status lct_input_backward(struct lct_model *m);

/* Fill positions for B rows of S tokens if the encoding chooses them. */
locant_status lct_input_positions(struct lct_model *m, int64_t B, int64_t S);

/* Tokens remembered after this pass. */
static inline int64_t lct_memory_next(const struct lct_model *m)
{
    return m->S < m->config.memory ? m->S : m->config.memory;
}

/* Fill 'whole' from memory and x; save the end of 'whole' as memory. */
void lct_memory_join(const struct lct_model *m, int64_t layer);
void lct_memory_keep(struct lct_model *m, int64_t layer);
/* part [B, T, width] = the segments' rows of whole [B, S, width] */
void lct_memory_extract(const struct lct_model *m, real *part,
                        const real *whole);
/* whole = 0 where remembered, part in the segments */
void lct_memory_insert(const struct lct_model *m, real *whole,
                       const real *part);
/* part += the segments' rows of whole */
void lct_memory_add(const struct lct_model *m, real *part, const real *whole);

/* --------------------------------------------------- rows shared by threads */

/*
 * Rows of one task, fixed so that sums over blocks do not depend on the number
 * of threads.  Their activations from a norm to a GELU fit the nearest caches.
 */
enum { LCT_BLOCK = 64 };

static inline int64_t lct_blocks(int64_t rows)
{
    return (rows + LCT_BLOCK - 1) / LCT_BLOCK;
}

/* Rows first .. first + rows - 1 of a layer's pass: one block. */
struct lct_part {
    struct lct_model *m;
    int64_t layer, first, rows;
};
typedef void (*lct_part_fn)(const struct lct_part *p);

/* The output [width] for the block's sum over its rows. */
static inline double *lct_block_sum(const struct lct_part *p)
{
    return p->m->sums + p->first / LCT_BLOCK * p->m->config.width;
}

/* forward: y = x W;  the gradient of W is a sum over rows of x and dy. */
struct lct_product_of {
    const struct lct_model_tensor *w;
    const real *x, *dy;
    int64_t rows;
};

/* Run 'work' (or NULL) on all blocks of rows, and sum gradients of weights. */
void lct_model_rows(struct lct_model *m, int64_t layer, int64_t rows,
                    lct_part_fn work);
void lct_model_rows_and_weights(struct lct_model *m, int64_t layer,
                                int64_t rows, lct_part_fn work,
                                const struct lct_product_of *products, int n);

/* Fill m->packed and m->transposed from the parameters. */
void lct_model_pack(struct lct_model *m);

/* ------------------------------------------------------------------- layers */

/* Attention of one layer: o from q, k, v; d.q, d.k, d.v from d.branch. */
locant_status lct_heads_reserve(struct lct_model *m, int64_t B, int64_t T,
                                int64_t past);
locant_status lct_heads_forward(struct lct_model *m, int64_t layer);
locant_status lct_heads_backward(struct lct_model *m, int64_t layer);

/* One layer: out from x; d.x, the gradient of out, becomes the one of x. */
locant_status lct_layer_forward(struct lct_model *m, int64_t layer);
locant_status lct_layer_backward(struct lct_model *m, int64_t layer);
#endif

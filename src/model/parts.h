/* parts.h - what the files of src/model share */
#ifndef LCT_MODEL_PARTS_H
#define LCT_MODEL_PARTS_H
#include "../core/error.h"
#include "../nn/nn.h"
#include "locant/attention.h"
#include "model.h"

/* Parameter tensors of a layer, in the order of the flat allocation. */
enum lct_layer_tensor {
    LCT_NORM1, LCT_WQ, LCT_WK, LCT_WV, LCT_WO, LCT_NORM2, LCT_W1, LCT_W2,
    LCT_LAYER_TENSORS
};

/*
 * Activations of one layer, N = B * T rows.  Without 'train' all layers share
 * one set and 'out' is 'x'.
 */
struct lct_layer {
    real *x;      /* [N, width] input: the residual stream */
    real *stat1;  /* [N, 2] */
    real *norm1;  /* [N, width] */
    real *q;      /* [N, heads, head_dim]; so 'o' */
    real *k, *v;  /* [N, kv_heads, head_dim] */
    real *o;
    real *lse;    /* [B, heads, T] */
    real *mid;    /* [N, width] x + attention */
    real *stat2;  /* [N, 2] */
    real *norm2;  /* [N, width] */
    real *h, *g;  /* [N, ff] before and after GELU */
    real *out;    /* [N, width] mid + feed-forward */
};

/* Gradients with respect to activations, one set for all layers. */
struct lct_flow {
    real *x;      /* [N, width] of the residual stream */
    real *branch; /* [N, width] of a norm's output, or of attention's */
    real *q, *k, *v;
    real *h;      /* [N, ff] */
    real *table;  /* [length, width] of the input table */
};

struct lct_model {
    struct lct_model_config config;
    int64_t rows, length; /* room: rows of one pass, longest sequence */
    int64_t head_dim, kv_width;
    bool train;

    struct lct_model_tensor *tensors;
    int tensor_count, encoding_first; /* the encoding's are the last */
    locant_tensor *encoding_params;   /* views of params, of grads */
    locant_tensor *encoding_grads;
    size_t size;
    real *params, *grads;

    void *activations;
    size_t activation_bytes;
    struct lct_layer *layers;
    struct lct_flow d;
    real *stat, *norm;      /* final norm: [N, 2], [N, width] */
    real *logits;           /* [N, vocab]; backward: their gradient */
    real *loss, *loss_stat; /* [N], [N, 2] */
    int32_t *tokens, *targets; /* [N], of the last forward */
    struct lct_embedding_scratch lists;
    double *sum;            /* [width] */

    bool input_door;
    real table_factor;   /* of a fixed table: brings it to the deviation */
    real *table;         /* [length, width] */
    int64_t table_rows;  /* of them computed */
    int64_t *positions;  /* 0 .. length - 1 */

    void *workspace; /* of attention */
    size_t workspace_bytes;

    int64_t B, T; /* of the last forward */
    bool ready;   /* a forward has run that no backward has used */
};

/* Say what is wrong with a configuration, or nothing. */
locant_status lct_model_check(const struct lct_model_config *c, int64_t batch,
                              int64_t length);

/* List the parameter tensors with their offsets; sets size. */
locant_status lct_model_lay_out_params(struct lct_model *m);

/* Allocate and divide the activations. */
locant_status lct_model_lay_out_values(struct lct_model *m);

/* Parameter or gradient tensor of a layer, out of 'flat'. */
static inline real *lct_layer_tensor(const struct lct_model *m, real *flat,
                                     int64_t layer, enum lct_layer_tensor which)
{
    return flat + m->tensors[1 + layer * LCT_LAYER_TENSORS + which].offset;
}

/* x of layer 0 from tokens and the input door. */
locant_status lct_input_prepare(struct lct_model *m);

/* Deviation of the initial weights and of token embeddings: width^(-1/2). */
double lct_init_deviation(const struct lct_model *m);

/* Bring a learned input table to the RMS of token embeddings. */
void lct_input_match(struct lct_model *m);
locant_status lct_input_forward(struct lct_model *m);
locant_status lct_input_backward(struct lct_model *m);

/* Attention of one layer: o from q, k, v; d.q, d.k, d.v from d.branch. */
locant_status lct_heads_reserve(struct lct_model *m, int64_t B, int64_t T);
locant_status lct_heads_forward(struct lct_model *m, struct lct_layer *a);
locant_status lct_heads_backward(struct lct_model *m, struct lct_layer *a);

/* One layer: out from x; d.x with respect to x from d.x with respect to out. */
locant_status lct_layer_forward(struct lct_model *m, int64_t layer);
locant_status lct_layer_backward(struct lct_model *m, int64_t layer);
#endif

/* heads.h - attention of one layer */
#ifndef LCT_MODEL_HEADS_H
#define LCT_MODEL_HEADS_H
#include "parts.h"

/* One call of attention. */
struct lct_heads_call {
    locant_attention attention;
    locant_tensor q, k, v, x, q_pos, k_pos; /* 'attention' points to them */
    int first_param; /* of the layer's encoding, among all parameters */
};

/* Make a call of which queries are B rows of T tokens, and keys are these and
   the 'past' tokens of memory before each row. */
void lct_heads_make_call(struct lct_heads_call *c, const struct lct_model *m,
                         int64_t layer, int64_t B, int64_t T, int64_t past);

/* Make the workspace of attention large enough for such a pass. */
locant_status lct_heads_reserve(struct lct_model *m, int64_t B, int64_t T,
                                int64_t past);
/* Replace the workspace of *bytes by a larger one if 'attention' needs it. */
locant_status lct_heads_grow(void **workspace, size_t *bytes,
                             const locant_attention *attention);
/* The same if it has fewer bytes than 'need'. */
locant_status lct_heads_grow_to(void **workspace, size_t *bytes, size_t need);
/* A call with the layer's encoding, which has the model's parameters from
   'first_param' on, and the causal mask. */
void lct_heads_begin(locant_attention *attention, int *first_param,
                     const struct lct_model *m, int64_t layer);
/* Attention of one layer: o from q, k, v; d.q, d.k, d.v from d.branch. */
locant_status lct_heads_forward(struct lct_model *m, int64_t layer);
locant_status lct_heads_backward(struct lct_model *m, int64_t layer);
#endif

/* call.h - the arguments of an encoding's hooks */
#ifndef LCT_CALL_H
#define LCT_CALL_H
#include "../core/tensor.h"
#include "locant/encoding.h"
#include <stdbool.h>

enum { LCT_MAX_PARAMS = 32 };

/* For hooks of the rotate and score doors. */
struct lct_call {
    const locant_encoding *e;
    int64_t heads, kv_heads, head_dim, width; /* 0: unknown */
    const double *param[LCT_MAX_PARAMS];      /* dense, in double */
    double scale; /* of q.k; in maps outside of attention 1/sqrt(head_dim),
                     elsewhere 1 if unused */
    int64_t last; /* largest key position of the batch row */
    bool wide;    /* tensors are F64: angles in full double */
};

/*
 * The position of a token.  'coords' are the caller's real coordinates, one for
 * each axis; NULL: an encoding of several axes computes them from 'pos'.
 */
struct lct_point {
    int64_t pos;
    const double *coords;
};

enum lct_role { LCT_QUERY, LCT_KEY };

/* The index of a head, and the number of heads. */
struct lct_head {
    int64_t index, count;
};

struct lct_span {
    int64_t low, high;
};

/* How many pairs of some queries and keys are visible. */
enum lct_visibility { LCT_VISIBLE_NONE, LCT_VISIBLE_SOME, LCT_VISIBLE_ALL };

/* For hooks of the content door: one batch row. */
struct lct_content {
    struct lct_call call;
    int64_t keys;
    double scale;         /* of q.k */
    const int64_t *k_pos; /* [keys] */
    const double *k;      /* [kv_heads, keys, head_dim], rotated */
    const double *x; /* [keys, width]: the layer's input; NULL: not given */

    /* With the hook token_numbers; see lct_token_at(). */
    const int64_t *order; /* [keys]: their indices by position */
    const int64_t *index; /* [keys]: which keys of the batch row they are */
    const double *numbers;
    int64_t all_keys, count;
};

/* One query of all heads. */
struct lct_query {
    int64_t pos;
    int64_t index;      /* among the queries of its batch row */
    const double *q;    /* [heads, head_dim], rotated */
    const double *bias; /* [heads, keys] of the score door, included in the
                              scores; NULL without one */
    double *memory;     /* [keys + 2, head_dim]; only with token_numbers */
};

/* Gradients that the content door adds to. */
struct lct_content_gradient {
    double *dq;    /* [heads, head_dim], of this query */
    double *dk;    /* [kv_heads, keys, head_dim] */
    double *dx;    /* [keys, width]; NULL without x */
    double *dbias; /* [heads, keys]: d/dbias minus d/dscore */
    double *const *dparam;
    double *dnumbers; /* of c->numbers */
};

/* For the hooks of lct_real_pair: a query of a head at q, keys at k [n]. */
struct lct_real_keys {
    int64_t head;
    double q;
    const double *k;
    size_t n;
};

/* Where these hooks add gradients. */
struct lct_real_gradients {
    double *const *dparam; /* NULL: not wanted */
    double *dq, *dk;       /* of the query's position, of each key's */
};

enum { LCT_PAIRS_SIDE = 64 }; /* the most queries, and keys, of a tile */

/* For hooks of lct_pair_scores: a tile of queries and keys of one head. */
struct lct_pairs {
    const struct lct_call *call;
    int64_t head, rows, keys;
    size_t lanes; /* an array of pairs is [keys, lanes], lanes >= rows */
    const int64_t *q_pos, *k_pos; /* [rows], [keys] */

    /* With the hook token_numbers: those of all keys of the head, [.., count];
     * the keys of the tile begin at 'first', and a query's own key is 'own'
     * [rows], -1 if it is padding. */
    const double *numbers;
    const int64_t *own;
    int64_t first, count;

    /* With the hook 'gate'. */
    const double *q_gate, *k_gate; /* [rows], [keys] */

    const struct lct_kernels *kernels;
    double *memory; /* of the hook 'memory' */
};

/* Gradients that these hooks add to. */
struct lct_pair_gradients {
    double *const *dparam; /* NULL: not wanted */
    double *dq_numbers;    /* [rows, count] */
    double *dk_numbers;    /* [keys, count] */
    double *dq_gate;       /* [rows] */
    double *dk_gate;       /* [keys] */
};

/* For hooks of lct_token_angles: a token and those before it. */
struct lct_inputs {
    int count;              /* of tokens, at most 'reach' */
    const double *const *x; /* [count] inputs [width]: the token's, then those
                               of the tokens before it, the nearest first */
    double *const *dx;      /* their gradients, in backward */
    double *memory;         /* as many numbers as the hook 'memory' says */
};

/* Does a double hold the position? */
static inline bool lct_is_exact(int64_t pos)
{
    return pos >= -((int64_t)1 << 53) && pos <= (int64_t)1 << 53;
}

/* Distance q_pos - k_pos without overflow, clamped to the int64 range. */
static inline int64_t lct_distance(int64_t q_pos, int64_t k_pos)
{
    int64_t d;

    if (__builtin_sub_overflow(q_pos, k_pos, &d))
        return q_pos > k_pos ? INT64_MAX : -INT64_MAX;
    return d == INT64_MIN ? -INT64_MAX : d;
}

/* The derivative of |x|: 0 at 0. */
static inline double lct_sign(double x)
{
    return (x > 0) - (x < 0);
}

/* The query's position minus that of key j. */
static inline double lct_real_distance(const struct lct_real_keys *x, size_t j)
{
    return x->q - x->k[j];
}

/* Add x, the gradient of that. */
static inline void lct_real_add(const struct lct_real_gradients *g, size_t j,
                                double x)
{
    *g->dq += x;
    g->dk[j] -= x;
}

/* One element of a dense F32 or F64 tensor. */
static inline double lct_get(const locant_tensor *t, int64_t i)
{
    return t->dtype == LOCANT_F64 ? ((const double *)t->data)[i]
                                  : (double)((const float *)t->data)[i];
}

/* Add x to it. */
static inline void lct_add_to(locant_tensor *t, int64_t i, double x)
{
    if (t->dtype == LOCANT_F64)
        ((double *)t->data)[i] += x;
    else
        ((float *)t->data)[i] = (float)(((float *)t->data)[i] + x);
}
#endif

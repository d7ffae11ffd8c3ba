/* scratch.h - memory of one running task of the tiled engine */
#ifndef LCT_ATTENTION_SCRATCH_H
#define LCT_ATTENTION_SCRATCH_H
#include "plan.h"

/*
 * The same tiles by dot products of bfloat16.  A word holds two neighbours of a
 * row, or one column of two rows ("pairs").
 */
struct lct_bf16_scratch {
    uint16_t *q, *dout;               /* [TILE, D rounded up to a word] */
    uint32_t *q_pairs, *dout_pairs;   /* [TILE / 2, padded] */
    uint32_t *q_cols, *dout_cols;     /* [words of D, TILE] */
    uint16_t *k, *v;                  /* [TILE, padded], if not read in place */
    uint32_t *k_pairs, *v_pairs;      /* [TILE / 2, padded] */
    uint32_t *weights;                /* [TILE, TILE / 2]: rounded coefficients
                                         of the next product */
    uint32_t *guard;                  /* [padded]: one row of pairs */
};

struct lct_scratch {
    /* One tile of queries, for all tiles of keys. */
    float *q;         /* [TILE, padded_q]: rotated, scaled */
    float *q_cols;    /* [Dq, TILE]: its transpose */
    float *out;       /* [TILE, padded]: of this split; backward: all of it */
    float *row_max;   /* [TILE]: of this split */
    float *row_sum;   /* [TILE]: of exp(score - row_max) */
    float *rescale;   /* [TILE]: factors for 'out' once row_max has grown */
    float *total;     /* [TILE, padded]: out of the splits before this one */
    float *total_max, *total_sum; /* [TILE]: of those */
    float *scale;     /* [TILE]: what scores are multiplied by (bf16) */
    float *dout;      /* [TILE, padded] */
    float *dout_cols; /* [D, TILE] */
    float *dq;        /* [TILE, padded_q] */
    float *lse;       /* [TILE] */
    float *delta;     /* [TILE]: <dout, out> */

    /* One tile of queries against one tile of keys. */
    float *k;         /* [TILE, padded_q]: rotated, if not read in place */
    float *v;         /* [TILE, padded] */
    float *s;         /* [TILE keys, TILE lanes]: scores, then weights */
    float *slope;     /* the same: of the softcap, if there is one */
    float *ds;        /* the same: gradient of s */
    char *masked;     /* the same, where positions alone do not decide */
    double *column;   /* [TILE]: biases of one query */
    double *mapped;   /* [2, D + Dq]: rows that pass a general map */
    float *dk, *dv;   /* [S, padded_q], [S, padded]: if they are gathered */
    struct lct_bf16_scratch bf16;
};

struct lct_tiled {
    struct lct_scratch *scratch; /* [slots, tiles_per_task] */
};

void lct_scratch_layout(struct lct_tiled *tiled, const struct lct_plan *p,
                        struct lct_arena *arena);

/*
 * Of tile n of the queries that a task takes together: each tile of keys is
 * used for all of them while it is in the cache.  Buffers of one tile of
 * queries are its own; the rest is shared.
 */
static inline struct lct_scratch *lct_scratch_of(const struct lct_plan *p,
                                                 int slot, int n)
{
    return &p->tiled->scratch[slot * p->tiles_per_task + n];
}
#endif

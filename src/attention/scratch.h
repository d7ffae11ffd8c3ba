/* scratch.h - memory of one running task of the tiled engine */
#ifndef LCT_ATTENTION_SCRATCH_H
#define LCT_ATTENTION_SCRATCH_H
#include "plan.h"

/*
 * Tiles for bfloat16 dot products, which read words of two numbers: neighbours
 * in a row or, in arrays named 'pairs', one column of two rows.
 */
struct lct_bf16_scratch {
    uint16_t *q, *dout;             /* [TILE, D or Dv rounded up to a word] */
    uint32_t *q_pairs, *dout_pairs; /* [TILE / 2, padded or padded_v] */
    uint32_t *q_cols, *dout_cols;   /* [words of D or Dv, TILE] */
    uint16_t *k, *v;                /* [TILE, padded or padded_v], if not read
                                       in place */
    uint32_t *k_pairs, *v_pairs;    /* [TILE / 2, padded or padded_v] */
    uint32_t *weights;              /* [TILE, TILE / 2]: rounded coefficients
                                         of the next product */
    uint32_t *guard;                /* [padded or padded_v]: a row of pairs */
};

/* A tile of queries in one relation to its keys (relations.h). */
struct lct_relation_queries {
    float *q, *q_cols, *dq; /* as in lct_scratch */
};

struct lct_scratch {
    /* One tile of queries, kept for all tiles of keys. */
    float *q;       /* [TILE, padded_q]: rotated, scaled */
    float *q_cols;  /* [Dq, TILE]: its transpose */
    float *out;     /* [TILE, padded_v]: of this split; backward: of all keys */
    float *row_max; /* [TILE]: of this split */
    float *row_sum; /* [TILE]: of exp(score - row_max) */
    float *rescale; /* [TILE]: factors for 'out' once row_max has grown */
    float *total;   /* [TILE, padded_v]: 'out' of the splits before this one */
    float *total_max, *total_sum; /* [TILE]: row_max, row_sum of those splits */
    float *scale;                 /* [TILE]: factors of the scores (bf16) */
    float *dout;                  /* [TILE, padded_v] */
    float *dout_cols;             /* [Dv, TILE] */
    float *dq;                    /* [TILE, padded_q] */
    float *lse;                   /* [TILE] */
    float *delta;                 /* [TILE]: <dout, out> */

    /* In the other relations to keys (relations.h). */
    struct lct_relation_queries relation[LCT_MAX_RELATIONS - 1];
    unsigned relations; /* bits of those that are loaded */

    /* Of stick-breaking (stick.h). */
    float *rest, *own, *sum; /* [TILE] */
    float *rests;            /* [k_tiles, TILE] */
    float *own_value;        /* [padded] */

    /* One tile of queries against one tile of keys. */
    float *k;     /* [TILE, padded_q]: rotated, if not read in place */
    float *v;     /* [TILE, padded_v] */
    float *s;     /* [TILE keys, TILE lanes]: scores, then weights */
    float *slope; /* as s: derivative of the softcap */
    float *ds;    /* as s: gradient of s */
    float *before_gain, *before_after, *product; /* as s: factors.h */
    float *before_pairs;  /* as s: scores before pairs.h, backward */
    double *pairs_memory; /* of what computes them */
    double *gate_rows;    /* [2, D]: a row and its gradient (pair_gates.h) */
    float *pairs;         /* as s: of pairs in one relation (relations.h) */
    float *sigma;         /* as s: stick-breaking (stick.h), backward */
    float *query;   /* [padded_q]: one rotated query, if a row factor learns */
    char *masked;   /* as s: is the key masked?  Valid if tile.by_map is set */
    double *column; /* [TILE]: biases of one query */
    double *mapped; /* [2, D + Dq]: rows before and after a general map */
    float *bias;    /* as s: dense bias, or ds of pairs that are not seen */
    float *bias_rows; /* [TILE queries, TILE keys]: the transpose of 'bias' or
                         of gradients */
    float *dk, *dv;   /* [held_keys, padded_q or padded_v]: if the plan
                         gathers */
    char *paged_k,
        *paged_v; /* [TILE, D], [TILE, Dv] of their dtype if paged, of
                                float32 if quantised */
    struct lct_bf16_scratch bf16;
};

struct lct_tiled {
    struct lct_scratch *scratch; /* [slots, tiles_per_task] */
};

void lct_scratch_layout(struct lct_tiled *tiled, const struct lct_plan *p,
                        struct lct_arena *arena);

/*
 * The scratch of tile n of a task.  Each of a task's tiles of queries has its
 * own buffers of queries.  They share the rest, so all of them use a tile of
 * keys while it is in the cache.
 */
static inline struct lct_scratch *lct_scratch_of(const struct lct_plan *p,
                                                 int slot, int n)
{
    return &p->tiled->scratch[slot * p->tiles_per_task + n];
}
#endif

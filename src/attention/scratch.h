/* scratch.h - memory of one running task of the tiled engine */
#ifndef LCT_ATTENTION_SCRATCH_H
#define LCT_ATTENTION_SCRATCH_H
#include "plan.h"

/*
 * Tiles for bfloat16 dot products, which read words of two numbers: neighbours
 * in a row or, in arrays named 'pairs', one column of two rows.
 */
struct lct_bf16_scratch {
    uint16_t *q, *dout;             /* [TILE, D rounded up to a word] */
    uint32_t *q_pairs, *dout_pairs; /* [TILE / 2, padded] */
    uint32_t *q_cols, *dout_cols;   /* [words of D, TILE] */
    uint16_t *k, *v;                /* [TILE, padded], if not read in place */
    uint32_t *k_pairs, *v_pairs;    /* [TILE / 2, padded] */
    uint32_t *weights;              /* [TILE, TILE / 2]: rounded coefficients
                                         of the next product */
    uint32_t *guard;                /* [padded]: one row of pairs */
};

struct lct_scratch {
    /* One tile of queries, kept for all tiles of keys. */
    float *q;       /* [TILE, padded_q]: rotated, scaled */
    float *q_cols;  /* [Dq, TILE]: its transpose */
    float *out;     /* [TILE, padded]: of this split; backward: of all keys */
    float *row_max; /* [TILE]: of this split */
    float *row_sum; /* [TILE]: of exp(score - row_max) */
    float *rescale; /* [TILE]: factors for 'out' once row_max has grown */
    float *total;   /* [TILE, padded]: 'out' of the splits before this one */
    float *total_max, *total_sum; /* [TILE]: row_max, row_sum of those splits */
    float *scale;                 /* [TILE]: factors of the scores (bf16) */
    float *dout;                  /* [TILE, padded] */
    float *dout_cols;             /* [D, TILE] */
    float *dq;                    /* [TILE, padded_q] */
    float *lse;                   /* [TILE] */
    float *delta;                 /* [TILE]: <dout, out> */

    /* One tile of queries against one tile of keys. */
    float *k;       /* [TILE, padded_q]: rotated, if not read in place */
    float *v;       /* [TILE, padded] */
    float *s;       /* [TILE keys, TILE lanes]: scores, then weights */
    float *slope;   /* as s: derivative of the softcap */
    float *ds;      /* as s: gradient of s */
    char *masked;   /* as s: is the key masked?  Valid if tile.by_map is set */
    double *column; /* [TILE]: biases of one query */
    double *mapped; /* [2, D + Dq]: rows before and after a general map */
    char *paged_k, *paged_v; /* [TILE, D] of the dtype of k and v if paged, of
                                float32 if quantised */
    float *dk, *dv; /* [S, padded_q], [S, padded]: if the plan gathers them */
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

/*
 * problem.h - one attention call, checked and laid out.
 *
 * Everything the tiled kernels need beyond q, k, v is made once per call and
 * kept in the caller's workspace: positions, angle tables, and, where the score
 * depends on the difference of positions alone, the bias of each head at each
 * difference.  All of it is O(T + S).
 */
#ifndef LCT_PROBLEM_H
#define LCT_PROBLEM_H
#include "../angle/schedule.h"
#include "../encodings/score.h"
#include "../kernel/kernels.h"
#include "locant/attention.h"

enum { LCT_TILE = 64 };

/* Memory of one running task; float tiles are [LCT_TILE, padded D] or so. */
struct lct_scratch {
    float *q;       /* [TILE, Dp] rotated, scaled */
    float *q_cols;  /* [D, TILE]: its transpose */
    float *k, *v;   /* [TILE, Dp] */
    float *s;       /* [TILE keys, TILE lanes] */
    float *out;     /* [TILE, Dp] */
    float *dout;    /* [TILE, Dp] */
    float *dout_cols;
    float *ds;
    float *product; /* [TILE, Dp] */
    float *rows;    /* 5 x [TILE]: top, sum, shrink, lse, delta */
    double *column; /* [TILE] */
};

/* Lowest and highest position of one tile. */
struct lct_extent {
    int64_t low, high;
    bool consecutive; /* each position is the one before plus 1 */
};

struct lct_problem {
    const char *fn;
    const struct lct_kernels *kernels;
    locant_tensor q, k, v;
    int64_t B, H, Hkv, T, S, D;
    int64_t padded;      /* D rounded up to LCT_PAD */
    int64_t q_tiles, k_tiles;
    float scale;
    bool causal;

    int64_t position_rows;    /* 1, or B when they differ by batch row */
    int64_t *q_pos, *k_pos;   /* [position_rows, T], [.., S] */
    struct lct_extent *q_extent, *k_extent; /* [position_rows, tiles] */

    const struct lct_schedule *schedule; /* NULL: no rotation */
    float *q_cos, *q_sin, *k_cos, *k_sin; /* [position_rows, T or S, pairs] */
    bool one_table;           /* the angles of q are the last of those of k */

    bool has_bias;
    struct lct_score score;
    size_t params;            /* elements of all of them */
    double *param_memory;
    int64_t range;            /* differences in the table; 0: no table */
    int64_t *first;           /* [position_rows]: q - k of entry 0 */
    float *table;             /* [position_rows, H, range] */

    /* backward */
    float *delta;             /* [B, H, T] */
    int64_t chunk;            /* batch rows whose gradients are kept apart */
    double *dtable;           /* [chunk, H, range] */
    double *dtotal;           /* [H, range], then a row of [range] */
    double *dparam;           /* [chunk * Hkv + 1, params] */
    int64_t *difference;      /* [range] */

    struct lct_scratch *scratch; /* [slots] */
    int slots;
    size_t bytes;             /* of workspace used */
    locant_tensor workspace;  /* its bytes as a view, for alias checks */
};

/* Check everything about the call but its outputs. */
locant_status lct_problem_check(struct lct_problem *p,
                                const locant_attention *a);

/*
 * Check the call and count p->bytes; unless 'workspace' is NULL, check that it
 * is as large.  Writes nothing.
 */
locant_status lct_problem_plan(struct lct_problem *p, const char *fn,
                               const locant_attention *a, void *workspace,
                               size_t bytes);

/*
 * Deal out 'workspace', of at least p->bytes, and fill positions, angles and
 * bias tables.
 */
void lct_problem_fill(struct lct_problem *p, const locant_attention *a,
                      void *workspace);

/* Check the tensors both forward and reference write. */
locant_status lct_check_results(const struct lct_problem *p,
                                const locant_attention *a,
                                const locant_tensor *out,
                                const locant_tensor *lse, unsigned dtypes);

/* Check what backward reads and writes. */
locant_status lct_check_gradients(const struct lct_problem *p,
                                  const locant_attention *a,
                                  const locant_attention_gradients *g,
                                  const locant_tensor *dout,
                                  const locant_tensor *out,
                                  const locant_tensor *lse, unsigned dtypes);

/* Row of the tables that batch row b uses. */
static inline int64_t lct_position_row(const struct lct_problem *p, int64_t b)
{
    return p->position_rows == 1 ? 0 : b;
}

/* Address of [b, h, t, 0] of a rank-4 float32 tensor. */
static inline float *lct_row(const locant_tensor *t, int64_t b, int64_t h,
                             int64_t i)
{
    return (float *)t->data + b * t->stride[0] + h * t->stride[1] +
           i * t->stride[2];
}

/* ------------------------------------------------------------------- tiles */

/* One tile of queries against one tile of keys. */
struct lct_tile {
    int64_t b, h;
    int64_t i, rows;    /* first query, how many */
    int64_t j, keys;    /* first key, how many */
    size_t lanes;       /* rows rounded up to LCT_PAD */
    bool partial;       /* some key is hidden from some query */
};

/* Queries of the tile: scaled, rotated, as rows (if wanted) and columns. */
void lct_load_queries(const struct lct_problem *p, const struct lct_tile *t,
                      struct lct_scratch *s);

/*
 * Keys (rotated) and values of the tile as dense padded rows; either the
 * caller's own memory or the scratch.  *row is the distance between rows.
 */
const float *lct_load_keys(const struct lct_problem *p,
                           const struct lct_tile *t, struct lct_scratch *s,
                           size_t *row);
const float *lct_load_values(const struct lct_problem *p,
                             const struct lct_tile *t, struct lct_scratch *s,
                             size_t *row);

/* Set keys, lanes, partial for key tile n; false if it is hidden altogether. */
bool lct_next_keys(const struct lct_problem *p, struct lct_tile *t, int64_t n);

/* s->s = scores of the tile with bias and mask. */
void lct_scores(const struct lct_problem *p, const struct lct_tile *t,
                struct lct_scratch *s, const float *keys, size_t key_row);

/*
 * The product as the kernel forms it, except that with 'guard', where b holds a
 * NaN or an infinity, coefficients that are 0 contribute nothing.
 */
void lct_multiply(const struct lct_kernels *kernels,
                  const struct lct_product *x, bool guard);

/* Add the tile's ds to the gradient of the bias. */
void lct_bias_gradient(const struct lct_problem *p, const struct lct_tile *t,
                       struct lct_scratch *s, int64_t chunk_row);

/* After a chunk of 'rows' batch rows from b: fold, and at the end deliver. */
void lct_bias_fold(struct lct_problem *p, int64_t b, int64_t rows);
void lct_bias_deliver(struct lct_problem *p, locant_tensor *dparams,
                      const locant_attention *a);
#endif

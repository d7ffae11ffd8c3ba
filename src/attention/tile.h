/* tile.h - attention in float32, tiles of queries against tiles of keys */
#ifndef LCT_ATTENTION_TILE_H
#define LCT_ATTENTION_TILE_H
#include "problem.h"

/* Parts of a bias table whose gradients are accumulated side by side. */
enum { LCT_PARAM_GRADIENTS_PARTS = 8 };

/*
 * Memory of one running task.  Dp is the padded width of the array's rows:
 * of D for v and out, of Dq for q and k; 'out' and 'product' hold either.
 */
struct lct_scratch {
    float *q;       /* [TILE, Dp] turned, scaled */
    float *q_cols;  /* [Dq, TILE]: its transpose */
    float *out;     /* [TILE, Dp] */
    float *dout;    /* [TILE, Dp] */
    float *dout_cols;
    float *rows;    /* 6 x [TILE]: top, sum, shrink, lse, delta, scale */
    float *total;   /* [TILE, Dp]: out of the segments before this one */
    float *totals;  /* 2 x [TILE]: its top, sum */
    float *k, *v;   /* [TILE, Dp] */
    float *s;       /* [TILE keys, TILE lanes] */
    float *slope;   /* the same: of the cap, where there is one */
    float *ds;
    float *product; /* [TILE, Dp] */
    double *column; /* [TILE] */
    char *hidden;   /* [TILE keys, TILE lanes]; where positions alone do not
                       decide */
    double *wide;   /* [2, D + Dq]: rows that pass a general map */
    float *dk, *dv; /* [S, Dp]: gradients that are stored at the end */
};

/* One tile of queries against one tile of keys. */
struct lct_tile {
    int64_t b, h;
    int64_t i, rows;    /* first query, how many */
    int64_t j, keys;    /* first key, how many */
    size_t lanes;       /* rows rounded up to LCT_PAD */
    bool partial;       /* some key is hidden from some query */
    bool mapped;        /* s->hidden says which */
    int64_t sees;       /* keys that the first query sees, each after it one
                           more; or all: no steps are cut (lct_steps_next) */
    int sight;          /* of content: enum lct_near_far_class; 0: near */
    bool away;          /* content hides some besides */
};

/*
 * A causal mask leaves steps of a tile: 'lanes' queries from 'lane' on, one of
 * which sees the last of the first 'keys' keys; the first 'before' of them are
 * of steps before this one.  Later keys are hidden from all of these queries.
 */
struct lct_steps {
    size_t lane, lanes, before, keys;
};

/* The step after *e, the first one after { 0 }; false if there is none. */
static inline bool lct_steps_next(const struct lct_tile *t, struct lct_steps *e)
{
    int64_t last;

    e->lane += e->lanes;
    e->before = e->keys;
    if (e->lane == t->lanes)
        return false;
    e->lanes = LCT_PAD;
    last = t->sees + (int64_t)(e->lane + e->lanes) - 1;
    e->keys = last > 0 ? (size_t)last : 0;
    if (last >= t->keys) {
        e->lanes = t->lanes - e->lane;
        e->keys = (size_t)t->keys;
    }
    return true;
}

/* Queries of the step. */
static inline size_t lct_steps_rows(const struct lct_tile *t,
                                    const struct lct_steps *e)
{
    size_t rows = (size_t)t->rows - e->lane;

    return rows < e->lanes ? rows : e->lanes;
}

/* Tile n of the queries of head h; its keys are still open. */
static inline struct lct_tile lct_query_tile(const struct lct_problem *p,
                                             int64_t b, int64_t h, int64_t n)
{
    struct lct_tile t = { .b = b, .h = h, .i = n * LCT_TILE };

    t.rows = p->T - t.i < LCT_TILE ? p->T - t.i : LCT_TILE;
    t.lanes = ((size_t)t.rows + LCT_PAD - 1) / LCT_PAD * LCT_PAD;
    return t;
}

/* Queries of the tile: scaled, turned, as rows and as columns. */
void lct_load_queries(const struct lct_problem *p, const struct lct_tile *t,
                      struct lct_scratch *s);

/*
 * Keys (turned) and values of the tile as dense padded rows; either the
 * caller's own memory or the scratch.  *row is the distance between rows.
 */
const float *lct_load_keys(const struct lct_problem *p,
                           const struct lct_tile *t, struct lct_scratch *s,
                           size_t *row);
const float *lct_load_values(const struct lct_problem *p,
                             const struct lct_tile *t, struct lct_scratch *s,
                             size_t *row);

/* Both. */
struct lct_loaded {
    const float *keys, *values; /* NULL: not loaded */
    size_t key_row, value_row;
};

struct lct_loaded lct_load_tile(const struct lct_problem *p,
                                const struct lct_tile *t,
                                struct lct_scratch *s);

/*
 * For tile n of the queries that a task takes abreast: they meet each tile of
 * keys one after another, while it is near.  Each has its own of what a tile of
 * queries keeps (q to totals); the rest is one.
 */
static inline struct lct_scratch *lct_scratch_of(const struct lct_problem *p,
                                                 int slot, int n)
{
    return &p->scratch[slot * p->abreast + n];
}

/* What query i is multiplied by: the scale, and its temperature. */
float lct_load_query_scale(const struct lct_problem *p, int64_t b, int64_t i);

/* Queries from b, h, i on: scaled, turned, padded rows. */
void lct_load_query_rows(const struct lct_problem *p, struct lct_scratch *s,
                         float *to, const int64_t at[3], int64_t rows);

/* Rows of a table of angles, from row i of it on. */
struct lct_load_angles {
    const float *cosines, *sines;
};

static inline struct lct_load_angles
lct_load_angles_at(const struct lct_problem *p, const float *cosines,
                   const float *sines, int64_t i)
{
    const int64_t from = i * p->schedule->pairs;

    return (struct lct_load_angles){ cosines + from, sines + from };
}

/*
 * Rows of D channels of the caller's tensor, from b, h, i on, to or from rows
 * of the padded width.
 */
void lct_load_rows(const struct lct_problem *p, float *to,
                   const locant_tensor *x, const int64_t at[3], int64_t rows);
void lct_store_rows(const struct lct_problem *p, const locant_tensor *x,
                    float *from, const int64_t at[3], int64_t rows);

/* Loaded, and turned by the schedule. */
void lct_load_rotated(const struct lct_problem *p, float *to,
                      const locant_tensor *x, const int64_t at[3], int64_t rows,
                      struct lct_load_angles angles);

/* Set keys, partial, mapped, sees for key tile n; false if it is hidden
 * wholly. */
bool lct_mask_classify(const struct lct_problem *p, struct lct_tile *t,
                       int64_t n, struct lct_scratch *s);

/* s->s = -infinity where hidden. */
void lct_mask_apply(const struct lct_problem *p, const struct lct_tile *t,
                    struct lct_scratch *s);

/*
 * s->s = scores of the tile, as the softmax takes them.  'slope' [keys, lanes]
 * gets that of the cap, if there is one; NULL: not wanted.
 */
void lct_scores_of_tile(const struct lct_problem *p, const struct lct_tile *t,
                        struct lct_scratch *s, const float *keys,
                        size_t key_row, float *slope);

/* What lct_scores_of_tile() does to products: bias, content, mask, cap. */
void lct_scores_finish(const struct lct_problem *p, const struct lct_tile *t,
                       struct lct_scratch *s, const float *keys, size_t key_row,
                       float *slope);

/* Cap n scores, where there is room for a multiple of LCT_PAD. */
static inline void lct_scores_cap(const struct lct_problem *p, float *s,
                                  float *slope, size_t n)
{
    if (p->softcap != 0)
        p->kernels->softcap(s, slope, (n + LCT_PAD - 1) / LCT_PAD * LCT_PAD,
                            (float)p->softcap);
}

/*
 * The steps of a product that is described as of the whole tile: of scores from
 * rows of keys and columns of queries, which leaves them as they are where no
 * step is; into rows of queries from rows of keys, by weights; and into rows of
 * keys from those of queries.  These two with a guard, if t->partial.
 */
void lct_steps_scores(const struct lct_problem *p, const struct lct_tile *t,
                      const struct lct_product *x);
void lct_steps_queries(const struct lct_problem *p, const struct lct_tile *t,
                       const struct lct_product *x);
void lct_steps_keys(const struct lct_problem *p, const struct lct_tile *t,
                    const struct lct_product *x);

/* The kernels of a softmax on s->s and s->ds; where no step is they are 0. */
void lct_softmax_update(const struct lct_problem *p, const struct lct_tile *t,
                        struct lct_scratch *s);
void lct_softmax_recompute_probs(const struct lct_problem *p,
                                 const struct lct_tile *t,
                                 struct lct_scratch *s);
void lct_softmax_backward(const struct lct_problem *p, const struct lct_tile *t,
                          struct lct_scratch *s);

/*
 * The product as the kernel forms it, except that with 'guard', where b holds a
 * NaN or an infinity, coefficients that are 0 contribute nothing.
 */
void lct_multiply(const struct lct_kernels *kernels,
                  const struct lct_product *x, bool guard);

/* The same where b does hold one. */
void lct_multiply_guarded(const struct lct_kernels *kernels,
                          const struct lct_product *x);

/* Where forward writes. */
struct lct_results {
    const struct lct_problem *p;
    const locant_tensor *out, *lse;
};

/* Result of query b, h, i: 'from' [D] by its sum; stores the log of that. */
void lct_softmax_finish(const struct lct_results *r, const int64_t at[3],
                        float *from, float top, float sum);

/* Forward for few queries (decode.c). */
void lct_decode_forward(const struct lct_problem *p, const locant_tensor *out,
                        const locant_tensor *lse);

/* Row of p->dparam of one task of backward. */
static inline double *lct_param_gradients_of_task(const struct lct_problem *p,
                                                  int64_t chunk_row,
                                                  int64_t kv_head)
{
    if (p->dparam == NULL) /* nothing to learn */
        return NULL;
    return p->dparam + p->params +
           (size_t)(chunk_row * p->Hkv + kv_head) * p->task_params;
}

/* Tables of biases (bias_table.c): room, and values once positions and tiles
 * are known. */
void lct_bias_table_layout(struct lct_problem *p, struct lct_arena *arena);
void lct_bias_table_layout_gradients(struct lct_problem *p,
                                     struct lct_arena *arena);
void lct_bias_table_fill(struct lct_problem *p);

/* s->s += bias of the tile. */
void lct_bias_add(const struct lct_problem *p, const struct lct_tile *t,
                  struct lct_scratch *s);

/*
 * s[n] += bias of head h of query i at key j + n, n < keys: the bits that
 * lct_bias_add() adds for that pair.
 */
void lct_bias_add_row(const struct lct_problem *p, int64_t b, int64_t h,
                      int64_t i, int64_t j, int64_t keys, float *s);

/* Add the tile's ds to the gradient of the bias. */
void lct_bias_backward(const struct lct_problem *p, const struct lct_tile *t,
                       struct lct_scratch *s, int64_t chunk_row);

/* After a chunk of 'rows' batch rows: fold, and at the end deliver. */
void lct_bias_fold(struct lct_problem *p, int64_t rows);
void lct_bias_deliver(struct lct_problem *p, locant_tensor *dparams,
                      const locant_attention *a);
#endif

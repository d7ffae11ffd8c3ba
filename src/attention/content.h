/*
 * content.h - the content door of a tile, by products.
 *
 * encodings/content.h says which products.  Tables are filled once per call
 * with the vectors that some difference of positions picks, for each head.  A
 * tile of 64 queries and 64 keys has at most 127 differences, so one product
 * with that many rows serves the tile, whose pairs gather from it along the
 * diagonals.  The next tile of keys needs 64 new rows and keeps the others.
 */
#ifndef LCT_ATTENTION_CONTENT_H
#define LCT_ATTENTION_CONTENT_H
#include "../encodings/content.h"
#include "arithmetic.h"
#include "content_maps_memory.h"
#include "tables.h"

enum { LCT_CONTENT_WINDOW = 128 }; /* rows of a table, held at a time */

/* One table of vectors. */
struct lct_content_table {
    struct lct_vectors v;
    int64_t first, range; /* differences in row_of; 0 if v.pairs > 0 */
    int32_t *row_of;      /* [range]: row of 'vectors' */
    int64_t low, rows;    /* the encoding's rows low .. low + rows - 1 */
    int64_t heads;        /* H, or 1 if all heads share the vectors */
    float *vectors;       /* [heads, rows, padded]; for KEY: scaled */
    int64_t padded_rows;  /* more than 'rows': products read whole vectors */
    float *columns;       /* for KEY: [heads, D, padded_rows], the transpose */
    bool finite;          /* 'vectors' has no NaN or infinity */
    int64_t owners;       /* tables of gradients per batch row */
    double *dtable;       /* [chunk, owners, rows, D] */
    double *dtotal;       /* [heads, rows, D] */
};

/* Products of rows low .. high - 1 of a table with a tile of queries. */
struct lct_content_window {
    int64_t low, high;
    float *held; /* [WINDOW, lanes] */
};

/* Memory of one running task. */
struct lct_content_scratch {
    struct lct_content_window product[LCT_MAX_VECTORS],
        gradient[LCT_MAX_VECTORS];
    float *y[LCT_MAX_VECTORS];      /* [TILE, padded]: queries + 'added';
                                       near/far: [0] has queries rotated far */
    float *y_cols[LCT_MAX_VECTORS]; /* [D, TILE]: its transpose */
    float *dy[LCT_MAX_VECTORS];     /* [TILE, padded] */
    float *rows;                    /* [WINDOW, padded] */
    float *by_row;                  /* [TILE, WINDOW] or [WINDOW, TILE]: scores,
                                       weights or gradients of rows */
    float *far_keys;                /* [TILE, padded], in 'rows' */
    float *far_s;                   /* [TILE keys, lanes], in 'by_row': scores
                                       of a mixed tile, or their gradients */
    int32_t *at;                    /* [TILE, TILE]: row of each pair */
    double *row;                    /* [max(W, D)] */
    float *far_dk;                  /* [S, padded]: gradients of far keys */
};

/* Gates of one set: sums of their logarithms. */
struct lct_content_gates {
    int weight, bias;      /* indices of parameters */
    double *gate;          /* [B, H, S]: ln f */
    int64_t rows;          /* S, or the tokens that a state has room for */
    double *k_sum, *q_sum; /* [B, H, rows], [B, H, T] */
    double *dk_sum, *dq_sum;
};

struct lct_content_products {
    struct lct_products products;
    struct lct_content_table table[LCT_MAX_VECTORS];
    int64_t basis_row; /* W rounded up to LCT_PAD */
    float *basis;      /* [rows, basis_row]: rows to project */
    float *matrix;     /* [H, W, padded]; basis_backward: [H D, basis_row] */
    double *dvector[1 + LCT_MAX_VECTORS]; /* [chunk, H, D]: gradients of u
                              and of each 'added' */
    struct lct_content_scratch *scratch;  /* [slots] */

    /* As tables->angles, for far queries and keys. */
    struct lct_table far_angles[2];

    /* Gates: sums of their logarithms, in order of documents and positions. */
    int64_t *order; /* [position_rows, S]: indices of keys */
    int64_t *last;  /* [position_rows, T]: index of the last key, in
                              that order, that a query may see; -1: none */
    struct lct_content_maps maps; /* of products.maps */
    int gate_sets; /* 1, or 2 with gates for keys after the query */
    struct lct_content_gates gates[2];
};

static inline struct lct_content_scratch *
lct_content_scratch_of(const struct lct_plan *p, const struct lct_scratch *s)
{
    return &p->content->scratch[s - p->tiled->scratch];
}

/* --------------------------------------------------------------- one tile */

/* Compute what content needs of a tile of queries that has been loaded. */
void lct_content_open(const struct lct_plan *p, const struct lct_tile *t,
                      struct lct_scratch *s);

/* Add content to the scores s->s, after the bias and before the mask. */
void lct_content_scores(const struct lct_plan *p, const struct lct_tile *t,
                        struct lct_scratch *s, const float *keys,
                        size_t key_row);

/* s->out += weights s->s times the vectors they pick. */
void lct_content_values(const struct lct_plan *p, const struct lct_tile *t,
                        struct lct_scratch *s);

/* ---------------------------------------------------------------- backward */

/* Arguments of backward; those after chunk_row are of the tile of keys. */
struct lct_content_gradients {
    bool learns;       /* gradients of parameters are wanted */
    int64_t chunk_row; /* batch row in the chunk */
    const float *keys;
    size_t key_row; /* distance of rows of 'keys' */
    struct lct_product_rows dk;
};

/* s->ds, the gradient of the weights s->s, += the gradient through 'values'. */
void lct_content_values_backward(const struct lct_plan *p,
                                 const struct lct_tile *t,
                                 struct lct_scratch *s,
                                 const struct lct_content_gradients *job);

/* s->ds: from the gradient of content's scores to that of scores without it. */
void lct_content_scores_backward(const struct lct_plan *p,
                                 const struct lct_tile *t,
                                 struct lct_scratch *s,
                                 const struct lct_content_gradients *job);

/* After all keys: add the gradients of content to s->dq. */
void lct_content_close(const struct lct_plan *p, const struct lct_tile *t,
                       struct lct_scratch *s,
                       const struct lct_content_gradients *job);
#endif

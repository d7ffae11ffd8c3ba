/*
 * content.h - what the content door adds to a tile, as products.
 *
 * encodings/content.h says which products.  Vectors are laid out once per call:
 * of each row that some difference of positions picks, one for each head.  A
 * tile of 64 queries and 64 keys has 127 differences at most, so it needs a
 * product with as many rows, gathered along its diagonals; the next tile of
 * keys needs 64 rows more, and keeps the others.
 */
#ifndef LCT_ATTENTION_CONTENT_H
#define LCT_ATTENTION_CONTENT_H
#include "../encodings/content.h"
#include "arithmetic.h"
#include "tables.h"

enum { LCT_CONTENT_WINDOW = 128 }; /* rows that are held at a time */

/* One table of vectors. */
struct lct_content_table {
    struct lct_vectors v;
    int64_t first, range;  /* differences that have an entry, none with pairs */
    int32_t *row_of;       /* [range]: row of the table below */
    int64_t low, rows;     /* rows of the encoding that are in the table */
    int64_t heads;         /* tables: one for each head, or 1 */
    float *vectors;        /* [heads, rows, padded]; of KEY: scaled */
    int64_t padded_rows;
    float *columns;        /* of KEY: [heads, D, padded_rows], its transpose */
    bool finite;
    int64_t owners;        /* tables of gradients in each batch row */
    double *dtable;        /* [chunk, owners, rows, D] */
    double *dtotal;        /* [heads, rows, D] */
};

/* Products of rows low .. high - 1 of a table with a tile of queries. */
struct lct_content_window {
    int64_t low, high;
    float *held;           /* [WINDOW, lanes] */
};

/* Memory of one running task. */
struct lct_content_scratch {
    struct lct_content_window product[LCT_MAX_VECTORS],
        gradient[LCT_MAX_VECTORS];
    float *y[LCT_MAX_VECTORS];      /* [TILE, padded]: queries with 'added'; */
    float *y_cols[LCT_MAX_VECTORS]; /* [D, TILE]; NULL: queries as they are */
    float *dy[LCT_MAX_VECTORS];     /* [TILE, padded] */
    float *rows;                    /* [WINDOW, padded] */
    float *keys;                    /* [TILE, WINDOW]: keys with rows */
    int32_t *at;                    /* [TILE, TILE]: rows of pairs */
    double *row;                    /* [max(width, D)] */
    float *dk;                      /* [S, padded]: of far keys */
};

struct lct_content_products {
    struct lct_products terms;
    struct lct_content_table table[LCT_MAX_VECTORS];
    int64_t basis_row;     /* width, padded */
    float *basis;          /* [rows, basis_row]: what is projected */
    float *matrix;         /* [H, width, padded D], or [H D, basis_row] */
    double *dvector[1 + LCT_MAX_VECTORS]; /* [chunk, H, D]: of u, of each
                              'added' */
    struct lct_content_scratch *scratch; /* [slots] */

    /* As tables->angles, of far keys. */
    struct lct_table far_angles[2];

    /* Gates: sums of their logarithms, in order of documents and positions. */
    int64_t *order;        /* [position_rows, S]: keys */
    int64_t *last;         /* [position_rows, T]: the last key that a query
                              may see, counted in that order; -1: none */
    double *gate;          /* [B, H, S]: ln f */
    double *k_sum, *q_sum; /* [B, H, S], [B, H, T] */
    double *dk_sum, *dq_sum;
};

static inline struct lct_content_scratch *
lct_content_scratch_of(const struct lct_plan *p, const struct lct_scratch *s)
{
    return &p->content->scratch[s - p->tiled->scratch];
}

/* --------------------------------------------------------------- one tile */

/* After a tile of queries was loaded: load what content adds to it. */
void lct_content_open(const struct lct_plan *p, const struct lct_tile *t,
                      struct lct_scratch *s);

/* s->s: add what content adds; the bias is in it, the mask is not. */
void lct_content_scores(const struct lct_plan *p, const struct lct_tile *t,
                        struct lct_scratch *s, const float *keys,
                        size_t key_row);

/* s->out += weights s->s times the vectors they pick. */
void lct_content_values(const struct lct_plan *p, const struct lct_tile *t,
                        struct lct_scratch *s);

/* ---------------------------------------------------------------- backward */

/* What backward needs to know of the tile of keys. */
struct lct_content_gradients {
    bool learns;
    int64_t chunk_row;
    const float *keys;
    size_t key_row;
    struct lct_rows_to dk;
};

/* s->ds, the gradient of the weights s->s, += that through 'values'. */
void lct_content_values_backward(const struct lct_plan *p,
                                 const struct lct_tile *t,
                                 struct lct_scratch *s,
                                 const struct lct_content_gradients *job);

/* s->ds: from the gradient of scores after content to that before. */
void lct_content_scores_backward(const struct lct_plan *p,
                                 const struct lct_tile *t,
                                 struct lct_scratch *s,
                                 const struct lct_content_gradients *job);

/* After all keys: add to s->dq, the gradient of the queries. */
void lct_content_close(const struct lct_plan *p, const struct lct_tile *t,
                       struct lct_scratch *s,
                       const struct lct_content_gradients *job);
#endif

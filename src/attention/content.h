/*
 * content.h - what the content door adds, as products of tiles.
 *
 * encodings/terms.h says which products.  Vectors are laid out once per call:
 * of each row that some difference of positions picks, one for each head.  A
 * tile of 64 queries and 64 keys has 127 differences at most, so it needs a
 * product with as many rows, gathered along its diagonals; the next tile of
 * keys needs 64 rows more, and keeps the others.
 */
#ifndef LCT_ATTENTION_TERMS_H
#define LCT_ATTENTION_TERMS_H
#include "../encodings/content.h"
#include <stdint.h>

struct lct_problem;
struct lct_arena;
struct lct_tile;
struct lct_scratch;
struct lct_extent;

enum { LCT_CONTENT_WINDOW = 128 }; /* rows that are held at a time */

/* One table of vectors. */
struct lct_content_table {
    struct lct_vectors v;
    int64_t first, range;  /* differences that have an entry, none with pairs */
    int32_t *row_of;       /* [range]: row of the table below */
    int64_t low, rows;     /* rows of the encoding that are in the table */
    int64_t heads;         /* tables: one for each head, or 1 */
    float *table;          /* [heads, rows, padded]; of KEY: scaled */
    int64_t wide;
    float *columns;        /* of KEY: [heads, D, wide], its transpose */
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

struct lct_content_plan {
    struct lct_products terms;
    struct lct_content_table term[LCT_MAX_VECTORS];
    int64_t basis_row;     /* width, padded */
    float *basis;          /* [rows, basis_row]: what is projected */
    float *matrix;         /* [H, width, padded D], or [H D, basis_row] */
    double *dvector[1 + LCT_MAX_VECTORS]; /* [chunk, H, D]: of u, of each
                              'added' */
    struct lct_content_scratch *scratch; /* [slots] */

    /* Angles of far ones, as those of problem.h of near ones. */
    float *q_cos, *q_sin, *k_cos, *k_sin;

    /* Gates: sums of their logarithms, in order of documents and positions. */
    int64_t *order;        /* [position_rows, S]: keys */
    int64_t *last;         /* [position_rows, T]: the last key that a query
                              may see, counted in that order; -1: none */
    double *gate;          /* [B, H, S]: ln f */
    double *k_sum, *q_sum; /* [B, H, S], [B, H, T] */
    double *dk_sum, *dq_sum;
};

/* May the tiled engine do what content does in this call?  Sets the terms. */
bool lct_content_plan(struct lct_problem *p, const locant_attention *a);

/* Schedules that its fill and the rotation of rows ask for. */
locant_status lct_content_schedule(struct lct_problem *p);

/* Has no other part of the encoding parameters? */
bool lct_content_learns_alone(const struct lct_problem *p);

/* Doubles of gradients that each batch row of a chunk keeps. */
double lct_content_gradients(const struct lct_problem *p);

void lct_content_layout(struct lct_problem *p, struct lct_arena *arena);
void lct_content_fill(struct lct_problem *p, const locant_attention *a);

/* --------------------------------------------------------------- one tile */

/* A tile of queries was loaded: what it needs besides. */
void lct_content_open(const struct lct_problem *p, const struct lct_tile *t,
                      struct lct_scratch *s);

/* s->s, with its bias and before the mask, as content leaves it. */
void lct_content_scores(const struct lct_problem *p, const struct lct_tile *t,
                        struct lct_scratch *s, const float *keys,
                        size_t key_row);

/* s->out += what the weights s->s take besides values. */
void lct_content_values(const struct lct_problem *p, const struct lct_tile *t,
                        struct lct_scratch *s);

/*
 * Keys that are seen near or far: set sight and away of a tile whose extents
 * these are; false: no query sees any of the keys.
 */
bool lct_content_classify(const struct lct_problem *p, struct lct_tile *t,
                          const struct lct_extent *q,
                          const struct lct_extent *k);

/* Keys turned far, padded rows in the scratch. */
const float *lct_content_far_keys(const struct lct_problem *p,
                                  const struct lct_tile *t,
                                  struct lct_scratch *s);

/*
 * s->s of a tile that is not near: all of it ('keys' are far then), or those
 * entries of near ones that are not.
 */
void lct_content_far_scores(const struct lct_problem *p,
                            const struct lct_tile *t, struct lct_scratch *s,
                            const float *keys);

/* ---------------------------------------------------------------- backward */

/* Gradients of the pairs that are far; in a mixed tile they leave s->ds. */
void lct_content_far_backward(const struct lct_problem *p,
                              const struct lct_tile *t, struct lct_scratch *s,
                              const float *keys);

/* Before and after all tiles of one head of keys. */
void lct_content_begin_keys(const struct lct_problem *p, struct lct_scratch *s);
void lct_content_end_keys(const struct lct_problem *p, int64_t b, int64_t head,
                          struct lct_scratch *s, const locant_tensor *dk);

/* What backward wants, and where the gradients of the tile's keys go. */
struct lct_content_gradients {
    bool learns;
    int64_t chunk_row;
    const float *keys;
    size_t key_row;
    float *dk;             /* NULL: not wanted */
    size_t dk_row;
};

/* s->ds, the gradient of the weights s->s: that of 'values' besides. */
void lct_content_values_backward(const struct lct_problem *p,
                                 const struct lct_tile *t,
                                 struct lct_scratch *s,
                                 const struct lct_content_gradients *job);

/* s->ds as the gradient of the scores that content got. */
void lct_content_scores_backward(const struct lct_problem *p,
                                 const struct lct_tile *t,
                                 struct lct_scratch *s,
                                 const struct lct_content_gradients *job);

/* All keys were met: s->out is the gradient of the queries. */
void lct_content_close(const struct lct_problem *p, const struct lct_tile *t,
                       struct lct_scratch *s,
                       const struct lct_content_gradients *job);

/* Before and after each chunk of batch rows, and at the end of all. */
void lct_content_clear(const struct lct_problem *p, int64_t b, int64_t rows);
void lct_content_fold(const struct lct_problem *p, const locant_attention *a,
                      const locant_tensor *dx, bool learns, int64_t b,
                      int64_t rows);
void lct_content_deliver(const struct lct_problem *p);
#endif

/* rows_content.h - the content door in double, one query at a time */
#ifndef LCT_ROWS_CONTENT_H
#define LCT_ROWS_CONTENT_H
#include "../encodings/content.h"

struct lct_arena;
struct lct_plan;
struct lct_rows_scratch;
struct lct_rows_document;
struct lct_rows_task;

enum { LCT_ROWS_VECTORS = LCT_MAX_VECTORS + 1 }; /* 'u' is one more */

/* Vectors of which each pair of positions picks one. */
struct lct_rows_vectors {
    struct lct_vectors v;
    int64_t first, count; /* rows of a learned basis: first, number */
    double *rows, *drows; /* [heads, count, D]: projected rows; or NULL */
};

/* What content keeps of one document. */
struct lct_rows_content {
    struct lct_products products;
    struct lct_rows_vectors vectors[LCT_ROWS_VECTORS];
    int count;
    int64_t *order;                   /* [keys]: their indices by position */
    double *log_gate, *dlog_gate;     /* [2, heads, keys]: of keys up to the
                                     query, of those after it */
    double *rotated[2], *drotated[2]; /* [kv_heads, keys, D]: keys rotated near
                                     and far */
};

/* What content keeps of one query. */
struct lct_rows_content_scratch {
    double *y, *dy;                   /* [heads, W]: queries projected to it */
    int64_t *basis_row;               /* [S]: which rows 'basis' has */
    double *basis;                    /* [S, W]: rows of a fixed basis */
    double *row, *drow;               /* [max(W, D)] */
    double *rotated[2], *drotated[2]; /* [D]: a query, near and far */
    double *cosines, *sines;          /* [D / 2] */
    char *classes;                    /* [S]: enum lct_near_far_class */
    double *memory;                   /* [S + 2, D]: of the hook 'scores' */
};

/* Find the products of a document; doc->c.call must be set. */
void lct_rows_content_plan(struct lct_rows_document *doc);
void lct_rows_content_layout(struct lct_rows_document *doc,
                             struct lct_rows_scratch *r,
                             const struct lct_plan *p, struct lct_arena *arena);

/* Begin a document whose keys are loaded; 'backward' clears its gradients. */
void lct_rows_content_begin(const struct lct_rows_task *w);
void lct_rows_content_begin_backward(const struct lct_rows_task *w);

/*
 * Turn 'scores' [heads, keys], scale * q.k + bias, into scores with content;
 * masked scores stay -infinity.  'backward' turns 'dscores', the gradient of
 * the result, into the gradient of scores without content, and adds to g.
 */
void lct_rows_content_scores(double *scores, const struct lct_rows_task *w);
void lct_rows_content_backward(double *dscores,
                               const struct lct_content_gradient *g,
                               const double *scores,
                               const struct lct_rows_task *w);

/* End a document: add the gradients of its arrays to g. */
void lct_rows_content_end(const struct lct_content_gradient *g,
                          const struct lct_rows_task *w);

/* o [heads, D] += weights p [heads, keys] times the vectors they pick. */
void lct_rows_content_values(double *o, const double *p,
                             const struct lct_rows_task *w);
void lct_rows_content_values_backward(double *dp,
                                      const struct lct_content_gradient *g,
                                      const double *p, const double *dout,
                                      const struct lct_rows_task *w);
#endif

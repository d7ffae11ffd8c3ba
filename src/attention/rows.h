/*
 * rows.h - attention in double, one query of some heads at a time.
 *
 * The definition written down: the reference, the whole implementation for F64,
 * and for content that tiles do not serve (content.h).  Keys that see each
 * other make a segment: one document of one batch row, for one head of k and
 * the heads of q that share it, or for all heads where content is read.  An
 * encoding that reads content meets segments only, so documents in one row are
 * to it what they are in rows of their own.
 */
#ifndef LCT_ATTENTION_ROWS_H
#define LCT_ATTENTION_ROWS_H
#include "rows_content.h"
#include "tables.h"

struct lct_segment {
    int64_t b, doc;
    int64_t head, heads;      /* of q, first and how many */
    int64_t kv_head, kv_heads;
    bool active;              /* false: no more documents */
    int64_t *index;           /* [S]: which keys of the batch row they are */
    double *k, *v, *dk, *dv;  /* [kv_heads, keys, D] (k, dk: turned, Dq) */
    double *x, *dx;           /* [keys, W]; NULL: not given */
    struct lct_content c;     /* also where nothing reads content */
    struct lct_rows_content content;
};

/* One query: rows [heads, ..]. */
struct lct_row_scratch {
    double *q, *dq;           /* [.., Dq], turned, times the temperature */
    double *o, *dout;         /* [.., D] */
    double *s, *bias, *dbias; /* [.., S]; s: before content */
    double *p, *ds;           /* [.., S] */
    double *slope;            /* [.., S]: of the cap, where there is one */
    double *x, *dx;           /* [D]: one row before it is turned */
    struct lct_rows_content_scratch content;
};

struct lct_reference {
    struct lct_segment *segments; /* [slots] */
    struct lct_row_scratch *rows; /* [slots] */
};

void lct_rows_layout(struct lct_reference *reference, const struct lct_plan *p,
                     struct lct_arena *arena);

/* How many owners of segments there are, and the segments of one. */
int64_t lct_rows_tasks(const struct lct_plan *p);
void lct_segment_begin(struct lct_segment *s, const struct lct_plan *p,
                       int64_t task);

/* Move on to the next document; false: there is none. */
bool lct_segment_next(struct lct_segment *s, const struct lct_plan *p);

/* Read its keys, values and inputs, and let content begin. */
void lct_segment_load(struct lct_segment *s, const struct lct_plan *p,
                      const locant_attention *a, struct lct_row_scratch *r);

/* Is query i in the segment? */
bool lct_segment_has(const struct lct_segment *s, const struct lct_plan *p,
                     int64_t i);

/*
 * r->q, r->bias and r->s of query i, and what content is told about it; false:
 * no head sees any key.
 */
bool lct_row_scores(struct lct_query *query, const struct lct_row_scratch *r,
                    const struct lct_segment *s, const struct lct_plan *p,
                    int64_t i);

/* Cap n scores as content left them; 'slope' gets that of each, or is NULL. */
void lct_row_cap(double *s, double *slope, const struct lct_plan *p, int64_t n);

/* The engine, on tables that were filled. */
void lct_rows_forward(const struct lct_plan *p, const locant_attention *a,
                      locant_tensor *out, locant_tensor *lse);
void lct_rows_backward(const struct lct_plan *p, const locant_attention *a,
                       const locant_attention_gradients *g,
                       const locant_tensor *dout, const locant_tensor *out,
                       const locant_tensor *lse);
#endif

/*
 * rows.h - attention in double, one query of some heads at a time.
 *
 * The definition as code: the reference, and the only engine for F64 and for
 * content that tiles cannot do (content.h).  A task takes one document of a
 * batch row after another, for one head of k and the heads of q that share it,
 * or for all heads if the encoding has content.  So documents in one row give
 * the same results as in separate rows.  If none are given, a row is one.
 */
#ifndef LCT_ATTENTION_ROWS_H
#define LCT_ATTENTION_ROWS_H
#include "gradient_pass.h"
#include "real.h"
#include "rows_content.h"
#include "tables.h"

struct lct_rows_document {
    int64_t b, id;             /* batch row, number of the document in it */
    int64_t head, heads;       /* heads of q: first, number */
    int64_t kv_head, kv_heads; /* heads of k and v: first, number */
    bool active;               /* false: no more documents */
    int64_t *index;            /* [S]: which keys of the batch row they are */
    int64_t *order;            /* [S]: by position, for stick-breaking */
    double *k, *dk;            /* [kv_heads, keys, Dq] */
    double *v, *dv;            /* [kv_heads, keys, Dv] */
    double *x, *dx;            /* [keys, W]; NULL: not given */
    struct lct_content c;      /* some fields are set also without content */
    struct lct_rows_content content;
};

/* Memory for one query: rows [heads, ..]. */
struct lct_rows_scratch {
    double *q, *dq;           /* [relations, .., Dq], rotated, times the
                                 temperature */
    char *relation;           /* [S]: of each key to the query; NULL: all 0 */
    double *o, *dout;         /* [.., Dv] */
    double *s, *bias, *dbias; /* [.., S]; s: scores, in backward without
                                 content; in forward at last weights */
    double *p, *ds;           /* [.., S]: backward: weights, dscores */
    double *sigma, *rest;     /* [.., S], [heads]: stick-breaking, backward */
    double *slope;            /* [.., S]: derivative of the softcap */
    double *gain, *after;     /* [.., S]: factors (doors.h); NULL: 1 */
    double *factored;         /* [.., S]: backward: weights times 'after', then
                                 the gradient of a factor */
    double *x, *dx;           /* [max(D, Dv)]: a row before it is rotated */
    struct lct_rows_content_scratch content;
};

struct lct_rows_engine {
    struct lct_rows_document *documents; /* [slots] */
    struct lct_rows_scratch *scratch;    /* [slots] */
};

void lct_rows_layout(struct lct_rows_engine *rows, const struct lct_plan *p,
                     struct lct_arena *arena);

/* The arguments of most functions of this engine. */
struct lct_rows_task {
    const struct lct_plan *p;
    struct lct_rows_document *doc;
    const struct lct_content *c;      /* of 'doc' */
    struct lct_rows_content *content; /* of 'doc' */
    struct lct_rows_scratch *r;
    struct lct_query q; /* set by lct_rows_scores() */
};

/* Document 'doc' of p->rows, with the scratch of a slot. */
static inline struct lct_rows_task lct_rows_task_of(const struct lct_plan *p,
                                                    size_t doc, int slot)
{
    struct lct_rows_document *d = &p->rows->documents[doc];

    return (struct lct_rows_task){ .p = p,
                                   .doc = d,
                                   .c = &d->c,
                                   .content = &d->content,
                                   .r = &p->rows->scratch[slot] };
}

/* The number of tasks. */
int64_t lct_rows_tasks(const struct lct_plan *p);

/* Set 'doc' before the first document of a task. */
void lct_rows_begin(struct lct_rows_document *doc, const struct lct_plan *p,
                    int64_t task);

/* Move on to the next document; false: there is none. */
bool lct_rows_next(struct lct_rows_document *doc, const struct lct_plan *p);

/* Load the document's keys, values and inputs, and prepare its content. */
void lct_rows_load(const struct lct_rows_task *w);

/* Where, in r->q and r->dq, the query of head h of the document stands for its
 * key n. */
static inline int64_t lct_rows_query_at(const struct lct_rows_task *w,
                                        int64_t h, int64_t n)
{
    int relation = w->p->request->relations == NULL ? 0 : w->r->relation[n];

    return (relation * w->doc->heads + h) * w->p->Dq;
}

/* The query w->q of head h of the document, and the document's keys. */
struct lct_real_row lct_rows_real(const struct lct_rows_task *w, int64_t h);

/* Is query i in the document? */
bool lct_rows_has(const struct lct_rows_task *w, int64_t i);

/* Set w->q to query i; fill r->q, r->bias, r->s.  false: no head sees a key. */
bool lct_rows_scores(struct lct_rows_task *w, int64_t i);

/*
 * Cap the scores s [heads, keys] of query w->q and add the dense bias; 'slope',
 * unless NULL, gets the derivatives of the cap.
 */
void lct_rows_finish_scores(double *s, double *slope,
                            const struct lct_rows_task *w);

/* Run the engine; tables must be filled. */
void lct_rows_forward(const struct lct_plan *p, locant_tensor *out,
                      locant_tensor *lse);
void lct_rows_backward(const struct lct_plan *p,
                       const struct lct_gradient_pass *pass);
#endif

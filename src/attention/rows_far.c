/*
 * rows_far.c - scores with near keys at their distance and far keys at another
 * distance, in double.
 *
 *     s = bias + scale <R(near or far) q, R(near or far) k>
 *
 * Query and key are rotated separately (near_far.h), so each key is rotated
 * near and far, once per document.  The score replaces the one without content,
 * of which only the bias is kept.
 */
#include "rows_far.h"
#include <math.h>
#include <string.h>

/* Rotate a row in place, near or far by 'class'; sign -1: inverse. */
static void rotate(double *row, const struct lct_rows_document *s,
                   const struct lct_rows_scratch *r,
                   enum lct_near_far_class class, enum lct_role role,
                   int64_t pos, double sign)
{
    const struct lct_schedule *schedule;
    struct lct_table angles = { r->content.cosines, r->content.sines, true };

    /* Planning created it, so it cannot fail. */
    if (lct_schedule_of(&schedule, s->c.call.e, "locant_attention",
                        s->c.call.head_dim, 0) != LOCANT_OK)
        return;
    lct_near_far_angles_f64(r->content.cosines, r->content.sines, s->c.call.e,
                            schedule, class, role, pos);
    lct_rotate_row_f64(row, schedule, angles, sign);
}

static int64_t key_rows(const struct lct_rows_document *s)
{
    return s->c.call.kv_heads * s->c.keys;
}

void lct_rows_far_begin(const struct lct_rows_document *s,
                        const struct lct_rows_scratch *r)
{
    int64_t D = s->c.call.head_dim;

    for (int far = 0; far < 2; far++)
        for (int64_t n = 0; n < key_rows(s); n++) {
            double *row = s->content.rotated[far] + n * D;

            memcpy(row, s->c.k + n * D, (size_t)D * sizeof(*row));
            rotate(row, s, r, far ? LCT_FAR : LCT_NEAR, LCT_KEY,
                   s->c.k_pos[n % s->c.keys], 1);
        }
}

static void classify_keys(const struct lct_rows_document *s,
                          const struct lct_rows_scratch *r,
                          const struct lct_query *q)
{
    const locant_encoding *e = s->c.call.e;

    for (int64_t j = 0; j < s->c.keys; j++)
        e->row->content.near_far->classify(r->content.classes + j, e, &q->pos,
                                           1, s->c.k_pos[j]);
}

static void rotate_query(const struct lct_rows_document *s,
                         const struct lct_rows_scratch *r,
                         const struct lct_query *q, int64_t head)
{
    size_t bytes = (size_t)s->c.call.head_dim * sizeof(double);

    for (int far = 0; far < 2; far++) {
        memcpy(r->content.rotated[far], q->q + head * s->c.call.head_dim,
               bytes);
        rotate(r->content.rotated[far], s, r, far ? LCT_FAR : LCT_NEAR,
               LCT_QUERY, q->pos, 1);
    }
}

void lct_rows_far_scores(double *scores, const struct lct_rows_document *s,
                         const struct lct_rows_scratch *r,
                         const struct lct_query *q)
{
    const struct lct_content *c = &s->c;
    int64_t D = c->call.head_dim;

    classify_keys(s, r, q);
    for (int64_t h = 0; h < c->call.heads; h++) {
        rotate_query(s, r, q, h);
        for (int64_t j = 0; j < c->keys; j++) {
            int far = r->content.classes[j] == LCT_FAR;
            double *score = &scores[h * c->keys + j];

            if (r->content.classes[j] == LCT_MASKED)
                *score = -INFINITY;
            if (!lct_is_hidden(*score))
                *score = q->bias[h * c->keys + j] +
                         c->scale * lct_dot(r->content.rotated[far],
                                            s->content.rotated[far] +
                                                lct_key_at(c, h, j),
                                            D);
        }
    }
}

/*
 * forward: s = bias + scale <rotated q, rotated k>.  Of the score without
 * content only the bias gets a gradient.
 */
void lct_rows_far_backward(double *dscores,
                           const struct lct_content_gradient *g,
                           const double *scores,
                           const struct lct_rows_document *s,
                           const struct lct_rows_scratch *r,
                           const struct lct_query *q)
{
    const struct lct_content *c = &s->c;
    int64_t D = c->call.head_dim;

    classify_keys(s, r, q);
    for (int64_t h = 0; h < c->call.heads; h++) {
        rotate_query(s, r, q, h);
        for (int far = 0; far < 2; far++)
            memset(r->content.drotated[far], 0, (size_t)D * sizeof(double));
        for (int64_t j = 0; j < c->keys; j++) {
            int far = r->content.classes[j] == LCT_FAR;
            int64_t at = h * c->keys + j, key = lct_key_at(c, h, j);
            double d = c->scale * dscores[at];

            g->dbias[at] += dscores[at];
            dscores[at] = 0;
            if (d == 0 || lct_is_hidden(scores[at]) ||
                r->content.classes[j] == LCT_MASKED)
                continue;
            lct_accumulate(r->content.drotated[far], d,
                           s->content.rotated[far] + key, D);
            lct_accumulate(s->content.drotated[far] + key, d,
                           r->content.rotated[far], D);
        }
        for (int far = 0; far < 2; far++) {
            rotate(r->content.drotated[far], s, r, far ? LCT_FAR : LCT_NEAR,
                   LCT_QUERY, q->pos, -1);
            lct_accumulate(g->dq + h * D, 1, r->content.drotated[far], D);
        }
    }
}

/* forward: keys rotated near and far; their gradients are rotated back. */
void lct_rows_far_end(const struct lct_content_gradient *g,
                      const struct lct_rows_document *s,
                      const struct lct_rows_scratch *r)
{
    int64_t D = s->c.call.head_dim;

    for (int far = 0; far < 2; far++)
        for (int64_t n = 0; n < key_rows(s); n++) {
            double *row = s->content.drotated[far] + n * D;

            rotate(row, s, r, far ? LCT_FAR : LCT_NEAR, LCT_KEY,
                   s->c.k_pos[n % s->c.keys], -1);
            lct_accumulate(g->dk + n * D, 1, row, D);
        }
}

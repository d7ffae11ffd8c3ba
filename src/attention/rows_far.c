/*
 * rows_far.c - in double, scores of near keys at their own distance and of far
 * keys at another.
 *
 *     s = bias + scale <R(near or far) q, R(near or far) k>
 *
 * Query and key are rotated separately (near_far.h), so each key is rotated
 * near and far once per document.  This score replaces the one without content,
 * except for its bias.
 */
#include "rows_far.h"
#include <math.h>
#include <string.h>

/* Rotate a row in place, near or far; sign -1: undo it. */
static void rotate(double *row, const struct lct_rows_task *w,
                   enum lct_near_far_class class, enum lct_role role,
                   int64_t pos, double sign)
{
    const struct lct_schedule *schedule =
        lct_schedule_kept(w->c->call.e, w->c->call.head_dim);
    struct lct_table angles = { w->r->content.cosines, w->r->content.sines,
                                true };

    lct_near_far_angles_f64(w->r->content.cosines, w->r->content.sines,
                            w->c->call.e, schedule, class, role, pos);
    lct_rotate_row_f64(row, schedule, angles, sign);
}

static int64_t key_rows(const struct lct_rows_task *w)
{
    return w->c->call.kv_heads * w->c->keys;
}

void lct_rows_far_begin(const struct lct_rows_task *w)
{
    int64_t D = w->c->call.head_dim;

    for (int far = 0; far < 2; far++)
        for (int64_t n = 0; n < key_rows(w); n++) {
            double *row = w->content->rotated[far] + n * D;

            memcpy(row, w->c->k + n * D, (size_t)D * sizeof(*row));
            rotate(row, w, far ? LCT_FAR : LCT_NEAR, LCT_KEY,
                   w->c->k_pos[n % w->c->keys], 1);
        }
}

static void classify_keys(const struct lct_rows_task *w)
{
    const locant_encoding *e = w->c->call.e;

    for (int64_t j = 0; j < w->c->keys; j++)
        e->row->content.near_far->classify(w->r->content.classes + j, e,
                                           &w->q.pos, 1, w->c->k_pos[j]);
}

static void rotate_query(const struct lct_rows_task *w, int64_t head)
{
    size_t bytes = (size_t)w->c->call.head_dim * sizeof(double);

    for (int far = 0; far < 2; far++) {
        memcpy(w->r->content.rotated[far], w->q.q + head * w->c->call.head_dim,
               bytes);
        rotate(w->r->content.rotated[far], w, far ? LCT_FAR : LCT_NEAR,
               LCT_QUERY, w->q.pos, 1);
    }
}

void lct_rows_far_scores(double *scores, const struct lct_rows_task *w)
{
    const struct lct_content *c = w->c;
    int64_t D = c->call.head_dim;

    classify_keys(w);
    for (int64_t h = 0; h < c->call.heads; h++) {
        rotate_query(w, h);
        for (int64_t j = 0; j < c->keys; j++) {
            int far = w->r->content.classes[j] == LCT_FAR;
            double *score = &scores[h * c->keys + j];

            if (w->r->content.classes[j] == LCT_MASKED)
                *score = -INFINITY;
            if (!lct_is_hidden(*score))
                *score = w->q.bias[h * c->keys + j] +
                         c->scale * lct_dot(w->r->content.rotated[far],
                                            w->content->rotated[far] +
                                                lct_key_at(c, h, j),
                                            D);
        }
    }
}

/*
 * forward: s = bias + scale <rotated q, rotated k>.  The score without content
 * gets no gradient, but its bias does.
 */
void lct_rows_far_backward(double *dscores,
                           const struct lct_content_gradient *g,
                           const double *scores, const struct lct_rows_task *w)
{
    const struct lct_content *c = w->c;
    int64_t D = c->call.head_dim;

    classify_keys(w);
    for (int64_t h = 0; h < c->call.heads; h++) {
        rotate_query(w, h);
        for (int far = 0; far < 2; far++)
            memset(w->r->content.drotated[far], 0, (size_t)D * sizeof(double));
        for (int64_t j = 0; j < c->keys; j++) {
            int far = w->r->content.classes[j] == LCT_FAR;
            int64_t at = h * c->keys + j, key = lct_key_at(c, h, j);
            double d = c->scale * dscores[at];

            g->dbias[at] += dscores[at];
            dscores[at] = 0;
            if (d == 0 || lct_is_hidden(scores[at]) ||
                w->r->content.classes[j] == LCT_MASKED)
                continue;
            lct_accumulate(w->r->content.drotated[far], d,
                           w->content->rotated[far] + key, D);
            lct_accumulate(w->content->drotated[far] + key, d,
                           w->r->content.rotated[far], D);
        }
        for (int far = 0; far < 2; far++) {
            rotate(w->r->content.drotated[far], w, far ? LCT_FAR : LCT_NEAR,
                   LCT_QUERY, w->q.pos, -1);
            lct_accumulate(g->dq + h * D, 1, w->r->content.drotated[far], D);
        }
    }
}

/* forward: keys were rotated near and far */
void lct_rows_far_end(const struct lct_content_gradient *g,
                      const struct lct_rows_task *w)
{
    int64_t D = w->c->call.head_dim;

    for (int far = 0; far < 2; far++)
        for (int64_t n = 0; n < key_rows(w); n++) {
            double *row = w->content->drotated[far] + n * D;

            rotate(row, w, far ? LCT_FAR : LCT_NEAR, LCT_KEY,
                   w->c->k_pos[n % w->c->keys], -1);
            lct_accumulate(g->dk + n * D, 1, row, D);
        }
}

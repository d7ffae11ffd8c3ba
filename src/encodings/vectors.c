/*
 * vectors.c - scores of queries with learned vectors, one for each distance.
 *
 * Far keys often share one row, so a product is kept while the row stays the
 * same, and gradients of such a run are added at once.  Which keys follow a
 * key changes nothing in its score: the product is that of the row alone.
 */
#include "vectors.h"

void lct_vectors_content(double *s, const struct lct_content *c,
                         const struct lct_query *q, const double *table,
                         lct_row_of row)
{
    int64_t D = c->call.head_dim;

    for (int64_t h = 0; h < c->call.heads; h++) {
        int64_t last = -1;
        double product = 0;

        for (int64_t j = 0; j < c->keys; j++) {
            double *score = &s[h * c->keys + j];
            int64_t m;

            if (lct_is_hidden(*score))
                continue;
            m = row(c->call.e, q->pos, c->k_pos[j]);
            if (m < 0)
                continue;
            if (m != last)
                product = c->scale * lct_dot(q->q + h * D, table + m * D, D);
            last = m;
            *score += product;
        }
    }
}

/* forward: s += scale <q, table[m]>; dq = scale ds table[m], and the reverse */
static void add_run(const struct lct_content_gradient *g, int param, double ds,
                    const struct lct_content *c, const double *q, int64_t head,
                    int64_t m)
{
    int64_t D = c->call.head_dim;

    if (m < 0 || ds == 0)
        return;
    lct_accumulate(g->dq + head * D, c->scale * ds,
                   c->call.param[param] + m * D, D);
    lct_accumulate(g->dparam[param] + m * D, c->scale * ds, q, D);
}

void lct_vectors_content_backward(const double *ds,
                                  const struct lct_content_gradient *g,
                                  int param, const double *s,
                                  const struct lct_content *c,
                                  const struct lct_query *q, lct_row_of row)
{
    for (int64_t h = 0; h < c->call.heads; h++) {
        const double *q_head = q->q + h * c->call.head_dim;
        int64_t last = -1;
        double run = 0;

        for (int64_t j = 0; j < c->keys; j++) {
            int64_t m;

            if (lct_is_hidden(s[h * c->keys + j]))
                continue;
            m = row(c->call.e, q->pos, c->k_pos[j]);
            if (m != last) {
                add_run(g, param, run, c, q_head, h, last);
                run = 0;
            }
            last = m;
            run += ds[h * c->keys + j];
        }
        add_run(g, param, run, c, q_head, h, last);
    }
}

/*
 * content_encoding.h - an encoding for tests that uses all that the content
 * door offers, forward and backward.
 */
#ifndef CONTENT_ENCODING_H
#define CONTENT_ENCODING_H

#include "encodings/content.h"
#include "testing.h"
#include <math.h>
#include <stdatomic.h>

/*
 *     s' = s (1 + a_h / 4) + a_h bias + scale (q.b_h) k_j[0]
 *          + sum over t in (j, i] of ln sigmoid(w_h.x_t + c_h)
 *     o_h += sum_j p_hj b_h
 *
 * Hooks compute the first line; the others are products.
 */
enum { A, GATE, BOTH, GATE_BIAS };

static const struct lct_param params[] = {
    { .name = "a", .dims = { "heads" }, .init = LCT_INIT_NORMAL, .b = 1 },
    { .name = "w",
      .dims = { "heads", "width" },
      .init = LCT_INIT_NORMAL,
      .b = 0.3 },
    { .name = "b",
      .dims = { "heads", "head_dim" },
      .init = LCT_INIT_NORMAL,
      .b = 1 },
    { .name = "c", .dims = { "heads" }, .init = LCT_INIT_NORMAL, .b = 1 },
    { 0 }
};

static atomic_int asked; /* calls of content() */

static int64_t key_at(const struct lct_content *c, int64_t h, int64_t j)
{
    return (h / (c->call.heads / c->call.kv_heads) * c->keys + j) *
           c->call.head_dim;
}

static double query_part(const struct lct_content *c, const struct lct_query *q,
                         int64_t h)
{
    int64_t D = c->call.head_dim;
    double sum = 0;

    for (int64_t d = 0; d < D; d++)
        sum += q->q[h * D + d] * c->call.param[BOTH][h * D + d];
    return sum;
}

static void content(double *s, const struct lct_content *c,
                    const struct lct_query *q)
{
    bool any = false;

    atomic_fetch_add(&asked, 1);
    for (int64_t h = 0; h < c->call.heads; h++)
        for (int64_t j = 0; j < c->keys; j++) {
            int64_t at = h * c->keys + j;

            any |= s[at] != -INFINITY;
            s[at] = s[at] == -INFINITY ? -INFINITY
                                       : s[at] * (1 + c->call.param[A][h] / 4) +
                                             c->call.param[A][h] * q->bias[at] +
                                             c->scale * query_part(c, q, h) *
                                                 c->k[key_at(c, h, j)];
        }
    CHECK(any); /* a query that sees nothing is not asked about */
}

static void content_backward(double *ds, const struct lct_content_gradient *g,
                             const double *s, const struct lct_content *c,
                             const struct lct_query *q)
{
    int64_t D = c->call.head_dim;

    for (int64_t h = 0; h < c->call.heads; h++)
        for (int64_t j = 0; j < c->keys; j++) {
            int64_t at = h * c->keys + j, k = key_at(c, h, j);
            double d = ds[at], x = c->scale * d;

            if (s[at] == -INFINITY) { /* masked: must be ignored */
                ds[at] = g->dbias[at] = 1e3;
                continue;
            }
            g->dparam[A][h] += d * (q->bias[at] + s[at] / 4);
            g->dbias[at] += d * c->call.param[A][h];
            g->dk[k] += x * query_part(c, q, h);
            for (int64_t n = 0; n < D; n++) {
                g->dq[h * D + n] +=
                    x * c->k[k] * c->call.param[BOTH][h * D + n];
                g->dparam[BOTH][h * D + n] += x * c->k[k] * q->q[h * D + n];
            }
            ds[at] = d * (1 + c->call.param[A][h] / 4);
        }
}

static int64_t only_row(const locant_encoding *e, int64_t q_pos, int64_t k_pos)
{
    (void)e;
    (void)q_pos;
    (void)k_pos;
    return 0;
}

static void products(struct lct_products *out, const locant_encoding *e,
                     struct lct_span differences)
{
    (void)e;
    (void)differences;
    out->gate_weight = GATE;
    out->gate_bias = GATE_BIAS;
    out->count = 1;
    out->vectors[0] = lct_plain_vectors(LCT_TIMES_WEIGHT, BOTH);
    out->vectors[0].by_head = true;
    out->vectors[0].row = only_row;
}

static const struct lct_encoding everything = {
    .info = { .name = "everything", .doors = LOCANT_DOOR_CONTENT,
              .traits = LOCANT_TRAIT_READS_X },
    .params = { .list = params },
    .content = {
        .products = products,
        .scores = content,
        .backward = content_backward,
    },
};

/* That encoding with another one. */
struct pair {
    locant_encoding all, sum, *other;
};

static void make_pair(struct pair *p, const char *other)
{
    CHECK_OK(locant_encoding_create(&p->other, other));
    p->all = (locant_encoding){ .row = &everything,
                                .parts = 1,
                                .doors = LOCANT_DOOR_CONTENT,
                                .traits = LOCANT_TRAIT_READS_X };
    p->all.part[0].e = &p->all;
    p->sum = (locant_encoding){ .row = &lct_enc_sum,
                                .parts = 2,
                                .nested = { &p->all, p->other } };
    p->sum.doors = p->all.doors | p->other->doors;
    p->sum.traits = p->all.traits;
    p->sum.part[0].e = &p->all;
    p->sum.part[1].e = p->other;
    p->sum.part[1].first_param = 4;
}
#endif

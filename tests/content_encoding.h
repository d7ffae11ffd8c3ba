/*
 * content_encoding.h - an encoding made for tests, which uses all that the
 * content door offers, in both directions.
 */
#ifndef CONTENT_ENCODING_H
#define CONTENT_ENCODING_H

#include "encodings/encoding.h"
#include "testing.h"
#include <math.h>
#include <stdatomic.h>

/*
 *     s' = s (1 + g_hj / 4) + a_h bias + scale (q.b_h) k_j[0]
 *     g_hj = w_h.x_j           kept in the memo
 *     o_h += sum_j p_hj cos(p_i - p_j) b_h
 *
 * and every key 6 behind the query, or 13, 20, .., is hidden.
 */
enum { A, GATE, BOTH };

static const struct lct_param params[] = {
    { .name = "a", .dims = { "heads" }, .init = LCT_INIT_NORMAL, .b = 1 },
    { .name = "w", .dims = { "heads", "width" }, .init = LCT_INIT_NORMAL,
      .b = 0.3 },
    { .name = "b", .dims = { "heads", "head_dim" }, .init = LCT_INIT_NORMAL,
      .b = 1 },
    { 0 }
};

static size_t memo(const struct lct_content *c)
{
    return (size_t)(c->call.heads * c->keys);
}

static atomic_int begun, asked;

static void begin(const struct lct_content *c)
{
    atomic_fetch_add(&begun, 1);
    for (int64_t h = 0; h < c->call.heads; h++)
        for (int64_t j = 0; j < c->keys; j++) {
            double g = 0;

            for (int64_t n = 0; n < c->call.width; n++)
                g += c->call.param[GATE][h * c->call.width + n] *
                     c->x[j * c->call.width + n];
            c->memo[h * c->keys + j] = g;
        }
}

static void end(const struct lct_content_gradient *g,
                const struct lct_content *c)
{
    int64_t W = c->call.width;

    for (int64_t h = 0; h < c->call.heads; h++)
        for (int64_t j = 0; j < c->keys; j++)
            for (int64_t n = 0; n < W; n++) {
                double dg = g->dmemo[h * c->keys + j];

                g->dparam[GATE][h * W + n] += dg * c->x[j * W + n];
                g->dx[j * W + n] += dg * c->call.param[GATE][h * W + n];
            }
}

static int64_t key_at(const struct lct_content *c, int64_t h, int64_t j)
{
    return (h / (c->call.heads / c->call.kv_heads) * c->keys + j) *
           c->call.head_dim;
}

static double query_part(const struct lct_content *c,
                         const struct lct_query *q, int64_t h)
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
            s[at] = s[at] == -INFINITY || (q->pos - c->k_pos[j] + 700) % 7 == 6
                        ? -INFINITY
                        : s[at] * (1 + c->memo[at] / 4) +
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

            if (s[at] == -INFINITY) { /* whatever is said here goes nowhere */
                ds[at] = g->dbias[at] = 1e3;
                continue;
            }
            g->dparam[A][h] += d * q->bias[at];
            g->dbias[at] += d * c->call.param[A][h];
            g->dmemo[at] += d * s[at] / 4;
            g->dk[k] += x * query_part(c, q, h);
            for (int64_t n = 0; n < D; n++) {
                g->dq[h * D + n] += x * c->k[k] *
                                    c->call.param[BOTH][h * D + n];
                g->dparam[BOTH][h * D + n] += x * c->k[k] * q->q[h * D + n];
            }
            ds[at] = d * (1 + c->memo[at] / 4);
        }
}

static void values(double *o, const double *p, const struct lct_content *c,
                   const struct lct_query *q)
{
    int64_t D = c->call.head_dim;

    for (int64_t h = 0; h < c->call.heads; h++)
        for (int64_t j = 0; j < c->keys; j++)
            for (int64_t d = 0; d < D; d++)
                o[h * D + d] += p[h * c->keys + j] *
                                cos((double)(q->pos - c->k_pos[j])) *
                                c->call.param[BOTH][h * D + d];
}

static void values_backward(double *dp, const struct lct_content_gradient *g,
                            const double *p, const double *dout,
                            const struct lct_content *c,
                            const struct lct_query *q)
{
    int64_t D = c->call.head_dim;

    for (int64_t h = 0; h < c->call.heads; h++)
        for (int64_t j = 0; j < c->keys; j++)
            for (int64_t d = 0; d < D; d++) {
                int64_t at = h * c->keys + j;
                double x = cos((double)(q->pos - c->k_pos[j])) *
                           dout[h * D + d];

                dp[at] += x * c->call.param[BOTH][h * D + d];
                g->dparam[BOTH][h * D + d] += p[at] * x;
            }
}

static const struct lct_encoding everything = {
    .info = { .name = "everything", .doors = LOCANT_DOOR_CONTENT,
              .traits = LOCANT_TRAIT_READS_X },
    .params = params,
    .content_memo = memo,
    .content_begin = begin,
    .content = content,
    .content_backward = content_backward,
    .content_end = end,
    .values = values,
    .values_backward = values_backward,
};

/* That encoding with another one. */
struct pair {
    locant_encoding all, sum, *other;
};

static void make_pair(struct pair *p, const char *other)
{
    CHECK_OK(locant_encoding_create(&p->other, other));
    p->all = (locant_encoding){ .row = &everything, .parts = 1,
                                .doors = LOCANT_DOOR_CONTENT,
                                .traits = LOCANT_TRAIT_READS_X };
    p->all.part[0].e = &p->all;
    p->sum = (locant_encoding){ .row = &lct_enc_sum, .parts = 2,
                                .nested = { &p->all, p->other } };
    p->sum.doors = p->all.doors | p->other->doors;
    p->sum.traits = p->all.traits;
    p->sum.part[0].e = &p->all;
    p->sum.part[1].e = p->other;
    p->sum.part[1].first_param = 3;
}
#endif

/* vector_bias.c - biases, slopes, buckets and temperatures, from the oracles */
#include "vector_bias.h"
#include "oracle/oracle.h"
#include "vector_inputs.h"
#include <math.h>
#include <string.h>

/* What a call of an oracle points to. */
struct question {
    struct oracle_call call;
    int64_t *q_pos, *k_pos;
    cx *table; /* [buckets, H], or queries and keys of ones */
    void *memory;
};

int64_t lct_vector_bias_buckets(const struct lct_vector_group *g)
{
    return (int64_t)oracle_number(g->spec, "buckets", 32);
}

static locant_status ask(struct question *q, const struct lct_vector_group *g)
{
    int64_t T = g->queries->n, S = g->keys->n;
    int64_t entries = g->kind == LCT_VECTOR_BUCKETS
                          ? lct_vector_bias_buckets(g) * g->heads
                          : T;
    size_t n = (size_t)entries * sizeof(cx) + (size_t)(T + S) * sizeof(int64_t);

    q->memory = locant_alloc(n);
    if (q->memory == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: %zu bytes", g->name, n);
    q->table = q->memory;
    q->q_pos = (int64_t *)(q->table + entries);
    q->k_pos = q->q_pos + T;
    for (int64_t i = 0; i < T; i++)
        q->q_pos[i] = lct_vector_groups_position(g->queries, i);
    for (int64_t j = 0; j < S; j++)
        q->k_pos[j] = lct_vector_groups_position(g->keys, j);
    for (int64_t i = 0; i < entries; i++)
        q->table[i] = 1;
    q->call = (struct oracle_call){ .spec = g->spec,
                                    .B = 1,
                                    .H = g->heads > 0 ? g->heads : 1,
                                    .G = g->heads > 0 ? g->heads : 1,
                                    .T = T,
                                    .S = S,
                                    .D = 1,
                                    .W = 1,
                                    .q = q->table,
                                    .k = q->table,
                                    .q_pos = q->q_pos,
                                    .k_pos = q->k_pos,
                                    .scale = 1,
                                    .param = { q->table } };
    return LOCANT_OK;
}

/* Biases of every head; the oracle reads the table of buckets as it stands. */
static void put_biases(struct lct_vector_values *out, const struct question *q,
                       const struct oracle *o)
{
    for (int64_t h = 0; h < q->call.H; h++)
        for (int64_t i = 0; i < q->call.T; i++)
            for (int64_t j = 0; j < q->call.S; j++)
                out->value[(h * q->call.T + i) * q->call.S + j] =
                    creal(o->bias(&q->call, 0, h, i, j));
}

/*
 * A slope, a position or difference, and their product are rounded; a slope is
 * off by two units.
 */
static void put_alibi(struct lct_vector_values *out, const struct question *q,
                      const struct oracle *o)
{
    put_biases(out, q, o);
    out->relative = 4.1;
}

/* The bias of the position before the query is -slope. */
static void put_slopes(struct lct_vector_values *out, struct question *q,
                       const struct oracle *o)
{
    q->q_pos[0] = 1;
    q->k_pos[0] = 0;
    for (int64_t h = 0; h < q->call.H; h++)
        out->value[h] = -creal(o->bias(&q->call, 0, h, 0, 0));
    out->relative = 4.1;
}

/* The score of a query and a key that are 1. */
static void put_temperature(struct lct_vector_values *out,
                            const struct question *q, const struct oracle *o)
{
    for (int64_t i = 0; i < q->call.T; i++)
        out->value[i] = creal(o->score(&q->call, 0, 0, i, i));
    out->relative = 6.1;
    out->doubt = 4 * 0x1p-52;
}

/* ----------------------------------------------------------------- buckets */

/* Which bucket a pair has: the bias if bucket b has the bias b. */
static void put_bucket_numbers(double *out, struct question *q,
                               const struct oracle *o, int64_t buckets)
{
    for (int64_t e = 0; e < buckets * q->call.H; e++)
        q->table[e] = (double)(e / q->call.H);
    for (int64_t i = 0; i < q->call.T; i++)
        for (int64_t j = 0; j < q->call.S; j++)
            out[i * q->call.S + j] = creal(o->bias(&q->call, 0, 0, i, j));
}

/* dtable[b,h] = the sum of dbias[h,i,j] over the pairs of bucket b. */
static locant_status put_gradient(struct lct_vector_values *out,
                                  struct question *q, const struct oracle *o,
                                  int64_t buckets)
{
    int64_t H = q->call.H, pairs = q->call.T * q->call.S;
    double *number = locant_alloc((size_t)pairs * sizeof *number);
    double terms[1024] = { 0 };

    if (number == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: %lld pairs", q->call.spec,
                           (long long)pairs);
    put_bucket_numbers(number, q, o, buckets);
    for (int64_t at = 0; at < H * pairs; at++) {
        double x = lct_vector_inputs_at(LCT_VECTOR_DBIAS, at);
        int64_t e = (int64_t)number[at % pairs] * H + at / pairs;

        out->value[e] += x;
        terms[e] += fabs(x);
        out->terms = fmax(out->terms, (double)pairs * terms[e]);
    }
    locant_release(number);
    return LOCANT_OK;
}

static locant_status put_buckets(struct lct_vector_values *out,
                                 const struct lct_vector_group *g, int k,
                                 struct question *q, const struct oracle *o)
{
    const char *name = lct_vector_quantities_of(g->kind)[k].name;
    int64_t buckets = lct_vector_bias_buckets(g);

    if (strcmp(name, "dtable") == 0)
        return put_gradient(out, q, o, buckets);
    if (strcmp(name, "buckets") == 0) {
        put_bucket_numbers(out->value, q, o, buckets);
        return LOCANT_OK;
    }
    for (int64_t e = 0; e < buckets * g->heads; e++)
        q->table[e] = lct_vector_inputs_at(LCT_VECTOR_BUCKET_TABLE, e);
    put_biases(out, q, o);
    return LOCANT_OK;
}

locant_status lct_vector_bias_values(struct lct_vector_values *out,
                                     const struct lct_vector_group *g, int k)
{
    const char *name = g->kind == LCT_VECTOR_BUCKETS       ? "t5"
                       : g->kind == LCT_VECTOR_TEMPERATURE ? "temperature"
                                                           : "alibi";
    const struct oracle *o = oracle_of(name);
    struct question q;
    locant_status s = LOCANT_OK;

    LCT_TRY(ask(&q, g));
    switch (g->kind) {
    case LCT_VECTOR_BUCKETS: s = put_buckets(out, g, k, &q, o); break;
    case LCT_VECTOR_SLOPES: put_slopes(out, &q, o); break;
    case LCT_VECTOR_TEMPERATURE: put_temperature(out, &q, o); break;
    default: put_alibi(out, &q, o); break;
    }
    locant_release(q.memory);
    return s;
}

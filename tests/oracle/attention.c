/*
 * attention.c - softmax attention written out: Vaswani et al. 2017,
 * arXiv:1706.03762v7, eq. (1), and its derivative,
 * ds = p (dp - sum_k p_k dp_k).  Whole rows, two passes, double.
 *
 * Options: the window of Jiang et al. 2023, arXiv:2310.06825, section 2, on
 * both sides; the cap of Gemma Team 2024, arXiv:2408.00118, section 2, c tanh(s
 * / c), c' = 1 - tanh^2; the sink of OpenAI 2025, arXiv:2508.10925, one more
 * score of each row, whose value is 0; a dense bias, added after the cap, and a
 * dense mask.
 */
#include "attention.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One query row: its scores, softmax, and rotated vectors. */
struct row {
    const struct oracle_attention *a;
    int64_t b, h, t;
    const double *key;   /* rotated keys of this head [S,D] */
    const double *value; /* [S,D] */
    const int64_t *k_pos;
    int64_t q_pos;
    double *query;     /* rotated [D] */
    double *p, *slope; /* [S]; slope: of the cap */
    double sink;       /* its weight */
};

/* Pair (i, j) in arrays [B,H,T,S]. */
static int64_t pair(const struct row *r, int64_t j)
{
    return ((r->b * r->a->H + r->h) * r->a->T + r->t) * r->a->S + j;
}

static int visible(const struct row *r, int64_t j)
{
    const struct oracle_attention *a = r->a;
    int64_t n = r->q_pos - r->k_pos[j];

    if (a->shown != NULL && !a->shown[pair(r, j)])
        return 0;
    if (a->dense != NULL && !(a->dense[pair(r, j)] > -INFINITY))
        return 0;

    if (a->q_docs != NULL) {
        int64_t doc = a->q_docs[r->b * a->T + r->t];

        if (doc < 0 || doc != a->k_docs[r->b * a->S + j])
            return 0;
    }
    if (a->window > 0 && llabs(n) >= a->window)
        return 0;
    return !a->causal || n >= 0;
}

static void turn(double *out, const double *x, int64_t pos,
                 const struct oracle_attention *a)
{
    if (a->rotate != NULL)
        a->rotate(out, x, pos, a->context);
    else
        memcpy(out, x, (size_t)a->D * sizeof(*x));
}

/* c tanh(s / c), and its derivative. */
static double cap(double *slope, double s, double c)
{
    double t = c > 0 ? tanh(s / c) : 0;

    *slope = (1 - t) * (1 + t); /* not 1 - t t: t is near 1 */
    return c > 0 ? c * t : s;
}

/* Score (i, j); *top grows to its size, or to half of its absolute terms. */
static double score(const struct row *r, int64_t j, double *top)
{
    const struct oracle_attention *a = r->a;
    double s = 0, terms = 0, b = 0, capped, size;

    for (int64_t d = 0; d < a->D; d++) {
        double x = a->scale * r->query[d] * r->key[j * a->D + d];

        s += x;
        terms += fabs(x);
    }
    if (a->bias != NULL)
        b = a->bias(r->h, r->q_pos, r->k_pos[j], a->context);
    capped = cap(&r->slope[j], s + b, a->softcap);
    size = fmax(fabs(s + b), (terms + fabs(b)) / 2) +
           (a->softcap > 0 ? 3 * fabs(capped) : 0);
    if (a->dense != NULL) {
        capped += a->dense[pair(r, j)];
        size += fabs(capped) / 4; /* one more rounding */
    }
    *top = fmax(*top, size);
    return capped;
}

/* p = softmax of the visible scores and the sink; answers its log-sum. */
static double softmax(struct row *r, double *top)
{
    double sink = r->a->sinks != NULL ? r->a->sinks[r->h] : -INFINITY;
    double most = sink, sum;

    r->sink = 0;
    for (int64_t j = 0; j < r->a->S; j++) {
        r->p[j] = visible(r, j) ? score(r, j, top) : -INFINITY;
        if (r->p[j] > most)
            most = r->p[j];
    }
    if (!(most > -INFINITY)) {
        memset(r->p, 0, (size_t)r->a->S * sizeof(*r->p));
        return -INFINITY;
    }
    sum = exp(sink - most);
    for (int64_t j = 0; j < r->a->S; j++) {
        r->p[j] = exp(r->p[j] - most);
        sum += r->p[j];
    }
    for (int64_t j = 0; j < r->a->S; j++)
        r->p[j] /= sum;
    r->sink = exp(sink - most) / sum;
    return most + log(sum);
}

static double *numbers(int64_t n)
{
    double *p = calloc((size_t)n + 1, sizeof(*p));

    assert_non_null(p);
    return p;
}

/* Rotated keys of every batch row and key head [B,G,S,D]. */
static double *rotated_keys(const struct oracle_attention *a)
{
    double *out = numbers(a->B * a->G * a->S * a->D);

    for (int64_t i = 0; i < a->B * a->G * a->S; i++) {
        int64_t b = i / (a->G * a->S), j = i % a->S;

        turn(out + i * a->D, a->k + i * a->D, a->k_pos[b * a->S + j], a);
    }
    return out;
}

/* Move to row i of B * H * T; answers its key head. */
static int64_t place(struct row *r, const double *keys, int64_t i)
{
    const struct oracle_attention *a = r->a;
    int64_t g;

    r->b = i / (a->H * a->T);
    r->h = i / a->T % a->H;
    r->t = i % a->T;
    g = r->b * a->G + r->h / (a->H / a->G);
    r->key = keys + g * a->S * a->D;
    r->value = a->v + g * a->S * a->D;
    r->k_pos = a->k_pos + r->b * a->S;
    r->q_pos = a->q_pos[r->b * a->T + r->t];
    turn(r->query, a->q + i * a->D, r->q_pos, a);
    return g;
}

void oracle_attention_forward(double *out, double *lse, double *top,
                              const struct oracle_attention *a)
{
    FREED_BY(free_memory) double *keys = rotated_keys(a);
    struct row r = { .a = a,
                     .query = numbers(a->D),
                     .p = numbers(a->S),
                     .slope = numbers(a->S) };

    *top = 0;
    for (int64_t i = 0; i < a->B * a->H * a->T; i++) {
        place(&r, keys, i);
        lse[i] = softmax(&r, top);
        for (int64_t d = 0; d < a->D; d++) {
            double sum = 0;

            for (int64_t j = 0; j < a->S; j++)
                if (visible(&r, j))
                    sum += r.p[j] * r.value[j * a->D + d];
            out[i * a->D + d] = sum;
        }
    }
    free(r.query);
    free(r.p);
    free(r.slope);
}

static double term(const struct oracle_attention *a, double x)
{
    return a->gross ? fabs(x) : x;
}

/* Score (i, j) got gradient ds: hand it on to q~, k~ and the bias. */
static void score_backward(double *dquery, double *dkey, const struct row *r,
                           int64_t j, double ds)
{
    const struct oracle_attention *a = r->a;

    for (int64_t d = 0; d < a->D; d++) {
        dquery[d] += term(a, ds * a->scale * r->key[j * a->D + d]);
        dkey[j * a->D + d] += term(a, ds * a->scale * r->query[d]);
    }
    if (a->bias_backward != NULL)
        a->bias_backward(r->h, r->q_pos, r->k_pos[j], ds, a->context);
}

/* *dsink += its weight times (0, its value, - mean). */
static void row_backward(double *dquery, double *dkey, double *dvalue,
                         double *dsink, const double *dout, const struct row *r)
{
    const struct oracle_attention *a = r->a;
    double *dp = numbers(a->S), mean = 0;

    for (int64_t j = 0; j < a->S; j++) {
        if (!visible(r, j))
            continue;
        for (int64_t d = 0; d < a->D; d++) {
            dp[j] += term(a, dout[d] * r->value[j * a->D + d]);
            dvalue[j * a->D + d] += term(a, r->p[j] * dout[d]);
        }
        mean += r->p[j] * dp[j];
    }
    mean = a->gross ? mean : -mean;
    for (int64_t j = 0; j < a->S; j++) {
        double ds = r->p[j] * (dp[j] + mean);

        if (!visible(r, j))
            continue;
        score_backward(dquery, dkey, r, j, ds * r->slope[j]);
        if (a->ddense != NULL)
            a->ddense[pair(r, j)] = ds;
    }
    *dsink += r->sink * mean;
    free(dp);
}

/* dx = R^T dy: the turn back. */
static void turn_back(double *dx, const double *dy, int64_t pos,
                      const struct oracle_attention *a)
{
    turn(dx, dy, -pos, a);
}

void oracle_attention_backward(double *dq, double *dk, double *dv,
                               double *dsinks, const double *dout,
                               const struct oracle_attention *a)
{
    int64_t n = a->B * a->G * a->S * a->D;
    double *keys = rotated_keys(a), *dkeys = numbers(n);
    double *dquery = numbers(a->D), *sinks = numbers(a->H), top = 0;
    struct row r = { .a = a,
                     .query = numbers(a->D),
                     .p = numbers(a->S),
                     .slope = numbers(a->S) };

    memset(dv, 0, (size_t)n * sizeof(*dv));
    for (int64_t i = 0; i < a->B * a->H * a->T; i++) {
        int64_t at = place(&r, keys, i) * a->S * a->D;

        softmax(&r, &top);
        memset(dquery, 0, (size_t)a->D * sizeof(*dquery));
        row_backward(dquery, dkeys + at, dv + at, sinks + r.h, dout + i * a->D,
                     &r);
        turn_back(dq + i * a->D, dquery, r.q_pos, a);
    }
    for (int64_t i = 0; i < a->B * a->G * a->S; i++) {
        int64_t b = i / (a->G * a->S), j = i % a->S;

        turn_back(dk + i * a->D, dkeys + i * a->D, a->k_pos[b * a->S + j], a);
    }
    if (a->sinks != NULL)
        memcpy(dsinks, sinks, (size_t)a->H * sizeof(*sinks));
    free(keys);
    free(dkeys);
    free(dquery);
    free(sinks);
    free(r.query);
    free(r.p);
    free(r.slope);
}

/*
 * formula_pairs.c - formulas that read scores or tokens, in tiles:
 *
 *     x' = gain x + bias
 *
 * in double and rounded once.  What depends on the key alone is evaluated once
 * for the tile.
 */
#include "formula_pairs.h"
#include "formula_gradient.h"
#include <math.h>
#include <string.h>

enum { PAIRS = LCT_FORMULA_PAIRS, CHUNKS = 2 }; /* a tile has 64 keys */

/* Keys of a tile, up to PAIRS, and one query. */
struct chunk {
    size_t n;
    const int64_t *k_pos;
    double s[PAIRS], ds[PAIRS];
    struct lct_formula_tokens tokens, dtokens;
    struct lct_formula_rows value;
};

struct tile {
    struct lct_formula_run run;
    int gain, bias; /* nodes; -1: left out */
    bool hides;     /* keys after the query */
    int chunks;
    struct chunk chunk[CHUNKS];
};

static void open_chunk(struct chunk *c, struct lct_formula_run *run,
                       const struct lct_pairs *t, int64_t at)
{
    c->n = (size_t)(t->keys - at < PAIRS ? t->keys - at : PAIRS);
    c->k_pos = t->k_pos + at;
    for (int64_t n = 0; n < t->count; n++)
        for (size_t j = 0; j < c->n; j++)
            c->tokens.key[n][j] =
                t->numbers[(t->first + at + (int64_t)j) * t->count + n];
    run->tokens = &c->tokens;
    lct_formula_evaluate_keys(&c->value, run, c->k_pos, c->n);
}

static void open_tile(struct tile *x, const struct lct_pairs *t)
{
    const struct lct_formula *f = t->call->e->state;

    lct_formula_evaluate_open_roots(
        &x->run, f, 1u << LCT_FORMULA_GAIN | 1u << LCT_FORMULA_BIAS, t->call,
        t->head);
    x->gain = f->root[LCT_FORMULA_GAIN];
    x->bias = f->root[LCT_FORMULA_BIAS];
    x->hides = t->call->e->value[LCT_FORMULA_FUTURE] == LCT_FUTURE_HIDE;
    x->chunks = 0;
    for (int64_t at = 0; at < t->keys; at += PAIRS)
        open_chunk(&x->chunk[x->chunks++], &x->run, t, at);
}

/* Evaluate the pairs of query i and a chunk of keys, whose scores are 's'. */
static void meet(struct tile *x, struct chunk *c, const struct lct_pairs *t,
                 const float *s, int64_t i)
{
    for (size_t j = 0; j < c->n; j++)
        c->s[j] = (double)s[j * t->lanes];
    for (int64_t n = 0; n < t->count; n++)
        c->tokens.query[n] =
            t->own[i] >= 0 ? t->numbers[t->own[i] * t->count + n] : 0;
    x->run.s = c->s;
    x->run.tokens = &c->tokens;
    lct_formula_evaluate_rest(&c->value, &x->run, t->q_pos[i], c->k_pos, c->n);
}

/* The value of a root for pair j; 'left_out' if it is. */
static double value_of(const struct tile *x, const struct chunk *c, int node,
                       size_t j, double left_out)
{
    int slot = node < 0 ? -1 : x->run.f->node[node].slot;

    if (slot >= 0)
        return c->value.row[slot][j];
    return node < 0 ? left_out : x->run.number[node];
}

static void scores(float *s, const struct lct_pairs *t)
{
    struct tile x;

    open_tile(&x, t);
    for (int64_t i = 0; i < t->rows; i++)
        for (int n = 0; n < x.chunks; n++) {
            struct chunk *c = &x.chunk[n];
            float *to = s + (size_t)(n * PAIRS) * t->lanes + i;

            meet(&x, c, t, to, i);
            for (size_t j = 0; j < c->n; j++, to += t->lanes) {
                *to = (float)(value_of(&x, c, x.gain, j, 1) * c->s[j] +
                              value_of(&x, c, x.bias, j, 0));
                if (x.hides && c->k_pos[j] > t->q_pos[i])
                    *to = -INFINITY;
            }
        }
}

/* forward: x' = gain x + bias: dgain = dx' x, dbias = dx', dx = dx' gain and
 * what passes through x in gain and bias */
static void pass(struct tile *x, struct chunk *c, struct lct_formula_reached *r,
                 const struct lct_pair_gradients *g, const struct lct_pairs *t,
                 float *dx)
{
    double d[PAIRS], dgain[PAIRS];

    for (size_t j = 0; j < c->n; j++) {
        d[j] = (double)dx[j * t->lanes];
        dgain[j] = d[j] == 0 ? 0 : d[j] * c->s[j];
    }
    memset(c->ds, 0, sizeof(c->ds));
    memset(c->dtokens.query, 0, sizeof(c->dtokens.query));
    x->run.ds = c->ds;
    x->run.dtokens = t->count > 0 ? &c->dtokens : NULL;
    lct_formula_gradient_clear_rest(r, &x->run);
    if (x->gain >= 0)
        lct_formula_gradient_add(r, &x->run, x->gain, dgain, c->n);
    if (x->bias >= 0)
        lct_formula_gradient_add(r, &x->run, x->bias, d, c->n);
    lct_formula_gradient_rest(r, g->dparam, &x->run, &c->value, c->n);
    for (size_t j = 0; j < c->n; j++)
        dx[j * t->lanes] =
            d[j] == 0
                ? 0
                : (float)(d[j] * value_of(x, c, x->gain, j, 1) + c->ds[j]);
}

/* After all queries. */
static void close_chunk(struct tile *x, struct chunk *c,
                        struct lct_formula_reached *r,
                        const struct lct_pair_gradients *g,
                        const struct lct_pairs *t, int64_t at)
{
    x->run.tokens = &c->tokens;
    x->run.ds = c->ds;
    x->run.dtokens = t->count > 0 ? &c->dtokens : NULL;
    lct_formula_gradient_keys(r, g->dparam, &x->run, &c->value, c->n);
    lct_formula_gradient_numbers(r, g->dparam, &x->run);
    for (int64_t n = 0; n < t->count; n++)
        for (size_t j = 0; j < c->n; j++)
            g->dk_numbers[(at + (int64_t)j) * t->count + n] +=
                c->dtokens.key[n][j];
}

static void backward(float *dx, const struct lct_pair_gradients *g,
                     const float *before, const struct lct_pairs *t)
{
    struct lct_formula_reached reached[CHUNKS];
    struct tile x;

    open_tile(&x, t);
    for (int n = 0; n < x.chunks; n++) {
        lct_formula_gradient_clear(&reached[n], &x.run);
        memset(x.chunk[n].dtokens.key, 0, sizeof(x.chunk[n].dtokens.key));
    }
    for (int64_t i = 0; i < t->rows; i++)
        for (int n = 0; n < x.chunks; n++) {
            struct chunk *c = &x.chunk[n];
            size_t at = (size_t)(n * PAIRS) * t->lanes + (size_t)i;

            meet(&x, c, t, before + at, i);
            pass(&x, c, &reached[n], g, t, dx + at);
            for (int64_t k = 0; k < t->count; k++)
                g->dq_numbers[i * t->count + k] += c->dtokens.query[k];
        }
    for (int n = 0; n < x.chunks; n++)
        close_chunk(&x, &x.chunk[n], &reached[n], g, t, n * PAIRS);
}

const struct lct_pair_scores lct_formula_pairs_hooks = {
    .scores = scores,
    .backward = backward,
};

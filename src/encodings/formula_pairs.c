/*
 * formula_pairs.c - formulas that read scores or tokens, in tiles: in double
 * and rounded once.  What depends on the key alone is evaluated once for the
 * tile.
 */
#include "formula_pairs.h"
#include "formula_chunk.h"

enum { PAIRS = LCT_FORMULA_PAIRS, CHUNKS = 2 }; /* a tile has 64 keys */

struct tile {
    struct lct_formula_run run;
    int chunks;
    struct lct_formula_chunk chunk[CHUNKS];
};

static void open_tile(struct tile *x, const struct lct_pairs *t)
{
    lct_formula_chunk_run(&x->run, t->call, t->head);
    x->chunks = 0;
    for (int64_t at = 0; at < t->keys; at += PAIRS) {
        struct lct_formula_chunk *c = &x->chunk[x->chunks++];

        c->n = (size_t)(t->keys - at < PAIRS ? t->keys - at : PAIRS);
        c->k_pos = t->k_pos + at;
        for (int64_t n = 0; n < t->count; n++)
            for (size_t j = 0; j < c->n; j++)
                c->tokens.key[n][j] =
                    t->numbers[(t->first + at + (int64_t)j) * t->count + n];
        lct_formula_chunk_open(c, &x->run);
    }
}

/* Set the scores x [keys], 'lanes' apart, and the numbers of query i. */
static void meet(struct lct_formula_chunk *c, const struct lct_pairs *t,
                 const float *x, int64_t i)
{
    for (size_t j = 0; j < c->n; j++)
        c->s[j] = (double)x[j * t->lanes];
    for (int64_t n = 0; n < t->count; n++)
        c->tokens.query[n] =
            t->own[i] >= 0 ? t->numbers[t->own[i] * t->count + n] : 0;
}

static void scores(float *x, const struct lct_pairs *t)
{
    struct tile tile;
    double out[PAIRS];

    open_tile(&tile, t);
    for (int64_t i = 0; i < t->rows; i++)
        for (int n = 0; n < tile.chunks; n++) {
            struct lct_formula_chunk *c = &tile.chunk[n];
            float *to = x + (size_t)(n * PAIRS) * t->lanes + i;

            meet(c, t, to, i);
            lct_formula_chunk_scores(out, c, &tile.run, t->q_pos[i]);
            for (size_t j = 0; j < c->n; j++)
                to[j * t->lanes] = (float)out[j];
        }
}

/* Query i and one chunk of keys, with gradients dx, 'lanes' apart. */
static void pass(float *dx, const struct lct_pair_gradients *g,
                 struct lct_formula_chunk *c, struct lct_formula_run *run,
                 const struct lct_pairs *t, int64_t i)
{
    double d[PAIRS];

    for (size_t j = 0; j < c->n; j++)
        d[j] = (double)dx[j * t->lanes];
    lct_formula_chunk_backward(d, g->dparam, c, run, t->q_pos[i]);
    for (size_t j = 0; j < c->n; j++)
        dx[j * t->lanes] = (float)d[j];
    for (int64_t n = 0; n < t->count; n++)
        g->dq_numbers[i * t->count + n] += c->dtokens.query[n];
}

static void backward(float *dx, const struct lct_pair_gradients *g,
                     const float *before, const struct lct_pairs *t)
{
    struct tile tile;

    open_tile(&tile, t);
    for (int n = 0; n < tile.chunks; n++)
        lct_formula_chunk_begin_backward(&tile.chunk[n], &tile.run);
    for (int64_t i = 0; i < t->rows; i++)
        for (int n = 0; n < tile.chunks; n++) {
            size_t at = (size_t)(n * PAIRS) * t->lanes + (size_t)i;

            meet(&tile.chunk[n], t, before + at, i);
            pass(dx + at, g, &tile.chunk[n], &tile.run, t, i);
        }
    for (int n = 0; n < tile.chunks; n++) {
        struct lct_formula_chunk *c = &tile.chunk[n];

        lct_formula_chunk_end_backward(g->dparam, c, &tile.run);
        for (int64_t k = 0; k < t->count; k++)
            for (size_t j = 0; j < c->n; j++)
                g->dk_numbers[(n * PAIRS + (int64_t)j) * t->count + k] +=
                    c->dtokens.key[k][j];
    }
}

const struct lct_pair_scores lct_formula_pairs_hooks = {
    .scores = scores,
    .backward = backward,
};

/*
 * formula_content.c - formulas that read the score, or numbers of tokens, one
 * query at a time:
 *
 *     s' = gain(s) s + bias(s) + b
 *
 * where s is the scaled score and b the bias of another part of a sum.
 */
#include "formula_content.h"
#include "formula_chunk.h"
#include "formula_tokens.h"

enum { PAIRS = LCT_FORMULA_PAIRS };

/* Up to PAIRS keys of one head. */
struct pass {
    struct lct_formula_run run;
    struct lct_formula_chunk chunk;
    int64_t head, key; /* the first key */
    int64_t own;       /* the query's own key, if there are tokens */
    size_t at;         /* of the first key among all heads' keys */
};

static void open_query(struct pass *p, const struct lct_content *c,
                       const struct lct_query *q)
{
    p->own = lct_formula_tokens_hooks.count(&c->call) > 0
                 ? lct_own_key(c, q->pos)
                 : -1;
}

static void open_head(struct pass *p, const struct lct_content *c, int64_t head)
{
    p->head = head;
    lct_formula_chunk_run(&p->run, &c->call, head);
}

static double bias_of(const struct pass *p, const struct lct_query *q, size_t j)
{
    return q->bias != NULL ? q->bias[p->at + j] : 0;
}

/* Take the keys from j on; masked scores become 0. */
static void take(struct pass *p, const double *s, const struct lct_content *c,
                 const struct lct_query *q, int64_t j)
{
    struct lct_formula_chunk *x = &p->chunk;

    p->key = j;
    p->at = (size_t)(p->head * c->keys + j);
    x->n = (size_t)(c->keys - j < PAIRS ? c->keys - j : PAIRS);
    x->k_pos = c->k_pos + j;
    for (size_t i = 0; i < x->n; i++)
        x->s[i] =
            lct_is_hidden(s[p->at + i]) ? 0 : s[p->at + i] - bias_of(p, q, i);
    if (p->own >= 0)
        lct_formula_tokens_gather(&x->tokens, c, p->head, p->own, j, x->n);
    lct_formula_chunk_open(x, &p->run);
}

void lct_formula_content_scores(double *s, const struct lct_content *c,
                                const struct lct_query *q)
{
    struct pass p;
    double out[PAIRS];

    open_query(&p, c, q);
    for (int64_t h = 0; h < c->call.heads; h++) {
        open_head(&p, c, h);
        for (int64_t j = 0; j < c->keys; j += PAIRS) {
            take(&p, s, c, q, j);
            lct_formula_chunk_scores(out, &p.chunk, &p.run, q->pos);
            for (size_t i = 0; i < p.chunk.n; i++)
                if (!lct_is_hidden(s[p.at + i]))
                    s[p.at + i] = out[i] + bias_of(&p, q, i);
        }
    }
}

/* forward: s' = f(s0) + b, s0 = s - b: attention gives b the gradient of s */
static void pass_backward(double *ds, const struct lct_content_gradient *g,
                          struct pass *p, const struct lct_content *c,
                          const struct lct_query *q)
{
    struct lct_formula_chunk *x = &p->chunk;
    double d[PAIRS];

    for (size_t i = 0; i < x->n; i++)
        d[i] = ds[p->at + i];
    lct_formula_chunk_begin_backward(x, &p->run);
    lct_formula_chunk_backward(d, g->dparam, x, &p->run, q->pos);
    lct_formula_chunk_end_backward(g->dparam, x, &p->run);
    for (size_t i = 0; i < x->n; i++) {
        if (g->dbias != NULL)
            g->dbias[p->at + i] += ds[p->at + i] - d[i];
        ds[p->at + i] = d[i];
    }
    if (p->own >= 0)
        lct_formula_tokens_scatter(g->dnumbers, &x->dtokens, c, p->head, p->own,
                                   p->key, x->n);
}

void lct_formula_content_backward(double *ds,
                                  const struct lct_content_gradient *g,
                                  const double *s, const struct lct_content *c,
                                  const struct lct_query *q)
{
    struct pass p;

    open_query(&p, c, q);
    for (int64_t h = 0; h < c->call.heads; h++) {
        open_head(&p, c, h);
        for (int64_t j = 0; j < c->keys; j += PAIRS) {
            take(&p, s, c, q, j);
            pass_backward(ds, g, &p, c, q);
        }
    }
}

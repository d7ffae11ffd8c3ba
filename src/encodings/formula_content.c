/*
 * formula_content.c - formulas that read the score, or numbers of tokens:
 *
 *     s' = gain(s) s + bias(s) + b
 *
 * where s is the scaled score and b the bias of another part of a sum.
 */
#include "formula_content.h"
#include "formula_gradient.h"
#include "formula_tokens.h"
#include <math.h>
#include <string.h>

enum { PAIRS = LCT_FORMULA_PAIRS };

/* Up to PAIRS keys of one head. */
struct pass {
    struct lct_formula_run gain, bias; /* root -1: left out */
    size_t at, n;                      /* the first key of all heads' keys */
    int64_t head, key, own; /* the first key; the query's own; -1: not asked */
    struct lct_formula_tokens tokens, dtokens;
    double s[PAIRS], by[PAIRS]; /* s, and its gain */
    const int64_t *k_pos;
};

static void open_run(struct lct_formula_run *run, const struct lct_content *c,
                     int root, int64_t head)
{
    const struct lct_formula *f = c->call.e->state;

    run->root = -1;
    if (f->root[root] >= 0)
        lct_formula_evaluate_open(run, f, root, &c->call, head);
}

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
    open_run(&p->gain, c, LCT_FORMULA_GAIN, head);
    open_run(&p->bias, c, LCT_FORMULA_BIAS, head);
}

/* Take the keys from j on; masked scores become 0. */
static void take(struct pass *p, const double *s, const struct lct_content *c,
                 const struct lct_query *q, int64_t j)
{
    p->key = j;
    p->at = (size_t)(p->head * c->keys + j);
    p->n = (size_t)(c->keys - j < PAIRS ? c->keys - j : PAIRS);
    p->k_pos = c->k_pos + j;
    p->gain.s = p->bias.s = p->s;
    p->gain.tokens = p->bias.tokens = &p->tokens;
    if (p->own >= 0)
        lct_formula_tokens_gather(&p->tokens, c, p->head, p->own, j, p->n);
    for (size_t i = 0; i < p->n; i++) {
        double b = q->bias != NULL ? q->bias[p->at + i] : 0;

        p->s[i] = lct_is_hidden(s[p->at + i]) ? 0 : s[p->at + i] - b;
        p->by[i] = 1;
    }
    if (p->gain.root >= 0)
        lct_formula_evaluate(p->by, &p->gain, q->pos, p->k_pos, p->n);
}

static bool hides(const struct lct_content *c, const struct lct_query *q,
                  int64_t k_pos)
{
    return k_pos > q->pos &&
           c->call.e->value[LCT_FORMULA_FUTURE] == LCT_FUTURE_HIDE;
}

void lct_formula_content_scores(double *s, const struct lct_content *c,
                                const struct lct_query *q)
{
    double bias[PAIRS] = { 0 };
    struct pass p;

    open_query(&p, c, q);
    for (int64_t h = 0; h < c->call.heads; h++) {
        open_head(&p, c, h);
        for (int64_t j = 0; j < c->keys; j += PAIRS) {
            take(&p, s, c, q, j);
            if (p.bias.root >= 0)
                lct_formula_evaluate(bias, &p.bias, q->pos, p.k_pos, p.n);
            for (size_t i = 0; i < p.n; i++) {
                double *to = &s[p.at + i];

                if (hides(c, q, p.k_pos[i]))
                    *to = -INFINITY;
                if (!lct_is_hidden(*to))
                    *to += (p.by[i] - 1) * p.s[i] + bias[i];
            }
        }
    }
}

/* forward: s += (gain - 1) s0 + bias, s0 = s without b */
static void pass_backward(double *ds, const struct lct_content_gradient *g,
                          struct pass *p, const struct lct_query *q)
{
    double dgain[PAIRS], inner[PAIRS] = { 0 };
    double *dout = ds + p->at;

    p->gain.ds = p->bias.ds = inner;
    if (p->own >= 0) {
        memset(&p->dtokens, 0, sizeof(p->dtokens));
        p->gain.dtokens = p->bias.dtokens = &p->dtokens;
    }
    for (size_t i = 0; i < p->n; i++)
        dgain[i] = dout[i] * p->s[i];
    if (p->gain.root >= 0)
        lct_formula_gradient(g->dparam, &p->gain, q->pos, p->k_pos, dgain,
                             p->n);
    if (p->bias.root >= 0)
        lct_formula_gradient(g->dparam, &p->bias, q->pos, p->k_pos, dout, p->n);
    for (size_t i = 0; i < p->n; i++) {
        double before = dout[i];

        dout[i] = before != 0 ? before * p->by[i] + inner[i] : 0;
        if (g->dbias != NULL)
            g->dbias[p->at + i] += before - dout[i];
    }
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
            pass_backward(ds, g, &p, q);
            if (p.own >= 0)
                lct_formula_tokens_scatter(g->dnumbers, &p.dtokens, c, h, p.own,
                                           j, p.n);
        }
    }
}

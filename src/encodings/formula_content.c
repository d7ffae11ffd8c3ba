/*
 * formula_content.c - formulas that read the score, or numbers of tokens, one
 * query at a time:
 *
 *     s' = gain(s) s + bias(s) + b
 *
 * where s is the scaled score and b the bias of another part of a sum.
 */
#include "formula_content.h"
#include "formula_gradient.h"
#include "formula_tokens.h"
#include <string.h>

enum { PAIRS = LCT_FORMULA_PAIRS };

/* Up to PAIRS keys of one head. */
struct pass {
    struct lct_formula_run run; /* reads and writes the arrays below */
    int64_t head, key;          /* the first key */
    int64_t own;                /* the query's own key, if there are tokens */
    size_t at;                  /* of the first key among all heads' keys */
    size_t n;
    double s[PAIRS];
    struct lct_formula_tokens tokens, dtokens;
    struct lct_formula_rows value;
    struct lct_formula_reached reached; /* backward only */
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
    lct_formula_evaluate_open_roots(&p->run, c->call.e->state,
                                    LCT_FORMULA_SCORE_ROOTS, &c->call, head);
    p->run.s = p->s;
    p->run.tokens = &p->tokens;
}

static double bias_of(const struct pass *p, const struct lct_query *q, size_t j)
{
    return q->bias != NULL ? q->bias[p->at + j] : 0;
}

/* Take the keys from j on; masked scores become 0. */
static void take(struct pass *p, const double *s, const struct lct_content *c,
                 const struct lct_query *q, int64_t j)
{
    p->key = j;
    p->at = (size_t)(p->head * c->keys + j);
    p->n = (size_t)(c->keys - j < PAIRS ? c->keys - j : PAIRS);
    for (size_t i = 0; i < p->n; i++)
        p->s[i] =
            lct_is_hidden(s[p->at + i]) ? 0 : s[p->at + i] - bias_of(p, q, i);
    if (p->own >= 0)
        lct_formula_tokens_gather(&p->tokens, c, p->head, p->own, j, p->n);
    lct_formula_evaluate_rows(&p->value, &p->run, q->pos, c->k_pos + j, p->n);
}

/* The values of a root, in 'copies' if they are all equal. */
static const double *values_of(double copies[PAIRS], const struct pass *p,
                               int root, double left_out)
{
    const struct lct_formula_run *run = &p->run;
    int node = run->f->root[root];

    if (node >= 0 && run->f->node[node].slot >= 0)
        return p->value.row[run->f->node[node].slot];
    for (size_t j = 0; j < p->n; j++)
        copies[j] = node >= 0 ? run->number[node] : left_out;
    return copies;
}

static void pass_scores(double *s, const struct pass *p,
                        const struct lct_content *c, const struct lct_query *q)
{
    double copies[2][PAIRS];
    const double *gain = values_of(copies[0], p, LCT_FORMULA_GAIN, 1);
    const double *bias = values_of(copies[1], p, LCT_FORMULA_BIAS, 0);
    bool hides = c->call.e->value[LCT_FORMULA_FUTURE] == LCT_FUTURE_HIDE;

    for (size_t j = 0; j < p->n; j++)
        if (hides && c->k_pos[p->key + (int64_t)j] > q->pos)
            s[p->at + j] = -INFINITY;
        else if (!lct_is_hidden(s[p->at + j]))
            s[p->at + j] = gain[j] * p->s[j] + bias[j] + bias_of(p, q, j);
}

void lct_formula_content_scores(double *s, const struct lct_content *c,
                                const struct lct_query *q)
{
    struct pass p;

    open_query(&p, c, q);
    for (int64_t h = 0; h < c->call.heads; h++) {
        open_head(&p, c, h);
        for (int64_t j = 0; j < c->keys; j += PAIRS) {
            take(&p, s, c, q, j);
            pass_scores(s, &p, c, q);
        }
    }
}

static void add_root(struct pass *p, int root, const double *d)
{
    if (p->run.f->root[root] >= 0)
        lct_formula_gradient_add(&p->reached, &p->run, p->run.f->root[root], d,
                                 p->n);
}

/* forward: s' = gain s + bias: dgain = d s, dbias = d, ds = d gain and what
 * passes through s in gain and bias; d becomes ds. */
static void formula_backward(double d[PAIRS], double *const *dparam,
                             struct pass *p)
{
    double dgain[PAIRS], ds[PAIRS] = { 0 }, copies[PAIRS];
    const double *gain = values_of(copies, p, LCT_FORMULA_GAIN, 1);

    p->run.ds = ds;
    p->run.dtokens = p->run.f->tokens > 0 ? &p->dtokens : NULL;
    memset(&p->dtokens, 0, sizeof(p->dtokens));
    lct_formula_gradient_clear(&p->reached, &p->run);
    for (size_t j = 0; j < p->n; j++)
        dgain[j] = d[j] == 0 ? 0 : d[j] * p->s[j];
    add_root(p, LCT_FORMULA_GAIN, dgain);
    add_root(p, LCT_FORMULA_BIAS, d);
    lct_formula_gradient_rows(&p->reached, dparam, &p->run, &p->value, p->n);
    lct_formula_gradient_numbers(&p->reached, dparam, &p->run);
    for (size_t j = 0; j < p->n; j++)
        d[j] = d[j] == 0 ? 0 : d[j] * gain[j] + ds[j];
    p->run.ds = NULL;
}

/* forward: s' = f(s0) + b, s0 = s - b: attention gives b the gradient of s */
static void pass_backward(double *ds, const struct lct_content_gradient *g,
                          struct pass *p, const struct lct_content *c)
{
    double d[PAIRS];

    for (size_t i = 0; i < p->n; i++)
        d[i] = ds[p->at + i];
    formula_backward(d, g->dparam, p);
    for (size_t i = 0; i < p->n; i++) {
        if (g->dbias != NULL)
            g->dbias[p->at + i] += ds[p->at + i] - d[i];
        ds[p->at + i] = d[i];
    }
    if (p->own >= 0)
        lct_formula_tokens_scatter(g->dnumbers, &p->dtokens, c, p->head, p->own,
                                   p->key, p->n);
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
            pass_backward(ds, g, &p, c);
        }
    }
}

/*
 * content_case.h - one small attention problem in double, one batch row, whose
 * scores can be read.
 */
#ifndef CONTENT_CASE_H
#define CONTENT_CASE_H
#include "testing.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CASE_PARAMS = 8 };

typedef struct content_case {
    int64_t H, G, T, S, D, W; /* G: heads of k; W: width of x */
    locant_encoding *e;
    double *q, *k, *v, *x, *out, *lse, *dout, *dq, *dk, *dv, *dx;
    int64_t *q_pos, *k_pos;
    int params;
    locant_tensor param[CASE_PARAMS], dparam[CASE_PARAMS];
    locant_tensor tensor[13]; /* q k v x out lse dout dq dk dv dx q_pos k_pos */
    locant_attention a;
    locant_attention_gradients g;
} content_case;

static inline double *case_numbers(int64_t n)
{
    double *x = calloc(n > 0 ? (size_t)n : 1, sizeof(*x));

    assert_non_null(x);
    return x;
}

static inline int64_t case_count(const locant_tensor *t)
{
    int64_t n = 1;

    for (int i = 0; i < t->rank; i++)
        n *= t->shape[i];
    return n;
}

/* Parameters of value 0. */
static inline void case_params(struct content_case *c)
{
    const locant_sizes sizes = {
        .width = c->W, .heads = c->H, .kv_heads = c->G, .head_dim = c->D
    };
    locant_param_info info;

    for (; locant_encoding_param(&info, c->e, c->params, &sizes); c->params++) {
        locant_tensor t = { 0 };

        CHECK(c->params < CASE_PARAMS);
        memcpy(t.shape, info.shape, sizeof(t.shape));
        t.rank = info.rank;
        c->param[c->params] = locant_dense(case_numbers(case_count(&t)),
                                           LOCANT_F64, info.rank, info.shape);
        c->dparam[c->params] = locant_dense(case_numbers(case_count(&t)),
                                            LOCANT_F64, info.rank, info.shape);
    }
}

static inline void case_tensors(struct content_case *c)
{
    const int64_t q[4] = { 1, c->H, c->T, c->D };
    const int64_t k[4] = { 1, c->G, c->S, c->D };
    const int64_t x[3] = { 1, c->S, c->W }, lse[3] = { 1, c->H, c->T };
    double *const data[] = { c->q,    c->k,  c->v,  c->x,  c->out, c->lse,
                             c->dout, c->dq, c->dk, c->dv, c->dx };
    const int64_t *const shape[] = { q, k, k, x, q, lse, q, q, k, k, x };
    static const int rank[] = { 4, 4, 4, 3, 4, 3, 4, 4, 4, 4, 3 };

    for (int i = 0; i < 11; i++)
        c->tensor[i] = locant_dense(data[i], LOCANT_F64, rank[i], shape[i]);
    c->tensor[11] = DENSE(I64, c->q_pos, c->T);
    c->tensor[12] = DENSE(I64, c->k_pos, c->S);
    c->a = (locant_attention)LOCANT_ATTENTION_INIT;
    c->a.q = &c->tensor[0];
    c->a.k = &c->tensor[1];
    c->a.v = &c->tensor[2];
    c->a.x = &c->tensor[3];
    c->a.q_pos = &c->tensor[11];
    c->a.k_pos = &c->tensor[12];
    c->a.encoding = c->e;
    c->a.params = c->params > 0 ? c->param : NULL;
    c->a.mask = LOCANT_MASK_CAUSAL;
    c->g = (locant_attention_gradients)LOCANT_ATTENTION_GRADIENTS_INIT;
    c->g.dq = &c->tensor[7];
    c->g.dk = &c->tensor[8];
    c->g.dv = &c->tensor[9];
    c->g.dx = &c->tensor[10];
    c->g.dparams = c->params > 0 ? c->dparam : NULL;
}

/* size: H, G, T, S, D, W.  All inputs are 0, keys are at 0 .. S - 1, queries at
 * the last T of these; causal. */
static inline struct content_case *case_open(const char *spec,
                                             const int64_t size[6])
{
    struct content_case *c = calloc(1, sizeof(*c));
    int64_t q, k;

    assert_non_null(c);
    c->H = size[0], c->G = size[1], c->T = size[2];
    c->S = size[3], c->D = size[4], c->W = size[5];
    q = c->H * c->T * c->D, k = c->G * c->S * c->D;
    CHECK_OK(locant_encoding_create(&c->e, spec));
    c->q = case_numbers(q), c->out = case_numbers(q), c->dout = case_numbers(q);
    c->dq = case_numbers(q), c->k = case_numbers(k), c->v = case_numbers(k);
    c->dk = case_numbers(k), c->dv = case_numbers(k);
    c->x = case_numbers(c->S * c->W), c->dx = case_numbers(c->S * c->W);
    c->lse = case_numbers(c->H * c->T);
    c->q_pos = calloc((size_t)c->T, sizeof(int64_t));
    c->k_pos = calloc((size_t)c->S, sizeof(int64_t));
    for (int64_t i = 0; i < c->T; i++)
        c->q_pos[i] = c->S - c->T + i;
    for (int64_t j = 0; j < c->S; j++)
        c->k_pos[j] = j;
    case_params(c);
    case_tensors(c);
    return c;
}

static inline void case_close(struct content_case *c)
{
    for (int i = 0; i < 11; i++)
        free(c->tensor[i].data);
    for (int i = 0; i < c->params; i++) {
        free(c->param[i].data);
        free(c->dparam[i].data);
    }
    free(c->q_pos);
    free(c->k_pos);
    locant_encoding_free(c->e);
    free(c);
}

OWNS(content_case, case_close)

/* The values of the parameter of that name. */
static inline double *case_param(struct content_case *c, const char *name)
{
    locant_param_info info;

    for (int i = 0; i < c->params; i++)
        if (locant_encoding_param(&info, c->e, i, NULL) &&
            strcmp(info.name, name) == 0)
            return c->param[i].data;
    FAIL("%s has no parameter %s\n", locant_encoding_spec(c->e), name);
    return NULL;
}

static inline void case_fill(double *x, int64_t n, double size)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = size * test_normal();
}

/* Draw all inputs and parameters, the latter in their range. */
static inline void case_random(struct content_case *c)
{
    case_fill(c->q, c->H * c->T * c->D, 1);
    case_fill(c->dout, c->H * c->T * c->D, 1);
    case_fill(c->k, c->G * c->S * c->D, 1);
    case_fill(c->v, c->G * c->S * c->D, 1);
    case_fill(c->x, c->S * c->W, 1);
    for (int i = 0; i < c->params; i++) {
        case_fill(c->param[i].data, case_count(&c->param[i]), 0.5);
        CHECK_OK(locant_encoding_param_project(&c->param[i], c->e, i));
    }
}

static inline void case_run(struct content_case *c)
{
    CHECK_OK(locant_attention_reference(&c->tensor[4], &c->tensor[5], &c->a));
}

/* Gradients of <out, dout>. */
static inline void case_backward(struct content_case *c)
{
    for (int i = 0; i < c->params; i++)
        memset(c->dparam[i].data, 0,
               (size_t)case_count(&c->dparam[i]) * sizeof(double));
    CHECK_OK(locant_attention_reference_backward(
        &c->g, &c->tensor[6], &c->tensor[4], &c->tensor[5], &c->a));
}

/*
 * s [H, T, S]: the scores of the softmax, -infinity where hidden.  With v 1 at
 * one key and 0 elsewhere the output is that key's weight p, and
 * s = ln p + lse: exact to a few roundings while p does not vanish.  v is 0
 * afterwards.
 */
static inline void case_scores(double *s, struct content_case *c)
{
    for (int64_t j = 0; j < c->S; j++) {
        memset(c->v, 0, (size_t)(c->G * c->S * c->D) * sizeof(double));
        for (int64_t g = 0; g < c->G; g++)
            c->v[(g * c->S + j) * c->D] = 1;
        case_run(c);
        for (int64_t i = 0; i < c->H * c->T; i++)
            s[i * c->S + j] = c->out[i * c->D] == 0
                                  ? -INFINITY
                                  : log(c->out[i * c->D]) + c->lse[i];
    }
    memset(c->v, 0, (size_t)(c->G * c->S * c->D) * sizeof(double));
}

/* Fail unless n values agree to 'tolerance', infinities exactly. */
static inline void case_near(const double *got, const double *want, int64_t n,
                             double tolerance, const char *what)
{
    for (int64_t i = 0; i < n; i++)
        if (!(got[i] == want[i] || fabs(got[i] - want[i]) <= tolerance))
            FAIL("%s[%lld]: got %.17g, want %.17g\n", what, (long long)i,
                 got[i], want[i]);
}

static inline void case_is(double got, double want, double tolerance)
{
    case_near(&got, &want, 1, tolerance, "value");
}
#endif

/* company_calls.c - see company.h */
#include "company.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------- pool */

static double *numbers(size_t n)
{
    double *x = calloc(n + 1, sizeof(*x));

    assert_non_null(x);
    for (size_t i = 0; i < n; i++)
        x[i] = (double)(float)test_normal();
    return x;
}

void company_make(struct company *p, locant_dtype dtype)
{
    struct oracle_call *w = &p->c->call;
    int64_t room = p->c->high + 1;
    locant_sizes known;

    p->dtype = dtype;
    p->n = test_range(2, room < COMPANY_TOKENS ? room : COMPANY_TOKENS);
    p->first = p->c->low > 0 ? p->c->low : 0;
    w->B = 1;
    w->G = test_range(1, 2);
    w->H = w->G * (p->c->o->as_many_kv_heads ? 1 : 2);
    if (!(p->c->traits & LOCANT_TRAIT_READS_X) || p->c->o->x_by_head)
        w->W = w->H * w->D;
    known = (locant_sizes){ w->W, w->H, w->G, w->D };
    oracle_case_params(p->c, &known);
    p->q = numbers((size_t)(p->n * w->H * w->D));
    p->k = numbers((size_t)(p->n * w->G * w->D));
    p->v = numbers((size_t)(p->n * w->G * w->D));
    p->x = numbers((size_t)(p->n * w->W));
    p->dout = numbers((size_t)(p->n * w->H * w->D));
}

void company_free(struct company *p)
{
    free(p->q);
    free(p->k);
    free(p->v);
    free(p->x);
    free(p->dout);
}

/* [1, heads, count, width] of the pool's tokens. */
static locant_tensor gather(const struct company *p, const double *from,
                            const int64_t *tokens, int64_t count,
                            const int64_t shape[2])
{
    int64_t size[4] = { 1, shape[0], count, shape[1] };
    locant_tensor t = test_tensor(p->dtype, 4, size);

    for (int64_t i = 0; i < size[1] * count * size[3]; i++) {
        int64_t token = tokens[i / size[3] % count];
        int64_t at =
            (token * size[1] + i / (size[3] * count)) * size[3] + i % size[3];
        double x = token == COMPANY_PAD ? (double)NAN : from[at];

        if (p->dtype == LOCANT_F64)
            ((double *)t.data)[i] = x;
        else
            ((float *)t.data)[i] = (float)x;
    }
    return t;
}

/* -------------------------------------------------------------------- calls */

void company_add_query(struct company_call *c, int64_t token, int64_t pos,
                       int64_t doc)
{
    c->q[c->T] = token;
    c->q_pos[c->T] = pos;
    c->q_doc[c->T++] = doc;
}

static void company_add_key(struct company_call *c, int64_t token, int64_t pos,
                            int64_t doc)
{
    c->k[c->S] = token;
    c->k_pos[c->S] = pos;
    c->k_doc[c->S++] = doc;
}

void company_add_both(struct company_call *c, int64_t token, int64_t pos,
                      int64_t doc)
{
    company_add_query(c, token, pos, doc);
    company_add_key(c, token, pos, doc);
}

/* Tokens from .. to - 1 of the pool, placed from the first position on. */
void company_plain(struct company_call *c, const struct company *p,
                   int64_t from, int64_t to)
{
    memset(c, 0, sizeof(*c));
    for (int64_t t = from; t < to; t++)
        company_add_both(c, t, p->first + t - from, 0);
}

struct inputs {
    locant_tensor q, k, v, x, dout, q_pos, k_pos, q_doc, k_doc;
    locant_attention a;
};

static void inputs_make(struct inputs *in, const struct company *p,
                        struct company_call *c)
{
    const struct oracle_call *w = &p->c->call;
    int64_t heads[2] = { w->H, w->D }, groups[2] = { w->G, w->D };
    int64_t width[2] = { 1, w->W };

    in->q = gather(p, p->q, c->q, c->T, heads);
    in->dout = gather(p, p->dout, c->q, c->T, heads);
    in->k = gather(p, p->k, c->k, c->S, groups);
    in->v = gather(p, p->v, c->k, c->S, groups);
    in->x = gather(p, p->x, c->k, c->S, width);
    in->x.rank = 3; /* [1, S, W] */
    in->x.shape[1] = c->S;
    in->x.shape[2] = w->W;
    in->x.stride[1] = w->W;
    in->x.stride[2] = 1;
    in->q_pos = DENSE(I64, c->q_pos, c->T);
    in->k_pos = DENSE(I64, c->k_pos, c->S);
    in->q_doc = DENSE(I64, c->q_doc, c->T);
    in->k_doc = DENSE(I64, c->k_doc, c->S);
    in->a = (locant_attention)LOCANT_ATTENTION_INIT;
    in->a.q = &in->q;
    in->a.k = &in->k;
    in->a.v = &in->v;
    in->a.q_pos = &in->q_pos;
    in->a.k_pos = &in->k_pos;
    in->a.encoding = p->c->leaf;
    in->a.params = oracle_case_params_in(p->c);
    in->a.mask = LOCANT_MASK_CAUSAL;
    in->a.x = p->c->traits & LOCANT_TRAIT_READS_X ? &in->x : NULL;
    in->a.q_docs = c->docs ? &in->q_doc : NULL;
    in->a.k_docs = c->docs ? &in->k_doc : NULL;
}

static void inputs_free(struct inputs *in)
{
    in->x.rank = 4; /* the same bytes */
    in->x.shape[3] = 1;
    test_tensor_free(&in->q);
    test_tensor_free(&in->k);
    test_tensor_free(&in->v);
    test_tensor_free(&in->x);
    test_tensor_free(&in->dout);
}

static void answers_make(struct company_call *c, const struct company *p)
{
    const struct oracle_call *w = &p->c->call;
    int64_t q[4] = { 1, w->H, c->T, w->D }, k[4] = { 1, w->G, c->S, w->D };
    int64_t x[3] = { 1, c->S, w->W };

    c->out = test_tensor(p->dtype, 4, q);
    c->dq = test_tensor(p->dtype, 4, q);
    c->lse = test_tensor(p->dtype, 3, q);
    c->dk = test_tensor(p->dtype, 4, k);
    c->dv = test_tensor(p->dtype, 4, k);
    c->dx = test_tensor(p->dtype, 3, x);
    for (int i = 0; i < p->c->params; i++) {
        c->grad[i] = test_tensor(p->c->grad[i].dtype, p->c->grad[i].rank,
                                 p->c->grad[i].shape);
        memset(c->grad[i].data, 0,
               p->c->p[i].size * locant_dtype_size(c->grad[i].dtype));
    }
}

void company_answers_free(struct company_call *c, const struct company *p)
{
    locant_tensor *all[] = { &c->out, &c->dq, &c->lse, &c->dk, &c->dv, &c->dx };

    for (size_t i = 0; i < LEN(all); i++)
        test_tensor_free(all[i]);
    for (int i = 0; i < p->c->params; i++)
        test_tensor_free(&c->grad[i]);
}

/* Fill in the answers of a call; company_answers_free() them. */
void company_ask(struct company_call *c, const struct company *p)
{
    locant_attention_gradients g = LOCANT_ATTENTION_GRADIENTS_INIT;
    struct inputs in;
    inputs_make(&in, p, c);
    answers_make(c, p);
    test_forward(&c->out, &c->lse, &in.a);
    g.dq = &c->dq;
    g.dk = &c->dk;
    g.dv = &c->dv;
    g.dx = in.a.x != NULL ? &c->dx : NULL;
    g.dparams = p->c->params > 0 ? c->grad + p->c->first : NULL;
    test_backward(&g, &in.dout, &c->out, &c->lse, &in.a);
    inputs_free(&in);
}

/* attend_problem.c - random attention problems, and the library's answers. */
#include <math.h>
#include <string.h>

#include "attend.h"

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/*
 * Long rows cross the tiles of the float kernels; short ones have heads, groups
 * and rows.
 */
static void sizes(struct problem *p, int is_long)
{
    struct selftest *t = p->c.t;
    struct whole    *w = &p->c.w;
    int64_t          room = p->c.high - p->c.low + 1;

    w->B = is_long ? 1 : st_range(t, 1, 2);
    w->G = is_long ? 1 : st_range(t, 1, 2);
    w->H = w->G * (p->c.o->one_group ? 1 : st_range(t, 1, 2));
    w->S = least(is_long ? st_range(t, 66, ST_KEYS) : st_range(t, 1, 7), room);
    w->T = least(is_long ? st_range(t, 9, 19) : st_range(t, 1, 7), w->S);
    if (!(p->c.traits & LOCANT_TRAIT_READS_X))
        w->W = w->H * w->D;
    w->causal = p->c.traits & LOCANT_TRAIT_CAUSAL ? 1 : (int)st_range(t, 0, 1);
    w->scale = st_range(t, 0, 1) ? 1 / sqrt((double)w->D) : 0.25;
}

static int holds(const int64_t *others, int64_t n, int64_t x)
{
    for (int64_t i = 0; i < n; i++)
        if (others[i] == x)
            return 1;
    return 0;
}

/* One after another from anywhere, or distinct and scattered; a query sits
 * where a key does. */
static void place_row(struct problem *p, int64_t *q, int64_t *k)
{
    struct selftest    *t = p->c.t;
    const struct whole *w = &p->c.w;
    int scattered = (int)st_range(t, 0, 1);
    int64_t base = st_range(t, p->c.low, p->c.high - w->S + 1);

    for (int64_t j = 0; j < w->S; j++) {
        k[j] = base + j;
        while (scattered && (k[j] = st_range(t, p->c.low, p->c.high),
                             holds(k, j, k[j])))
            continue;
    }
    for (int64_t i = 0; i < w->T; i++)
        q[i] = scattered ? k[st_range(t, 0, w->S - 1)] : base + w->S - w->T + i;
}

static int place(struct problem *p)
{
    struct whole *w = &p->c.w;
    int64_t shape[2] = { w->B, w->T };

    p->q_pos = st_tensor(&p->c, LOCANT_I64, 2, shape);
    shape[1] = w->S;
    p->k_pos = st_tensor(&p->c, LOCANT_I64, 2, shape);
    w->q_pos = p->q_pos.data;
    w->k_pos = p->k_pos.data;
    if (w->q_pos == NULL || w->k_pos == NULL)
        return 0;
    for (int64_t b = 0; b < w->B; b++)
        place_row(p, (int64_t *)p->q_pos.data + b * w->T,
                  (int64_t *)p->k_pos.data + b * w->S);
    return 1;
}

static locant_tensor vectors(struct problem *p, int64_t H, int64_t T)
{
    const int64_t shape[] = { p->c.w.B, H, T, p->c.w.D };

    return st_tensor(&p->c, p->dtype, 4, shape);
}

static int tensors(struct problem *p)
{
    struct whole *w = &p->c.w;
    const int64_t lse[] = { w->B, w->H, w->T }, x[] = { w->B, w->S, w->W };
    const locant_tensor *in[] = { &p->q, &p->k, &p->v, &p->x, &p->dout };

    p->q    = vectors(p, w->H, w->T);
    p->k    = vectors(p, w->G, w->S);
    p->v    = vectors(p, w->G, w->S);
    p->dout = vectors(p, w->H, w->T);
    p->out  = vectors(p, w->H, w->T);
    p->dq   = vectors(p, w->H, w->T);
    p->dk   = vectors(p, w->G, w->S);
    p->dv   = vectors(p, w->G, w->S);
    p->lse  = st_tensor(&p->c, p->dtype, 3, lse);
    p->x    = st_tensor(&p->c, p->dtype, 3, x);
    p->dx   = st_tensor(&p->c, p->dtype, 3, x);
    for (int i = 0; i < 5; i++) {
        if (in[i]->data == NULL)
            return 0;
        p->in[i] = st_copy(&p->c, in[i]);
        if (p->in[i] == NULL)
            return 0;
    }
    w->q = p->in[0];
    w->k = p->in[1];
    w->v = p->in[2];
    w->x = p->in[3];
    return p->out.data && p->dq.data && p->dk.data && p->dv.data &&
           p->lse.data && p->dx.data;
}

int problem_make(struct problem *p, int64_t number)
{
    locant_sizes known;

    sizes(p, number == 0);
    known = (locant_sizes){ p->c.w.W, p->c.w.H, p->c.w.G, p->c.w.D };
    if (!st_params(&p->c, p->dtype, &known) || !place(p) || !tensors(p))
        return 0;
    p->a = (locant_attention)LOCANT_ATTENTION_INIT;
    p->a.q = &p->q;
    p->a.k = &p->k;
    p->a.v = &p->v;
    p->a.x = p->c.traits & LOCANT_TRAIT_READS_X ? &p->x : NULL;
    p->a.q_pos = &p->q_pos;
    p->a.k_pos = &p->k_pos;
    p->a.encoding = p->c.leaf;
    p->a.params = st_params_in(&p->c);
    p->a.mask  = p->c.w.causal ? LOCANT_MASK_CAUSAL : LOCANT_MASK_NONE;
    p->a.scale = p->c.w.scale;
    if (!st_took(p->c.t, locant_attention_workspace(&p->bytes, &p->a)))
        return 0;
    p->workspace = st_memory(&p->c, p->bytes, 1);
    return p->workspace != NULL;
}

int problem_forward(struct problem *p)
{
    /* NaN: nothing may be read before it is written. */
    memset(p->workspace, 0xff, p->bytes);
    return st_took(p->c.t, locant_attention_forward(
                       &p->out, &p->lse, &p->a, p->workspace, p->bytes));
}

int problem_backward(struct problem *p)
{
    locant_attention_gradients g = LOCANT_ATTENTION_GRADIENTS_INIT;

    g.dq = &p->dq;
    g.dk = &p->dk;
    g.dv = &p->dv;
    g.dx = p->a.x != NULL ? &p->dx : NULL;
    g.dparams = p->a.params != NULL ? p->c.grad + p->c.first : NULL;
    memset(p->workspace, 0xff, p->bytes);
    return st_took(p->c.t, locant_attention_backward(
                       &g, &p->dout, &p->out, &p->lse, &p->a, p->workspace,
                       p->bytes));
}

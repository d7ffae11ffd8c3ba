/*
 * reference.c - attention in double, one row of scores at a time.
 *
 * The definition written down: what the tiled code is judged by, and the whole
 * implementation for F64 tensors.
 */
#include "reference.h"
#include "../core/pool.h"
#include "../core/size.h"
#include "../encodings/rotate.h"
#include <math.h>
#include <string.h>

struct reference {
    struct lct_problem p;
    const locant_attention *a;
    double scale;
    char *memory;     /* the plan's workspace, for positions and angles */
    double *rows;     /* [slots, per_slot] */
    size_t per_slot;
    double *dparam;   /* [B * Hkv, params] */
    const locant_tensor *out, *lse, *dout;
    const locant_attention_gradients *g;
};

/* Rows of one task. */
struct rows {
    double *k, *v, *dk, *dv;    /* [S, D] */
    double *q, *o, *dq;         /* [D] */
    double *s, *bias, *dp;      /* [S] */
};

static struct rows rows_of(const struct reference *r, int slot)
{
    size_t D = (size_t)r->p.D, S = (size_t)r->p.S;
    double *m = r->rows + (size_t)slot * r->per_slot;
    struct rows x = { .k = m, .v = m + S * D, .dk = m + 2 * S * D,
                      .dv = m + 3 * S * D };

    m += 4 * S * D;
    x.s = m;
    x.bias = m + S;
    x.dp = m + 2 * S;
    x.q = m + 3 * S;
    x.o = x.q + D;
    x.dq = x.o + D;
    return x;
}

static void begin_free(struct reference *r)
{
    locant_release(r->memory);
    locant_release(r->rows);
    locant_release(r->dparam);
}

static locant_status begin(struct reference *r, const char *fn,
                           const locant_attention *a)
{
    size_t slots, cells, bytes, D, S, params;

    r->a = a;
    LCT_TRY(lct_problem_plan(&r->p, fn, a, NULL, 0));
    slots = (size_t)r->p.slots;
    r->scale = a->scale == LOCANT_SCALE_AUTO ? 1 / sqrt((double)r->p.D)
                                             : a->scale;
    D = (size_t)r->p.D;
    S = (size_t)r->p.S;
    if (!lct_mul(&cells, S, 4 * D + 3) || !lct_add(&cells, cells, 3 * D) ||
        !lct_mul(&bytes, cells, slots * sizeof(double)) ||
        !lct_mul(&params, (size_t)(r->p.B * r->p.Hkv),
                 r->p.params * sizeof(double)))
        return locant_fail(LOCANT_ERR_NOMEM, "%s: the problem does not fit in "
                           "memory", fn);
    r->per_slot = cells;
    r->memory = locant_alloc(r->p.bytes);
    r->rows = locant_alloc(bytes);
    r->dparam = locant_alloc(params);
    if (r->memory == NULL || r->rows == NULL || r->dparam == NULL) {
        begin_free(r);
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for scratch", fn);
    }
    lct_problem_fill(&r->p, a, r->memory);
    return LOCANT_OK;
}

/* Row [b, h, i] in double, turned to its position. */
static void load(const struct reference *r, double *to, const locant_tensor *t,
                 const int64_t *index, const float *cosines, const float *sines,
                 int64_t at)
{
    const struct lct_schedule *s = r->p.schedule;

    lct_row_to_f64(to, lct_at(t, index, 3), t->dtype, (size_t)r->p.D);
    if (s != NULL && cosines != NULL)
        lct_rotate_row_f64(to, s, cosines + at * s->pairs,
                           sines + at * s->pairs, 1);
}

static void load_keys(const struct reference *r, const struct rows *x,
                      int64_t b, int64_t head)
{
    int64_t table = lct_position_row(&r->p, b) * r->p.S;

    for (int64_t j = 0; j < r->p.S; j++) {
        int64_t index[3] = { b, head, j };

        load(r, x->k + j * r->p.D, &r->p.k, index, r->p.k_cos, r->p.k_sin,
             table + j);
        load(r, x->v + j * r->p.D, &r->p.v, index, NULL, NULL, 0);
    }
}

static double dot(const double *a, const double *b, int64_t n)
{
    double sum = 0;

    for (int64_t d = 0; d < n; d++)
        sum += a[d] * b[d];
    return sum;
}

/* x->q and x->s: the query and its scores, -infinity where hidden. */
static void score_row(const struct reference *r, const struct rows *x,
                      int64_t b, int64_t h, int64_t i)
{
    const struct lct_problem *p = &r->p;
    int64_t row = lct_position_row(p, b), index[3] = { b, h, i };
    int64_t q_pos = p->q_pos[row * p->T + i];
    const int64_t *k_pos = p->k_pos + row * p->S;

    load(r, x->q, &p->q, index, p->q_cos, p->q_sin, row * p->T + i);
    memset(x->bias, 0, (size_t)p->S * sizeof(double));
    if (p->has_bias)
        p->score.e->row->bias(x->bias, &p->score, h, q_pos, k_pos,
                              (size_t)p->S);
    for (int64_t j = 0; j < p->S; j++)
        x->s[j] = p->causal && k_pos[j] > q_pos
                      ? -INFINITY
                      : r->scale * dot(x->q, x->k + j * p->D, p->D) +
                            x->bias[j];
}

static void forward_head(void *context, size_t task, int slot)
{
    const struct reference *r = context;
    int64_t S = r->p.S, D = r->p.D;
    int64_t b = (int64_t)task / r->p.H, h = (int64_t)task % r->p.H;
    struct rows x = rows_of(r, slot);

    load_keys(r, &x, b, h / (r->p.H / r->p.Hkv));
    for (int64_t i = 0; i < r->p.T; i++) {
        int64_t index[3] = { b, h, i };
        double top = -INFINITY, sum = 0, lse;

        score_row(r, &x, b, h, i);
        memset(x.o, 0, (size_t)D * sizeof(double));
        for (int64_t j = 0; j < S; j++)
            top = x.s[j] > top || isnan(x.s[j]) ? x.s[j] : top;
        for (int64_t j = 0; j < S; j++) {
            double w = x.s[j] == -INFINITY ? 0 : exp(x.s[j] - top);

            sum += w;
            for (int64_t d = 0; w != 0 && d < D; d++)
                x.o[d] += w * x.v[j * D + d];
        }
        for (int64_t d = 0; d < D; d++)
            x.o[d] = sum == 0 ? 0 : x.o[d] / sum;
        lse = sum == 0 ? -INFINITY : top + log(sum);
        lct_row_from_f64(lct_at(r->out, index, 3), r->out->dtype, x.o,
                         (size_t)D);
        lct_row_from_f64(lct_at(r->lse, index, 3), r->lse->dtype, &lse, 1);
    }
}

locant_status lct_reference_forward(const char *fn, locant_tensor *out,
                                    locant_tensor *lse,
                                    const locant_attention *a)
{
    struct reference r = { .out = out, .lse = lse };
    locant_status status;

    LCT_TRY(begin(&r, fn, a));
    status = lct_check_results(&r.p, a, out, lse, LCT_IN_REAL);
    if (status == LOCANT_OK)
        lct_parallel_for((size_t)(r.p.B * r.p.H), r.p.slots, forward_head,
                         &r);
    begin_free(&r);
    return status;
}

/* forward: s = scale q k + b, p = exp(s - lse), o = p v */
static void backward_row(const struct reference *r, const struct rows *x,
                         int64_t b, int64_t h, int64_t i)
{
    const struct lct_problem *p = &r->p;
    int64_t D = p->D, index[3] = { b, h, i };
    double lse, delta;

    score_row(r, x, b, h, i);
    lct_row_to_f64(&lse, lct_at(r->lse, index, 3), r->lse->dtype, 1);
    lct_row_to_f64(x->dq, lct_at(r->out, index, 3), r->out->dtype, (size_t)D);
    lct_row_to_f64(x->o, lct_at(r->dout, index, 3), r->dout->dtype, (size_t)D);
    delta = dot(x->dq, x->o, D);
    memset(x->dq, 0, (size_t)D * sizeof(double));
    for (int64_t j = 0; j < p->S; j++) {
        double w = x->s[j] == -INFINITY ? 0 : exp(x->s[j] - lse);
        double ds = w == 0 ? 0 : w * (dot(x->o, x->v + j * D, D) - delta);

        x->dp[j] = ds;
        for (int64_t d = 0; w != 0 && d < D; d++) {
            x->dv[j * D + d] += w * x->o[d];
            x->dk[j * D + d] += r->scale * ds * x->q[d];
            x->dq[d] += r->scale * ds * x->k[j * D + d];
        }
    }
}

static void bias_row(const struct reference *r, const struct rows *x,
                     size_t task, int64_t b, int64_t h, int64_t i)
{
    const struct lct_problem *p = &r->p;
    int64_t row = lct_position_row(p, b);
    double *dparam[LCT_MAX_PARAMS] = { NULL };

    for (int n = 0; n < LCT_MAX_PARAMS && p->score.param[n] != NULL; n++)
        dparam[n] = r->dparam + task * p->params +
                    (p->score.param[n] - p->score.param[0]);
    p->score.e->row->bias_backward(dparam, &p->score, h,
                                   p->q_pos[row * p->T + i],
                                   p->k_pos + row * p->S, x->dp,
                                   (size_t)p->S);
}

/* Turn a gradient back and store it. */
static void store(const struct reference *r, const locant_tensor *to,
                  const int64_t *index, double *row, const float *cosines,
                  const float *sines, int64_t at)
{
    const struct lct_schedule *s = r->p.schedule;

    if (to == NULL)
        return;
    if (s != NULL && cosines != NULL)
        lct_rotate_row_f64(row, s, cosines + at * s->pairs,
                           sines + at * s->pairs, -1);
    lct_row_from_f64(lct_at(to, index, 3), to->dtype, row, (size_t)r->p.D);
}

static void backward_group(void *context, size_t task, int slot)
{
    const struct reference *r = context;
    const struct lct_problem *p = &r->p;
    int64_t b = (int64_t)task / p->Hkv, head = (int64_t)task % p->Hkv;
    int64_t group = p->H / p->Hkv, row = lct_position_row(p, b);
    struct rows x = rows_of(r, slot);

    load_keys(r, &x, b, head);
    memset(x.dk, 0, (size_t)(2 * p->S * p->D) * sizeof(double)); /* and dv */
    for (int64_t h = head * group; h < (head + 1) * group; h++)
        for (int64_t i = 0; i < p->T; i++) {
            int64_t index[3] = { b, h, i };

            backward_row(r, &x, b, h, i);
            if (p->params > 0 && r->g->dparams != NULL)
                bias_row(r, &x, task, b, h, i);
            store(r, r->g->dq, index, x.dq, p->q_cos, p->q_sin,
                  row * p->T + i);
        }
    for (int64_t j = 0; j < p->S; j++) {
        int64_t index[3] = { b, head, j };

        store(r, r->g->dk, index, x.dk + j * p->D, p->k_cos, p->k_sin,
              row * p->S + j);
        store(r, r->g->dv, index, x.dv + j * p->D, NULL, NULL, 0);
    }
}

locant_status
lct_reference_backward(const char *fn, const locant_attention_gradients *g,
                       const locant_tensor *dout, const locant_tensor *out,
                       const locant_tensor *lse, const locant_attention *a)
{
    struct reference r = { .out = out, .lse = lse, .dout = dout, .g = g };
    locant_status status;
    size_t tasks;

    LCT_TRY(begin(&r, fn, a));
    status = lct_check_gradients(&r.p, a, g, dout, out, lse, LCT_IN_REAL);
    tasks = (size_t)(r.p.B * r.p.Hkv);
    if (status == LOCANT_OK) {
        lct_parallel_for(tasks, r.p.slots, backward_group, &r);
        for (size_t n = r.p.params; n < tasks * r.p.params; n++)
            r.dparam[n % r.p.params] += r.dparam[n];
        if (r.p.params > 0 && g->dparams != NULL && tasks > 0)
            lct_score_add(g->dparams, r.dparam, a->encoding, a->params);
    }
    begin_free(&r);
    return status;
}

locant_status locant_attention_reference(locant_tensor *out, locant_tensor *lse,
                                         const locant_attention *a)
{
    return lct_reference_forward("locant_attention_reference", out, lse, a);
}

locant_status locant_attention_reference_backward(
    const locant_attention_gradients *gradients, const locant_tensor *dout,
    const locant_tensor *out, const locant_tensor *lse,
    const locant_attention *a)
{
    return lct_reference_backward("locant_attention_reference_backward",
                                  gradients, dout, out, lse, a);
}

/* softmax.c - the online softmax over tiles of keys */
#include "softmax.h"
#include "sinks.h"
#include "steps.h"
#include <math.h>
#include <string.h>

/* Set the lanes of step e to 0 for the keys that its queries do not see. */
static void clear_unseen(float *x, const struct lct_tile *t,
                         const struct lct_steps *e)
{
    for (size_t j = e->keys; j < (size_t)t->keys; j++)
        memset(x + j * t->lanes + e->lane, 0, e->lanes * sizeof(*x));
}

/* ------------------------------------------------------------------ forward */

void lct_softmax_begin(struct lct_scratch *s)
{
    memset(s->total_max, 0, LCT_TILE * sizeof(*s->total_max));
    memset(s->total_sum, 0, LCT_TILE * sizeof(*s->total_sum));
}

void lct_softmax_begin_split(const struct lct_plan *p, const struct lct_tile *t,
                             struct lct_scratch *s)
{
    memset(s->out, 0, (size_t)(t->rows * p->padded_v) * sizeof(*s->out));
    for (int i = 0; i < LCT_TILE; i++) {
        s->row_max[i] = -INFINITY;
        s->row_sum[i] = 0;
    }
}

void lct_softmax_update(const struct lct_plan *p, const struct lct_tile *t,
                        struct lct_scratch *s)
{
    struct lct_steps e = { 0 };

    while (lct_steps_next(t, &e)) {
        p->kernels->softmax_step(s->s + e.lane, t->lanes, e.keys, e.lanes,
                                 s->row_max + e.lane, s->row_sum + e.lane,
                                 s->rescale + e.lane);
        clear_unseen(s->s, t, &e);
    }
}

void lct_softmax_merge(const struct lct_plan *p, const struct lct_tile *t,
                       struct lct_scratch *s)
{
    for (int64_t i = 0; i < t->rows; i++)
        p->kernels->softmax_merge(s->total + i * p->padded_v, s->total_max + i,
                                  s->total_sum + i, s->out + i * p->padded_v,
                                  s->row_max[i], s->row_sum[i],
                                  (size_t)p->padded_v);
}

/* log(e^a + e^b) */
static double add_logs(double a, double b)
{
    double most = a > b ? a : b;

    return most + log1p(exp((a > b ? b : a) - most));
}

void lct_softmax_finish(const struct lct_softmax_results *r,
                        const int64_t at[3], float *from, float row_max,
                        float sum)
{
    size_t D = (size_t)r->p->Dv;
    bool seen = sum != 0; /* also if NaN */
    double sink = lct_sinks_logit(r->p, at[1]);
    double lse = seen ? row_max + log(sum) : -INFINITY;

    if (sink != -INFINITY) {
        sum += expf((float)sink - row_max); /* if infinite, outputs are 0 */
        lse = add_logs(lse, sink);
    }
    for (size_t d = 0; d < D; d++)
        from[d] = seen ? from[d] / sum : 0;
    *(float *)lct_at(r->lse, at, 3) = (float)lse;
}

/* ----------------------------------------------------------------- backward */

/* forward: p = exp(score - row_max) / sum, which is exp(score - lse) */
void lct_softmax_recompute_probs(const struct lct_plan *p,
                                 const struct lct_tile *t,
                                 struct lct_scratch *s)
{
    struct lct_steps e = { 0 };

    while (lct_steps_next(t, &e)) {
        p->kernels->recompute_probs(s->s + e.lane, t->lanes, e.keys, e.lanes,
                                    s->lse + e.lane);
        clear_unseen(s->s, t, &e);
    }
}

/* ds = p (dp - delta) */
void lct_softmax_backward(const struct lct_plan *p, const struct lct_tile *t,
                          struct lct_scratch *s)
{
    struct lct_steps e = { 0 };

    while (lct_steps_next(t, &e)) {
        p->kernels->softmax_gradient(s->ds + e.lane, s->s + e.lane, t->lanes,
                                     e.keys, e.lanes, s->delta + e.lane);
        clear_unseen(s->ds, t, &e);
    }
}

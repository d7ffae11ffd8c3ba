/* trial.c - one random attention problem: its rows as the oracle has them */
#include "trial.h"

#include <math.h>

cx oracle_trial_score(const struct oracle_trial *t, int64_t b, int64_t h,
                      int64_t i, int64_t j)
{
    const struct oracle_call *call = t->call;

    return t->frozen != NULL
               ? t->frozen[((b * call->H + h) * call->T + i) * call->S + j]
               : oracle_score(call, t->o, b, h, i, j);
}

/* Gemma Team 2024, arXiv:2408.00118, section 2. */
static cx capped(const struct oracle_call *call, cx s)
{
    return call->softcap > 0 && creal(s) > -INFINITY
               ? call->softcap * ctanh(s / call->softcap)
               : s;
}

/* A sink (OpenAI 2025, arXiv:2508.10925) is one more score with value 0. */
int oracle_trial_softmax(struct oracle_trial_row *r,
                         const struct oracle_trial *t, int64_t b, int64_t h,
                         int64_t i)
{
    const struct oracle_call *call = t->call;
    double row_max = -INFINITY;
    cx sum = 0, sink = call->sinks != NULL ? call->sinks[h] : 0;

    for (int64_t j = 0; j < call->S; j++) {
        r->seen[j] = oracle_visible(call, b, i, j);
        r->s[j] =
            r->seen[j] ? capped(call, oracle_trial_score(t, b, h, i, j)) : 0;
        r->seen[j] = r->seen[j] && creal(r->s[j]) > -INFINITY;
        r->p[j] = 0;
        if (r->seen[j])
            row_max = fmax(row_max, creal(r->s[j]));
    }
    r->sink = 0;
    r->lse = call->sinks != NULL ? sink : -INFINITY;
    if (row_max == -INFINITY)
        return 0;
    if (call->sinks != NULL) {
        row_max = fmax(row_max, creal(sink));
        sum = r->sink = cexp(sink - row_max);
    }
    for (int64_t j = 0; j < call->S; j++)
        if (r->seen[j])
            sum += r->p[j] = cexp(r->s[j] - row_max);
    for (int64_t j = 0; j < call->S; j++)
        r->p[j] /= sum;
    r->sink /= sum;
    r->lse = row_max + clog(sum);
    return 1;
}

cx oracle_trial_value(const struct oracle_trial *t, int64_t b, int64_t h,
                      int64_t i, int64_t j, int64_t d)
{
    const struct oracle_call *call = t->call;
    int64_t g = h / (call->H / call->G);

    return t->o->value != NULL
               ? t->o->value(call, b, h, i, j, d)
               : call->v[((b * call->G + g) * call->S + j) * call->v_row + d];
}

/* ---------------------------------------------------------------- measures */

double oracle_trial_unit(const struct oracle *o, locant_dtype dtype)
{
    return dtype == LOCANT_F32 || o->float_table ? ORACLE_HALF_F32
                                                 : ORACLE_CHAIN;
}

double oracle_trial_score_error(const struct oracle_trial *t)
{
    return 4 * oracle_trial_unit(t->o, t->p.dtype) *
           (8 + t->score_max + (double)(t->call->S / 16));
}

/* scale |q| |k|, the most that terms of a product reach. */
static double product_reach(const struct oracle_trial *t)
{
    double most[2] = { 0, 0 };

    for (int in = 0; in < 2; in++) {
        size_t n = oracle_count(in ? &t->p.k : &t->p.q);

        for (size_t i = 0; i < n; i += (size_t)t->call->D) {
            double sum = 0;

            for (size_t d = 0; d < (size_t)t->call->D; d++)
                sum += creal(t->p.in[in][i + d]) * creal(t->p.in[in][i + d]);
            most[in] = fmax(most[in], sqrt(sum));
        }
    }
    return t->call->scale * most[0] * most[1];
}

/* The cap is off by at most 12 units of its result, so capped scores count four
 * times: oracle_trial_score_error() allows 4 units of each. */
static void measure_row(struct oracle_trial *t, int64_t b, int64_t h, int64_t i)
{
    const struct oracle_call *call = t->call;
    struct oracle_trial_row r;

    if (!oracle_trial_softmax(&r, t, b, h, i))
        return;
    for (int64_t j = 0; j < call->S; j++)
        if (r.seen[j])
            for (int64_t d = 0; d < call->Dv; d++) {
                t->score_max = fmax(t->score_max, (call->softcap > 0 ? 4 : 1) *
                                                      fabs(creal(r.s[j])));
                t->reach =
                    fmax(t->reach,
                         fabs(creal(oracle_trial_value(t, b, h, i, j, d))));
            }
}

static void measure(struct oracle_trial *t)
{
    const struct oracle_call *call = t->call;

    t->score_max = t->reach = 0;
    for (int64_t row = 0; row < call->B * call->H * call->T; row++)
        measure_row(t, row / (call->H * call->T), row / call->T % call->H,
                    row % call->T);
    t->score_max += product_reach(t);
}

void oracle_trial_make(struct oracle_trial *t, struct oracle_case *c, int64_t n)
{
    oracle_problem_make(&t->p, c, n);
    t->call = &c->call;
    t->o = c->o;
    t->frozen = NULL;
    oracle_problem_forward(&t->p);
    measure(t);
}

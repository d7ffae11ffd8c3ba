/* check_bias.c - the score door: the bias of every pair, and the gradient */
#include "case.h"

#include <math.h>
#include <string.h>

struct score {
    struct oracle_case *c;
    locant_tensor q_pos, k_pos, out, dout; /* [H, T, S] */
};

static cx bias_at(const struct score *s, int64_t at)
{
    const struct oracle_call *call = &s->c->call;

    return s->c->o->bias(call, 0, at / (call->T * call->S),
                         at / call->S % call->T, at % call->S);
}

/* Entries that a causal mask hides may be anything finite. */
static int visible(const struct score *s, int64_t at)
{
    const struct oracle_call *call = &s->c->call;

    return !(s->c->traits & LOCANT_TRAIT_CAUSAL) ||
           call->k_pos[at % call->S] <= call->q_pos[at / call->S % call->T];
}

static struct oracle_sum score_sum(void *context)
{
    struct score *s = context;
    struct oracle_sum sum = { 0 };

    for (int64_t at = 0; at < (int64_t)oracle_count(&s->out); at++)
        if (visible(s, at))
            oracle_sum_add(&sum, oracle_get(&s->dout, (size_t)at),
                           bias_at(s, at));
    return sum;
}

/* Every other case has positions up to o->far. */
static void make(struct score *s, struct oracle_case *c, int64_t n)
{
    struct oracle_call *call = &c->call;
    locant_sizes known;
    int64_t shape[3];

    s->c = c;
    if (c->o->far > 0 && n % 2) {
        c->low = -c->o->far - 1;
        c->high = c->o->far;
    }
    call->B = 1;
    call->H = call->G = oracle_run_range(c->run, 1, 13);
    call->T = oracle_run_range(c->run, 0, 6);
    call->S = oracle_run_range(c->run, 0, 9);
    call->D = call->W = 0;
    call->scale = 1; /* locant_encoding_bias() knows no scale of scores */
    known = (locant_sizes){ .heads = call->H, .kv_heads = call->H };
    oracle_case_params(c, &known);
    s->q_pos = oracle_case_positions(c, call->T);
    s->k_pos = oracle_case_positions(c, call->S);
    call->q_pos = s->q_pos.data;
    call->k_pos = s->k_pos.data;
    memcpy(shape, (int64_t[]){ call->H, call->T, call->S }, sizeof shape);
    s->out = oracle_case_tensor(c, c->run->row.dtype, 3, shape);
    s->dout = oracle_case_tensor(c, c->run->row.dtype, 3, shape);
    for (int64_t at = 0; at < (int64_t)oracle_count(&s->dout); at++)
        if (!visible(s, at))
            oracle_put(&s->dout, (size_t)at, 0);
}

/* Error in double: of up to 64 terms of 1 (sandwich), or a few operations. */
static double own_error(const struct oracle_case *c, double want)
{
    return c->o->far > 0 ? 0x1p-49 * fabs(want)
                         : ORACLE_CHAIN * (65 + fabs(want));
}

static void forward(struct oracle_case *c, int64_t n, int what)
{
    double once = c->run->row.bound - 65 * ORACLE_CHAIN;
    struct score s;

    (void)what;
    make(&s, c, n);
    oracle_case_ok(c, locant_encoding_bias(&s.out, c->e, &s.q_pos, &s.k_pos,
                                           oracle_case_params_in(c)));
    for (size_t at = 0; at < oracle_count(&s.out); at++) {
        double got = oracle_get(&s.out, at), want = got;

        if (visible(&s, (int64_t)at))
            want = creal(bias_at(&s, (int64_t)at));
        else if (!isfinite(got))
            oracle_run_miss(c->run, "the bias of a hidden key is not finite");
        oracle_case_near(c, "bias", at, got, want,
                         once * fabs(want) + own_error(c, want));
    }
}

/* Gradients are summed in double, rounded, and rounded again when added. */
static void backward(struct oracle_case *c, int64_t n, int what)
{
    struct score s;

    (void)what;
    make(&s, c, n);
    oracle_case_ok(c,
                   locant_encoding_bias_backward(c->grad, &s.dout, c->e,
                                                 &s.q_pos, &s.k_pos, c->value));
    oracle_case_params_check(c, score_sum, &s, 65 * ORACLE_CHAIN, 1);
}

static double bound_of(locant_dtype dtype)
{
    return 65 * ORACLE_CHAIN +
           (dtype == LOCANT_F32 ? 1.01 * ORACLE_HALF_F32 : 0);
}

void oracle_check_bias(struct oracle_run *r, const struct oracle *o, int i)
{
    static const locant_dtype dtypes[] = { LOCANT_F32, LOCANT_F64 };
    struct oracle_case c;

    oracle_case_describe(&c, r, o, i);
    if (!(c.doors & LOCANT_DOOR_SCORE) || o->bias == NULL)
        return;
    for (int n = 0; n < 4; n++) {
        if ((n > 1 && !(c.traits & LOCANT_TRAIT_LEARNED)) ||
            !oracle_run_open(r, n > 1 ? "bias-back" : "bias", o->name, c.spec,
                             dtypes[n % 2], bound_of(dtypes[n % 2])))
            continue;
        oracle_case_each(r, o, i, 0, n > 1 ? backward : forward, 0);
        oracle_run_close(r);
    }
}

/* bias.c - the score door: the bias of every pair, and the gradient. */
#include <math.h>
#include <string.h>

#include "selftest.h"

struct score {
    struct st_case c;
    locant_tensor q_pos, k_pos, out, dout;
};

static cx bias_at(const struct score *s, int64_t at)
{
    const struct whole *w = &s->c.w;

    return s->c.o->bias(w, 0, at / (w->T * w->S), at / w->S % w->T,
                        at % w->S);
}

/* Entries a causal mask hides are no one's business. */
static int asked(const struct score *s, int64_t at)
{
    const struct whole *w = &s->c.w;

    return !(s->c.traits & LOCANT_TRAIT_CAUSAL) ||
           w->k_pos[at % w->S] <= w->q_pos[at / w->S % w->T];
}

static struct st_sum score_sum(void *context)
{
    struct score *s = context;
    struct st_sum sum = { 0 };

    for (int64_t at = 0; at < (int64_t)cli_elements(&s->out); at++)
        if (asked(s, at))
            st_add(&sum, st_get(&s->dout, (size_t)at), bias_at(s, at));
    return sum;
}

static void hide(struct score *s)
{
    for (int64_t at = 0; at < (int64_t)cli_elements(&s->dout); at++) {
        if (asked(s, at))
            continue;
        if (s->dout.dtype == LOCANT_F64)
            ((double *)s->dout.data)[at] = 0;
        else
            ((float *)s->dout.data)[at] = 0;
    }
}

static int make(struct score *s, locant_dtype dtype)
{
    struct whole *w = &s->c.w;
    locant_sizes  known;
    int64_t       shape[3];

    w->B = 1;
    w->H = w->G = st_range(s->c.t, 1, 13);
    w->T = st_range(s->c.t, 1, 6);
    w->S = st_range(s->c.t, 1, 9);
    w->D = w->W = 0;
    w->scale = 1; /* unknown here: a bias inside of the scale comes bare */
    known = (locant_sizes){ .heads = w->H, .kv_heads = w->H };
    if (!st_params(&s->c, dtype, &known))
        return 0;
    s->q_pos = st_positions(&s->c, w->T);
    s->k_pos = st_positions(&s->c, w->S);
    w->q_pos = s->q_pos.data;
    w->k_pos = s->k_pos.data;
    shape[0] = w->H;
    shape[1] = w->T;
    shape[2] = w->S;
    s->out  = st_tensor(&s->c, dtype, 3, shape);
    s->dout = st_tensor(&s->c, dtype, 3, shape);
    if (w->q_pos == NULL || w->k_pos == NULL || s->out.data == NULL ||
        s->dout.data == NULL)
        return 0;
    hide(s);
    return 1;
}

static void forward(struct score *s)
{
    if (!st_took(s->c.t, locant_encoding_bias(&s->out, s->c.e, &s->q_pos,
                                              &s->k_pos, st_params_in(&s->c))))
        return;
    for (int64_t at = 0; at < (int64_t)cli_elements(&s->out); at++) {
        double want = asked(s, at) ? creal(bias_at(s, at)) : 0;

        if (asked(s, at))
            st_error(s->c.t, st_get(&s->out, (size_t)at), want,
                     1 + fabs(want));
    }
}

static void backward(struct score *s)
{
    if (st_took(s->c.t, locant_encoding_bias_backward(
                    s->c.grad, &s->dout, s->c.e, &s->q_pos, &s->k_pos,
                    s->c.value)))
        st_check_params(&s->c, score_sum, s, 12);
}

/*
 * Values are a chain in double, with sums of up to 64 terms of 1 (sandwich),
 * rounded once.  Gradients are summed in double and added with one rounding, of
 * the sum and of what was there.
 */
static double bound_of(locant_dtype dtype)
{
    return 65 * ST_CHAIN + (dtype == LOCANT_F32 ? 1.01 * ST_HALF_F32 : 0);
}

static void row(struct selftest *t, int gradient, const struct whole_oracle *o,
                int i, locant_dtype dtype)
{
    struct score   s;
    struct st_case c;

    st_case_open(&c, t, o, i, 0);
    st_case_close(&c);
    if (!st_open(t, gradient ? "bias-back" : "bias", o->name, c.spec, dtype,
                 bound_of(dtype)))
        return;
    for (int64_t n = 0; n < t->cases; n++, t->row.cases++) {
        memset(&s, 0, sizeof s);
        st_case_open(&s.c, t, o, i, 0);
        if (s.c.e != NULL && make(&s, dtype))
            (gradient ? backward : forward)(&s);
        st_case_close(&s.c);
    }
    st_close(t);
}

void st_bias(struct selftest *t, const struct whole_oracle *o, int i)
{
    struct st_case c;
    int learned;

    st_case_open(&c, t, o, i, 0);
    learned = c.e != NULL && (c.traits & LOCANT_TRAIT_LEARNED);
    st_case_close(&c);
    for (int gradient = 0; gradient <= learned; gradient++) {
        row(t, gradient, o, i, LOCANT_F32);
        row(t, gradient, o, i, LOCANT_F64);
    }
}

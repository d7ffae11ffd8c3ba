/* whole_attend.c - attention with a whole encoding, forward and backward. */
#include "whole_problem.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* A problem, the rows that are summed, and what the sums came to. */
struct judged {
    struct whole_problem p;
    int64_t b0, b1, i0, i1;
    double top;   /* largest |score|, and what its terms may reach */
    double reach; /* largest |value| */
    double gross; /* of the last sum; see add_row() */
    double mass;  /* the same with 1 for every |s_j'| */
    cx *frozen;   /* scores [B, H, T, S] while values move; or NULL */
};

/* Scores, weights and log-sum-exp of one row. */
struct row {
    cx s[WHOLE_KEYS], p[WHOLE_KEYS], lse;
    cx sink; /* its weight */
    int seen[WHOLE_KEYS];
};

static cx score(const struct judged *t, int64_t b, int64_t h, int64_t i,
                int64_t j)
{
    const struct whole *w = &t->p.c.w;

    return t->frozen != NULL
               ? t->frozen[((b * w->H + h) * w->T + i) * w->S + j]
               : whole_score(w, t->p.c.o, b, h, i, j);
}

/*
 * Options: cap of Gemma Team 2024, arXiv:2408.00118, section 2; sink of OpenAI
 * 2025, arXiv:2508.10925: one more score, whose value is 0.
 */
static cx capped(const struct whole *w, cx s)
{
    return w->softcap > 0 && creal(s) > -INFINITY
               ? w->softcap * ctanh(s / w->softcap)
               : s;
}

/* 0: the row sees no key. */
static int softmax(struct row *r, const struct judged *t, int64_t b,
                   int64_t h, int64_t i)
{
    const struct whole *w = &t->p.c.w;
    double top = -INFINITY;
    cx sum = 0, sink = w->sinks != NULL ? w->sinks[h] : 0;

    for (int64_t j = 0; j < w->S; j++) {
        r->seen[j] = whole_visible(w, b, i, j);
        r->s[j] = r->seen[j] ? capped(w, score(t, b, h, i, j)) : 0;
        r->seen[j] = r->seen[j] && creal(r->s[j]) > -INFINITY;
        r->p[j] = 0;
        if (r->seen[j])
            top = fmax(top, creal(r->s[j]));
    }
    r->sink = 0;
    r->lse = w->sinks != NULL ? sink : -INFINITY;
    if (top == -INFINITY)
        return 0;
    if (w->sinks != NULL) {
        top = fmax(top, creal(sink));
        sum = r->sink = cexp(sink - top);
    }
    for (int64_t j = 0; j < w->S; j++)
        if (r->seen[j])
            sum += r->p[j] = cexp(r->s[j] - top);
    for (int64_t j = 0; j < w->S; j++)
        r->p[j] /= sum;
    r->sink /= sum;
    r->lse = top + clog(sum);
    return 1;
}

static cx value(const struct whole_problem *p, int64_t b, int64_t h,
                int64_t i, int64_t j, int64_t d)
{
    const struct whole *w = &p->c.w;
    int64_t g = h / (w->H / w->G);

    return p->c.o->value != NULL
               ? p->c.o->value(w, b, h, i, j, d)
               : w->v[((b * w->G + g) * w->S + j) * w->D + d];
}

/* ----------------------------------------------------------------- forward */

/*
 * Rounding units that errors are counted in: of float32 where the problem or
 * the table of cosines is in float32; of double, with ten bits for the chain of
 * operations inside of an encoding, otherwise.
 */
static double unit(const struct judged *t)
{
    return t->p.dtype == LOCANT_F32 || t->p.c.o->float_table ? 0x1p-24
                                                             : 0x1p-43;
}

/*
 * A score of size s, a sum of a few products, is off by a few units of s, and
 * the exponential turns that into a relative error of the weight.
 */
static double score_error(const struct judged *t)
{
    return 4 * unit(t) * (8 + t->top);
}

/* scale |q| |k|, the most that terms of a product reach. */
static double product_reach(const struct whole_problem *p)
{
    double q = 0, k = 0;

    for (int in = 0; in < 2; in++) {
        size_t n = attend_count(in ? &p->k : &p->q);
        double *top = in ? &k : &q;

        for (size_t i = 0; i < n; i += (size_t)p->c.w.D) {
            double sum = 0;

            for (size_t d = 0; d < (size_t)p->c.w.D; d++)
                sum += creal(p->in[in][i + d]) * creal(p->in[in][i + d]);
            *top = fmax(*top, sqrt(sum));
        }
    }
    return p->c.w.scale * q * k;
}

static void measure_row(struct judged *t, int64_t b, int64_t h, int64_t i)
{
    const struct whole *w = &t->p.c.w;
    struct row r;

    if (!softmax(&r, t, b, h, i))
        return;
    for (int64_t j = 0; j < w->S; j++)
        for (int64_t d = 0; r.seen[j] && d < w->D; d++) {
            /* The cap errs by 12 units of what it leaves. */
            t->top = fmax(t->top, (w->softcap > 0 ? 4 : 1) *
                                      fabs(creal(r.s[j])));
            t->reach =
                fmax(t->reach, fabs(creal(value(&t->p, b, h, i, j, d))));
        }
}

static void measure(struct judged *t)
{
    const struct whole *w = &t->p.c.w;

    t->top = t->reach = 0;
    for (int64_t row = 0; row < w->B * w->H * w->T; row++)
        measure_row(t, row / (w->H * w->T), row / w->T % w->H, row % w->T);
    t->top += product_reach(&t->p);
}

static void check_row(struct judged *t, int64_t b, int64_t h, int64_t i)
{
    struct whole_problem *p = &t->p;
    const struct whole *w = &p->c.w;
    size_t at = (size_t)((b * w->H + h) * w->T + i);
    struct row r;
    int sees = softmax(&r, t, b, h, i);

    whole_near(&p->c, "lse", at, attend_get(&p->lse, at),
               creal(r.lse), score_error(t));
    for (int64_t d = 0; d < w->D; d++) {
        size_t to = at * (size_t)w->D + (size_t)d;
        cx want = 0;

        for (int64_t j = 0; sees && j < w->S; j++)
            if (r.seen[j])
                want += r.p[j] * value(p, b, h, i, j, d);
        whole_near(&p->c, "out", to, attend_get(&p->out, to), creal(want),
                   sees ? score_error(t) * t->reach : 0);
    }
}

static void check_forward(struct judged *t)
{
    const struct whole *w = &t->p.c.w;

    measure(t);
    for (int64_t row = 0; row < w->B * w->H * w->T; row++)
        check_row(t, row / (w->H * w->T), row / w->T % w->H, row % w->T);
}

/* ---------------------------------------------------------------- backward */

/*
 * <dout, out> of one row, in complex arithmetic.  Beside it 'gross', with every
 * term of the derivative taken as positive:
 *
 *     sum_j p_j (|dout| . |value_j| + sum_k p_k |dout| . |value_k|) |s_j'|
 *     + sum_j p_j |dout| . |value_j'|
 *
 * which rounding errors of a gradient are measured by.
 */
static cx add_row(struct judged *t, int64_t b, int64_t h, int64_t i)
{
    const struct whole_problem *p = &t->p;
    const struct whole *w = &p->c.w;
    const cx *dout = p->in[4] + ((b * w->H + h) * w->T + i) * w->D;
    double terms[WHOLE_KEYS] = { 0 }, mean = 0;
    struct row r;
    cx sum = 0;

    if (!softmax(&r, t, b, h, i))
        return 0;
    for (int64_t j = 0; j < w->S; j++)
        for (int64_t d = 0; r.seen[j] && d < w->D; d++) {
            cx v = value(p, b, h, i, j, d);
            double weight = creal(r.p[j]) * fabs(creal(dout[d]));

            sum += r.p[j] * v * dout[d];
            terms[j] += fabs(creal(dout[d])) * fabs(creal(v));
            t->gross += weight * fabs(cimag(v)) / WHOLE_STEP;
        }
    for (int64_t j = 0; j < w->S; j++)
        mean += creal(r.p[j]) * terms[j];
    if (w->sinks != NULL)
        t->gross += creal(r.sink) * mean * fabs(cimag(w->sinks[h])) /
                    WHOLE_STEP;
    for (int64_t j = 0; j < w->S; j++)
        if (r.seen[j]) {
            t->mass += creal(r.p[j]) * (terms[j] + mean);
            t->gross += creal(r.p[j]) * (terms[j] + mean) *
                        fabs(cimag(r.s[j])) / WHOLE_STEP;
        }
    return sum;
}

static cx add_all(void *context)
{
    struct judged *t = context;
    cx sum = 0;

    t->gross = t->mass = 0;
    for (int64_t b = t->b0; b < t->b1; b++)
        for (int64_t h = 0; h < t->p.c.w.H; h++)
            for (int64_t i = t->i0; i < t->i1; i++)
                sum += add_row(t, b, h, i);
    return sum;
}

/*
 * Derivative along one entry, and how far the library may be from it.  Turned
 * channels of a pair may cancel in what they do to a score, each of the size of
 * the score's terms.
 */
static double slope(double *bound, struct judged *t, cx *x)
{
    double want = whole_slope(x, add_all, t);

    *bound = 4 * score_error(t) * (t->gross + fabs(want)) + 1e-12;
    if (t->p.c.o->turned != NULL)
        *bound += score_error(t) * t->mass * (1 + t->top);
    return want;
}

/* A query moves its own row only, a key, value or x those of its batch row. */
static void check_input(struct judged *t, const char *what, int in,
                        const locant_tensor *got)
{
    const struct whole *w = &t->p.c.w;
    int64_t n = (int64_t)attend_count(got), each = n / w->B;

    for (int64_t i = 0; i < n; i++) {
        double want, bound;

        t->b0 = i / each;
        t->b1 = t->b0 + 1;
        t->i0 = in == 0 ? i / w->D % w->T : 0;
        t->i1 = in == 0 ? t->i0 + 1 : w->T;
        want = slope(&bound, t, &t->p.in[in][i]);
        whole_near(&t->p.c, what, (size_t)i, attend_get(got, (size_t)i), want,
                   bound);
    }
}

/*
 * What a parameter of the rotate door does to a score through the query and
 * through the key may cancel: each is a position times the terms of the score.
 * Other oracles say what their parts amount to.
 */
static double cancelled(const struct judged *t, int k)
{
    if (t->p.c.o->parts != NULL)
        return score_error(t) * t->mass * t->p.c.o->parts(&t->p.c.w, k);
    return t->p.c.o->turned == NULL
               ? 0
               : score_error(t) * t->mass * t->top * (double)t->p.c.high;
}

/* Added to what was there, with one rounding or two of the type. */
static void check_params(struct judged *t)
{
    struct whole_case *c = &t->p.c;

    t->b0 = t->i0 = 0;
    t->b1 = c->w.B;
    t->i1 = c->w.T;
    for (int k = 0; k < c->params; k++)
        for (size_t i = 0; c->p[k].rate != 0 && i < c->p[k].size; i++) {
            double before = c->p[k].before[i], bound;
            double want = slope(&bound, t, &c->p[k].x[i]);
            double ulp = c->grad[k].dtype == LOCANT_F32 ? 0x1p-23 : 0x1p-52;
            char what[40] = "dparams[0], entry";

            what[8] = (char)('0' + k);
            whole_near(c, what, i, oracle_get(&c->grad[k], i), want + before,
                       bound + cancelled(t, k) +
                           ulp * (fabs(want) + fabs(before)));
        }
}

/* dsinks was 1. */
static void check_sinks(struct judged *t)
{
    const struct whole *w = &t->p.c.w;

    t->b0 = t->i0 = 0;
    t->b1 = w->B;
    t->i1 = w->T;
    for (int64_t h = 0; w->sinks != NULL && h < w->H; h++) {
        double bound, want = 1 + slope(&bound, t, &t->p.in[5][h]);
        double ulp = t->p.dtype == LOCANT_F32 ? 0x1p-23 : 0x1p-52;

        whole_near(&t->p.c, "dsinks", (size_t)h,
                   oracle_get(&t->p.dsinks, (size_t)h), want,
                   bound + ulp * (1 + fabs(want)));
    }
}

/* Values change no score. */
static void check_values(struct judged *t)
{
    const struct whole *w = &t->p.c.w;
    int64_t n = w->B * w->H * w->T * w->S;
    cx *scores = calloc((size_t)n + 1, sizeof(*scores));

    assert_non_null(scores);
    for (int64_t at = 0; at < n; at++) {
        int64_t row = at / w->S, b = row / (w->H * w->T), i = row % w->T;

        if (whole_visible(w, b, i, at % w->S))
            scores[at] = score(t, b, row / w->T % w->H, i, at % w->S);
    }
    t->frozen = scores;
    check_input(t, "dv", 2, &t->p.dv);
    t->frozen = NULL;
    free(scores);
}

static void check_backward(struct judged *t)
{
    check_input(t, "dq", 0, &t->p.dq);
    check_input(t, "dk", 1, &t->p.dk);
    check_values(t);
    if (t->p.a.x != NULL)
        check_input(t, "dx", 3, &t->p.dx);
    check_sinks(t);
    check_params(t);
}

/* The workspace-free reference is another way in. */
static void run_reference(struct whole_problem *p)
{
    locant_attention_gradients g = LOCANT_ATTENTION_GRADIENTS_INIT;

    g.dq = &p->dq;
    g.dk = &p->dk;
    g.dv = &p->dv;
    g.dx = p->a.x != NULL ? &p->dx : NULL;
    g.dsinks = p->a.sinks != NULL ? &p->dsinks : NULL;
    g.dparams = p->a.params != NULL ? p->c.grad + p->c.first : NULL;
    CHECK_OK(locant_attention_reference(&p->out, &p->lse, &p->a));
    CHECK_OK(locant_attention_reference_backward(&g, &p->dout, &p->out,
                                                 &p->lse, &p->a));
}

static void one_problem(struct judged *t, int round, int options)
{
    whole_problem_make(&t->p, round % 2 ? LOCANT_F32 : LOCANT_F64);
    if (options)
        whole_problem_options(&t->p);
    if (round % 4 == 2) {
        run_reference(&t->p);
    } else {
        whole_problem_forward(&t->p);
        whole_problem_backward(&t->p);
    }
    check_forward(t);
    check_backward(t);
    whole_problem_free(&t->p);
}

static void each_spec(const struct whole_oracle *o, int usual, int most,
                      int options)
{
    struct judged t;
    int cases = judge_cases(usual);

    for (int i = 0; i < most && whole_case_open(&t.p.c, o, i, 0); i++) {
        whole_case_close(&t.p.c);
        for (int round = 0; round < cases; round++) {
            struct whole_problem fresh = { .dtype = LOCANT_F64 };

            t.p = fresh;
            t.frozen = NULL;
            CHECK(whole_case_open(&t.p.c, o, i, (int)test_range(0, 7)));
            one_problem(&t, options ? round + i : round, options);
        }
    }
}

void whole_judge_attention(const struct whole_oracle *o, int usual)
{
    each_spec(o, usual, INT_MAX, 0);
}

void whole_judge_options(const struct whole_oracle *o, int usual)
{
    each_spec(o, usual, 4, 1);
}

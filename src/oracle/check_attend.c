/* check_attend.c - attention with every encoding, forward and backward. */
#include "problem.h"

#include <math.h>

/* A problem, the rows whose outputs are summed, and sizes found in the sum. */
struct judged {
    struct oracle_problem p;
    struct oracle_call *w; /* of p.c */
    const struct oracle *o;
    int64_t b0, b1, i0, i1;
    double top;   /* the most that a score or its terms reach */
    double reach; /* largest |value| */
    double mass;  /* 'gross' of the last sum if every |s_j'| were 1 */
    cx *frozen;   /* scores [B, H, T, S] while dv is checked, else NULL */
};

/* Scores, weights and log-sum-exp of one row. */
struct row {
    cx s[ORACLE_KEYS], p[ORACLE_KEYS], lse;
    cx sink; /* its weight */
    int seen[ORACLE_KEYS];
};

static cx score(const struct judged *t, int64_t b, int64_t h, int64_t i,
                int64_t j)
{
    const struct oracle_call *w = t->w;

    return t->frozen != NULL ? t->frozen[((b * w->H + h) * w->T + i) * w->S + j]
                             : oracle_score(w, t->o, b, h, i, j);
}

/*
 * Options: cap of Gemma Team 2024, arXiv:2408.00118, section 2; sink of OpenAI
 * 2025, arXiv:2508.10925: one more score, whose value is 0.
 */
static cx capped(const struct oracle_call *w, cx s)
{
    return w->softcap > 0 && creal(s) > -INFINITY
               ? w->softcap * ctanh(s / w->softcap)
               : s;
}

/* Returns 0 if the row sees no key. */
static int softmax(struct row *r, const struct judged *t, int64_t b, int64_t h,
                   int64_t i)
{
    const struct oracle_call *w = t->w;
    double top = -INFINITY;
    cx sum = 0, sink = w->sinks != NULL ? w->sinks[h] : 0;

    for (int64_t j = 0; j < w->S; j++) {
        r->seen[j] = oracle_visible(w, b, i, j);
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

static cx value(const struct judged *t, int64_t b, int64_t h, int64_t i,
                int64_t j, int64_t d)
{
    const struct oracle_call *w = t->w;
    int64_t g = h / (w->H / w->G);

    return t->o->value != NULL ? t->o->value(w, b, h, i, j, d)
                               : w->v[((b * w->G + g) * w->S + j) * w->D + d];
}

/* ---------------------------------------------------------------- measures */

/*
 * The unit that errors are counted in: of float32 if the problem or the table
 * of cosines is in float32; else of double, with ten bits for the chain of
 * operations inside of an encoding.
 */
static double unit(const struct oracle *o, locant_dtype dtype)
{
    return dtype == LOCANT_F32 || o->float_table ? ORACLE_HALF_F32
                                                 : ORACLE_CHAIN;
}

/*
 * A score of size s, a sum of a few products, is off by a few units of s, and
 * the exponential turns that into a relative error of the weight; a sum over S
 * keys adds S units at most, and random signs leave far less of them.
 */
static double score_error(const struct judged *t)
{
    return 4 * unit(t->o, t->p.dtype) * (8 + t->top + (double)(t->w->S / 16));
}

/* scale |q| |k|, the most that terms of a product reach. */
static double product_reach(const struct judged *t)
{
    double most[2] = { 0, 0 };

    for (int in = 0; in < 2; in++) {
        size_t n = oracle_count(in ? &t->p.k : &t->p.q);

        for (size_t i = 0; i < n; i += (size_t)t->w->D) {
            double sum = 0;

            for (size_t d = 0; d < (size_t)t->w->D; d++)
                sum += creal(t->p.in[in][i + d]) * creal(t->p.in[in][i + d]);
            most[in] = fmax(most[in], sqrt(sum));
        }
    }
    return t->w->scale * most[0] * most[1];
}

/* The cap is off by at most 12 units of its result. */
static void measure_row(struct judged *t, int64_t b, int64_t h, int64_t i)
{
    const struct oracle_call *w = t->w;
    struct row r;

    if (!softmax(&r, t, b, h, i))
        return;
    for (int64_t j = 0; j < w->S; j++)
        for (int64_t d = 0; r.seen[j] && d < w->D; d++) {
            t->top =
                fmax(t->top, (w->softcap > 0 ? 4 : 1) * fabs(creal(r.s[j])));
            t->reach = fmax(t->reach, fabs(creal(value(t, b, h, i, j, d))));
        }
}

static void measure(struct judged *t)
{
    const struct oracle_call *w = t->w;

    t->top = t->reach = 0;
    for (int64_t row = 0; row < w->B * w->H * w->T; row++)
        measure_row(t, row / (w->H * w->T), row / w->T % w->H, row % w->T);
    t->top += product_reach(t);
}

/* ----------------------------------------------------------------- forward */

static void check_row(struct judged *t, int64_t b, int64_t h, int64_t i)
{
    const struct oracle_call *w = t->w;
    struct oracle_case *c = t->p.c;
    size_t at = (size_t)((b * w->H + h) * w->T + i);
    struct row r;
    int sees = softmax(&r, t, b, h, i);

    oracle_case_near(c, "lse", at, oracle_get(&t->p.lse, at), creal(r.lse),
                     score_error(t));
    for (int64_t d = 0; d < w->D; d++) {
        size_t to = at * (size_t)w->D + (size_t)d;
        cx want = 0;

        for (int64_t j = 0; sees && j < w->S; j++)
            if (r.seen[j])
                want += r.p[j] * value(t, b, h, i, j, d);
        oracle_case_near(c, "out", to, oracle_get(&t->p.out, to), creal(want),
                         sees ? score_error(t) * t->reach : 0);
    }
}

static void make(struct judged *t, struct oracle_case *c, int64_t n)
{
    oracle_problem_make(&t->p, c, n);
    t->w = &c->w;
    t->o = c->o;
    t->frozen = NULL;
    oracle_problem_forward(&t->p);
    measure(t);
}

static void forward(struct oracle_case *c, int64_t n, int what)
{
    const struct oracle_call *w = &c->w;
    struct judged t;

    (void)what;
    make(&t, c, n);
    for (int64_t row = 0; row < w->B * w->H * w->T; row++)
        check_row(&t, row / (w->H * w->T), row / w->T % w->H, row % w->T);
}

/* ---------------------------------------------------------------- backward */

/*
 * <dout, out> of one row, in complex arithmetic.  'gross' takes every term of
 * the derivative as positive:
 *
 *     sum_j p_j (|dout| . |value_j| + sum_k p_k |dout| . |value_k|) |s_j'|
 *     + sum_j p_j |dout| . |value_j'|
 *
 * Rounding errors of a gradient are measured by it.
 */
static void add_row(struct oracle_sum *sum, struct judged *t, int64_t b,
                    int64_t h, int64_t i)
{
    const struct oracle_call *w = t->w;
    const cx *dout = t->p.in[4] + ((b * w->H + h) * w->T + i) * w->D;
    double terms[ORACLE_KEYS] = { 0 }, mean = 0;
    struct row r;

    if (!softmax(&r, t, b, h, i))
        return;
    for (int64_t j = 0; j < w->S; j++)
        for (int64_t d = 0; r.seen[j] && d < w->D; d++) {
            cx v = value(t, b, h, i, j, d);
            double size = fabs(creal(dout[d]));

            sum->sum += r.p[j] * v * dout[d];
            sum->gross += creal(r.p[j]) * size * fabs(cimag(v)) / ORACLE_STEP;
            terms[j] += size * fabs(creal(v));
        }
    for (int64_t j = 0; j < w->S; j++)
        mean += creal(r.p[j]) * terms[j];
    if (w->sinks != NULL)
        sum->gross +=
            creal(r.sink) * mean * fabs(cimag(w->sinks[h])) / ORACLE_STEP;
    for (int64_t j = 0; j < w->S; j++)
        if (r.seen[j]) {
            t->mass += creal(r.p[j]) * (terms[j] + mean);
            sum->gross += creal(r.p[j]) * (terms[j] + mean) *
                          fabs(cimag(r.s[j])) / ORACLE_STEP;
        }
}

static struct oracle_sum add_all(void *context)
{
    struct judged *t = context;
    struct oracle_sum sum = { 0 };

    t->mass = 0;
    for (int64_t b = t->b0; b < t->b1; b++)
        for (int64_t h = 0; h < t->w->H; h++)
            for (int64_t i = t->i0; i < t->i1; i++)
                add_row(&sum, t, b, h, i);
    return sum;
}

/*
 * Derivative along one entry, and how far the library may be from it.  The
 * effects of the two rotated channels of a pair on a score may cancel; each can
 * be as large as the score's terms.
 */
static double slope(double *allowed, struct judged *t, cx *x)
{
    double gross, want = oracle_slope(&gross, x, add_all, t);

    *allowed = 4 * score_error(t) * (gross + fabs(want)) + 1e-12;
    if (t->o->rotated != NULL)
        *allowed += score_error(t) * t->mass * (1 + t->top);
    return want;
}

static void sum_all(struct judged *t)
{
    t->b0 = t->i0 = 0;
    t->b1 = t->w->B;
    t->i1 = t->w->T;
}

/* A query changes its own row only; a key, value or x its whole batch row. */
static void check_input(struct judged *t, const char *what, int in,
                        const locant_tensor *got)
{
    const struct oracle_call *w = t->w;
    int64_t n = (int64_t)oracle_count(got), each = n / w->B;

    for (int64_t k = 0; k < oracle_entries(t->p.c, n); k++) {
        int64_t i = oracle_entry(t->p.c, k, n);
        double want, allowed;

        t->b0 = i / each;
        t->b1 = t->b0 + 1;
        t->i0 = in == 0 ? i / w->D % w->T : 0;
        t->i1 = in == 0 ? t->i0 + 1 : w->T;
        want = slope(&allowed, t, &t->p.in[in][i]);
        oracle_case_near(t->p.c, what, (size_t)i, oracle_get(got, (size_t)i),
                         want, allowed);
    }
}

/* Values change no score, so the scores are computed once. */
static void check_values(struct judged *t)
{
    const struct oracle_call *w = t->w;
    int64_t n = w->B * w->H * w->T * w->S;
    cx *scores = oracle_case_take(t->p.c, (size_t)n, sizeof *scores);

    for (int64_t at = 0; at < n; at++) {
        int64_t row = at / w->S, b = row / (w->H * w->T), i = row % w->T;

        if (oracle_visible(w, b, i, at % w->S))
            scores[at] = score(t, b, row / w->T % w->H, i, at % w->S);
    }
    t->frozen = scores;
    check_input(t, "dv", 2, &t->p.dv);
    t->frozen = NULL;
}

/* dsinks held 1 before the call, which adds to it. */
static void check_sinks(struct judged *t)
{
    double ulp = t->p.dtype == LOCANT_F32 ? 0x1p-23 : 0x1p-52;

    sum_all(t);
    for (int64_t h = 0; t->w->sinks != NULL && h < t->w->H; h++) {
        double allowed, want = 1 + slope(&allowed, t, &t->p.in[5][h]);

        oracle_case_near(t->p.c, "dsinks", (size_t)h,
                         oracle_get(&t->p.dsinks, (size_t)h), want,
                         allowed + ulp * (1 + fabs(want)));
    }
}

/*
 * The effects of a parameter of the rotate door on a score, through the query
 * and through the key, may cancel: each is a position times the terms of the
 * score.  Oracles of other doors give their 'parts'.
 */
static double cancelled(const struct judged *t, int k)
{
    double parts = t->o->parts != NULL     ? t->o->parts(t->w, k)
                   : t->o->rotated != NULL ? t->top * (double)t->p.c->high
                                           : 0;

    return score_error(t) * t->mass * parts;
}

/* Gradients add to what was there, with one or two roundings of the type. */
static void check_params(struct judged *t)
{
    struct oracle_case *c = t->p.c;

    sum_all(t);
    for (int k = 0; k < c->params; k++) {
        int64_t size = c->p[k].rate != 0 ? (int64_t)c->p[k].size : 0;
        double ulp = c->grad[k].dtype == LOCANT_F32 ? 0x1p-23 : 0x1p-52;

        for (int64_t n = 0; n < oracle_entries(c, size); n++) {
            size_t i = (size_t)oracle_entry(c, n, size);
            double allowed, want = slope(&allowed, t, &c->p[k].x[i]);
            double before = c->p[k].before[i];
            char what[] = "dparams[0], entry";

            what[8] = (char)('0' + k % 10);
            oracle_case_near(
                c, what, i, oracle_get(&c->grad[k], i), want + before,
                allowed + cancelled(t, k) + ulp * (fabs(want) + fabs(before)));
        }
    }
}

/* Long problems are expensive, so few of their entries are checked. */
static void backward(struct oracle_case *c, int64_t n, int what)
{
    int entries = c->run->entries;
    struct judged t;

    (void)what;
    make(&t, c, n);
    oracle_problem_backward(&t.p);
    c->run->entries = n == 0 ? 2 : entries;
    check_input(&t, "dq", 0, &t.p.dq);
    check_input(&t, "dk", 1, &t.p.dk);
    check_values(&t);
    if (t.p.a.x != NULL)
        check_input(&t, "dx", 3, &t.p.dx);
    check_sinks(&t);
    check_params(&t);
    c->run->entries = entries;
}

/* A gradient multiplies two weights and two sums: four times the error. */
void oracle_check_attend(struct oracle_run *r, const struct oracle *o, int i)
{
    static const locant_dtype dtypes[] = { LOCANT_F32, LOCANT_F64 };
    struct oracle_case c;

    oracle_case_look(&c, r, o, i);
    for (int n = 0; n < 4; n++) {
        locant_dtype dtype = dtypes[n % 2];

        if (!oracle_run_open(r, n > 1 ? "attend-back" : "attend", o->name,
                             c.spec, dtype, (n > 1 ? 16 : 4) * unit(o, dtype)))
            continue;
        oracle_case_each(r, o, i, 1, n > 1 ? backward : forward, 0);
        oracle_run_close(r);
    }
}

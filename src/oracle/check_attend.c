/* check_attend.c - attention with every encoding, forward and backward. */
#include "problem.h"

#include <math.h>

/* A problem, the rows whose outputs are summed, and sizes found in the sum. */
struct trial {
    struct oracle_problem p;
    struct oracle_call *call; /* of p.c */
    const struct oracle *o;
    int64_t b0, b1, i0, i1;
    double score_max; /* the most that a score or its terms reach */
    double reach;     /* largest |value| */
    double mass;      /* 'gross' of the last sum if every |s_j'| were 1 */
    cx *frozen;       /* scores [B, H, T, S] while dv is checked, else NULL */
};

/* Scores, weights and log-sum-exp of one row. */
struct row {
    cx s[ORACLE_KEYS], p[ORACLE_KEYS], lse;
    cx sink; /* its weight */
    int seen[ORACLE_KEYS];
};

static cx score(const struct trial *t, int64_t b, int64_t h, int64_t i,
                int64_t j)
{
    const struct oracle_call *call = t->call;

    return t->frozen != NULL
               ? t->frozen[((b * call->H + h) * call->T + i) * call->S + j]
               : oracle_score(call, t->o, b, h, i, j);
}

/*
 * Options: cap of Gemma Team 2024, arXiv:2408.00118, section 2; sink of OpenAI
 * 2025, arXiv:2508.10925: one more score, whose value is 0.
 */
static cx capped(const struct oracle_call *call, cx s)
{
    return call->softcap > 0 && creal(s) > -INFINITY
               ? call->softcap * ctanh(s / call->softcap)
               : s;
}

/* Returns 0 if the row sees no key. */
static int softmax(struct row *r, const struct trial *t, int64_t b, int64_t h,
                   int64_t i)
{
    const struct oracle_call *call = t->call;
    double row_max = -INFINITY;
    cx sum = 0, sink = call->sinks != NULL ? call->sinks[h] : 0;

    for (int64_t j = 0; j < call->S; j++) {
        r->seen[j] = oracle_visible(call, b, i, j);
        r->s[j] = r->seen[j] ? capped(call, score(t, b, h, i, j)) : 0;
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

static cx value(const struct trial *t, int64_t b, int64_t h, int64_t i,
                int64_t j, int64_t d)
{
    const struct oracle_call *call = t->call;
    int64_t g = h / (call->H / call->G);

    return t->o->value != NULL
               ? t->o->value(call, b, h, i, j, d)
               : call->v[((b * call->G + g) * call->S + j) * call->D + d];
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
static double score_error(const struct trial *t)
{
    return 4 * unit(t->o, t->p.dtype) *
           (8 + t->score_max + (double)(t->call->S / 16));
}

/* scale |q| |k|, the most that terms of a product reach. */
static double product_reach(const struct trial *t)
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

/* The cap is off by at most 12 units of its result. */
static void measure_row(struct trial *t, int64_t b, int64_t h, int64_t i)
{
    const struct oracle_call *call = t->call;
    struct row r;

    if (!softmax(&r, t, b, h, i))
        return;
    for (int64_t j = 0; j < call->S; j++)
        for (int64_t d = 0; r.seen[j] && d < call->D; d++) {
            t->score_max = fmax(t->score_max, (call->softcap > 0 ? 4 : 1) *
                                                  fabs(creal(r.s[j])));
            t->reach = fmax(t->reach, fabs(creal(value(t, b, h, i, j, d))));
        }
}

static void measure(struct trial *t)
{
    const struct oracle_call *call = t->call;

    t->score_max = t->reach = 0;
    for (int64_t row = 0; row < call->B * call->H * call->T; row++)
        measure_row(t, row / (call->H * call->T), row / call->T % call->H,
                    row % call->T);
    t->score_max += product_reach(t);
}

/* ----------------------------------------------------------------- forward */

static void check_row(struct trial *t, int64_t b, int64_t h, int64_t i)
{
    const struct oracle_call *call = t->call;
    struct oracle_case *c = t->p.c;
    size_t at = (size_t)((b * call->H + h) * call->T + i);
    struct row r;
    int sees = softmax(&r, t, b, h, i);

    oracle_case_near(c, "lse", at, oracle_get(&t->p.lse, at), creal(r.lse),
                     score_error(t));
    for (int64_t d = 0; d < call->D; d++) {
        size_t to = at * (size_t)call->D + (size_t)d;
        cx want = 0;

        for (int64_t j = 0; sees && j < call->S; j++)
            if (r.seen[j])
                want += r.p[j] * value(t, b, h, i, j, d);
        oracle_case_near(c, "out", to, oracle_get(&t->p.out, to), creal(want),
                         sees ? score_error(t) * t->reach : 0);
    }
}

static void make(struct trial *t, struct oracle_case *c, int64_t n)
{
    oracle_problem_make(&t->p, c, n);
    t->call = &c->call;
    t->o = c->o;
    t->frozen = NULL;
    oracle_problem_forward(&t->p);
    measure(t);
}

static void forward(struct oracle_case *c, int64_t n, int what)
{
    const struct oracle_call *call = &c->call;
    struct trial t;

    (void)what;
    make(&t, c, n);
    for (int64_t row = 0; row < call->B * call->H * call->T; row++)
        check_row(&t, row / (call->H * call->T), row / call->T % call->H,
                  row % call->T);
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
static void add_row(struct oracle_sum *sum, struct trial *t, int64_t b,
                    int64_t h, int64_t i)
{
    const struct oracle_call *call = t->call;
    const cx *dout = t->p.in[4] + ((b * call->H + h) * call->T + i) * call->D;
    double terms[ORACLE_KEYS] = { 0 }, mean = 0;
    struct row r;

    if (!softmax(&r, t, b, h, i))
        return;
    for (int64_t j = 0; j < call->S; j++)
        for (int64_t d = 0; r.seen[j] && d < call->D; d++) {
            cx v = value(t, b, h, i, j, d);
            double size = fabs(creal(dout[d]));

            sum->sum += r.p[j] * v * dout[d];
            sum->gross += creal(r.p[j]) * size * fabs(cimag(v)) / ORACLE_STEP;
            terms[j] += size * fabs(creal(v));
        }
    for (int64_t j = 0; j < call->S; j++)
        mean += creal(r.p[j]) * terms[j];
    if (call->sinks != NULL)
        sum->gross +=
            creal(r.sink) * mean * fabs(cimag(call->sinks[h])) / ORACLE_STEP;
    for (int64_t j = 0; j < call->S; j++)
        if (r.seen[j]) {
            t->mass += creal(r.p[j]) * (terms[j] + mean);
            sum->gross += creal(r.p[j]) * (terms[j] + mean) *
                          fabs(cimag(r.s[j])) / ORACLE_STEP;
        }
}

static struct oracle_sum add_all(void *context)
{
    struct trial *t = context;
    struct oracle_sum sum = { 0 };

    t->mass = 0;
    for (int64_t b = t->b0; b < t->b1; b++)
        for (int64_t h = 0; h < t->call->H; h++)
            for (int64_t i = t->i0; i < t->i1; i++)
                add_row(&sum, t, b, h, i);
    return sum;
}

/*
 * Derivative along one entry, and how far the library may be from it.  The
 * effects of the two rotated channels of a pair on a score may cancel; each can
 * be as large as the score's terms.
 */
static double slope(double *allowed, struct trial *t, cx *x)
{
    double gross, want = oracle_slope(&gross, x, add_all, t);

    *allowed = 4 * score_error(t) * (gross + fabs(want)) + 1e-12;
    if (t->o->rotated != NULL)
        *allowed += score_error(t) * t->mass * (1 + t->score_max);
    return want;
}

static void sum_all(struct trial *t)
{
    t->b0 = t->i0 = 0;
    t->b1 = t->call->B;
    t->i1 = t->call->T;
}

/* A query changes its own row only; a key, value or x its whole batch row. */
static void check_input(struct trial *t, const char *what, int in,
                        const locant_tensor *got)
{
    const struct oracle_call *call = t->call;
    int64_t n = (int64_t)oracle_count(got), each = n / call->B;

    for (int64_t k = 0; k < oracle_entries(t->p.c, n); k++) {
        int64_t i = oracle_entry(t->p.c, k, n);
        double want, allowed;

        t->b0 = i / each;
        t->b1 = t->b0 + 1;
        t->i0 = in == 0 ? i / call->D % call->T : 0;
        t->i1 = in == 0 ? t->i0 + 1 : call->T;
        want = slope(&allowed, t, &t->p.in[in][i]);
        oracle_case_near(t->p.c, what, (size_t)i, oracle_get(got, (size_t)i),
                         want, allowed);
    }
}

/* Values change no score, so the scores are computed once. */
static void check_values(struct trial *t)
{
    const struct oracle_call *call = t->call;
    int64_t n = call->B * call->H * call->T * call->S;
    cx *scores = oracle_case_alloc(t->p.c, (size_t)n, sizeof *scores);

    for (int64_t at = 0; at < n; at++) {
        int64_t row = at / call->S, b = row / (call->H * call->T),
                i = row % call->T;

        if (oracle_visible(call, b, i, at % call->S))
            scores[at] = score(t, b, row / call->T % call->H, i, at % call->S);
    }
    t->frozen = scores;
    check_input(t, "dv", 2, &t->p.dv);
    t->frozen = NULL;
}

/* dsinks held 1 before the call, which adds to it. */
static void check_sinks(struct trial *t)
{
    double ulp = t->p.dtype == LOCANT_F32 ? 0x1p-23 : 0x1p-52;

    sum_all(t);
    for (int64_t h = 0; t->call->sinks != NULL && h < t->call->H; h++) {
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
static double cancelled(const struct trial *t, int k)
{
    double parts = t->o->parts != NULL     ? t->o->parts(t->call, k)
                   : t->o->rotated != NULL ? t->score_max * (double)t->p.c->high
                                           : 0;

    return score_error(t) * t->mass * parts;
}

/* Gradients add to what was there, with one or two roundings of the type. */
static void check_params(struct trial *t)
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
    struct trial t;

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

    oracle_case_describe(&c, r, o, i);
    for (int n = 0; n < 4; n++) {
        locant_dtype dtype = dtypes[n % 2];

        if (!oracle_run_open(r, n > 1 ? "attend-back" : "attend", o->name,
                             c.spec, dtype, (n > 1 ? 16 : 4) * unit(o, dtype)))
            continue;
        oracle_case_each(r, o, i, 1, n > 1 ? backward : forward, 0);
        oracle_run_close(r);
    }
}

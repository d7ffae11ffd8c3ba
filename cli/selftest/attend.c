/* attend.c - fused attention with every encoding, forward and backward. */
#include "attend.h"

#include <math.h>
#include <string.h>

/* Scores, weights and log-sum-exp of one row. */
struct row {
    cx  s[ST_KEYS], p[ST_KEYS], lse;
    int seen[ST_KEYS];
};

/* 0: the row sees no key. */
static int softmax(struct row *r, const struct problem *p, int64_t b,
                   int64_t h, int64_t i)
{
    const struct whole *w = &p->c.w;
    double top = -INFINITY;
    cx     sum = 0;

    for (int64_t j = 0; j < w->S; j++) {
        r->seen[j] = whole_visible(w, b, i, j);
        r->s[j] = r->seen[j] ? whole_score(w, p->c.o, b, h, i, j) : 0;
        r->seen[j] = r->seen[j] && creal(r->s[j]) > -INFINITY;
        r->p[j] = 0;
        if (r->seen[j])
            top = fmax(top, creal(r->s[j]));
    }
    if (top == -INFINITY)
        return 0;
    for (int64_t j = 0; j < w->S; j++)
        if (r->seen[j])
            sum += r->p[j] = cexp(r->s[j] - top);
    for (int64_t j = 0; j < w->S; j++)
        r->p[j] /= sum;
    r->lse = top + clog(sum);
    return 1;
}

static cx value(const struct problem *p, int64_t b, int64_t h, int64_t i,
                int64_t j, int64_t d)
{
    const struct whole *w = &p->c.w;
    int64_t g = h / (w->H / w->G);

    return p->c.o->value != NULL
               ? p->c.o->value(w, b, h, i, j, d)
               : w->v[((b * w->G + g) * w->S + j) * w->D + d];
}

/* ----------------------------------------------------------------- measures */

static double norm(const cx *x, int64_t n)
{
    double sum = 0;

    for (int64_t d = 0; d < n; d++)
        sum += creal(x[d]) * creal(x[d]);
    return sqrt(sum);
}

/* scale |q| |k|: what the terms of a product reach. */
static double product_reach(const struct problem *p)
{
    const struct whole *w = &p->c.w;
    double q = 0, k = 0;

    for (int64_t n = 0; n < w->B * w->H * w->T; n++)
        q = fmax(q, norm(w->q + n * w->D, w->D));
    for (int64_t n = 0; n < w->B * w->G * w->S; n++)
        k = fmax(k, norm(w->k + n * w->D, w->D));
    return w->scale * q * k;
}

static void measure(struct problem *p)
{
    const struct whole *w = &p->c.w;
    struct row r;

    p->top = p->reach = 0;
    for (int64_t n = 0; n < w->B * w->H * w->T; n++) {
        int64_t b = n / (w->H * w->T), h = n / w->T % w->H, i = n % w->T;

        if (!softmax(&r, p, b, h, i))
            continue;
        for (int64_t j = 0; j < w->S; j++) {
            if (r.seen[j])
                p->top = fmax(p->top, fabs(creal(r.s[j])));
            for (int64_t d = 0; r.seen[j] && d < w->D; d++)
                p->reach = fmax(p->reach,
                                fabs(creal(value(p, b, h, i, j, d))));
        }
    }
    p->top += product_reach(p);
}

/*
 * A score that reaches s, a sum of a few products, is off by a few halves of a
 * unit of s, and the exponential turns that into a relative error of the
 * weight; a sum over S keys adds S halves at most.  4 (8 + s) + S / 4 holds
 * both: random signs leave far less of the S.
 */
static double unit(const struct problem *p)
{
    return 8 + p->top + (double)p->c.w.S / 16;
}

/* ----------------------------------------------------------------- forward */

static void check_row(struct problem *p, int64_t b, int64_t h, int64_t i)
{
    struct selftest *t = p->c.t;
    const struct whole *w = &p->c.w;
    size_t at = (size_t)((b * w->H + h) * w->T + i);
    struct row r;
    int sees = softmax(&r, p, b, h, i);

    st_error(t, st_get(&p->lse, at), sees ? creal(r.lse) : -INFINITY, unit(p));
    for (int64_t d = 0; d < w->D; d++) {
        cx want = 0;

        for (int64_t j = 0; sees && j < w->S; j++)
            if (r.seen[j])
                want += r.p[j] * value(p, b, h, i, j, d);
        st_error(t, st_get(&p->out, at * (size_t)w->D + (size_t)d),
                 creal(want), unit(p) * p->reach);
    }
}

static void forward(struct problem *p)
{
    const struct whole *w = &p->c.w;

    if (!problem_forward(p))
        return;
    measure(p);
    for (int64_t n = 0; n < w->B * w->H * w->T; n++)
        check_row(p, n / (w->H * w->T), n / w->T % w->H, n % w->T);
}

/* ---------------------------------------------------------------- backward */

/*
 * Terms of the derivative of a score.  A parameter that turns both sides moves
 * them against each other: what cancels in the score has been summed for
 * queries and for keys apart.
 */
static double score_terms(const struct problem *p, cx score, int64_t b,
                          int64_t h, int64_t i, int64_t j)
{
    const struct whole *w = &p->c.w;
    const struct whole_oracle *o = p->c.o;
    int64_t   g = h / (w->H / w->G);
    const cx *q = w->q + ((b * w->H + h) * w->T + i) * w->D;
    const cx *k = w->k + ((b * w->G + g) * w->S + j) * w->D;
    int64_t   wide = o->turned_width != NULL ? o->turned_width(w) : w->D;
    double    sum = 0;

    if (o->turned == NULL || o->score != NULL || p->c.params == 0)
        return fabs(cimag(score)) / ST_STEP;
    for (int64_t d = 0; d < wide; d++) {
        cx x = o->turned(w, 0, b, h, i, q, d);
        cx y = o->turned(w, 1, b, g, j, k, d);

        sum += fabs(cimag(x) * creal(y)) + fabs(creal(x) * cimag(y));
    }
    return w->scale * sum / ST_STEP;
}

/*
 * <dout, out> of one row, in complex arithmetic.  Beside it, with every term
 * of the derivative taken as positive:
 *
 *     sum_j p_j (|dout| . |value_j| + sum_k p_k |dout| . |value_k|) |s'|_j
 *     + sum_j p_j |dout| . |value_j'|
 */
static void add_row(struct st_sum *sum, const struct problem *p, int64_t b,
                    int64_t h, int64_t i)
{
    const struct whole *w = &p->c.w;
    const cx  *dout = p->in[4] + ((b * w->H + h) * w->T + i) * w->D;
    double     terms[ST_KEYS] = { 0 }, mean = 0;
    struct row r;

    if (!softmax(&r, p, b, h, i))
        return;
    for (int64_t j = 0; j < w->S; j++)
        for (int64_t d = 0; r.seen[j] && d < w->D; d++) {
            cx     v = value(p, b, h, i, j, d);
            double size = fabs(creal(dout[d]));

            sum->sum += r.p[j] * v * dout[d];
            sum->gross += creal(r.p[j]) * size * fabs(cimag(v)) / ST_STEP;
            terms[j] += size * fabs(creal(v));
        }
    for (int64_t j = 0; j < w->S; j++)
        mean += creal(r.p[j]) * terms[j];
    for (int64_t j = 0; j < w->S; j++)
        if (r.seen[j])
            sum->gross += creal(r.p[j]) * (terms[j] + mean) *
                          score_terms(p, r.s[j], b, h, i, j);
}

static struct st_sum add_all(void *context)
{
    struct problem *p = context;
    struct st_sum   sum = { 0 };

    for (int64_t b = p->b0; b < p->b1; b++)
        for (int64_t h = 0; h < p->c.w.H; h++)
            for (int64_t i = p->i0; i < p->i1; i++)
                add_row(&sum, p, b, h, i);
    /* st_check_params() counts in these as well. */
    sum.gross *= unit(p);
    return sum;
}

/* 'most' random entries.  A query moves its own row only, a key, value or x
 * those of its batch row. */
static void check_input(struct problem *p, int in, const locant_tensor *got,
                        int most)
{
    const struct whole *w = &p->c.w;
    int64_t n = (int64_t)cli_elements(got), each = n / w->B;

    for (int k = 0; k < most; k++) {
        int64_t i = st_range(p->c.t, 0, n - 1);
        double  gross, want;

        p->b0 = i / each;
        p->b1 = p->b0 + 1;
        p->i0 = in == 0 ? i / w->D % w->T : 0;
        p->i1 = in == 0 ? p->i0 + 1 : w->T;
        want = st_slope(&gross, &p->in[in][i], add_all, p);
        st_error(p->c.t, st_get(got, (size_t)i), want,
                 gross + unit(p) * fabs(want) + 1e-3);
    }
}

/* A long problem costs much: few entries of it. */
static void backward(struct problem *p)
{
    int is_long = p->c.w.S > 7, most = is_long ? 2 : 6;

    if (!problem_forward(p) || !problem_backward(p))
        return;
    measure(p);
    check_input(p, 0, &p->dq, 2 * most);
    check_input(p, 1, &p->dk, most);
    check_input(p, 2, &p->dv, most);
    if (p->a.x != NULL)
        check_input(p, 3, &p->dx, most);
    p->b0 = p->i0 = 0;
    p->b1 = p->c.w.B;
    p->i1 = p->c.w.T;
    st_check_params(&p->c, add_all, p, is_long ? 1 : 4);
}

/* -------------------------------------------------------------------- rows */

/*
 * Errors are counted in unit() halves of float32, where the problem or the
 * table of cosines is float32, or of the chain in double.  A gradient
 * multiplies two weights and two sums: four times as much.
 */
static void row(struct selftest *t, int gradient, const struct whole_oracle *o,
                int i, locant_dtype dtype)
{
    double half = dtype == LOCANT_F32 || o->float_table ? ST_HALF_F32
                                                        : ST_CHAIN;
    struct st_case c;
    struct problem p;

    st_case_open(&c, t, o, i, 0);
    st_case_close(&c);
    if (!st_open(t, gradient ? "attend-back" : "attend", o->name, c.spec, dtype,
                 (gradient ? 16 : 4) * half))
        return;
    for (int64_t n = 0; n < t->cases; n++, t->row.cases++) {
        memset(&p, 0, sizeof p);
        p.dtype = dtype;
        st_case_open(&p.c, t, o, i, (int)st_range(t, 0, 7));
        if (p.c.e != NULL && problem_make(&p, n))
            (gradient ? backward : forward)(&p);
        st_case_close(&p.c);
    }
    st_close(t);
}

void st_attend(struct selftest *t, const struct whole_oracle *o, int i)
{
    for (int gradient = 0; gradient < 2; gradient++) {
        row(t, gradient, o, i, LOCANT_F32);
        row(t, gradient, o, i, LOCANT_F64);
    }
}

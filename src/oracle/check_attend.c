/* check_attend.c - attention with every encoding, forward and backward */
#include "trial.h"

#include <math.h>

/* ----------------------------------------------------------------- forward */

static void check_row(struct oracle_trial *t, int64_t b, int64_t h, int64_t i)
{
    const struct oracle_call *call = t->call;
    struct oracle_case *c = t->p.c;
    size_t at = (size_t)((b * call->H + h) * call->T + i);
    struct oracle_trial_row r;
    int sees = oracle_trial_softmax(&r, t, b, h, i);

    oracle_case_near(c, "lse", at, oracle_get(&t->p.lse, at), creal(r.lse),
                     oracle_trial_score_error(t));
    for (int64_t d = 0; d < call->Dv; d++) {
        size_t to = at * (size_t)call->Dv + (size_t)d;
        cx want = 0;

        if (sees)
            for (int64_t j = 0; j < call->S; j++)
                if (r.seen[j])
                    want += r.p[j] * oracle_trial_value(t, b, h, i, j, d);
        oracle_case_near(c, "out", to, oracle_get(&t->p.out, to), creal(want),
                         sees ? oracle_trial_score_error(t) * t->reach : 0);
    }
}

static void forward(struct oracle_case *c, int64_t n, int what)
{
    const struct oracle_call *call = &c->call;
    struct oracle_trial t;

    (void)what;
    oracle_trial_make(&t, c, n);
    for (int64_t row = 0; row < call->B * call->H * call->T; row++)
        check_row(&t, row / (call->H * call->T), row / call->T % call->H,
                  row % call->T);
}

/* ---------------------------------------------------------------- backward */

/* |s_j'| h, or the sum of its terms' magnitudes. */
static double score_terms(const struct oracle_trial *t,
                          const struct oracle_trial_row *r, int64_t b,
                          int64_t h, int64_t i, int64_t j)
{
    double terms = fabs(cimag(r->s[j]));

    if (t->o->terms != NULL && t->frozen == NULL)
        terms += t->o->terms(t->call, b, h, i, j);
    return terms;
}

/*
 * <dout, out> of one row, in complex arithmetic.  'gross' takes every term of
 * the derivative as positive:
 *
 *     sum_j p_j (|dout| . |value_j| + sum_k p_k |dout| . |value_k|) |s_j'|
 *     + sum_j p_j |dout| . |value_j'|
 *
 * It is the measure of a gradient's rounding errors.
 */
static void add_row(struct oracle_sum *sum, struct oracle_trial *t, int64_t b,
                    int64_t h, int64_t i)
{
    const struct oracle_call *call = t->call;
    const cx *dout = t->p.in[4] + ((b * call->H + h) * call->T + i) * call->Dv;
    double terms[ORACLE_KEYS] = { 0 }, mean = 0;
    struct oracle_trial_row r;

    if (!oracle_trial_softmax(&r, t, b, h, i))
        return;
    for (int64_t j = 0; j < call->S; j++)
        if (r.seen[j])
            for (int64_t d = 0; d < call->Dv; d++) {
                cx v = oracle_trial_value(t, b, h, i, j, d);
                double size = fabs(creal(dout[d]));

                sum->sum += r.p[j] * v * dout[d];
                sum->gross +=
                    creal(r.p[j]) * size * fabs(cimag(v)) / ORACLE_STEP;
                terms[j] += size * fabs(creal(v));
            }
    for (int64_t j = 0; j < call->S; j++)
        mean += creal(r.p[j]) * terms[j];
    if (call->sinks != NULL)
        sum->gross +=
            creal(r.sink) * mean * fabs(cimag(call->sinks[h])) / ORACLE_STEP;
    for (int64_t j = 0; j < call->S; j++)
        if (r.seen[j]) {
            t->mass += r.share[j] * (terms[j] + mean);
            sum->gross += r.share[j] * (terms[j] + mean) *
                          score_terms(t, &r, b, h, i, j) / ORACLE_STEP;
        }
}

static struct oracle_sum add_all(void *context)
{
    struct oracle_trial *t = context;
    struct oracle_sum sum = { 0 };

    t->mass = 0;
    for (int64_t b = t->b0; b < t->b1; b++)
        for (int64_t h = 0; h < t->call->H; h++)
            for (int64_t i = t->i0; i < t->i1; i++)
                add_row(&sum, t, b, h, i);
    return sum;
}

/*
 * Derivative along one entry, and the error that the library is allowed.  The
 * effects of the two rotated channels of a pair on a score may cancel; each can
 * be as large as the score's terms.  So can those of a query that shrinks.
 */
static double slope(double *allowed, struct oracle_trial *t, cx *x)
{
    double gross, want = oracle_slope(&gross, x, add_all, t);

    *allowed = 4 * oracle_trial_score_error(t) * (gross + fabs(want)) + 1e-12;
    if (t->o->rotated != NULL || t->o->shrinks_queries)
        *allowed += oracle_trial_score_error(t) * t->mass * (1 + t->score_max);
    return want;
}

static void sum_all(struct oracle_trial *t)
{
    t->b0 = t->i0 = 0;
    t->b1 = t->call->B;
    t->i1 = t->call->T;
}

/* A query changes its own row only; a key, value or x the whole batch row. */
static void check_input(struct oracle_trial *t, const char *what, int in,
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
static void check_values(struct oracle_trial *t)
{
    const struct oracle_call *call = t->call;
    int64_t n = call->B * call->H * call->T * call->S;
    cx *scores = oracle_case_alloc(t->p.c, (size_t)n, sizeof *scores);

    for (int64_t at = 0; at < n; at++) {
        int64_t row = at / call->S, b = row / (call->H * call->T),
                i = row % call->T;

        if (oracle_visible(call, b, i, at % call->S))
            scores[at] = oracle_trial_score(t, b, row / call->T % call->H, i,
                                            at % call->S);
    }
    t->frozen = scores;
    check_input(t, "dv", 2, &t->p.dv);
    t->frozen = NULL;
}

/* dsinks held 1 before the call, which adds to it. */
static void check_sinks(struct oracle_trial *t)
{
    double ulp = t->p.dtype == LOCANT_F32 ? 0x1p-23 : 0x1p-52;

    sum_all(t);
    if (t->call->sinks != NULL)
        for (int64_t h = 0; h < t->call->H; h++) {
            double allowed, want = 1 + slope(&allowed, t, &t->p.in[5][h]);

            oracle_case_near(t->p.c, "dsinks", (size_t)h,
                             oracle_get(&t->p.dsinks, (size_t)h), want,
                             allowed + ulp * (1 + fabs(want)));
        }
}

/*
 * What to allow for effects of a parameter on a score that may cancel.  For the
 * rotate door, through query and key, each is a position times the terms of the
 * score; oracles of other doors give their 'parts'.  Maps that shrink queries
 * are counted as in slope().
 */
static double cancelled(const struct oracle_trial *t, int k)
{
    double parts = t->o->parts != NULL     ? t->o->parts(t->call, k)
                   : t->o->rotated != NULL ? t->score_max * (double)t->p.c->high
                   : t->o->shrinks_queries ? t->score_max
                                           : 0;

    return oracle_trial_score_error(t) * t->mass * parts;
}

/* Gradients add to what was there, with one or two roundings to the type. */
static void check_params(struct oracle_trial *t)
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

/* Case 0 is long and expensive, so few of its entries are checked. */
static void backward(struct oracle_case *c, int64_t n, int what)
{
    int entries = c->run->entries;
    struct oracle_trial t;

    (void)what;
    oracle_trial_make(&t, c, n);
    oracle_problem_backward(&t.p);
    c->run->entries = n == 0 ? 2 : entries;
    check_input(&t, "dq", 0, &t.p.dq);
    check_input(&t, "dk", 1, &t.p.dk);
    if (!t.p.of_keys)
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
                             c.spec, dtype,
                             (n > 1 ? 16 : 4) * oracle_trial_unit(o, dtype)))
            continue;
        oracle_case_each(r, o, i, 1, n > 1 ? backward : forward, 0);
        oracle_run_close(r);
    }
}

/*
 * identify_scores.c - which rotation lies between queries, keys and scores
 *
 * The scores of each distance give cosine and sine of every pair (see
 * identify_distances.c); these are rows for the fits of identify_pair.c.
 */
#include "identify_distances.h"
#include "identify_rotation.h"
#include <math.h>
#include <string.h>

/* ----------------------------------------------------------------- layouts */

/*
 * Layout i: all channels interleaved, which also holds narrower ones; then
 * half of each width, leading and trailing.
 */
static bool layout(struct lct_layout *l, int64_t i, int64_t D)
{
    int64_t width = (i + 1) / 2 * 2 + 2;

    *l = (struct lct_layout){ true, 0, D / 2 * 2 };
    if (i == 0)
        return true;
    *l = (struct lct_layout){ false, i % 2 == 1 ? 0 : D - width, width };
    return width <= D && !(width == D && i % 2 == 0);
}

/* The layout whose scores at the smallest distance above 0 fit best, and
 * whether it fits. */
static bool best_layout(struct lct_layout *out, struct lct_equations *e,
                        const struct lct_scores *p, locant_identity *identity)
{
    double least = INFINITY, left;
    int at = p->lag[0] == 0 ? 1 : 0;

    for (int64_t i = 0; i <= p->D; i++) {
        struct lct_layout l;

        if (!layout(&l, i, p->D))
            continue;
        lct_scores_solve(e, &left, p, p->lag[at], &l);
        if (left < least) {
            least = left;
            *out = l;
        }
    }
    identity->residual = least;
    /* Queries and keys are often rounded more coarsely than their scores; a
     * wrong pairing leaves a third of them or more. */
    return least < fmax(8, 0.02 / p->rounding);
}

/* --------------------------------------------------------------------- rows */

/* Cosines and sines of all pairs at each distance, as rows. */
static locant_status make_rows(struct lct_rows *r, struct lct_equations *e,
                               const struct lct_scores *p,
                               const struct lct_layout *l)
{
    double noise = 0, gain = 0, left;

    r->n = p->n_lags;
    r->dim = l->width;
    r->y = locant_alloc((size_t)(r->n * r->dim) * sizeof(double));
    r->position = locant_alloc((size_t)r->n * sizeof(double));
    if (r->y == NULL || r->position == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "no memory for %lld distances",
                           (long long)r->n);
    for (int i = 0; i < p->n_lags; i++) {
        lct_scores_solve(e, &left, p, p->lag[i], l);
        r->position[i] = p->lag[i];
        for (int64_t c = 0; c < r->dim; c++) {
            r->y[i * r->dim + c] = e->x[c];
            gain += e->x[c] * e->x[c];
        }
        noise = fmax(noise, e->error);
    }
    gain = sqrt(2 * gain / (double)(r->n * r->dim));
    r->rounding = 0x1p-24;
    r->smallest = 3 * noise / fmax(gain, 1e-300);
    return lct_rows_order(r);
}

/* ------------------------------------------------------------------ decide */

/* Is pair c still, that is, does it turn too little to be seen? */
static bool still(const struct lct_turn *t)
{
    return fabs(t->f) <= LCT_SIGMAS * t->f_error;
}

static bool all_still(const struct lct_turn *turns, int64_t n)
{
    for (int64_t c = 0; c < n; c++)
        if (!still(&turns[c]))
            return false;
    return true;
}

/*
 * Leave still pairs out that the factor tells from rotated ones, or that come
 * before these; returns the gain of the still pairs, or 0.
 */
static double trim(struct lct_layout *l, struct lct_turn *turns, int64_t *pairs,
                   double slack)
{
    int64_t first = 0, end = *pairs;
    double gain = 0;

    if (!l->interleaved)
        return 0;
    while (first < end && still(&turns[first]))
        first++;
    while (end > first && still(&turns[end - 1]))
        end--;
    for (int64_t c = 0; c < *pairs; c++)
        if (c < first || c >= end)
            gain += turns[c].gain / (double)(*pairs - (end - first));
    if (first == 0 && end < *pairs &&
        fabs(gain - turns[0].gain) < slack * turns[0].gain)
        return gain; /* the rule decides how wide it is */
    if (first > 0)
        end = *pairs;
    memmove(turns, turns + first, (size_t)(end - first) * sizeof(*turns));
    l->first = 2 * first;
    l->width = 2 * (end - first);
    *pairs = end - first;
    return gain;
}

/* The rule of the frequencies, by several splits of the gain into the factor of
 * all scores and the square of that of rotated channels. */
static locant_status rule(locant_identity *out, struct lct_spectrum *s,
                          double rotated, double still_gain, double slack)
{
    double usual = 1 / sqrt((double)s->head_dim);
    double scale = still_gain > 0 ? still_gain : usual;
    locant_identity plain = *out;

    s->gain = sqrt(rotated / scale);
    s->gain_error = slack;
    if (fabs(s->gain - 1) < LCT_SIGMAS * slack)
        s->gain = 1;
    LCT_TRY(lct_identify_rule(out, s));
    out->factor = s->gain == 1 ? rotated : scale;
    if (out->verdict != LOCANT_NONE_OF_THESE || still_gain > 0)
        return LOCANT_OK;
    *out = plain;
    s->gain = 1;
    out->factor = rotated;
    return lct_identify_rule(out, s);
}

static double mean_gain(const struct lct_turn *turns, int64_t n)
{
    double sum = 0;

    for (int64_t c = 0; c < n; c++)
        sum += turns[c].gain / (double)n;
    return sum;
}

static locant_status decide(locant_identity *out, struct lct_rows *r,
                            struct lct_layout *l, struct lct_turn *turns,
                            const struct lct_scores *p, double rest)
{
    struct lct_spectrum s = { .pairs = l->width / 2, .head_dim = p->D };
    double zero = 0, slack = 2 * r->smallest / sqrt((double)p->n_lags) + 1e-6;
    double residual = out->residual, gain;
    locant_status status;

    for (int64_t c = 0; c < s.pairs; c++)
        LCT_TRY(lct_turn_fit(&turns[c], r, 2 * c, 2 * c + 1, &zero));
    if (all_still(turns, s.pairs)) {
        out->verdict = LOCANT_IDENTIFIED;
        out->factor = mean_gain(turns, s.pairs);
        LCT_APPEND(out->spec, "none");
        return LOCANT_OK;
    }
    gain = trim(l, turns, &s.pairs, 4 * slack);
    if (l->width < p->D && !l->interleaved)
        gain = rest;
    s.layout = *l;
    s.f = locant_alloc(2 * (size_t)s.pairs * sizeof(double));
    if (s.f == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "no memory for a spectrum");
    s.error = s.f + s.pairs;
    status = LOCANT_OK;
    if (lct_identify_spectrum(out, &s, turns, r))
        status = rule(out, &s, mean_gain(turns, s.pairs), gain, slack);
    out->residual = residual;
    locant_release(s.f);
    return status;
}

static locant_status identify(locant_identity *out, struct lct_scores *p)
{
    struct lct_equations e;
    struct lct_rows r = { 0 };
    struct lct_layout l;
    struct lct_turn *turns = NULL;
    locant_status status;
    double left;

    lct_scores_lags(p, 2 * (p->D + 1));
    if (p->n_lags < 3 || p->lag[p->lag[0] == 0 ? 1 : 0] > 3) {
        out->verdict = LOCANT_UNDECIDED;
        LCT_APPEND(out->note,
                   "Fewer than three distances have %lld scores or more, which "
                   "heads of %lld need, or the smallest is above 3.",
                   (long long)(2 * (p->D + 1)), (long long)p->D);
        return LOCANT_OK;
    }
    LCT_TRY(lct_equations_create(&e, (int)p->D + 1));
    status = LOCANT_OK;
    if (!best_layout(&l, &e, p, out)) {
        LCT_APPEND(out->note,
                   "No pairing of channels explains the scores: %.3g "
                   "roundings are left.",
                   out->residual);
    } else {
        turns = locant_alloc((size_t)(l.width / 2) * sizeof(*turns));
        status = turns ? make_rows(&r, &e, p, &l)
                       : locant_fail(LOCANT_ERR_NOMEM, "no memory for pairs");
        if (status == LOCANT_OK) {
            lct_scores_solve(&e, &left, p, p->lag[0], &l);
            status = decide(out, &r, &l, turns, p, e.x[l.width]);
        }
    }
    locant_release(turns);
    lct_rows_free(&r);
    lct_equations_free(&e);
    return status;
}

/* ---------------------------------------------------------------- arguments */

static locant_status check(const locant_tensor *q, const locant_tensor *k,
                           const locant_tensor *s, const locant_tensor *pos)
{
    const char *fn = "locant_identify_scores";

    LCT_TRY(lct_identify_check(fn, "q", q));
    LCT_TRY(lct_identify_check(fn, "k", k));
    LCT_TRY(lct_identify_check(fn, "scores", s));
    if (q->rank != 4 || k->rank != 4 || s->rank != 4)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: q, k and scores have ranks %d, %d and %d, "
                           "expected 4",
                           fn, q->rank, k->rank, s->rank);
    for (int d = 0; d < 2; d++)
        if (k->shape[d] != q->shape[d] || s->shape[d] != q->shape[d])
            return locant_fail(LOCANT_ERR_SHAPE,
                               "%s: q, k and scores have sizes %lld, %lld and "
                               "%lld in dimension %d, expected one size",
                               fn, (long long)q->shape[d],
                               (long long)k->shape[d], (long long)s->shape[d],
                               d);
    if (k->shape[3] != q->shape[3] || s->shape[2] != q->shape[2] ||
        s->shape[3] != k->shape[2] || q->shape[2] > k->shape[2] ||
        q->shape[3] < 2 || q->shape[3] > 1024)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: expected q [B, H, T, D], k [B, H, S, D] and "
                           "scores [B, H, T, S] with T <= S and D from 2 to "
                           "1024",
                           fn);
    if (pos != NULL && q->shape[2] != k->shape[2])
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: %lld queries and %lld keys with positions, "
                           "expected as many of both",
                           fn, (long long)q->shape[2], (long long)k->shape[2]);
    return LOCANT_OK;
}

locant_status locant_identify_scores(locant_identity *out,
                                     const locant_tensor *q,
                                     const locant_tensor *k,
                                     const locant_tensor *scores,
                                     const locant_tensor *positions)
{
    const char *fn = "locant_identify_scores";
    struct lct_scores p = { 0 };
    double small;
    locant_status s;

    LCT_NOT_NULL(fn, out);
    LCT_TRY(check(q, k, scores, positions));
    lct_identity_begin(out);
    p.B = q->shape[0];
    p.H = q->shape[1];
    p.T = q->shape[2];
    p.S = k->shape[2];
    p.D = q->shape[3];
    s = lct_identify_read(&p.q, fn, "q", q, false);
    if (s == LOCANT_OK)
        s = lct_identify_read(&p.k, fn, "k", k, false);
    if (s == LOCANT_OK)
        s = lct_identify_positions(&p.position, fn, positions, p.S);
    if (s == LOCANT_OK)
        s = lct_scores_sort(&p);
    if (s == LOCANT_OK)
        s = lct_identify_read(&p.s, fn, "scores", scores, true);
    if (s == LOCANT_OK) {
        p.rounding = lct_identify_stored(
            out, &small, p.s, lct_identify_elements(scores), scores->dtype);
        s = identify(out, &p);
    }
    locant_release(p.q);
    locant_release(p.k);
    locant_release(p.s);
    locant_release(p.position);
    locant_release(p.order);
    return s;
}

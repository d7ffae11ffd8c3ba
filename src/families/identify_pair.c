/*
 * identify_pair.c - the frequency of one pair of channels, from rows before and
 * after its rotation
 *
 * The phase between positions that differ by a lag gives the frequency up to
 * 2 pi / lag; lags grow, so each settles the turns of the next.  Then weighted
 * least squares fit frequency and phase.  An entry y_a = x_a c - x_b s is
 * weighted by its own rounding: where an angle is smaller than the rounding,
 * only entries with a small x_a show it, and these have the smallest rounding.
 */
#include "identify.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.141592653589793;

void lct_layout_pair(int64_t *a, int64_t *b, const struct lct_layout *l,
                     int64_t c)
{
    *a = l->first + (l->interleaved ? 2 * c : c);
    *b = l->interleaved ? *a + 1 : *a + l->width / 2;
}

/* ----------------------------------------------------- positions and lags */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static int64_t find(const double *sorted, int64_t n, double x)
{
    int64_t lo = 0, hi = n;

    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;

        if (sorted[mid] < x)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static int64_t unique(double *x, int64_t n)
{
    int64_t m = 0;

    qsort(x, (size_t)n, sizeof(*x), by_value);
    for (int64_t i = 0; i < n; i++)
        if (m == 0 || x[i] > x[m - 1])
            x[m++] = x[i];
    return m;
}

/*
 * A chain of lags from the smallest on, each at most three times the one before
 * if there are such; 'difference' is sorted.
 */
static void choose_lags(struct lct_rows *r, const double *difference, int64_t n)
{
    const int most = (int)(sizeof(r->lags) / sizeof(r->lags[0]));

    for (int64_t i = 0; i < n && r->n_lags < most; i++) {
        double last = r->n_lags > 0 ? r->lags[r->n_lags - 1] : 0;
        bool farthest = i + 1 == n || difference[i + 1] > 3 * last;

        if (difference[i] > last && (last == 0 || farthest))
            r->lags[r->n_lags++] = difference[i];
    }
}

locant_status lct_rows_order(struct lct_rows *r)
{
    enum { ANCHORS = 8 };
    size_t n = (size_t)r->n;
    double *difference;
    int64_t m = 0;

    r->distinct = locant_alloc(n * sizeof(double));
    r->slot = locant_alloc(n * sizeof(int64_t));
    difference = locant_alloc((ANCHORS + 1) * n * sizeof(double));
    if (r->distinct == NULL || r->slot == NULL || difference == NULL) {
        locant_release(difference);
        return locant_fail(LOCANT_ERR_NOMEM, "no memory for %lld positions",
                           (long long)r->n);
    }
    memcpy(r->distinct, r->position, n * sizeof(double));
    r->n_distinct = unique(r->distinct, r->n);
    for (int64_t i = 0; i < r->n; i++)
        r->slot[i] = find(r->distinct, r->n_distinct, r->position[i]);
    for (int64_t i = 1; i < r->n_distinct; i++)
        difference[m++] = r->distinct[i] - r->distinct[i - 1];
    for (int a = 0; a < ANCHORS; a++)
        for (int64_t i = a * (r->n_distinct / ANCHORS), j = i + 1;
             j < r->n_distinct; j++)
            difference[m++] = r->distinct[j] - r->distinct[i];
    r->n_lags = 0;
    choose_lags(r, difference, unique(difference, m));
    locant_release(difference);
    return LOCANT_OK;
}

void lct_rows_free(struct lct_rows *r)
{
    locant_release(r->x);
    locant_release(r->y);
    locant_release(r->position);
    locant_release(r->distinct);
    locant_release(r->slot);
}

/* ------------------------------------------------------------- first guess */

/* The pair of row i before and after. */
struct pair {
    double xa, xb, ya, yb;
};

static struct pair pair_of(const struct lct_rows *r, int64_t i, int64_t a,
                           int64_t b)
{
    const double *y = r->y + i * r->dim;

    if (r->x == NULL)
        return (struct pair){ 1, 0, y[a], y[b] };
    return (struct pair){ r->x[i * r->dim + a], r->x[i * r->dim + b], y[a],
                          y[b] };
}

/* Sums [2, distinct] of conj(x) y at each position; the gain of the pair. */
static double gather(double *sum, const struct lct_rows *r, int64_t a,
                     int64_t b)
{
    double before = 0, after = 0;

    memset(sum, 0, 2 * (size_t)r->n_distinct * sizeof(*sum));
    for (int64_t i = 0; i < r->n; i++) {
        struct pair p = pair_of(r, i, a, b);

        sum[2 * r->slot[i]] += p.xa * p.ya + p.xb * p.yb;
        sum[2 * r->slot[i] + 1] += p.xa * p.yb - p.xb * p.ya;
        before += p.xa * p.xa + p.xb * p.xb;
        after += p.ya * p.ya + p.yb * p.yb;
    }
    return before > 0 ? sqrt(after / before) : 1;
}

/* The phase between positions that differ by 'lag'. */
static double phase_at(const double *sum, const struct lct_rows *r, double lag)
{
    double re = 0, im = 0;

    for (int64_t i = 0, j = 0; j < r->n_distinct; j++) {
        const double *u, *v = sum + 2 * j;

        while (r->distinct[j] - r->distinct[i] > lag)
            i++;
        u = sum + 2 * i;
        if (r->distinct[j] - r->distinct[i] != lag)
            continue;
        re += u[0] * v[0] + u[1] * v[1];
        im += u[0] * v[1] - u[1] * v[0];
    }
    return atan2(im, re);
}

static double guess(const double *sum, const struct lct_rows *r)
{
    double f = 0;

    if (r->n_lags == 0)
        return r->distinct[0] != 0 ? atan2(sum[1], sum[0]) / r->distinct[0] : 0;
    for (int k = 0; k < r->n_lags; k++) {
        double phase = phase_at(sum, r, r->lags[k]);
        double turns = round((f * r->lags[k] - phase) / (2 * pi));

        f = (phase + 2 * pi * turns) / r->lags[k];
    }
    return f;
}

static double phase_of(const double *sum, const struct lct_rows *r, double f)
{
    double re = 0, im = 0;

    for (int64_t i = 0; i < r->n_distinct; i++) {
        double c = cos(f * r->distinct[i]), s = sin(f * r->distinct[i]);

        re += sum[2 * i] * c + sum[2 * i + 1] * s;
        im += sum[2 * i + 1] * c - sum[2 * i] * s;
    }
    return atan2(im, re);
}

/* ------------------------------------------------------------ least squares */

/*
 * Bound of the rounding of y = x c - other s: of the result, of the products
 * and of c, s; and of an angle in float32, which double values may have, too.
 */
static double bound(const struct lct_rows *r, double y, double x, double other,
                    double c, double s, double angle)
{
    double u = fmax(r->rounding, 0x1p-26), size = fabs(x) + fabs(other);

    return u * (fabs(y) + 2 * fabs(other * s)) +
           3 * fmin(1 - fabs(c), u) * fabs(x) + 0x1p-22 * fabs(angle) * size +
           1e-3 * u * size + r->smallest;
}

enum { BLOCKS = 16 };

/* Sums of weighted least squares in (phase at the centre, frequency). */
struct sums {
    double pp, pf, ff;             /* of gradients */
    double rp[BLOCKS], rf[BLOCKS]; /* of them with residuals, by blocks of
                                          positions */
    double squares;                /* of residuals */
    int64_t n;
};

static void add(struct sums *s, double residual, double gradient, double at,
                double weight, int block)
{
    s->pp += weight * gradient * gradient;
    s->pf += weight * gradient * gradient * at;
    s->ff += weight * gradient * gradient * at * at;
    s->rp[block] += weight * residual * gradient;
    s->rf[block] += weight * residual * gradient * at;
    s->squares += weight * residual * residual;
    s->n++;
}

static double total(const double *of_block)
{
    double sum = 0;

    for (int i = 0; i < BLOCKS; i++)
        sum += of_block[i];
    return sum;
}

/*
 * The sum of squares of rf - slope rp over blocks: the variance of their sum,
 * also if errors of neighbouring positions are not independent.
 */
static double spread(const struct sums *s, double slope)
{
    double sum = 0;

    for (int i = 0; i < BLOCKS; i++) {
        double x = s->rf[i] - slope * s->rp[i];

        sum += x * x;
    }
    return sum;
}

static void accumulate(struct sums *out, const struct lct_rows *r, int64_t a,
                       int64_t b, const struct lct_turn *t, double centre)
{
    memset(out, 0, sizeof(*out));
    for (int64_t i = 0; i < r->n; i++) {
        struct pair p = pair_of(r, i, a, b);
        double at = r->position[i], angle = t->f * at + t->phase;
        double c = cos(angle), s = sin(angle);
        double wa = t->gain * (p.xa * c - p.xb * s);
        double wb = t->gain * (p.xa * s + p.xb * c);
        double ha = t->gain * bound(r, wa / t->gain, p.xa, p.xb, c, s, angle);
        double hb = t->gain * bound(r, wb / t->gain, p.xb, p.xa, c, s, angle);
        int block = (int)(r->slot[i] * BLOCKS / r->n_distinct);

        if (p.xa == 0 && p.xb == 0)
            continue;
        add(out, p.ya - wa, -wb, at - centre, 1 / (ha * ha), block);
        add(out, p.yb - wb, wa, at - centre, 1 / (hb * hb), block);
    }
}

/* One Newton step; with a fixed offset the phase follows the frequency, and
 * 'centre' is minus the offset. */
static void step(struct lct_turn *t, const struct sums *s, double centre,
                 bool fixed)
{
    double det = s->pp * s->ff - s->pf * s->pf, df = 0, dp = 0;
    double rp = total(s->rp), rf = total(s->rf);

    if (fixed) {
        df = s->ff > 0 ? rf / s->ff : 0;
        t->f += df;
        t->phase -= df * centre;
        return;
    }
    if (det > 1e-12 * s->pp * s->ff) {
        df = (rf * s->pp - rp * s->pf) / det;
        dp = (rp * s->ff - rf * s->pf) / det;
    } else {
        dp = s->pp > 0 ? rp / s->pp : 0;
    }
    t->f += df;
    t->phase += dp - df * centre;
}

/*
 * Frequencies in float32 are off by a few units of their last place.  Software
 * that rounds cosines and sines to the dtype errs alike at neighbouring
 * positions, which does not average out in pairs that turn less than a radian.
 */
static double systematic(const struct lct_turn *t, const struct lct_rows *r)
{
    double f = fabs(t->f);
    double range = r->distinct[r->n_distinct - 1] - r->distinct[0];

    return f * (0x1p-21 + 2 * r->rounding / (1 + f * range));
}

/*
 * Standard errors: of independent errors with the mean square that is left, but
 * at least that of rounding, a third of its largest square; or of those of
 * blocks, if that is more.
 */
static void errors(struct lct_turn *t, const struct lct_rows *r,
                   const struct sums *s, double centre, bool fixed)
{
    double left = s->squares / fmax((double)s->n, 1);
    double noise = fmax(left, 1.0 / 3);
    double slope = fixed || s->pp == 0 ? 0 : s->pf / s->pp;
    double info = s->ff - slope * s->pf;

    t->residual = sqrt(left);
    t->f_error = t->phase_error = INFINITY;
    if (info > 1e-12 * s->ff) {
        double variance = fmax(noise / info, spread(s, slope) / (info * info));
        double at_zero = s->ff + centre * (2 * s->pf + centre * s->pp);

        t->f_error = sqrt(variance);
        t->phase_error = s->pp > 0 ? sqrt(variance * at_zero / s->pp) : 0;
    } else if (s->pp > 0) {
        t->phase_error = sqrt(noise / s->pp);
    }
    t->f_error = hypot(t->f_error, systematic(t, r) / LCT_SIGMAS);
}

locant_status lct_turn_fit(struct lct_turn *out, const struct lct_rows *r,
                           int64_t a, int64_t b, const double *offset)
{
    double *sum = locant_alloc(2 * (size_t)r->n_distinct * sizeof(double));
    double centre = 0;
    struct sums s;

    if (sum == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "no memory for a pair");
    *out = (struct lct_turn){ .gain = gather(sum, r, a, b) };
    if (fabs(out->gain - 1) < 8 * r->rounding / sqrt((double)r->n))
        out->gain = 1;
    out->f = guess(sum, r);
    for (int64_t i = 0; i < r->n; i++)
        centre += r->position[i] / (double)r->n;
    out->phase = offset ? out->f * *offset : phase_of(sum, r, out->f);
    if (offset != NULL)
        centre = -*offset;
    for (int k = 0; k < 5; k++) {
        accumulate(&s, r, a, b, out, centre);
        step(out, &s, centre, offset != NULL);
    }
    accumulate(&s, r, a, b, out, centre);
    errors(out, r, &s, centre, offset != NULL);
    locant_release(sum);
    return LOCANT_OK;
}

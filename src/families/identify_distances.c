/*
 * identify_distances.c - least squares over the scores of one distance
 *
 * At one distance n a score is the sum over pairs of C cos(f n) + S sin(f n)
 * with C = q_a k_a + q_b k_b and S = q_a k_b - q_b k_a, and of the products of
 * the channels that do not rotate, all times factors.
 */
#include "identify_distances.h"
#include <math.h>
#include <stdlib.h>

/* A key and its position. */
struct place {
    double position;
    int64_t index;
};

/* The key at a position; -1 if there is none. */
static int64_t key_at(const struct lct_scores *p, double position)
{
    int64_t lo = 0, hi = p->S;

    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;

        if (p->position[p->order[mid]] < position)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < p->S && p->position[p->order[lo]] == position ? p->order[lo]
                                                              : -1;
}

/* The key of query i at a distance; -1 if there is none. */
static int64_t key_of(const struct lct_scores *p, int64_t i, double lag)
{
    return key_at(p, p->position[p->S - p->T + i] - lag);
}

static int by_position(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    return (x->position > y->position) - (x->position < y->position);
}

locant_status lct_scores_sort(struct lct_scores *p)
{
    size_t n = (size_t)p->S;
    struct place *places = locant_alloc(n * sizeof(*places));

    p->order = locant_alloc(n * sizeof(*p->order));
    if (places == NULL || p->order == NULL) {
        locant_release(places);
        return locant_fail(LOCANT_ERR_NOMEM, "no memory for %zu keys", n);
    }
    for (size_t j = 0; j < n; j++)
        places[j] = (struct place){ p->position[j], (int64_t)j };
    qsort(places, n, sizeof(*places), by_position);
    for (size_t j = 0; j < n; j++)
        p->order[j] = places[j].index;
    locant_release(places);
    return LOCANT_OK;
}

/* Number of scores of a distance. */
static int64_t count(const struct lct_scores *p, double lag)
{
    int64_t n = 0;

    for (int64_t i = 0; i < p->T; i++) {
        int64_t j = key_of(p, i, lag);

        for (int64_t h = 0; j >= 0 && h < p->B * p->H; h++)
            n += isfinite(p->s[(h * p->T + i) * p->S + j]) != 0;
    }
    return n;
}

void lct_scores_lags(struct lct_scores *p, int64_t least)
{
    double low = p->position[0], high = low;

    for (int64_t j = 0; j < p->S; j++) {
        low = fmin(low, p->position[j]);
        high = fmax(high, p->position[j]);
    }
    for (double lag = 0; lag <= high - low && p->n_lags < LCT_SCORES_LAGS;
         lag = fmax(lag + 1, floor(1.25 * lag)))
        if (count(p, lag) >= least)
            p->lag[p->n_lags++] = lag;
}

/* ------------------------------------------------------------ least squares */

/* Unknowns: cosine and sine of each pair, then one for the other channels. */
static int unknowns(const struct lct_layout *l)
{
    return (int)l->width + 1;
}

static void fill(double *row, const double *q, const double *k, int64_t D,
                 const struct lct_layout *l)
{
    double rest = 0;

    for (int64_t c = 0; c < l->width / 2; c++) {
        int64_t a, b;

        lct_layout_pair(&a, &b, l, c);
        row[2 * c] = q[a] * k[a] + q[b] * k[b];
        row[2 * c + 1] = q[a] * k[b] - q[b] * k[a];
    }
    for (int64_t a = 0; a < D; a++)
        if (a < l->first || a >= l->first + l->width)
            rest += q[a] * k[a];
    row[l->width] = rest;
}

/* Add the scores of a distance to the equations, at most 'most'. */
static void gather(struct lct_equations *e, const struct lct_scores *p,
                   double lag, const struct lct_layout *l, int64_t most)
{
    double *row = e->row;

    for (int64_t i = 0; i < p->T; i++) {
        int64_t j = key_of(p, i, lag);

        for (int64_t h = 0; j >= 0 && h < p->B * p->H && e->n < most; h++) {
            double s = p->s[(h * p->T + i) * p->S + j];

            if (!isfinite(s))
                continue;
            fill(row, p->q + (h * p->T + i) * p->D,
                 p->k + (h * p->S + j) * p->D, p->D, l);
            lct_equations_add(e, row, s);
        }
    }
}

void lct_scores_solve(struct lct_equations *e, double *left,
                      const struct lct_scores *p, double lag,
                      const struct lct_layout *l)
{
    lct_equations_clear(e, unknowns(l));
    gather(e, p, lag, l, 16 * unknowns(l));
    lct_equations_solve(e);
    *left = e->left / (p->rounding * e->size + 1e-300);
}

/* probe_rows.c - statistics of rows of attention weights */
#include "probe.h"
#include <math.h>

const int64_t lct_probe_within[LCT_PROBE_WITHIN] = { 8, 32, 128 };
const double lct_sink_threshold = .3;

double lct_row_entropy(const real *w, int64_t t)
{
    double sum = 0;

    for (int64_t j = 0; j <= t; j++)
        if (w[j] > 0)
            sum -= (double)w[j] * log((double)w[j]);
    return sum;
}

static int bin_of(int64_t d)
{
    int bin = 0;

    while (d >> bin > 0 && bin < LCT_PROBE_BINS - 1)
        bin++;
    return bin;
}

static void add_distances(struct lct_head_sums *s, const real *w, int64_t t)
{
    for (int64_t j = 0; j <= t; j++) {
        const int64_t d = t - j;
        const double p = (double)w[j];

        s->distance += p * (double)d;
        s->bin[bin_of(d)] += p;
        /* bin k holds (d + 1) / (t + 1) in (k / 16, (k + 1) / 16] */
        s->share[((d + 1) * LCT_PROBE_SHARES - 1) / (t + 1)] += p;
        for (int k = 0; k < LCT_PROBE_WITHIN; k++)
            if (d < lct_probe_within[k])
                s->within[k] += p;
    }
}

void lct_head_add(struct lct_head_sums *s, const real *w, int64_t t)
{
    const double keys = (double)(t + 1);
    const double entropy = lct_row_entropy(w, t);

    s->rows++;
    s->sink += (double)w[0];
    s->early_rows += t < LCT_PROBE_SINK;
    s->early_sink += t < LCT_PROBE_SINK ? (double)w[0] : 0;
    s->self += (double)w[t];
    s->self_bias += (double)w[t] - 1 / keys;
    if (t > 0) {
        s->previous += (double)w[t - 1];
        s->previous_bias += (double)w[t - 1] - 1 / keys;
        s->points++;
        s->x += log(keys);
        s->y += entropy;
        s->xx += log(keys) * log(keys);
        s->xy += log(keys) * entropy;
    }
    s->entropy += entropy;
    add_distances(s, w, t);
}

double lct_entropy_slope(const struct lct_head_sums *s)
{
    const double spread = s->xx - s->x * s->x / s->points;

    if (!(s->points >= 2) || !(spread > 0))
        return NAN;
    return (s->xy - s->x * s->y / s->points) / spread;
}

double lct_divergence(const real *a, const real *b, int64_t n)
{
    double sum = 0;

    for (int64_t j = 0; j < n; j++) {
        const double p = (double)a[j], q = (double)b[j], m = (p + q) / 2;

        sum += p > 0 ? p * log(p / m) / 2 : 0;
        sum += q > 0 ? q * log(q / m) / 2 : 0;
    }
    return sum;
}

double lct_least_divergence(const real *a, const real *b, int64_t heads,
                            int64_t n)
{
    double least = INFINITY;

    for (int64_t i = 0; i < heads; i++)
        for (int64_t j = 0; j < heads; j++)
            least = fmin(least, lct_divergence(a + i * n, b + j * n, n));
    return least;
}

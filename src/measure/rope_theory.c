/* rope_theory.c - scores, bounds and wavelengths of rotary positions */
#include "rope_theory.h"
#include <complex.h>
#include <math.h>

static const double two_pi = 6.28318530717958647692;

void lct_rope_frequencies(double *freq, double base, int64_t dim)
{
    for (int64_t j = 0; j < dim / 2; j++)
        freq[j] = pow(base, -2.0 * (double)j / (double)dim);
}

/* ------------------------------------------------------------------- scores */

struct lct_rope_score lct_rope_expected(enum lct_rope_vectors kind,
                                        const double *freq, int64_t pairs,
                                        double s)
{
    const double dim = 2 * (double)pairs;
    double sum = 0, squares = 0;

    if (kind == LCT_ROPE_INDEPENDENT)
        return (struct lct_rope_score){ 0, 1 / sqrt(dim) };
    for (int64_t j = 0; j < pairs; j++) {
        const double c = cos(s * freq[j]);

        sum += c;
        squares += c * c;
    }
    return (struct lct_rope_score){ 2 * sum / dim, kind == LCT_ROPE_SAME
                                                       ? 2 * sqrt(squares) / dim
                                                       : 0 };
}

/* sum_{j=1..pairs} |S_j(s)| */
static double sum_of_sums(const double *freq, int64_t pairs, double s)
{
    double complex partial = 0;
    double sum = 0;

    for (int64_t j = 0; j < pairs; j++) {
        partial += cexp(I * (s * freq[j]));
        sum += cabs(partial);
    }
    return sum;
}

double lct_rope_su_bound(const double *freq, int64_t pairs, double s)
{
    return sum_of_sums(freq, pairs, s) / (double)pairs;
}

/* ------------------------------------------------------------ interpolation */

struct lct_pi_bounds lct_pi_bounds(double base, int64_t dim, double s,
                                   double s1, double s2)
{
    const double span = (s - s1) * (s2 - s);
    double complex partial = 0;
    double squares = 0, sums = 0;

    for (int64_t j = 0; j < dim / 2; j++) {
        const double f = pow(base, -2.0 * (double)j / (double)dim);

        squares += f * f;
        partial += cexp(I * (s * f));
        sums += cabs(partial);
    }
    return (struct lct_pi_bounds){
        .printed = (double)dim * span / (8 * log(base)),
        .proved = span / 2 * squares,
        .beyond = 2 * sums,
    };
}

/* ----------------------------------------------------------------- scalings */

double lct_ntk_base(double base, int64_t dim, double factor)
{
    return base * pow(factor, (double)dim / (double)(dim - 2));
}

static double clamp(double low, double x, double high)
{
    return fmin(fmax(x, low), high);
}

/* Index of the pair that makes r rotations within the trained length. */
static double index_of(const struct lct_rope_setup *p, double r)
{
    return (double)p->dim / 2 * log((double)p->length / (r * two_pi)) /
           log(p->base);
}

/* 1 up to the pair of 'fast' rotations, 0 from that of 'slow' rotations on. */
static double index_ramp(const struct lct_rope_setup *p, double j)
{
    const double last = (double)p->dim - 1;
    const double low = fmax(floor(index_of(p, p->fast)), 0);
    double high = fmin(ceil(index_of(p, p->slow)), last);

    if (high == low)
        high += 0.001; /* as in the authors' code */
    return 1 - clamp(0, (j - low) / (high - low), 1);
}

void lct_rope_pairs(struct lct_rope_pair *out, const struct lct_rope_setup *p)
{
    const double ntk =
        p->dim > 2 ? lct_ntk_base(p->base, p->dim, p->factor) : p->base;

    for (int64_t j = 0; j < p->dim / 2; j++) {
        const double share = 2.0 * (double)j / (double)p->dim;
        const double length = two_pi * pow(p->base, share);
        const double r = (double)p->length / length;
        const double g = clamp(0, (r - p->slow) / (p->fast - p->slow), 1);
        const double i = index_ramp(p, (double)j);

        out[j] = (struct lct_rope_pair){
            .wavelength = length,
            .rotations = r,
            .gamma_rotations = g,
            .gamma_index = i,
            .pi = length * p->factor,
            .ntk = two_pi * pow(ntk, share),
            .yarn_rotations = length / (g + (1 - g) / p->factor),
            .yarn_index = length / (i + (1 - i) / p->factor),
        };
    }
}

int64_t lct_rope_rotating(const double *freq, int64_t pairs, int64_t length)
{
    int64_t n = 0;

    for (int64_t j = 0; j < pairs; j++)
        n += two_pi <= (double)length * freq[j];
    return n;
}

/* ------------------------------------------------------------ smallest base */

static double sum_of_cosines(const double *freq, int64_t pairs, double m)
{
    double sum = 0;

    for (int64_t j = 0; j < pairs; j++)
        sum += cos(m * freq[j]);
    return sum;
}

double lct_smallest_base(int64_t dim, int64_t length)
{
    enum { MOST = 512 };
    double freq[MOST];

    if (dim < 2 || dim > 2 * MOST)
        return NAN;
    for (double base = 2; base <= 1e12; base *= 1.05) {
        bool holds = true;

        lct_rope_frequencies(freq, base, dim);
        for (int64_t m = 1; m < length && holds; m++)
            holds = sum_of_cosines(freq, dim / 2, (double)m) >= 0;
        if (holds)
            return base;
    }
    return NAN;
}

double lct_fitted_base(double length)
{
    return 0.0424 * pow(length, 1.628);
}

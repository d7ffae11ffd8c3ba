/*
 * identify_bias.c - which slopes and dialect of ALiBi a bias has
 *
 * A bias of ALiBi is slope * key position + a constant of its row.  The slopes
 * of the heads give the law; the constants give the dialect.
 */
#include "identify_rotation.h"
#include "identify_rule.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A bias [H, T, S]: query i is at position S - T + i. */
struct bias {
    int64_t H, T, S;
    double *at; /* minus infinity: masked */
    double rounding;
    bool future; /* are keys after their query seen? */
};

static const double *row_of(const struct bias *b, int64_t h, int64_t i)
{
    return b->at + (h * b->T + i) * b->S;
}

/* ------------------------------------------------------------------ slopes */

/* Add one row to the sums of the slope of its head. */
static void add_row(double *jj, double *jb, const double *row, int64_t S)
{
    double n = 0, mean_j = 0, mean_b = 0;

    for (int64_t j = 0; j < S; j++)
        if (isfinite(row[j])) {
            n++;
            mean_j += ((double)j - mean_j) / n;
            mean_b += (row[j] - mean_b) / n;
        }
    for (int64_t j = 0; j < S; j++)
        if (isfinite(row[j])) {
            *jj += ((double)j - mean_j) * ((double)j - mean_j);
            *jb += ((double)j - mean_j) * (row[j] - mean_b);
        }
}

/* The slope in the keys up to the query; NAN without two of them. */
static double slope_of(const struct bias *b, int64_t h)
{
    double jj = 0, jb = 0;

    for (int64_t i = 0; i < b->T; i++)
        add_row(&jj, &jb, row_of(b, h, i), b->S - b->T + i + 1);
    return jj > 0 ? jb / jj : NAN;
}

/* The exponent of head h: its slope is 2^(-max * this). */
static double exponent(int64_t h, int64_t H)
{
    int64_t power = 1;

    while (power <= H / 2)
        power *= 2;
    return h < power ? (double)(h + 1) / (double)power
                     : (double)(2 * (h - power) + 1) / (double)(2 * power);
}

/* Slopes factor * 2^(-max * exponent). */
struct law {
    double factor, max;
};

/* Fit the law to slopes; false if they follow none. */
static bool fit_law(struct law *out, const double *slope, const struct bias *b)
{
    double n = (double)b->H, x = 0, y = 0, xx = 0, xy = 0;
    double error = 3 * b->rounding / log(2);

    for (int64_t h = 0; h < b->H; h++) {
        if (!(slope[h] > 0))
            return false;
        x += exponent(h, b->H) / n;
        y += log2(slope[h]) / n;
    }
    for (int64_t h = 0; h < b->H; h++) {
        double d = exponent(h, b->H) - x;

        xx += d * d;
        xy += d * (log2(slope[h]) - y);
    }
    out->max = xx > 0 ? -xy / xx : -y / x;
    out->max = lct_simplest(out->max - 2 * error / sqrt(xx + 1e-9) - 1e-9,
                            out->max + 2 * error / sqrt(xx + 1e-9) + 1e-9,
                            false, NULL);
    out->factor = exp2(y + out->max * x);
    if (fabs(log2(out->factor)) < 2 * error)
        out->factor = 1;
    for (int64_t h = 0; h < b->H; h++)
        if (fabs(log2(slope[h] / out->factor) + out->max * exponent(h, b->H)) >
            3 * error + 1e-9)
            return false;
    return out->max > 0 && out->max <= 64;
}

/* ---------------------------------------------------------------- dialects */

enum { PRESS, SYMMETRIC, BLOOM, MPT, FALCON, DIALECTS };

static double to_bfloat16(double x)
{
    int exponent_of;
    double m = frexp(x, &exponent_of);

    return ldexp(nearbyint(ldexp(m, 8)), exponent_of - 8);
}

static double predicted(int dialect, double slope, double factor, double q,
                        double k, double last)
{
    switch (dialect) {
    case PRESS: return -slope * factor * (q - k);
    case SYMMETRIC: return -slope * factor * fabs(q - k);
    case BLOOM: return slope * factor * k;
    case MPT: return slope * factor * (k - last);
    default: return factor * to_bfloat16(to_bfloat16(slope) * to_bfloat16(k));
    }
}

/*
 * Root of the mean square of the errors in units of the rounding of slope and
 * product; INFINITY if an entry is off by more than these.
 */
static double misfit(const struct bias *b, const struct law *l, int dialect,
                     bool constants)
{
    double squares = 0, n = 0;

    for (int64_t row = 0; row < b->H * b->T; row++) {
        double q = (double)(b->S - b->T + row % b->T), shift = NAN;
        double slope = exp2(-l->max * exponent(row / b->T, b->H));

        for (int64_t j = 0; j < b->S; j++) {
            double have = b->at[row * b->S + j];
            double want = predicted(dialect, slope, l->factor, q, (double)j,
                                    (double)(b->S - 1));
            double size = fmax(fabs(have), fabs(want)), error;

            if (!isfinite(have))
                continue;
            if (constants && isnan(shift))
                shift = have - want;
            if (constants)
                size = fmax(fabs(shift), size) + fabs(have);
            error = (have - want - (constants ? shift : 0)) /
                    (b->rounding * size + 1e-300);
            if (fabs(error) > (constants ? 4.2 : 2.1))
                return INFINITY;
            squares += error * error;
            n++;
        }
    }
    return n > 0 ? sqrt(squares / n) : INFINITY;
}

static void compose(char *out, size_t size, int dialect, double max)
{
    const char *keys[] = { "", "symmetric=yes,", "dialect=bloom,",
                           "dialect=mpt,", "dialect=falcon," };

    out[0] = 0;
    lct_append(out, size, "alibi(%smax=%.15g)", keys[dialect], max);
    lct_identify_canonical(out, size);
}

static bool possible(const struct bias *b, const struct law *l, int dialect)
{
    if (dialect == SYMMETRIC)
        return b->future; /* else it is press */
    return dialect != FALCON || l->factor != 1;
}

/* A factor on an exact bias is no dialect, only falcon's is scaled. */
static bool names(const struct law *l, int dialect)
{
    return dialect == FALCON || l->factor == 1;
}

/* The verdict on 'found' dialects that fit. */
static void conclude(locant_identity *out, const struct bias *b,
                     const struct law *l, int found)
{
    lct_identify_verdict(out, found);
    if (found > 1)
        LCT_APPEND(out->note, "These differ in queries that the bias does not "
                              "have.");
    if (found > 0)
        return;
    if (out->closest[0] != 0) {
        LCT_APPEND(out->note, "The slopes are multiplied by %.6g.", l->factor);
        return;
    }
    compose(out->closest, sizeof(out->closest), PRESS, l->max);
    if (!isinf(misfit(b, l, PRESS, true)))
        LCT_APPEND(out->note,
                   "The bias differs from the closest by a constant in "
                   "each row, which softmax does not see.");
}

static void judge(locant_identity *out, const struct bias *b,
                  const struct law *l)
{
    char spec[128];
    int found = 0;

    for (int d = 0; d < DIALECTS; d++) {
        double left = possible(b, l, d) ? misfit(b, l, d, false) : INFINITY;

        if (isinf(left))
            continue;
        compose(spec, sizeof(spec), d, l->max);
        if (!names(l, d)) {
            LCT_APPEND(out->closest, "%s%s", out->closest[0] ? ", " : "", spec);
            continue;
        }
        if (found++ == 0) {
            LCT_APPEND(out->spec, "%s", spec);
            out->residual = left;
        }
        lct_identify_remains(out, "%s", spec);
    }
    out->factor = l->factor;
    conclude(out, b, l, found);
}

/*
 * Masks are also written as one number for all keys after their query: 0, where
 * a mask is added later, or a large negative one.  No dialect is constant there
 * once a query has two such keys.
 */
static void hide_constant(locant_identity *out, struct bias *b)
{
    double value = NAN;
    int64_t n = 0;

    for (int64_t row = 0; row < b->H * b->T; row++)
        for (int64_t j = b->S - b->T + row % b->T + 1; j < b->S; j++, n++) {
            const double x = b->at[row * b->S + j];

            if (n == 0)
                value = x;
            if (x != value || !(x == 0 || x <= -1000))
                return;
        }
    if (b->T < 3 || !isfinite(value))
        return;
    for (int64_t row = 0; row < b->H * b->T; row++)
        for (int64_t j = b->S - b->T + row % b->T + 1; j < b->S; j++)
            b->at[row * b->S + j] = -INFINITY;
    LCT_APPEND(out->note,
               "All keys after their query have %.6g: taken to be hidden.  ",
               value);
}

static void identify(locant_identity *out, struct bias *b, double *slope)
{
    struct law law;

    hide_constant(out, b);
    for (int64_t h = 0; h < b->H; h++)
        for (int64_t i = 0; i < b->T; i++)
            for (int64_t j = b->S - b->T + i + 1; j < b->S; j++)
                b->future |= isfinite(row_of(b, h, i)[j]) != 0;
    for (int64_t h = 0; h < b->H; h++)
        slope[h] = slope_of(b, h);
    if (isnan(slope[0])) {
        out->verdict = LOCANT_UNDECIDED;
        LCT_APPEND(out->note, "No row sees two keys up to its query.");
        return;
    }
    if (b->H == 1)
        LCT_APPEND(out->note,
                   "One head cannot tell a factor from a maximum.  ");
    if (fit_law(&law, slope, b))
        judge(out, b, &law);
    else
        LCT_APPEND(out->note,
                   "The slopes of the heads are not those of ALiBi: "
                   "head 0 has %.6g.",
                   slope[0]);
}

locant_status locant_identify_bias(locant_identity *out,
                                   const locant_tensor *bias)
{
    const char *fn = "locant_identify_bias";
    struct bias b = { 0 };
    double *slope = NULL, small;
    locant_status s;

    LCT_NOT_NULL(fn, out);
    LCT_TRY(lct_identify_check(fn, "bias", bias));
    lct_identity_begin(out);
    if (bias->rank != 3 || bias->shape[1] > bias->shape[2])
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: bias has rank %d, expected [H, T, S] with T at "
                           "most S",
                           fn, bias->rank);
    b.H = bias->shape[0];
    b.T = bias->shape[1];
    b.S = bias->shape[2];
    s = lct_identify_read(&b.at, fn, "bias", bias, true);
    if (s == LOCANT_OK) {
        slope = locant_alloc((size_t)b.H * sizeof(double));
        s = slope
                ? LOCANT_OK
                : locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for %lld heads",
                              fn, (long long)b.H);
    }
    if (s == LOCANT_OK) {
        b.rounding = lct_identify_stored(
            out, &small, b.at, lct_identify_elements(bias), bias->dtype);
        identify(out, &b, slope);
    }
    locant_release(slope);
    locant_release(b.at);
    return s;
}

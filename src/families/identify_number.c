/* identify_number.c - short numbers within an interval, and what rounding to a
 * dtype loses */
#include "identify.h"
#include "../files/number.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------- short numbers */

/* A power of two in lo .. hi, or NAN. */
static double power_of_two(double lo, double hi)
{
    double x = lo > 0 ? exp2(ceil(log2(lo))) : NAN;

    return x <= hi ? x : NAN;
}

double lct_simplest(double lo, double hi, bool binary, int *digits)
{
    double mid = lo / 2 + hi / 2, two = binary ? power_of_two(lo, hi) : NAN;
    int exponent = mid > 0 ? (int)floor(log10(mid)) : 0;

    if (digits != NULL)
        *digits = 1;
    if (!isnan(two))
        return two;
    for (int d = 1; d <= 15; d++) {
        double unit = pow(10, abs(exponent - d + 1)), x;

        x = exponent - d + 1 >= 0 ? round(mid / unit) * unit
                                  : round(mid * unit) / unit;
        if (digits != NULL)
            *digits = d;
        if (x >= lo && x <= hi)
            return x;
    }
    return mid;
}

/* --------------------------------------------------------------- elements */

static double element(const void *data, int64_t i, locant_dtype dtype)
{
    uint16_t half;
    uint32_t bits;
    float single;

    switch (dtype) {
    case LOCANT_F64: return ((const double *)data)[i];
    case LOCANT_F32: return (double)((const float *)data)[i];
    case LOCANT_F16:
        half = ((const uint16_t *)data)[i];
        return (double)lct_number_half(half);
    default:
        bits = (uint32_t)((const uint16_t *)data)[i] << 16;
        memcpy(&single, &bits, sizeof(single));
        return (double)single;
    }
}

void lct_identify_doubles(double *out, const locant_tensor *t)
{
    int64_t index[LOCANT_MAX_RANK] = { 0 };
    size_t n = 1;

    for (int d = 0; d < t->rank; d++)
        n *= (size_t)t->shape[d];
    for (size_t i = 0; i < n; i++) {
        int64_t at = 0;

        for (int d = 0; d < t->rank; d++)
            at += index[d] * t->stride[d];
        out[i] = element(t->data, at, t->dtype);
        for (int d = t->rank - 1; d >= 0 && ++index[d] == t->shape[d]; d--)
            index[d] = 0;
    }
}

/* --------------------------------------------------------------- rounding */

/* Significant bits of a float of these dtypes. */
static const struct {
    const char *name;
    int bits;
} precisions[] = {
    { "bfloat16", 8 }, { "float16", 11 }, { "float32", 24 }, { "float64", 53 }
};

/* Has x at most so many significant bits? */
static bool fits(double x, int bits)
{
    int exponent;
    double scaled = ldexp(frexp(x, &exponent), bits);

    return scaled == floor(scaled);
}

void lct_identify_rounding(double *relative, double *smallest, const double *x,
                           size_t n, locant_dtype dtype)
{
    const int most = dtype == LOCANT_F64   ? 3
                     : dtype == LOCANT_F32 ? 2
                     : dtype == LOCANT_F16 ? 1
                                           : 0;
    int p = dtype == LOCANT_F16 ? 1 : 0;

    for (size_t i = 0; i < n && p < most; i++)
        while (p < most && isfinite(x[i]) && !fits(x[i], precisions[p].bits))
            p++;
    *relative = exp2(-precisions[p].bits);
    *smallest = p == 1 ? 0x1p-25 : 0;
}

double lct_identify_stored(locant_identity *out, double *smallest,
                           const double *x, size_t n, locant_dtype dtype)
{
    int p = 0;

    lct_identify_rounding(&out->rounding, smallest, x, n, dtype);
    while (out->rounding < exp2(-precisions[p].bits))
        p++;
    LCT_APPEND(out->dtype, "%s", precisions[p].name);
    return out->rounding;
}

/* ------------------------------------------------------------------- text */

void lct_identify_remains(locant_identity *out, const char *format, ...)
{
    const int most = (int)(sizeof(out->remaining) / sizeof(out->remaining[0]));
    char *to = out->remaining[out->n_remaining];
    va_list arguments;

    if (out->n_remaining == most)
        return;
    va_start(arguments, format);
    (void)vsnprintf(to, sizeof(out->remaining[0]), format, arguments);
    va_end(arguments);
    for (int i = 0; i < out->n_remaining; i++)
        if (strcmp(out->remaining[i], to) == 0)
            return;
    out->n_remaining++;
}

void lct_identify_verdict(locant_identity *out, int found)
{
    out->verdict = found == 0   ? LOCANT_NONE_OF_THESE
                   : found == 1 ? LOCANT_IDENTIFIED
                                : LOCANT_UNDECIDED;
    if (found == 1)
        out->n_remaining = 0;
}

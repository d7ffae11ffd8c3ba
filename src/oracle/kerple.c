/*
 * kerple.c - Chi et al. 2022, arXiv:2205.09921v2, eq. (4) and (5), with n
 * the distance |p_i - p_j|:
 *
 *     log    -p ln(1 + a n)       power  -a n^p
 *
 * Parameters: p, a.  The authors keep them at 0.01 and above.
 */
#include "oracle.h"
#include <math.h>

static const struct oracle_spec specs[] = { { .text = "kerple" },
                                            { .text = "kerple(kind=power)" },
                                            { .text = "kerple(share=no)" },
                                            { 0 } };

static void range(double *low, double *high, const char *spec, int k)
{
    (void)spec;
    *low = 0.01;
    *high = k == 0 ? 2 : 1;
}

/* Real parts come from log1p() and pow(), which lose less than cexp(). */
static cx bias(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
               int64_t j)
{
    double n = fabs((double)(oracle_position(call, 0, b, i) -
                             oracle_position(call, 1, b, j)));
    cx p = call->param[0][h], a = call->param[1][h];

    if (oracle_word(call->spec, "kind", "power", 0))
        return n > 0 ? -a * pow(n, creal(p)) * cexp(I * cimag(p) * log(n)) : 0;
    return -p * (log1p(creal(a) * n) + I * cimag(a) * n / (1 + creal(a) * n));
}

const struct oracle kerple_oracle = {
    .name = "kerple",
    .specs = specs,
    .range = range,
    .bias = bias,
    .far = INT32_MAX,
};

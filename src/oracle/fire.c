/*
 * fire.c - Li et al. 2024, arXiv:2310.04418v2, equation of b_FIRE: a network
 * of one hidden layer of psi(n) / psi(max(L, i)), psi(x) = ln(|c x| + 1).
 */
#include "oracle.h"
#include <math.h>

static const struct oracle_spec specs[] = {
    { .text = "fire(hidden=5,length=12)", .high = 40 },
    { .text = "fire(hidden=4,length=60,share=yes)", .high = 40 },
    { .text = "fire", .high = 900 },
    { 0 }
};

/* Away from 0, where |c| and |l| have their kinks. */
static void range(double *low, double *high, const char *spec, int k)
{
    (void)spec;
    *low = k == 0 ? 0.05 : k == 1 ? 0.5 : -1;
    *high = k == 0 ? 0.5 : k == 1 ? 1.5 : 1;
}

static cx psi(cx c, cx x)
{
    return clog(1 + oracle_abs(c * x));
}

static cx bias(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
               int64_t j)
{
    int64_t hidden = (int64_t)oracle_number(call->spec, "hidden", 32);
    double q = (double)oracle_position(call, 0, b, i);
    double n = q - (double)oracle_position(call, 1, b, j);
    cx c = call->param[0][0];
    cx longest = oracle_abs(call->param[1][0] *
                            oracle_number(call->spec, "length", 512));
    cx f, sum = call->param[5][h];

    if (q > creal(longest))
        longest = q;
    f = psi(c, fabs(n)) / (psi(c, longest) + 1e-6);
    for (int64_t u = 0; u < hidden; u++) {
        cx a = call->param[2][u] * f + call->param[3][u];

        if (creal(a) > 0)
            sum += a * call->param[4][u * call->H + h];
    }
    return sum;
}

/*
 * f = u / v, so its derivative in c is u' / v - f v' / v, where f <= 1, u' and
 * v' are at most 1 / |c|, and v is at least psi(L).  Where n is max(L, i) the
 * two terms nearly cancel.
 */
static double parts(const struct oracle_call *call, int k)
{
    int64_t hidden = (int64_t)oracle_number(call->spec, "hidden", 32);
    double c = fabs(creal(call->param[0][0]));
    double l = fabs(creal(call->param[1][0])) *
               oracle_number(call->spec, "length", 512);
    double most = 0;

    if (k != 0)
        return 0;
    for (int64_t h = 0; h < call->H; h++) {
        double sum = 0;

        for (int64_t u = 0; u < hidden; u++)
            sum += fabs(creal(call->param[2][u]) *
                        creal(call->param[4][u * call->H + h]));
        most = fmax(most, sum);
    }
    return 2 * most / c / log1p(c * l);
}

const struct oracle fire_oracle = {
    .name = "fire",
    .specs = specs,
    .range = range,
    .bias = bias,
    .parts = parts,
};

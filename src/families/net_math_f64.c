/* net_math_f64.c - the arithmetic of net_math.h in double */
#include "net_math.h"
#include "../nn/nn_kernels.h"
#include <math.h>

typedef double number;
#define number_exp   exp
#define number_tanh  tanh
#define number_erf   erf
#define number_log1p log1p

#define NUMBER_READ     lct_weight_doubles
#define NUMBER_ACTIVATE activate
#define NUMBER_NARROW   NULL
#define NUMBER_TABLE    lct_net_math_f64

enum { LANES = 8 };

/* Lanes, so that the loop has independent chains. */
static double dot(const double *a, const double *b, int64_t k)
{
    double lane[LANES] = { 0 }, sum = 0;
    int64_t p = 0;

    for (; p + LANES <= k; p += LANES)
        for (int64_t i = 0; i < LANES; i++)
            lane[i] += a[p + i] * b[p + i];
    for (; p < k; p++)
        sum += a[p] * b[p];
    for (int64_t i = 0; i < LANES; i++)
        sum += lane[i];
    return sum;
}

static void dots(const struct lct_nn_dots *x)
{
    const double *a = (const void *)x->a, *b = x->b;
    double *c = (void *)x->c;

    for (size_t i = 0; i < x->m; i++)
        for (size_t j = 0; j < x->n; j++) {
            double *to = c + i * x->c_row + j;
            double sum = dot(a + i * x->a_row, b + j * x->b_row, (int64_t)x->k);

            *to = x->add ? *to + sum : sum;
        }
}

#include "net_math.inc"

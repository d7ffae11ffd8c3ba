/* net_math_f64.c - the arithmetic of net_math.h in double */
#include "net_math.h"
#include <math.h>

typedef double number;
#define number_exp  exp
#define number_tanh tanh
#define number_erf  erf

#include "net_math.inc"

static void read_numbers(void *out, const struct lct_weight *w, int64_t first,
                         int64_t n)
{
    lct_weight_doubles(out, w, first, n);
}

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

static void dots(void *c, int64_t c_row, const void *a, int64_t a_row,
                 const void *b, int64_t b_row, bool bf16, bool add_to,
                 int64_t m, int64_t n, int64_t k)
{
    (void)bf16; /* numbers are double */
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double *to = (double *)c + i * c_row + j;
            double sum = dot((const double *)a + i * a_row,
                             (const double *)b + j * b_row, k);

            *to = add_to ? *to + sum : sum;
        }
}

const struct lct_net_math lct_net_math_f64 = { .dtype = LOCANT_F64,
                                               .item = sizeof(double),
                                               .read = read_numbers,
                                               .set = set,
                                               .get = get,
                                               .norm = norm,
                                               .activate = activate,
                                               .multiply = multiply,
                                               .add = add,
                                               .scale = scale,
                                               .clamp = clamp,
                                               .cap = cap,
                                               .swiglu = swiglu,
                                               .cut = cut,
                                               .dots = dots };

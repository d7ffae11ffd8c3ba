/* net_math_f32.c - the arithmetic of net_math.h in float */
#include "net_math.h"
#include "../nn/nn_kernels.h"
#include <math.h>

typedef float number;
#define number_exp  expf
#define number_tanh tanhf
#define number_erf  erff

#include "net_math.inc"

static void read_numbers(void *out, const struct lct_weight *w, int64_t first,
                         int64_t n)
{
    lct_weight_floats(out, w, first, n);
}

static void dots(void *c, int64_t c_row, const void *a, int64_t a_row,
                 const void *b, int64_t b_row, bool bf16, bool add_to,
                 int64_t m, int64_t n, int64_t k)
{
    lct_nn()->dots(&(struct lct_nn_dots){ .c = c,
                                          .c_row = (size_t)c_row,
                                          .a = a,
                                          .a_row = (size_t)a_row,
                                          .b = b,
                                          .b_row = (size_t)b_row,
                                          .bf16 = bf16,
                                          .add = add_to,
                                          .m = (size_t)m,
                                          .n = (size_t)n,
                                          .k = (size_t)k });
}

const struct lct_net_math lct_net_math_f32 = { .dtype = LOCANT_F32,
                                               .item = sizeof(float),
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

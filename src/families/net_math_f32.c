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

static void dots(const struct lct_net_dots *x)
{
    lct_nn()->dots(&(struct lct_nn_dots){ .c = x->c,
                                          .c_row = (size_t)x->c_row,
                                          .a = x->a,
                                          .a_row = (size_t)x->a_row,
                                          .b = x->b,
                                          .b_row = (size_t)x->b_row,
                                          .bf16 = x->bf16,
                                          .add = x->add,
                                          .m = (size_t)x->m,
                                          .n = (size_t)x->n,
                                          .k = (size_t)x->k });
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

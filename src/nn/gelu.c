/* gelu.c - the Gaussian error linear unit, tanh form */
#include "nn.h"

/* y [n] = gelu(x [n]).  Saved for backward: x. */
void lct_gelu_forward(real *y, const real *x, size_t n)
{
    lct_nn()->gelu(y, x, n);
}

/* forward: y = gelu(x);  dy [n] becomes dx = dy gelu'(x) in place */
void lct_gelu_backward(real *dy, const real *x, size_t n)
{
    lct_nn()->gelu_backward(dy, x, n);
}

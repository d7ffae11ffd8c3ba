/* net_math_f32.c - the arithmetic of net_math.h in float */
#include "net_math.h"
#include "../nn/nn_kernels.h"
#include <math.h>
#include <string.h>

typedef float number;
#define number_exp   expf
#define number_tanh  tanhf
#define number_erf   erff
#define number_log1p log1pf

#define NUMBER_READ     lct_weight_floats
#define NUMBER_ACTIVATE activate_fast
#define NUMBER_NARROW   narrow
#define NUMBER_TABLE    lct_net_math_f32

static void activate(void *values, enum lct_net_act act, int64_t n);

/* Those of nn where there are; others as for double. */
static void activate_fast(void *values, enum lct_net_act act, int64_t n)
{
    enum { ROOM = 256 };
    const struct lct_nn_kernels *nn = lct_nn();
    float room[ROOM], *y = values;

    if (act == LCT_ACT_SILU) {
        nn->silu(y, (size_t)n);
        return;
    }
    if (act != LCT_ACT_GELU_TANH) {
        activate(y, act, n);
        return;
    }
    for (int64_t i = 0; i < n; i += ROOM) {
        const size_t count = (size_t)(n - i < ROOM ? n - i : ROOM);

        nn->gelu(room, y + i, count);
        memcpy(y + i, room, count * sizeof(*y));
    }
}

static void dots(const struct lct_nn_dots *x)
{
    lct_nn()->dots(x);
}

static void narrow(uint16_t *y, const void *x, int64_t n)
{
    lct_nn()->narrow(y, x, (size_t)n);
}

#include "net_math.inc"

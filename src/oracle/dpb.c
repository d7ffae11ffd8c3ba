/*
 * dpb.c - the dynamic position bias of x-transformers (after Swin v2 and
 * CrossFormer): two hidden layers with SiLU of the signed distance, or of its
 * logarithm.
 */
#include "specs.h"
#include <math.h>

static int choose(char *spec, size_t size, int i, int64_t *D, int64_t *W,
                  int64_t *low, int64_t *high)
{
    static const char *const specs[] = {
        "dpb(hidden=4)",
        "dpb(hidden=3,log=yes)",
        "dpb(hidden=5,log=yes,share=no)",
    };

    (void)D, (void)W;
    *low = -9;
    *high = 9;
    return oracle_spec(spec, size, i, specs, sizeof(specs) / sizeof(specs[0]));
}

static cx silu(cx x)
{
    return x / (1 + cexp(-x));
}

static cx bias(const struct oracle_call *w, int64_t b, int64_t h, int64_t i,
               int64_t j)
{
    int64_t hidden = (int64_t)oracle_number(w->spec, "hidden", 32);
    double n = (double)(oracle_position(w, 0, b, i) -
                        oracle_position(w, 1, b, j));
    cx out = w->param[5][h];

    if (oracle_word(w->spec, "log", "yes", 0))
        n = copysign(log(1 + fabs(n)), n);
    for (int64_t v = 0; v < hidden; v++) {
        cx sum = w->param[3][v];

        for (int64_t u = 0; u < hidden; u++)
            sum += silu(w->param[0][u] * n + w->param[1][u]) *
                   w->param[2][u * hidden + v];
        out += silu(sum) * w->param[4][v * w->H + h];
    }
    return out;
}

extern const struct oracle dpb_oracle;
const struct oracle dpb_oracle = {
    .name = "dpb", .choose = choose, .bias = bias,
};

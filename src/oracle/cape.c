/*
 * cape.c - Likhomanenko et al. 2021, arXiv:2106.03143v3, section 3.1: the
 * interleaved sinusoid at a real position.
 */
#include "specs.h"
#include <math.h>

static int choose(char *spec, size_t size, int i, int64_t *D, int64_t *W,
                  int64_t *low, int64_t *high)
{
    static const char *const specs[] = {
        "cape",
        "cape(base=50,shift=2,jitter=0.1,scale=1.5)",
    };

    (void)D, (void)W, (void)low, (void)high;
    return oracle_spec(spec, size, i, specs, sizeof(specs) / sizeof(specs[0]));
}

static cx entry(const struct oracle_call *w, double pos, int64_t d)
{
    double base = oracle_number(w->spec, "base", 10000);
    double angle = pos * pow(base, -(double)(d / 2 * 2) / (double)w->W);

    return d % 2 == 0 ? sin(angle) : cos(angle);
}

extern const struct oracle cape_oracle;
const struct oracle cape_oracle = {
    .name = "cape", .choose = choose, .entry = entry, .real = 1,
};

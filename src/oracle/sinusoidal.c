/*
 * sinusoidal.c - Vaswani et al. 2017, arXiv:1706.03762v7, section 3.5, and
 * what libraries made of it: sines before cosines (Marian), frequencies from 1
 * to 1/base inclusive (tensor2tensor, fairseq: positions from 2), a learned
 * scale (x-transformers).
 */
#include "specs.h"
#include <math.h>

static int choose(char *spec, size_t size, int i, int64_t *D, int64_t *W,
                  int64_t *low, int64_t *high)
{
    static const char *const specs[] = {
        "sinusoidal",
        "sinusoidal(form=split)",
        "sinusoidal(base=500,form=interleaved)",
        "sinusoidal(form=split,spacing=inclusive)",
        "sinusoidal(base=300,form=split,spacing=inclusive,start=2)",
        "sinusoidal(start=3)",
        "sinusoidal(form=split,learned=yes)",
        "sinusoidal(form=interleaved,learned=yes,start=1)",
    };

    (void)D, (void)W, (void)low, (void)high;
    return oracle_spec(spec, size, i, specs, sizeof(specs) / sizeof(specs[0]));
}

/* Which pair a channel belongs to, and whether it is the sine: -1 neither. */
static int64_t pair_of(int *sine, const struct oracle_call *w, int64_t d)
{
    int64_t sines = (w->W + 1) / 2;

    if (!oracle_word(w->spec, "form", "split", 0)) {
        *sine = d % 2 == 0;
        return d / 2;
    }
    if (oracle_word(w->spec, "spacing", "inclusive", 0))
        sines = w->W / 2;
    *sine = d < sines;
    if (d >= 2 * sines && oracle_word(w->spec, "spacing", "inclusive", 0))
        return -1;
    return d < sines ? d : d - sines;
}

static cx entry(const struct oracle_call *w, double pos, int64_t d)
{
    double base = oracle_number(w->spec, "base", 10000);
    double p = pos + oracle_number(w->spec, "start", 0), exponent, angle;
    cx scale = oracle_word(w->spec, "learned", "yes", 0) ? w->param[0][0] : 1;
    int sine;
    int64_t c = pair_of(&sine, w, d), half = w->W / 2;

    if (c < 0)
        return 0; /* the last of an odd number of channels */
    exponent = 2 * (double)c / (double)w->W;
    if (oracle_word(w->spec, "spacing", "inclusive", 0))
        exponent = (double)c / (double)(half > 2 ? half - 1 : 1);
    angle = p * pow(base, -exponent);
    return scale * (sine ? sin(angle) : cos(angle));
}

extern const struct oracle sinusoidal_oracle;
const struct oracle sinusoidal_oracle = {
    .name = "sinusoidal", .choose = choose, .entry = entry,
};

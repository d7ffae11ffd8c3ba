/*
 * sinusoidal.c - Vaswani et al. 2017, arXiv:1706.03762v7, section 3.5, and
 * what libraries made of it: sines before cosines (Marian), frequencies from 1
 * to 1/base inclusive (tensor2tensor, fairseq: positions from 2), a learned
 * scale (x-transformers).
 */
#include "oracle.h"
#include <math.h>

static const struct oracle_spec specs[] = {
    { .text = "sinusoidal" },
    { .text = "sinusoidal(form=split)" },
    { .text = "sinusoidal(base=500,form=interleaved)" },
    { .text = "sinusoidal(form=split,spacing=inclusive)" },
    { .text = "sinusoidal(base=300,form=split,spacing=inclusive,start=2)" },
    { .text = "sinusoidal(start=3)" },
    { .text = "sinusoidal(form=split,learned=yes)" },
    { .text = "sinusoidal(form=interleaved,learned=yes,start=1)" },
    { 0 }
};

/* Which pair a channel belongs to, and whether it is the sine: -1 neither. */
static int64_t pair_of(int *sine, const struct oracle_call *call, int64_t d)
{
    int64_t sines = (call->W + 1) / 2;

    if (!oracle_word(call->spec, "form", "split", 0)) {
        *sine = d % 2 == 0;
        return d / 2;
    }
    if (oracle_word(call->spec, "spacing", "inclusive", 0))
        sines = call->W / 2;
    *sine = d < sines;
    if (d >= 2 * sines && oracle_word(call->spec, "spacing", "inclusive", 0))
        return -1;
    return d < sines ? d : d - sines;
}

static cx entry(const struct oracle_call *call, double pos, int64_t d)
{
    double base = oracle_number(call->spec, "base", 10000);
    double p = pos + oracle_number(call->spec, "start", 0), exponent, angle;
    cx scale =
        oracle_word(call->spec, "learned", "yes", 0) ? call->param[0][0] : 1;
    int sine;
    int64_t c = pair_of(&sine, call, d), half = call->W / 2;

    if (c < 0)
        return 0; /* the last of an odd number of channels */
    exponent = 2 * (double)c / (double)call->W;
    if (oracle_word(call->spec, "spacing", "inclusive", 0))
        exponent = (double)c / (double)(half > 2 ? half - 1 : 1);
    angle = p * pow(base, -exponent);
    return scale * (sine ? sin(angle) : cos(angle));
}

const struct oracle sinusoidal_oracle = {
    .name = "sinusoidal",
    .specs = specs,
    .entry = entry,
};

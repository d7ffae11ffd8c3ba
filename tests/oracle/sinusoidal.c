/*
 * sinusoidal.c - Vaswani et al. 2017, arXiv:1706.03762v7, section 3.5:
 * PE(pos, 2c) = sin(pos / base^(2c/D)), PE(pos, 2c + 1) = cos(same).
 * The split form lists all sines, ceil(D/2) of them, then all cosines.
 */
#include "oracle.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

void oracle_angle(long double *cosine, long double *sine, double base,
                  int64_t c, int64_t dim, int64_t pos)
{
    long double exponent = -2.0L * (long double)c / (long double)dim;
    long double angle = (long double)pos * powl((long double)base, exponent);

    *cosine = cosl(angle);
    *sine = sinl(angle);
}

static int choose(struct oracle_choice *c, int i, int64_t D)
{
    static const double bases[] = { 10000, 10000, 100, 500000 };

    (void)D;
    memset(c, 0, sizeof(*c));
    if (i >= (int)LEN(bases))
        return 0;
    c->base = bases[i];
    c->interleaved = i % 2 == 0;
    snprintf(c->spec, sizeof(c->spec), "sinusoidal(base=%.17g,form=%s)",
             c->base, c->interleaved ? "interleaved" : "split");
    return 1;
}

static double row(const struct oracle_choice *c, int64_t pos, int64_t d,
                  int64_t D, const double *const *param)
{
    int64_t sines = (D + 1) / 2;
    int64_t pair = c->interleaved ? d / 2 : d % sines;
    int is_sine = c->interleaved ? d % 2 == 0 : d < sines;
    long double cosine, sine;

    (void)param;
    oracle_angle(&cosine, &sine, c->base, pair, D, pos);
    return (double)(is_sine ? sine : cosine);
}

extern const struct oracle oracle_sinusoidal;
const struct oracle oracle_sinusoidal = {
    .name = "sinusoidal", .doors = LOCANT_DOOR_INPUT,
    .choose = choose, .row = row,
};

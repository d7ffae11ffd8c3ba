/*
 * rope.c - Su et al. 2021, arXiv:2104.09864v5, eq. (15) and (34): pair c of
 * the leading 'dim' channels turns by pos * base^(-2c/dim); the rest pass.
 * Half pairs channels (c, c + dim/2), interleaved (2c, 2c + 1).
 */
#include "oracle.h"
#include <stdio.h>
#include <string.h>

/* Full and partial, both pairings, several bases. */
static int choose(struct oracle_choice *c, int i, int64_t D)
{
    static const double bases[] = { 10000, 10000, 128, 500000, 10000 };
    char dim[32] = "";

    memset(c, 0, sizeof(*c));
    if (i >= (int)LEN(bases))
        return 0;
    c->base = bases[i];
    c->interleaved = i % 2;
    c->dim = i >= 3 && D >= 4 ? D / 4 * 2 : D;
    if (c->dim != D)
        snprintf(dim, sizeof(dim), ",dim=%d", (int)c->dim);
    snprintf(c->spec, sizeof(c->spec), "rope(base=%.17g,pairing=%s%s)",
             c->base, c->interleaved ? "interleaved" : "half", dim);
    return 1;
}

static void rotate(double *out, const double *x, const struct oracle_choice *c,
                   int64_t pos, int64_t D)
{
    int64_t pairs = c->dim / 2;

    for (int64_t d = c->dim; d < D; d++)
        out[d] = x[d];
    for (int64_t i = 0; i < pairs; i++) {
        int64_t first = c->interleaved ? 2 * i : i;
        int64_t second = c->interleaved ? 2 * i + 1 : i + pairs;
        long double a = x[first], b = x[second], cosine, sine;

        oracle_angle(&cosine, &sine, c->base, i, c->dim, pos);
        out[first] = (double)(a * cosine - b * sine);
        out[second] = (double)(a * sine + b * cosine);
    }
}

extern const struct oracle oracle_rope;
const struct oracle oracle_rope = {
    .name = "rope", .doors = LOCANT_DOOR_ROTATE,
    .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_ISOMETRIC,
    .choose = choose, .rotate = rotate,
};

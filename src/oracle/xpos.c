/*
 * xpos.c - Sun et al. 2022, arXiv:2212.10554v1, algorithm 1: a rotation of
 * interleaved pairs, queries longer by zeta^(p/scale), keys shorter by it.
 */
#include "pairs.h"

static const struct oracle_spec specs[] = {
    { .text = "xpos" },
    { .text = "xpos(base=300,gamma=1,scale=64,center=20)" },
    { 0 }
};

static cx rotated(const struct oracle_call *call, int key, int64_t b, int64_t h,
                  int64_t t, const cx *x, int64_t d)
{
    double gamma = oracle_number(call->spec, "gamma", 0.4);
    double scale = oracle_number(call->spec, "scale", 512), zeta, grow;
    double base = oracle_number(call->spec, "base", 10000), D = (double)call->D;
    double pos = oracle_coord(call, key, b, t, 0,
                              (double)oracle_position(call, key, b, t));
    struct oracle_pair p = oracle_pair_of(d, call->D, 1);
    double angle = pos * pow(base, -2 * (double)p.c / D);

    (void)h;
    zeta = (2 * (double)p.c + gamma * D) / ((1 + gamma) * D);
    grow = pow(zeta, (pos - oracle_number(call->spec, "center", 0)) / scale);
    if (key)
        grow = 1 / grow;
    return oracle_rotate_pair(x, d, p, grow * cos(angle), grow * sin(angle));
}

const struct oracle xpos_oracle = {
    .name = "xpos",
    .specs = specs,
    .D_step = 2,
    .rotated = rotated,
    .real = 1,
};

/*
 * xpos.c - Sun et al. 2022, arXiv:2212.10554v1, algorithm 1: a rotation of
 * interleaved pairs, queries longer by zeta^(p/scale), keys shorter by it.
 */
#include "pairs.h"

static int choose(char *spec, size_t size, int i, int64_t *D, int64_t *W,
                  int64_t *low, int64_t *high)
{
    static const char *const specs[] = {
        "xpos",
        "xpos(base=300,gamma=1,scale=64,center=20)",
    };

    (void)W, (void)low, (void)high;
    *D = w_multiple(*D, 2);
    return w_spec(spec, size, i, specs, sizeof(specs) / sizeof(specs[0]));
}

static cx turned(const struct whole *w, int key, int64_t b, int64_t h,
                 int64_t t, const cx *x, int64_t d)
{
    double gamma = whole_number(w->spec, "gamma", 0.4);
    double scale = whole_number(w->spec, "scale", 512), zeta, grow;
    double base = whole_number(w->spec, "base", 10000), D = (double)w->D;
    double pos = whole_coord(w, key, b, t, 0,
                             (double)whole_position(w, key, b, t));
    struct w_pair p = w_pair_of(d, w->D, 1);
    double angle = pos * pow(base, -2 * (double)p.c / D);

    (void)h;
    zeta = (2 * (double)p.c + gamma * D) / ((1 + gamma) * D);
    grow = pow(zeta, (pos - whole_number(w->spec, "center", 0)) / scale);
    if (key)
        grow = 1 / grow;
    return w_turn(x, d, p, grow * cos(angle), grow * sin(angle));
}

extern const struct whole_oracle whole_xpos;
const struct whole_oracle whole_xpos = {
    .name = "xpos", .choose = choose, .turned = turned, .real = 1,
};

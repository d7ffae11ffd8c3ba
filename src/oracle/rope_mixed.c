/*
 * rope_mixed.c - Heo et al. 2024, arXiv:2403.13298v2, eq. (11): each head
 * learns two frequencies for each interleaved pair, phi = column x + row y.
 */
#include "pairs.h"

static int choose(char *spec, size_t size, int i, int64_t *D, int64_t *W,
                  int64_t *low, int64_t *high)
{
    static const char *const specs[] = {
        "rope-mixed(width=5)",
        "rope-mixed(base=20,width=3)",
    };

    (void)W;
    *D = w_multiple(*D, 4);
    *low = 0;
    *high = 30;
    return w_spec(spec, size, i, specs, sizeof(specs) / sizeof(specs[0]));
}

static cx turned(const struct whole *w, int key, int64_t b, int64_t h,
                 int64_t t, const cx *x, int64_t d)
{
    double p = (double)whole_position(w, key, b, t);
    double width = whole_number(w->spec, "width", 16);
    double row = whole_coord(w, key, b, t, 0, w_row(p, width));
    double column = whole_coord(w, key, b, t, 1, w_column(p, width));
    struct w_pair pair = w_pair_of(d, w->D, 1);
    int64_t at = h * w->D / 2 + pair.c;
    cx angle = column * w->param[0][at] + row * w->param[1][at];

    return w_turn(x, d, pair, ccos(angle), csin(angle));
}

extern const struct whole_oracle whole_rope_mixed;
const struct whole_oracle whole_rope_mixed = {
    .name = "rope-mixed", .choose = choose, .turned = turned, .real = 1,
    .one_group = 1,
};

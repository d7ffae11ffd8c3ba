/*
 * learned2d.c - tables of rows and of columns: their sum (Pix2Struct,
 * arXiv:2210.03347v2, section 2.2; NaViT, arXiv:2307.06304v1, section 2.1), or
 * one behind the other (DETR, arXiv:2005.12872v3, its learned variant).
 */
#include "specs.h"

static int choose(char *spec, size_t size, int i, int64_t *D, int64_t *W,
                  int64_t *low, int64_t *high)
{
    static const char *const specs[] = {
        "learned2d(height=3,width=5)",
        "learned2d(height=4,width=2,combine=concat)",
    };

    *W = oracle_multiple(*W, 2);
    *D = oracle_multiple(*D, 2);
    *low = 0;
    *high = i == 0 ? 14 : 7;
    return oracle_spec(spec, size, i, specs, sizeof(specs) / sizeof(specs[0]));
}

static cx entry(const struct oracle_call *w, double pos, int64_t d)
{
    int64_t width = (int64_t)oracle_number(w->spec, "width", 0);
    int64_t y = (int64_t)pos / width, x = (int64_t)pos % width;
    const cx *rows = w->param[0], *columns = w->param[1];
    int64_t half = w->W / 2;

    if (!oracle_word(w->spec, "combine", "concat", 0))
        return rows[y * w->W + d] + columns[x * w->W + d];
    return d < half ? rows[y * half + d] : columns[x * half + d - half];
}

extern const struct oracle learned2d_oracle;
const struct oracle learned2d_oracle = {
    .name = "learned2d", .choose = choose, .entry = entry,
};

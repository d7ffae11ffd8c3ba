/*
 * laplacian.c - Dwivedi and Bresson 2020, arXiv:2012.09699v2, section 2.2:
 * rows of given eigenvectors, projected to the width.
 */
#include "specs.h"

static int choose(char *spec, size_t size, int i, int64_t *D, int64_t *W,
                  int64_t *low, int64_t *high)
{
    static const char *const specs[] = {
        "laplacian(length=6,vectors=3)",
        "laplacian(length=9,vectors=1)",
    };

    (void)D, (void)W;
    *low = 0;
    *high = i == 0 ? 5 : 8;
    return oracle_spec(spec, size, i, specs, sizeof(specs) / sizeof(specs[0]));
}

static cx entry(const struct oracle_call *w, double pos, int64_t d)
{
    int64_t n = (int64_t)oracle_number(w->spec, "vectors", 0);
    cx sum = 0;

    for (int64_t c = 0; c < n; c++)
        sum += w->param[0][(int64_t)pos * n + c] *
               w->param[1][c * w->W + d];
    return sum;
}

extern const struct oracle laplacian_oracle;
const struct oracle laplacian_oracle = {
    .name = "laplacian", .choose = choose, .entry = entry,
};

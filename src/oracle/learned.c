/*
 * learned.c - Gehring et al. 2017, arXiv:1705.03122v3, section 3.1; rows that
 * begin at an offset as in OPT and RoBERTa: P[pos] = table[pos + offset].
 */
#include "specs.h"

static int choose(char *spec, size_t size, int i, int64_t *D, int64_t *W,
                  int64_t *low, int64_t *high)
{
    static const char *const specs[] = {
        "learned(length=9)",
        "learned(length=6,offset=2)",
    };

    (void)D, (void)W;
    *low = 0;
    *high = i == 0 ? 8 : 5;
    return oracle_spec(spec, size, i, specs, sizeof(specs) / sizeof(specs[0]));
}

static cx entry(const struct oracle_call *w, double pos, int64_t d)
{
    int64_t row = (int64_t)pos + (int64_t)oracle_number(w->spec, "offset", 0);

    return w->param[0][row * w->W + d];
}

extern const struct oracle learned_oracle;
const struct oracle learned_oracle = {
    .name = "learned", .choose = choose, .entry = entry,
};

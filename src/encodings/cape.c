/*
 * cape.c - continuous augmented positional embeddings.
 *
 * Likhomanenko et al.: CAPE: Encoding Relative Positions with Continuous
 * Augmented Positional Embeddings. 2021. arXiv:2106.03143, section 3.
 * Sinusoids at real positions, which are centred, and in training also shifted,
 * jittered and scaled at random.
 */
#include "encoding.h"
#include "../angle/schedule.h"
#include <math.h>

enum { BASE, SHIFT, JITTER, SCALE };

/* clang-format off */
static const struct lct_key keys[] = {
    LCT_BASE(10000, "longest wavelength / 2 pi, nearly"),
    { .name = "shift", .kind = LCT_NUMBER, .def = 5, .min = 0, .max = 1e6,
      .doc = "largest shift of a whole sequence in training" },
    { .name = "jitter", .kind = LCT_NUMBER, .def = 0.5, .min = 0, .max = 1e6,
      .doc = "largest shift of one token in training" },
    { .name = "scale", .kind = LCT_NUMBER, .def = 1.03, .min = 1, .max = 1e3,
      .doc = "largest factor of a sequence in training; the least is 1/scale" },
    { 0 }
};
/* clang-format on */

static locant_status make_schedule(struct lct_schedule **out,
                                   const struct lct_schedule_use *u)
{
    return lct_schedule_make_sines(out, u, u->e->value[BASE]);
}

static void row(double *out, const locant_encoding *e,
                const struct lct_point *at, int64_t dim,
                const locant_tensor *params)
{
    const struct lct_schedule *schedule = lct_schedule_kept(e, dim);

    (void)params;
    for (int64_t c = 0; 2 * c < dim; c++) {
        double cosine, sine;

        if (at->coords != NULL)
            lct_angle_real(&cosine, &sine, schedule->frequency[c],
                           at->coords[0]);
        else
            lct_angle(&cosine, &sine, schedule->frequency[c], at->pos);
        out[2 * c] = sine;
        if (2 * c + 1 < dim)
            out[2 * c + 1] = cosine;
    }
}

/* Section 3.2: centred; in training (t + shift + jitter_t) exp(scale). */
static void choose(int64_t *ids, double *reals, const locant_encoding *e,
                   int64_t n, locant_random *r)
{
    double middle = (double)(n - 1) / 2, shift = 0, factor = 1;

    (void)ids; /* with the trait REAL only 'reals' are written */
    if (r != NULL) {
        shift = e->value[SHIFT] * (2 * locant_random_uniform(r) - 1);
        factor = exp(log(e->value[SCALE]) * (2 * locant_random_uniform(r) - 1));
    }
    for (int64_t t = 0; t < n; t++) {
        double jitter =
            r == NULL ? 0
                      : e->value[JITTER] * (2 * locant_random_uniform(r) - 1);

        reals[t] = ((double)t - middle + shift + jitter) * factor;
    }
}

const struct lct_encoding lct_enc_cape = {
    .info = {
        .name = "cape",
        .title = "Continuous augmented positions (CAPE)",
        .formula = "P[x,2c] = sin(x base^(-2c/d)), P[x,2c+1] = cos(..), x = "
                   "(t - mean + shift + jitter_t) exp(scale), random in "
                   "training",
        .source = "Likhomanenko et al. 2021, arXiv:2106.03143v3, section 3",
        .used_by = "speech, vision and translation studies",
        .pitfalls = "Positions are centred, also at evaluation; what DAPE's "
                    "code calls CAPE is another method.",
        .gradient = "none: no parameters",
        .doors = LOCANT_DOOR_INPUT,
        .traits = LOCANT_TRAIT_REAL,
    },
    .keys = keys,
    .positions = { .choose = choose },
    .schedule = { .create = make_schedule },
    .input = { .row = row },
};

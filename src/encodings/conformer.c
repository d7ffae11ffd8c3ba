/*
 * conformer.c - relative scores of speech encoders: Transformer-XL's for keys
 * on both sides, with the sinusoid interleaved.
 *
 * Gulati et al.: Conformer: Convolution-augmented Transformer for Speech
 * Recognition. 2020. arXiv:2005.08100, section 2.1; Dai et al.: Transformer-XL.
 * 2019. arXiv:1901.02860, section 3.3.
 *
 *     s = scale [(q + u).k + (q + v).(projection R_n)]
 *
 * R_n = [sin(n f_0), cos(n f_0), sin(n f_1), ..] of the model's width.  In
 * form=new, ESPnet's, n = p_i - p_j.  form=none is WeNet's, which leaves out
 * the relative shift: n = p_j, the key's own position, so it has a largest one.
 * u and v start within the bound of Xavier, the projection at N(0, 0.02^2).
 */
#include "../angle/schedule.h"
#include "sinusoids.h"
#include <inttypes.h>

enum { FORM = LCT_SINUSOIDS_BASE + 1, LENGTH };
enum { NEW, NONE };

static const char *const forms[] = { "new", "none", NULL };

/* clang-format off */
static const struct lct_key keys[] = {
    LCT_BASE(10000, "of the sinusoid's frequencies base^(-2c/width)"),
    { .name = "form", .kind = LCT_WORD, .def = NEW, .words = forms,
      .doc = "new: by the distance of query and key; none: by the position of "
      "the key, without the relative shift" },
    { .name = "length", .kind = LCT_INTEGER, .def = 5000, .min = 1,
      .max = 1 << 20, .doc = "form=none: keys are at positions 0 .. length - "
      "1; form=new: not read" },
    LCT_SHARE(0, "yes: the same parameters in all layers"),
    { 0 }
};

static const struct lct_param params[] = {
    LCT_PROJECTION("projection", LCT_SHARE_KEY,
                   "projects the sinusoid for each head (linear_pos)"),
    LCT_HEAD_VECTOR("u",
                    "added to queries in products with keys (pos_bias_u)"),
    LCT_HEAD_VECTOR("v",
                    "added to queries in products with sinusoids (pos_bias_v)"),
    { 0 }
};
/* clang-format on */

static unsigned traits(const locant_encoding *e)
{
    return LOCANT_TRAIT_LEARNED |
           (e->value[FORM] == NEW ? LOCANT_TRAIT_RELATIVE : LOCANT_TRAIT_LIMIT);
}

/* u and v [heads, head_dim]: within sqrt(6 / (heads + head_dim)) */
static bool fill(double *out, const locant_encoding *e, int k,
                 const locant_param_info *info, locant_random *r)
{
    (void)e;
    if (k == LCT_SINUSOIDS_PROJECTION)
        return false;
    return lct_fill_uniform(
        out, info, sqrt(6 / (double)(info->shape[0] + info->shape[1])), r);
}

static locant_status check_positions(const locant_encoding *e, const char *fn,
                                     const int64_t *pos, size_t n,
                                     const locant_tensor *given)
{
    int64_t length = (int64_t)e->value[LENGTH];

    (void)given;
    for (size_t i = 0; e->value[FORM] == NONE && i < n; i++)
        if (pos[i] < 0 || pos[i] >= length)
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: position %" PRId64
                               " (index %zu) is outside the length of "
                               "conformer, which has positions 0 to %" PRId64,
                               fn, pos[i], i, length - 1);
    return LOCANT_OK;
}

static int64_t key_position(const locant_encoding *e, int64_t q_pos,
                            int64_t k_pos)
{
    (void)e;
    (void)q_pos;
    return k_pos;
}

static void products(struct lct_products *out, const locant_encoding *e,
                     struct lct_span differences)
{
    lct_sinusoids_products(out, differences, 0, LCT_CLAMP_PAST);
    if (e->value[FORM] == NEW)
        return;
    out->vectors[0].row = key_position;
    out->vectors[0].pairs = (int)e->value[LENGTH];
}

/* [sin(m f_0), cos(m f_0), ..]; an odd width ends with a sine. */
static void basis(double *out, const struct lct_call *c, int64_t m)
{
    const struct lct_schedule *s = lct_schedule_kept(c->e, c->width);

    for (int64_t i = 0; i < s->pairs; i++) {
        double cosine;

        lct_angle(&cosine, &out[2 * i], s->frequency[i], m);
        if (2 * i + 1 < c->width)
            out[2 * i + 1] = cosine;
    }
}

static const locant_variant variants[] = {
    { "conformer", "exact relative shift",
      "Conformer of ESPnet (RelPosition)" },
    { "conformer(form=none)", "without a shift: by the key's position",
      "Conformer of WeNet" },
    { 0 }
};

const struct lct_encoding lct_enc_conformer = {
    .info = {
        .name = "conformer",
        .title = "Relative scores of speech encoders (Conformer)",
        .formula = "s[i,j] = [(q_i + u) k_j + (q_i + v) W_P R_n] / sqrt(D), "
                   "R_n = [sin(n f_0), cos(n f_0), ..], n = p_i - p_j",
        .gradient = "as transformer-xl",
        .source = "Gulati et al. 2020, arXiv:2005.08100v1, section 2.1; ESPnet "
                  "and WeNet, attention.py",
        .used_by = "Conformer speech encoders of ESPnet and WeNet",
        .pitfalls = "The sinusoid is interleaved, Transformer-XL's is split.  "
                    "WeNet's attention has no relative shift, so it sees where "
                    "a key stands, not how far it is.  Old ESPnet checkpoints "
                    "were trained with a shift that is wrong for keys after "
                    "the query; it is not available.",
        .variants = variants,
        .doors = LOCANT_DOOR_CONTENT,
        .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_LEARNED,
    },
    .keys = keys,
    .traits = traits,
    .params = { .list = params, .fill = fill },
    .positions = { .check = check_positions },
    .schedule = { .create = lct_sinusoids_schedule },
    .content = { .products = products, .basis = basis },
};

/*
 * recipe.c - angles as other software computes them, operation by operation.
 *
 * HF is transformers' rotary embedding, inverse frequencies in float32 times
 * the float32 position.  GGML is ggml's rope, theta *= base^(-2/dim) from pair
 * to pair, all in float32, with the interpolation of its rope_yarn().  Both
 * lose digits in proportion to the position; they are here because models were
 * trained with them.
 */
#include "schedule.h"
#include <math.h>

void lct_recipe_plain(struct lct_schedule *s, double base)
{
    float dim = (float)(2 * s->pairs);

    for (int64_t c = 0; c < s->pairs; c++)
        s->single[c] = s->mode == LOCANT_ANGLES_HF
                           ? 1.0f / powf((float)base, (float)(2 * c) / dim)
                           : 1.0f;
    s->recipe = (struct lct_recipe){ .step = powf((float)base, -2.0f / dim),
                                     .scale = 1 };
}

static float rounded_position(const int64_t *integers, const double *reals,
                              size_t t)
{
    return integers != NULL ? (float)integers[t] : (float)reals[t];
}

static void hf(float *cos_row, float *sin_row, const struct lct_schedule *s,
               float position)
{
    float magnitude = (float)s->magnitude;

    for (int64_t c = 0; c < s->pairs; c++) {
        float angle = position * s->single[c];

        cos_row[c] = cosf(angle) * magnitude;
        sin_row[c] = sinf(angle) * magnitude;
    }
}

/* The share of the unscaled angle in pair c, times ext_factor. */
static float ggml_mix(const struct lct_recipe *r, int64_t c)
{
    float y = ((float)c - r->low) / fmaxf(0.001f, r->high - r->low);

    return (1.0f - fminf(1.0f, fmaxf(0.0f, y))) * r->mix;
}

static void ggml(float *cos_row, float *sin_row, const struct lct_schedule *s,
                 float position)
{
    const struct lct_recipe *r = &s->recipe;
    float magnitude = (float)s->magnitude;
    float base_theta = position;

    for (int64_t c = 0; c < s->pairs; c++) {
        float whole = base_theta / s->single[c];
        float theta = r->scale * whole;

        if (r->mix != 0) {
            float mix = ggml_mix(r, c);

            theta = theta * (1 - mix) + whole * mix;
        }
        cos_row[c] = cosf(theta) * magnitude;
        sin_row[c] = sinf(theta) * magnitude;
        base_theta *= r->step;
    }
}

void lct_recipe_rows(float *cos_out, float *sin_out,
                     const struct lct_schedule *s, const int64_t *integers,
                     const double *reals, size_t first, size_t end)
{
    size_t pairs = (size_t)s->pairs;

    for (size_t t = first; t < end; t++) {
        float position = rounded_position(integers, reals, t);

        (s->mode == LOCANT_ANGLES_HF ? hf : ggml)(
            cos_out + t * pairs, sin_out + t * pairs, s, position);
    }
}

/*
 * sandwich.c - the inner product of sinusoidal positions as a bias.
 *
 * Chi, Fan, Rudnicky, Ramadge: Dissecting Transformer Length Extrapolation via
 * the Lens of Receptive Field Analysis. 2023. arXiv:2212.10356, section 5.
 * <P[i], P[j]> = sum_c cos((i - j) w_c).  The constant dim/2 is subtracted, so
 * that the bias is 0 at distance 0; softmax does not change.
 */
#include "encoding.h"
#include "../angle/schedule.h"
#include <inttypes.h>

enum { DIM };

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "dim", .kind = LCT_INTEGER, .def = 128, .min = 2, .max = 65536,
      .doc = "width of the sinusoidal positions, even" },
    { 0 }
};
/* clang-format on */

static locant_status check(const locant_encoding *e)
{
    if ((int64_t)e->value[DIM] % 2 != 0)
        return LCT_REFUSE("dim of sandwich is %.0f, expected an even number",
                          e->value[DIM]);
    return LOCANT_OK;
}

/* e->state: the frequencies. */
static locant_status prepare(locant_encoding *e)
{
    int64_t pairs = (int64_t)e->value[DIM] / 2;
    struct lct_phase *frequency =
        locant_alloc((size_t)pairs * sizeof(*frequency));

    if (frequency == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_encoding_create: no memory for %" PRId64
                           " frequencies",
                           pairs);
    for (int64_t c = 0; c < pairs; c++)
        frequency[c] = lct_phase_of(10000, c, 2 * pairs);
    e->state = frequency;
    return LOCANT_OK;
}

static double slope_of(const struct lct_call *s, int64_t head)
{
    return (double)s->heads / (8 * (double)(head + 1));
}

static void bias(double *out, const struct lct_call *s, int64_t head,
                 int64_t q_pos, const int64_t *k_pos, size_t n)
{
    const struct lct_phase *frequency = s->e->state;
    int64_t pairs = (int64_t)s->e->value[DIM] / 2;
    double slope = slope_of(s, head);

    for (size_t j = 0; j < n; j++) {
        int64_t distance = lct_distance(q_pos, k_pos[j]);
        double sum = 0, cosine, sine;

        for (int64_t c = 0; c < pairs; c++) {
            lct_angle(&cosine, &sine, frequency[c], distance);
            sum += cosine - 1;
        }
        out[j] = sum * slope;
    }
}

static void real_bias(double *out, const struct lct_call *s,
                      const struct lct_real_keys *x)
{
    const struct lct_phase *frequency = s->e->state;
    int64_t pairs = (int64_t)s->e->value[DIM] / 2;

    for (size_t j = 0; j < x->n; j++) {
        double sum = 0, cosine, sine;

        for (int64_t c = 0; c < pairs; c++) {
            lct_angle_real(&cosine, &sine, frequency[c],
                           lct_real_distance(x, j));
            sum += cosine - 1;
        }
        out[j] = sum * slope_of(s, x->head);
    }
}

/* forward: out[j] = slope sum_c (cos(d w_c) - 1), d = q - k[j] */
static void real_backward(const struct lct_real_gradients *g,
                          const struct lct_call *s,
                          const struct lct_real_keys *x, const double *dout)
{
    const struct lct_phase *frequency = s->e->state;
    int64_t pairs = (int64_t)s->e->value[DIM] / 2;

    for (size_t j = 0; j < x->n; j++) {
        double sum = 0, cosine, sine;

        if (dout[j] == 0)
            continue;
        for (int64_t c = 0; c < pairs; c++) {
            lct_angle_real(&cosine, &sine, frequency[c],
                           lct_real_distance(x, j));
            sum -= sine * lct_phase_radians(frequency[c]);
        }
        lct_real_add(g, j, dout[j] * sum * slope_of(s, x->head));
    }
}

const struct lct_encoding lct_enc_sandwich = {
    .info = {
        .name = "sandwich",
        .title = "Sandwich bias",
        .formula = "s[h,i,j] += (sum_c cos((p_i - p_j) 10000^(-2c/dim)) - "
                   "dim/2) H / (8 h), h = 1 .. H",
        .source = "Chi et al. 2023, arXiv:2212.10356v2, section 5",
        .used_by = "length-extrapolation studies; NeMo",
        .pitfalls = "The paper counts frequencies from 1, the sinusoids it "
                    "starts from count from 0; the bias does not always fall "
                    "with distance.",
        .gradient = "none: no parameters",
        .doors = LOCANT_DOOR_SCORE,
        .traits = LOCANT_TRAIT_RELATIVE,
    },
    .keys = keys,
    .check = check,
    .prepare = prepare,
    .positions = { .real = true },
    .score = { .bias = bias, .real = { real_bias, real_backward } },
};

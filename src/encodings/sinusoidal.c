/*
 * sinusoidal.c - sines and cosines of geometric wavelengths.
 *
 * Vaswani et al.: Attention Is All You Need. 2017. arXiv:1706.03762, section
 * 3.5.  Facts the tests hold us to: P[p + k] is a fixed rotation of P[p], and
 * <P[p], P[q]> depends on |p - q| alone.
 */
#include "encoding.h"
#include "../angle/schedule.h"
#include <inttypes.h>

enum { BASE, FORM };
enum { INTERLEAVED, SPLIT };

static const char *const forms[] = { "interleaved", "split", NULL };

static const struct lct_key keys[] = {
    { .name = "base", .kind = LCT_NUMBER, .def = 10000, .min = 1, .max = 1e30,
      .doc = "longest wavelength / 2 pi, nearly: larger reaches further" },
    { .name = "form", .kind = LCT_WORD, .def = INTERLEAVED, .words = forms,
      .doc = "interleaved: sin, cos, sin, cos ..; split: all sines, then all "
             "cosines" },
    { 0 }
};

static locant_status schedule(struct lct_schedule **out,
                              const locant_encoding *e, const char *fn,
                              int64_t dim)
{
    int64_t pairs = dim - dim / 2; /* an odd width ends with a sine */

    *out = lct_schedule_create(e->value[BASE], pairs, dim);
    if (*out == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for %" PRId64
                           " frequencies", fn, pairs);
    for (int64_t c = 0; dim % 2 != 0 && c < pairs; c++)
        (*out)->turn[c] = lct_turn_of(e->value[BASE], c, dim);
    return LOCANT_OK;
}

static void row(double *out, const locant_encoding *e, int64_t pos, int64_t dim,
                const locant_tensor *params)
{
    const struct lct_schedule *frequencies;
    int64_t sines = dim - dim / 2;

    (void)params;
    if (lct_schedule_of(&frequencies, e, "", dim) != LOCANT_OK)
        return; /* made before the first row */
    for (int64_t c = 0; c < sines; c++) {
        double cosine, sine;

        lct_angle(&cosine, &sine, frequencies->turn[c], pos);
        if (e->value[FORM] == SPLIT) {
            out[c] = sine;
            if (c < dim / 2)
                out[sines + c] = cosine;
        } else {
            out[2 * c] = sine;
            if (2 * c + 1 < dim)
                out[2 * c + 1] = cosine;
        }
    }
}

const struct lct_encoding lct_enc_sinusoidal = {
    .info = {
        .name = "sinusoidal",
        .title = "Sinusoidal absolute positions",
        .formula = "P[p,2c] = sin(p base^(-2c/d)), "
                   "P[p,2c+1] = cos(p base^(-2c/d))",
        .source = "Vaswani et al. 2017, arXiv:1706.03762v7, section 3.5",
        .used_by = "original Transformer; split: Marian, Pegasus, CTRL",
        .traps = "c counts pairs, not channels; tensor2tensor and fairseq "
                 "divide by d/2 - 1, which is another encoding.",
        .doors = LOCANT_DOOR_INPUT,
    },
    .keys = keys,
    .schedule = schedule,
    .row = row,
};

/* plan_waves.c - the wavelengths of a layer's rotation */
#include "plan_waves.h"
#include "locant/frequencies.h"

/* Of a pair that several coordinates turn, the first that does. */
static void take_first(struct lct_plan_waves *out, const double *all, int axes)
{
    for (int64_t c = 0; c < out->pairs; c++)
        for (int a = 0; a < axes && out->frequency[c] == 0; a++)
            out->frequency[c] = all[a * out->pairs + c];
}

static locant_status take(struct lct_plan_waves *out,
                          const locant_rotated *rotated,
                          const struct lct_layer_plan *layer, int64_t length,
                          const char *file)
{
    const int64_t shape[] = { rotated->axes, rotated->pairs };
    double *all = locant_alloc((size_t)(shape[0] * shape[1]) * sizeof *all);
    locant_tensor view = locant_dense(all, LOCANT_F64, 2, shape);
    locant_status status;

    out->frequency = locant_alloc((size_t)shape[1] * sizeof *out->frequency);
    if (all == NULL || out->frequency == NULL) {
        locant_release(all);
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", file);
    }
    status = locant_encoding_frequencies(&view, NULL, layer->encoding,
                                         layer->qk_dim, length);
    out->pairs = rotated->pairs;
    out->first = rotated->first;
    out->interleaved = rotated->interleaved != 0;
    out->factor = rotated->magnitude;
    out->by_length = rotated->by_length != 0;
    if (status == LOCANT_OK)
        take_first(out, all, rotated->axes);
    locant_release(all);
    return status;
}

locant_status lct_plan_waves_of(struct lct_plan_waves *out,
                                const struct lct_layer_plan *layer,
                                int64_t length, const char *file)
{
    locant_rotated rotated = LOCANT_ROTATED_INIT;
    locant_status status;

    *out = (struct lct_plan_waves){ .factor = 1 };
    status = locant_encoding_rotated(&rotated, layer->encoding, layer->qk_dim,
                                     length);
    if (status == LOCANT_ERR_UNSUPPORTED)
        return LOCANT_OK;
    if (status == LOCANT_OK && rotated.pairs > 0)
        status = take(out, &rotated, layer, length, file);
    if (status != LOCANT_OK)
        lct_plan_waves_free(out);
    return status == LOCANT_OK || status == LOCANT_ERR_NOMEM
               ? status
               : LOCANT_ERR_FORMAT;
}

void lct_plan_waves_free(struct lct_plan_waves *w)
{
    locant_release(w->frequency);
    w->frequency = NULL;
    w->pairs = 0;
}

/* plan_waves.c - the wavelengths of a layer's rotation */
#include "plan_waves.h"
#include "turns.h"

locant_status lct_plan_waves_of(struct lct_plan_waves *out,
                                const struct lct_layer_plan *layer,
                                int64_t length, const char *file)
{
    struct lct_turns t;
    locant_status status;

    *out = (struct lct_plan_waves){ .factor = 1 };
    status = lct_turns_of(&t, layer->encoding, layer->qk_dim, length);
    if (status == LOCANT_ERR_UNSUPPORTED)
        return LOCANT_OK;
    if (status == LOCANT_ERR_NOMEM)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", file);
    if (status != LOCANT_OK)
        return LOCANT_ERR_FORMAT;
    lct_turns_join(&t);
    locant_release(t.channels);
    *out = (struct lct_plan_waves){ .pairs = t.about.pairs,
                                    .first = t.about.first,
                                    .interleaved = t.about.interleaved != 0,
                                    .factor = t.about.magnitude,
                                    .by_length = t.about.by_length != 0,
                                    .frequency = t.f };
    return LOCANT_OK;
}

void lct_plan_waves_free(struct lct_plan_waves *w)
{
    locant_release(w->frequency);
    w->frequency = NULL;
    w->pairs = 0;
}

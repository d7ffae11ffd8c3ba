/* convert_positions.c - see convert_positions.h */
#include "convert_positions.h"
#include <inttypes.h>
#include <stdio.h>

locant_status lct_convert_positions(locant_conversion *out,
                                    struct lct_convert *c)
{
    const locant_model_difference *d;
    locant_comparison found;

    if (c->gguf_in == c->gguf_out || c->options->base != NULL)
        return LOCANT_OK;
    LCT_TRY(lct_output_flush(&c->output));
    LCT_TRY(locant_models_compare(&found, c->model, c->output.temporary,
                                  LOCANT_STACK_TRUE, 0));
    d = &found.differences[0];
    if (found.verdict != LOCANT_DIFFERENT)
        return LOCANT_OK;
    if (d->layer < 0)
        snprintf(out->differs, sizeof out->differs, "%s: %s", d->tower,
                 d->field);
    else
        snprintf(out->differs, sizeof out->differs, "%s layer %" PRId64 ": %s",
                 d->tower, d->layer, d->field);
    return LOCANT_OK;
}

/* check.c - check the sizes of a model */
#include "parts.h"
#include <inttypes.h>

static const char fn[] = "lct_model_create";

static locant_status check_range(const char *what, int64_t got, int64_t max)
{
    if (got < 1 || got > max)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: %s is %" PRId64 ", expected 1 .. %" PRId64, fn,
                           what, got, max);
    return LOCANT_OK;
}

/* A map of layers may be for a number of layers. */
static locant_status check_layers(const struct lct_model_config *c)
{
    int64_t count = locant_encoding_layer_count(c->encoding);

    LCT_TRY(check_range("layers", c->layers, 10000));
    if (count == 0 || count == c->layers)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_PARAM,
                       "%s: layers is %" PRId64 ", expected the %" PRId64
                       " that %s is for",
                       fn, c->layers, count, locant_encoding_spec(c->encoding));
}

locant_status lct_model_check(const struct lct_model_config *c, int64_t batch,
                              int64_t length)
{
    const int64_t most = INT32_MAX; /* tokens are counted in int32_t */

    if (c == NULL || c->encoding == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: %s is NULL", fn,
                           c == NULL ? "config" : "config->encoding");
    LCT_TRY(check_layers(c));
    LCT_TRY(check_range("width", c->width, most));
    LCT_TRY(check_range("heads", c->heads, most));
    LCT_TRY(check_range("kv_heads", c->kv_heads, most));
    LCT_TRY(check_range("ff", c->ff, most));
    LCT_TRY(check_range("vocab", c->vocab, most));
    LCT_TRY(check_range("batch", batch, most));
    LCT_TRY(check_range("length", length, most));
    LCT_TRY(check_range("batch x length", batch * length, most));
    if (c->memory < 0 || c->memory > most / batch - length)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: memory is %" PRId64 ", expected 0 .. %" PRId64,
                           fn, c->memory, most / batch - length);
    if (c->memory > 0 &&
        (locant_encoding_doors(c->encoding) & LOCANT_DOOR_INPUT))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: %s adds positions to the input, and those of "
                           "memory and segment would collide; expected memory "
                           "0, or an encoding without that",
                           fn, locant_encoding_spec(c->encoding));
    if (c->width % c->heads != 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: width %" PRId64 " is not a multiple of %" PRId64
                           " heads",
                           fn, c->width, c->heads);
    if (c->heads % c->kv_heads != 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: heads %" PRId64 " is not a multiple of %" PRId64
                           " kv_heads",
                           fn, c->heads, c->kv_heads);
    if (c->norm != LCT_LAYER_NORM && c->norm != LCT_RMS_NORM)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: norm is %d, expected "
                           "LCT_LAYER_NORM or LCT_RMS_NORM",
                           fn, (int)c->norm);
    return LOCANT_OK;
}

/* config_gguf.c - see config_gguf.h */
#include "config_gguf.h"
#include "../core/quote.h"
#include "../files/decimal.h"
#include "../files/path.h"
#include "../files/utf8.h"
#include <math.h>
#include <string.h>

enum {
    ARRAY_MAX = 65536, /* values of an array; longer ones are left out */
    /* Values of all arrays.  jansson takes 32 bytes for one, and a file may
       have a million in 64 KiB on the disk, the rest being holes. */
    VALUES_MAX = 1 << 20
};

static locant_status no_memory(const struct lct_gguf *g)
{
    return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for its keys",
                       lct_path_tail(g->name));
}

/* Value i as JSON: null if JSON cannot say it; NULL without memory. */
static json_t *value_of(const struct lct_gguf *g,
                        const struct lct_gguf_value *v, uint64_t i)
{
    struct lct_text text;
    int64_t integer;
    double real;

    if (v->type == LCT_GGUF_BOOL && lct_gguf_integer(&integer, g, v, i))
        return json_boolean(integer != 0);
    if (lct_gguf_integer(&integer, g, v, i))
        return json_integer(integer);
    if (lct_gguf_real(&real, g, v, i)) {
        if (!v->array && v->type == LCT_GGUF_F32 && isfinite(real))
            real = lct_decimal_float32(real); /* as its writer meant it */
        return isfinite(real) ? json_real(real) : json_null();
    }
    if (lct_gguf_text(&text, g, v, i) && lct_is_utf8_bytes(text.bytes, text.n))
        return json_stringn(text.bytes, text.n);
    return json_null();
}

/* Texts are found by passing those before: read them in one pass. */
static locant_status array_of(json_t **out, const struct lct_gguf *g,
                              const struct lct_gguf_value *v)
{
    struct lct_gguf_value rest = *v;
    json_t *array = json_array();
    struct lct_text text;

    if (array == NULL)
        return no_memory(g);
    for (uint64_t i = 0; i < v->count; i++) {
        const bool is_text = v->type == LCT_GGUF_TEXT;
        json_t *value = value_of(g, is_text ? &rest : v, is_text ? 0 : i);

        if (is_text && lct_gguf_text(&text, g, &rest, 0))
            rest.at =
                (size_t)((const unsigned char *)text.bytes - g->bytes) + text.n;
        if (json_array_append_new(array, value) != 0) {
            json_decref(array);
            return no_memory(g);
        }
    }
    *out = array;
    return LOCANT_OK;
}

/* A key as a name of JSON: UTF-8 without a zero byte. */
static locant_status copy_key(char **out, const struct lct_gguf *g,
                              const struct lct_text *key)
{
    char found[LCT_QUOTE_BYTES];

    *out = NULL;
    if (memchr(key->bytes, 0, key->n) != NULL ||
        !lct_is_utf8_bytes(key->bytes, key->n))
        return locant_fail(
            LOCANT_ERR_FORMAT, "%s: key '%s': is not UTF-8 without zero bytes",
            lct_path_tail(g->name), lct_quote(found, key->bytes, key->n));
    *out = locant_alloc(key->n + 1);
    if (*out == NULL)
        return no_memory(g);
    memcpy(*out, key->bytes, key->n);
    return LOCANT_OK;
}

static locant_status put(json_t *root, const struct lct_gguf *g,
                         const struct lct_gguf_value *v)
{
    json_t *value = NULL;
    char *key;
    int failed;

    LCT_TRY(copy_key(&key, g, &v->key));
    if (!v->array)
        value = value_of(g, v, 0);
    else if (array_of(&value, g, v) != LOCANT_OK)
        value = NULL;
    failed = json_object_set_new(root, key, value);
    locant_release(key);
    return failed ? no_memory(g) : LOCANT_OK;
}

locant_status lct_config_gguf(json_t **out, const struct lct_gguf *g)
{
    json_t *root = json_object();
    locant_status status = root ? LOCANT_OK : no_memory(g);
    uint64_t values = 0;

    *out = NULL;
    for (size_t i = 0; i < g->n_values && status == LOCANT_OK; i++) {
        const struct lct_gguf_value *v = &g->values[i];

        if (v->array &&
            (v->count > ARRAY_MAX || values + v->count > VALUES_MAX))
            continue;
        values += v->array ? v->count : 0;
        status = put(root, g, v);
    }
    if (status != LOCANT_OK) {
        json_decref(root);
        return status;
    }
    *out = root;
    return LOCANT_OK;
}

/* plan_gguf_keys.c - typed keys of a GGUF file */
#include "plan_gguf_keys.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define MOST ((int64_t)1 << 40)

static void full_name(char out[160], const struct lct_plan_gguf *g,
                      const char *name)
{
    snprintf(out, 160, "%.60s.%s", g->c->model_type, name);
}

const json_t *lct_plan_gguf_keys_find(const struct lct_plan_gguf *g,
                                      const char *name)
{
    char key[160];
    const json_t *value;

    full_name(key, g, name);
    value = json_object_get(g->c->root, key);
    return value != NULL && !json_is_null(value) ? value : NULL;
}

locant_status lct_plan_gguf_keys_wrong(const struct lct_plan_gguf *g,
                                       const char *name, const char *expected)
{
    char key[160], shown[LCT_CONFIG_SHOWN];
    const json_t *value = lct_plan_gguf_keys_find(g, name);

    full_name(key, g, name);
    if (value == NULL) {
        if (g->plan != NULL)
            g->plan->lacks_key = true;
        return locant_fail(LOCANT_ERR_FORMAT, "%s: %s is missing, expected %s",
                           g->c->file, key, expected);
    }
    return locant_fail(LOCANT_ERR_FORMAT, "%s: %s is %s, expected %s",
                       g->c->file, key, lct_config_show(shown, value),
                       expected);
}

locant_status lct_plan_gguf_keys_whole(int64_t *out,
                                       const struct lct_plan_gguf *g,
                                       const char *name, int64_t fallback,
                                       int64_t least)
{
    const json_t *value = lct_plan_gguf_keys_find(g, name);
    char expected[64];

    if (json_is_array(value)) /* one for each layer */
        value = json_array_get(value, 0);
    if (value == NULL && lct_plan_gguf_keys_find(g, name) == NULL &&
        fallback != INT64_MIN) {
        *out = fallback;
        return LOCANT_OK;
    }
    *out = json_integer_value(value);
    if (json_is_integer(value) && *out >= least && *out <= MOST)
        return LOCANT_OK;
    snprintf(expected, sizeof expected, "a whole number of at least %" PRId64,
             least);
    return lct_plan_gguf_keys_wrong(g, name, expected);
}

locant_status lct_plan_gguf_keys_real(double *out,
                                      const struct lct_plan_gguf *g,
                                      const char *name, double fallback)
{
    const json_t *value = lct_plan_gguf_keys_find(g, name);

    *out = value != NULL ? json_number_value(value) : fallback;
    if (value == NULL || (json_is_number(value) && isfinite(*out)))
        return LOCANT_OK;
    return lct_plan_gguf_keys_wrong(g, name, "a number");
}

locant_status lct_plan_gguf_keys_text(const char **out,
                                      const struct lct_plan_gguf *g,
                                      const char *name)
{
    const json_t *value = lct_plan_gguf_keys_find(g, name);

    *out = json_string_value(value);
    if (value == NULL || *out != NULL)
        return LOCANT_OK;
    return lct_plan_gguf_keys_wrong(g, name, "a text");
}

locant_status lct_plan_gguf_keys_set(struct lct_plan_gguf *g, const char *key,
                                     json_t *value)
{
    if (key == NULL) {
        json_decref(value);
        return LOCANT_OK;
    }
    if (value != NULL && json_object_set_new(g->out, key, value) == 0)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", g->c->file);
}

/* config_value.c - the values of a configuration: see config.h */
#include "config.h"
#include "../core/quote.h"
#include <stdio.h>
#include <string.h>

/* The value of a key; NULL if it is absent or null. */
static const json_t *given(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    return json_is_null(value) ? NULL : value;
}

static enum lct_found found(const json_t *value, bool right)
{
    return value == NULL ? LCT_ABSENT : right ? LCT_RIGHT : LCT_WRONG;
}

enum lct_found lct_config_integer(int64_t *out, const json_t *object,
                                  const char *key)
{
    const json_t *value = given(object, key);

    if (json_is_integer(value))
        *out = json_integer_value(value);
    return found(value, json_is_integer(value));
}

enum lct_found lct_config_real(double *out, const json_t *object,
                               const char *key)
{
    const json_t *value = given(object, key);

    if (json_is_number(value))
        *out = json_number_value(value);
    return found(value, json_is_number(value));
}

enum lct_found lct_config_bool(bool *out, const json_t *object, const char *key)
{
    const json_t *value = given(object, key);

    if (json_is_boolean(value))
        *out = json_is_true(value);
    return found(value, json_is_boolean(value));
}

enum lct_found lct_config_text(const char **out, const json_t *object,
                               const char *key)
{
    const json_t *value = given(object, key);
    const char *text = json_string_value(value);
    const bool right =
        text != NULL && strlen(text) == json_string_length(value);

    if (right)
        *out = text;
    return found(value, right);
}

const char *lct_config_show(char out[LCT_CONFIG_SHOWN], const json_t *value)
{
    char found[LCT_QUOTE_BYTES];

    if (value == NULL)
        return "absent";
    switch (json_typeof(value)) {
    case JSON_STRING:
        snprintf(out, LCT_CONFIG_SHOWN, "the text '%s'",
                 lct_quote(found, json_string_value(value),
                           json_string_length(value)));
        return out;
    case JSON_INTEGER:
        snprintf(out, LCT_CONFIG_SHOWN, "%lld",
                 (long long)json_integer_value(value));
        return out;
    case JSON_REAL:
        snprintf(out, LCT_CONFIG_SHOWN, "%.17g", json_real_value(value));
        return out;
    case JSON_ARRAY:
        snprintf(out, LCT_CONFIG_SHOWN, "an array of %zu",
                 json_array_size(value));
        return out;
    case JSON_OBJECT: return "an object";
    case JSON_TRUE: return "true";
    case JSON_FALSE: return "false";
    default: return "null";
    }
}

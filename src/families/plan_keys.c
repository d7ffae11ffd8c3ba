/* plan_keys.c - typed keys of a configuration, with defaults and notes */
#include "plan_keys.h"
#include "../files/decimal.h"
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Sizes beyond it are of no model, and their products still fit. */
#define MOST ((int64_t)1 << 40)

enum { NOTES = 64 }; /* of one tower; more are left out */

/* ------------------------------------------------------------------- notes */

static struct lct_plan_note *new_note(locant_status *s, struct lct_plan_keys *k,
                                      const char *field, const char *key,
                                      enum lct_origin origin)
{
    struct lct_tower *t = k->tower;
    struct lct_plan_note *note;

    *s = LOCANT_OK;
    if (t->notes == NULL)
        t->notes = locant_alloc(NOTES * sizeof *t->notes);
    if (t->notes == NULL)
        *s = locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", k->plan->file);
    if (t->notes == NULL || t->n_notes == NOTES)
        return NULL;
    note = &t->notes[t->n_notes++];
    snprintf(note->field, sizeof note->field, "%s", field);
    snprintf(note->key, sizeof note->key, "%s", key);
    note->origin = origin;
    return note;
}

locant_status lct_plan_keys_note(struct lct_plan_keys *k, const char *field,
                                 const char *key, enum lct_origin origin,
                                 const char *format, ...)
{
    locant_status s;
    struct lct_plan_note *note = new_note(&s, k, field, key, origin);
    va_list args;

    if (note == NULL)
        return s;
    va_start(args, format);
    vsnprintf(note->value, sizeof note->value, format, args);
    va_end(args);
    return LOCANT_OK;
}

locant_status lct_plan_keys_note_real(struct lct_plan_keys *k,
                                      const char *field, const char *key,
                                      enum lct_origin origin, double value)
{
    char number[LCT_DECIMAL_BYTES];

    lct_decimal_exact(number, value);
    return lct_plan_keys_note(k, field, key, origin, "%s", number);
}

/* ------------------------------------------------------------------ errors */

locant_status lct_plan_keys_wrong(const struct lct_plan_keys *k,
                                  const char *where, const char *key,
                                  const json_t *value, const char *format, ...)
{
    char expected[256], shown[LCT_CONFIG_SHOWN];
    const char *found =
        value != NULL ? lct_config_show(shown, value) : "missing";
    va_list args;

    va_start(args, format);
    vsnprintf(expected, sizeof expected, format, args);
    va_end(args);
    return locant_fail(LOCANT_ERR_FORMAT, "%s: %s%s is %s, expected %s",
                       k->plan->file, where, key, found, expected);
}

bool lct_plan_keys_null(const struct lct_plan_keys *k, const char *key)
{
    return json_is_null(json_object_get(k->object, key));
}

/* ------------------------------------------------------------------ values */

locant_status lct_plan_keys_whole(int64_t *out, struct lct_plan_keys *k,
                                  const char *field, const char *key,
                                  int64_t fallback, int64_t least)
{
    enum lct_found found = lct_config_integer(out, k->object, key);
    enum lct_origin origin = LCT_GIVEN;

    if (found == LCT_ABSENT && fallback != LCT_PLAN_NEEDED) {
        *out = fallback;
        origin = LCT_CLASS_DEFAULT;
    } else if (found != LCT_RIGHT || *out < least || *out > MOST) {
        return LCT_PLAN_KEYS_WRONG(
            k, key, "a whole number of %" PRId64 " to %" PRId64, least, MOST);
    }
    if (field == NULL)
        return LOCANT_OK;
    return lct_plan_keys_note(k, field, key, origin, "%" PRId64, *out);
}

locant_status lct_plan_keys_real(double *out, struct lct_plan_keys *k,
                                 const char *field, const char *key,
                                 double fallback)
{
    enum lct_found found = lct_config_real(out, k->object, key);
    enum lct_origin origin = LCT_GIVEN;

    if (found == LCT_ABSENT && !isnan(fallback)) {
        *out = fallback;
        origin = LCT_CLASS_DEFAULT;
    } else if (found != LCT_RIGHT || !isfinite(*out)) {
        return LCT_PLAN_KEYS_WRONG(k, key, "a number");
    }
    if (field == NULL)
        return LOCANT_OK;
    return lct_plan_keys_note_real(k, field, key, origin, *out);
}

locant_status lct_plan_keys_real_of(double *out, struct lct_plan_keys *k,
                                    const json_t *object, const char *where,
                                    const char *key, double fallback)
{
    enum lct_found found = lct_config_real(out, object, key);

    if (found == LCT_ABSENT && !isnan(fallback)) {
        *out = fallback;
        return LOCANT_OK;
    }
    if (found != LCT_RIGHT || !(*out > 0) || !isfinite(*out))
        return lct_plan_keys_wrong(k, where, key, json_object_get(object, key),
                                   "a number above 0");
    return LOCANT_OK;
}

locant_status lct_plan_keys_switch(bool *out, struct lct_plan_keys *k,
                                   const char *key, bool fallback)
{
    enum lct_found found = lct_config_bool(out, k->object, key);

    if (found == LCT_WRONG)
        return LCT_PLAN_KEYS_WRONG(k, key, "true or false");
    if (found == LCT_ABSENT)
        *out = fallback;
    return lct_plan_keys_note(
        k, key, key, found == LCT_ABSENT ? LCT_CLASS_DEFAULT : LCT_GIVEN, "%s",
        *out ? "true" : "false");
}

locant_status lct_plan_keys_text(const char **out, struct lct_plan_keys *k,
                                 const char *key)
{
    enum lct_found found = lct_config_text(out, k->object, key);

    if (found == LCT_WRONG)
        return LCT_PLAN_KEYS_WRONG(k, key, "a text");
    if (found == LCT_ABSENT)
        *out = NULL;
    return LOCANT_OK;
}

/* A value of another kind than a list, or an object, is wrong. */
static locant_status read_value(const json_t **out, struct lct_plan_keys *k,
                                const char *key, json_type type,
                                const char *expected)
{
    *out = json_object_get(k->object, key);
    if (*out == NULL || json_is_null(*out))
        *out = NULL;
    else if (json_typeof(*out) != type)
        return LCT_PLAN_KEYS_WRONG(k, key, "%s", expected);
    return LOCANT_OK;
}

locant_status lct_plan_keys_array(const json_t **out, struct lct_plan_keys *k,
                                  const char *key)
{
    return read_value(out, k, key, JSON_ARRAY, "a list");
}

locant_status lct_plan_keys_object(const json_t **out, struct lct_plan_keys *k,
                                   const char *key)
{
    return read_value(out, k, key, JSON_OBJECT, "an object of keys and values");
}

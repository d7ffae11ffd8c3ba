/* check_write.c - see check_write.h */
#include "check_write.h"
#include "plan_spec.h"
#include "../files/decimal.h"
#include "../files/io.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void put(struct lct_plan_spec *o, const char *text)
{
    lct_plan_spec_put(o, "%s", text);
}

static void put_line(struct lct_plan_spec *o, int depth)
{
    put(o, "\n");
    for (int i = 0; i < depth; i++)
        put(o, "  ");
}

static void put_simple(struct lct_plan_spec *o, const json_t *value)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY);

    if (text == NULL)
        o->failed = true;
    else
        put(o, text);
    free(text);
}

static void put_key(struct lct_plan_spec *o, const char *key)
{
    json_t *text = json_string(key);

    put_simple(o, text);
    put(o, ": ");
    json_decref(text);
}

/* A real number keeps a point, so that readers take it for one. */
static void put_real(struct lct_plan_spec *o, double x)
{
    char text[LCT_DECIMAL_BYTES];

    lct_decimal_exact(text, x);
    put(o, text);
    if (strpbrk(text, ".eE") == NULL)
        put(o, ".0");
}

static void put_value(struct lct_plan_spec *o, const json_t *value, int depth);

static void put_object(struct lct_plan_spec *o, const json_t *object, int depth)
{
    const char *key, *comma = "";
    json_t *value;

    put(o, "{");
    json_object_foreach((json_t *)(uintptr_t)object, key, value) {
        put(o, comma);
        put_line(o, depth + 1);
        put_key(o, key);
        put_value(o, value, depth + 1);
        comma = ",";
    }
    if (json_object_size(object) > 0)
        put_line(o, depth);
    put(o, "}");
}

static void put_array(struct lct_plan_spec *o, const json_t *array, int depth)
{
    const size_t n = json_array_size(array);

    put(o, "[");
    for (size_t i = 0; i < n; i++) {
        put(o, i > 0 ? "," : "");
        put_line(o, depth + 1);
        put_value(o, json_array_get(array, i), depth + 1);
    }
    if (n > 0)
        put_line(o, depth);
    put(o, "]");
}

/* The parser bounds the depth, so that this ends. */
static void put_value(struct lct_plan_spec *o, const json_t *value, int depth)
{
    if (json_is_object(value))
        put_object(o, value, depth);
    else if (json_is_array(value))
        put_array(o, value, depth);
    else if (json_is_real(value))
        put_real(o, json_real_value(value));
    else
        put_simple(o, value);
}

locant_status lct_check_write(const char *path, const json_t *root)
{
    struct lct_plan_spec o = { 0 };
    locant_status status;

    put_value(&o, root, 0);
    put(&o, "\n");
    if (o.failed)
        status = locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", path);
    else
        status = lct_write_file(path, &(struct lct_piece){ o.text, o.n }, 1);
    locant_release(o.text);
    return status;
}

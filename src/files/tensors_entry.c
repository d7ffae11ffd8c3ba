/* tensors_entry.c - parse one tensor of a safetensors header */
#include "../core/quote.h"
#include "../core/size.h"
#include "json.h"
#include "tensors.h"
#include <string.h>

/* ------------------------------------------------------------------- dtypes */

static const struct {
    const char *name;
    locant_dtype dtype;
} dtypes[] = {
    { "F32", LOCANT_F32 },   { "F64", LOCANT_F64 }, { "F16", LOCANT_F16 },
    { "BF16", LOCANT_BF16 }, { "I32", LOCANT_I32 }, { "I64", LOCANT_I64 },
};
enum { DTYPES = sizeof dtypes / sizeof dtypes[0] };

const char *lct_tensors_dtype(locant_dtype dtype)
{
    for (int i = 0; i < DTYPES; i++)
        if (dtypes[i].dtype == dtype)
            return dtypes[i].name;
    return NULL;
}

/* Is a equal to b, which has no lower case, up to case? */
static bool same_letters(const char *a, const char *b)
{
    for (; *a != 0 && *b != 0; a++, b++)
        if ((*a >= 'a' && *a <= 'z' ? *a - 'a' + 'A' : *a) != *b)
            return false;
    return *a == *b;
}

static locant_status unknown_dtype(const struct lct_json *r, const char *name,
                                   bool any_number)
{
    char found[LCT_QUOTE_BYTES];
    const char *near = NULL;

    for (int i = 0; i < DTYPES; i++)
        if (same_letters(name, dtypes[i].name))
            near = dtypes[i].name;
    return locant_fail(
        LOCANT_ERR_UNSUPPORTED, "%s: header: %sdtype: '%s'%s%s%s; known: %s",
        r->file, r->where, lct_quote(found, name, strlen(name)),
        near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "",
        any_number ? lct_number_safetensors_names()
                   : "F32 F64 F16 BF16 I32 I64");
}

static locant_status read_dtype(struct lct_entry *e, struct lct_json *r,
                                bool any_number)
{
    locant_status status = LOCANT_OK;
    bool known = any_number;
    const char *name;
    json_t *value;

    LCT_TRY(lct_json_value(&value, r, JSON_STRING, "dtype"));
    name = json_string_value(value);
    e->type = lct_number_safetensors(name);
    for (int i = 0; i < DTYPES; i++)
        if (strcmp(name, dtypes[i].name) == 0) {
            e->tensor.dtype = dtypes[i].dtype;
            known = true;
        }
    if (e->type == NULL || !known)
        status = unknown_dtype(r, name, any_number);
    json_decref(value);
    return status;
}

/* ------------------------------------------------------------------ numbers */

/* Read an array of 'n' sizes, each at least 0. */
static locant_status read_sizes(int64_t *out, struct lct_json *r,
                                const char *what, size_t n)
{
    size_t at = r->at;
    json_t *value, *item;
    locant_status status = LOCANT_OK;

    LCT_TRY(lct_json_value(&value, r, JSON_ARRAY, what));
    for (size_t i = 0; i < n && status == LOCANT_OK; i++) {
        item = json_array_get(value, i);
        out[i] = json_integer_value(item);
        if (!json_is_integer(item))
            status = lct_json_fail(r, at, "%s[%zu]: is no integer", what, i);
        else if (out[i] < 0)
            status = lct_json_fail(r, at, "%s[%zu]: %lld, 0 to 2^63-1 allowed",
                                   what, i, (long long)out[i]);
    }
    json_decref(value);
    return status;
}

/* *out = the number of members of the next value, which must be an array. */
static locant_status count(size_t *out, struct lct_json *r, const char *what)
{
    struct lct_extent x;
    json_t *value;

    if (lct_json_peek(r) != '[') {
        LCT_TRY(lct_json_value(&value, r, JSON_ARRAY, what));
        json_decref(value);
        return LOCANT_OK;
    }
    LCT_TRY(lct_json_measure(&x, r));
    *out = x.members;
    return LOCANT_OK;
}

static locant_status read_shape(struct lct_entry *e, struct lct_json *r)
{
    size_t n = 0;

    LCT_TRY(count(&n, r, "shape"));
    if (n > LOCANT_MAX_RANK)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: header[byte %zu]: %s"
                           "shape: %zu dimensions, at most %d are read",
                           r->file, r->base + r->at, r->where, n,
                           LOCANT_MAX_RANK);
    e->tensor.rank = (int32_t)n;
    return read_sizes(e->tensor.shape, r, "shape", n);
}

static locant_status read_offsets(struct lct_entry *e, struct lct_json *r,
                                  size_t data)
{
    int64_t range[2];
    size_t n = 0, at;

    LCT_TRY(count(&n, r, "data_offsets"));
    at = r->at;
    if (n != 2)
        return lct_json_fail(r, at, "data_offsets: %zu entries, 2 required", n);
    LCT_TRY(read_sizes(range, r, "data_offsets", 2));
    if (range[0] > range[1])
        return lct_json_fail(r, at,
                             "data_offsets: [%lld,%lld], the first is "
                             "above the second",
                             (long long)range[0], (long long)range[1]);
    if ((uint64_t)range[1] > data)
        return lct_json_fail(r, at,
                             "data_offsets: ends at %lld, the file "
                             "holds %zu bytes of data",
                             (long long)range[1], data);
    e->begin = (size_t)range[0];
    e->bytes = (size_t)(range[1] - range[0]);
    return LOCANT_OK;
}

/* -------------------------------------------------------------- the entry */

static const char *const fields[] = { "dtype", "shape", "data_offsets" };

struct limits {
    size_t data; /* bytes after the header */
    bool any_number;
};

static locant_status read_field(struct lct_entry *e, struct lct_json *r,
                                const struct limits *limits, const char *name,
                                unsigned *seen)
{
    json_t *ignored;
    unsigned k = 0;

    while (k < 3 && strcmp(name, fields[k]) != 0)
        k++;
    if (k < 3 && *seen & 1u << k)
        return lct_json_fail(r, r->at, "field '%s' a second time", fields[k]);
    *seen |= 1u << k;
    if (k == 0)
        return read_dtype(e, r, limits->any_number);
    if (k == 1)
        return read_shape(e, r);
    if (k == 2)
        return read_offsets(e, r, limits->data);
    LCT_TRY(lct_json_value(&ignored, r, JSON_NULL, name));
    json_decref(ignored);
    return LOCANT_OK;
}

static locant_status check_entry(const struct lct_entry *e,
                                 const struct lct_json *r, unsigned seen)
{
    size_t at = e->at - r->base, bytes;

    for (unsigned k = 0; k < 3; k++)
        if (!(seen & 1u << k))
            return lct_json_fail(r, at, "lacks '%s'", fields[k]);
    if (!lct_array_bytes(&bytes, e->tensor.shape, e->tensor.rank,
                         e->type->bytes))
        return lct_json_fail(r, at, "the product of shape overflows");
    if (bytes != e->bytes)
        return lct_json_fail(r, at,
                             "its shape needs %zu bytes, data_offsets has %zu",
                             bytes, e->bytes);
    return LOCANT_OK;
}

locant_status lct_tensors_entry(struct lct_entry *e, struct lct_json *r,
                                size_t data, bool any_number)
{
    const struct limits limits = { data, any_number };
    unsigned seen = 0;
    int state = 0;

    for (;;) {
        locant_status status;
        json_t *field;
        size_t at;

        LCT_TRY(lct_json_member(&field, &at, &state, r));
        if (field == NULL)
            return check_entry(e, r, seen);
        status = read_field(e, r, &limits, json_string_value(field), &seen);
        json_decref(field);
        LCT_TRY(status);
    }
}

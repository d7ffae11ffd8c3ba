/*
 * tensors_text.c - the header of a safetensors file as text
 *
 * It is padded to a multiple of 8 bytes, so that each tensor of a file whose
 * tensors are sorted by the size of their elements is aligned to these.
 */
#include "../core/quote.h"
#include "tensors.h"
#include "utf8.h"
#include <jansson.h>
#include <string.h>

static locant_status no_memory(const char *fn)
{
    return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for the header", fn);
}

/* Set a member of the object, which takes ownership of the value. */
static locant_status put(const char *fn, json_t *object, const char *name,
                         json_t *value)
{
    char found[LCT_QUOTE_BYTES];

    if (!lct_is_utf8(name)) {
        json_decref(value);
        return locant_fail(LOCANT_ERR_PARAM, "%s: '%s' is not UTF-8", fn,
                           lct_quote(found, name, strlen(name)));
    }
    return json_object_set_new(object, name, value) == 0 ? LOCANT_OK
                                                         : no_memory(fn);
}

static json_t *entry(const struct lct_entry *e)
{
    const locant_tensor *t = &e->tensor;
    json_t *shape = json_array();

    for (int i = 0; i < t->rank; i++)
        json_array_append_new(shape, json_integer(t->shape[i]));
    if (json_array_size(shape) != (size_t)t->rank) {
        json_decref(shape);
        return NULL;
    }
    return json_pack("{s:s, s:o, s:[I,I]}", "dtype", e->type->name, "shape",
                     shape, "data_offsets", (json_int_t)e->begin,
                     (json_int_t)(e->begin + e->bytes));
}

static locant_status put_metadata(const char *fn, json_t *root,
                                  const char *const *metadata, size_t n)
{
    json_t *pairs = json_object();

    if (pairs == NULL || json_object_set_new(root, "__metadata__", pairs) != 0)
        return no_memory(fn);
    for (size_t i = 0; i < n; i++) {
        const char *key = metadata[2 * i], *value = metadata[2 * i + 1];
        char found[LCT_QUOTE_BYTES];

        if (key == NULL || value == NULL)
            return locant_fail(LOCANT_ERR_NULL,
                               "%s: metadata pair %zu has a NULL", fn, i);
        lct_quote(found, key, strlen(key));
        if (json_object_get(pairs, key) != NULL)
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: metadata key '%s' comes twice", fn, found);
        if (!lct_is_utf8(key) || !lct_is_utf8(value))
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: metadata key '%s' or its "
                               "value is not UTF-8",
                               fn, found);
        if (json_object_set_new(pairs, key, json_string(value)) != 0)
            return no_memory(fn);
    }
    return LOCANT_OK;
}

static locant_status put_all(const char *fn, json_t *root,
                             const struct lct_entry *items, size_t n,
                             const char *const *metadata, size_t n_metadata)
{
    if (root == NULL)
        return no_memory(fn);
    if (n_metadata > 0)
        LCT_TRY(put_metadata(fn, root, metadata, n_metadata));
    for (size_t i = 0; i < n; i++)
        LCT_TRY(put(fn, root, items[i].name, entry(&items[i])));
    return LOCANT_OK;
}

/* The length, the text and the spaces behind it, in one piece of memory. */
static locant_status frame(char **out, size_t *size, const char *fn,
                           const char *header)
{
    const size_t length = strlen(header), padded = (length + 7) / 8 * 8;

    if (padded > LCT_TENSORS_HEADER_MAX)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: the header would have %zu "
                           "bytes, at most %d allowed",
                           fn, padded, LCT_TENSORS_HEADER_MAX);
    *size = 8 + padded;
    *out = locant_alloc(*size);
    if (*out == NULL)
        return no_memory(fn);
    for (int i = 0; i < 8; i++)
        (*out)[i] = (char)((uint64_t)padded >> 8 * i);
    memset(*out + 8, ' ', padded);
    memcpy(*out + 8, header, length);
    return LOCANT_OK;
}

locant_status lct_tensors_text(char **out, size_t *size, const char *fn,
                               const struct lct_entry *entries, size_t n,
                               const char *const *metadata, size_t n_metadata)
{
    json_t *root = json_object();
    locant_status status = put_all(fn, root, entries, n, metadata, n_metadata);
    json_free_t release;
    char *header = NULL;

    *out = NULL;
    if (status == LOCANT_OK) {
        header = json_dumps(root, JSON_COMPACT);
        status = header != NULL ? frame(out, size, fn, header) : no_memory(fn);
    }
    json_get_alloc_funcs(NULL, &release);
    if (header != NULL)
        release(header);
    json_decref(root);
    return status;
}

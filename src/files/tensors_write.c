/*
 * tensors_write.c - write safetensors files.
 *
 * Tensors are sorted by decreasing size of their elements, then by name.  The
 * header is padded to a multiple of 8 bytes, so each tensor is aligned to its
 * elements.
 */
#include "../core/quote.h"
#include "../core/size.h"
#include "dense.h"
#include "io.h"
#include "npy.h"
#include "tensors.h"
#include "utf8.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char fn[] = "locant_tensors_write";

/* A tensor to be written, and its range in the data. */
struct item {
    const locant_named_tensor *named;
    size_t begin, bytes;
};

static locant_status no_memory(void)
{
    return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for the header", fn);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct item *)a)->named->name,
                  ((const struct item *)b)->named->name);
}

static int compare_places(const void *a, const void *b)
{
    size_t x = locant_dtype_size(((const struct item *)a)->named->tensor.dtype);
    size_t y = locant_dtype_size(((const struct item *)b)->named->tensor.dtype);

    if (x != y)
        return x > y ? -1 : 1;
    return compare_names(a, b);
}

/* Fail unless names are valid and distinct; 'items' is sorted by name. */
static locant_status check_names(const struct item *items, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *name = items[i].named->name;
        char found[LCT_QUOTE_BYTES];

        lct_quote(found, name, strlen(name));
        if (*name == 0 || strlen(name) > LCT_TENSORS_NAME_MAX)
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: a tensor has a name of "
                               "%zu bytes, 1 to %d allowed",
                               fn, strlen(name), LCT_TENSORS_NAME_MAX);
        if (strcmp(name, "__metadata__") == 0)
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: a tensor is named '%s', "
                               "which is the metadata's",
                               fn, name);
        if (i > 0 && strcmp(name, items[i - 1].named->name) == 0)
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: two tensors are named '%s'", fn, found);
    }
    return LOCANT_OK;
}

/* Check the tensors, sort them into 'items' and assign their ranges. */
static locant_status place(struct item *items,
                           const locant_named_tensor *tensors, size_t n)
{
    size_t at = 0;

    for (size_t i = 0; i < n; i++) {
        char found[LCT_QUOTE_BYTES];
        const char *name = tensors[i].name;

        if (name == NULL)
            return locant_fail(LOCANT_ERR_NULL,
                               "%s: the name of tensor %zu is NULL", fn, i);
        items[i].named = &tensors[i];
        LCT_TRY(lct_dense_bytes(&items[i].bytes, fn,
                                lct_quote(found, name, strlen(name)),
                                &tensors[i].tensor));
    }
    qsort(items, n, sizeof *items, compare_names);
    LCT_TRY(check_names(items, n));
    qsort(items, n, sizeof *items, compare_places);
    for (size_t i = 0; i < n; i++) {
        items[i].begin = at;
        if (!lct_add(&at, at, items[i].bytes))
            return locant_fail(LOCANT_ERR_SHAPE,
                               "%s: the tensors have more "
                               "bytes than a file can",
                               fn);
    }
    return LOCANT_OK;
}

/* ------------------------------------------------------------------- header */

/* Set a member of the object, which takes ownership of the value. */
static locant_status put(json_t *object, const char *name, json_t *value)
{
    char found[LCT_QUOTE_BYTES];

    if (!lct_is_utf8(name)) {
        json_decref(value);
        return locant_fail(LOCANT_ERR_PARAM, "%s: '%s' is not UTF-8", fn,
                           lct_quote(found, name, strlen(name)));
    }
    return json_object_set_new(object, name, value) == 0 ? LOCANT_OK
                                                         : no_memory();
}

static json_t *entry(const struct item *item)
{
    const locant_tensor *t = &item->named->tensor;
    json_t *shape = json_array();

    for (int i = 0; i < t->rank; i++)
        json_array_append_new(shape, json_integer(t->shape[i]));
    if (json_array_size(shape) != (size_t)t->rank) {
        json_decref(shape);
        return NULL;
    }
    return json_pack("{s:s, s:o, s:[I,I]}", "dtype",
                     lct_tensors_dtype(t->dtype), "shape", shape,
                     "data_offsets", (json_int_t)item->begin,
                     (json_int_t)(item->begin + item->bytes));
}

static locant_status put_metadata(json_t *root, const char *const *metadata,
                                  size_t n)
{
    json_t *pairs = json_object();

    if (pairs == NULL || json_object_set_new(root, "__metadata__", pairs) != 0)
        return no_memory();
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
            return no_memory();
    }
    return LOCANT_OK;
}

static locant_status put_all(json_t *root, const struct item *items, size_t n,
                             const char *const *metadata, size_t n_metadata)
{
    if (root == NULL)
        return no_memory();
    if (n_metadata > 0)
        LCT_TRY(put_metadata(root, metadata, n_metadata));
    for (size_t i = 0; i < n; i++)
        LCT_TRY(put(root, items[i].named->name, entry(&items[i])));
    return LOCANT_OK;
}

/* -------------------------------------------------------------------- file */

static locant_status write_pieces(const char *path, const char *header,
                                  const struct item *items, size_t n)
{
    size_t length = strlen(header), padded = (length + 7) / 8 * 8;
    unsigned char prefix[8];
    struct lct_piece *pieces;
    locant_status status;

    if (padded > LCT_TENSORS_HEADER_MAX)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: the header would have %zu "
                           "bytes, at most %d allowed",
                           fn, padded, LCT_TENSORS_HEADER_MAX);
    pieces = locant_alloc((n + 3) * sizeof *pieces);
    if (pieces == NULL)
        return no_memory();
    for (int i = 0; i < 8; i++)
        prefix[i] = (unsigned char)((uint64_t)padded >> 8 * i);
    pieces[0] = (struct lct_piece){ prefix, 8 };
    pieces[1] = (struct lct_piece){ header, length };
    pieces[2] = (struct lct_piece){ "       ", padded - length };
    for (size_t i = 0; i < n; i++)
        pieces[3 + i] =
            (struct lct_piece){ items[i].named->tensor.data, items[i].bytes };
    status = lct_write_file(path, pieces, n + 3);
    locant_release(pieces);
    return status;
}

static locant_status write_items(const char *path, const struct item *items,
                                 size_t n, const char *const *metadata,
                                 size_t n_metadata)
{
    json_t *root = json_object();
    locant_status status = put_all(root, items, n, metadata, n_metadata);
    json_free_t release;
    char *header = NULL;

    if (status == LOCANT_OK) {
        header = json_dumps(root, JSON_COMPACT);
        status =
            header != NULL ? write_pieces(path, header, items, n) : no_memory();
    }
    json_get_alloc_funcs(NULL, &release);
    if (header != NULL)
        release(header);
    json_decref(root);
    return status;
}

locant_status locant_tensors_write(const char *path,
                                   const locant_named_tensor *tensors, size_t n,
                                   const char *const *metadata,
                                   size_t n_metadata)
{
    struct item *items;
    locant_status status;
    size_t bytes;

    if (path == NULL || (tensors == NULL && n > 0) ||
        (metadata == NULL && n_metadata > 0))
        return locant_fail(LOCANT_ERR_NULL, "%s: %s is NULL", fn,
                           path == NULL               ? "path"
                           : tensors == NULL && n > 0 ? "tensors"
                                                      : "metadata");
    if (lct_npy_native() != '<')
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: safetensors is "
                           "little-endian, this machine is not",
                           fn);
    items = lct_mul(&bytes, n, sizeof *items) ? locant_alloc(bytes + 1) : NULL;
    if (items == NULL)
        return no_memory();
    status = place(items, tensors, n);
    if (status == LOCANT_OK)
        status = write_items(path, items, n, metadata, n_metadata);
    locant_release(items);
    return status;
}

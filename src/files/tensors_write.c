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
#include <stdlib.h>
#include <string.h>

static const char fn[] = "locant_tensors_write";

static locant_status no_memory(void)
{
    return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for the header", fn);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct lct_entry *)a)->name,
                  ((const struct lct_entry *)b)->name);
}

static int compare_places(const void *a, const void *b)
{
    size_t x = locant_dtype_size(((const struct lct_entry *)a)->tensor.dtype);
    size_t y = locant_dtype_size(((const struct lct_entry *)b)->tensor.dtype);

    if (x != y)
        return x > y ? -1 : 1;
    return compare_names(a, b);
}

/* Fail unless names are valid and distinct; 'items' is sorted by name. */
static locant_status check_names(const struct lct_entry *items, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *name = items[i].name;
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
        if (i > 0 && strcmp(name, items[i - 1].name) == 0)
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: two tensors are named '%s'", fn, found);
    }
    return LOCANT_OK;
}

/* Check the tensors, sort them into 'items' and assign their ranges. */
static locant_status place(struct lct_entry *items,
                           const locant_named_tensor *tensors, size_t n)
{
    size_t at = 0;

    for (size_t i = 0; i < n; i++) {
        char found[LCT_QUOTE_BYTES];
        const char *name = tensors[i].name;

        if (name == NULL)
            return locant_fail(LOCANT_ERR_NULL,
                               "%s: the name of tensor %zu is NULL", fn, i);
        items[i].name = name;
        items[i].tensor = tensors[i].tensor;
        LCT_TRY(lct_dense_bytes(&items[i].bytes, fn,
                                lct_quote(found, name, strlen(name)),
                                &tensors[i].tensor));
        items[i].type =
            lct_number_safetensors(lct_tensors_dtype(tensors[i].tensor.dtype));
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

/* -------------------------------------------------------------------- file */

static locant_status write_items(const char *path,
                                 const struct lct_entry *items, size_t n,
                                 const char *const *metadata, size_t n_metadata)
{
    struct lct_piece *pieces = locant_alloc((n + 1) * sizeof *pieces);
    locant_status status;
    size_t length = 0;
    char *text = NULL;

    if (pieces == NULL)
        return no_memory();
    status =
        lct_tensors_text(&text, &length, fn, items, n, metadata, n_metadata);
    if (status == LOCANT_OK) {
        pieces[0] = (struct lct_piece){ text, length };
        for (size_t i = 0; i < n; i++)
            pieces[1 + i] =
                (struct lct_piece){ items[i].tensor.data, items[i].bytes };
        status = lct_write_file(path, pieces, n + 1);
    }
    locant_release(text);
    locant_release(pieces);
    return status;
}

locant_status locant_tensors_write(const char *path,
                                   const locant_named_tensor *tensors, size_t n,
                                   const char *const *metadata,
                                   size_t n_metadata)
{
    struct lct_entry *items;
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

/* npy.c - arrays from .npy files; the header's grammar is in npy_header.c */
#include "npy.h"
#include "../core/size.h"
#include "io.h"
#include "locant/files.h"
#include "path.h"
#include <string.h>

/* Bytes of the elements, which must be exactly what is left of the file. */
static locant_status check_data(size_t *bytes, const struct lct_npy *h,
                                const char *file, size_t size)
{
    size_t have = size - h->data;

    file = lct_path_tail(file);
    if (!lct_array_bytes(bytes, h->shape, h->rank, locant_dtype_size(h->dtype)))
        return locant_fail(LOCANT_ERR_FORMAT, "%s: header: shape: the product "
                           "of the sizes overflows", file);
    if (have < *bytes)
        return locant_fail(LOCANT_ERR_FORMAT, "%s: truncated: %zu bytes of "
                           "data needed, %zu present", file, *bytes, have);
    if (have > *bytes)
        return locant_fail(LOCANT_ERR_FORMAT, "%s: byte %zu: the data ends "
                           "here, the file %zu bytes later", file,
                           h->data + *bytes, have - *bytes);
    return LOCANT_OK;
}

/*
 * Copy elements of the file, whatever their order, into a dense row-major
 * array.  'index' counts through the output, last dimension fastest; 'at' is
 * the element of the input it stands for.
 */
static void gather(char *out, const char *in, const struct lct_npy *h,
                   size_t bytes)
{
    size_t item = locant_dtype_size(h->dtype), at = 0;
    size_t step[LOCANT_MAX_RANK], span = 1;
    int64_t index[LOCANT_MAX_RANK] = { 0 };

    for (int k = 0; k < h->rank; k++) {
        int i = h->fortran ? k : h->rank - 1 - k;

        step[i] = span;
        span *= (size_t)h->shape[i];
    }
    for (size_t done = 0; done < bytes; done += item) {
        int i = h->rank - 1;

        for (size_t b = 0; b < item; b++)
            out[done + b] = in[at * item + (h->swap ? item - 1 - b : b)];
        for (; i >= 0 && ++index[i] == h->shape[i]; i--) {
            index[i] = 0;
            at -= step[i] * (size_t)(h->shape[i] - 1);
        }
        if (i >= 0)
            at += step[i];
    }
}

static bool is_dense(const struct lct_npy *h)
{
    return !h->swap && (!h->fortran || h->rank < 2);
}

static locant_status copy(locant_array *out, const struct lct_npy *h,
                          const char *in, size_t bytes, const char *file)
{
    char *memory = locant_alloc(bytes > 0 ? bytes : 1);

    if (memory == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for %zu bytes of "
                           "data", lct_path_tail(file), bytes);
    if (!is_dense(h))
        gather(memory, in, h, bytes);
    else if (bytes > 0)
        memcpy(memory, in, bytes);
    out->memory = memory;
    out->tensor = locant_dense(memory, h->dtype, h->rank, h->shape);
    return LOCANT_OK;
}

locant_status locant_npy_parse(locant_array *out, const void *bytes,
                               size_t size, const char *name)
{
    struct lct_npy h;
    size_t data;

    if (out == NULL || name == NULL || (bytes == NULL && size > 0))
        return locant_fail(LOCANT_ERR_NULL, "locant_npy_parse: %s is NULL",
                           out == NULL ? "out" : name == NULL ? "name"
                                                              : "bytes");
    LCT_TRY(lct_npy_header(&h, name, bytes, size));
    LCT_TRY(check_data(&data, &h, name, size));
    return copy(out, &h, (const char *)bytes + h.data, data, name);
}

/* Keep the file's own memory where its elements can be used as they lie. */
static locant_status take(locant_array *out, char *bytes, size_t size,
                          const char *path)
{
    struct lct_npy h;
    size_t data;

    LCT_TRY(lct_npy_header(&h, path, bytes, size));
    LCT_TRY(check_data(&data, &h, path, size));
    if (!is_dense(&h) || h.data % locant_dtype_size(h.dtype) != 0) {
        LCT_TRY(copy(out, &h, bytes + h.data, data, path));
        locant_release(bytes);
        return LOCANT_OK;
    }
    out->memory = bytes;
    out->tensor = locant_dense(bytes + h.data, h.dtype, h.rank, h.shape);
    return LOCANT_OK;
}

locant_status locant_npy_read(locant_array *out, const char *path)
{
    locant_status status;
    void *bytes;
    size_t size;

    if (out == NULL || path == NULL)
        return locant_fail(LOCANT_ERR_NULL, "locant_npy_read: %s is NULL",
                           out == NULL ? "out" : "path");
    LCT_TRY(lct_read_file(&bytes, &size, path, PTRDIFF_MAX));
    status = take(out, bytes, size, path);
    if (status != LOCANT_OK)
        locant_release(bytes);
    return status;
}

void locant_array_free(locant_array *array)
{
    if (array == NULL)
        return;
    locant_release(array->memory);
    memset(array, 0, sizeof *array);
}

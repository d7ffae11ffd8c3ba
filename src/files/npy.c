/* npy.c - read arrays from .npy files; npy_header.c parses the header */
#include "npy.h"
#include "../core/size.h"
#include "locant/files.h"
#include "path.h"
#include "source.h"
#include <string.h>

/* *bytes = bytes of the elements, which must be the rest of the file. */
static locant_status check_data(size_t *bytes, const struct lct_npy *h,
                                const char *file, size_t size)
{
    size_t have = size - h->data;

    file = lct_path_tail(file);
    if (!lct_array_bytes(bytes, h->shape, h->rank, locant_dtype_size(h->dtype)))
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: header: shape: the product "
                           "of the sizes overflows",
                           file);
    if (have < *bytes)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: truncated: %zu bytes of "
                           "data needed, %zu present",
                           file, *bytes, have);
    if (have > *bytes)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: byte %zu: the data ends "
                           "here, the file %zu bytes later",
                           file, h->data + *bytes, have - *bytes);
    return LOCANT_OK;
}

/*
 * Copy the elements of the file, in its order, into a dense row-major array.
 * 'index' counts through the output, last dimension fastest; the input has this
 * element at 'at'.
 */
static void reorder(char *out, const char *in, const struct lct_npy *h,
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

static locant_status no_memory(const char *file, size_t bytes)
{
    return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for %zu bytes of data",
                       lct_path_tail(file), bytes);
}

/* Load the elements, and reorder them if the order of the file differs. */
static locant_status load(locant_array *out, const struct lct_npy *h,
                          const struct lct_source *s, size_t bytes)
{
    void *memory;

    LCT_TRY(lct_source_load(&memory, s, h->data, bytes));
    if (!is_dense(h)) {
        char *ordered = locant_alloc(bytes);

        if (ordered != NULL)
            reorder(ordered, memory, h, bytes);
        locant_release(memory);
        if (ordered == NULL)
            return no_memory(s->name, bytes);
        memory = ordered;
    }
    out->memory = memory;
    out->tensor = locant_dense(memory, h->dtype, h->rank, h->shape);
    return LOCANT_OK;
}

static locant_status read_header(struct lct_npy *h, const struct lct_source *s)
{
    char frame[LCT_NPY_FRAME];
    locant_status status;
    void *text;
    size_t end = 0;

    LCT_TRY(lct_source_copy(frame, s, 0,
                            s->size < sizeof frame ? s->size : sizeof frame));
    LCT_TRY(lct_npy_frame(&end, s->name, frame, s->size));
    LCT_TRY(lct_source_load(&text, s, 0, end));
    status = lct_npy_header(h, s->name, text, end);
    locant_release(text);
    return status;
}

static locant_status read_array(locant_array *out, const struct lct_source *s)
{
    struct lct_npy h;
    size_t bytes = 0;

    LCT_TRY(read_header(&h, s));
    LCT_TRY(check_data(&bytes, &h, s->name, s->size));
    return load(out, &h, s, bytes);
}

locant_status locant_npy_parse(locant_array *out, const void *bytes,
                               size_t size, const char *name)
{
    LCT_NOT_NULL("locant_npy_parse", out);
    LCT_NOT_NULL("locant_npy_parse", name);
    if (size > 0)
        LCT_NOT_NULL("locant_npy_parse", bytes);
    return read_array(out, &(struct lct_source){ .name = name,
                                                 .bytes = size > 0 ? bytes : "",
                                                 .size = size });
}

locant_status locant_npy_read(locant_array *out, const char *path)
{
    struct lct_source s;
    locant_status status;

    LCT_NOT_NULL("locant_npy_read", out);
    LCT_NOT_NULL("locant_npy_read", path);
    LCT_TRY(lct_source_open(&s, path));
    status = read_array(out, &s);
    lct_source_close(&s);
    return status;
}

void locant_array_free(locant_array *array)
{
    if (array == NULL)
        return;
    locant_release(array->memory);
    memset(array, 0, sizeof *array);
}

/* dense.c - see dense.h */
#include "dense.h"
#include "../core/size.h"
#include <inttypes.h>

locant_status lct_dense_bytes(size_t *bytes, const char *fn, const char *arg,
                              const locant_tensor *t)
{
    size_t item = locant_dtype_size(t->dtype);
    int64_t stride = 1;

    if (item == 0)
        return locant_fail(LOCANT_ERR_DTYPE, "%s: %s has the unknown dtype %d",
                           fn, arg, (int)t->dtype);
    if (t->dtype == LOCANT_U8) /* of masks and quantised caches */
        return locant_fail(LOCANT_ERR_DTYPE,
                           "%s: %s is u8, expected f32, f16, bf16, f64, i32 or "
                           "i64",
                           fn, arg);
    if (t->rank < 0 || t->rank > LOCANT_MAX_RANK)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: %s has %d dimensions, 0 to %d allowed", fn, arg,
                           (int)t->rank, LOCANT_MAX_RANK);
    if (!lct_array_bytes(bytes, t->shape, t->rank, item))
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: %s has a negative size or "
                           "more bytes than memory can have",
                           fn, arg);
    if (*bytes > 0 && t->data == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: the data of %s is NULL", fn,
                           arg);
    for (int i = t->rank - 1; i >= 0 && *bytes > 0; i--) {
        if (t->shape[i] != 1 && t->stride[i] != stride)
            return locant_fail(LOCANT_ERR_LAYOUT,
                               "%s: %s has stride %" PRId64
                               " in dimension %d, a dense array %" PRId64,
                               fn, arg, t->stride[i], i, stride);
        stride *= t->shape[i];
    }
    return LOCANT_OK;
}

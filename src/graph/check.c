/* check.c - check the arrays of graph functions: liblocant does not export its
   own checks */
#include "../core/size.h"
#include "../files/dense.h"
#include "graph.h"
#include <inttypes.h>

static locant_status check_kind(const char *fn, const char *arg,
                                const locant_tensor *t,
                                const locant_dtype *allowed, int rank)
{
    if (t == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: %s is NULL", fn, arg);
    if (t->dtype != allowed[0] && t->dtype != allowed[1])
        return locant_fail(
            LOCANT_ERR_DTYPE, "%s: %s is %s, expected %s%s%s", fn, arg,
            locant_dtype_name(t->dtype), locant_dtype_name(allowed[0]),
            allowed[1] != allowed[0] ? " or " : "",
            allowed[1] != allowed[0] ? locant_dtype_name(allowed[1]) : "");
    if (t->rank != rank)
        return locant_fail(LOCANT_ERR_SHAPE, "%s: %s has rank %d, expected %d",
                           fn, arg, (int)t->rank, rank);
    return LOCANT_OK;
}

locant_status lct_graph_check(const char *fn, const char *arg,
                              const locant_tensor *t,
                              const locant_dtype allowed[2], int rank,
                              const int64_t *dims)
{
    size_t bytes;

    LCT_TRY(check_kind(fn, arg, t, allowed, rank));
    for (int i = 0; i < rank; i++)
        if (dims[i] >= 0 && t->shape[i] != dims[i])
            return locant_fail(LOCANT_ERR_SHAPE,
                               "%s: %s has size %" PRId64
                               " in dimension %d, expected %" PRId64,
                               fn, arg, t->shape[i], i, dims[i]);
    LCT_TRY(lct_dense_bytes(&bytes, fn, arg, t));
    if ((uintptr_t)t->data % locant_dtype_size(t->dtype) != 0)
        return locant_fail(LOCANT_ERR_LAYOUT,
                           "%s: the data of %s is not "
                           "aligned to its %zu-byte elements",
                           fn, arg, locant_dtype_size(t->dtype));
    return LOCANT_OK;
}

static size_t bytes_of(const locant_tensor *t)
{
    size_t bytes = 0;

    return lct_array_bytes(&bytes, t->shape, t->rank,
                           locant_dtype_size(t->dtype))
               ? bytes
               : 0;
}

locant_status lct_graph_apart(const char *fn, const char *names,
                              const locant_tensor *a, const locant_tensor *b)
{
    uintptr_t x = (uintptr_t)a->data, y = (uintptr_t)b->data;

    if (bytes_of(a) == 0 || bytes_of(b) == 0 || x + bytes_of(a) <= y ||
        y + bytes_of(b) <= x)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_ALIAS, "%s: %s share memory", fn, names);
}

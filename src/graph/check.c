/* check.c - checks of arrays of graphs; see lct_graph_check() */
#include "graph.h"

locant_status lct_graph_check(const char *fn, const char *arg,
                              const locant_tensor *t, unsigned dtypes, int rank,
                              const int64_t *dims)
{
    LCT_TRY(lct_check(fn, arg, t, dtypes, rank, dims));
    return lct_check_dense(fn, arg, t);
}

static size_t bytes_of(const locant_tensor *t)
{
    return lct_elements(t) * locant_dtype_size(t->dtype);
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

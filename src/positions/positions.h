/* positions.h - check and access the tensors of position ids */
#ifndef LCT_POSITIONS_H
#define LCT_POSITIONS_H
#include "../core/tensor.h"
#include "locant/positions.h"
#include <inttypes.h>
#include <stdbool.h>

/* Check an output of I64 with 'rank' sizes 'dims'; -1 allows any size. */
static inline locant_status lct_check_ids(const char *fn, const char *arg,
                                          const locant_tensor *out, int rank,
                                          const int64_t *dims)
{
    LCT_TRY(lct_check(fn, arg, out, LCT_IN_I64, rank, dims));
    return lct_check_output(fn, arg, out);
}

/* Row b of a matrix, or a vector (b = 0), of I64. */
static inline int64_t *lct_ids_row(const locant_tensor *t, int64_t b)
{
    return lct_at(t, &b, t->rank - 1);
}

/* Element i of row b of a matrix, or of a vector (b = 0), of I32 or I64. */
static inline int64_t lct_integer(const locant_tensor *t, int64_t b, int64_t i)
{
    const void *row = lct_at(t, &b, t->rank - 1);

    return t->dtype == LOCANT_I32 ? ((const int32_t *)row)[i]
                                  : ((const int64_t *)row)[i];
}

/* Check that value is at least 'least'. */
static inline locant_status lct_check_least(const char *fn, const char *arg,
                                            int64_t value, int64_t least)
{
    if (value >= least)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_PARAM,
                       "%s: %s is %" PRId64 ", expected at "
                       "least %" PRId64,
                       fn, arg, value, least);
}

/* Check a size of segment i. */
static inline locant_status lct_check_segment(const char *fn, size_t i,
                                              const char *name, int64_t value,
                                              int64_t least)
{
    if (value >= least)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_PARAM,
                       "%s: %s of segment %zu is %" PRId64
                       ", expected at least %" PRId64,
                       fn, name, i, value, least);
}

static inline int64_t lct_larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* *out += a * b for a, b >= 0; false if it overflows. */
static inline bool lct_add_product(int64_t *out, int64_t a, int64_t b)
{
    int64_t product;

    return !__builtin_mul_overflow(a, b, &product) &&
           !__builtin_add_overflow(*out, product, out);
}
#endif

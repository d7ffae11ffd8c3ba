/* rectangle.h - a caller's tensor [B|1, H|1, T|1, S|1], read by tiles */
#ifndef LCT_ATTENTION_RECTANGLE_H
#define LCT_ATTENTION_RECTANGLE_H
#include "request.h"

/* The elements for queries i, i + 1, .. and keys j, j + 1, .. of one head. */
struct lct_rectangle {
    char *at;             /* element i, j */
    int64_t down, across; /* bytes to the next query, to the next key; 0 where
                             all queries, or keys, share an element */
};

/* Bytes of a step in dimension n, in which a size of 1 is broadcast. */
static inline int64_t lct_rectangle_step(const locant_tensor *x, int n)
{
    return x->shape[n] == 1
               ? 0
               : x->stride[n] * (int64_t)locant_dtype_size(x->dtype);
}

/* 'at' = b, h, i, j */
static inline struct lct_rectangle lct_rectangle_of(const locant_tensor *x,
                                                    const int64_t at[4])
{
    struct lct_rectangle r = { .at = x->data,
                               .down = lct_rectangle_step(x, 2),
                               .across = lct_rectangle_step(x, 3) };

    for (int n = 0; n < 4; n++)
        r.at += at[n] * lct_rectangle_step(x, n);
    return r;
}

/* Check dtype, strides, and that each size is 1 or that of the request. */
locant_status lct_rectangle_check(const struct lct_request *r, const char *name,
                                  const locant_tensor *x, unsigned dtypes);
#endif

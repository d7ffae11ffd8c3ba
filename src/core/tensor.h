/* tensor.h - checks of the tensors that public functions receive */
#ifndef LCT_TENSOR_H
#define LCT_TENSOR_H
#include "error.h"
#include <stdbool.h>

/* Sets of dtypes, for lct_check(). */
enum {
    LCT_IN_F32 = 1 << LOCANT_F32,
    LCT_IN_F16 = 1 << LOCANT_F16,
    LCT_IN_BF16 = 1 << LOCANT_BF16,
    LCT_IN_F64 = 1 << LOCANT_F64,
    LCT_IN_I32 = 1 << LOCANT_I32,
    LCT_IN_I64 = 1 << LOCANT_I64,
    LCT_IN_U8 = 1 << LOCANT_U8,
    LCT_IN_REAL = LCT_IN_F32 | LCT_IN_F64,
    LCT_IN_FLOAT = LCT_IN_REAL | LCT_IN_F16 | LCT_IN_BF16
};

/*
 * Check one argument.  'dtypes' is a set of the above; 'dims' lists expected
 * sizes, outermost first, -1 for any.  The last dimension must be dense
 * (stride 1) unless it has at most one element.  Sizes and byte offsets must
 * not overflow.  'fn' and 'arg' name the argument in the message.
 */
locant_status lct_check(const char *fn, const char *arg, const locant_tensor *t,
                        unsigned dtypes, int rank, const int64_t *dims);

/* Fail unless t is empty or has the strides of a dense row-major array. */
locant_status lct_check_dense(const char *fn, const char *arg,
                              const locant_tensor *t);

/* Fail if 'out' has a stride that lets two elements share memory. */
locant_status lct_check_output(const char *fn, const char *arg,
                               const locant_tensor *out);

/*
 * Fail unless out and in share no byte.  Accepted are disjoint address ranges,
 * and views of equal strides that alternate in one buffer (packed q, k, v);
 * other interleaved views fail.
 */
locant_status lct_check_apart(const char *fn, const locant_tensor *out,
                              const locant_tensor *in);

/* Fail unless out and in share no byte or are the same view, shape included. */
locant_status lct_check_overlap(const char *fn, const locant_tensor *out,
                                const locant_tensor *in);

/* Does any dimension have size 0? */
bool lct_empty(const locant_tensor *t);

/* Product of the sizes of a tensor that lct_check() has passed. */
size_t lct_elements(const locant_tensor *t);

/* Address of element index[0], .., index[n-1], 0, .. */
void *lct_at(const locant_tensor *t, const int64_t *index, int n);
#endif

/* dense.h - check that a tensor is dense */
#ifndef LCT_DENSE_H
#define LCT_DENSE_H
#include "../core/error.h"

/*
 * Fail unless the tensor is a valid dense row-major array; *bytes is its size.
 * 'fn' and 'arg' are for the message.
 */
locant_status lct_dense_bytes(size_t *bytes, const char *fn, const char *arg,
                              const locant_tensor *t);
#endif

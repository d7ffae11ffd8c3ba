/* reference.h - attention in double, row by row; also the F64 path */
#ifndef LCT_REFERENCE_H
#define LCT_REFERENCE_H
#include "problem.h"

locant_status lct_reference_forward(const char *fn, locant_tensor *out,
                                    locant_tensor *lse,
                                    const locant_attention *a);
locant_status
lct_reference_backward(const char *fn, const locant_attention_gradients *g,
                       const locant_tensor *dout, const locant_tensor *out,
                       const locant_tensor *lse, const locant_attention *a);
#endif

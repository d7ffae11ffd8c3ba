/* outputs.h - what an attention call may be asked to write */
#ifndef LCT_ATTENTION_OUTPUTS_H
#define LCT_ATTENTION_OUTPUTS_H
#include "plan.h"

/* Check the tensors both forward and reference write. */
locant_status lct_outputs_check(const struct lct_plan *p,
                                const locant_attention *a,
                                const locant_tensor *out,
                                const locant_tensor *lse, unsigned dtypes);

/* Check what backward reads and writes. */
locant_status lct_outputs_check_gradients(const struct lct_plan *p,
                                          const locant_attention *a,
                                          const locant_attention_gradients *g,
                                          const locant_tensor *dout,
                                          const locant_tensor *out,
                                          const locant_tensor *lse,
                                          unsigned dtypes);

/* dx = 0, of any engine; NULL is allowed. */
void lct_outputs_clear_dx(const locant_tensor *dx);
#endif

/* outputs.h - check the tensors that an attention call writes */
#ifndef LCT_ATTENTION_OUTPUTS_H
#define LCT_ATTENTION_OUTPUTS_H
#include "plan.h"

/* Check the outputs of forward; 'dtypes' is the set that 'out' may have. */
locant_status lct_outputs_check(const struct lct_plan *p,
                                const locant_tensor *out,
                                const locant_tensor *lse, unsigned dtypes);

/* Check the outputs of backward, and the results of forward that it reads. */
locant_status lct_outputs_check_gradients(const struct lct_plan *p,
                                          const locant_attention_gradients *g,
                                          const locant_tensor *dout,
                                          const locant_tensor *out,
                                          const locant_tensor *lse,
                                          unsigned dtypes);

/* Set dx to 0 unless it is NULL. */
void lct_outputs_clear_dx(const locant_tensor *dx);
#endif

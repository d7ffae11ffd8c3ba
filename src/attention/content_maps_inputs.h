/* content_maps_inputs.h - gradients of what content_maps_tokens.h computes from
   the inputs of tokens */
#ifndef LCT_ATTENTION_CONTENT_MAPS_INPUTS_H
#define LCT_ATTENTION_CONTENT_MAPS_INPUTS_H
#include "content_maps_tokens.h"

/* Add the gradients dw and db of batch rows b .. b + rows - 1 to parameters and
 * to dx. */
void lct_content_maps_inputs_sum_chunk(const struct lct_plan *p,
                                       const locant_tensor *dx, bool learns,
                                       int64_t b, int64_t rows);
#endif

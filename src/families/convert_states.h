/*
 * convert_states.h - proof that a model without a pairing gives the states that
 * it gave before
 */
#ifndef LCT_CONVERT_STATES_H
#define LCT_CONVERT_STATES_H
#include "convert.h"

/*
 * The states of a text of 8 random tokens, none of which is padding, computed
 * in float32 from the model and from what was written.  *worst is the largest
 * difference, relative to the largest number.  Errors: FORMAT (it is above
 * LCT_CONVERT_TOLERANCE, or NaN), and those of locant_model_open() and
 * locant_model_logits().
 */
locant_status lct_convert_states(double *worst, const struct lct_convert *c);
#endif

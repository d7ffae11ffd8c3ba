/* positions_check.h - check the positions and coordinates of a call */
#ifndef LCT_ATTENTION_POSITIONS_CHECK_H
#define LCT_ATTENTION_POSITIONS_CHECK_H
#include "request.h"

/* Check positions, coordinates and documents; set their fields of r. */
locant_status lct_positions_check(struct lct_request *r);

/*
 * Refuse positions beyond the length limit of 'leaf'.  A part that only rotates
 * takes coordinates of one axis as positions; with several axes it accepts all.
 */
locant_status lct_positions_check_known(const struct lct_request *r,
                                        const locant_encoding *leaf,
                                        const locant_tensor *params);

/* Refuse later keys without a causal mask if 'leaf' does not define them. */
locant_status lct_positions_check_causal(const struct lct_request *r,
                                         const locant_encoding *leaf);

/* Refuse a query without a key at its position (in its document). */
locant_status lct_positions_check_own_keys(const struct lct_request *r,
                                           const locant_encoding *leaf);
#endif

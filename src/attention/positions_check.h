/* positions_check.h - what positions and coordinates attention refuses */
#ifndef LCT_ATTENTION_POSITIONS_CHECK_H
#define LCT_ATTENTION_POSITIONS_CHECK_H
#include "request.h"

/* Shapes of positions, coordinates and documents; sets what they decide. */
locant_status lct_positions_check(struct lct_request *r);

/*
 * Refuse positions that 'leaf' does not know.  Coordinates of one axis are
 * positions to a part that only rotates; it knows all of several axes.
 */
locant_status lct_positions_check_known(const struct lct_request *r,
                                        const locant_encoding *leaf,
                                        const locant_tensor *params);

/* What is defined for keys up to the query only must not see later ones. */
locant_status lct_positions_check_causal(const struct lct_request *r,
                                         const locant_encoding *leaf);

/* Is there, for each query, a key at its position (in its document)? */
locant_status lct_positions_check_own_keys(const struct lct_request *r,
                                           const locant_encoding *leaf);
#endif

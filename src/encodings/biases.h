/* biases.h - several score parts of a sum as one encoding */
#ifndef LCT_BIASES_H
#define LCT_BIASES_H
#include "encoding.h"

/* Make the encoding of all score parts of e, whose parts are known, if there
 * are several; it is released with e. */
locant_status lct_biases_make(locant_encoding *e);

/* That encoding; NULL: at most one part of e has the score door. */
const locant_encoding *lct_biases_of(const locant_encoding *e);

/* The arguments of its hooks: parameters are those of the parts' arguments,
 * part[n] of e->part[n]. */
struct lct_call lct_biases_call(const locant_encoding *e,
                                const struct lct_call *part);
#endif

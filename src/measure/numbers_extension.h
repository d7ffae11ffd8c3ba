/*
 * numbers_extension.h - what the makers of the numbers of reading beyond the
 * trained length share.
 */
#ifndef LCT_NUMBERS_EXTENSION_H
#define LCT_NUMBERS_EXTENSION_H
#include "extension.h"
#include "numbers.h"

struct lct_ext_maker {
    struct lct_numbers *n;
    const struct lct_extension *x;
    size_t seeds, blocks;
    double *room; /* [seeds, blocks] */
};

#define LCT_EXT_LEVEL .95 /* of all intervals */

/* Of a loss, or of what it is above another on the same blocks; of the seeds
   that have it, NAN where none has; only[seeds], unless NULL, leaves some
   out. */
locant_status lct_extension_interval(locant_interval *e,
                                     const struct lct_ext_maker *k,
                                     const double *loss, const double *other,
                                     const bool *only);

/* The same into 'to': nats per byte, or above another; above itself null. */
locant_status lct_extension_put_loss(const struct lct_ext_maker *k, json_t *to,
                                     const double *loss, const double *other);

/* "orderings" of 'all': what others found, and what was found here. */
locant_status lct_put_orderings(const struct lct_ext_maker *k,
                                json_t *all);
#endif

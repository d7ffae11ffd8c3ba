/*
 * numbers_extension.h - what the numbers of extension and surface share
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

#define LCT_EXT_LEVEL .95 /* level of all intervals */

/* Interval of a loss, or of its difference from another on the same blocks,
   over the seeds that have it; NAN if none has. only[seeds] (may be NULL)
   selects seeds. */
locant_status lct_extension_interval(locant_interval *e,
                                     const struct lct_ext_maker *k,
                                     const double *loss, const double *other,
                                     const bool *only);

/* Put it into 'to': nats per byte, or nats per byte above 'other'; null if
   'loss' is 'other'. */
locant_status lct_extension_put_loss(const struct lct_ext_maker *k, json_t *to,
                                     const double *loss, const double *other);

/* "orderings" of 'all': what papers report, and what was found here. */
locant_status lct_put_orderings(const struct lct_ext_maker *k, json_t *all);
#endif

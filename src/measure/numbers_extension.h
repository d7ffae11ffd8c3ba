/*
 * numbers_extension.h - what the numbers of extension and surface share
 */
#ifndef LCT_NUMBERS_EXTENSION_H
#define LCT_NUMBERS_EXTENSION_H
#include "extension.h"
#include "numbers.h"

/* The shape [seeds, blocks] of losses on the same blocks, and room for as
   many. */
struct lct_paired_losses {
    struct lct_numbers *n;
    size_t seeds, blocks;
    double *room;
};

/* Allocate the room; to be released. False: no memory, which is recorded. */
bool lct_extension_room(struct lct_paired_losses *k, struct lct_numbers *n,
                        int seeds, int64_t blocks);

/* Copy a loss into the room, minus another one unless that is NULL, of the
   seeds that have both. only[seeds] (may be NULL) selects seeds. Returns the
   number of seeds. */
size_t lct_extension_subtract(const struct lct_paired_losses *k,
                              const double *loss, const double *other,
                              const bool *only);

/* Put the interval of a loss, or of how much it is above 'other'; null if it is
   'other'. */
void lct_extension_put_loss(const struct lct_paired_losses *k, json_t *to,
                            const double *loss, const double *other);

/* Put "model" as text. */
void lct_extension_put_model(struct lct_numbers *n, json_t *to, int64_t layers,
                             int64_t width, int64_t heads, int64_t ff);

/* "orderings" of 'all': what papers report, and what was found here. */
void lct_put_orderings(const struct lct_paired_losses *k, json_t *all);
#endif

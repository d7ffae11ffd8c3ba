/* numbers_extension.h - puts losses of extension and surface, which compare
   runs on the same blocks */
#ifndef LCT_NUMBERS_EXTENSION_H
#define LCT_NUMBERS_EXTENSION_H
#include "extension.h"
#include "numbers.h"

/* The shape of losses [seeds, blocks] on the same blocks, and scratch of that
   shape for differences of them. */
struct lct_paired_losses {
    struct lct_numbers *n;
    size_t seeds, blocks;
    double *scratch;
};

/* Set the shape and allocate the scratch, which is to be released. False if
   there is no memory, which is recorded. */
bool lct_paired_alloc(struct lct_paired_losses *p, struct lct_numbers *n,
                      int seeds, int64_t blocks);

/* Put the interval of a loss, minus 'other' unless that is NULL; nulls if they
   are the same array. */
void lct_paired_put(const struct lct_paired_losses *p, json_t *to,
                    const double *loss, const double *other);

/* Put "model" as text. */
void lct_put_model(struct lct_numbers *n, json_t *to, int64_t layers,
                   int64_t width, int64_t heads, int64_t ff);

/* Put "orderings": how papers order methods, and the order found here. */
void lct_paired_put_orderings(const struct lct_paired_losses *p, json_t *all);
#endif

/* identities.h - identities that papers prove of encodings, checked on this
   machine */
#ifndef LCT_IDENTITIES_H
#define LCT_IDENTITIES_H
#include "../core/error.h"
#include <stdbool.h>

enum { LCT_IDENTITIES = 10 };

/* An identity that a paper proves, or an inequality. */
struct lct_identity {
    const char *name, *formula, *source;
    double bound, error; /* error: largest difference of the two sides */
    bool above;          /* an inequality: the error must exceed the bound */
    bool holds;
};

/* Add the error of one try; an identity does not hold if one is NAN. */
void lct_identity_add(struct lct_identity *x, double error);

/* Check identity i. */
locant_status lct_identity(struct lct_identity *out, int i);
#endif

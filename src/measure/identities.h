/* identities.h - identities that papers prove of encodings, checked on this
   machine */
#ifndef LCT_IDENTITIES_H
#define LCT_IDENTITIES_H
#include "../core/error.h"
#include <stdbool.h>

enum { LCT_IDENTITIES = 10 };

/* An identity that a paper proves, and the largest difference of its two sides
   found here. */
struct lct_identity {
    const char *name, *formula, *source;
    double bound, error;
    bool above; /* the sides must differ: the error has to exceed the bound */
    bool holds;
};

/* Check identity i on this machine. */
locant_status lct_identity(struct lct_identity *out, int i);
#endif

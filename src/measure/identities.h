/* identities.h - what papers prove of encodings, tried on this machine */
#ifndef LCT_IDENTITIES_H
#define LCT_IDENTITIES_H
#include "../core/error.h"
#include <stdbool.h>

enum { LCT_IDENTITIES = 10 };

/* What a paper proves, and the largest difference of its two sides here. */
struct lct_identity {
    const char *name, *formula, *source;
    double bound, error;
    bool above; /* the difference must exceed the bound: sides differ */
    bool holds;
};

/* Try number i on this machine. */
locant_status lct_identity(struct lct_identity *out, int i);
#endif

/* resize.h - the banded matrix that resizes a table along one axis */
#ifndef LCT_RESIZE_H
#define LCT_RESIZE_H
#include "../core/error.h"
#include "locant/resize.h"

/*
 * W [n, m]: row x has 'taps' weights from column first[x] on.  first[] never
 * decreases, so row j of the table is used by rows begin[j] .. end[j] - 1.
 */
struct lct_axis {
    int64_t m, n, taps;
    int64_t *first;       /* [n] */
    int64_t *begin, *end; /* [m] */
    double *weight;       /* [n, taps] */
    void *memory;
};

/* Compute W for m and n of at least 1.  Errors: NOMEM. */
locant_status lct_axis_make(struct lct_axis *a, const char *fn, int64_t m,
                            int64_t n, const locant_resize *how);
void lct_axis_free(struct lct_axis *a);
#endif

/* turns.h - the pairs of channels that a plain rotation turns, and how far */
#ifndef LCT_TURNS_H
#define LCT_TURNS_H
#include "locant/frequencies.h"

struct lct_turns {
    locant_rotated about;
    double *f;         /* [axes, pairs] radians per position; 0: not turned */
    int64_t *channels; /* [pairs, 2], the lower one first */
};

/*
 * Those of heads of 'dim' channels in calls of 'length' positions.
 * Errors: as locant_encoding_rotated(); *out is empty after a failure.
 */
locant_status lct_turns_of(struct lct_turns *out, const locant_encoding *e,
                           int64_t dim, int64_t length);
void lct_turns_free(struct lct_turns *t);

/* Let the first row of 'f' have, of a pair that several coordinates turn, the
   frequency of the first that does. */
void lct_turns_join(struct lct_turns *t);
#endif

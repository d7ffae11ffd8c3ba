/*
 * turns.h - how an encoding turns each channel of a head, read from what it
 * does to unit vectors
 */
#ifndef LCT_TURNS_H
#define LCT_TURNS_H
#include "locant/encoding.h"

struct lct_turns {
    int64_t dim;
    int64_t *partner; /* the other channel of the pair; -1: none that shows */
    double *f;    /* radians per position: channel a -> partner[a], signed */
    double *gain; /* of the channel */
};

/*
 * Turns of a plain rotation along coordinate 'axis' of its positions, in calls
 * of 'length' positions (0: any; encodings with the trait LENGTH need it).
 * Frequencies below pi are right within 2^-80, for a length of 2^31 or more
 * or 0.
 * Errors: as locant_encoding_rotate(), NOMEM; *out is empty after a failure.
 */
locant_status lct_turns_of(struct lct_turns *out, const locant_encoding *e,
                           int64_t dim, int64_t length, int axis);
void lct_turns_free(struct lct_turns *t);
#endif

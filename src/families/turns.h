/* turns.h - how a plain rotation turns each channel of a head */
#ifndef LCT_TURNS_H
#define LCT_TURNS_H
#include "locant/encoding.h"

struct lct_turns {
    int64_t dim;
    int64_t *partner; /* the other channel of the pair; -1: it stands still */
    double *f;    /* radians per position: channel a -> partner[a], signed */
    double *gain; /* of the channel */
};

/*
 * Turns along coordinate 'axis' of positions, in calls of 'length' positions
 * (0: any; encodings with the trait LENGTH need it).
 * Errors: as locant_encoding_rotated(), NOMEM; *out is empty after a failure.
 */
locant_status lct_turns_of(struct lct_turns *out, const locant_encoding *e,
                           int64_t dim, int64_t length, int axis);
void lct_turns_free(struct lct_turns *t);
#endif

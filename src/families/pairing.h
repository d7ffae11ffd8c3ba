/*
 * pairing.h - which channels of a head rotate together, in specs and in the
 * metadata of weights
 */
#ifndef LCT_PAIRING_H
#define LCT_PAIRING_H
#include "position_plan.h"

enum lct_pairing {
    LCT_PAIRING_UNSAID,
    LCT_PAIRING_HALF,
    LCT_PAIRING_INTERLEAVED
};

/* The pairing that a word of the metadata means; NULL: UNSAID.  Errors: FORMAT
   ('name' is the file). */
locant_status lct_pairing_of(enum lct_pairing *out, const char *word,
                             const char *name);

/* The encoding of a spec whose part that rotates has another pairing.  Errors:
   those of locant_encoding_create(). */
locant_status lct_pairing_encoding(locant_encoding **out, const char *spec,
                                   bool interleaved);

/* The tower whose weights have a pairing: the first with rope or mrope in one
   of its layers; NULL: there is none. */
const struct lct_tower *lct_pairing_tower(const struct lct_position_plan *p);
#endif

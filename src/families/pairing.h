/*
 * pairing.h - which channels of a head rotate together, where no configuration
 * says it: in the metadata of weights that locant wrote
 */
#ifndef LCT_PAIRING_H
#define LCT_PAIRING_H
#include "config.h"

/* The pairing that a word of the metadata means; NULL: UNSAID.  Errors: FORMAT
   ('name' is the file). */
locant_status lct_pairing_of(enum lct_recorded_pairing *out, const char *word,
                             const char *name);

/* The spec of an encoding that rotates, or of a sum with such a part, with
   another pairing; to be released.  Errors: NOMEM. */
locant_status lct_pairing_spec(char **out, const char *spec, bool interleaved);
#endif

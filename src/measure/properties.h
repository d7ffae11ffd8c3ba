/* properties.h - gate g1: the properties an encoding declares */
#ifndef LCT_PROPERTIES_H
#define LCT_PROPERTIES_H
#include "results.h"

/* Check gate g1 on the encodings of the results, and the identities of papers
   on this machine. */
locant_status lct_properties_gate(struct lct_results *r);

/* Does an encoding have the properties it declares? If not, the message says
   which one it lacks. */
locant_status lct_properties_check(bool *held, char message[256],
                                   const char *spec, int64_t heads,
                                   int64_t width);
#endif

/* gates.h - checks that a report has to pass */
#ifndef LCT_GATES_H
#define LCT_GATES_H
#include "results.h"

/* Set gates g2 to g7 of the results. properties.h sets g1. A gate keeps its
   findings as values and the id of a message, from which the report makes the
   text. */
locant_status lct_gates_check(struct lct_results *r);
#endif

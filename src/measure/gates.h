/* gates.h - checks that a report has to pass */
#ifndef LCT_GATES_H
#define LCT_GATES_H
#include "results.h"

/* Check gates g2 to g7 on the results; properties.h checks g1.  Findings are
   left as values and the id of a message, which the report words. */
locant_status lct_gates_check(struct lct_results *r);
#endif

/* check_whole.h - checks of a whole model, after those of its keys */
#ifndef LCT_CHECK_WHOLE_H
#define LCT_CHECK_WHOLE_H
#include "check_model.h"

/* X07, T01, T02, T03.  Errors: NOMEM. */
locant_status lct_check_whole(struct lct_check *k,
                              const struct lct_check_model *m);
#endif

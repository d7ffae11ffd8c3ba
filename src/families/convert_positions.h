/* convert_positions.h - whether a model in another format has the positions
   that it had */
#ifndef LCT_CONVERT_POSITIONS_H
#define LCT_CONVERT_POSITIONS_H
#include "convert.h"

/* out->differs = where the positions of what was written part from those of the
   model.  Errors: those of locant_models_compare(). */
locant_status lct_convert_positions(locant_conversion *out,
                                    struct lct_convert *c);
#endif

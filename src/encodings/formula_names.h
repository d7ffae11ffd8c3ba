/* formula_names.h - declarations of a formula: param(..), const(..), token(..)
 * and scan(..) */
#ifndef LCT_FORMULA_NAMES_H
#define LCT_FORMULA_NAMES_H
#include "formula_words.h"

/* Read the declaration of the name t, after "=", and add it to f. */
locant_status lct_formula_names_read(struct lct_formula *f,
                                     const locant_encoding *e,
                                     struct lct_reader *r, struct lct_token t);

/* Error: the name t is no key, nor is a declaration after it. */
locant_status lct_formula_names_refuse(struct lct_reader *r, struct lct_token t,
                                       const locant_encoding *e);
#endif

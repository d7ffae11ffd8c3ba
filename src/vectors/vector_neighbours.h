/* vector_neighbours.h - the convention that a failing case looks like */
#ifndef LCT_VECTOR_NEIGHBOURS_H
#define LCT_VECTOR_NEIGHBOURS_H
#include "vector_cases.h"
#include "vector_compare.h"

/*
 * Write what the tensor matches, "pairing=interleaved (rope/interleaved/none)",
 * or "" if it matches nothing known.  Errors: NOMEM.
 */
locant_status lct_vector_neighbours_find(char *out, size_t size,
                                         struct lct_vector_cases *cases,
                                         const struct lct_vector_case *c,
                                         const locant_tensor *got);
#endif

/* vector_bundle.h - tensors with names, to be written into one file */
#ifndef LCT_VECTOR_BUNDLE_H
#define LCT_VECTOR_BUNDLE_H
#include "vector_cases.h"
#include "locant/files.h"

struct lct_vector_bundle {
    locant_named_tensor *at; /* names and data belong to the bundle */
    size_t n, room;
};

/*
 * Add a zeroed tensor and set *data to its elements, or to NULL if there is one
 * of that name already.  Errors: NOMEM.
 */
locant_status lct_vector_bundle_add(void **data, struct lct_vector_bundle *b,
                                    const char *name, locant_dtype dtype,
                                    int rank, const int64_t *shape);
void lct_vector_bundle_free(struct lct_vector_bundle *b);

/* Add true values, as int64 if the case is of integers; or their slack. */
locant_status lct_vector_bundle_values(struct lct_vector_bundle *b,
                                       const struct lct_vector_case *c,
                                       const struct lct_vector_values *v);
/* Add the positions of a set. */
locant_status lct_vector_bundle_positions(struct lct_vector_bundle *b,
                                          const struct lct_vector_positions *p);
#endif

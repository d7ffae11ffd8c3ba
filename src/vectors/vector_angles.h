/* vector_angles.h - angles of a rope in exact arithmetic, with its scaling */
#ifndef LCT_VECTOR_ANGLES_H
#define LCT_VECTOR_ANGLES_H
#include "oracle/exact.h"
#include "vector_groups.h"

struct lct_vector_angles {
    int64_t n, pairs;
    struct exact *cosine, *sine; /* [n, pairs], without the magnitude */
    struct exact *frequency;     /* [pairs] */
    struct exact *unscaled;      /* the same without scaling */
    struct exact magnitude;      /* attention factor */
    double factor;               /* of the scaling; 1: none */
    double on_score;             /* factor on scores */
    /* What they were made for. */
    char schedule[1200]; /* the spec without what channels a pair has */
    const struct lct_vector_positions *positions;
    int64_t offset;
    void *memory;
};

/*
 * Make 'a', which is zeroed or was made before, the angles of positions +
 * offset for a spec of rope whose rotated channels are 2 pairs.  Nothing is
 * done if it holds these already.  Errors: NOMEM.
 */
locant_status lct_vector_angles_make(struct lct_vector_angles *a,
                                     const char *spec, int64_t pairs,
                                     const struct lct_vector_positions *p,
                                     int64_t offset);
void lct_vector_angles_free(struct lct_vector_angles *a);
#endif

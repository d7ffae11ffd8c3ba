/*
 * near_far.h - rotary scores in which near keys are seen at their distance and
 * far ones at another: what ReRoPE, SelfExtend and StreamingLLM share.
 */
#ifndef LCT_NEAR_FAR_H
#define LCT_NEAR_FAR_H
#include "content.h"

enum { LCT_PAIRINGS_HALF, LCT_PAIRINGS_INTERLEAVED };

/* One scheme. */
struct lct_near_far {
    int base, pairing; /* their places among the keys of the spec */

    /* How the query at q_pos sees the key at k_pos. */
    enum lct_sight { LCT_NEAR, LCT_FAR, LCT_AWAY } (*sight)(
        const locant_encoding *e, int64_t q_pos, int64_t k_pos);

    /*
     * What far queries and keys are turned by: 'extra' at the frequencies of
     * the encoding, and 'grouped' at those divided by 'slowing'.
     */
    double (*slowing)(const locant_encoding *e); /* NULL: 1 */
    int64_t (*extra)(const locant_encoding *e);
    int64_t (*grouped)(const locant_encoding *e, enum lct_role role,
                       int64_t pos);
};

/* The members of the content door, for a row whose 'near_far' is set. */
size_t lct_near_far_memo(const struct lct_content *c);
void lct_near_far_begin(const struct lct_content *c);
void lct_near_far_content(double *s, const struct lct_content *c,
                          const struct lct_query *q);
void lct_near_far_backward(double *ds, const struct lct_content_gradient *g,
                           const double *s, const struct lct_content *c,
                           const struct lct_query *q);
void lct_near_far_end(const struct lct_content_gradient *g,
                      const struct lct_content *c);
#endif

/*
 * content_far.h - scores in which a key is seen by one of two schedules.
 *
 * The engine rotates rows by the schedule of near keys, as with rope.  For far
 * ones there is a second table of angles: a tile that is wholly far takes
 * queries and keys of that, a mixed one forms both products and chooses.
 */
#ifndef LCT_ATTENTION_CONTENT_FAR_H
#define LCT_ATTENTION_CONTENT_FAR_H
#include "content.h"

void lct_content_far_layout(struct lct_content_products *c,
                            const struct lct_plan *p, struct lct_arena *arena);
void lct_content_far_fill(const struct lct_plan *p);

/*
 * Classify a tile whose extents these are as near, far or mixed; false: no
 * query sees any of the keys.
 */
bool lct_content_far_classify(const struct lct_plan *p, struct lct_tile *t,
                              const struct lct_extent *q,
                              const struct lct_extent *k);

/* A tile of queries was loaded: the same rotated far; and its gradient. */
void lct_content_far_open(const struct lct_plan *p, const struct lct_tile *t,
                          struct lct_scratch *s);
void lct_content_far_close(const struct lct_plan *p, const struct lct_tile *t,
                           struct lct_scratch *s);

/* Keys rotated far, padded rows in the scratch. */
const float *lct_content_far_keys(const struct lct_plan *p,
                                  const struct lct_tile *t,
                                  struct lct_scratch *s);

/*
 * s->s of a tile that is not near: all of it ('keys' are far then), or those
 * entries of near ones that are not.
 */
void lct_content_far_scores(const struct lct_plan *p, const struct lct_tile *t,
                            struct lct_scratch *s, const float *keys);
/* Gradients of the pairs that are far; in a mixed tile they leave s->ds. */
void lct_content_far_backward(const struct lct_plan *p,
                              const struct lct_tile *t, struct lct_scratch *s,
                              const float *keys);

/* Gradients of far keys: 0 before the tiles of a head, added to dk after. */
void lct_content_far_clear_keys(const struct lct_plan *p,
                                struct lct_scratch *s);
void lct_content_far_add_keys(const struct lct_plan *p, int64_t b, int64_t head,
                              struct lct_scratch *s, const locant_tensor *dk);
#endif

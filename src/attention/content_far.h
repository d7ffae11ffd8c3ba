/*
 * content_far.h - near/far scores, rotated by one of two tables of angles.
 *
 * The engine rotates rows by the near angles, as with rope.  A second table has
 * the far angles.  In a far tile, queries and keys are rotated by these; for a
 * mixed tile both products are formed, and each pair picks one.
 */
#ifndef LCT_ATTENTION_CONTENT_FAR_H
#define LCT_ATTENTION_CONTENT_FAR_H
#include "content.h"

void lct_content_far_layout(struct lct_content_products *c,
                            const struct lct_plan *p, struct lct_arena *arena);
void lct_content_far_fill(const struct lct_plan *p);

/*
 * Classify a tile with extents q, k as near, far or mixed; false: no query sees
 * any of the keys.
 */
bool lct_content_far_classify(const struct lct_plan *p, struct lct_tile *t,
                              const struct lct_extent *q,
                              const struct lct_extent *k);

/* Rotate a tile of queries far; 'close' adds the far gradients to s->dq. */
void lct_content_far_open(const struct lct_plan *p, const struct lct_tile *t,
                          struct lct_scratch *s);
void lct_content_far_close(const struct lct_plan *p, const struct lct_tile *t,
                           struct lct_scratch *s);

/* The tile's keys, rotated far: padded rows in the scratch. */
const float *lct_content_far_keys(const struct lct_plan *p,
                                  const struct lct_tile *t,
                                  struct lct_scratch *s);

/*
 * Write scores s->s: of a far tile, whose 'keys' are rotated far, all of them;
 * of a mixed tile, those of far and masked pairs.
 */
void lct_content_far_scores(const struct lct_plan *p, const struct lct_tile *t,
                            struct lct_scratch *s, const float *keys);
/* Sum dq and dk of far pairs.  In a mixed tile, set their s->ds to 0. */
void lct_content_far_backward(const struct lct_plan *p,
                              const struct lct_tile *t, struct lct_scratch *s,
                              const float *keys);

/* Clear the sums of far dk before the tiles of a head; then add them to dk. */
void lct_content_far_clear_keys(const struct lct_plan *p,
                                struct lct_scratch *s);
void lct_content_far_add_keys(const struct lct_plan *p, int64_t b, int64_t head,
                              struct lct_scratch *s, const locant_tensor *dk);
#endif

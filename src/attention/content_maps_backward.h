/* content_maps_backward.h - backward of maps along the path (content_maps.h) */
#ifndef LCT_ATTENTION_CONTENT_MAPS_BACKWARD_H
#define LCT_ATTENTION_CONTENT_MAPS_BACKWARD_H
#include "backward.h"
#include "content_maps.h"

/* One head: begin; for each tile of queries walk to tile 'oldest' of keys and
 * back; end. */
void lct_content_maps_backward_begin_head(const struct lct_backward *job,
                                          int64_t b, int64_t h,
                                          struct lct_scratch *s);
void lct_content_maps_backward_walk(const struct lct_plan *p,
                                    const struct lct_tile *t,
                                    struct lct_scratch *s, int64_t oldest,
                                    int64_t tiles);
/* Take the gradient s->dq of u back through tile k; 'first': it is 0 yet. */
void lct_content_maps_backward_return(const struct lct_plan *p,
                                      const struct lct_tile *t,
                                      struct lct_scratch *s, int64_t k,
                                      bool first);
/* Add s->ds, gradients of scores. */
void lct_content_maps_backward_scores(const struct lct_plan *p,
                                      const struct lct_tile *t,
                                      struct lct_scratch *s,
                                      const struct lct_loaded *l,
                                      struct lct_product_rows dk);
/* Leave tile k. */
void lct_content_maps_backward_leave(const struct lct_backward *job,
                                     const struct lct_tile *t,
                                     struct lct_scratch *s, int64_t k);
void lct_content_maps_backward_end_head(const struct lct_backward *job,
                                        int64_t b, int64_t h,
                                        struct lct_scratch *s);
#endif

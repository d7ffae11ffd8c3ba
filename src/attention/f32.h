/* f32.h - the products of a tile in float32 (arithmetic.h) */
#ifndef LCT_ATTENTION_F32_H
#define LCT_ATTENTION_F32_H
#include "arithmetic.h"

void lct_f32_layout_queries(struct lct_scratch *s, const struct lct_plan *p,
                            struct lct_arena *arena);
void lct_f32_layout_keys(struct lct_scratch *s, const struct lct_plan *p,
                         struct lct_arena *arena);
void lct_f32_load_queries(const struct lct_plan *p, const struct lct_tile *t,
                          struct lct_scratch *s);
void lct_f32_load_dout(const struct lct_plan *p, const struct lct_tile *t,
                       struct lct_scratch *s, const locant_tensor *dout);
struct lct_loaded lct_f32_load_keys(const struct lct_plan *p,
                                    const struct lct_tile *t,
                                    struct lct_scratch *s);
void lct_f32_scores(const struct lct_plan *p, const struct lct_tile *t,
                    struct lct_scratch *s, const struct lct_loaded *l);
void lct_f32_scores_backward(const struct lct_plan *p, const struct lct_tile *t,
                             struct lct_scratch *s, const struct lct_loaded *l,
                             bool dq, struct lct_rows_to dk);
void lct_f32_values(const struct lct_plan *p, const struct lct_tile *t,
                    struct lct_scratch *s, const struct lct_loaded *l);
void lct_f32_values_backward(const struct lct_plan *p, const struct lct_tile *t,
                             struct lct_scratch *s, const struct lct_loaded *l,
                             struct lct_rows_to dv);
#endif

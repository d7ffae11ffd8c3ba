/* plan_tower.h - towers and their layers: making, filling, freeing */
#ifndef LCT_PLAN_TOWER_H
#define LCT_PLAN_TOWER_H
#include "plan_keys.h"
#include "plan_spec.h"

/* Begin to read: the next tower of 'p' and the object of its keys. */
locant_status lct_plan_tower_begin(struct lct_plan_keys *k,
                                   struct lct_position_plan *p,
                                   const char *name, const json_t *object,
                                   const char *where);
/* Release what the reader made for itself. */
void lct_plan_tower_end(struct lct_plan_keys *k);

/* Make n layers with plain causal softmax attention of H heads of D channels,
   scaled by D^-0.5, of no encoding yet. */
locant_status lct_plan_tower_layers(struct lct_tower *t, int64_t n,
                                    int64_t heads, int64_t kv_heads, int64_t D,
                                    const char *file);

/* What is added to the embeddings, a spec; 'text' may be NULL: none. */
locant_status lct_plan_tower_input(struct lct_plan_keys *k, const char *text);

/* Give layer l the spec; the text of 's' is released. */
locant_status lct_plan_tower_layer(struct lct_tower *t, int64_t l,
                                   struct lct_plan_spec *s, const char *file);
/* Give all layers of a tower the same spec. */
locant_status lct_plan_tower_all(struct lct_plan_keys *k, const char *text);

void lct_plan_tower_free(struct lct_tower *t);
#endif

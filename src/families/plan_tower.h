/* plan_tower.h - towers and their layers: making, filling, freeing */
#ifndef LCT_PLAN_TOWER_H
#define LCT_PLAN_TOWER_H
#include "plan_keys.h"
#include "plan_spec.h"

/* Models have at most so many layers. */
enum { LCT_PLAN_LAYERS = 4096 };

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

/* Give all layers of a tower the same spec and mask. */
locant_status lct_plan_tower_same(struct lct_plan_keys *k, const char *spec,
                                  enum lct_plan_mask mask);
/* The same; the text of 's' is released. */
locant_status lct_plan_tower_same_put(struct lct_plan_keys *k,
                                      struct lct_plan_spec *s,
                                      enum lct_plan_mask mask);

/* Where the text part of a configuration is, for messages. */
const char *lct_plan_tower_where(const struct lct_config *c);

/* A size of the family under the name of its class, or that of Llama. */
locant_status lct_plan_tower_size(int64_t *out, struct lct_plan_keys *k,
                                  const char *field, const char *key,
                                  const char *usual, int64_t fallback);
/*
 * Read layers, width and heads by the names and defaults of the family, and
 * make the layers; 'layers' is another name for those of a decoder, or NULL.
 */
locant_status lct_plan_tower_sizes(struct lct_plan_keys *k, const char *layers,
                                   const char *heads, int64_t *hidden);
/* At most LCT_PLAN_LAYERS layers? */
locant_status lct_plan_tower_count(struct lct_plan_keys *k, const char *key,
                                   int64_t n);

/* A learned table of 'length' positions after 'offset' other rows. */
locant_status lct_plan_tower_learned(struct lct_plan_keys *k, int64_t length,
                                     int64_t offset);

/* Scale all layers by x; 'why' is the key that says so. */
void lct_plan_tower_scale(struct lct_tower *t, double x, const char *why);

void lct_plan_tower_free(struct lct_tower *t);
#endif

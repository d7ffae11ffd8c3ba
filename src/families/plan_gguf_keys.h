/* plan_gguf_keys.h - keys of a GGUF file, translated into a config.json */
#ifndef LCT_PLAN_GGUF_KEYS_H
#define LCT_PLAN_GGUF_KEYS_H
#include "plan_gguf.h"
#include "plan_names.h"

struct lct_plan_gguf {
    struct lct_position_plan *plan;
    const struct lct_config *c;
    const struct lct_weights *weights; /* NULL: the keys alone */
    const struct lct_family *family;
    json_t *out; /* what transformers would call the same keys */
};

/*
 * The value of "ARCHITECTURE.name", or 'fallback' if it is absent; of an array
 * its first entry.  Errors: FORMAT (another type, not of least .. 2^40).
 */
locant_status lct_plan_gguf_keys_whole(int64_t *out,
                                       const struct lct_plan_gguf *g,
                                       const char *name, int64_t fallback,
                                       int64_t least);
/* A finite number. */
locant_status lct_plan_gguf_keys_real(double *out,
                                      const struct lct_plan_gguf *g,
                                      const char *name, double fallback);
/* NULL if absent. */
const json_t *lct_plan_gguf_keys_find(const struct lct_plan_gguf *g,
                                      const char *name);
locant_status lct_plan_gguf_keys_text(const char **out,
                                      const struct lct_plan_gguf *g,
                                      const char *name);
/* Fail with FORMAT: "FILE: KEY is VALUE, expected EXPECTED"; of a key that is
   missing the plan records that. */
locant_status lct_plan_gguf_keys_wrong(const struct lct_plan_gguf *g,
                                       const char *name, const char *expected);

/* Set a key of the result; NULL as 'key' does nothing, 'value' is released. */
locant_status lct_plan_gguf_keys_set(struct lct_plan_gguf *g, const char *key,
                                     json_t *value);

/* The names of its keys, as long as g lives. */
struct lct_plan_names lct_plan_gguf_names(const struct lct_plan_gguf *g);

/* The rotary keys, and the tensors with divisors of frequencies. */
locant_status lct_plan_gguf_rope(struct lct_plan_gguf *g);
#endif

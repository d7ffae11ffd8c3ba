/*
 * plan_rope.h - rotary parameters as transformers resolves them, as a spec
 *
 * Source: transformers 5.23, modeling_rope_utils.py and the configurations of
 * the models.
 */
#ifndef LCT_PLAN_ROPE_H
#define LCT_PLAN_ROPE_H
#include "plan_keys.h"
#include "plan_spec.h"

/* The parameters of one kind of layers. */
struct lct_plan_rope {
    const char *type; /* "default", "yarn", .. */
    double base;
    double score;        /* what the scaling multiplies scores by; set by put */
    double partial;      /* share of the head that is rotated; NAN: not given */
    const json_t *dict;  /* factor and its like; NULL: none */
    bool nested;         /* it is one of several, for a type of layers */
    const json_t *outer; /* the dictionary around those */
    enum lct_origin origin; /* of 'dict' */
    char where[64];         /* "rope_scaling.", for messages */
    bool outer_original;    /* 'original' is a key of the top level */
    int64_t original;       /* length of the first training; 0: not given */
    int64_t length;         /* max_position_embeddings */
};

/* How heads are rotated. */
struct lct_plan_rotation {
    int64_t head_dim; /* of the rotated part: MLA has a part of its own */
    int64_t dim;      /* rotated channels; 0: by the partial factor */
    bool interleaved, trailing;
    bool score;         /* mscale_all_dim also multiplies scores */
    int64_t section[3]; /* of mrope; all 0: rope */
    const char *layout; /* of mrope */
};

/*
 * The parameters of a flat dictionary, or of the entry 'kind' of a nested one
 * ("full_attention").
 */
locant_status lct_plan_rope_read(struct lct_plan_rope *out,
                                 struct lct_plan_keys *k, const char *kind,
                                 int64_t length);

/* Put rope(..) or mrope(..). */
locant_status lct_plan_rope_put(struct lct_plan_spec *s,
                                struct lct_plan_keys *k,
                                struct lct_plan_rope *rope,
                                const struct lct_plan_rotation *r);
#endif
